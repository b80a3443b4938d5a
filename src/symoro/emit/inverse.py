"""The package of the general inverse geometric model: the method whole, an arm's numbers and its self-test.

The method is written in C. For other languages it is translated (`emit.translate`); Python gets the modules of NumPy
that the caller gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from symoro.emit.files import render, write_files
from symoro.emit.package import package_name
from symoro.emit.target import Target
from symoro.emit.target import target as find_target
from symoro.errors import TargetError

Numbers = Sequence[float]
#: The most letters that the code puts around the name of a package.
_LONGER = len("_default_arm_model")
_TEST, _EXAMPLE = "poses with the branches that symoro computed for them", "an example"


@dataclass(frozen=True, slots=True)
class InverseCase:
    """A case of the self-test: a pose, row by row, and its branches but for those of a continuous set.

    `count` is the number of all branches, and `r` are the positions of given joints.
    """

    pose: Numbers
    branches: Sequence[Numbers]
    count: int
    continuum: bool = False
    r: Numbers = ()


@dataclass(frozen=True, slots=True)
class InverseInput:
    """A joint that is given, the second input r of the code: it moves what is behind it in a link.

    `place` is that in r, `rate` the motion for a unit of r, and `frame` the joint's own in the link, row by row.
    """

    place: int
    prismatic: bool
    rate: float
    link: int
    frame: Numbers


@dataclass(frozen=True, slots=True)
class InversePackage:
    """Everything that the templates need.

    `kinds` has R or P for each joint; `links` are the displacements between joints, row by row; `virtual` are the axes
    of the joints that the method adds to an arm with fewer than six. `redundant` are joints inside the links, in the
    order of the chain. `python` is the method in Python: the imports, and the code.
    """

    name: str
    title: str
    target: Target
    kinds: str
    links: Sequence[Numbers]
    virtual: Sequence[Numbers]
    cases: Sequence[InverseCase] = ()
    python: tuple[str, str] = ("", "")
    redundant: Sequence[InverseInput] = ()


@dataclass(frozen=True, slots=True)
class _Language:
    """The files of a language, {file: (template, what it is)}, and its code: what a template gets from the method."""

    files: Mapping[str, tuple[str, str]]
    code: Callable[[InversePackage], Mapping[str, Any]]


def _translated(language: str, *names: str) -> Callable[[InversePackage], Mapping[str, Any]]:
    """The method in another language; `names` are new names of the public function."""

    def code(package: InversePackage) -> Mapping[str, Any]:
        from symoro.emit.translate.read import read

        source = read("".join(sources(replace(package, title="", target=find_target("c"))).values()))
        write = getattr(import_module(f"symoro.emit.translate.{language}"), language)
        return {"code": write(source, *({package.name: name} for name in names))}

    return code


_SOURCES = {"{name}.h": "c/inverse/header.h", "{name}.c": "c/inverse/source.c"}
LANGUAGES = {
    "c": _Language(
        {
            "{name}.h": ("c/inverse/header.h", "what the code offers"),
            "{name}.c": ("c/inverse/source.c", ""),
            "selftest.c": ("c/inverse/selftest.c", _TEST),
            "main.c": ("c/inverse/main.c", _EXAMPLE),
            "CMakeLists.txt": ("c/CMakeLists.txt", "a library, the example and the self-test"),
        },
        lambda package: {},
    ),
    "cpp": _Language(
        {
            "{name}.hpp": ("cpp/inverse/header.hpp", ""),
            "selftest.cpp": ("cpp/inverse/selftest.cpp", _TEST),
            "main.cpp": ("cpp/inverse/main.cpp", _EXAMPLE),
            "CMakeLists.txt": ("cpp/CMakeLists.txt", "an interface library, the example and the self-test"),
        },
        lambda package: {**_translated("cpp")(package), "number": repr},  # not of the type of a template
    ),
    "fortran": _Language(
        {
            "{name}.f90": ("fortran/inverse/module.f90", ""),
            "selftest.f90": ("fortran/inverse/selftest.f90", _TEST),
            "main.f90": ("fortran/inverse/main.f90", _EXAMPLE),
            "fpm.toml": ("fortran/fpm.toml", "a package for fpm"),
        },
        _translated("fortran"),
    ),
    "rust": _Language(
        {
            "lib.rs": ("rust/inverse/lib.rs", ""),
            "selftest.rs": ("rust/inverse/selftest.rs", _TEST),
            "main.rs": ("rust/inverse/main.rs", _EXAMPLE),
            "Cargo.toml": ("rust/Cargo.toml", "a crate without dependencies, for Rust 1.80 and later"),
        },
        _translated("rust"),
    ),
    "javascript": _Language(
        {
            "{name}.mjs": ("javascript/inverse/module.mjs", ""),
            "{name}.d.mts": ("javascript/inverse/types.d.mts", "its types, for TypeScript"),
            "selftest.mjs": ("javascript/inverse/selftest.mjs", _TEST),
            "package.json": ("javascript/package.json", "a package for npm"),
        },
        _translated("javascript"),
    ),
    "matlab": _Language(
        {
            "{name}.m": ("matlab/inverse/function.m", ""),
            "{name}_default_arm.m": ("matlab/inverse/default_arm.m", "the arm for which the package was written"),
            "selftest.m": ("matlab/inverse/selftest.m", _TEST),
        },
        _translated("matlab", "every_branch"),
    ),
    "julia": _Language(
        {
            "{name}.jl": ("julia/inverse/module.jl", ""),
            "selftest.jl": ("julia/inverse/selftest.jl", _TEST),
        },
        _translated("julia"),
    ),
    "python": _Language(
        {
            "{name}.py": ("python/inverse/module.py", ""),
            "{name}_selftest.py": ("python/inverse/selftest.py", _TEST),
        },
        lambda package: {"imports": package.python[0], "code": package.python[1]},
    ),
}


def inverse_package(
    target: str,
    name: str,
    title: str,
    kinds: str,
    links: Sequence[Numbers],
    virtual: Sequence[Numbers],
    cases: Sequence[InverseCase] = (),
    python: tuple[str, str] = ("", ""),
    redundant: Sequence[InverseInput] = (),
) -> InversePackage:
    """The package, not yet written."""
    if target not in LANGUAGES:
        find_target(target)  # an unknown one has its own message
        raise TargetError("targets.no_inverse", target=target, allowed=list(LANGUAGES))
    language = find_target(target)
    label = package_name(name, language)[: language.longest - _LONGER]
    if label.lower() in _identifiers():
        label = f"{label}_model"
    return InversePackage(label, language.comment(title), language, kinds, links, virtual, cases, python, redundant)


@cache
def _identifiers() -> frozenset[str]:
    """The names that the method itself has, in small letters: no package may have one of them."""
    held = [InverseInput(0, False, 1.0, 0, [0.0] * 16)]
    empty = InversePackage("", "", find_target("c"), "R", [[0.0] * 16] * 2, [[0.0] * 7], redundant=held)
    return frozenset(word.lower() for word in re.findall(r"\w+", "".join(sources(empty).values())))


def sources(package: InversePackage) -> dict[str, str]:
    """The header and the source in C alone, {file name: text}."""
    return render(package, {file.format(name=package.name): template for file, template in _SOURCES.items()})


def emit_inverse(package: InversePackage, directory: Path | str, force: bool = False) -> list[Path]:
    """Write the package of files; return their paths. `force` is that of `emit`."""
    language = LANGUAGES[package.target.name]
    named = {file.format(name=package.name): parts for file, parts in language.files.items()}
    files = {file: template for file, (template, _) in named.items()} | {"README.md": "inverse/README.md"}
    purposes = [(file, purpose) for file, (_, purpose) in named.items()]
    return write_files(
        directory, render(package, files, purposes=purposes, **language.code(package)), package.name, force
    )
