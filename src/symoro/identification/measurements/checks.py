"""What can be wrong with measurements, seen from the channels alone: time, units, joints that stand still."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import pi

import numpy as np

from symoro.assembly import loop_geometry
from symoro.identification.arrays import Array
from symoro.identification.measurements.base_suspicions import base_suspicions
from symoro.identification.measurements.broken_channels import broken
from symoro.identification.recordings.runs import Run
from symoro.identification.recordings.spikes import cut_off, spikes
from symoro.identification.subject.subject import Subject
from symoro.interface import robot_numbers
from symoro.robot.joint import Joint
from symoro.robot.values import Value, evaluate, symbols

_SLOWEST = 10.0
"""Hz: recordings at a lower rate are rare, and milliseconds taken for seconds are not."""
_TIMES = ((1e5, "ns", "nanoseconds"), (100.0, "us", "microseconds"), (0.0, "ms", "milliseconds"))
"""Times between samples from which on a unit is the most plausible one."""
_FASTEST = 1e5
"""Hz: recordings at a higher rate are rare, and seconds taken for milliseconds are not."""
_TURNS = 4 * pi
"""Radians: a joint that turns further is probably given in degrees."""
_LONGEST = 20.0
"""Metres: a joint that moves further is probably given in millimetres."""
_BEYOND, _FAR_BEYOND = 1.5, 10.0
"""Times the limit of a joint: positions beyond it are of another column or unit, far beyond it of another unit."""
_STANDS = 1e-3
"""Speed of a joint over its largest one, of a joint that stands still for a moment."""
_STILL = 1e-9
_OPEN = 0.02
"""Metres or radians by which measured positions may leave loops open."""
_DEFORMED = 0.5
"""Deformation of a spring over the motion of its motor."""
_OTHER = 0.2
"""Relative difference between a measured velocity and the derivative of the position."""
_WINDOW = 0.05
"""Seconds over which velocities are compared."""


_WRONG = ("are these degrees", "are these millimetres", "are q and qm", "are open by")
_CERTAIN = (
    " jumps by ",
    " is constant (",
    " stays at ",
    "counts of an encoder",
    "repeat the one before",
    "inertias may be ",
    "steps of its encoder only",
    "change only",
)
_GENERAL = ("look for a wrong column", "ways to close the loops")


def positions_are_wrong(warnings: Sequence[str]) -> bool:
    """Whether warnings say that positions have another unit, or belong to other joints."""
    return any(word in text for text in warnings for word in _WRONG)


def cause_is_known(warnings: Sequence[str]) -> bool:
    """Whether warnings name what is wrong for certain: other readings of such data would mislead."""
    return any(word in text for text in warnings for word in _CERTAIN)


def named_first(warnings: Iterable[str]) -> list[str]:
    """Warnings that name a cause, then those that say where something is wrong, or which branch was taken."""
    return sorted(warnings, key=lambda text: any(word in text for word in _GENERAL))


def noticed(subject: Subject, runs: Sequence[Run]) -> Iterator[str]:
    """Warnings about all runs."""
    yield from broken(subject, runs)
    rate = 1.0 / runs[0].period
    if rate < _SLOWEST:
        unit, name = next((unit, name) for least, unit, name in _TIMES if runs[0].period >= least)
        yield f"samples are {runs[0].period:.3g} s apart: is the time in {name}? (units={{'t': {unit!r}}})"
    if rate > _FASTEST:
        yield f"samples are {runs[0].period:.3g} s apart: is the rate {rate:.3g} Hz right?"
    for k, joint in enumerate(subject.variables):
        yield from _of_positions(subject, joint, np.concatenate([run["q"][:, k] for run in runs]))
    for k, joint in enumerate(subject.motors):
        tau = np.concatenate([run["tau"][:, k] for run in runs])
        if np.ptp(tau) <= _STILL * (1 + np.abs(tau).max()):
            yield f"torque of {_name(joint)} is constant ({tau[0]:.4g}): it tells nothing"
    yield from _of_spikes(subject, runs)
    yield from _of_loops(subject, runs)
    yield from _of_springs(subject, runs)
    yield from _of_velocities(subject, runs)
    if subject.has_free_base:
        yield from base_suspicions(runs)


def _of_spikes(subject: Subject, runs: Sequence[Run]) -> Iterator[str]:
    """Torques with single samples that are far from their neighbours, or that are cut off."""
    places = {joint.index: k for k, joint in enumerate(subject.variables)}
    for k, joint in enumerate(subject.motors):
        found = np.concatenate([run.t[_spikes_in_motion(run, k, places.get(joint.index))] for run in runs])
        if len(found):
            number = "a spike" if len(found) == 1 else f"{len(found)} spikes, the first"
            what = f"torque of {_name(joint)} has {number} at {found[0]:.6g} s"
            yield f"{what}: NaN instead of them is interpolated; or method='irls' with decimation=1"
        if cut := cut_off(np.concatenate([run["tau"][:, k] for run in runs])):
            yield f"torque of {_name(joint)} stays at {cut[0]:.4g} in {cut[1]} samples: is it cut off there?"


def _spikes_in_motion(run: Run, motor: int, position: int | None) -> Array:
    """The rows of the spikes of a torque; where the joint stands still for a moment, friction alone makes some."""
    found = spikes(run["tau"][:, motor], "tau")
    if position is None or not len(found):
        return found
    step = np.abs(np.gradient(run["q"][:, position]))
    return np.asarray(found[step[found] > _STANDS * step.max()])


def _of_loops(subject: Subject, runs: Sequence[Run]) -> Iterator[str]:
    """Loops that are open at the measured positions."""
    if not subject.robot.cuts:
        return
    q = np.concatenate([run["q"][:: max(1, run.count // 100)] for run in runs])
    gap = float(np.abs(loop_geometry(subject.robot).compile().gap(q)).max(initial=0.0))
    if not gap <= _OPEN:
        what = f"the loops of {subject.robot.name} are open by {gap:.3g} m or rad at the measured positions"
        yield f"{what}: look for exchanged columns, a wrong unit or sign"


def _of_springs(subject: Subject, runs: Sequence[Run]) -> Iterator[str]:
    """Two sides of a spring that move far apart."""
    for _, joint, _ in subject.springs:
        place = subject.variables.index(joint)
        if place and subject.variables[place - 1].actuated:
            motor, spring = (np.concatenate([run["q"][:, k] for run in runs]) for k in (place - 1, place))
            if np.ptp(motor) > 0 and np.ptp(motor + spring) <= _STILL * np.ptp(motor):
                yield f"the link behind {_name(subject.variables[place - 1])} never moves: is its channel stuck?"
            elif np.ptp(spring) > _DEFORMED * np.ptp(motor):
                what = f"both sides of {_name(subject.variables[place - 1])} differ by {np.ptp(spring):.3g}"
                yield f"{what}: are q and qm of the same joint, in the same unit and sign?"


def _of_velocities(subject: Subject, runs: Sequence[Run]) -> Iterator[str]:
    """Velocities that are measured and are not the derivatives of the positions."""
    for k, joint in enumerate(subject.moving if "qd" in runs[0] else ()):
        place = subject.variables.index(joint)
        pairs = [_in_windows(run["q"][:, place], run["qd"][:, k], run.period) for run in runs]
        slope, measured = (np.concatenate(part) for part in zip(*pairs, strict=True))
        size = float(slope @ slope)
        if size and not abs((ratio := float(slope @ measured) / size) - 1) < _OTHER:
            what = f"velocity of {_name(joint)} is {ratio:.3g} times the derivative of its position"
            yield f"{what}: look for a wrong column or unit, or a wrong rate"


def _in_windows(q: Array, qd: Array, period: float) -> tuple[Array, Array]:
    """Mean velocities over short times, by positions and as measured: noise of single samples matters little."""
    step = max(1, min(round(_WINDOW / period), len(q) // 4))
    way = np.concatenate([[0.0], np.cumsum((qd[1:] + qd[:-1]) / 2)])
    return (q[step:] - q[:-step]) / (step * period), (way[step:] - way[:-step]) / step


def _of_positions(subject: Subject, joint: Joint, q: Array) -> Iterator[str]:
    low, high = float(q.min()), float(q.max())
    if high - low <= _STILL * (1 + abs(high)):
        yield f"{_name(joint)} never moves (q = {low:.4g}): parameters that only its motion shows cannot be found"
    bounds = [_number(subject, x) for x in (joint.limits.lower, joint.limits.upper)]
    largest = max((abs(x) for x in bounds if x is not None), default=None)
    times = max(abs(low), abs(high)) / largest if largest else 0.0
    unit, most = ("rad", _TURNS) if joint.revolute else ("m", _LONGEST)
    what = f"position of {_name(joint)} goes from {low:.4g} to {high:.4g} {unit}"
    if high - low > most or times > _FAR_BEYOND:
        yield f"{what}: are these {_probable_unit(joint, high - low)}"
    elif times > _BEYOND:
        yield f"{what}, and its limit is {largest:.4g}: look for a wrong column or unit"


def _probable_unit(joint: Joint, span: float) -> str:
    if joint.prismatic:
        return "millimetres? (units={'q': …})"
    if span < _TURNS * 180 / pi:
        return "degrees? (units={'q': 'deg'})"
    return "counts of an encoder, or mrad? (units={'q': factor})"


def _number(subject: Subject, value: Value | None) -> float | None:
    numbers = robot_numbers(subject.robot)
    return evaluate(value, numbers) if value is not None and symbols(value) <= numbers.keys() else None


def _name(joint: Joint) -> str:
    return f"joint {joint.name or joint.variable}"
