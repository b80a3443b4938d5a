"""From a parallel robot and a row of the catalogue to a program."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from symoro.errors import NotApplicable
from symoro.interface import parameters as parameters_of
from symoro.ir.draft import Draft
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Program, Variable
from symoro.models.entry import Entry, Quantity
from symoro.models.families import load
from symoro.models.parallel.letters import INERTIAL, Letters
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.numbers import geometric_symbols, variables
from symoro.models.results import Candidate, Sketch
from symoro.robot.parallel import ParallelRobot
from symoro.robot.values import Symbol, symbols
from symoro.robot.values import evaluate as number
from symoro.symbols import Symbols
from symoro.vocabulary import PARAMETERS

if TYPE_CHECKING:
    from symoro.ir.effect import Around

#: How many motions are looked at for parameters without an effect.
_MOTIONS = 3
#: The inputs of models of parallel robots.
INPUTS = {
    "T": Quantity("T", "pose of the platform in frame 0", "1, and m", "(4, 4)"),
    "V": Quantity("V", "velocity [v; ω] of the platform's origin in frame 0", "m/s and rad/s", "(6,)"),
    "VP": Quantity("VP", "time derivative of V", "m/s² and rad/s²", "(6,)"),
    "tau": Quantity("tau", "torques of the motors", "torque", "(m,)"),
    "q": Quantity("q", "wanted positions of the motors", "position", "(m,)"),
    "wrench": Quantity("wrench", "[f; m] of the platform on its environment, in its frame", "N and N·m", "(6,)"),
}


def build(entry: Entry, robot: ParallelRobot, options: dict[str, Any]) -> Candidate:
    """The program of a model with checked options."""
    if not entry.methods[0].forms[0].algorithm:
        raise NotApplicable(f"{entry.name} of {robot.name} iterates: symoro.{entry.name} gives it, loop_step is a step")
    written = _written(entry, robot, options)
    if not options["optimize"]:
        return Candidate(written, "platform and legs, plain")
    from symoro.ir.effect import without_idle_parameters
    from symoro.models.search import cheapest, effort_of

    # Motions that the legs allow say nothing about the residual of their constraints, which is 0 for all of them.
    around = None if entry.name == "loop_closure" else _around(robot, tuple(array.name for array in written.inputs))
    kept = without_idle_parameters(written, around) if around else written
    return cheapest([Sketch(Draft.of(kept), "platform and legs")], effort_of(options["optimize"]))


@lru_cache(maxsize=32)
def _around(robot: ParallelRobot, names: tuple[str, ...]) -> Around | None:
    """Motions that the legs allow, in which parameters without effect are looked for; None where none is found."""
    from symoro.ir.effect import Around
    from symoro.models.parallel.motions import random_motions

    try:
        motions = random_motions(robot, _MOTIONS)
    except NotApplicable:
        return None
    states = [dict(zip(("T", "V", "VP"), motion, strict=True)) for motion in zip(*motions, strict=True)]
    kept = [{name: x for name, x in state.items() if name in names} for state in states]
    return Around(kept, {name: x for name, x in robot.values.numbers().items() if name in geometric_symbols(robot)})


def _written(entry: Entry, robot: ParallelRobot, options: dict[str, Any]) -> Program:
    graph = Graph(cancel=bool(options["optimize"]))
    m = Mechanism.made(robot, graph, options.get("branch"), options.get("params") == "base")
    own = {name: value for name, value in options.items() if name not in ("branch", "optimize", "params")}
    results = [_meant(entry, result) for result in load(entry.methods[0].forms[0].algorithm)(m, **own)]
    return extract(graph, inputs(m.of, entry.inputs), parameters(m.of), results)


def _meant(entry: Entry, result: Result) -> Result:
    if result.meanings:
        return result
    row = next(quantity for quantity in entry.outputs if quantity.name == result.name)
    meanings = (Meaning(row.meaning, row.unit),) * len(result.elements)
    return Result(result.name, result.shape, result.elements, result.names, meanings)


def inputs(letters: Letters, names: tuple[str, ...]) -> tuple[Input, ...]:
    """The input arrays of these names."""
    rows = {"T": letters.T.rows, "V": [letters.V], "VP": [letters.VP], "tau": [letters.tau], "q": [letters.target]}
    motors = (len(letters.robot.motors),)
    shapes = {"T": (4, 4), "tau": motors, "q": motors}
    wrench = [_wrench_input(letters)] if "wrench" in names and letters.wrench_names else []
    return (
        *(
            Input(name, shapes.get(name, (6,)), variables(rows[name]), meaning=Meaning(INPUTS[name].meaning))
            for name in names
            if name != "wrench"
        ),
        *wrench,
    )


def _wrench_input(letters: Letters) -> Input:
    """The wrench of the platform, with the robot's numbers where it has some."""
    known, row = letters.robot.values.numbers(), INPUTS["wrench"]
    given = [x for _, x in letters.robot.platform_wrench.items()]
    defaults = [number(x, known) if symbols(x) <= known.keys() else None for x in given]
    units = ("N", "N", "N", "N·m", "N·m", "N·m")
    elements = [
        Variable(name, Meaning(row.meaning, unit), x)
        for name, unit, x in zip(letters.wrench_names, units, defaults, strict=True)
    ]
    return Input("wrench", (6,), tuple(elements), optional=True, meaning=Meaning(row.meaning))


def parameters(letters: Letters) -> tuple[Variable, ...]:
    """Every parameter with its meaning and the robot's number for it."""
    numbers, meanings = letters.robot.values.numbers(), dict(_meanings(letters.robot))
    return tuple(Variable(n, meanings.get(n, Meaning()), numbers.get(n)) for n in letters.parameter_names)


def _meanings(robot: ParallelRobot) -> Iterator[tuple[str, Meaning]]:
    for i, leg in enumerate(robot.legs, 1):
        for variable in parameters_of(Symbols(leg, Graph())):
            known = variable.meaning
            of_leg = known.text and variable.name.endswith(f"_{i}")
            yield variable.name, Meaning(f"leg {i}: {known.text}", known.unit, known.link) if of_leg else known
    for name in INERTIAL:
        value = getattr(robot.platform, name)
        if isinstance(value, Symbol):
            text, unit = PARAMETERS[name]
            yield value.name, Meaning(text.replace("link {j}", "the platform"), unit)
