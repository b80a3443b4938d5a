"""Prepares a program for printing: removes unused instructions, and names results that must be variables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from symoro.ir.ops import COMPARISONS, Op
from symoro.ir.program import Instruction, Operand, Program, Ref


def prepare(program: Program, inline_conditions: bool) -> Program:
    """The same program, in which an instruction of the same section reads each anonymous result, once."""
    program = _live(program)
    names = _needed_names(program, inline_conditions)

    def rename(operand: Operand) -> Operand:
        return replace(operand, name=names.get(operand.name, operand.name)) if isinstance(operand, Ref) else operand

    def instruction(i: Instruction) -> Instruction:
        results = tuple(names.get(r, r) for r in i.results)
        return replace(i, results=results, args=tuple(map(rename, i.args)))

    return replace(
        program,
        setup=tuple(map(instruction, program.setup)),
        instructions=tuple(map(instruction, program.instructions)),
        outputs=tuple(replace(o, elements=tuple(map(rename, o.elements))) for o in program.outputs),
    )


def _live(program: Program) -> Program:
    """The program without the instructions that no output needs."""
    needed = {name for output in program.outputs for name in output.reads}
    kept: list[Instruction] = []
    for instruction in reversed((*program.setup, *program.instructions)):
        if not needed.isdisjoint(instruction.results):
            kept.append(instruction)
            needed.update(instruction.reads)
    alive = {i.results for i in kept}
    return replace(
        program,
        setup=tuple(i for i in program.setup if i.results in alive),
        instructions=tuple(i for i in program.instructions if i.results in alive),
    )


def _needed_names(program: Program, inline_conditions: bool) -> dict[str, str]:
    """New names for anonymous results that must become variables; the element of an output takes the element's name."""
    taken = {v.name for v in (*program.input_variables(), *program.parameters)}
    taken |= {r for i in (*program.setup, *program.instructions) for r in i.results}
    wished = {
        e.name: n for o in program.outputs for e, n in zip(o.elements, o.names, strict=True) if isinstance(e, Ref)
    }
    names: dict[str, str] = {}
    for section in (program.setup, program.instructions):
        uses = Counter(name for i in section for name in i.reads)
        tests = [i.args[0] for i in section if i.op is Op.SELECT]
        conditions = {t.name for t in tests if isinstance(t, Ref) and not t.negative}
        for i in section:
            name = i.results[0]
            in_place = uses[name] == 1 and name not in wished
            if i.op in COMPARISONS and not (inline_conditions and name in conditions):
                in_place = False
            if i.anonymous and not in_place:
                names[name] = _fresh(wished.get(name, "X1"), taken)
    return names


def _fresh(wanted: str, taken: set[str]) -> str:
    name, k = wanted, 1
    while name in taken:
        k += 1
        name = f"X{k}" if wanted == "X1" else f"{wanted}_{k}"
    taken.add(name)
    return name
