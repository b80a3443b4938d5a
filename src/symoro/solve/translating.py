"""The pose of a platform that only translates as a program of its motors: it is on three spheres.

Where the motor of a leg stands still, its two passive joints turn the end of the leg about one point. Where their axes
are perpendicular, that is the middle of the ends at 0 and π.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import pi

import numpy as np

from symoro.bind.binding import bind
from symoro.bind.interface import parameters
from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Replay, Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import Vector, total
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Program, Variable
from symoro.models.geometric.inverse.types import at_most, both, positive
from symoro.models.loops.motors import CLOSED_MEANING, away
from symoro.models.parallel.carried import home_orientation
from symoro.models.parallel.leg_geometry import growth
from symoro.models.parallel.mechanism import structure
from symoro.models.parallel.motions import joints_of_pose, parted
from symoro.models.parallel.platform import PoseSymbols, home
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.solve.spheres import end_of, serial_leg

_GUESS = Meaning("a pose of the platform: of the two assemblies the one that is nearer to it is taken")
#: The motors of a pose in the working mode are those that are given: 1 − cos of angles, squares of lengths (m²).
_SAME = 1e-12
#: By how much lengths are changed to see whether legs end on spheres for other numbers, too.
_OTHER = 0.05


def from_three_spheres(robot: Robot, model: Program) -> Program:
    """A model of q of all joints of the legs as one of the motors; `NotApplicable` where the legs have no such form.

    `qa` is in the place of q, an optional `guess` is a pose, home where none is given, and `CLOSED` is 1 where the
    motors have a pose in the working mode of the legs. Motors beside the legs are in q as they are in qa.
    """
    legs_structure = structure(robot)
    if len(robot.legs) != 3 or legs_structure.fixed is None or legs_structure.independent != (0, 1, 2):
        raise NotApplicable("ways.three_spheres_only")
    graph, joints, places = Graph(cancel=True), joints_of_pose(robot), _motors(robot)
    of, slides = PoseSymbols(robot, graph), [robot.legs[i].joint(j).prismatic for i, j in robot.motors]
    guess = _guess(of)
    near, closed = Vector(graph, (graph.symbol(guess.variables[k].name) for k in (3, 7, 11))), graph.one
    known, arrays = dict[str, Expr](), list[Input]()
    for array in model.inputs:
        if array.name not in ("q", "q_end"):
            arrays.append(array)
            continue
        of_legs, beside = parted(robot, array.variables)
        motors = [of_legs[k] for k in places]
        variables = tuple(v for v in array.variables if v in motors or v in beside)
        arrays.append(replace(array, name=array.name.replace("q", "qa"), shape=(len(variables),), variables=variables))
        qa = [graph.symbol(v.name, v.label) for v in motors]
        near, exists = _nearer(of, qa, near)
        q = list(_joints(of, joints, near))
        fits = at_most(away(_turned(of, [q[k] for k in places]), _turned(of, qa), slides), graph.constant(_SAME))
        closed = both(closed, both(exists, fits))
        for k, x in zip(places, qa, strict=True):
            q[k] = x
        known |= {v.name: x for v, x in zip(of_legs, q, strict=True)}
    closing = Result("CLOSED", (), (closed,), ("CLOSED",), (CLOSED_MEANING,))
    results = [*Replay(model, graph, known).results(), closing]
    every = {p.name: p for p in (*model.parameters, *parameters(of))}
    return extract(graph, [*arrays, guess], every.values(), results)


def _motors(robot: Robot) -> list[int]:
    """The places of the motors in q of all joints of the legs."""
    every = [(i, joint.index) for i, leg in enumerate(robot.legs) for joint in topology.with_variables(leg)]
    return [every.index(motor) for motor in robot.motors]


def _turned(of: PoseSymbols, positions: list[Expr]) -> list[Expr]:
    """By how much positions of the motors turn or shift their joints."""
    legs = [Symbols(topology.without_cuts(leg), of.graph) for leg in of.robot.legs]
    return [growth(legs[i], j) * x for (i, j), x in zip(of.robot.motors, positions, strict=True)]


def _guess(of: PoseSymbols) -> Input:
    names = [of._unused(f"guess{i}{j}") for i in range(1, 5) for j in range(1, 5)]
    at = home(of.robot).ravel().tolist()
    variables = tuple(Variable(name, default=x) for name, x in zip(names, at, strict=True))
    return Input("guess", (4, 4), variables, True, _GUESS)


def _joints(of: PoseSymbols, joints: Program, p: Vector) -> tuple[Expr, ...]:
    """q of all joints at a position of the platform."""
    graph, R = of.graph, home_orientation(of)
    T = [x for row, y in zip(R, p, strict=True) for x in (*row, y)] + [graph.zero] * 3 + [graph.one]
    pose = {v.name: x for v, x in zip(joints.inputs[0].variables, T, strict=True)}
    return Replay(joints, graph, pose).results()[0].elements


def _nearer(of: PoseSymbols, qa: list[Expr], near: Vector) -> tuple[Vector, Expr]:
    """The point of three spheres that is nearer to another point, and whether there is one.

    With u and w from the first centre to the others, n = u × w and u x = k, w x = l:
    x = (k w × n + l n × u)/n² ± h n.
    """
    graph = of.graph
    (c, r), (d, s), (e, t) = (_sphere(of, i, qa) for i in range(3))
    u, w = d - c, e - c
    k, l = (u.dot(u) + r - s) / 2, (w.dot(w) + r - t) / 2
    n = u.cross(w)
    size = n.dot(n)
    plane = at_most(size, graph.zero)  # the centres are on a line
    scale = 1 / graph.select(plane, graph.one, size)
    foot = (w.cross(n) * k + n.cross(u) * l) * scale
    rest = (r - foot.dot(foot)) * scale
    side = n.dot(near - c - foot)
    h = graph.sqrt(positive(rest)) * graph.select(graph.less(side, graph.zero), -graph.one, graph.one)
    return c + foot + n * h, both(1 - plane, at_most(graph.zero, rest))


def _sphere(of: PoseSymbols, i: int, qa: list[Expr]) -> tuple[Vector, Expr]:
    """The centre of the sphere on which leg i lets the origin of the platform move, and its squared radius."""
    robot, graph = of.robot, of.graph
    motors = {j: x for (leg, j), x in zip(robot.motors, qa, strict=True) if leg == i}
    serial = serial_leg(robot, i)
    if serial is None or len(motors) != 1:
        raise NotApplicable("ways.leg_of_two")
    program = end_of(robot, i)
    moving = [v.name for v in program.inputs[0].variables]
    driven = {str(robot.legs[i].joint(j).variable): x for j, x in motors.items()}
    passive = [name for name in moving if name not in driven]
    if len(passive) != 2 or len(moving) != 3:
        raise NotApplicable("ways.leg_of_two")
    ends = [
        _end(program, graph, driven | dict(zip(passive, turns, strict=True)))
        for turns in product((graph.zero, graph.pi), repeat=2)
    ]
    centre = Vector(graph, (total(graph, xs) / 4 for xs in zip(*ends, strict=True)))
    rod = ends[0] - centre
    _require_sphere(of, program, driven, centre, rod.dot(rod))
    b = Vector(graph, (bind(graph, x, {}) for x in robot.attachments[i].point))
    return centre - home_orientation(of) @ b, rod.dot(rod)


def _end(program: Program, graph: Graph, known: dict[str, Expr]) -> Vector:
    """The end of a leg."""
    T = Replay(program, graph, known).results()[0].elements
    return Vector(graph, (T[k] for k in (3, 7, 11)))


def _require_sphere(of: PoseSymbols, program: Program, driven: dict[str, Expr], centre: Vector, squared: Expr) -> None:
    """An error where the end is not on this sphere: at random joints, and for other lengths than those of the robot."""
    rng, (q,) = np.random.default_rng(5), program.inputs
    known = of.robot.values.numbers()
    numbers = {p.name: known.get(p.name, 1.0) + _OTHER * rng.uniform(0.5, 1) for p in parameters(of)}
    at = rng.uniform(-pi, pi, (5, len(q.variables)))
    end = evaluate(program, {"q": at}, {p.name: numbers[p.name] for p in program.parameters})["T"][:, :3, 3]
    names = [v.name for v in q.variables]
    qa = [Variable(str(x.node.value)) for x in driven.values()]
    ball = Result("S", (4,), (*centre, squared), ("S1", "S2", "S3", "S4"))
    sphere = extract(of.graph, [Input("qa", (len(qa),), tuple(qa))], parameters(of), [ball])
    places = [names.index(name) for name in driven]
    spheres = evaluate(sphere, {"qa": at[:, places]}, {p.name: numbers[p.name] for p in sphere.parameters})["S"]
    if np.abs(((end - spheres[:, :3]) ** 2).sum(-1) - spheres[:, 3]).max() > 1e-9 * (1 + np.abs(spheres[:, 3]).max()):
        raise NotApplicable("ways.no_sphere")
