"""The robot to identify: its transmission, limits and description, its regressor, and what has to be measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.bind.coordinates import Coordinates
from symoro.bind.interface import robot_numbers
from symoro.errors import DataError, NotApplicable, OptionError
from symoro.findings import Argument
from symoro.formats import valid_robot
from symoro.identification.arrays import Array, number_of, term_of
from symoro.ir.meaning import Meaning
from symoro.lazy import lazy
from symoro.model import Model, base_parameters
from symoro.models.identification.base_parameters import BaseParameters
from symoro.models.identification.columns import INERTIAL, Key, own_value
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs
from symoro.robot.values import Symbol, Value, as_value, evaluate, symbols
from symoro.solve.given import model

if TYPE_CHECKING:
    from symoro.runtime import Function


# From the side of the motors to the side of the joints: gear ratios and coupled transmissions (K13 § 7.3.7).


@dataclass(frozen=True)
class Transmission:
    """R of q̇m = R q̇, over the motors."""

    R: Array

    def positions(self, qm: Array) -> Array:
        """q = R⁻¹ qm (K13:7.31)."""
        return np.linalg.solve(self.R, qm.T).T

    def torques(self, motor: Array) -> Array:
        """Γ = Rᵀ τm (K13:7.33)."""
        return np.asarray(motor @ self.R)

    @property
    def turning(self) -> Array:
        """How each motor turns with the joints, 1 with its own: R with its rows divided by the ratios."""
        return np.asarray(self.R / np.diag(self.R)[:, None])


def transmission_of(subject: Subject, ratios: Any) -> Transmission:
    """The transmission that is given, as ratios or as a matrix, else the coupling matrix of the robot's drives."""
    m = len(subject.motors)
    if ratios is None:
        return Transmission(np.linalg.inv(_coupling(subject)))
    try:
        R = np.asarray(ratios, dtype=float)
    except (TypeError, ValueError):
        raise DataError("recordings.transmission", value=f"{ratios!r:.60}", motors=m) from None
    R = np.diag(R) if R.ndim == 1 else R
    if R.shape != (m, m):
        raise DataError("recordings.transmission_shape", shape=str(np.shape(ratios)), motors=m)
    if not np.isfinite(R).all() or abs(np.linalg.det(R)) < 1e-12 or not np.diag(R).all():
        raise DataError("recordings.transmission_singular")
    return Transmission(R)


def _coupling(subject: Subject) -> Array:
    """Jqm of q̇ = Jqm q̇m over the motors."""
    robot, numbers = subject.robot, robot_numbers(subject.robot)
    if not robot.coupling:
        raise DataError("recordings.no_coupling", robot=robot.name)
    if not all(symbols(x) <= numbers.keys() for row in robot.coupling for x in row):
        raise DataError("recordings.coupling_without_numbers", robot=robot.name)
    whole = np.array([[evaluate(x, numbers) for x in row] for row in robot.coupling])
    order = [joint.index for joint in subject.variables]
    places = [order.index(joint.index) for joint in subject.motors]
    return whole[np.ix_(places, places)]


# Limits of the motors of a robot: those of its description, else usual ones.


@dataclass(frozen=True)
class Box:
    """Limits of each coordinate: positions from `low` to `high`, speeds and accelerations."""

    low: Array
    high: Array
    speed: Array
    acceleration: Array


def usual_box(subject: Subject, joints: Sequence[Joint]) -> Box:
    """The limits of the description, else usual ones."""
    turns = np.array([joint.revolute for joint in joints], dtype=bool)
    usual = np.where(turns, 2.0, 0.3)
    low, high, speed = (
        np.array([limit_of(subject, j, name, u) for j, u in zip(joints, x, strict=True)])
        for name, x in (("lower", -usual), ("upper", usual), ("velocity", np.where(turns, 3.0, 0.5)))
    )
    return Box(low, high, speed, np.where(turns, 10.0, 2.0))


def limit_of(subject: Subject, joint: Joint, name: str, usual: float) -> float:
    value, numbers = getattr(joint.limits, name), robot_numbers(subject.robot)
    return evaluate(value, numbers) if value is not None and symbols(value) <= numbers.keys() else usual


# What the description of a robot says about its parameters: standard ones, base parameters and friction.


