"""Which motions a robot can be excited by: those of its motors, with loops kept closed, or with a base that moves.

Those of parallel robots are in `platform_limits`.
"""

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
from symoro.identification.excitation.platform_limits import platform_within
from symoro.identification.subject.loop_branch import LoopBranch, usual_configuration
from symoro.identification.subject.motor_limits import Box, usual_box
from symoro.identification.subject.straight_lines import exists
from symoro.identification.subject.subject import Subject
from symoro.robot.robot import Robot
from symoro.robot.springs import without_springs

_TRIES = 500
"""Random positions among which the middle of a motion is chosen."""
_REGULAR = 8.0
"""Condition of the loops over the least one, up to which positions are far enough from dead points."""
_FASTER = 3.0
"""Speed of a passive joint without a limit over that of the fastest motor: near dead points it would be more."""
_LINE = 401
"""Positions of a slider that are tried; the middle one is where it is."""
_STATES = 200
"""Random states by which columns that depend on each other are found."""


def excited_within(
    robot: Robot | str | Path,
    limits: dict[str, Any],
    workspace: Any,
    tool: int | str | None,
    guess: Any = None,
    alike: bool = False,
) -> tuple[Excited, Box]:
    """What is excited, and the limits of its coordinates; `limits` are those of `box_of`.

    `guess` is a closed configuration, whose branch is taken.
    """
    described = valid_robot(robot, parallel=True)
    if described.parallel:
        platform, box = platform_within(described, limits, workspace, tool, guess, alike)
        return replace(platform, kept=_kept(platform, box)), box
    if alike:
        raise MotionError(f"alike: {described.name} is no parallel robot (allowed: for the legs of parallel robots)")
    subject = Subject.of(without_springs(described), described_friction=False)
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
    """The limits, moved where they are usual ones: to a closed configuration, or sliders to where the loops reach.

    How long the slider of a loop is depends on the loop: a range about 0 may hold its folded end only. Of both ranges
    the one is taken of which more can be reached.
    """
    motors = start[excited.loops.motors]
    usual = np.array([joint.limits.lower is None and joint.limits.upper is None for joint in excited.joints])
    outside = usual & ((motors < box.low) | (motors > box.high))
    shift = np.where(outside, motors - (box.low + box.high) / 2, 0.0)
    near = replace(box, low=box.low + shift, high=box.high + shift)
    sliders = usual & excited.loops.steering & [joint.prismatic for joint in excited.joints]
    if not sliders.any():
        return near
    regular = replace(excited.loops, limit=_REGULAR * float(excited.loops.conditions(start[None])[0]))
    moved = near
    for k in np.flatnonzero(sliders).tolist():
        moved = _to_its_range(regular, moved, start, k)
    return max(near, moved, key=lambda one: _room(regular, one, start))


def _to_its_range(loops: LoopBranch, box: Box, start: Array, k: int) -> Box:
    """The limits with those of motor k in the middle of the positions that the loops reach while the others rest."""
    x = np.repeat(start[None, loops.motors], _LINE, axis=0)
    x[:, k] += np.linspace(-loops.reach, loops.reach, _LINE)
    found = x[exists(loops.reached(start, x)), k]
    low, high, middle = box.low.copy(), box.high.copy(), (found.min() + found.max()) / 2
    half = min((high[k] - low[k]) / 2, (found.max() - found.min()) / 2)
    low[k], high[k] = middle - half, middle + half
    return replace(box, low=low, high=high)


def _room(loops: LoopBranch, box: Box, start: Array) -> float:
    """The volume of the positions between limits that the loops reach from a configuration, far from dead points."""
    drawn = box.low + (box.high - box.low) * np.random.default_rng(0).uniform(0.0, 1.0, (_STATES, len(box.low)))
    return float(np.mean(exists(loops.reached(start, drawn))) * np.prod(box.high - box.low))


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
    """The columns that motions inside these limits can tell apart, without those of friction."""
    rng = np.random.default_rng(0)
    x = _positions(excited, box, rng, _TRIES)[:_STATES]
    n = (len(x), len(box.low))
    W = excited.regressor(excited.placed(x), rng.normal(size=n) * box.speed, rng.normal(size=n) * box.acceleration)
    own = excited.inertial
    R = np.linalg.qr(W[:, :, own].reshape(-1, len(own)), mode="r")
    return tuple(own[k] for k in independent_columns(np.asarray(R)))


def _positions(excited: Excited, box: Box, rng: np.random.Generator, count: int) -> Array:
    """Random positions inside the limits where the robot can be."""
    x = box.low + (box.high - box.low) * rng.uniform(0.1, 0.9, (count, len(box.low)))
    return x[exists(excited.placed(x))]


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
