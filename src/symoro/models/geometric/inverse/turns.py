"""Whole turns: the positions of joints that are one configuration, and which of them is returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.robot.robot import Robot
from symoro.robot.values import Value, evaluate, symbols

Array = NDArray[Any]
#: A position that is outside of a limit by less than this is at the limit.
_AT_LIMIT = 1e-12
#: Ratios of slopes are fractions with small denominators; with any other ratio no number of turns is a whole one.
_DENOMINATOR, _EXACT = 1000, 1e-12


def periods(robot: Robot, joints: Sequence[int], numbers: Mapping[str, float]) -> Array:
    """How far each joint moves until every link is where it was; 0 where it never is.

    θ_k = Σ slope_kj q_j + constant, and the same for r_k of a prismatic joint. q_j may change by a common period of its
    angles θ_k, if slope_kj is 0 for every r_k.
    """
    return np.array([_period(robot, str(robot.joint(j).variable), numbers) for j in joints])


def _period(robot: Robot, variable: str, numbers: Mapping[str, float]) -> float:
    slopes = [(joint, _slope(joint.position, variable, robot, numbers)) for joint in robot.joints if joint.movable]
    if any(slope and joint.prismatic for joint, slope in slopes):
        return 0.0
    return common_period([slope for _, slope in slopes if slope])


def common_period(slopes: Sequence[float]) -> float:
    """The smallest change of a variable that turns all angles with these slopes by whole turns; 0 where there is none.

    With the first slope s and a change of 2π t, s t is the smallest whole number that the denominators of all slope / s
    divide.
    """
    ratios = [Fraction(slope / slopes[0]).limit_denominator(_DENOMINATOR) for slope in slopes]
    whole = all(abs(r * slopes[0] - slope) < _EXACT for r, slope in zip(ratios, slopes, strict=True))
    return 2 * pi * lcm(*(r.denominator for r in ratios)) / abs(slopes[0]) if slopes and whole else 0.0


def _slope(position: Value, variable: str, robot: Robot, numbers: Mapping[str, float]) -> float:
    """The slope of a coordinate, which is linear in the variables."""
    if variable not in symbols(position):
        return 0.0
    rest = {str(joint.variable): 0.0 for joint in robot.joints if joint.variable}
    return evaluate(position, {**numbers, **rest, variable: 1.0}) - evaluate(position, {**numbers, **rest})


def in_turn_of(q: Array, period: Array, near: Array) -> Array:
    """The positions (..., joints) in the turn that is nearest to another configuration."""
    turns = np.round((near - q) / np.where(period > 0, period, np.inf))
    moved: Array = q + turns * period
    return moved


def in_limits(q: Array, period: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """The positions in the turn of the limits that is nearest to theirs, and whether all joints are inside (...)."""
    unit = np.where(period > 0, period, np.inf)
    with np.errstate(invalid="ignore"):
        least, most = np.ceil((lower - q) / unit - _AT_LIMIT), np.floor((upper - q) / unit + _AT_LIMIT)
        q = q + np.where(period > 0, np.clip(0.0, least, most), 0.0) * period
        inside = np.asarray(((q >= lower - _AT_LIMIT) & (q <= upper + _AT_LIMIT)).all(-1))
    return q, inside
