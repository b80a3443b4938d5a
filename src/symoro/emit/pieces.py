"""Cuts a long function in pieces: compilers need much time, or give up, where a function has many thousand lines.

A piece is a function of its own. Variables that a later piece reads are carried in an array.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from symoro.emit.listing import Routine, routine
from symoro.emit.names import Names
from symoro.emit.target import Target
from symoro.ir.program import Input, Instruction, Output, Program, Ref, Variable

_CARRIED = "carried"


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of a routine in order, and the array that carries `size` variables from one to the next."""

    routines: tuple[Routine, ...] = ()
    carried: str = ""
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.routines)


def cut(program: Program, names: Names, target: Target) -> Pieces:
    """The pieces of a program without setup; none where it is short, or where the target is not cut."""
    parts = list(_parts(program.instructions, target.piece)) if target.piece else []
    if len(parts) < 2:
        return Pieces()
    array = names.fresh(_CARRIED)
    names.arrays[_CARRIED] = array
    carried = _carried(program, parts)
    return Pieces(tuple(_pieces(program, parts, carried, names, target)), array, len(carried))


def _parts(instructions: tuple[Instruction, ...], length: int) -> Iterator[tuple[Instruction, ...]]:
    """Instructions in parts of about this length."""
    part: list[Instruction] = []
    for group in _groups(instructions):
        part += group
        if len(part) >= length:
            yield tuple(part)
            part = []
    if part:
        yield tuple(part)


def _groups(instructions: tuple[Instruction, ...]) -> Iterator[list[Instruction]]:
    """Each instruction with a name, after the anonymous ones that are written out in it."""
    waiting: dict[str, list[Instruction]] = {}
    for instruction in instructions:
        group = [i for name in instruction.reads for i in waiting.pop(name, ())] + [instruction]
        if instruction.anonymous:
            waiting[instruction.results[0]] = group
        else:
            yield group


def _carried(program: Program, parts: list[tuple[Instruction, ...]]) -> dict[str, int]:
    """The variables that another part than their own reads, or an output, each with its place in the array."""
    part_of = {r: k for k, part in enumerate(parts) for i in part for r in i.results}
    readers = [(name, k) for k, part in enumerate(parts) for i in part for name in i.reads]
    readers += [(name, len(parts)) for output in program.outputs for name in output.reads]
    crossing = dict.fromkeys(name for name, k in readers if part_of.get(name, k) != k)
    return {name: place for place, name in enumerate(crossing)}


def _pieces(
    program: Program, parts: list[tuple[Instruction, ...]], carried: dict[str, int], names: Names, target: Target
) -> Iterator[Routine]:
    """Each part with what it carries on, then the stores of the outputs."""
    known: set[str] = set()
    for part in parts:
        made = tuple(r for i in part for r in i.results if r in carried)
        output = Output(_CARRIED, (len(made),), tuple(map(Ref, made)), made)
        piece = routine(_piece(program, part, (output,), carried, known), names, target)
        places = [carried[name] for name in made]
        yield replace(
            piece, stores=tuple(replace(s, index=k, indices=(k,)) for s, k in zip(piece.stores, places, strict=True))
        )
        known.update(made)
    yield routine(_piece(program, (), program.outputs, carried, known), names, target)


def _piece(
    program: Program,
    part: tuple[Instruction, ...],
    outputs: tuple[Output, ...],
    carried: dict[str, int],
    known: set[str],
) -> Program:
    """A part as a program, whose last input has the carried variables that are known before it."""
    variables = tuple(Variable(name if name in known else f"%later{k}") for name, k in carried.items())
    array = Input(_CARRIED, (len(carried),), variables)
    return replace(program, inputs=(*program.inputs, array), instructions=part, outputs=outputs)
