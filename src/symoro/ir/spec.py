"""The rules of a valid program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import prod

from symoro.errors import ProgramError
from symoro.findings import Finding
from symoro.ir.expr import ARITY, LEAVES, Op
from symoro.ir.program import Instruction, Operand, Program, names_read


def violations(program: Program) -> Iterator[Finding]:
    """Every rule that the program breaks."""
    inputs = [v.name for v in program.input_variables()]
    parameters = [p.name for p in program.parameters]
    defined = [*inputs, *parameters]
    defined += [r for i in (*program.setup, *program.instructions) for r in i.results]
    yield from (Finding("programs.defined_twice", name=name) for name in _repeated(defined))
    for array in program.inputs:
        if prod(array.shape) != len(array.variables):
            yield Finding("programs.input_shape", name=array.name, shape=str(array.shape), count=len(array.variables))
    yield from (Finding("programs.inputs", name=name) for name in _repeated(a.name for a in program.inputs))
    yield from (Finding("programs.outputs", name=name) for name in _repeated(a.name for a in program.outputs))
    known = set(parameters)
    for instruction in program.setup:
        yield from _check(instruction, known, "setup")
    known |= set(inputs)
    for instruction in program.instructions:
        yield from _check(instruction, known, "instructions")
    for output in program.outputs:
        if prod(output.shape) != len(output.elements) or len(output.names) != len(output.elements):
            yield Finding(
                "programs.output_shape", name=output.name, shape=str(output.shape), count=len(output.elements)
            )
        if output.meanings and len(output.meanings) != len(output.elements):
            yield Finding(
                "programs.meanings", name=output.name, elements=len(output.elements), count=len(output.meanings)
            )
        yield from (
            Finding("programs.undefined_output", name=output.name, missing=r) for r in _unknown(output.elements, known)
        )
    yield from _loose_ends(program)


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _loose_ends(program: Program) -> Iterator[Finding]:
    """An anonymous result is written out where it is read, so that one instruction of its section must read it."""
    for section, instructions in (("setup", program.setup), ("instructions", program.instructions)):
        uses = Counter(name for i in instructions for name in i.reads)
        for instruction in instructions:
            if any(r.startswith("%") for r in instruction.results) and uses[instruction.results[0]] != 1:
                name = instruction.results[0]
                yield Finding("programs.anonymous", section=section, name=name, count=uses[name])


def _check(instruction: Instruction, known: set[str], section: str) -> Iterator[Finding]:
    names = ", ".join(instruction.results)
    if instruction.op in LEAVES or instruction.op is Op.ITEM:
        yield Finding("programs.no_instruction", section=section, names=names, operation=instruction.op.value)
    n = len(instruction.results)
    wanted = n * n + n if instruction.op is Op.SOLVE else ARITY.get(instruction.op)
    if instruction.op is not Op.SOLVE and n != 1:
        yield Finding("programs.one_result", section=section, operation=instruction.op.value, count=n)
    if wanted is not None and len(instruction.args) != wanted:
        yield Finding(
            "programs.arguments",
            section=section,
            names=names,
            operation=instruction.op.value,
            wanted=wanted,
            count=len(instruction.args),
        )
    for missing in _unknown(instruction.args, known):
        yield Finding("programs.undefined", section=section, names=names, missing=missing)
    known.update(instruction.results)


def _unknown(operands: tuple[Operand, ...], known: set[str]) -> list[str]:
    return [name for name in names_read(operands) if name not in known]


def validate(program: Program) -> Program:
    """Return the program, or raise an error that lists every violation."""
    problems = list(violations(program))
    if problems:
        raise ProgramError("programs.invalid", problems=problems)
    return program
