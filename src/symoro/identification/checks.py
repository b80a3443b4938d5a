"""What can be wrong with measurements, seen from the channels alone: time, units, joints that stand still."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import pi

import numpy as np

from symoro.identification.readers.columns import Array
from symoro.identification.runs import Run
from symoro.identification.subject import Subject
from symoro.interface import robot_numbers
from symoro.robot.joint import Joint
from symoro.robot.values import Value, evaluate, symbols

_SLOWEST = 10.0
"""Hz: recordings at a lower rate are rare, and milliseconds taken for seconds are not."""
_TURNS = 4 * pi
"""Radians: a joint that turns further is probably given in degrees."""
_BEYOND = 1.5
"""Times the limit of a joint: positions beyond it are probably in another unit."""
_STILL = 1e-9


def noticed(subject: Subject, runs: Sequence[Run]) -> Iterator[str]:
    """Warnings about all runs."""
    rate = 1.0 / runs[0].period
    if rate < _SLOWEST:
        yield f"samples are {runs[0].period:.3g} s apart: is the time in milliseconds? (units={{'t': 'ms'}})"
    if rate > 1e6:
        yield f"samples are {runs[0].period:.3g} s apart: is the rate {rate:.3g} Hz right?"
    for k, joint in enumerate(subject.variables):
        yield from _of_positions(subject, joint, np.concatenate([run["q"][:, k] for run in runs]))
    for k, joint in enumerate(subject.motors):
        tau = np.concatenate([run["tau"][:, k] for run in runs])
        if np.ptp(tau) <= _STILL * (1 + np.abs(tau).max()):
            yield f"torque of {_name(joint)} is constant ({tau[0]:.4g}): it tells nothing"


def _of_positions(subject: Subject, joint: Joint, q: Array) -> Iterator[str]:
    low, high = float(q.min()), float(q.max())
    if high - low <= _STILL * (1 + abs(high)):
        yield f"{_name(joint)} never moves (q = {low:.4g}): parameters that only its motion shows cannot be found"
    bounds = [_number(subject, x) for x in (joint.limits.lower, joint.limits.upper)]
    largest = max((abs(x) for x in bounds if x is not None), default=None)
    beyond = largest is not None and max(abs(low), abs(high)) > _BEYOND * largest
    if joint.revolute and (beyond or high - low > _TURNS):
        what = f"position of {_name(joint)} goes from {low:.4g} to {high:.4g} rad"
        yield f"{what}: are these degrees? (units={{'q': 'deg'}})"
    elif joint.prismatic and (beyond or high - low > 20.0):
        yield f"position of {_name(joint)} goes from {low:.4g} to {high:.4g} m: are these millimetres?"


def _number(subject: Subject, value: Value | None) -> float | None:
    numbers = robot_numbers(subject.robot)
    return evaluate(value, numbers) if value is not None and symbols(value) <= numbers.keys() else None


def _name(joint: Joint) -> str:
    return f"joint {joint.name or joint.variable}"
