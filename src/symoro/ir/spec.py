"""The rules of a valid program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import prod

from symoro.errors import ProgramError
from symoro.ir.expr import ARITY, LEAVES, Op
from symoro.ir.program import Instruction, Operand, Program, names_read


def violations(program: Program) -> Iterator[str]:
    """Every rule that the program breaks, as a sentence."""
    inputs = [v.name for v in program.input_variables()]
    parameters = [p.name for p in program.parameters]
    defined = [*inputs, *parameters]
    defined += [r for i in (*program.setup, *program.instructions) for r in i.results]
    yield from (f"{name} is defined more than once" for name in _repeated(defined))
    for array in program.inputs:
        if prod(array.shape) != len(array.variables):
            yield f"input {array.name} has shape {array.shape} but {len(array.variables)} variables"
    for kind, arrays in (("input", program.inputs), ("output", program.outputs)):
        yield from (f"{kind} {name} is given more than once" for name in _repeated(a.name for a in arrays))
    known = set(parameters)
    for instruction in program.setup:
        yield from _check(instruction, known, "setup")
    known |= set(inputs)
    for instruction in program.instructions:
        yield from _check(instruction, known, "instructions")
    for output in program.outputs:
        if prod(output.shape) != len(output.elements) or len(output.names) != len(output.elements):
            yield f"output {output.name} has shape {output.shape} but {len(output.elements)} elements"
        if output.meanings and len(output.meanings) != len(output.elements):
            yield f"output {output.name} has {len(output.elements)} elements but {len(output.meanings)} meanings"
        yield from (f"output {output.name} reads {r}, which nothing defines" for r in _unknown(output.elements, known))
    yield from _loose_ends(program)


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _loose_ends(program: Program) -> Iterator[str]:
    """An anonymous result is written out where it is read, so that one instruction of its section must read it."""
    for section, instructions in (("setup", program.setup), ("instructions", program.instructions)):
        uses = Counter(name for i in instructions for name in i.reads)
        for instruction in instructions:
            if any(r.startswith("%") for r in instruction.results) and uses[instruction.results[0]] != 1:
                name = instruction.results[0]
                yield f"{section}: {name} has no name of its own and is used {uses[name]} times there, not once"


def _check(instruction: Instruction, known: set[str], section: str) -> Iterator[str]:
    names = ", ".join(instruction.results)
    if instruction.op in LEAVES or instruction.op is Op.ITEM:
        yield f"{section}: {names}: {instruction.op.value} is not an instruction"
    n = len(instruction.results)
    wanted = n * n + n if instruction.op is Op.SOLVE else ARITY.get(instruction.op)
    if instruction.op is not Op.SOLVE and n != 1:
        yield f"{section}: {instruction.op.value} has one result, not {n}"
    if wanted is not None and len(instruction.args) != wanted:
        yield f"{section}: {names}: {instruction.op.value} takes {wanted} arguments, not {len(instruction.args)}"
    for missing in _unknown(instruction.args, known):
        yield f"{section}: {names} reads {missing}, which is not defined before it"
    known.update(instruction.results)


def _unknown(operands: tuple[Operand, ...], known: set[str]) -> list[str]:
    return [name for name in names_read(operands) if name not in known]


def validate(program: Program) -> Program:
    """Return the program, or raise an error that lists every violation."""
    found = list(violations(program))
    if found:
        raise ProgramError("invalid program:\n  " + "\n  ".join(found))
    return program
