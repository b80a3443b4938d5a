"""The robot to identify: its regressor, with the joint of each row, and what has to be measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.errors import DataError
from symoro.formats import valid_robot
from symoro.identification.arrays import Array
from symoro.interface import robot_numbers
from symoro.ir.meaning import Meaning
from symoro.model import Model, model
from symoro.models.identification.base_parameters import BaseParameters, base_parameters
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs
from symoro.robot.values import evaluate, symbols

if TYPE_CHECKING:
    from symoro.runtime import Function

BASE_ROWS = 6
"""Rows of a floating base: force and moment on it."""


@dataclass(frozen=True)
class Subject:
    """A robot with the regressor of its base parameters.

    It has columns of the friction that the robot's description has, or none: laws of friction may be added to it.
    """

    given: Robot
    regressor: Model

    @classmethod
    def of(cls, robot: Robot | str | Path, described_friction: bool = True, offset: bool | None = None) -> Subject:
        """The subject of a robot; those of the last robots are kept with their compiled regressors."""
        return _subject(valid_robot(robot), described_friction, offset)

    @property
    def robot(self) -> Robot:
        """The robot as the regressor has it: a motor and its spring are two joints."""
        return self.regressor.robot

    @property
    def columns(self) -> tuple[str, ...]:
        return self.regressor.columns

    @cached_property
    def compiled(self) -> Function:
        return self.regressor.compile()

    @cached_property
    def base(self) -> BaseParameters:
        """The base parameters of links and rotors that columns belong to, with their relations."""
        return base_parameters(self.robot, every_branch=True)

    @property
    def inertial(self) -> tuple[str, ...]:
        """The columns of links and rotors, which are the first ones."""
        return self.base.parameters

    @property
    def relations(self) -> Mapping[str, str]:
        """Every base parameter in terms of standard ones."""
        return self.base.relations

    @cached_property
    def meanings(self) -> dict[str, Meaning]:
        """What each column of the regressor means."""
        return dict(zip(self.columns, self.regressor.program.outputs[0].columns, strict=True))

    @cached_property
    def matrix(self) -> Array:
        """K of β = K π: base parameters from standard ones."""
        K = self.base.matrix
        if K.dtype == object:
            raise DataError(f"{self.robot.name}: the geometry has symbols without numbers (give them with with_values)")
        return K

    # joints

    @cached_property
    def has_free_base(self) -> bool:
        """Whether V0 of the base is measured, and the first six rows are those of the base."""
        return any(a.name == "V0" and not a.optional for a in self.regressor.program.inputs)

    @cached_property
    def variables(self) -> tuple[Joint, ...]:
        """The joints whose positions are q."""
        return self._joints("q")

    @cached_property
    def moving(self) -> tuple[Joint, ...]:
        """The joints whose velocities and accelerations are qd and qdd: without those that loops move."""
        return self._joints("qd")

    def _joints(self, array: str) -> tuple[Joint, ...]:
        found = next((a for a in self.regressor.program.inputs if a.name == array), None)
        return () if found is None else tuple(self.robot.joint(int(v.meaning.link or 0)) for v in found.variables)

    @cached_property
    def places(self) -> list[int]:
        """The places of `moving` in q."""
        order = [joint.index for joint in self.variables]
        return [order.index(joint.index) for joint in self.moving]

    @cached_property
    def motors(self) -> tuple[Joint, ...]:
        """The active joints among `moving`, whose torques are measured."""
        return tuple(joint for joint in self.moving if joint.actuated)

    @cached_property
    def motor_rows(self) -> list[int]:
        """The rows of the regressor that belong to the motors."""
        start = BASE_ROWS if self.has_free_base else 0
        return [start + k for k, joint in enumerate(self.moving) if joint.actuated]

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """A name for each row: force and moment of a free base, then joints."""
        base = ("FX0", "FY0", "FZ0", "CX0", "CY0", "CZ0") if self.has_free_base else ()
        return (*base, *(joint.label for joint in self.moving))

    @cached_property
    def springs(self) -> tuple[tuple[int, Joint, float], ...]:
        """Row, joint and rest position of each elastic joint."""
        numbers, start = robot_numbers(self.robot), BASE_ROWS if self.has_free_base else 0
        found = []
        for k, joint in enumerate(self.moving):
            if joint.elastic:
                known = symbols(joint.rest) <= numbers.keys()
                found.append((start + k, joint, evaluate(joint.rest, numbers) if known else 0.0))
        return tuple(found)

    # numbers

    def evaluate(self, q: Array, qd: Array, qdd: Array, base: dict[str, Array] | None = None) -> Array:
        """D, (samples, rows, columns)."""
        given = {"q": q, "qd": qd, "qdd": qdd, **(base or {})}
        names = [a.name for a in self.regressor.program.inputs]
        inputs: dict[str, Any] = {name: given[name] for name in names if name in given}
        D: Array = self.compiled(**inputs)
        return D

    def _model(self, name: str) -> Function:
        """Another identification model with the same columns."""
        options = {key: x for key, x in self.regressor.options.items() if key in ("friction", "offset")}
        return model(name, self.robot, params="base", **options).compile()

    @cached_property
    def filtered(self) -> Function:
        """D1 and D2 of the filtered model, functions of q and q̇."""
        return self._model("filtered_regressor")

    @cached_property
    def _energy(self) -> Function:
        return self._model("energy_regressor")

    def energies(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """h and hf: the energy of the first columns, and the power that the others (friction) take."""
        found = self._energy(q, qd)
        return (found, np.zeros((len(q), 0))) if isinstance(found, np.ndarray) else (found.h, found.hf)

    @cached_property
    def filled(self) -> Array:
        """Which elements of D are not zero for every motion, (rows, columns)."""
        rng = np.random.default_rng(0)
        count = 20
        sizes: dict[str, Any] = {
            name: rng.normal(size=(count, *shape)) for name, shape in self.regressor.inputs.items()
        }
        D = self.compiled(**sizes)
        return np.asarray((np.abs(D) > 0).any(axis=0))


@lru_cache(maxsize=8)
def _subject(given: Robot, described_friction: bool, offset: bool | None) -> Subject:
    wanted: dict[str, Any] = {"offset": offset} if described_friction else {"friction": False, "offset": False}
    return Subject(given, model("dynamic_regressor", motor_spring_pairs(given), params="base", **wanted))