def keys(subject: Subject) -> tuple[Key, ...]:
    """Letters and link of each standard parameter: the columns of K."""
    return tuple(subject.base.minimal.standard)


def described(subject: Subject) -> Array:
    """The standard parameters of the robot's description; 0 where it has no number."""
    numbers = robot_numbers(subject.robot)
    values = [own_value(subject.robot, key) for key in keys(subject)]
    return np.array([evaluate(v, numbers) if symbols(v) <= numbers.keys() else 0.0 for v in values])


def is_described(subject: Subject) -> bool:
    """Whether the description has numbers for all standard parameters, some of them not 0."""
    numbers = robot_numbers(subject.robot)
    known = all(symbols(own_value(subject.robot, key)) <= numbers.keys() for key in keys(subject))
    return known and bool(described(subject).any())


def expected_values(subject: Subject) -> dict[str, float]:
    """The parameters of the description, where it has all numbers."""
    return _inertial_values(subject) if is_described(subject) else {}


def _inertial_values(subject: Subject) -> dict[str, float]:
    values = dict(zip(subject.base.parameters, map(float, subject.matrix @ described(subject)), strict=True))
    return {name: values[name] for name in subject.inertial}


def described_values(subject: Subject, names: Sequence[str]) -> dict[str, float]:
    """Values of columns by the robot's description: base parameters, and friction by its names."""
    if not is_described(subject):
        raise OptionError("estimates.not_described", robot=subject.robot.name)
    numbers = robot_numbers(subject.robot)
    values = _inertial_values(subject)
    for j, drive in enumerate(subject.robot.drives, 1):
        for letters, value in drive.items():
            if symbols(value) <= numbers.keys():
                values.setdefault(f"{letters}{j}", evaluate(value, numbers))
    return {name: values.get(name, 0.0) for name in names}


# The robot to identify: its regressor, with the joint of each row, and what has to be measured.
#
# A motion is that of the joints whose positions are q, and of a free body: a base, which is measured, or a platform,
# which follows the motors of its legs (`poses`).


BASE_ROWS = 6
"""Rows of a floating base: force and moment on it."""


