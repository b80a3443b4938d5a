"""What can be wrong with measurements, seen from the channels alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import pi

import numpy as np

from symoro.bind.interface import robot_numbers
from symoro.findings import Finding, any_has
from symoro.identification.arrays import Array
from symoro.identification.read.channels import turning
from symoro.identification.read.runs import Run, cut_off, spikes
from symoro.identification.subject.subject import Subject
from symoro.robot.joint import Joint
from symoro.robot.values import Value, evaluate, symbols

# Channels that break off: encoders that wrap or are reset, values that stand still while the robot moves.


_FAR = 20.0
"""A jump over the largest steps beside it, and over nearly all steps of the run."""
_LARGE = 0.02
"""A jump over the range of the positions: smaller ones are steps of a coarse encoder."""
_MOST = 20
"""Jumps of a run; more are the steps of a coarse encoder."""
_WHOLE = 0.05
"""Radians by which a jump may differ from whole turns."""
_LONG = 0.05
"""Part of a run during which a stuck channel does not change."""
_FEWEST = 20
"""Samples of it."""
_MOVES = 0.1
"""Part of its range that a joint moves meanwhile."""
_BESIDE, _SUDDEN = 5, 0.2
"""Samples beside a rest, and how fast a joint moves there over its usual speed, of a position that is stuck."""
_STEPS = 2.5
"""Steps of its encoder that it moves there."""
_REGULAR = 0.95
"""Part of the changes of a channel that are equally far apart, where it was recorded at a lower rate."""
_REPEATED = 0.3
"""Part of the samples that repeat the one before, from which on a recording is slower than its times say."""


def broken(subject: Subject, runs: Sequence[Run]) -> Iterator[Finding]:
    """Warnings about channels that break off."""
    for k, joint in enumerate(subject.variables):
        for run in runs:
            yield from _jumps(joint, run, run["q"][:, k])
    for k, joint in enumerate(subject.motors):
        for run in runs:
            place = subject.variables.index(joint)
            position = run["q"][:, place]
            yield from _stuck(joint, run, run["tau"][:, k], position)
            yield from _frozen(joint, run, position, run.steps_of_positions[place])
    repeated = list(_repeated(runs))
    yield from repeated or _held(runs)


def jumps(q: Array) -> Array:
    """The samples behind which positions jump; none where there are so many that they are steps of an encoder."""
    size = np.abs(np.diff(q))
    usual = float(np.quantile(size, 0.99))
    beside = np.maximum(np.append(size[1:], 0.0), np.append(0.0, size[:-1]))
    samples = np.flatnonzero((size > _FAR * np.maximum(beside, usual)) & (size > _LARGE * np.ptp(q)))
    return samples if len(samples) <= _MOST else samples[:0]


def _jumps(joint: Joint, run: Run, q: Array) -> Iterator[Finding]:
    """Positions that jump from one sample to the next."""
    samples = jumps(q)
    if not len(samples):
        return
    sizes = np.abs(np.diff(q))
    usual, first = float(np.quantile(sizes, 0.99)), int(samples[0])
    more = Finding("measurements.and_more_times", count=len(samples) - 1) if len(samples) > 1 else ""
    size, t, name = float(sizes[first]), float(run.t[first + 1]), joint.label
    if joint.revolute and _turns(size, 2 * pi, usual):
        yield Finding("measurements.jump_of_turns", joint=name, size=size, t=t, more=more)
    elif joint.revolute and _turns(size, 360.0, usual):
        yield Finding("measurements.jump_of_degrees", joint=name, size=size, t=t, more=more, units=_DEGREES)
    else:
        yield Finding("measurements.jump", joint=name, size=size, t=t, more=more)


def _turns(size: float, turn: float, usual: float) -> bool:
    count = round(size / turn)
    return count > 0 and abs(size - count * turn) < _WHOLE * turn / (2 * pi) + 2 * usual


def _stuck(joint: Joint, run: Run, tau: Array, q: Array) -> Iterator[Finding]:
    """A torque that stays exactly equal while its joint moves, though it changes elsewhere."""
    first, last = _longest_rest(tau)
    if last - first >= _long(tau) and np.ptp(q[first:last]) >= _MOVES * np.ptp(q):
        begin, end = _when(run, first, last)
        value = float(tau[first])
        yield Finding("measurements.torque_stuck", joint=joint.label, value=value, first=begin, last=end)


def _frozen(joint: Joint, run: Run, q: Array, step: float) -> Iterator[Finding]:
    """A position that stays exactly equal from one sample to the next, though the joint moved: no joint stops so.

    Between two steps of its encoder each joint seems to stop.
    """
    first, last = _longest_rest(q)
    if last - first < _long(q):
        return
    usual = float(np.quantile(np.abs(np.diff(q)), 0.9))
    ends = (q[max(0, first - _BESIDE) : first + 1], q[last - 1 : last + _BESIDE])
    sudden = max(_SUDDEN * _BESIDE * usual, _STEPS * step)
    if any(len(x) > _BESIDE and abs(float(x[-1] - x[0])) > sudden for x in ends):
        begin, end = _when(run, first, last)
        value = float(q[first])
        yield Finding("measurements.position_stuck", joint=joint.label, value=value, first=begin, last=end)


def _longest_rest(x: Array) -> tuple[int, int]:
    """The first sample of the longest part of a channel in which it does not change, and the one behind it."""
    if np.ptp(x) == 0:
        return 0, 0
    edges = np.flatnonzero(np.concatenate([[True], np.diff(x) != 0, [True]]))
    longest = int(np.argmax(np.diff(edges)))
    return int(edges[longest]), int(edges[longest + 1])


def _long(x: Array) -> float:
    return max(_FEWEST, _LONG * len(x))


def _when(run: Run, first: int, last: int) -> tuple[float, float]:
    """The times of the first sample of a part, and of its last one."""
    return float(run.t[first]), float(run.t[last - 1])


def _held(runs: Sequence[Run]) -> Iterator[Finding]:
    """Positions, or torques, that change at every n-th sample only, all joints together: they were recorded slower."""
    for channel, code in (("q", "measurements.positions_held"), ("tau", "measurements.torques_held")):
        steps = [np.diff(np.flatnonzero((np.diff(run[channel], axis=0) != 0).any(axis=1))) for run in runs]
        every = np.concatenate(steps)
        usual = int(np.median(every)) if len(every) >= _FEWEST else 1
        if usual > 1 and float(np.mean(every == usual)) > _REGULAR:
            rate = 1 / runs[0].period
            yield Finding(code, every=usual, true=rate / usual, rate=rate)


def _repeated(runs: Sequence[Run]) -> Iterator[Finding]:
    """Samples that repeat the one before in all channels: a slow recording that was written at a higher rate."""
    same = [np.all([(np.diff(run[name], axis=0) == 0).all(axis=1) for name in ("q", "tau")], axis=0) for run in runs]
    share = float(np.mean(np.concatenate(same)))
    if share > _REPEATED:
        rate = 1 / runs[0].period
        yield Finding("measurements.repeated", percent=100 * share, true=rate * (1 - share), rate=rate)


# What can be wrong with the measured motion of a floating base: orientations and angular velocities that differ.


_DIFFERENT = 0.5
"""Difference of two angular velocities over the larger one, from which on they are not the same motion."""
_EQUAL, _SMALL = 0.2, 0.05
"""The differences up to which another reading is named, and up to which nothing is suspected."""
_BETTER = 0.5
"""Difference over that of the data as they were given, of another reading that is named."""
_STANDS = 1e-3
"""Radians a second: a base that turns more slowly shows no difference."""


def base_suspicions(runs: Sequence[Run]) -> Iterator[Finding]:
    """A warning where ω of V0 is not the derivative of quat, with what would explain it."""
    quat = [run["quat"] for run in runs]
    parts = [_compared(x, run) for x, run in zip(quat, runs, strict=True)]
    body, world, V0 = (np.concatenate(part) for part in zip(*parts, strict=True))
    if (as_recorded := _apart(body, V0[:, 3:])) < _SMALL:
        return
    first = np.concatenate([_compared(np.roll(x, -1, axis=1), run)[0] for x, run in zip(quat, runs, strict=True)])
    readings = {
        "measurements.quat_w_first": (first, V0[:, 3:]),
        "measurements.quat_inverse": (-world, V0[:, 3:]),
        "measurements.V0_in_world": (world, V0[:, 3:]),
        "measurements.V0_order": (body, V0[:, :3]),
        "measurements.V0_degrees": (body, V0[:, 3:] * pi / 180),
        "measurements.V0_sign": (body, -V0[:, 3:]),
    }
    differences = {code: _apart(*both) for code, both in readings.items()}
    best = min(differences, key=lambda code: differences[code])
    if differences[best] < min(_EQUAL, _BETTER * as_recorded):
        yield Finding("measurements.base_reading", reading=Finding(best))
    elif as_recorded > _DIFFERENT:
        yield Finding("measurements.base_velocity")


def _compared(quat: Array, run: Run) -> tuple[Array, Array, Array]:
    """ω of the orientations in frame 0 and in the frame of the world, and V0, at the same times."""
    body, world, rows = turning(quat, run.period)
    return body, world, run["V0"][rows]


def _apart(a: Array, b: Array) -> float:
    """The difference of two angular velocities over the larger one; 0 where the base stands."""
    largest = max(float(np.linalg.norm(a)), float(np.linalg.norm(b)))
    return float(np.linalg.norm(a - b)) / largest if largest > _STANDS * np.sqrt(len(a)) else 0.0


# What can be wrong with measurements, seen from the channels alone: time, units, joints that stand still.


_SLOWEST = 10.0
"""Hz: recordings at a lower rate are rare, and milliseconds taken for seconds are not."""
_TIMES = (
    (1e5, "ns", "measurements.slow_in_nanoseconds"),
    (100.0, "us", "measurements.slow_in_microseconds"),
    (0.0, "ms", "measurements.slow_in_milliseconds"),
)
"""Times between samples from which on a unit is the most plausible one."""
_FASTEST = 1e5
"""Hz: recordings at a higher rate are rare, and seconds taken for milliseconds are not."""
_TURNS = 4 * pi
"""Radians: a joint that turns further is probably given in degrees."""
_LONGEST = 20.0
"""Metres: a joint that moves further is probably given in millimetres."""
_BEYOND, _FAR_BEYOND = 1.5, 10.0
"""Times the limit of a joint: positions beyond it are of another column or unit, far beyond it of another unit."""
_STILL = 1e-9
_OPEN = 0.02
"""Metres or radians by which measured positions may leave loops open."""
_DEFORMED = 0.5
"""Deformation of a spring over the motion of its motor."""
_OTHER = 0.2
"""Relative difference between a measured velocity and the derivative of the position."""
_WINDOW = 0.05
"""Seconds over which velocities are compared."""


_DEGREES = "units={'q': 'deg'}"


def positions_are_wrong(warnings: Iterable[Finding]) -> bool:
    """Whether warnings say that positions have another unit, or belong to other joints."""
    return any_has(warnings, "positions")


def cause_is_known(warnings: Iterable[Finding]) -> bool:
    """Whether warnings name what is wrong for certain: other readings of such data would mislead."""
    return any_has(warnings, "certain")


def named_first(warnings: Iterable[Finding]) -> list[Finding]:
    """Warnings that name a cause, then those that say where something is wrong, or which branch was taken."""
    return sorted(warnings, key=lambda finding: finding.has("general"))


def noticed(subject: Subject, runs: Sequence[Run]) -> Iterator[Finding]:
    """Warnings about all runs."""
    yield from broken(subject, runs)
    rate = 1.0 / runs[0].period
    if rate < _SLOWEST:
        unit, code = next((unit, code) for least, unit, code in _TIMES if runs[0].period >= least)
        yield Finding(code, period=runs[0].period, units=f"units={{'t': {unit!r}}}")
    if rate > _FASTEST:
        yield Finding("measurements.fast", period=runs[0].period, rate=rate)
    for k, joint in enumerate(subject.variables):
        yield from _of_positions(subject, joint, np.concatenate([run["q"][:, k] for run in runs]))
    for k, joint in enumerate(subject.motors):
        tau = np.concatenate([run["tau"][:, k] for run in runs])
        if np.ptp(tau) <= _STILL * (1 + np.abs(tau).max()):
            yield Finding("measurements.torque_constant", joint=joint.label, value=float(tau[0]))
    yield from _of_spikes(subject, runs)
    yield from _of_loops(subject, runs)
    yield from _of_springs(subject, runs)
    yield from _of_velocities(subject, runs)
    if subject.has_free_base:
        yield from base_suspicions(runs)


def _of_spikes(subject: Subject, runs: Sequence[Run]) -> Iterator[Finding]:
    """Torques with single samples that are far from their neighbours, or that are cut off."""
    places = {joint.index: k for k, joint in enumerate(subject.variables)}
    for k, joint in enumerate(subject.motors):
        times = np.concatenate([run.t[_spikes_in_motion(run, k, places.get(joint.index))] for run in runs])
        if len(times) == 1:
            yield Finding("measurements.spike", joint=joint.label, t=float(times[0]))
        elif len(times):
            yield Finding("measurements.spikes", joint=joint.label, count=len(times), t=float(times[0]))
        if cut := cut_off(np.concatenate([run["tau"][:, k] for run in runs])):
            yield Finding("measurements.cut_off", joint=joint.label, value=cut[0], count=cut[1])


def _spikes_in_motion(run: Run, motor: int, position: int | None) -> Array:
    """The rows of the spikes of a torque; where the joint stands still for a moment, friction alone makes some."""
    rows = spikes(run["tau"][:, motor], "tau")
    if position is None or not len(rows):
        return rows
    step = np.abs(np.gradient(run["q"][:, position]))
    return np.asarray(rows[step[rows] > _STANDS * step.max()])


def _of_loops(subject: Subject, runs: Sequence[Run]) -> Iterator[Finding]:
    """Loops that are open at the measured positions."""
    if not subject.robot.cuts:
        return
    from symoro.solve.loops import loop_geometry

    q = np.concatenate([run["q"][:: max(1, run.count // 100)] for run in runs])
    gap = float(np.abs(loop_geometry(subject.robot).compile().gap(q)).max(initial=0.0))
    if not gap <= _OPEN:
        yield Finding("measurements.loops_open", robot=subject.robot.name, gap=gap)


def _of_springs(subject: Subject, runs: Sequence[Run]) -> Iterator[Finding]:
    """Two sides of a spring that move far apart."""
    for _, joint, _ in subject.springs:
        place = subject.variables.index(joint)
        if place and subject.variables[place - 1].actuated:
            motor, spring = (np.concatenate([run["q"][:, k] for run in runs]) for k in (place - 1, place))
            if np.ptp(motor) > 0 and np.ptp(motor + spring) <= _STILL * np.ptp(motor):
                yield Finding("measurements.link_stuck", joint=subject.variables[place - 1].label)
            elif np.ptp(spring) > _DEFORMED * np.ptp(motor):
                name, deformation = subject.variables[place - 1].label, float(np.ptp(spring))
                yield Finding("measurements.sides_differ", joint=name, deformation=deformation)


def _of_velocities(subject: Subject, runs: Sequence[Run]) -> Iterator[Finding]:
    """Velocities that are measured and are not the derivatives of the positions."""
    for k, joint in enumerate(subject.moving if "qd" in runs[0] else ()):
        place = subject.variables.index(joint)
        pairs = [_in_windows(run["q"][:, place], run["qd"][:, k], run.period) for run in runs]
        slope, measured = (np.concatenate(part) for part in zip(*pairs, strict=True))
        size = float(slope @ slope)
        if size and not abs((ratio := float(slope @ measured) / size) - 1) < _OTHER:
            yield Finding("measurements.velocity", joint=joint.label, ratio=ratio)


def _in_windows(q: Array, qd: Array, period: float) -> tuple[Array, Array]:
    """Mean velocities over short times, by positions and as measured: noise of single samples matters little."""
    step = max(1, min(round(_WINDOW / period), len(q) // 4))
    way = np.concatenate([[0.0], np.cumsum((qd[1:] + qd[:-1]) / 2)])
    return (q[step:] - q[:-step]) / (step * period), (way[step:] - way[:-step]) / step


def _of_positions(subject: Subject, joint: Joint, q: Array) -> Iterator[Finding]:
    low, high = float(q.min()), float(q.max())
    if high - low <= _STILL * (1 + abs(high)):
        yield Finding("measurements.never_moves", joint=joint.label, value=low)
    bounds = [_number(subject, x) for x in (joint.limits.lower, joint.limits.upper)]
    largest = max((abs(x) for x in bounds if x is not None), default=None)
    times = max(abs(low), abs(high)) / largest if largest else 0.0
    unit, most = ("rad", _TURNS) if joint.revolute else ("m", _LONGEST)
    name = joint.label
    if high - low > most or times > _FAR_BEYOND:
        code, units = _probable_unit(joint, high - low)
        yield Finding(code, joint=name, low=low, high=high, unit=unit, units=units)
    elif times > _BEYOND:
        yield Finding("measurements.beyond_limit", joint=name, low=low, high=high, unit=unit, limit=largest)


def _probable_unit(joint: Joint, span: float) -> tuple[str, str]:
    """The code of the unit that positions probably have, and the option that says so."""
    if joint.prismatic:
        return "measurements.in_millimetres", "units={'q': …}"
    if span < _TURNS * 180 / pi:
        return "measurements.in_degrees", _DEGREES
    return "measurements.in_counts", "units={'q': factor}"


def _number(subject: Subject, value: Value | None) -> float | None:
    numbers = robot_numbers(subject.robot)
    return evaluate(value, numbers) if value is not None and symbols(value) <= numbers.keys() else None
