"""The robot that is simulated: its state, and the equations of its motion as expressions.

The state has, where the robot has them: the position and the orientation of a free base, the velocity V0 of a floating
one; the variables q of all joints; the velocities v of the coordinates that the constraints leave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from symoro.formats import valid_robot
from symoro.interface import inputs, parameters
from symoro.ir.expr import Expr
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, total
from symoro.ir.program import Input, Program
from symoro.model import Model, model
from symoro.models.families import constraint_of, constraints
from symoro.models.results import matrix
from symoro.motion.profile import Array
from symoro.motion.writing import Exprs, Writer
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.symbols import Symbols

if TYPE_CHECKING:
    from symoro.runtime import Function

_NEWTON = 2
"""Steps of Newton's method after each step of the integration: one alone leaves 5e-7 near a dead point."""
POSE = {"position": 3, "quat": 4}


@dataclass(frozen=True)
class Plant:
    """A robot with its direct dynamic model, in which joints with a motor and a spring are two joints."""

    direct: Model
    wild: ClassVar[str] = ""
    """What may have happened where a state is not finite."""
    lost: ClassVar[str] = "its loops do not close any more: it is near a dead point of its motors"
    """Why states are none of the robot any more, where they are finite."""

    @classmethod
    def of(cls, robot: Robot | str | Path) -> Plant:
        """The plant of a robot; those of the last robots are kept, so that many runs build their models once."""
        return _plant(valid_robot(robot))

    @property
    def robot(self) -> Robot:
        return self.direct.robot

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return self.symbols.parameter_names

    @cached_property
    def symbols(self) -> Symbols:
        return Symbols(self.robot, Graph(), at=self.direct.options.get("at"))

    @cached_property
    def parts(self) -> dict[str, int]:
        """The parts of the state with their sizes, in order."""
        base = POSE if self.robot.base.free else {}
        given = {name: self.direct.inputs[name][0] for name in ("V0", "q", "qd") if self._unknown(name)}
        return {**base, **given}

    def _unknown(self, name: str) -> bool:
        return any(array.name == name and not array.optional for array in self.direct.program.inputs)

    @property
    def size(self) -> int:
        return sum(self.parts.values())

    @cached_property
    def places(self) -> dict[str, slice]:
        """Where each part of the state begins and ends."""
        found, at = {}, 0
        for name, size in self.parts.items():
            found[name] = slice(at, at + size)
            at += size
        return found

    @cached_property
    def signals(self) -> dict[str, tuple[int, ...]]:
        """What a controller can measure, with shapes."""
        return {name: (size,) for name, size in self.parts.items()}

    @property
    def motors(self) -> int:
        """The number of torques."""
        return self.direct.inputs.get("tau", (0,))[0]

    def motor_places(self, name: str) -> list[int]:
        """The places of the motors in q or qd."""
        links = {a.name: [v.meaning.link for v in a.variables] for a in self.direct.program.inputs}
        return [links[name].index(link) for link in links.get("tau", [])]

    @property
    def variables(self) -> tuple[Joint, ...]:
        """The joints of q, in order."""
        return self._joints("q")

    @property
    def motor_joints(self) -> tuple[Joint, ...]:
        """The joints of the motors, in the order of their torques."""
        return self._joints("tau")

    def _joints(self, name: str) -> tuple[Joint, ...]:
        found = [v for a in self.direct.program.inputs if a.name == name for v in a.variables]
        return tuple(self.robot.joint(int(v.meaning.link or 0)) for v in found)

    @property
    def wrench(self) -> Input | None:
        """The wrenches of links on their environment, where the robot declares any."""
        return next((array for array in self.direct.program.inputs if array.name == "wrench"), None)

    def seen(self, y: Array) -> dict[str, Array]:
        """What a controller can measure in states (..., size), by the names of its inputs."""
        return {name: y[..., place] for name, place in self.places.items()}

    # equations

    def split(self, y: Sequence[Expr]) -> dict[str, Exprs]:
        """The parts of the state."""
        return {name: tuple(y[place]) for name, place in self.places.items()}

    def measured(self, w: Writer, y: Sequence[Expr]) -> dict[str, Exprs]:
        """What a controller can measure, by the names of its inputs."""
        return self.split(y)

    def rates(self, w: Writer, y: Sequence[Expr], tau: Sequence[Expr], wrench: Sequence[Expr]) -> Exprs:
        """The derivative of the state by time."""
        part = self.split(y)
        given = {**part, "tau": tau} | ({"wrench": wrench} if self.wrench else {})
        found = w.call(self.direct.program, given)
        V0 = part.get("V0", found.get("V0", ()))  # of a floating base, or that wheels give to theirs
        rates: list[Expr] = []
        if "quat" in part:
            rates += [*_turned(w.graph, part["quat"], V0[:3]), *_spun(part["quat"], V0[3:])]
        if "V0" in part:
            v, omega = Vector(w.graph, V0[:3]), Vector(w.graph, V0[3:])
            rates += [*(Vector(w.graph, found["VP0"][:3]) - omega.cross(v)), *found["VP0"][3:]]
        return (*rates, *self._velocities(w, part), *found.get("QDP", ()))

    def _velocities(self, w: Writer, part: dict[str, Exprs]) -> Exprs:
        """The velocities of all variables: G v."""
        v = part.get("qd", ())
        if self.projection is None:
            return v
        G = w.call(self.projection, {"q": part["q"]})["G"]
        rows = (G[len(v) * i : len(v) * (i + 1)] for i in range(len(part["q"])))
        return tuple(total(w.graph, (g * x for g, x in zip(row, v, strict=True))) for row in rows)

    @cached_property
    def projection(self) -> Program | None:
        """G of q̇ = G v (K10:55), where closed loops make some variables depend on others."""
        holonomic = tuple(row.name for row in constraints(self.robot) if row.holonomic and row.name != "coordinates")
        if not holonomic:
            return None
        s = self.symbols
        c = constraint_of(s, holonomic)
        G = Matrix(s.graph, c.table([c.G[j] for j in s.variables], [j for j in c.left if j > 0]))
        return extract(s.graph, inputs(s, ("q",)), parameters(s), [matrix(s, "G", G)])

    @cached_property
    def closing(self) -> Program | None:
        """A step of Newton's method that closes the loops."""
        return model("loop_step", self.robot, at=self.direct.options.get("at")).program if self.robot.cuts else None

    @cached_property
    def closure(self) -> Function | None:
        """The equations of the loops as a function of q: E is 0 where they are closed."""
        return model("loop_closure", self.robot).compile() if self.robot.cuts else None

    def gap(self, states: Array, values: Mapping[str, float]) -> Array:
        """By how much the loops are open in each state (..., size)."""
        if self.closure is None:
            return np.zeros(states.shape[:-1])
        known = {name: x for name, x in values.items() if name in self.closure.parameters.known}
        E: Array = self.closure(states[..., self.places["q"]], values=known).E
        return np.asarray(np.abs(E).max(axis=-1))

    def projected(self, w: Writer, y: Sequence[Expr]) -> Exprs:
        """The state with a unit quaternion and closed loops."""
        part = self.split(y)
        if "quat" in part:
            norm = w.graph.sqrt(total(w.graph, (x * x for x in part["quat"])))
            part["quat"] = tuple(x / norm for x in part["quat"])
        if self.closing is not None:
            for _ in range(_NEWTON):
                part["q"] = w.call(self.closing, {"q": part["q"]})["Q"]
        return tuple(x for name in self.parts for x in part[name])

    @property
    def drifts(self) -> bool:
        """Whether a numeric integration leaves the states that are possible."""
        return "quat" in self.parts or self.closing is not None


def put_right(plant: Plant) -> Program:
    """The state with a unit quaternion and closed loops."""
    w = Writer()
    return w.program(after=plant.projected(w, w.vector("y", plant.size)))


def _turned(graph: Graph, quat: Exprs, v: Sequence[Expr]) -> Vector:
    """A vector of frame 0 in the world."""
    u, x = Vector(graph, quat[:3]), Vector(graph, v)
    t = 2 * u.cross(x)
    return x + quat[3] * t + u.cross(t)


def _spun(quat: Exprs, omega: Sequence[Expr]) -> list[Expr]:
    """The derivative of the quaternion: quat ⊗ (ω/2, 0), ω in frame 0."""
    x, y, z, w = (element / 2 for element in quat)
    a, b, c = omega
    return [w * a - z * b + y * c, z * a + w * b - x * c, -y * a + x * b + w * c, -x * a - y * b - z * c]


@lru_cache(maxsize=8)
def _plant(robot: Robot) -> Plant:
    return Plant(model("direct_dynamics", robot))