@dataclass(frozen=True)
class Subject:
    """A robot with the regressor of its base parameters.

    It has columns of the friction that the robot's description has, or none: laws of friction may be added to it.
    `alike`: the legs that carry a platform share their parameters.
    """

    description: Robot
    regressor: Model
    alike: bool = False

    @classmethod
    def of(
        cls,
        robot: Robot | str | Path,
        described_friction: bool = True,
        offset: bool | None = None,
        alike: bool = False,
    ) -> Subject:
        """The subject of a robot; those of the last robots are kept with their compiled regressors."""
        described = valid_robot(robot).taking(None)
        coordinates = Coordinates.of(described)
        coordinates.require_known_base(described, "identification")
        if alike and not coordinates.followers:
            raise NotApplicable("estimates.alike_without_legs", robot=described.name, option=Argument("alike"))
        return _subject(described, described_friction, offset, alike)

    @property
    def robot(self) -> Robot:
        """The robot as the regressor has it: a motor and its spring are two joints."""
        return self.regressor.robot

    @lazy
    def coordinates(self) -> Coordinates:
        return Coordinates.of(self.robot)

    @property
    def regroups_friction(self) -> bool:
        """Whether friction of the description is among the base parameters, and not columns behind them.

        Motors of legs feel the friction of all joints of the legs. Which of it they can tell apart depends on the
        inertial parameters. A law of friction is one of the motors alone.
        """
        return bool(self.coordinates.followers) and self.regressor.options.get("friction") is not False

    @lazy
    def columns(self) -> tuple[str, ...]:
        """The columns of the regressor, without those that depend on others in the motions of the robot."""
        gone = self.base.eliminated.keys() - self.base.values.keys()
        return tuple(name for name in self.regressor.columns if name not in gone)

    @lazy
    def compiled(self) -> Function:
        """The regressor without a look at loops in each call: recordings are checked once (`process/checks.py`)."""
        compiled: Function = self.regressor.compile(check=False)
        return compiled

    @lazy
    def base(self) -> BaseParameters:
        """The base parameters that columns belong to, with their relations: those of links and rotors, or of all."""
        return base_parameters(self.robot, friction=self.regroups_friction, every_branch=True, alike=self.alike)

    @lazy
    def inertial(self) -> tuple[str, ...]:
        """The columns of links and rotors."""
        base = self.base.minimal
        return tuple(base.names[p] for p in base.base if p[0] in (*INERTIAL, "IA"))

    @property
    def relations(self) -> Mapping[str, str]:
        """Every base parameter in terms of standard ones."""
        return self.base.relations

    @lazy
    def meanings(self) -> dict[str, Meaning]:
        """What each column of the regressor means."""
        every = dict(zip(self.regressor.columns, self.regressor.program.outputs[0].columns, strict=True))
        return {name: every[name] for name in self.columns}

    @lazy
    def matrix(self) -> Array:
        """K of β = K π: base parameters from standard ones."""
        K = self.base.matrix
        if K.dtype == object:
            raise DataError("estimates.geometry_without_numbers", robot=self.robot.name)
        return K

    # joints

    @lazy
    def has_free_base(self) -> bool:
        """Whether V0 of the base is measured, and the first six rows are those of the base."""
        return any(a.name == "V0" and not a.optional for a in self.regressor.program.inputs)

    @lazy
    def channels(self) -> tuple[str, ...]:
        """What recordings may have of free bodies whose motion the regressor takes."""
        needed = {a.name for a in self.regressor.program.inputs if not a.optional}
        return tuple(name for body in self.coordinates.bodies if body.velocity in needed for name in body.channels)

    @lazy
    def variables(self) -> tuple[Joint, ...]:
        """The joints whose positions are q; of legs, those of the motors."""
        return (*self.coordinates.driving, *self._joints("q"))

    @lazy
    def moving(self) -> tuple[Joint, ...]:
        """The joints whose velocities and accelerations are qd and qdd: without those that loops move."""
        return (*self.coordinates.driving, *self._joints("qd"))

    def _joints(self, array: str) -> tuple[Joint, ...]:
        argument = next((a for a in self.regressor.program.inputs if a.name == array), None)
        return () if argument is None else tuple(self.robot.joint(int(v.meaning.link or 0)) for v in argument.variables)

    @lazy
    def places(self) -> list[int]:
        """The places of `moving` in q."""
        order = [joint.index for joint in self.variables]
        return [order.index(joint.index) for joint in self.moving]

    @lazy
    def motors(self) -> tuple[Joint, ...]:
        """The active joints among `moving`, whose torques are measured."""
        return tuple(joint for joint in self.moving if joint.actuated)

    @lazy
    def motor_rows(self) -> list[int]:
        """The rows of the regressor that belong to the motors."""
        start = BASE_ROWS if self.has_free_base else 0
        return [start + k for k, joint in enumerate(self.moving) if joint.actuated]

    @lazy
    def row_names(self) -> tuple[str, ...]:
        """A name for each row: force and moment of a free base, then joints."""
        base = ("FX0", "FY0", "FZ0", "CX0", "CY0", "CZ0") if self.has_free_base else ()
        return (*base, *(joint.label for joint in self.moving))

    @lazy
    def springs(self) -> tuple[tuple[int, Joint, float], ...]:
        """Row, joint and rest position of each elastic joint."""
        numbers, start = robot_numbers(self.robot), BASE_ROWS if self.has_free_base else 0
        springs = []
        for k, joint in enumerate(self.moving):
            if joint.elastic:
                known = symbols(joint.rest) <= numbers.keys()
                springs.append((start + k, joint, evaluate(joint.rest, numbers) if known else 0.0))
        return tuple(springs)

    # numbers

    @lazy
    def _kept(self) -> list[int]:
        return [self.regressor.columns.index(name) for name in self.columns]

    def evaluate(self, q: Array, qd: Array, qdd: Array, body: dict[str, Array] | None = None) -> Array:
        """D, (samples, rows, columns); `body` is how a free base (quat, V0, VP0) or a platform (T, V, VP) moves."""
        return self.along(self._inputs(self.compiled, {"q": q, "qd": qd, "qdd": qdd, **(body or {})}))

    def along(self, motion: Mapping[str, Array]) -> Array:
        """D, (samples, rows, columns), for inputs of the regressor by name."""
        names = [a.name for a in self.regressor.program.inputs]
        inputs: dict[str, Any] = {name: motion[name] for name in names if name in motion}
        D: Array = self.compiled(**inputs)
        return D[..., self._kept] if len(self._kept) < D.shape[-1] else D

    def _model(self, name: str) -> Function:
        """Another identification model with the same columns."""
        options = {key: x for key, x in self.regressor.options.items() if key in ("friction", "offset", "alike")}
        compiled: Function = model(name, self.robot, params="base", **options).compile(check=False)
        return compiled

    @lazy
    def filtered(self) -> Function:
        """D1 and D2 of the filtered model, functions of q and q̇."""
        return self._model("filtered_regressor")

    @lazy
    def _energy(self) -> Function:
        return self._model("energy_regressor")

    def energies(self, q: Array, qd: Array, body: Mapping[str, Array]) -> tuple[Array, Array]:
        """h and hf: the energy of the first columns, and the power that the others (friction) take."""
        energies = self._energy(**self._inputs(self._energy, {"q": q, "qd": qd, **body}))
        h, hf = (energies, np.zeros((len(q), 0))) if isinstance(energies, np.ndarray) else (energies.h, energies.hf)
        return h[:, [k for k in self._kept if k < h.shape[1]]], hf

    def _inputs(self, function: Function, motion: Mapping[str, Array]) -> dict[str, Any]:
        """The inputs of a function along a motion: the body says where the motors are that drive it."""
        n = len(self.coordinates.driving)
        return {
            name: motion[name][..., n:] if name in ("q", "qd", "qdd") else motion[name]
            for name in function.inputs
            if name in motion
        }

    @lazy
    def filled(self) -> Array:
        """Which elements of D are not zero for every motion, (rows, columns); every motor of a leg moves all legs."""
        if self.coordinates.followers:
            return np.ones((len(self.moving), len(self.columns)), dtype=bool)
        rng = np.random.default_rng(0)
        count = 20
        sizes: dict[str, Any] = {
            name: rng.normal(size=(count, *shape)) for name, shape in self.regressor.inputs.items()
        }
        D = self.compiled(**sizes)
        return np.asarray((np.abs(D) > 0).any(axis=0))


