"""Recordings of the motors of closed loops alone: which branch the loops were on, and the positions of all joints.

Every way to close the loops at the first sample is followed along the runs. Of those that can be followed, the one is
taken whose torques fit best; those that fit alike are left to the rule of exciting motions (`usual_configuration`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symoro.errors import CannotClose, DataError
from symoro.findings import Finding, Place
from symoro.identification.arrays import Array
from symoro.identification.process.processing import Moved, Processing, moved
from symoro.identification.process.signals import band_of, low_pass
from symoro.identification.read.runs import Run
from symoro.identification.subject.branch import LoopBranch, usual_configuration
from symoro.identification.subject.paths import along, nearest
from symoro.identification.subject.subject import Subject, usual_box

_SAMPLES = 400
"""Samples on which branches are compared."""
_MOST = 16
"""Ways to close the loops that are compared at most."""
_ALIKE = 1.1
"""Error over the least one, of branches that the torques do not tell apart."""
_SAME = 1e-3
"""Difference of two configurations of one branch."""


@dataclass(frozen=True)
class _Way:
    """A branch: its configuration at the first sample, and the error of a fit of the torques."""

    start: Array
    error: float = 0.0


def has_motors_alone(subject: Subject, run: Run) -> bool:
    """Whether a run has the positions of the motors of closed loops, and not those of all joints."""
    return bool(subject.robot.cuts) and run["q"].shape[1] == len(subject.motors) < len(subject.variables)


def closed_runs(
    subject: Subject, runs: Sequence[Run], guess: Any, known: Array | None = None
) -> tuple[tuple[Run, ...], list[Finding]]:
    """The runs with the positions of all joints, and warnings; `guess` is a configuration of the branch; home
    is the default.

    `known` are configurations of the branch, of a recording that the runs are pieces of.
    """
    if not any(has_motors_alone(subject, run) for run in runs):
        return tuple(runs), []
    loops = LoopBranch(subject)
    x = runs[0]["q"][:1]
    if known is None and (chosen := loops.chosen(guess)) is not None:
        known = chosen[None]
    if not has_motors_alone(subject, runs[0]):
        starts = x
    elif known is not None:
        starts = loops.reached(nearest(loops, known, x[0]), x)
    else:
        starts = _every_start(loops, runs[0])
    ways = [_Way(start) for start in starts if np.isfinite(start).all()]
    ways = _by_error(loops, ways, runs) if len(ways) > 1 else ways
    best, warnings = _chosen(loops, ways) if len(ways) > 1 else (ways[0] if ways else None, [])
    closed = None if best is None else _followed(loops, best.start, runs)
    if closed is None:
        raise DataError("branches.open" if known is None else "branches.open_on_guess", place=Place(runs[0].source))
    return closed, [*warnings, *_dead_points(loops, closed)]


def _every_start(loops: LoopBranch, run: Run) -> Array:
    """Ways to close the loops at the first sample, inside the limits of the joints, small passive joints first."""
    try:
        starts = loops.assembly.branches(run["q"][0])
    except CannotClose as error:
        raise DataError("branches.open_at_first", reason=error.finding, place=Place(run.source)) from None
    order = np.argsort(np.linalg.norm(starts[:, loops.passive], axis=1), kind="stable")
    return np.asarray(starts[order[:_MOST]])


def _followed(loops: LoopBranch, start: Array, runs: Sequence[Run]) -> tuple[Run, ...] | None:
    """The runs on the branch of a configuration, each from the sample before it that is nearest; None where it ends."""
    known, closed = start[None], []
    for run in runs:
        if has_motors_alone(loops.subject, run):
            q = along(loops, nearest(loops, known, run["q"][0]), run["q"])
            if not np.isfinite(q).all():
                return None
            steps = np.zeros(q.shape[1])
            steps[loops.motors] = run.steps_of_positions
            run = replace(run.with_channels(q=q), steps={"q": steps})
        known = np.vstack([known, run["q"]])
        closed.append(run)
    return tuple(closed)


def _by_error(loops: LoopBranch, ways: Sequence[_Way], runs: Sequence[Run]) -> list[_Way]:
    """The branches that can be followed along some samples of the runs, those whose torques fit best first."""
    motions = _some_samples(loops, runs)
    followed = []
    for way in ways:
        known = way.start[None]
        for motion in motions:
            x = motion.q[:, loops.motors]
            known = np.vstack([known, along(loops, nearest(loops, known, x[0]), x)])
        if np.isfinite(known).all():
            followed.append(replace(way, error=_error(loops.subject, motions, known[1:])))
    return sorted(followed, key=lambda way: way.error)


def _some_samples(loops: LoopBranch, runs: Sequence[Run]) -> list[Moved]:
    """Some samples of each run, filtered; the columns of passive joints have no meaning."""
    whole = [replace(run.with_channels(q=_wide(loops, run)), steps={}) for run in runs]
    cutoff, step = band_of(whole).cutoff, max(1, sum(run.count for run in runs) // _SAMPLES)
    motions = []
    for run in whole:
        motion = moved(loops.subject, run, Processing(cutoff, border=max(2, min(20, run.count // 10))))
        torques = low_pass(motion.torques, motion.period, cutoff)
        some = {name: getattr(motion, name)[::step] for name in ("t", "q", "qd", "qdd", "speeds")}
        base = {name: x[::step] for name, x in motion.base.items()}
        motions.append(replace(motion, **some, torques=torques[::step], base=base))
    return motions


def _wide(loops: LoopBranch, run: Run) -> Array:
    """Positions with a column for each joint."""
    if not has_motors_alone(loops.subject, run):
        return run["q"]
    q = np.zeros((run.count, len(loops.subject.variables)))
    q[:, loops.motors] = run["q"]
    return q


def _error(subject: Subject, motions: Sequence[Moved], q: Array) -> float:
    """‖y − W β‖ / ‖y‖ for the best β along some samples, rows of each motor divided by their size."""
    ends = np.cumsum([motion.count for motion in motions])
    parts = zip(motions, np.split(q, ends[:-1]), strict=True)
    D = np.concatenate([subject.evaluate(at, m.qd, m.qdd, m.base) for m, at in parts])
    y = np.concatenate([motion.torques for motion in motions])
    size = np.sqrt(np.mean(y**2, axis=0))
    size[size == 0] = 1.0
    W, z = (D / size[:, None]).reshape(-1, D.shape[-1]), (y / size).ravel()
    if not np.isfinite(W).all():
        return float("inf")
    length = np.linalg.norm(W, axis=0)
    W = W / np.where(length > 0, length, 1.0)
    left = z - W @ np.linalg.lstsq(W, z, rcond=1e-9)[0]
    return float(np.linalg.norm(left) / max(float(np.linalg.norm(z)), 1e-300))


def _chosen(loops: LoopBranch, ways: Sequence[_Way]) -> tuple[_Way, list[Finding]]:
    """The branch that fits best, or the usual one of those that fit alike; and why."""
    alike = [way for way in ways if way.error <= _ALIKE * ways[0].error]
    best = ways[0] if len(alike) == 1 else _usual(loops, alike)
    names = [str(loops.subject.variables[k].variable) for k in loops.passive]
    positions = [
        Finding("branches.position", name=name, value=float(best.start[k]))
        for name, k in zip(names, loops.passive, strict=True)
    ]
    least = 100 * best.error
    if len(alike) == 1:
        why = Finding("branches.fits_best", least=least, next=100 * ways[1].error)
    else:
        why = Finding("branches.fit_alike", count=len(alike), least=least)
    robot = loops.subject.robot.name
    return best, [Finding("branches.several", count=len(ways), robot=robot, why=why, positions=positions)]


def _usual(loops: LoopBranch, alike: Sequence[_Way]) -> _Way:
    """The branch of the usual configuration, else the one with the smallest passive joints."""
    box = usual_box(loops.subject, loops.subject.motors)
    at = alike[0].start[loops.motors]
    try:
        usual = loops.reached(usual_configuration(loops, box.low, box.high), at[None])[0]
    except CannotClose:
        usual = np.full(len(loops.subject.variables), np.nan)
    same = [one for one in alike if loops.apart(one.start, usual) < _SAME]
    return (same or sorted(alike, key=lambda one: float(np.linalg.norm(one.start[loops.passive]))))[0]


def _dead_points(loops: LoopBranch, runs: Sequence[Run]) -> Iterator[Finding]:
    """A warning where the loops pass a dead point, behind which the branch is not certain."""
    for run in runs:
        if len(passed := loops.dead_points(run["q"])):
            yield Finding("branches.dead_point", t=float(run.t[passed[0]]), place=Place(run.source))
