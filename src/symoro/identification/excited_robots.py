"""Which motions a robot can be excited by: those of its motors, with loops kept closed, or with a base that moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import CannotClose, MotionError, NotApplicable
from symoro.identification.excitation_limits import Curves, box_of, filled, passive_room, within, workspace_of
from symoro.identification.excited import Box, Excited, Workspace
from symoro.identification.excited_base import ExcitedBase
from symoro.identification.excited_loops import ExcitedLoops
from symoro.identification.payload import independent_columns
from symoro.identification.readers.columns import Array
from symoro.identification.subject import Subject
from symoro.robot.robot import Robot

_TRIES = 2000
"""Random positions among which the middle of a motion is chosen."""
_BRANCHES = 10
"""Random positions that are tried where the loops do not close in the middle of the limits."""
_FASTER = 3.0
"""Speed of a passive joint without a limit over that of the fastest motor: near dead points it would be more."""
_STATES = 200
"""Random states by which columns that depend on each other are found."""


def excited_within(
    robot: Robot | str | Path, limits: dict[str, Any], workspace: Any, tool: int | str | None
) -> tuple[Excited, Box]:
    """What is excited, and the limits of its coordinates; `limits` are those of `box_of`."""
    subject = Subject.of(robot, described_friction=False)
    excited = _structure(subject, workspace_of(subject, workspace, tool), limits["base"])
    box = box_of(excited, **limits)
    if isinstance(excited, ExcitedLoops):
        excited = _on_a_branch(excited, box)
    if type(excited) is Excited:
        return excited, box
    return replace(excited, kept=_kept(excited, box)), box


def _structure(subject: Subject, workspace: Workspace | None, base: Any) -> Excited:
    """The robot with the motions that can be chosen; an error where there are none."""
    name = subject.robot.name
    if base is not None and not subject.has_free_base:
        raise MotionError(f"base: the base of {name} does not float (allowed: limits for a floating base)")
    if subject.robot.cuts and (subject.has_free_base or subject.springs):
        raise NotApplicable(f"{name}: exciting motions of closed loops are for rigid joints on a fixed base")
    if subject.robot.cuts and subject.motors and subject.moving == subject.motors:
        return ExcitedLoops(subject, workspace)
    if not subject.motors or subject.variables != subject.motors:
        raise NotApplicable(f"{name}: some joints have no motor: exciting motions are motions of the motors")
    if subject.has_free_base:
        return ExcitedBase(subject, workspace, moves=base is not None)
    return Excited(subject, workspace)


def _on_a_branch(excited: ExcitedLoops, box: Box) -> ExcitedLoops:
    """The robot with a closed configuration near the middle of its limits, and with limits of its passive joints."""
    rng = np.random.default_rng(0)
    for k in range(_BRANCHES):
        part = 0.5 if k == 0 else rng.uniform(0.2, 0.8, len(box.low))
        try:
            reference = excited.assembly(box.low + part * (box.high - box.low))
        except CannotClose:
            continue
        room = passive_room(excited.subject, excited.passive, _FASTER * float(box.speed.max()))
        return replace(excited, reference=reference, passive_room=room)
    raise MotionError("the loops do not close inside these limits (allowed: other limits of position)")


def _kept(excited: Excited, box: Box) -> tuple[int, ...]:
    """The columns that motions inside these limits can tell apart."""
    rng = np.random.default_rng(0)
    x = _positions(excited, box, rng, _STATES)
    n = (len(x), len(box.low))
    W = excited.regressor(excited.placed(x), rng.normal(size=n) * box.speed, rng.normal(size=n) * box.acceleration)
    return tuple(independent_columns(W.reshape(-1, W.shape[-1])))


def _positions(excited: Excited, box: Box, rng: np.random.Generator, count: int) -> Array:
    """Random positions inside the limits where the robot can be."""
    x = box.low + (box.high - box.low) * rng.uniform(0.1, 0.9, (count, len(box.low)))
    return x[np.isfinite(excited.placed(x)).all(axis=1)]


def about_a_middle(excited: Excited, series: Curves, box: Box, seed: int) -> Curves | None:
    """The motion about a position where what follows is inside its limits, of many random ones the most central."""
    room = excited.room
    if room is None:
        return series
    x = _positions(excited, box, np.random.default_rng(seed), _TRIES)
    if not len(x):
        return None
    f = excited.followed(excited.placed(x), np.zeros_like(x))
    bounded = np.isfinite(room.low) & np.isfinite(room.high)
    centre = (room.low[bounded] + room.high[bounded]) / 2
    away = np.abs(f[:, bounded] - centre) / room.size[bounded]
    best = int(np.argmin(away.max(axis=1, initial=0.0)))
    return within(excited, filled(replace(series, middle=x[best]), box))
