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
from symoro.identification.arrays import Array
from symoro.identification.process.filters import low_pass
from symoro.identification.process.processing import Moved, Processing, moved
from symoro.identification.process.spectrum import band_of
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
) -> tuple[tuple[Run, ...], list[str]]:
    """The runs with the positions of all joints, and what is to be said; `guess` is a configuration of the branch.

    `known` are configurations of the branch, of a recording that the runs are pieces of.
    """
    if guess is not None and not subject.robot.cuts:
        raise DataError(f"guess: {subject.robot.name} has no closed loops (allowed: for robots with loops)")
    if not any(has_motors_alone(subject, run) for run in runs):
        return tuple(runs), []
    loops = LoopBranch(subject)
    x = runs[0]["q"][:1]
    if not has_motors_alone(subject, runs[0]):
        starts = x
    elif known is not None or guess is not None:
        starts = loops.reached(nearest(loops, loops.given(guess)[None] if known is None else known, x[0]), x)
    else:
        starts = _every_start(loops, runs[0])
    ways = [_Way(start) for start in starts if np.isfinite(start).all()]
    ways = _by_error(loops, ways, runs) if len(ways) > 1 else ways
    best, said = _chosen(loops, ways) if len(ways) > 1 else (ways[0] if ways else None, [])
    found = None if best is None else _followed(loops, best.start, runs)
    if found is None:
        where = "on the branch of guess" if guess is not None else "on any branch"
        what = f"{runs[0].source}: the loops do not close at the measured positions of the motors {where}"
        raise DataError(f"{what}: look for a wrong column, unit or sign")
    return found, [*said, *_dead_points(loops, found)]


def _every_start(loops: LoopBranch, run: Run) -> Array:
    """Ways to close the loops at the first sample, inside the limits of the joints, small passive joints first."""
    try:
        found = loops.assembly.branches(run["q"][0])
    except CannotClose as error:
        where = f"{run.source}: the loops do not close at the measured positions of the motors"
        raise DataError(f"{where} ({error})") from None
    order = np.argsort(np.linalg.norm(found[:, loops.passive], axis=1), kind="stable")
    return np.asarray(found[order[:_MOST]])


def _followed(loops: LoopBranch, start: Array, runs: Sequence[Run]) -> tuple[Run, ...] | None:
    """The runs on the branch of a configuration, each from the sample before it that is nearest; None where it ends."""
    known, found = start[None], []
    for run in runs:
        if has_motors_alone(loops.subject, run):
            q = along(loops, nearest(loops, known, run["q"][0]), run["q"])
            if not np.isfinite(q).all():
                return None
            steps = np.zeros(q.shape[1])
            steps[loops.motors] = run.steps_of_positions
            run = replace(run.with_channels(q=q), steps={"q": steps})
        known = np.vstack([known, run["q"]])
        found.append(run)
    return tuple(found)


def _by_error(loops: LoopBranch, ways: Sequence[_Way], runs: Sequence[Run]) -> list[_Way]:
    """The branches that can be followed along some samples of the runs, those whose torques fit best first."""
    motions = _some_samples(loops, runs)
    found = []
    for way in ways:
        known = way.start[None]
        for motion in motions:
            x = motion.q[:, loops.motors]
            known = np.vstack([known, along(loops, nearest(loops, known, x[0]), x)])
        if np.isfinite(known).all():
            found.append(replace(way, error=_error(loops.subject, motions, known[1:])))
    return sorted(found, key=lambda way: way.error)


def _some_samples(loops: LoopBranch, runs: Sequence[Run]) -> list[Moved]:
    """Some samples of each run, filtered; the columns of passive joints have no meaning."""
    whole = [replace(run.with_channels(q=_wide(loops, run)), steps={}) for run in runs]
    cutoff, step = band_of(whole).cutoff, max(1, sum(run.count for run in runs) // _SAMPLES)
    found = []
    for run in whole:
        motion = moved(loops.subject, run, Processing(cutoff, border=max(2, min(20, run.count // 10))))
        torques = low_pass(motion.torques, motion.period, cutoff)
        some = {name: getattr(motion, name)[::step] for name in ("t", "q", "qd", "qdd", "speeds")}
        base = {name: x[::step] for name, x in motion.base.items()}
        found.append(replace(motion, **some, torques=torques[::step], base=base))
    return found


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


def _chosen(loops: LoopBranch, found: Sequence[_Way]) -> tuple[_Way, list[str]]:
    """The branch that fits best, or the usual one of those that fit alike; and why."""
    alike = [one for one in found if one.error <= _ALIKE * found[0].error]
    best = found[0] if len(alike) == 1 else _usual(loops, alike)
    names = [str(loops.subject.variables[k].variable) for k in loops.passive]
    at = ", ".join(f"{name} = {best.start[k]:.4g}" for name, k in zip(names, loops.passive, strict=True))
    what = f"the motors leave {len(found)} ways to close the loops of {loops.subject.robot.name}"
    if len(alike) == 1:
        why = f"the torques fit that one best (error {100 * best.error:.3g} %, next {100 * found[1].error:.3g} %)"
    else:
        why = (
            f"{len(alike)} of them fit the torques alike (error {100 * best.error:.3g} %), and the usual one was taken"
        )
    return best, [f"{what}; {why}: {at} at the first sample; guess= chooses another one"]


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


def _dead_points(loops: LoopBranch, found: Sequence[Run]) -> Iterator[str]:
    """A warning where the loops pass a dead point, behind which the branch is not certain."""
    for run in found:
        if len(passed := loops.dead_points(run["q"])):
            what = f"{run.source}: the loops pass a dead point at t = {run.t[passed[0]]:.4g} s"
            yield f"{what}: which branch they are on behind it is not certain; measure all joints"
