"""What the laws of controllers are written with: the state of the robot, the wanted motion, gains and models.

Errors are those of the motors. A law for a platform that has a model also takes the pose T of the platform, which
`symoro.forward_geometry` finds from the positions of the motors, as a vector of 16 numbers row by row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from symoro.bind.coordinates import Coordinates
from symoro.bind.interface import robot_numbers
from symoro.bind.symbols import PLATFORM_POSE, Symbols
from symoro.errors import MotionError
from symoro.findings import Argument
from symoro.formats import valid_robot
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Vector, total
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Variable
from symoro.lazy import lazy
from symoro.model import Model
from symoro.models.build import inputs_of
from symoro.models.catalogue import find
from symoro.models.parallel.motions import motors_of_motion
from symoro.models.parallel.platform import home, size
from symoro.motion.controller import Controller
from symoro.motion.limits import positive
from symoro.motion.profiles import Array
from symoro.motion.writing import Exprs, Writer, vector_input
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate, symbols
from symoro.runtime import compile_program
from symoro.solve.assemblies import forward_geometry
from symoro.solve.given import model

_GAINS = {
    "KP": "gain of the position of motor {j}",
    "KD": "gain of the velocity of motor {j}",
    "KI": "gain of the integral of motor {j}",
    "KV": "damping of motor {j}",
    "LIMIT": "largest torque of motor {j}",
}
_SAMPLES, _POSES = 2000, 50
"""Random configurations of a tree, and poses of a platform, at which inertias are looked at."""


@dataclass
class LawOfMotors:
    """A law that is being written. `robot` is as the dynamic models take it: motor and spring are two joints."""

    robot: Robot
    described: Robot
    """The robot as it was given."""
    writer: Writer = field(default_factory=Writer)
    state: dict[str, Exprs] = field(default_factory=dict)
    """The measured state by the names of the inputs: q, qd, of a floating base quat and V0 (with legs: where a model
    needs them)."""
    wanted: dict[str, Exprs] = field(default_factory=dict)
    """The wanted motion of the motors: qr, qrd, qrdd."""

    @classmethod
    def of(cls, robot: Robot | str | Path) -> LawOfMotors:
        """A law for a robot of any family, with its measured and wanted motion as inputs."""
        described = valid_robot(robot).taking(None)
        entry = find("inverse_dynamics")
        entry.require(described)
        law = cls(entry.prepared(described), described)
        if not law.joints:
            raise MotionError("controllers.no_motors", robot=described.name)
        for array in law.measured.values():
            law.state[array.name] = law.writer.input(array)
        for name, what in (("qr", "position"), ("qrd", "velocity"), ("qrdd", "acceleration")):
            law.wanted[name] = law.writer.vector(name, len(law.joints), f"wanted {what} of each motor", law.joints)
        return law

    @lazy
    def coordinates(self) -> Coordinates:
        return Coordinates.of(self.robot)

    @lazy
    def driving(self) -> tuple[int, ...]:
        """The motors that move a free body; they come first, before the joints that models take."""
        return tuple(joint.index for joint in self.coordinates.driving)

    @lazy
    def _arrays(self) -> dict[str, Input]:
        """The inputs of the inverse dynamic model of joints."""
        s = Symbols(self.robot, Graph())
        return {array.name: array for array in inputs_of(find("inverse_dynamics").of(self.robot), s)}

    @lazy
    def measured(self) -> dict[str, Input]:
        """What is measured: what the inverse dynamic model takes beside qdd, or the motion of the motors."""
        if self.driving:
            rows = (("q", "position"), ("qd", "velocity"))
            return {name: vector_input(name, f"{what} of each motor", self._orders[name]) for name, what in rows}
        return {name: array for name, array in self._arrays.items() if not array.optional and name != "qdd"}

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints with motors."""
        return self._orders.get("qdd", ())

    @lazy
    def _orders(self) -> dict[str, tuple[int, ...]]:
        """The joints of q, qd and qdd; motors that drive a body come first."""
        if self.driving:
            shown, motors = (tuple(j.index for j in x) for x in (self.coordinates.shown, self.coordinates.motors))
            return {"q": shown, "qd": shown, "qdd": motors}
        arrays = {name: self._arrays[name].variables for name in ("q", "qd", "qdd") if name in self._arrays}
        return {name: tuple(int(v.meaning.link or 0) for v in x) for name, x in arrays.items()}

    @lazy
    def names(self) -> tuple[str, ...]:
        return tuple(self.robot.joint(j).name or str(j) for j in self.joints)

    def _of_motors(self, array: str, values: Exprs) -> Exprs:
        """The elements of the motors among those of q or qd."""
        return tuple(values[self._orders[array].index(j)] for j in self.joints)

    @property
    def q(self) -> Exprs:
        """The positions of the motors."""
        return self._of_motors("q", self.state["q"])

    @property
    def v(self) -> Exprs:
        """The velocities of the motors."""
        return self._of_motors("qd", self.state["qd"])

    @property
    def error(self) -> tuple[Exprs, Exprs]:
        """e = q^d − q and its derivative."""
        e = tuple(a - b for a, b in zip(self.wanted["qr"], self.q, strict=True))
        return e, tuple(a - b for a, b in zip(self.wanted["qrd"], self.v, strict=True))

    def at_reference(self) -> dict[str, Exprs]:
        """The state with the wanted motion of the motors in the place of the measured one."""
        if self.driving:
            raise MotionError("controllers.pose_unknown", robot=self.robot.name)
        if len(self.state["q"]) != len(self.joints):
            raise MotionError("controllers.not_all_joints", robot=self.robot.name)
        return self.state | {"q": self.wanted["qr"], "qd": self.wanted["qrd"]}

    # models

    def inverse_dynamics(self, state: Mapping[str, Exprs], qdd: Exprs) -> Exprs:
        """The torques of the motors for their accelerations."""
        return self._call("inverse_dynamics", self._moved({**state, "qdd": qdd}))["GAM"]

    def gravity(self) -> Exprs:
        """The torques of the motors against gravity."""
        known = {option.name for option in find("gravity").of(self.robot).all_options}
        space = {"space": "motors"} if "space" in known else {}
        (forces,) = self._call("gravity", self._moved(self.state, still=True), **space).values()
        return self._of_motors("qd", forces[-len(self.state["qd"]) :])  # of all coordinates; those of a base come first

    def _moved(self, motion: Mapping[str, Exprs], still: bool = False) -> dict[str, Exprs]:
        """The inputs of models for a motion of joints.

        The body that motors drive moves by V = J_p q̇, VP = J_p q̈ + J̇_p q̇ (K10:60); where it is still, T is enough.
        """
        n = len(self.driving)
        if not n:
            return dict(motion)
        inputs = (
            dict(motion) | {name: x[n:] for name, x in motion.items() if name in ("q", "qd", "qdd")} | {"T": self.T}
        )
        if still:
            return inputs
        (J,) = self._call("jacobian", inputs).values()
        inputs["V"] = self._times(J, motion["qd"][:n])
        (drift,) = self._call("jdot_qdot", inputs).values()
        inputs["VP"] = tuple(a + b for a, b in zip(self._times(J, motion["qdd"][:n]), drift, strict=True))
        return inputs

    @lazy
    def T(self) -> Exprs:
        """The pose of the platform; an input of laws that have a model."""
        names = tuple(Variable(name) for row in PLATFORM_POSE for name in row)
        meaning = Meaning("pose of the platform in frame 0, row by row")
        return self.writer.input(Input("T", (16,), names, meaning=meaning))

    def _call(self, name: str, inputs: Mapping[str, Exprs], **options: str) -> dict[str, Exprs]:
        """A model for a state. What it needs of a free base that carries legs becomes an input of the law."""
        program = model(name, self.robot, **options).program
        for array in program.inputs:
            if not array.optional and array.name not in {**self.state, **inputs}:
                self.state[array.name] = self.writer.input(array)
        return self.writer.call(program, self.state | dict(inputs))

    def _times(self, J: Exprs, motors: Exprs) -> Exprs:
        """J_p times a vector of the motors that drive the platform."""
        n, graph = len(self.driving), self.writer.graph
        rows = (Vector(graph, J[n * i : n * (i + 1)]) for i in range(6))
        return tuple(total(graph, (a * b for a, b in zip(row, motors, strict=True))) for row in rows)

    # gains

    def gain(self, name: str, values: Array) -> Exprs:
        """A gain of each motor, as parameters."""
        return tuple(
            self.writer.parameter(f"{name}{j}", float(x), _GAINS[name].format(j=j))
            for j, x in zip(self.joints, values, strict=True)
        )

    def numbers(self, name: str, numbers: ArrayLike) -> Array:
        """A positive number for each motor."""
        return positive(name, numbers, self.names)

    def triple_pole(self, frequency: ArrayLike, inertia: ArrayLike | None) -> dict[str, Array]:
        """The gains of a triple pole at −ω (K13:9.10)."""
        w = self.numbers("frequency", frequency)
        a = self.numbers("inertia", largest_inertias(self.described) if inertia is None else inertia)
        numbers = robot_numbers(self.robot)
        values = [self.robot.drive(j).FV for j in self.joints]
        FV = np.array([evaluate(x, numbers) if symbols(x) <= numbers.keys() else 0.0 for x in values])
        gains = {"KP": 3 * a * w**2, "KD": 3 * a * w - FV, "KI": a * w**3}  # (K13:9.10)
        for name, kd, fv in zip(self.names, gains["KD"], FV, strict=True):
            if kd <= 0:
                raise MotionError("controllers.damped", joint=name, friction=fv)
        return gains

    def limited(self, torques: Sequence[Expr], effort: ArrayLike | None) -> Exprs:
        """The torques within their limits, where there are any."""
        if effort is None:
            return tuple(torques)
        limits = self.gain("LIMIT", self.numbers("effort", effort))
        return tuple(self.writer.clipped(x, limit) for x, limit in zip(torques, limits, strict=True))

    def controller(
        self,
        name: str,
        title: str,
        citation: str,
        GAM: Sequence[Expr],
        rates: Sequence[Expr] = (),
        start: Model | None = None,
        frequency: ArrayLike = 0.0,
    ) -> Controller:
        """The law as a program; the greatest of the frequencies is that of its errors."""
        program = self.writer.program(GAM=GAM, **({"ZP": rates} if rates else {}))
        return Controller(Model(self.robot, program, name, title, citation), start, float(np.max(frequency)))


