"""What the laws of controllers are written with: the state of the robot, the wanted motion, gains and models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError
from symoro.formats import valid_robot
from symoro.interface import robot_numbers
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.program import Input, Variable
from symoro.model import Model, model
from symoro.models.build import inputs_of
from symoro.models.catalogue import find
from symoro.motion.controller import Controller
from symoro.motion.inertia import largest_inertias
from symoro.motion.limits import positive
from symoro.motion.profile import Array
from symoro.motion.writing import Exprs, Writer
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate, symbols
from symoro.symbols import Symbols

_GAINS = {
    "KP": "gain of the position of motor {j}",
    "KD": "gain of the velocity of motor {j}",
    "KI": "gain of the integral of motor {j}",
    "KV": "damping of motor {j}",
    "LIMIT": "largest torque of motor {j}",
}


@dataclass
class Law:
    """A law that is being written. `robot` is as the dynamic models take it: motor and spring are two joints."""

    robot: Robot
    given: Robot
    """The robot as it was given."""
    writer: Writer = field(default_factory=Writer)
    state: dict[str, Exprs] = field(default_factory=dict)
    """The measured state by the names of the inputs: q, qd, of a floating base quat and V0."""
    wanted: dict[str, Exprs] = field(default_factory=dict)
    """The wanted motion of the motors: qr, qrd, qrdd."""

    @classmethod
    def of(cls, robot: Robot | str | Path) -> Law:
        described = valid_robot(robot)
        entry = find("inverse_dynamics")
        entry.require(described)
        law = cls(entry.prepared(described), described)
        for array in law.arrays.values():
            if not array.optional and array.name != "qdd":
                law.state[array.name] = law.writer.input(array)
        if not law.joints:
            raise MotionError(f"{described.name} has no motors: there is nothing to control")
        law.want()
        return law

    def want(self) -> None:
        """The inputs of the wanted motion."""
        for name, what in (("qr", "position"), ("qrd", "velocity"), ("qrdd", "acceleration")):
            self.wanted[name] = self.writer.vector(name, len(self.joints), f"wanted {what} of each motor", self.joints)

    @cached_property
    def arrays(self) -> dict[str, Input]:
        """The inputs of the inverse dynamic model."""
        s = Symbols(self.robot, Graph())
        return {array.name: array for array in inputs_of(find("inverse_dynamics").of(self.robot), s)}

    @cached_property
    def joints(self) -> tuple[int, ...]:
        """The joints with motors."""
        return tuple(int(v.meaning.link or 0) for v in self._motors)

    @property
    def _motors(self) -> tuple[Variable, ...]:
        return self.arrays["qdd"].variables if "qdd" in self.arrays else ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.robot.joint(j).name or str(j) for j in self.joints)

    def _of_motors(self, array: str, values: Exprs) -> Exprs:
        """The elements of the motors among those of an input."""
        places = {v.meaning.link: k for k, v in enumerate(self.arrays[array].variables)}
        return tuple(values[places[j]] for j in self.joints)

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
        if len(self.state["q"]) != len(self.joints):
            raise MotionError(f"{self.robot.name}: the wanted motion of its motors is not that of all its joints")
        return self.state | {"q": self.wanted["qr"], "qd": self.wanted["qrd"]}

    def call(self, name: str, given: Mapping[str, Exprs]) -> Exprs:
        """The torques of the motors that a model gives."""
        outputs = self.writer.call(model(name, self.robot).program, given)
        if "GAM" in outputs:
            return outputs["GAM"]
        (forces,) = outputs.values()  # of all coordinates; those of a floating base come first
        return self._of_motors("qd", forces[-len(self.state["qd"]) :])

    # gains

    def gain(self, name: str, values: Array) -> Exprs:
        """A gain of each motor, as parameters."""
        return tuple(
            self.writer.parameter(f"{name}{j}", float(x), _GAINS[name].format(j=j))
            for j, x in zip(self.joints, values, strict=True)
        )

    def numbers(self, name: str, given: ArrayLike) -> Array:
        """A positive number for each motor."""
        return positive(name, given, self.names)

    def triple_pole(self, frequency: ArrayLike, inertia: ArrayLike | None) -> dict[str, Array]:
        """The gains of a triple pole at −ω (K13:9.10)."""
        w = self.numbers("frequency", frequency)
        a = self.numbers("inertia", largest_inertias(self.given, self.joints) if inertia is None else inertia)
        numbers = robot_numbers(self.robot)
        values = [self.robot.drive(j).FV for j in self.joints]
        FV = np.array([evaluate(x, numbers) if symbols(x) <= numbers.keys() else 0.0 for x in values])
        gains = {"KP": 3 * a * w**2, "KD": 3 * a * w - FV, "KI": a * w**3}  # (K13:9.10)
        for name, kd, fv in zip(self.names, gains["KD"], FV, strict=True):
            if kd <= 0:
                raise MotionError(f"joint {name}: its friction FV = {fv:g} damps more than a triple pole there needs")
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
