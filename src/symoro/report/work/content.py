"""What a report says, without its form: the robot, the models, and the configuration at which one looks at them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.findings import Finding, Language, text_of
from symoro.ir.program import Input, Program
from symoro.models import published
from symoro.robot import topology
from symoro.robot.joint import GEOMETRY
from symoro.robot.robot import MOTORS, Robot
from symoro.robot.values import to_text

MOTION = {"q": "q", "qd": "qd", "qdd": "qdd"}
"""The inputs that a state gives, by their names in programs."""


@dataclass(frozen=True, slots=True)
class JointState:
    """Positions, velocities and accelerations of joints by the names of their variables; a missing one is 0."""

    q: Mapping[str, float] = field(default_factory=dict)
    qd: Mapping[str, float] = field(default_factory=dict)
    qdd: Mapping[str, float] = field(default_factory=dict)

    def of(self, robot: Robot, array: Input) -> list[float]:
        """The numbers of an input array of a program."""
        state: Mapping[str, float] = getattr(self, array.name)
        variables = [self._variable(robot, v.meaning.link) for v in array.variables]
        names = [v.name if v.name in state else other for v, other in zip(array.variables, variables, strict=True)]
        return [float(state.get(name, 0.0)) for name in names]

    @staticmethod
    def _variable(robot: Robot, link: int | None) -> str:
        """The variable of a link's joint; a model of motors with springs has more links than the table."""
        return str(robot.joint(link).variable) if link and link <= robot.link_count else ""


@dataclass(frozen=True, slots=True)
class ReportedModel:
    """A model of a report. `numbers` are those of its parameters that have one."""

    name: str
    title: str
    citation: str
    options: Mapping[str, Any]
    program: Program
    numbers: Mapping[str, float]

    @property
    def chosen(self) -> str:
        """The options as text: params = base, method = auto."""
        return ", ".join(f"{name} = {value}" for name, value in self.options.items() if value is not None)

    @property
    def numeric(self) -> bool:
        """Whether a state and the numbers of the parameters give its values."""
        known = all(array.name in MOTION or array.optional for array in self.program.inputs)
        return known and all(p.name in self.numbers for p in self.program.parameters)


@dataclass(frozen=True, slots=True)
class Work:
    """A robot, the chosen models, the state of its joints, and the language of the report."""

    robot: Robot
    parts: tuple[ReportedModel, ...]
    state: JointState = field(default_factory=JointState)
    language: Language = "en"

    def say(self, what: str, **fields: Any) -> str:
        """A row of `findings/report.toml` in the language of the report."""
        return Finding(f"report.{what}", **fields).sentence(self.language)

    def titled(self, part: ReportedModel) -> str:
        """The title of a model in the language of the report."""
        return text_of(part.title, self.language)

    @property
    def title(self) -> str:
        return self.robot.title or self.robot.name

    @property
    def q(self) -> list[float]:
        """Positions of the variables, in order."""
        return [float(self.state.q.get(str(j.variable), 0.0)) for j in topology.with_variables(self.robot)]

    def geometry(self) -> list[list[str]]:
        """The geometric table with its head."""
        head = ["j", self.say("name"), "a(j)", self.say("kind"), *("γ", "b", "α", "d", "θ", "r")]
        rows = [
            [
                str(j.index),
                j.name,
                str(j.parent),
                self.say(j.kind.value),
                *(to_text(getattr(j, name)) for name in GEOMETRY),
            ]
            for j in self.robot.joints
        ]
        return [head, *rows]

    def values(self) -> str:
        """The numbers of symbols, as text."""
        return ", ".join(f"{name} = {to_text(value)}" for name, value in self.robot.values.items())

    def counts(self) -> list[list[str]]:
        """The operations of each model, and SYMORO+'s figure where one is published."""
        head = [self.say("model"), self.say("options"), "mul", "add", "div, sqrt", "SYMORO+"]
        return [head, *map(self._count, self.parts)]

    def _count(self, part: ReportedModel) -> list[str]:
        ops, rival = part.program.ops, self.rival(part)
        theirs = "" if rival is None else str(rival.total) if rival.M is None else f"{rival.M} mul, {rival.A} add"
        return [self.titled(part), part.chosen, str(ops.mul), str(ops.add), str(ops.div + ops.sqrt), theirs]

    def rival(self, part: ReportedModel) -> published.PublishedCount | None:
        if part.options.get("given") == MOTORS:  # published models take all joints
            return None
        params = str(part.options.get("params", "standard"))
        figures = published.of(self.robot.name, part.name, params)
        return next((figure for figure in figures if "SYMORO+" in figure.source), None)

    def torques(self) -> tuple[ReportedModel, NDArray[Any], NDArray[Any]] | None:
        """The inverse dynamic model, with times and torques along a quintic motion from 0; None without numbers."""
        part = next((p for p in self.parts if p.name == "inverse_dynamics" and p.numeric), None)
        if part is None or self.robot.cuts:
            return None
        from symoro.ir.evaluate import evaluate
        from symoro.motion.planning import trajectory

        arrays = {a.name: a for a in part.program.inputs}
        if set(MOTION) - set(arrays) or len(arrays["q"].variables) != len(self.q):
            return None
        moved = trajectory(np.zeros(len(arrays["q"].variables)), self.state.of(self.robot, arrays["q"]), duration=1.2)
        times = np.linspace(0, 1.2, 61)
        inputs = dict(zip(MOTION, moved(times), strict=True))
        return part, times, np.asarray(evaluate(part.program, inputs, part.numbers)["GAM"])
