"""A program: immutable straight-line code with names, in which every variable is defined before it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import cycle

from symoro.ir.constant import Constant
from symoro.ir.meaning import Meaning
from symoro.ir.ops import COUNTED_AS, Op, OpCount, solve_count


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of a variable, or its negative."""

    name: str
    negative: bool = False

    def __neg__(self) -> Ref:
        return Ref(self.name, not self.negative)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number."""

    value: Constant

    def __neg__(self) -> Literal:
        return Literal(-self.value)


Operand = Ref | Literal


def names_read(operands: Iterable[Operand]) -> list[str]:
    """The variables among the operands, in order, each as often as it is read."""
    return [operand.name for operand in operands if isinstance(operand, Ref)]


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar input or parameter. `label` is how it enters the names of sines and cosines (q2 -> "2")."""

    name: str
    meaning: Meaning = Meaning()
    default: float | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """An array of variables that a caller gives; an optional one has defaults."""

    name: str
    shape: tuple[int, ...]
    variables: tuple[Variable, ...]
    optional: bool = False
    meaning: Meaning = Meaning()


@dataclass(frozen=True, slots=True)
class Instruction:
    """results = op(args). Only `solve` has several results. A result %k is anonymous: it is read once and not named."""

    results: tuple[str, ...]
    op: Op
    args: tuple[Operand, ...]
    meaning: Meaning | None = None

    @property
    def reads(self) -> list[str]:
        """The variables that it reads."""
        return names_read(self.args)

    @property
    def anonymous(self) -> bool:
        return self.results[0][0] == "%"


@dataclass(frozen=True, slots=True)
class Output:
    """An array of results, row-major, each element with a name."""

    name: str
    shape: tuple[int, ...]
    elements: tuple[Operand, ...]
    names: tuple[str, ...]
    meanings: tuple[Meaning, ...] = ()

    @property
    def reads(self) -> list[str]:
        """The variables that its elements are."""
        return names_read(self.elements)

    @property
    def columns(self) -> tuple[Meaning, ...]:
        """The meaning of each column along the last axis, if it is the same in every row; else nothing."""
        first = self.meanings[: self.shape[-1]] if self.shape else ()
        same = all((m.text, m.unit) == (c.text, c.unit) for m, c in zip(self.meanings, cycle(first), strict=False))
        return first if same else ()


def count(instructions: tuple[Instruction, ...]) -> OpCount:
    """The operations of a list of instructions."""
    kinds: Counter[str] = Counter()
    operations = Counter([i.op for i in instructions])
    for op, times in operations.items():
        if op is not Op.SOLVE:
            kinds[COUNTED_AS[op]] += times
    blocks = (solve_count(len(i.results)) for i in instructions if i.op is Op.SOLVE) if Op.SOLVE in operations else ()
    return reduce(OpCount.__add__, blocks, OpCount(**kinds))


@dataclass(frozen=True, slots=True)
class Program:
    """The computation of a model. `setup` depends on parameters only and is computed once."""

    inputs: tuple[Input, ...]
    parameters: tuple[Variable, ...]
    setup: tuple[Instruction, ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[Output, ...]

    @property
    def ops(self) -> OpCount:
        """Operations of one evaluation."""
        return count(self.instructions)

    @property
    def setup_ops(self) -> OpCount:
        """Operations done once for given parameters."""
        return count(self.setup)

    @property
    def call(self) -> str:
        """How it is called, with shapes: q[2], qd[2], wrench[1, 6]=… -> GAM[2]. What is optional has =…."""
        given = [f"{i.name}{list(i.shape)}{'=…' * i.optional}" for i in self.inputs]
        return f"{', '.join(given)} -> {', '.join(f'{o.name}{list(o.shape)}' for o in self.outputs)}"

    def input_variables(self) -> Iterator[Variable]:
        """Every scalar input, in order."""
        for array in self.inputs:
            yield from array.variables

    def reads(self) -> set[str]:
        """The variables that the instructions or the outputs read."""
        found = {operand.name for i in self.instructions for operand in i.args if isinstance(operand, Ref)}
        return found.union(*(output.reads for output in self.outputs))
