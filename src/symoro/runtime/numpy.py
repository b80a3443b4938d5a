"""The reference `evaluate` as a backend: slow for one state, fast for many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program
from symoro.runtime.kernel import Array


def kernel(program: Program) -> NumpyKernel:
    return NumpyKernel(program)


class NumpyKernel:
    def __init__(self, program: Program) -> None:
        self.program = program

    def bind(self, constants: Array) -> NumpyBound:
        return NumpyBound(self.program, constants)


class NumpyBound:
    def __init__(self, program: Program, constants: Array) -> None:
        self.program = program
        self.values = {p.name: float(c) for p, c in zip(program.parameters, constants, strict=True)}

    def one(self, inputs: Sequence[Any]) -> None:
        """There is no faster way for one state."""

    def many(self, inputs: Sequence[Array], n: int) -> list[Array]:
        arrays = {i.name: a.reshape(*a.shape[:-1], *i.shape) for i, a in zip(self.program.inputs, inputs, strict=True)}
        outputs = evaluate(self.program, arrays, self.values)
        return [
            np.broadcast_to(outputs[o.name].reshape(-1, len(o.elements)), (n, len(o.elements))).copy()
            if o.elements
            else np.empty((n, 0))
            for o in self.program.outputs
        ]
