"""The body of a function in a target language: loads, lines and stores, which templates print."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from symoro.emit.names import Names
from symoro.emit.target import Target
from symoro.emit.trace import wrap as wrap_marked
from symoro.ir.infix import Dialect, Statement, operand_term, statements, write
from symoro.ir.meaning import Meaning
from symoro.ir.ops import COMPARISONS, Op
from symoro.ir.program import Program

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Load:
    """variable = array[index]; `indices` counts along each axis. `array` is None for a parameter or a constant."""

    name: str
    symbol: str
    array: str | None
    index: int
    indices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """name = text. A `solve` has `arguments` instead: names = solution (None for a result that is not read)."""

    names: tuple[str | None, ...]
    parts: tuple[str, ...]  # the right side, in pieces of one line each
    arguments: tuple[str, ...] = ()
    work: str = ""  # a name for the workspace of a `solve`
    comment: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.parts)


@dataclass(frozen=True, slots=True)
class Store:
    """array[index] = text."""

    array: str
    index: int
    indices: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Routine:
    """The body of one function."""

    loads: tuple[Load, ...]
    lines: tuple[Line, ...]
    stores: tuple[Store, ...]
    unused: tuple[str, ...]  # input arrays that the code does not read
    reads_constants: bool


def routine(program: Program, names: Names, target: Target) -> Routine:
    """A part of a split program (see `ir.split`) as code."""
    read = program.reads()
    number = target.exact or (lambda c: target.number(float(c)))
    dialect = replace(target.dialect, name=names.variables.__getitem__, number=number)
    loads = tuple(_loads(program, names, read))
    return Routine(
        loads,
        tuple(_line(s, names, target, dialect, read) for s in statements(program.instructions)),
        tuple(_stores(program, names, dialect)),
        tuple(names.arrays[a.name] for a in program.inputs if not any(v.name in read for v in a.variables)),
        any(load.array is None for load in loads),
    )


def _loads(program: Program, names: Names, read: set[str]) -> Iterator[Load]:
    for k, p in enumerate(program.parameters):
        if p.name in read:
            yield Load(names.variables[p.name], p.name, None, k)
    for array in program.inputs:
        for k, v in enumerate(array.variables):
            if v.name in read:
                yield Load(names.variables[v.name], v.name, names.arrays[array.name], k, unravel(k, array.shape))


def _line(statement: Statement, names: Names, target: Target, dialect: Dialect, read: set[str]) -> Line:
    comment = target.comment(remark(statement.instruction.meaning))
    results = tuple(names.variables[n] if n in read else None for n in statement.names)
    if statement.right.op is Op.SOLVE:
        arguments = tuple(write(a, dialect) for a in statement.right.args)
        return Line(results, (), names.marks.right(statement.names[0], arguments), names.fresh("work"), comment)
    text = write(statement.right, dialect)
    if statement.right.op in COMPARISONS:
        text = target.truth.format(text)
    return Line(results, names.marks.right(statement.names[0], tuple(wrap(text))), comment=comment)


def _stores(program: Program, names: Names, dialect: Dialect) -> Iterator[Store]:
    for output in program.outputs:
        array = names.arrays.get(output.name, output.name)
        for k, element in enumerate(output.elements):
            yield Store(array, k, unravel(k, output.shape), write(operand_term(element), dialect))


def unravel(k: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The position along each axis of the k-th element, row by row."""
    indices: list[int] = []
    for size in reversed(shape):
        k, i = divmod(k, size)
        indices.append(i)
    return tuple(reversed(indices))


def wrap(text: str) -> list[str]:
    """A long right side in pieces of one line, broken at spaces."""
    return wrap_marked(text, _WIDTH)


def remark(meaning: Meaning | None) -> str:
    """Text, unit and equation in one line."""
    if meaning is None:
        return ""
    text = f"{meaning.text} [{meaning.unit}]" if meaning.unit else meaning.text
    return " ".join(part for part in (text, f"({meaning.equation})" if meaning.equation else "") if part)
