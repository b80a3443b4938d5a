"""Channels that break off: encoders that wrap or are reset, values that stand still while the robot moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import pi

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.recordings.runs import Run
from symoro.identification.subject.subject import Subject
from symoro.robot.joint import Joint

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


def broken(subject: Subject, runs: Sequence[Run]) -> Iterator[str]:
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
    found = np.flatnonzero((size > _FAR * np.maximum(beside, usual)) & (size > _LARGE * np.ptp(q)))
    return found if len(found) <= _MOST else found[:0]


def _jumps(joint: Joint, run: Run, q: Array) -> Iterator[str]:
    """Positions that jump from one sample to the next."""
    found = jumps(q)
    if not len(found):
        return
    size = np.abs(np.diff(q))
    usual = float(np.quantile(size, 0.99))
    first, more = int(found[0]), f", and {len(found) - 1} times more" if len(found) > 1 else ""
    what = f"position of joint {joint.label} jumps by {size[first]:.4g}"
    where = f"at t = {run.t[first + 1]:.4g} s{more}"
    if joint.revolute and _turns(float(size[first]), 2 * pi, usual):
        yield f"{what} (2π) {where}: the encoder wraps or was reset; add whole turns"
    elif joint.revolute and _turns(float(size[first]), 360.0, usual):
        yield f"{what} {where}: degrees of an encoder that wraps; add whole turns, and say units={{'q': 'deg'}}"
    else:
        yield f"{what} {where}: an encoder that was reset, or samples that were lost?"


def _turns(size: float, turn: float, usual: float) -> bool:
    count = round(size / turn)
    return count > 0 and abs(size - count * turn) < _WHOLE * turn / (2 * pi) + 2 * usual


def _stuck(joint: Joint, run: Run, tau: Array, q: Array) -> Iterator[str]:
    """A torque that stays exactly equal while its joint moves, though it changes elsewhere."""
    first, last = _longest_rest(tau)
    if last - first >= _long(tau) and np.ptp(q[first:last]) >= _MOVES * np.ptp(q):
        name = joint.label
        what = f"torque of joint {name} stays at {tau[first]:.4g} {_when(run, first, last)} while the joint moves"
        yield f"{what}: is the channel stuck?"


def _frozen(joint: Joint, run: Run, q: Array, step: float) -> Iterator[str]:
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
        what = f"position of joint {joint.label} stays at {q[first]:.4g} {_when(run, first, last)}"
        yield f"{what}, and moves at once before or behind it: is the channel stuck?"


def _longest_rest(x: Array) -> tuple[int, int]:
    """The first sample of the longest part of a channel in which it does not change, and the one behind it."""
    if np.ptp(x) == 0:
        return 0, 0
    edges = np.flatnonzero(np.concatenate([[True], np.diff(x) != 0, [True]]))
    longest = int(np.argmax(np.diff(edges)))
    return int(edges[longest]), int(edges[longest + 1])


def _long(x: Array) -> float:
    return max(_FEWEST, _LONG * len(x))


def _when(run: Run, first: int, last: int) -> str:
    return f"from t = {run.t[first]:.4g} s to {run.t[last - 1]:.4g} s"


def _held(runs: Sequence[Run]) -> Iterator[str]:
    """Positions, or torques, that change at every n-th sample only, all joints together: they were recorded slower."""
    for channel, word in (("q", "positions"), ("tau", "torques")):
        steps = [np.diff(np.flatnonzero((np.diff(run[channel], axis=0) != 0).any(axis=1))) for run in runs]
        every = np.concatenate(steps)
        usual = int(np.median(every)) if len(every) >= _FEWEST else 1
        if usual > 1 and float(np.mean(every == usual)) > _REGULAR:
            rate = 1 / runs[0].period
            what = f"{word} change only every {usual} samples"
            rates = f"recorded at {rate / usual:.3g} Hz and written at {rate:.6g} Hz"
            yield f"{what}: were they {rates}? Take one row of {usual}"


def _repeated(runs: Sequence[Run]) -> Iterator[str]:
    """Samples that repeat the one before in all channels: a slow recording that was written at a higher rate."""
    same = [np.all([(np.diff(run[name], axis=0) == 0).all(axis=1) for name in ("q", "tau")], axis=0) for run in runs]
    share = float(np.mean(np.concatenate(same)))
    if share > _REPEATED:
        rate = 1 / runs[0].period
        yield (
            f"{100 * share:.0f} % of the samples repeat the one before: was it recorded at {rate * (1 - share):.3g} Hz "
            f"and written at {rate:.6g} Hz?"
        )