@lru_cache(maxsize=8)
def _subject(description: Robot, described_friction: bool, offset: bool | None, alike: bool) -> Subject:
    options: dict[str, Any] = {"offset": offset} if described_friction else {"friction": False, "offset": False}
    options |= {"alike": True} if alike else {}
    return Subject(
        description, model("dynamic_regressor", motor_spring_pairs(description), params="base", **options), alike
    )


# Standard parameters for identified base parameters, and the robot that has them.


_SMALL = 1e-3
"""The least size of a standard parameter when a change is shared among several."""


def nearest(subject: Subject, beta: Array, prior: Array | None = None) -> Array:
    """The standard parameters nearest to a prior (the description's) that have exactly these base parameters."""
    K, p = subject.matrix, described(subject) if prior is None else prior
    S = np.maximum(np.abs(p), _SMALL) ** 2
    return np.asarray(p + S * (K.T @ np.linalg.solve((K * S) @ K.T, beta - K @ p)))


def nearest_in_groups(subject: Subject, beta: Array) -> Array:
    """The same where parameters have one number together: those with one symbol, and those of legs alike."""
    numbers: dict[Any, list[int]] = {}
    for k, key in enumerate(keys(subject)):
        numbers.setdefault(_number(subject, key), []).append(k)
    G = np.zeros((len(keys(subject)), len(numbers)))
    for column, places in enumerate(numbers.values()):
        G[places, column] = 1.0
    K, p = subject.matrix @ G, described(subject) @ G / G.sum(axis=0)
    S = np.maximum(np.abs(p), _SMALL) ** 2
    return np.asarray(G @ (p + S * (K.T @ np.linalg.lstsq((K * S) @ K.T, beta - K @ p, rcond=1e-12)[0])))


def _number(subject: Subject, key: Key) -> Any:
    """What a parameter shares with others that have the same number."""
    value, legs = own_value(subject.robot, key), (g for g in subject.robot.groups if g.numbered and subject.alike)
    leg = next((group for group in legs if key[1] in group.joints), None)
    if isinstance(value, Symbol):
        return (value.name.removesuffix(leg.ending), "legs") if leg else value.name
    return (key[0], leg.joints.index(key[1])) if leg else key


