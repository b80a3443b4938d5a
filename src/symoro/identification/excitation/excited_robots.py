"""Which motions a robot can be excited by: those of its motors, with loops kept closed, or with a base that moves.

Passive joints and platforms follow the motors within their own limits, and keep away from singularities.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from symoro.bind.coordinates import Coordinates
from symoro.errors import CannotClose, MissingParameter, MotionError, NotApplicable
from symoro.findings import Argument
from symoro.formats import valid_robot
from symoro.identification.arrays import Array
from symoro.identification.estimate.estimate import independent_columns
from symoro.identification.excitation.excited import Excited, ExcitedBase, ExcitedBody, ExcitedBranch, FrameBox
from symoro.identification.excitation.limits import (
    Curves,
    box_of,
    filled,
    passive_limits,
    ranges,
    within,
    workspace_of,
)
from symoro.identification.subject.branch import (
    GUESS,
    BranchBesideOthers,
    LoopBranch,
    PlatformBranch,
    exists,
    kinematics_of,
    usual_configuration,
)
from symoro.identification.subject.subject import Box, Subject, limit_of, usual_box
from symoro.models.parallel.mechanism import structure
from symoro.models.parallel.platform import without_numbers
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.springs import without_springs

_TRIES = 500
"""Random positions among which the middle of a motion is chosen."""
_REGULAR = 8.0
"""Condition numbers over the least ones, up to which positions are far enough from dead points and singularities."""
_AT_HOME = 1.5
"""The same over those of the home pose."""
_FASTER = 3.0
"""Speed of a passive joint without a limit over that of the fastest motor: near dead points it would be more."""
_LINE = 401
"""Positions of a slider that are tried; the middle one is where it is."""
_STATES = 200
"""Random states by which limits, and columns that depend on each other, are found."""
_SINGULAR = 1e6
"""Condition number from which on the home pose is singular."""
_WIDEST, _NARROWER, _TIMES = 2.0, 0.8, 25
"""Radians, or parts of the platform's radius, of the widest range about the home pose; the factor of narrower ones."""
_ENOUGH = 0.5
"""Part of the positions of a range that has to be reached by three motors; for six it is the square."""


def excited_within(
    robot: Robot | str | Path,
    limits: dict[str, Any],
    workspace: Any,
    tool: int | str | None,
    guess: Any = None,
    alike: bool = False,
) -> tuple[Excited, Box]:
    """What is excited, and the limits of its coordinates; `limits` are those of `box_of`.

    `guess` is a closed configuration, or a pose of the platform, whose branch is taken.
    """
    described = valid_robot(robot).taking(None)
    if Coordinates.of(described).followers:
        _require_platform(described, {"base": limits["base"], "tool": tool})
        subject = Subject.of(described, alike=alike)
        excited, box = _of_platform(subject, _platform_workspace(workspace), limits, guess)
        return replace(excited, kept=_kept(excited, box)), box
    if alike:
        raise MotionError("excitation.alike", option=Argument("alike"), robot=described.name)
    subject = Subject.of(without_springs(described), described_friction=False)
    box_of_tool = workspace_of(subject, workspace, tool)
    _require(subject, limits["base"])
    if subject.robot.cuts:
        excited, box = _of_loops(subject, box_of_tool, limits, guess)
        return replace(excited, kept=_kept(excited, box)), box
    box = box_of(subject, **limits)
    if guess is not None:
        raise MotionError("branches.guess_without_loops", option=GUESS, robot=subject.robot.name)
    if not subject.has_free_base:
        return Excited(subject, box_of_tool), box
    on_base = ExcitedBase(subject, box_of_tool, moves=limits["base"] is not None)
    return replace(on_base, kept=_kept(on_base, box)), box


def _require(subject: Subject, base: Any) -> None:
    """An error where no motions can be chosen."""
    name, loops = subject.robot.name, bool(subject.robot.cuts)
    if base is not None and not subject.has_free_base:
        raise MotionError("excitation.base", option=Argument("base"), robot=name)
    if loops and subject.has_free_base:
        raise NotApplicable("excitation.loops_on_base", robot=name)
    followed = subject.moving if loops else subject.variables
    if not subject.motors or followed != subject.motors:
        raise NotApplicable("excitation.no_motor", robot=name)


# closed loops


def _of_loops(
    subject: Subject, workspace: FrameBox | None, limits: dict[str, Any], guess: Any
) -> tuple[ExcitedBranch, Box]:
    """A robot with closed loops whose motors determine all joints, on a chosen branch or the usual one."""
    loops, box = LoopBranch(subject), box_of(subject, **limits)
    chosen = loops.chosen(guess)
    start = _usual_start(loops) if chosen is None else chosen
    box = box if limits["position"] is not None else _about(loops, box, start)
    reference = _reference(loops, box, start, chosen is not None)
    drawn = box.low + (box.high - box.low) * np.random.default_rng(0).uniform(0.0, 1.0, (_STATES, len(box.low)))
    near = loops.within(1e6).reached(reference, drawn)
    conditions = loops.conditions(np.vstack([reference, near[exists(near)]]))
    passive = [subject.variables[k] for k in loops.passive]
    excited = ExcitedBranch(
        subject,
        workspace,
        branch=loops,
        reference=reference,
        conditions=_REGULAR * conditions.min(axis=0),
        limited=tuple(loops.passive),
        passive_limits=passive_limits(subject, passive, _FASTER * float(box.speed.max())),
    )
    return excited, box


