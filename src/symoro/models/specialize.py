"""Numbers folded into a program: zeros, ones and equal entries take operations away."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.bind.binding import bind
from symoro.errors import ParameterError
from symoro.ir.extract import Replay, extract
from symoro.ir.graph import Graph
from symoro.ir.passes import optimize
from symoro.ir.program import Program
from symoro.models.build import known_parameters
from symoro.robot.robot import Robot
from symoro.robot.symbolic import known_values
from symoro.robot.values import Value, as_value, symbols, to_text


def chosen(robot: Robot, values: Mapping[str, float | str] | None) -> dict[str, Value]:
    """The given numbers as values, all that the robot knows where none are given; errors name what is allowed."""
    allowed = known_parameters(robot)
    if values is None:
        return {name: value for name, value in known_values(robot).items() if name in allowed}
    numbers = {name: as_value(value) for name, value in values.items()}
    for name, value in numbers.items():
        if name not in allowed:
            raise ParameterError("models.no_parameter", robot=robot.name, name=repr(name), allowed=allowed)
        if symbols(value):
            raise ParameterError("models.not_a_number", name=name, value=to_text(value))
    return numbers


def folded(program: Program, numbers: Mapping[str, Value], *, passes: bool) -> Program:
    """The program with constants in the place of parameters."""
    graph = Graph(cancel=True)
    replay = Replay(program, graph, {name: bind(graph, value) for name, value in numbers.items()})
    left = [p for p in program.parameters if p.name not in numbers]
    written = extract(graph, program.inputs, left, replay.results())
    return optimize(written) if passes else written


def same_interface(a: Program, b: Program) -> bool:
    """Whether two programs take the same inputs and give the same outputs."""
    return a.inputs == b.inputs and [(o.shape, o.names) for o in a.outputs] == [(o.shape, o.names) for o in b.outputs]
