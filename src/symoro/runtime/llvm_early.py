"""The angles of a program that are known before any sine is: sums of inputs, such as q2 + q3."""

from __future__ import annotations

from symoro.ir.ops import Op
from symoro.ir.program import Program

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
    found = dict.fromkeys(a for i in program.instructions if i.op in _TRIGONOMETRIC for a in i.reads if a in early)
    angles = [name for name in found if name not in {p.name for p in program.parameters}]
    needed, waiting = set(), [a for a in angles if a not in leaves]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += [r for r in reads[name] if r not in leaves]
    return frozenset(needed), angles