def _usual_start(loops: LoopBranch) -> Array:
    """A configuration of the usual branch."""
    usual = usual_box(loops.subject, loops.subject.motors)
    try:
        return usual_configuration(loops, usual.low, usual.high)
    except CannotClose:
        raise MotionError("excitation.no_start") from None


def _about(loops: LoopBranch, box: Box, start: Array) -> Box:
    """The limits, moved where they are usual ones: to a closed configuration, or sliders to where the loops reach.

    How long the slider of a loop is depends on the loop: a range about 0 may hold its folded end only. Of both ranges
    the one is taken of which more can be reached.
    """
    motors = start[loops.motors]
    usual = np.array([joint.limits.lower is None and joint.limits.upper is None for joint in loops.subject.motors])
    outside = usual & ((motors < box.low) | (motors > box.high))
    shift = np.where(outside, motors - (box.low + box.high) / 2, 0.0)
    near = replace(box, low=box.low + shift, high=box.high + shift)
    sliders = usual & loops.steering & [joint.prismatic for joint in loops.subject.motors]
    if not sliders.any():
        return near
    regular = loops.within(_REGULAR * loops.conditions(start[None])[0])
    moved = near
    for k in np.flatnonzero(sliders).tolist():
        moved = _to_its_range(regular, moved, start, k)
    return max(near, moved, key=lambda one: _room(regular, one, start))


def _to_its_range(loops: LoopBranch, box: Box, start: Array, k: int) -> Box:
    """The limits with those of motor k in the middle of the positions that the loops reach while the others rest."""
    x = np.repeat(start[None, loops.motors], _LINE, axis=0)
    x[:, k] += np.linspace(-loops.reach, loops.reach, _LINE)
    reached = x[exists(loops.reached(start, x)), k]
    low, high, middle = box.low.copy(), box.high.copy(), (reached.min() + reached.max()) / 2
    half = min((high[k] - low[k]) / 2, (reached.max() - reached.min()) / 2)
    low[k], high[k] = middle - half, middle + half
    return replace(box, low=low, high=high)


def _room(loops: LoopBranch, box: Box, start: Array) -> float:
    """The volume of the positions between limits that the loops reach from a configuration, far from dead points."""
    drawn = box.low + (box.high - box.low) * np.random.default_rng(0).uniform(0.0, 1.0, (_STATES, len(box.low)))
    return float(np.mean(exists(loops.reached(start, drawn))) * np.prod(box.high - box.low))


def _reference(loops: LoopBranch, box: Box, start: Array, chosen: bool) -> Array:
    """A closed configuration inside the limits, on the branch that is taken: in the middle where that is regular."""
    middle, regular = (box.low + box.high) / 2, loops.within(_REGULAR * loops.conditions(start[None])[0])
    motors = start[loops.motors]
    for x in (middle, np.clip(motors, box.low, box.high)):
        reached = regular.reached(start, x[None])[0]
        if loops.allowed(reached):
            return np.asarray(reached)
    if chosen:
        raise MotionError("excitation.guess_outside")
    return _inside(loops, box)


def _inside(loops: LoopBranch, box: Box) -> Array:
    try:
        return usual_configuration(loops, box.low, box.high, wider=False)
    except CannotClose:
        raise MotionError("excitation.open_inside") from None


# platforms


def _require_platform(robot: Robot, options: dict[str, Any]) -> None:
    name = robot.name
    for option, value in options.items():
        if value is not None:
            raise MotionError("excitation.not_for_platforms", option=Argument(option), robot=name)
    if missing := without_numbers(robot):
        raise MissingParameter(missing)
    if passive := [joint.name for joint in _others(robot) if not joint.actuated]:
        raise NotApplicable("excitation.passive_beside_legs", robot=name, joints=passive)
    motors, freedom = len(robot.motors), structure(robot).freedom
    if motors > freedom:
        raise NotApplicable("excitation.redundant", robot=name, motors=motors, freedom=freedom)


def _platform_workspace(box: Any) -> FrameBox | None:
    """The box of the platform's origin, and of its rotation vector where there are six rows."""
    if box is None:
        return None
    low, high = ranges("workspace", box, 6 if np.size(box) == 12 else 3).T
    return FrameBox("platform", low, high)


