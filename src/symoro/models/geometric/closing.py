"""The assembler of a robot from its closure equations, evaluated by the reference interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symoro.ir.derive import derivative
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import Result, extract
from symoro.ir.program import Input, Program, Variable
from symoro.models.geometric.assembly import Array, Assembler, Gap
from symoro.models.geometric.closure import Closure
from symoro.models.kinematic.loop import LoopEquations
from symoro.models.kinematic.sampling import numbers_of
from symoro.symbols import Symbols


def numeric_assembler(
    s: Symbols,
    rows: Sequence[tuple[LoopEquations, int]],
    every_joint: bool,
    given: Mapping[str, float] | None = None,
) -> Assembler:
    """For given numbers, or the robot's, arbitrary ones where it has none; `every_joint` moves, active ones too."""
    closures = {loop: Closure(loop) for loop, _ in rows}
    E = tuple(closures[loop].gap(row) for loop, row in rows)
    ALIGN = tuple(closure.alignment() for closure in closures.values())
    names = tuple(str(s.q[j].node.value) for j in s.movable)
    q = Input("q", (len(names),), tuple(map(Variable, names)))
    results = [Result("E", (len(E),), E, ()), Result("ALIGN", (len(ALIGN),), ALIGN, ())]
    program = extract(s.graph, (q,), map(Variable, s.parameter_names), results)
    slope = extract_slope(program)
    numbers = dict(given or numbers_of(s))

    def gap(at: Array) -> Gap:
        values = evaluate(program, {"q": at}, {p.name: numbers[p.name] for p in program.parameters})
        slopes = evaluate(slope, {"q": at}, {p.name: numbers[p.name] for p in slope.parameters})
        return Gap(values["E"], slopes["dE_dq"], values["ALIGN"])

    places = tuple(range(len(names)))
    passive = places if every_joint else tuple(k for k, j in enumerate(s.movable) if j in s.free)
    turning = tuple(bool(s.revolute[j]) for j in s.movable)
    reach = reach_of(numbers)
    return Assembler(gap, tuple(k for k in places if k not in passive), passive, turning, reach, names)


def extract_slope(program: Program) -> Program:
    """The derivative of E by q."""
    named = Program(program.inputs, program.parameters, program.setup, program.instructions, program.outputs[:1])
    return derivative(_with_names(named), "q")


def _with_names(program: Program) -> Program:
    from dataclasses import replace

    outputs = tuple(
        replace(o, names=o.names or tuple(f"{o.name}{n}" for n in range(1, len(o.elements) + 1)))
        for o in program.outputs
    )
    return replace(program, outputs=outputs)


def reach_of(numbers: dict[str, float]) -> float:
    """A length that no slide exceeds: the sum of the robot's lengths would do, twice the largest number is enough."""
    return float(2 * np.max(np.abs(list(numbers.values())), initial=0.5))
