"""Limits of exciting motions: of each motor, and of the tool's point; and the largest motions inside them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from symoro.errors import MotionError
from symoro.identification.excitation_cost import Box
from symoro.identification.excited import Excited, Workspace
from symoro.identification.fourier_motion import Series
from symoro.identification.readers.columns import Array
from symoro.identification.spline_motion import Spline
from symoro.identification.subject import Subject
from symoro.interface import robot_numbers
from symoro.robot.joint import Joint
from symoro.robot.values import evaluate, symbols

Curves = Series | Spline
"""A periodic motion of all motors."""
_SHRINK = 1 - 1e-12
_CLOSE = 1e-10
"""Part of the workspace by which the tool's point stays away from its sides, for what lies between samples."""


def workspace_of(subject: Subject, given: Any, tool: int | str | None) -> Workspace | None:
    """The box that is given, and the frame that stays in it."""
    if given is None:
        if tool is not None:
            raise MotionError("tool is the frame that stays in a workspace: give workspace, too")
        return None
    try:
        limits = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        limits = np.zeros(0)
    if limits.shape != (3, 2) or not np.isfinite(limits).all() or not (limits[:, 0] < limits[:, 1]).all():
        raise MotionError("workspace is not allowed (allowed: a lower and an upper limit of x, y and z)")
    frame = subject.given.link_count if tool is None else subject.given.frame_ref(tool)
    return Workspace(frame, limits[:, 0], limits[:, 1])


def box_of(excited: Excited, position: Any, velocity: Any, acceleration: Any) -> Box:
    """The limits that are given, else those of the robot, else ±2 rad or 0.3 m, 3 rad/s or 0.5 m/s."""
    subject, joints = excited.subject, excited.joints
    n = len(joints)
    turns = np.array([joint.revolute for joint in joints])
    usual = np.where(turns, 2.0, 0.3)
    own = np.array(
        [[_limit(subject, j, "lower", -u), _limit(subject, j, "upper", u)] for j, u in zip(joints, usual, strict=True)]
    )
    limits = own if position is None else np.asarray(position, dtype=float).reshape(-1, 2)
    if limits.shape != (n, 2) or not np.isfinite(limits).all() or not (limits[:, 0] < limits[:, 1]).all():
        raise MotionError(f"position is not allowed (allowed: a lower and an upper limit for each of {n} joints)")
    speed = np.array([_limit(subject, j, "velocity", 3.0 if t else 0.5) for j, t in zip(joints, turns, strict=True)])
    fastest = each("velocity", speed if velocity is None else velocity, n)
    hardest = each("acceleration", np.where(turns, 10.0, 2.0) if acceleration is None else acceleration, n)
    return Box(limits[:, 0], limits[:, 1], fastest, hardest)


def _limit(subject: Subject, joint: Joint, name: str, usual: float) -> float:
    value, numbers = getattr(joint.limits, name), robot_numbers(subject.robot)
    return evaluate(value, numbers) if value is not None and symbols(value) <= numbers.keys() else usual


def each(name: str, given: Any, n: int) -> Array:
    try:
        found = np.broadcast_to(np.asarray(given, dtype=float), (n,))
    except (TypeError, ValueError):
        found = np.zeros(n)
    if not np.isfinite(found).all() or not (found > 0).all():
        raise MotionError(f"{name} = {given!r} is not allowed (allowed: one number or {n}, more than 0)")
    return found


def filled(series: Curves, box: Box) -> Curves:
    """The motion with the amplitude of each joint as large as its limits allow."""
    low, high, speed, acceleration = series.extremes()
    m = series.middle
    ratios = [
        (high - m) / (box.high - m),
        (m - low) / (m - box.low),
        speed / box.speed,
        acceleration / box.acceleration,
    ]
    worst = np.max(ratios, axis=0)
    return series.scaled(_SHRINK / np.where(worst > 0, worst, 1.0))


def within(excited: Excited, series: Curves | None) -> Curves | None:
    """The motion with smaller amplitudes, all by one factor, so that the tool's point stays inside the workspace."""
    space = excited.workspace
    if space is None or series is None:
        return series
    margin = _CLOSE * (space.high - space.low)
    inner = replace(space, low=space.low + margin, high=space.high - margin)
    if inner.beyond(excited.points(series.middle)).any():
        return None
    factor = np.ones(len(series.middle))
    for _ in range(60):
        smaller = series.scaled(factor)
        if not inner.beyond(_outermost(excited, smaller)).any():
            return smaller
        factor = factor * 0.95
    return None


def _outermost(excited: Excited, series: Curves) -> Array:
    """The points where a coordinate of the tool's point is largest or smallest: samples, refined by parabolas."""
    t = np.linspace(0.0, series.duration, 4001)
    p = excited.points(series.at(t)[0])
    step, found = t[1], [p]
    for axis in range(3):
        x = p[:, axis]
        peaks = 1 + np.flatnonzero((np.diff(x[:-1]) * np.diff(x[1:])) <= 0)
        bend = x[peaks + 1] - 2 * x[peaks] + x[peaks - 1]
        slope = (x[peaks + 1] - x[peaks - 1]) / 2
        shift = np.divide(-slope, bend, out=np.zeros_like(slope), where=np.abs(bend) > 0)
        found.append(excited.points(series.at(t[peaks] + step * np.clip(shift, -1, 1))[0]))
    return np.concatenate(found)
