"""A program: immutable straight-line code with names, in which every variable is defined before it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from itertools import cycle

from symoro.ir.expr import COUNTED_AS, Constant, Op, OpCount, solve_count
from symoro.ir.meaning import Meaning


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
        inputs = [f"{i.name}{list(i.shape)}{'=…' * i.optional}" for i in self.inputs]
        return f"{', '.join(inputs)} -> {', '.join(f'{o.name}{list(o.shape)}' for o in self.outputs)}"

    def input_variables(self) -> Iterator[Variable]:
        """Every scalar input, in order."""
        for array in self.inputs:
            yield from array.variables

    def reads(self) -> set[str]:
        """The variables that the instructions or the outputs read."""
        names = {operand.name for i in self.instructions for operand in i.args if isinstance(operand, Ref)}
        return names.union(*(output.reads for output in self.outputs))


# Splits a program in two: the setup, which computes constants from parameters, and the main program of each call.


#: The name of the only output of a setup program.
CONSTANTS = "constants"


@dataclass(frozen=True, slots=True)
class Main(Program):
    """A main program that knows the words of its instructions and outputs, by which compiled code is found again."""

    whole: Program = field(compare=False, repr=False)
    """The program that it is the main part of: the words are those of its instructions and outputs."""
    known: list[str] = field(compare=False, repr=False)

    def words(self) -> list[str]:
        same = self.instructions is self.whole.instructions and self.outputs is self.whole.outputs
        return self.known if same else words(self)


def split(program: Program) -> tuple[Program, Main]:
    """The setup program (parameters to constants) and the main one, whose parameters are these constants.

    A constant is a result of the setup, or a parameter, that the instructions or the outputs read.
    """
    written = words(program)
    read = set(written)  # with other words, which are not names of parameters or results of the setup
    direct = [p for p in program.parameters if p.name in read]
    meanings = {name: i.meaning for i in program.setup for name in i.results}
    computed = [Variable(name, meaning or Meaning()) for name, meaning in meanings.items() if name in read]
    constants = (*direct, *computed)
    names = tuple(c.name for c in constants)
    output = Output(CONSTANTS, (len(names),), tuple(map(Ref, names)), names, tuple(c.meaning for c in constants))
    setup = Program((), program.parameters, (), program.setup, (output,))
    return setup, Main(program.inputs, constants, (), program.instructions, program.outputs, program, written)


# The angles of a program that are known before any sine is: sums of inputs, such as q2 + q3.


_EARLY = frozenset({Op.ADD, Op.MUL})
_TRIGONOMETRIC = frozenset({Op.SIN, Op.COS, Op.TAN})


def early_angles(program: Program) -> tuple[frozenset[str], list[str]]:
    """The angles that are inputs, or sums and products of inputs and constants; and the results that they need."""
    reads = {i.results[0]: i.reads for i in program.instructions if i.op in _EARLY}
    leaves = {v.name for v in (*program.input_variables(), *program.parameters)}
    early = set(leaves)
    for name, read in reads.items():  # in order: what is read comes before
        if all(r in early for r in read):
            early.add(name)
    arguments = dict.fromkeys(a for i in program.instructions if i.op in _TRIGONOMETRIC for a in i.reads if a in early)
    angles = [name for name in arguments if name not in {p.name for p in program.parameters}]
    needed, waiting = set(), [a for a in angles if a not in leaves]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += [r for r in reads[name] if r not in leaves]
    return frozenset(needed), angles


# The instructions and outputs of a program as words: a short text that tells programs apart.


#: What begins an instruction; no name has a semicolon.
_BEGIN = {op: f";{op.value}" for op in Op}


def words(program: Program) -> list[str]:
    """Operation, results and operands of each instruction, then the elements of the outputs.

    They are made at each start from code in the cache, so that must be fast: loops without a call for each part.
    """
    texts: list[str] = []
    put = texts.append
    for instruction in program.instructions:
        put(_BEGIN[instruction.op])
        texts += instruction.results
        for operand in instruction.args:
            if isinstance(operand, Ref):
                put(operand.name)
                if operand.negative:
                    put("-")
            else:
                put(repr(float(operand.value)))
    for output in program.outputs:
        put(";")
        _put_elements(output.elements, texts)
    return texts


def _put_elements(elements: tuple[Operand, ...], texts: list[str]) -> None:
    last: Operand | None = None  # the last number: most elements of a large matrix are one zero
    text, put = "", texts.append
    for operand in elements:
        if operand is last:
            put(text)
        elif isinstance(operand, Ref):
            put(operand.name)
            if operand.negative:
                put("-")
        else:
            last, text = operand, repr(float(operand.value))
            put(text)
