"""The robot that is simulated: its state, and the equations of its motion as expressions.

The state has, where the robot has them: the position and the orientation of each free body (a base, a platform) and its
velocity; positions q and velocities qd of joints. Of a robot with closed loops, q has all joints, and qd those that the
loops leave. Of a platform, q and qd are those of the motors, which follow it. The platform moves against the base.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.bind.coordinates import Coordinates, pose, poses
from symoro.formats import valid_robot
from symoro.ir.expr import Expr
from symoro.ir.program import Input, Program
from symoro.lazy import lazy
from symoro.model import Model
from symoro.models.build import known_parameters
from symoro.motion.limits import active_limits, inside
from symoro.motion.profiles import Array
from symoro.motion.state import RobotState, StartValues, state_of, values_for
from symoro.motion.trajectory import Trajectory
from symoro.motion.writing import Exprs, Writer
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.runtime import compile_program
from symoro.solve.given import model

if TYPE_CHECKING:
    from symoro.runtime import Function

STEP = "STEP"
"""The parameter that is the length of a period, in seconds."""


@dataclass(frozen=True)
class Plant:
    """A robot with its direct dynamic model, in which joints with a motor and a spring are two joints."""

    direct: Model
    state: RobotState

    @classmethod
    def of(cls, robot: Robot | str | Path) -> Plant:
        """The plant of a robot; those of the last robots are kept, so that many runs build their models once."""
        return _plant(valid_robot(robot).taking(None))

    @property
    def robot(self) -> Robot:
        return self.direct.robot

    @property
    def coordinates(self) -> Coordinates:
        return self.state.coordinates

    @lazy
    def parameter_names(self) -> tuple[str, ...]:
        return known_parameters(self.robot)

    @lazy
    def parts(self) -> dict[str, int]:
        """The parts of the state with their sizes, in order."""
        poses = {name: size for body in self.coordinates.bodies for name, size in zip(body.parts, (3, 4), strict=True)}
        return poses | self.state.sizes

    @property
    def size(self) -> int:
        return sum(self.parts.values())

    @lazy
    def places(self) -> dict[str, slice]:
        """Where each part of the state begins and ends."""
        places, at = {}, 0
        for name, size in self.parts.items():
            places[name] = slice(at, at + size)
            at += size
        return places

    @lazy
    def signals(self) -> dict[str, tuple[int, ...]]:
        """What a controller can measure, with shapes."""
        sizes = self.parts | ({"T": 16} if self._by_pose else {})
        return {name: (size,) for name, size in sizes.items()}

    @property
    def _by_pose(self) -> bool:
        """Whether models take the pose of a free body."""
        return any(body.pose == "T" for body in self.coordinates.bodies)

    @property
    def _taken(self) -> slice:
        """The joints of q and qd that models take: behind the motors that follow a free body."""
        return slice(len(self.coordinates.driving), None)

    @property
    def motors(self) -> int:
        """The number of torques."""
        return len(self.motor_joints)

    def motor_places(self, name: str) -> list[int]:
        """The places of the motors in q or qd."""
        order = [joint.index for joint in self.state.joints(name)]
        return [order.index(joint.index) for joint in self.motor_joints]

    @lazy
    def variables(self) -> tuple[Joint, ...]:
        """The joints of q, in order."""
        return self.state.joints("q")

    @lazy
    def motor_joints(self) -> tuple[Joint, ...]:
        """The joints of the motors, in the order of their torques."""
        return self.state.joints("tau")

    @property
    def wrench(self) -> Input | None:
        """The wrenches of links on their environment, where the robot declares any."""
        return next((array for array in self.direct.program.inputs if array.name == "wrench"), None)

    # numbers

    def first(self, trajectory: Trajectory | None, start_values: StartValues, values: Mapping[str, float]) -> Array:
        """The state (..., size) from the parts that are given; the others are those of the trajectory's start, or 0."""
        wanted = None if trajectory is None else trajectory(0.0)
        state = self.joined(self.state.start(start_values, wanted, values), values)
        if self.motors:
            q = state[..., self.places["q"]][..., self.motor_places("q")]
            inside("q0", q, active_limits(self.robot, self.motors))
        return state

    def joined(self, parts: Mapping[str, Array], values: Mapping[str, float]) -> Array:
        """A state of its parts, in which followers follow."""
        leading = np.broadcast_shapes(*(x.shape[:-1] for x in parts.values()))
        rows = [np.broadcast_to(parts[name], (*leading, size)) for name, size in self.parts.items()]
        state = np.ascontiguousarray(np.concatenate(rows, axis=-1))
        if not self.coordinates.driving:
            return state
        right = compile_program(self.put_right)
        return np.asarray(right(state, values=values_for(right, values)))

    def poses(self, y: Array) -> Array:
        """T (..., 4, 4) of the last free body in states (..., size): of a platform, else of the base."""
        return poses(*(y[..., self.places[name]] for name in self.coordinates.bodies[-1].parts))

    def seen(self, y: Array) -> dict[str, Array]:
        """What a controller can measure in states (..., size), by the names of its inputs."""
        seen = {name: y[..., place] for name, place in self.places.items()}
        return {**seen, "T": self.poses(y).reshape(*y.shape[:-1], 16)} if self._by_pose else seen

    def called(self, function: Function, y: Array, values: Mapping[str, float]) -> Any:
        """What a function of parts of the state gives in states (..., size)."""
        seen, leading = self.seen(y), y.shape[:-1]
        seen |= {name: seen[name][..., self._taken] for name in ("q", "qd") if name in seen}
        arrays = [seen[name].reshape(*leading, *shape) for name, shape in function.inputs.items() if name in seen]
        return function(*arrays, values=values_for(function, values))

    def gap(self, states: Array, values: Mapping[str, float]) -> Array:
        """By how much constraints are open in each state (..., size)."""
        if self.state.residual is None:
            return np.zeros(states.shape[:-1])
        residual = self.called(self.state.residual, states, values)
        return np.asarray(np.abs(getattr(residual, "E", residual)).max(axis=-1))

    def before_dead_point(self, states: Array, first: Array, values: Mapping[str, float]) -> Array:
        """The determinants (..., rows, n) of `RobotState.determinants`: positive on the side of the first state."""
        determinants, start = (self._determinants(y, values) for y in (states, first[..., None, :]))
        return (
            np.ones((*states.shape[:-1], 1)) if determinants is None or start is None else determinants * np.sign(start)
        )

    def _determinants(self, y: Array, values: Mapping[str, float]) -> Array | None:
        return self.state.determinants(lambda function: np.asarray(self.called(function, y, values)))

    # equations

    def measured(self, w: Writer, y: Sequence[Expr]) -> dict[str, Exprs]:
        """What a controller can measure, by the names of its inputs."""
        part = {name: tuple(y[place]) for name, place in self.places.items()}
        if not self._by_pose:
            return part
        position, quat = (part[name] for name in self.coordinates.bodies[-1].parts)
        return part | {"T": pose(w.graph, position, quat)}

    def rates(self, w: Writer, y: Sequence[Expr], tau: Sequence[Expr], wrench: Sequence[Expr]) -> Exprs:
        """The derivative of the state by time."""
        part = self.measured(w, y)
        taken = {name: part[name][self._taken] for name in ("q", "qd") if name in part}
        inputs = part | taken | {"tau": tuple(tau)} | ({"wrench": tuple(wrench)} if self.wrench else {})
        outputs = w.call(self.direct.program, inputs)
        rates = self.state.rates(w, part, outputs)
        for body in self.coordinates.bodies:
            position, quat = body.parts
            V = part.get(body.velocity, outputs.get(body.velocity, ()))  # wheels give that of their base
            rate = body.rate(w.graph, part[quat], V)
            rates |= {position: rate[:3], quat: rate[3:]}
            if body.velocity in part:
                rates[body.velocity] = body.velocity_rate(w.graph, V, outputs[body.acceleration])
        return tuple(x for name in self.parts for x in rates[name])

    def projected(self, w: Writer, y: Sequence[Expr]) -> Exprs:
        """The state with a unit quaternion and closed constraints."""
        part = {name: tuple(y[place]) for name, place in self.places.items()}
        part = self.state.put_right(w, part)
        return tuple(x for name in self.parts for x in part[name])

    def after_period(self, w: Writer, y: Exprs, tau: Sequence[Expr], wrench: Sequence[Expr], count: int = 1) -> Exprs:
        """The state after a period during which the torques are held, in some equal steps of Runge and Kutta."""
        h = period(w) / count
        for _ in range(count):
            y = _step(lambda x: self.rates(w, x, tau, wrench), y, h)
        return self.projected(w, y)

    @property
    def drifts(self) -> bool:
        """Whether a numeric integration leaves the states that are possible."""
        return self.state.drifts

    @lazy
    def put_right(self) -> Program:
        """A state that an integration left, as the nearest possible one."""
        w = Writer()
        return w.program(after=self.projected(w, w.vector("y", self.size)))


@lru_cache(maxsize=8)
def _plant(robot: Robot) -> Plant:
    direct = model("direct_dynamics", robot)
    return Plant(direct, state_of(direct))


def period(w: Writer, default: float = 1e-3) -> Expr:
    """The length of a period, as a parameter."""
    return w.parameter(STEP, default, "length of a period", "s")


def _step(rates: Callable[[Exprs], Exprs], y: Exprs, h: Expr) -> Exprs:
    """The state after a step of the classical method of Runge and Kutta, of order 4."""
    k1 = rates(y)
    k2 = rates(_moved(y, h / 2, k1))
    k3 = rates(_moved(y, h / 2, k2))
    k4 = rates(_moved(y, h, k3))
    mean = tuple(a + 2 * (b + c) + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    return _moved(y, h / 6, mean)


def _moved(y: Exprs, h: Expr, rate: Exprs) -> Exprs:
    return tuple(x + h * k for x, k in zip(y, rate, strict=True))