def largest_inertias(robot: Robot) -> Array:
    """The largest inertia A_jj of K13:9.6 that each motor sees among random configurations.

    Joints of a tree, and those beside the legs of a platform, turn all the way or slide by a metre. Motors of legs move
    around their positions at home.
    """
    rng = np.random.default_rng(0)
    if Coordinates.of(robot).followers and not robot.base.free:
        return _around_home(robot, rng)
    if robot.closures or robot.base.free:
        raise MotionError("controllers.inertia_unknown", robot=robot.name, inertia=Argument("inertia"))
    inertia = model("inertia_matrix", robot)
    coordinates = Coordinates.of(inertia.robot)
    A = np.asarray(inertia.compile()(coordinates.random(rng, _SAMPLES)))
    places = [coordinates.joints.index(joint) for joint in coordinates.motors]
    return np.asarray(A.diagonal(axis1=1, axis2=2).max(axis=0)[places])


def _around_home(robot: Robot, rng: np.random.Generator) -> Array:
    coordinates, at, still = Coordinates.of(robot), home(robot), np.zeros(6)
    widths = [0.25 * size(robot) if joint.prismatic else 0.25 for joint in coordinates.driving]
    moves = rng.uniform(-1, 1, (_POSES, len(widths))) * widths
    moves[0] = 0.0
    q = compile_program(motors_of_motion(robot))(at, still, still).QA
    branches = forward_geometry(robot).compile()(q + moves, guess=at)
    T, inertia = branches.T[branches.valid], model("inertia_matrix", robot, space="motors").compile()
    beside = tuple(joint for joint in coordinates.shown if joint not in coordinates.driving)
    q = Coordinates((), beside, ()).random(rng, len(T))
    A = np.asarray(inertia(T, q) if beside else inertia(T))
    places = [coordinates.shown.index(joint) for joint in coordinates.motors]
    return np.asarray(A.diagonal(axis1=1, axis2=2).max(axis=0)[places])
