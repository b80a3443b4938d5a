"""Names that a language accepts: legal, not reserved and unique."""

from __future__ import annotations

import re
from collections.abc import Iterable

from symoro.emit.target import Target
from symoro.ir.program import Program


def identifier(text: str) -> str:
    """A legal identifier close to the text: rx90-k13 becomes rx90_k13."""
    plain = "".join(c if re.match(r"[A-Za-z0-9_]", c) else _spell(c) for c in text)
    return plain if re.match(r"[A-Za-z]", plain) else f"x{plain}"


def _spell(letter: str) -> str:
    """Greek and other letters by their code, anything else as an underscore."""
    return f"u{ord(letter):04X}" if letter.isalnum() else "_"


class Names:
    """The names of a package in a target language, all in one namespace."""

    def __init__(self, target: Target, program: Program, more_reserved: Iterable[str] = ()) -> None:
        self._fold = str if target.case_sensitive else str.casefold
        self._taken = {self._fold(name) for name in (*target.reserved, *more_reserved)}
        arrays = [*(i.name for i in program.inputs), *(o.name for o in program.outputs)]
        #: Input and output arrays; they come first, because callers see them.
        self.arrays = {name: self.fresh(name) for name in dict.fromkeys(arrays)}
        #: Scalars: parameters, elements of inputs, and every named result.
        self.variables: dict[str, str] = {}
        for variable in (*program.parameters, *program.input_variables()):
            self.variables[variable.name] = self.fresh(variable.name)
        for instruction in (*program.setup, *program.instructions):
            for name in instruction.results:
                if not name.startswith("%"):
                    self.variables[name] = self.fresh(name)

    def fresh(self, wanted: str) -> str:
        """The name itself if it is not taken, else the name with underscores at its end."""
        name = identifier(wanted)
        while self._fold(name) in self._taken:
            name += "_"
        self._taken.add(self._fold(name))
        return name