def robot_with(subject: Subject, standard: Array, others: Mapping[str, float]) -> Robot:
    """The robot with these standard parameters, and with friction and stiffness by their names."""
    robot = subject.robot
    numbers: dict[str, float] = {}
    for key, x in entries(subject, standard, others).items():
        robot, value = _placed(robot, key, as_value(x))
        numbers |= dict.fromkeys(value, x)
    return robot.with_values(numbers) if numbers else robot


def entries(subject: Subject, standard: Array, others: Mapping[str, float]) -> dict[Key, float]:
    """Letters and link of each parameter of the tables, with its number."""
    return dict(zip(keys(subject), map(float, standard), strict=True)) | _drives(others)


def with_symbols(robot: Robot, places: Iterable[Key]) -> tuple[Robot, dict[Key, str]]:
    """The robot with a symbol of its own in each of these places, and the names: its models are built once."""
    names = {key: f"ID_{key[0]}{key[1]}" for key in places}
    for key, name in names.items():
        robot = _written(robot, key, Symbol(name))
    return robot, names


def with_entries(robot: Robot, entries: Mapping[Key, float]) -> Robot:
    """The robot with numbers in places of its tables."""
    for key, x in entries.items():
        robot, _ = _placed(robot, key, as_value(x))
    return robot


def _placed(robot: Robot, key: Key, x: Value) -> tuple[Robot, tuple[str, ...]]:
    """A value in its table; where a symbol has the place, the robot as it is and the name of the symbol."""
    entry: Value | None = None if key[0] == "K" else own_value(robot, key)
    if isinstance(entry, Symbol):
        return robot, (entry.name,)
    return _written(robot, key, x), ()


def _written(robot: Robot, key: Key, x: Value) -> Robot:
    """A value in its place."""
    letters, j = key
    changed: dict[str, Any] = {letters: x}
    if letters == "K":
        return replace(robot, joints=_changed(robot.joints, j, {"stiffness": x}))
    if letters not in INERTIAL:
        return replace(robot, drives=_changed(robot.drives, j, changed))
    if j == 0:
        return replace(robot, base=replace(robot.base, inertia=replace(robot.base.inertia, **changed)))
    return replace(robot, inertias=_changed(robot.inertias, j, changed))


def _changed(tables: tuple[Any, ...], j: int, changed: Mapping[str, Any]) -> tuple[Any, ...]:
    return (*tables[: j - 1], replace(tables[j - 1], **changed), *tables[j:])


_PLAIN = ("FV", "FS", "FO", "FA", "FST", "BST", "K")
_TWO_SIDED = ("FSP", "FSN", "FVP", "FVN")


def _drives(others: Mapping[str, float]) -> dict[Key, float]:
    """Entries of drives from parameters of friction; forward and backward friction become FS ± FA and the mean FV."""
    split = {name: _split(name) for name in others}
    plain = {key: others[name] for name, key in split.items() if key[0] in _PLAIN}
    for j in sorted({j for letters, j in split.values() if letters in _TWO_SIDED}):
        plain |= dict(_two_sided(others, j))
    return plain


def without_a_place(names: Iterable[str]) -> list[str]:
    """The parameters of friction and motors that a robot's drives cannot have."""
    split = {name: _split(name) for name in names}
    none = [name for name, (letters, _) in split.items() if letters not in (*_PLAIN, *_TWO_SIDED)]
    return [*none, *(f"FVP{j} − FVN{j}" for letters, j in split.values() if letters == "FVP")]


def _two_sided(others: Mapping[str, float], j: int) -> Iterator[tuple[Key, float]]:
    if f"FSP{j}" in others:
        forward, backward = others[f"FSP{j}"], others[f"FSN{j}"]
        yield ("FS", j), (forward + backward) / 2
        yield ("FA", j), (forward - backward) / 2
    if f"FVP{j}" in others:
        yield ("FV", j), (others[f"FVP{j}"] + others[f"FVN{j}"]) / 2


def _split(name: str) -> Key:
    """FV3 is ("FV", 3); of FST3@0.1, which has no place, the letters keep their speed."""
    return term_of(name), number_of(name)
