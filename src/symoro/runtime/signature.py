"""What a compiled function takes and gives, for every backend: inputs by position and by name, parameters, results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import ShapeError
from symoro.ir.program import Input, Program
from symoro.ir.split import split
from symoro.runtime.kernel import Array
from symoro.runtime.parameters import Parameters
from symoro.runtime.results import result_type


class Signature:
    """The inputs, outputs and parameters of a function."""

    def __init__(self, program: Program, defaults: Mapping[str, float], known: Collection[str]) -> None:
        self.program = program
        self.inputs = {i.name: i.shape for i in program.inputs}
        self.outputs = {o.name: o.shape for o in program.outputs}
        self.parameters = Parameters(split(program)[0], defaults, known)
        #: The values of optional inputs that are not given.
        self._optional = {i.name: _default_array(i) for i in program.inputs if i.optional}
        self._result_type = result_type(program) if len(program.outputs) != 1 else None
        self._order = [i.name for i in sorted(program.inputs, key=lambda i: i.optional)]  # by position

    def __repr__(self) -> str:
        """How it is called, then each input with its shape, meaning and unit."""
        return "\n".join([f"<Function {self.program.call}>", *map(_described, self.program.inputs)])

    def _gather(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> dict[str, ArrayLike]:
        """Every input by its name, the optional ones with their defaults."""
        if len(inputs) > len(self._order):
            raise ShapeError(f"{len(inputs)} inputs given, but there are {len(self._order)}: {self._listing()}")
        given: dict[str, ArrayLike] = dict(zip(self._order, inputs, strict=False))
        for name, value in named.items():
            if name not in self.inputs or name in given:
                problem = "is given twice" if name in given else "does not exist"
                raise ShapeError(f"input {name} {problem}: the inputs are {self._listing()}")
            given[name] = value
        missing = [name for name in self._order if name not in given and name not in self._optional]
        if missing:
            names = ", ".join(f"{name}{self.inputs[name]}" for name in missing)
            raise ShapeError(f"missing input {names}: the inputs are {self._listing()}")
        return self._optional | given

    def _result(self, outputs: Sequence[Any]) -> Any:
        """The only output, or the named tuple of several."""
        return outputs[0] if self._result_type is None else self._result_type(*outputs)

    def _listing(self) -> str:
        return ", ".join(f"{name}{self.inputs[name]}" for name in self._order) or "none"


def _described(array: Input) -> str:
    units = " or ".join(dict.fromkeys(v.meaning.unit for v in array.variables if v.meaning.unit))
    parts = (f"{array.name} {array.shape}", array.meaning.text, units, "optional" if array.optional else "")
    return "  " + ", ".join(part for part in parts if part)


def _default_array(array: Input) -> Array:
    return np.array([v.default or 0.0 for v in array.variables], dtype=np.float64).reshape(array.shape)