def _of_platform(
    subject: Subject, workspace: FrameBox | None, limits: dict[str, Any], guess: Any
) -> tuple[ExcitedBranch, Box]:
    """A parallel robot with as many motors as its platform has freedoms, in the assembly of a guess or at home."""
    branch = PlatformBranch(kinematics_of(subject.robot))
    if guess is not None:
        branch = branch.starting(subject.robot, guess)
    conditions = _regular(branch, subject.description.name)
    limited = tuple(k for k, joint in enumerate(branch.joints) if not joint.actuated and _is_limited(joint))
    excited = ExcitedBody(
        subject,
        workspace,
        branch=branch,
        reference=branch.home,
        conditions=conditions,
        limited=limited,
        passive_limits=passive_limits(subject, [branch.joints[k] for k in limited], np.inf),
    )
    box, others = box_of(subject, **limits), _others(subject.robot)
    if limits["position"] is None:
        low, high = _about_home(excited, branch)
        box = replace(box, low=np.r_[low, box.low[len(low) :]], high=np.r_[high, box.high[len(high) :]])
    if others:
        both = BranchBesideOthers(branch, others)
        excited = replace(excited, branch=both, reference=both.home)
    return excited, box


def _others(robot: Robot) -> tuple[Joint, ...]:
    """The joints that belong to no leg."""
    coordinates = Coordinates.of(robot)
    return tuple(joint for joint in coordinates.joints if joint not in coordinates.followers)


def _scale(branch: PlatformBranch) -> Array:
    """Radians of a motor, or the platform's radius."""
    return branch.kinematics.units


def _regular(branch: PlatformBranch, name: str) -> Array:
    """The largest condition numbers of platform and legs that motions may have."""
    here = branch.conditions(branch.home[None])[0]
    if not (here < _SINGULAR).all():
        raise MotionError("excitation.singular_home", robot=name)
    part = np.random.default_rng(0).uniform(-1.0, 1.0, (_STATES, len(branch.begin)))
    x = branch.begin + part * _scale(branch) * _WIDEST / 4
    T = branch.within(np.array(_SINGULAR)).reached(branch.home, x)
    least = np.vstack([here, branch.conditions(T[exists(T)])]).min(axis=0)
    return np.asarray(np.maximum(_REGULAR * least, _AT_HOME * here))


def _is_limited(joint: Joint) -> bool:
    return any(x is not None for x in (joint.limits.lower, joint.limits.upper, joint.limits.velocity))


def _about_home(excited: ExcitedBranch, branch: PlatformBranch) -> tuple[Array, Array]:
    """The limits of the description; without them the widest range about home of which enough can be reached."""
    joints = excited.joints[: len(branch.begin)]
    part = np.random.default_rng(1).uniform(0.0, 1.0, (_STATES, len(joints)))
    begin, widest = branch.begin, _WIDEST * _scale(branch)
    enough = _ENOUGH ** max(1.0, len(joints) / 3)
    for k in range(_TIMES):
        sides = (begin - _NARROWER**k * widest, begin + _NARROWER**k * widest)
        low, high = (
            np.array([limit_of(excited.subject, j, name, u) for j, u in zip(joints, x, strict=True)])
            for name, x in zip(("lower", "upper"), sides, strict=True)
        )
        if (low < high).all() and _reached(excited, low + part * (high - low)) >= enough:
            break
    if not (low < high).all():
        raise MotionError("excitation.no_range")
    return low, high


def _reached(excited: ExcitedBranch, x: Array) -> float:
    """The part of positions that are reached, with what follows inside its limits."""
    T = excited.placed(x)
    T = T[exists(T)]
    inside = ~excited.follower_limits.beyond(excited.followed(T, np.zeros((len(T), x.shape[1])))).any(axis=1)
    return float(inside.sum() / len(x))


# motions of all


def _kept(excited: Excited, box: Box) -> tuple[int, ...]:
    """The columns that motions inside these limits can tell apart, without those of friction."""
    rng = np.random.default_rng(0)
    x = _positions(excited, box, rng, _TRIES)[:_STATES]
    n = (len(x), len(box.low))
    W = excited.regressor(excited.placed(x), rng.normal(size=n) * box.speed, rng.normal(size=n) * box.acceleration)
    inertial = excited.inertial
    R = np.linalg.qr(W[:, :, inertial].reshape(-1, len(inertial)), mode="r")
    return tuple(inertial[k] for k in independent_columns(np.asarray(R)))


def _positions(excited: Excited, box: Box, rng: np.random.Generator, count: int) -> Array:
    """Random positions inside the limits where the robot can be."""
    x = box.low + (box.high - box.low) * rng.uniform(0.1, 0.9, (count, len(box.low)))
    return x[exists(excited.placed(x))]


def about_a_middle(excited: Excited, series: Curves, box: Box, seed: int) -> Curves | None:
    """The motion about a position where what follows is inside its limits, of many random ones the most central."""
    allowed = excited.follower_limits
    if allowed is None:
        return series
    x = _positions(excited, box, np.random.default_rng(seed), _TRIES)
    if not len(x):
        return None
    f = excited.followed(excited.placed(x), np.zeros_like(x))
    inside = np.minimum(f - allowed.low, allowed.high - f) / allowed.size  # parts of the range up to the limits
    from_sides = np.minimum(x - box.low, box.high - x) / (box.high - box.low)
    best = int(np.argmax(np.minimum(inside.min(axis=1, initial=2.0) / 2, 2 * from_sides.min(axis=1))))
    return within(excited, filled(replace(series, middle=x[best]), box))
