"""Limits of exciting motions of parallel robots: of motors and passive joints, and how near singularities may be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from symoro.errors import MotionError, NotApplicable
from symoro.identification.arrays import Array
from symoro.identification.excitation.excited import Workspace
from symoro.identification.excitation.excited_platform import ExcitedPlatform
from symoro.identification.excitation.limits import box_of, passive_room, ranges
from symoro.identification.subject.motor_limits import Box, limit_of
from symoro.identification.subject.platform_branch import PlatformBranch
from symoro.identification.subject.platform_subject import subject_of
from symoro.identification.subject.straight_lines import exists
from symoro.models.parallel.numbers import has_numbers
from symoro.models.parallel.structure import structure
from symoro.platforms.poses import parallel
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot

_REGULAR = 8.0
"""Condition numbers over the least ones near the home pose, up to which poses are far enough from singularities."""
_AT_HOME = 1.5
"""The same over those of the home pose."""
_SINGULAR = 1e6
"""Condition number from which on the home pose is singular."""
_DRAWN = 200
"""Random positions of the motors that are tried."""
_WIDEST, _NARROWER, _TIMES = 2.0, 0.8, 25
"""Radians, or parts of the platform's radius, of the widest range about the home pose; the factor of narrower ones."""
_ENOUGH = 0.5
"""Part of the positions of a range that has to be reached by three motors; for six it is the square."""


def platform_within(
    robot: Robot, limits: dict[str, Any], workspace: Any, tool: int | str | None, guess: Any, alike: bool
) -> tuple[ExcitedPlatform, Box]:
    """A parallel robot that is excited, and the limits of its motors; `limits` are those of `box_of`."""
    _require(robot, {"base": limits["base"], "tool": tool, "guess": guess})
    excited = ExcitedPlatform(subject_of(robot, alike=alike), _workspace(workspace))
    excited = replace(excited, conditions=_regular(excited))
    excited = _with_passive_limits(excited)
    box = box_of(excited, **limits)
    if limits["position"] is None:
        low, high = _about_home(excited)
        box = replace(box, low=low, high=high)
    return excited, box


def _require(robot: Robot, given: dict[str, Any]) -> None:
    name, platform = robot.name, parallel(robot)
    for option, value in given.items():
        if value is not None:
            raise MotionError(f"{option}: {name} is a parallel robot, excited from its home pose on (allowed: None)")
    if not has_numbers(platform):
        raise NotApplicable(f"{name} has symbols in its geometry that have no numbers")
    motors, freedom = len(platform.motors), structure(platform).freedom
    if motors > freedom:
        raise NotApplicable(
            f"{name}: {motors} motors move {freedom} freedoms of the platform, so that they cannot move independently "
            "(allowed: as many motors as freedoms)"
        )


def _workspace(given: Any) -> Workspace | None:
    """The box of the platform's origin, and of its rotation vector where there are six rows."""
    if given is None:
        return None
    try:
        count = 6 if np.size(np.asarray(given, dtype=float)) == 12 else 3
    except (TypeError, ValueError):
        count = 3
    low, high = ranges("workspace", given, count).T
    return Workspace("platform", low, high)


def _scale(excited: ExcitedPlatform) -> Array:
    """Radians of a motor, or the platform's radius."""
    return np.where(excited.kinematics.sliders, excited.kinematics.radius, 1.0)


def _regular(excited: ExcitedPlatform) -> Array:
    """The largest condition numbers of platform and legs that motions may have."""
    branch = PlatformBranch(excited.kinematics, np.array(_SINGULAR))
    here = excited.kinematics.conditions(branch.home[None])[0]
    if not (here < _SINGULAR).all():
        raise MotionError(f"{excited.subject.given.name}: the home pose is singular (allowed: another home pose)")
    part = np.random.default_rng(0).uniform(-1.0, 1.0, (_DRAWN, len(branch.begin)))
    T = branch.reached(branch.begin + part * _scale(excited) * _WIDEST / 4)
    least = np.vstack([here, excited.kinematics.conditions(T[exists(T)])]).min(axis=0)
    return np.asarray(np.maximum(_REGULAR * least, _AT_HOME * here))


def _with_passive_limits(excited: ExcitedPlatform) -> ExcitedPlatform:
    """The robot with the limits that the description has for passive joints."""
    owners = excited.kinematics.owners
    places = tuple(k for k, joint in enumerate(owners) if not joint.actuated and _is_limited(joint))
    room = passive_room(excited.subject, [owners[k] for k in places], np.inf)
    return replace(excited, limited=places, passive_room=room)


def _is_limited(joint: Joint) -> bool:
    return any(x is not None for x in (joint.limits.lower, joint.limits.upper, joint.limits.velocity))


def _about_home(excited: ExcitedPlatform) -> tuple[Array, Array]:
    """The limits of the description; without them the widest range about home of which enough can be reached."""
    part = np.random.default_rng(1).uniform(0.0, 1.0, (_DRAWN, len(excited.joints)))
    begin, widest = excited.branch.begin, _WIDEST * _scale(excited)
    enough = _ENOUGH ** max(1.0, len(excited.joints) / 3)
    for k in range(_TIMES):
        sides = (begin - _NARROWER**k * widest, begin + _NARROWER**k * widest)
        low, high = (
            np.array([limit_of(excited.subject, j, name, u) for j, u in zip(excited.joints, x, strict=True)])
            for name, x in zip(("lower", "upper"), sides, strict=True)
        )
        if (low < high).all() and _reached(excited, low + part * (high - low)) >= enough:
            break
    if not (low < high).all():
        raise MotionError("the limits of the motors leave no range about the home pose (allowed: limits of position)")
    return low, high


def _reached(excited: ExcitedPlatform, x: Array) -> float:
    """The part of positions that are reached, with what follows inside its limits."""
    T = excited.placed(x)
    T = T[exists(T)]
    inside = ~excited.room.beyond(excited.followed(T, np.zeros((len(T), x.shape[1])))).any(axis=1)
    return float(inside.sum() / len(x))
