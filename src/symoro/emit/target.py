"""The description of a target language, and the table of targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from symoro.errors import TargetError
from symoro.ir.expr import Constant
from symoro.ir.infix import Dialect

if TYPE_CHECKING:
    from symoro.emit.package import Package


@dataclass(frozen=True, slots=True)
class Target:
    """A language: how it writes expressions (`dialect`), which names are reserved, and the files of a package.

    `truth` turns a comparison into the number 0 or 1; `comment` makes any text safe inside a comment. With
    `inline_conditions`, a comparison that only a `select` reads is written inside it, as a truth value; without, every
    comparison is a variable that is 0 or 1, and the `select` of the dialect compares it with 0. `exact` writes numbers
    of expressions where the language computes with fractions and π.

    `check` is the command that builds and runs the self-test of a package {name} in its folder, and `tools` are the
    programs and `modules` the Python modules that it needs. `single` is the same target in single precision, if it has
    one. Names are at most `longest` letters long, have an x in front where they match `forbidden`, and have `joint` in
    the place of `_`. With `arrays_apart`, arrays are only named in texts, and may have the name of a variable. A
    function with more than `piece` lines is cut in pieces of that length, unless it is 0. With `angles_first`, sines
    and cosines of what is known at once are computed together, and variables are loaded where they are read first.
    `iterates` says that its templates have the driver of what iterates (`emit.newton`). A package has none of the
    names `taken`: its files would stand for modules or headers that the language or its libraries need.
    """

    name: str
    title: str
    suffix: str
    dialect: Dialect
    reserved: frozenset[str]
    write: Callable[[Package], dict[str, str]]
    number: Callable[[float], str] = repr
    truth: str = "{0}"
    comment: Callable[[str], str] = str
    case_sensitive: bool = True
    inline_conditions: bool = True
    exact: Callable[[Constant], str] | None = None
    check: str = ""
    tools: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    real: str = "double"
    precision: str = "double"
    single: Target | None = None
    cases: int = 20
    longest: int = 1000
    forbidden: str = ""
    joint: str = "_"
    arrays_apart: bool = False
    piece: int = 0
    angles_first: bool = False
    iterates: bool = False
    taken: frozenset[str] = frozenset()

    def can_name(self, name: str) -> bool:
        """Whether a package can have a name: files of other names must not be hidden, here or on another system."""
        return not (name in self.reserved or name in self.taken or name.casefold() in _FILES)


#: Names that files of packages have in every language, and names of devices, which no file of Windows can have.
_FILES = {
    *("selftest", "main", "on_cpu", "readme", "makefile"),
    *("con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in range(10))),
}
PRECISIONS = ("double", "float")
#: A target is a module of this package that defines TARGET; it is imported at first use.
_TARGETS = {
    "c": "C99",
    "cpp": "C++14, a header of templates over the scalar",
    "fortran": "Fortran 2008",
    "rust": "Rust without the standard library",
    "cuda": "CUDA, a kernel with a C interface",
    "javascript": "JavaScript with types for TypeScript",
    "matlab": "MATLAB and Octave",
    "julia": "Julia",
    "python": "Python with NumPy",
    "jax": "Python with JAX",
    "casadi": "Python with CasADi",
    "mathematica": "Mathematica, symbolic",
    "maple": "Maple, symbolic",
    "latex": "LaTeX, to read",
    "html": "a page of HTML, to read",
    "symoro": "the text file of SYMORO+",
    "fmi": "units of FMI 3.0 and 2.0 from a direct dynamic model",
    "simulink": "an S-function of Simulink from a direct dynamic model",
}


def targets() -> Mapping[str, str]:
    """The names of the targets, each with a description."""
    return dict(_TARGETS)


def target(name: str, precision: str = "double") -> Target:
    """A target by its name, in double precision or, where it has it, in single (`float`)."""
    if name not in _TARGETS:
        raise TargetError("targets.unknown", name=name, allowed=_TARGETS)
    if precision not in PRECISIONS:
        raise TargetError("targets.precision", precision=precision, allowed=", ".join(PRECISIONS))
    language = import_module(f"symoro.emit.{name}").TARGET
    assert isinstance(language, Target)
    if precision == "double":
        return language
    if language.single is None:
        raise TargetError("targets.double_only", language=language.title, allowed=_with_single())
    return language.single


def _with_single() -> list[str]:
    return [name for name in _TARGETS if import_module(f"symoro.emit.{name}").TARGET.single]


def decimal(value: float, infinity: str, nan: str) -> str:
    """The shortest decimal text that reads back as the same double."""
    if math.isnan(value):
        return nan
    if math.isinf(value):
        return infinity if value > 0 else f"-{infinity}"
    return repr(value)


def one_line(text: str) -> str:
    """A text in one line, without characters that cannot be seen: they could hide what a comment says."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
