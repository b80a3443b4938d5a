"""Recordings of the motors of closed loops alone: which branch the loops were on, and the positions of all joints.

Every way to close the loops at the first sample is followed along the runs. Of those that can be followed, the one is
taken whose torques fit best; those that fit alike are left to the rule of exciting motions (`usual_configuration`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.errors import CannotClose, DataError
from symoro.identification.filtering import low_pass
from symoro.identification.loop_branch import LoopBranch, usual_configuration
from symoro.identification.motion_of_run import moved
from symoro.identification.motor_limits import usual_box
from symoro.identification.processing import Processing
from symoro.identification.readers.columns import Array
from symoro.identification.runs import Run
from symoro.identification.spectrum import band_of
from symoro.identification.subject import Subject

_SAMPLES = 400
"""Samples on which branches are compared."""
_ALIKE = 1.1
"""Error over the least one, of branches that the torques do not tell apart."""
_SAME = 1e-3
"""Difference of two configurations of one branch."""


@dataclass(frozen=True)
class _Followed:
    """The runs on one branch, and the error of a fit of the torques."""

    runs: tuple[Run, ...]
    error: float = 0.0

    @property
    def start(self) -> Array:
        return np.asarray(self.runs[0]["q"][0])


def has_motors_alone(subject: Subject, run: Run) -> bool:
    """Whether a run has the positions of the motors of closed loops, and not those of all joints."""
    return bool(subject.robot.cuts) and run["q"].shape[1] == len(subject.motors) < len(subject.variables)


def closed_runs(subject: Subject, runs: Sequence[Run], guess: Any) -> tuple[tuple[Run, ...], list[str]]:
    """The runs with the positions of all joints, and what is to be said; `guess` is a configuration of the branch."""
    if guess is not None and not subject.robot.cuts:
        raise DataError(f"guess: {subject.robot.name} has no closed loops (allowed: for robots with loops)")
    if not any(has_motors_alone(subject, run) for run in runs):
        return tuple(runs), []
    loops = LoopBranch(subject)
    x = runs[0]["q"]
    starts = _every_start(loops, runs[0]) if guess is None else [loops.reached(loops.given(guess), x[:1])[0]]
    found = [one for start in starts if (one := _followed(loops, start, runs)) is not None]
    if not found:
        where = "on the branch of guess" if guess is not None else "on any branch"
        what = f"{runs[0].source}: the loops do not close at the measured positions of the motors {where}"
        raise DataError(f"{what}: look for a wrong column, unit or sign")
    if len(found) == 1:
        return found[0].runs, list(_dead_points(loops, found[0]))
    found = sorted((_Followed(one.runs, _error(subject, one.runs)) for one in found), key=lambda one: one.error)
    best, said = _chosen(loops, found)
    return best.runs, [said, *_dead_points(loops, best)]


def _every_start(loops: LoopBranch, run: Run) -> Array:
    """Every way to close the loops at the first sample, inside the limits of the joints."""
    try:
        return loops.assembly.branches(run["q"][0])
    except CannotClose as error:
        raise DataError(
            f"{run.source}: the loops do not close at the measured positions of the motors ({error})"
        ) from None


def _followed(loops: LoopBranch, start: Array, runs: Sequence[Run]) -> _Followed | None:
    """The runs on the branch of a configuration, each from the sample before it that is nearest; None where it ends."""
    known, found = start[None], []
    for run in runs:
        if has_motors_alone(loops.subject, run):
            away = np.abs(known[:, loops.motors] - run["q"][0]).max(axis=1)
            q = loops.along(known[int(away.argmin())], run["q"])
            if not np.isfinite(q).all():
                return None
            run = run.with_channels(q=q)
        known = np.vstack([known, run["q"]])
        found.append(run)
    return _Followed(tuple(found))


def _error(subject: Subject, runs: Sequence[Run]) -> float:
    """‖y − W β‖ / ‖y‖ for the best β along some samples, rows of each motor divided by their size."""
    cutoff, step = band_of(runs).cutoff, max(1, sum(run.count for run in runs) // _SAMPLES)
    rows, wanted = [], []
    for run in runs:
        motion = moved(subject, run, Processing(cutoff, border=max(2, min(20, run.count // 10))))
        base = {name: x[::step] for name, x in motion.base.items()}
        rows.append(subject.evaluate(motion.q[::step], motion.qd[::step], motion.qdd[::step], base))
        wanted.append(low_pass(motion.torques, motion.period, cutoff)[::step])
    D, y = np.concatenate(rows), np.concatenate(wanted)
    size = np.sqrt(np.mean(y**2, axis=0))
    size[size == 0] = 1.0
    W, z = (D / size[:, None]).reshape(-1, D.shape[-1]), (y / size).ravel()
    if not np.isfinite(W).all():
        return float("inf")
    length = np.linalg.norm(W, axis=0)
    W = W / np.where(length > 0, length, 1.0)
    left = z - W @ np.linalg.lstsq(W, z, rcond=1e-9)[0]
    return float(np.linalg.norm(left) / max(float(np.linalg.norm(z)), 1e-300))


def _chosen(loops: LoopBranch, found: Sequence[_Followed]) -> tuple[_Followed, str]:
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
    return best, f"{what}; {why}: {at} at the first sample; guess= chooses another one"


def _usual(loops: LoopBranch, alike: Sequence[_Followed]) -> _Followed:
    """The branch of the usual configuration, else the one with the smallest passive joints."""
    box = usual_box(loops.subject, loops.subject.motors)
    at = alike[0].start[loops.motors]
    try:
        usual = loops.reached(usual_configuration(loops, box.low, box.high), at[None])[0]
    except CannotClose:
        usual = np.full(len(loops.subject.variables), np.nan)
    same = [one for one in alike if loops.apart(one.start, usual) < _SAME]
    return (same or sorted(alike, key=lambda one: float(np.abs(one.start[loops.passive]).sum())))[0]


def _dead_points(loops: LoopBranch, found: _Followed) -> Iterator[str]:
    """A warning where the loops pass a dead point, behind which the branch is not certain."""
    for run in found.runs:
        if len(passed := loops.dead_points(run["q"])):
            what = f"{run.source}: the loops pass a dead point at t = {run.t[passed[0]]:.4g} s"
            yield f"{what}: which branch they are on behind it is not certain; measure all joints"
