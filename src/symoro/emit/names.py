"""Names that a language accepts: legal, not reserved and unique."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import count

from symoro.emit.target import Target
from symoro.emit.trace import Marks
from symoro.ir.program import Program

#: What the templates append to the name of a function or a package; the letters count to the longest name.
_ENDINGS = (
    "",
    "_setup",
    "_set_up",
    "_parameters",
    "_default_parameters",
    "_test",
    "_module",
    "_real",
    "_result",
    "_solve",
    "_kernel",
    "_launch",
)


def identifier(text: str) -> str:
    """A legal identifier close to the text: rx90-k13 becomes rx90_k13."""
    plain = "".join(c if re.match(r"[A-Za-z0-9_]", c) else _spell(c) for c in text)
    return plain if re.match(r"[A-Za-z]", plain) else f"x{plain}"


def _spell(letter: str) -> str:
    """Greek and other letters by their code, anything else as an underscore."""
    return f"u{ord(letter):04X}" if letter.isalnum() else "_"


class Names:
    """The names of a package in a target language: its functions, and the arrays and parameters that these share.

    `public` has the names of the package, the first one, and of its functions by the wished names, `arrays` those of
    input and output arrays, `variables` those of scalars: parameters, and inside a function (`inside`) elements of
    inputs and results. `marks` puts marks around the names of scalars, where the files are traced.
    """

    def __init__(
        self, target: Target, programs: Sequence[Program], public: Iterable[str] = (), marks: Marks | None = None
    ) -> None:
        self._target = target
        self.marks = marks or Marks()
        self._taken = {self._fold(name) for name in target.reserved}
        self.public = {name: self._public(name, not k) for k, name in enumerate(dict.fromkeys(public))}
        arrays = [name for p in programs for name in (*(i.name for i in p.inputs), *(o.name for o in p.outputs))]
        named = identifier if target.arrays_apart else self.fresh
        self.arrays = {name: named(name) for name in dict.fromkeys(arrays)}
        parameters = (variable.name for p in programs for variable in p.parameters)
        self.variables = {name: self._variable(name) for name in dict.fromkeys(parameters)}

    def inside(self, program: Program) -> Names:
        """These names, and those of the scalars of a function."""
        inner = copy(self)
        inner._taken, inner.variables = set(self._taken), dict(self.variables)
        results = (name for i in (*program.setup, *program.instructions) for name in i.results)
        for name in (*(v.name for v in program.input_variables()), *results):
            if not name.startswith("%"):
                inner.variables[name] = inner._variable(name)
        return inner

    def _variable(self, symbol: str) -> str:
        return self.marks.name(symbol, self.fresh(symbol))

    def fresh(self, wanted: str) -> str:
        """The name itself if it is not taken, else the name with underscores at its end."""
        name = next(n for n in self._candidates(wanted, self._target.longest) if self._free(n))
        self._taken.add(self._fold(name))
        return name

    def _public(self, wanted: str, package: bool) -> str:
        """A name that is free with every ending that templates give it; all of these are taken then."""
        can_name = self._target.can_name if package else lambda name: name not in self._target.reserved
        joint, room = self._target.joint, max(map(len, _ENDINGS))
        endings = [ending.replace("_", joint) for ending in _ENDINGS]
        candidates = (n if can_name(n) else f"{n}{joint}model" for n in self._wishes(wanted, room))
        name = next(n for n in candidates if all(self._free(n + ending) for ending in endings))
        self._taken |= {self._fold(name + ending) for ending in endings}
        return name

    def _wishes(self, wanted: str, room: int) -> Iterator[str]:
        return self._candidates(wanted, self._target.longest - room)

    def _candidates(self, wanted: str, longest: int) -> Iterator[str]:
        """The name in the letters of the language, cut to a length, then with more and more underscores."""
        name, joint = identifier(wanted).replace("_", self._target.joint), self._target.joint
        if self._target.forbidden and re.fullmatch(self._target.forbidden, name):
            name = f"x{name}"
        return (name[: longest - k] + joint * k for k in count())

    def _free(self, name: str) -> bool:
        return self._fold(name) not in self._taken

    def _fold(self, name: str) -> str:
        return name if self._target.case_sensitive else name.casefold()
