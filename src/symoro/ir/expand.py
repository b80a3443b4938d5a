"""Outputs with their intermediate variables written out, and the size that they have then; it grows exponentially."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from symoro.errors import ProgramError
from symoro.ir.expr import Op
from symoro.ir.program import Instruction, Literal, Operand, Output, Program, Ref

_NAMED = (Op.SIN, Op.COS, Op.SOLVE)
"""What keeps a line of its own: angles are read as C2 and S23, and the solution of a system is not one formula."""


def expanded_size(program: Program) -> int:
    """The number of operations in the written-out outputs; an operation counts as often as it is written."""
    sizes: dict[str, int] = {}

    def size(part: Instruction | Output) -> int:
        return sum(sizes.get(name, 0) for name in part.reads)

    for instruction in (*program.setup, *program.instructions):
        sizes.update(dict.fromkeys(instruction.results, 1 + size(instruction)))
    return sum(map(size, program.outputs))


def check_expandable(program: Program, most: int) -> None:
    """Raise an error if the written-out outputs have more than `most` operations."""
    size = expanded_size(program)
    if size > most:
        raise ProgramError("programs.too_long", size=shown_size(size), most=most)


def shown_size(size: int) -> str:
    """A number of operations as text; the decimals of a large one say nothing."""
    return str(size) if size < 10**9 else f"about 10^{len(str(size)) - 1}" if size < 10**4000 else "countless"


@dataclass(frozen=True, slots=True)
class Bound:
    """The most operations of a formula and of all of them, and how deep a formula may be nested."""

    most: int = 1_000
    total: int = 30_000
    deepest: int = 120


@dataclass(frozen=True, slots=True)
class WrittenOut:
    """A program for readers: named lines are sines, cosines and solutions of systems, everything else is written out.

    Elements of outputs that would be too large are left out of the program; `too_large` has their sizes.
    """

    program: Program
    too_large: dict[str, int]


def written_out(program: Program, bound: Bound | None = None) -> WrittenOut:
    """The outputs as formulas of inputs, parameters, sines and cosines, as far as the bound allows."""
    writer = _Writer(bound or Bound())
    setup, instructions = (tuple(map(writer.line, part)) for part in (program.setup, program.instructions))
    outputs = tuple(map(writer.output, program.outputs))
    needed = _needed((*setup, *instructions), outputs)
    lines = [tuple(i for i in part if needed.intersection(i.results)) for part in (setup, instructions)]
    return WrittenOut(replace(program, setup=lines[0], instructions=lines[1], outputs=outputs), writer.too_large)


@dataclass(slots=True)
class _Writer:
    """Gives lines that are written out anonymous names; sizes and depths are those of what is written out."""

    bound: Bound
    sizes: dict[str, int] = field(default_factory=dict)
    depths: dict[str, int] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    total: int = 0
    too_large: dict[str, int] = field(default_factory=dict)

    def line(self, instruction: Instruction) -> Instruction:
        size = 1 + sum(self.sizes.get(name, 0) for name in instruction.reads)
        depth = 1 + max((self.depths.get(name, 0) for name in instruction.reads), default=0)
        args = tuple(map(self.operand, instruction.args))
        if instruction.op in _NAMED and not instruction.anonymous and self.fits(size, depth):
            return replace(instruction, args=args)
        names = tuple(f"%{name.lstrip('%')}" for name in instruction.results)
        self.renamed.update(zip(instruction.results, names, strict=True))
        self.sizes.update(dict.fromkeys(instruction.results, size))
        self.depths.update(dict.fromkeys(instruction.results, depth))
        return replace(instruction, args=args, results=names)

    def operand(self, operand: Operand) -> Operand:
        if isinstance(operand, Literal):
            return operand
        return Ref(self.renamed.get(operand.name, operand.name), operand.negative)

    def fits(self, size: int, depth: int) -> bool:
        return size <= self.bound.most and depth <= self.bound.deepest

    def output(self, output: Output) -> Output:
        """The output with those elements only that can be written out."""
        kept = list(self.kept(output))
        return replace(
            output,
            shape=(len(kept),),
            elements=tuple(self.operand(output.elements[k]) for k in kept),
            names=tuple(output.names[k] for k in kept),
            meanings=tuple(output.meanings[k] for k in kept) if output.meanings else (),
        )

    def kept(self, output: Output) -> Iterator[int]:
        for k, (name, element) in enumerate(zip(output.names, output.elements, strict=True)):
            read = "" if isinstance(element, Literal) else element.name
            size = self.sizes.get(read, 0)
            if self.fits(size, self.depths.get(read, 0)) and self.total + size <= self.bound.total:
                self.total += size
                yield k
            else:
                self.too_large[name] = size


def _needed(instructions: tuple[Instruction, ...], outputs: tuple[Output, ...]) -> set[str]:
    """The names that the outputs need."""
    needed = {name for output in outputs for name in output.reads}
    for instruction in reversed(instructions):
        if needed.intersection(instruction.results):
            needed.update(instruction.reads)
    return needed
