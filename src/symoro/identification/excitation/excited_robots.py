"""Which motions a robot can be excited by: those of its motors, with loops kept closed, or with a base that moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import CannotClose, MotionError, NotApplicable
from symoro.formats import valid_robot
from symoro.identification.arrays import Array
from symoro.identification.estimators.estimate import independent_columns
from symoro.identification.excitation.excited import Excited, Workspace
from symoro.identification.excitation.excited_base import ExcitedBase
from symoro.identification.excitation.excited_loops import ExcitedLoops
from symoro.identification.excitation.limits import (
    Curves,
    box_of,
    filled,
    passive_room,
    within,
    workspace_of,
)
from symoro.identification.subject.loop_branch import LoopBranch, usual_configuration
from symoro.identification.subject.motor_limits import Box, usual_box
from symoro.identification.subject.subject import Subject
from symoro.robot.robot import Robot
from symoro.robot.springs import without_springs

_TRIES = 500
"""Random positions among which the middle of a motion is chosen."""
_REGULAR = 8.0
"""Condition of the loops over the least one, up to which positions are far enough from dead points."""
_FASTER = 3.0
"""Speed of a passive joint without a limit over that of the fastest motor: near dead points it would be more."""
_STATES = 200
"""Random states by which columns that depend on each other are found."""


def excited_within(
    robot: Robot | str | Path, limits: dict[str, Any], workspace: Any, tool: int | str | None, guess: Any = None
) -> tuple[Excited, Box]:
    """What is excited, and the limits of its coordinates; `limits` are those of `box_of`.

    `guess` is a closed configuration, whose branch is taken.
    """
    subject = Subject.of(without_springs(valid_robot(robot)), described_friction=False)
    excited = _structure(subject, workspace_of(subject, workspace, tool), limits["base"])
    box = box_of(excited, **limits)
    if isinstance(excited, ExcitedLoops):
        start = _start(excited, guess)
        box = box if limits["position"] is not None else _about(excited, box, start)
        excited = _on_a_branch(excited, box, start, guess is not None)
    elif guess is not None:
        raise MotionError(f"guess: {subject.robot.name} has no closed loops (allowed: for robots with loops)")
    if type(excited) is Excited:
        return excited, box
    return replace(excited, kept=_kept(excited, box)), box


def _structure(subject: Subject, workspace: Workspace | None, base: Any) -> Excited:
    """The robot with the motions that can be chosen; an error where there are none."""
    name = subject.robot.name
    if base is not None and not subject.has_free_base:
        raise MotionError(f"base: the base of {name} does not float (allowed: limits for a floating base)")
    if subject.robot.cuts and subject.has_free_base:
        raise NotApplicable(f"{name}: exciting motions of closed loops are for a fixed base")
    if subject.robot.cuts and subject.motors and subject.moving == subject.motors:
        return ExcitedLoops(subject, workspace)
    if not subject.motors or subject.variables != subject.motors:
        raise NotApplicable(f"{name}: some joints have no motor: exciting motions are motions of the motors")
    if subject.has_free_base:
        return ExcitedBase(subject, workspace, moves=base is not None)
    return Excited(subject, workspace)


def _start(excited: ExcitedLoops, guess: Any) -> Array:
    """A configuration of the branch that is taken: that of a guess, or the usual one."""
    if guess is not None:
        return excited.loops.given(guess)
    own = usual_box(excited.subject, excited.joints)
    try:
        return usual_configuration(excited.loops, own.low, own.high)
    except CannotClose:
        raise MotionError("the loops do not close for any motors that were tried (allowed: a guess)") from None


def _about(excited: ExcitedLoops, box: Box, start: Array) -> Box:
    """The limits, moved to a closed configuration where they are usual ones and it is outside of them."""
    motors = start[excited.loops.motors]
    usual = np.array([joint.limits.lower is None and joint.limits.upper is None for joint in excited.joints])
    outside = usual & ((motors < box.low) | (motors > box.high))
    shift = np.where(outside, motors - (box.low + box.high) / 2, 0.0)
    return replace(box, low=box.low + shift, high=box.high + shift)


def _on_a_branch(excited: ExcitedLoops, box: Box, start: Array, guessed: bool) -> ExcitedLoops:
    """The robot on the branch of a configuration, with limits of its passive joints."""
    reference = _reference(excited, box, start, guessed)
    drawn = box.low + (box.high - box.low) * np.random.default_rng(0).uniform(0.0, 1.0, (_STATES, len(box.low)))
    near = replace(excited.loops, limit=1e6).reached(reference, drawn)
    conditions = excited.loops.conditions(np.vstack([reference, near[np.isfinite(near).all(axis=1)]]))
    room = passive_room(excited.subject, excited.passive, _FASTER * float(box.speed.max()))
    return replace(excited, reference=reference, passive_room=room, condition=_REGULAR * float(conditions.min()))


def _reference(excited: ExcitedLoops, box: Box, start: Array, guessed: bool) -> Array:
    """A closed configuration inside the limits, on the branch that is taken: in the middle where that is regular."""
    loops, middle = excited.loops, (box.low + box.high) / 2
    regular = replace(loops, limit=_REGULAR * float(loops.conditions(start[None])[0]))
    motors = start[loops.motors]
    for x in (middle, np.clip(motors, box.low, box.high)):
        reached = regular.reached(start, x[None])[0]
        if loops.allowed(reached):
            return np.asarray(reached)
    if guessed:
        raise MotionError("the branch of guess does not reach these limits (allowed: other limits of position)")
    return _inside(loops, box)


def _inside(loops: LoopBranch, box: Box) -> Array:
    try:
        return usual_configuration(loops, box.low, box.high, wider=False)
    except CannotClose:
        message = "the loops do not close inside these limits (allowed: other limits of position)"
        raise MotionError(message) from None


def _kept(excited: Excited, box: Box) -> tuple[int, ...]:
    """The columns that motions inside these limits can tell apart."""
    rng = np.random.default_rng(0)
    x = _positions(excited, box, rng, _TRIES)[:_STATES]
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
    inside = np.minimum(f - room.low, room.high - f) / room.size  # parts of the room up to its sides
    from_sides = np.minimum(x - box.low, box.high - x) / (box.high - box.low)
    best = int(np.argmax(np.minimum(inside.min(axis=1, initial=2.0) / 2, 2 * from_sides.min(axis=1))))
    return within(excited, filled(replace(series, middle=x[best]), box))
