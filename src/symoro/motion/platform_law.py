"""Laws of controllers for parallel robots: errors are those of the motors, models those of the platform.

A law measures positions and velocities of the motors. Where it has a model it also takes the pose T of the platform,
which `symoro.forward_geometry` finds from the positions of the motors, as a vector of 16 numbers row by row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from symoro.errors import MotionError
from symoro.formats import valid_robot
from symoro.ir.linalg import Vector, total
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Variable
from symoro.model import model
from symoro.models.parallel.letters import T_NAMES
from symoro.motion.law import Law
from symoro.motion.writing import Exprs
from symoro.platforms.poses import parallel
from symoro.robot.robot import Robot


def law_of(robot: Robot | str | Path) -> Law:
    """A law for a robot of any family."""
    described = valid_robot(robot, parallel=True)
    return PlatformLaw.of(described) if described.parallel else Law.of(described)


@dataclass
class PlatformLaw(Law):
    """A law that is being written, on the motors of a parallel robot."""

    @classmethod
    def of(cls, robot: Robot | str | Path) -> PlatformLaw:
        described = parallel(valid_robot(robot, parallel=True))
        law = cls(described, described)
        if not law.joints:
            raise MotionError(f"{described.name} has no motors: there is nothing to control")
        for name, what in (("q", "position"), ("qd", "velocity")):
            law.state[name] = law.writer.vector(name, len(law.joints), f"{what} of each motor", law.joints)
        law.want()
        return law

    @cached_property
    def joints(self) -> tuple[int, ...]:
        """The joints with motors, by their numbers among those of all legs."""
        robot = parallel(self.robot)
        return tuple(robot.first_joints[i] + j for i, j in robot.motors)

    @property
    def q(self) -> Exprs:
        return self.state["q"]

    @property
    def v(self) -> Exprs:
        return self.state["qd"]

    @cached_property
    def T(self) -> Exprs:
        """The pose of the platform; an input of laws that have a model."""
        names = tuple(Variable(name) for row in T_NAMES for name in row)
        meaning = Meaning("pose of the platform in frame 0, row by row")
        return self.writer.input(Input("T", (16,), names, meaning=meaning))

    def at_reference(self) -> dict[str, Exprs]:
        raise MotionError(
            f"{self.robot.name} is a parallel robot: the pose for wanted positions of its motors is not known in "
            "closed form (allowed schemes: tracking, position)"
        )

    def call(self, name: str, given: Mapping[str, Exprs]) -> Exprs:
        """The torques of the motors: of the motion V = J_p q̇, VP = J_p q̈ + J̇_p q̇ (K10:60), or against gravity."""
        if name == "gravity":
            return self._called("gravity", {"T": self.T}, space="motors")
        J = self._called("jacobian", {"T": self.T})
        V = self._moved(J, given["qd"])
        drift = self._called("jdot_qdot", {"T": self.T, "V": V})
        VP = tuple(a + b for a, b in zip(self._moved(J, given["qdd"]), drift, strict=True))
        return self._called("inverse_dynamics", {"T": self.T, "V": V, "VP": VP})

    def _called(self, name: str, given: Mapping[str, Exprs], **options: str) -> Exprs:
        (found,) = self.writer.call(model(name, self.robot, **options).program, given).values()
        return found

    def _moved(self, J: Exprs, motors: Exprs) -> Exprs:
        """J_p times a vector of the motors."""
        n, graph = len(self.joints), self.writer.graph
        rows = (Vector(graph, J[n * i : n * (i + 1)]) for i in range(6))
        return tuple(total(graph, (a * b for a, b in zip(row, motors, strict=True))) for row in rows)
