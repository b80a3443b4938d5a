"""Runs the instructions of a program on values of another library, such as arrays of JAX or expressions of CasADi."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from symoro.ir.expr import Op
from symoro.ir.program import Instruction, Literal, Operand


@dataclass(frozen=True, slots=True)
class Interpreter:
    """What operations, `solve(A, b)` and numbers are in a library."""

    meaning: Mapping[Op, Callable[..., Any]]
    solve: Callable[[list[Any], int], list[Any]]
    """The solution of n equations, from the elements of A by rows, then those of b."""
    number: Callable[[float], Any] = float

    def run(self, instructions: Iterable[Instruction], values: dict[str, Any]) -> None:
        """Add the results of the instructions to the values."""
        for instruction in instructions:
            args = [self.read(a, values) for a in instruction.args]
            if instruction.op is Op.SOLVE:
                solution = self.solve(args, len(instruction.results))
                values.update(zip(instruction.results, solution, strict=True))
            else:
                values[instruction.results[0]] = self.meaning[instruction.op](*args)

    def read(self, operand: Operand, values: Mapping[str, Any]) -> Any:
        """The value of an operand."""
        if isinstance(operand, Literal):
            return self.number(float(operand.value))
        return -values[operand.name] if operand.negative else values[operand.name]
