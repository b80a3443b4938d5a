"""`symoro.task_trajectory`: a motion of a frame of a robot along a line or a circle (K13 § 8.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, sqrt
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError, ShapeError
from symoro.findings import Argument
from symoro.formats import valid_robot
from symoro.models.geometric.frames import FrameRef
from symoro.motion.following import When, follower_of
from symoro.motion.limits import position
from symoro.motion.options import DURATION, LINK, PROFILE, REALS, points
from symoro.motion.pose_path import Approach, PosePath, Target, about_axis, arc, away, by_euler, line
from symoro.motion.profiles import KINDS, Array, Profile, Rates, fastest
from symoro.motion.trajectory import Clock, Trajectory, timed
from symoro.motion.trajectory import Path as JointPath
from symoro.options import NONE, Choice, Option, RealNumber, Schema, Whole
from symoro.robot.robot import Robot


def _limit(name: str, unit: str, en: str, fr: str) -> Option:
    return Option(name, RealNumber(unit, more_than=0, infinite=True) | NONE, None, en, fr)


TASK_TRAJECTORY = Schema(
    "task_trajectory",
    (
        Option(
            "branch",
            Whole() | NONE,
            None,
            "The branch of a start that is a pose; else the one farthest from singular configurations.",
            "La branche d'un départ qui est une situation ; sinon la plus éloignée des configurations singulières.",
        ),
        Option(
            "along",
            RealNumber("s", at_least=0),
            0.0,
            "How long the frame stays on a target that moves.",
            "Combien de temps le repère reste sur une cible qui bouge.",
        ),
        Option("through", REALS | NONE, None, "A point of the circle that the origin moves on.", "Un point du cercle."),
        Option(
            "rotation",
            Choice(("axis", "euler")),
            "axis",
            "About one axis, or by Euler's angles z x z.",
            "Autour d'un axe, ou par les angles d'Euler z x z.",
        ),
        PROFILE,
        DURATION,
        _limit("velocity", "m/s", "Limit of the origin's velocity.", "Limite de la vitesse de l'origine."),
        _limit("acceleration", "m/s²", "Limit of the origin's acceleration.", "Limite de l'accélération de l'origine."),
        _limit("angular_velocity", "rad/s", "Limit of the angular velocity.", "Limite de la vitesse angulaire."),
        _limit(
            "angular_acceleration",
            "rad/s²",
            "Limit of the angular acceleration.",
            "Limite de l'accélération angulaire.",
        ),
        LINK,
        points(201),
        Option(
            "singular",
            RealNumber(at_least=0),
            1e-4,
            "The least singular value of the Jacobian matrix below which a path is refused.",
            "La valeur singulière de la matrice jacobienne en dessous de laquelle un chemin est refusé.",
        ),
    ),
    MotionError,
)


@TASK_TRAJECTORY.function
def task_trajectory(
    robot: Robot | str | Path,
    q0: ArrayLike,
    target: ArrayLike | Target,
    *,
    branch: int | None,
    along: float,
    through: ArrayLike | None,
    rotation: Literal["axis", "euler"],
    profile: str,
    duration: float | None,
    velocity: float | None,
    acceleration: float | None,
    angular_velocity: float | None,
    angular_acceleration: float | None,
    link: FrameRef | None,
    points: int,
    singular: float,
) -> Trajectory:
    """The motion of the joints that moves a frame from its pose at q0 to a target, on a line or an arc.

    `target` is a pose (4, 4), or a point (3,) that keeps the orientation. With the point `through` the origin moves on
    the circle through the three points, else on a line. It turns about one axis, or by Euler's angles z x z. Limits are
    those of the origin's velocity and acceleration, and of the angular ones; on a circle, √½ of the acceleration is
    left for the direction of the motion. `link` is a link or a named frame, the only tip where none is given.

    The joints follow the branch of q0. q0 may also be a pose (4, 4): the motion then is on the branch of the number
    `branch` of `symoro.inverse_geometry`, or, where none is given, on the one that stays farthest from singular
    configurations among those that reach the target. Where the target is out of reach, a joint leaves its limits, or
    the least singular value of the Jacobian matrix is below `singular`, an error says where. `symoro.time_optimal`
    makes the motion as fast as limits of joints allow.

    Of a parallel robot it is the platform that moves, q0 are positions of its motors near the home pose or its pose,
    and the legs stay in their branches at the home pose. Poses that the legs do not reach or allow are refused, and
    those where the condition of motors and constraints is above 1 / `singular`.

    A target that moves is a function of times, such as `symoro.moving_target` (K13:8.3): the frame approaches it within
    limits that are those of the motion relative to the target, and then stays on it for `along` seconds.
    """
    follower = follower_of(valid_robot(robot).taking(None), link, singular)
    starts, names = follower.starts(q0, branch), follower.limits.names
    first = starts[0].pose

    def followed(path: PosePath | Approach, when: When) -> JointPath:
        return follower.best(path, starts, points, when)

    rates = (velocity, acceleration), (angular_velocity, angular_acceleration)
    if callable(target):
        if through is not None or rotation != "axis":
            raise MotionError("trajectories.moving_on_a_line")
        return _approached(followed, first, target, profile, duration, rates, along, names)
    if along:
        raise MotionError("trajectories.along_fixed_target", along=Argument("along"))
    path = _path(first, target, through, rotation)
    shape = _profile(path.length, path.angle, path.radius, profile, duration, *rates)
    clock = _clock(shape)

    def when(s: float) -> float:
        time = np.linspace(0.0, shape.duration, 1001)
        return float(np.interp(s, clock(time)[0], time))

    return timed(followed(path, when), clock, shape.duration, names)


Followed = Callable[[PosePath | Approach, When], JointPath]
"""The path of the joints that moves a frame along a path of poses."""


def _clock(shape: Profile) -> Clock:
    """Time -> r, ṙ and r̈; after the end r is 1."""

    def clock(time: Array) -> tuple[Array, Array, Array]:
        r, over = shape(np.minimum(time, shape.duration)), time > shape.duration
        return np.where(r.late, 1 - r.gone, r.gone), np.where(over, 0.0, r.rate), np.where(over, 0.0, r.acceleration)

    return clock


def _approached(
    followed: Followed,
    first: Array,
    target: Target,
    profile: str,
    duration: float | None,
    rates: tuple[tuple[float | None, float | None], tuple[float | None, float | None]],
    along: float,
    names: Sequence[str],
) -> Trajectory:
    """A motion to a target that moves, and along it."""
    gap = away(first, target)
    length, angle = (float(np.linalg.norm(x)) for x in gap)
    shape = _profile(length, angle, inf, profile, duration, *rates)
    path = Approach(target, gap, _clock(shape), shape.duration + along)
    joints = followed(path, float)
    return Trajectory(tuple(names), path.end, joints, joints.at)


def _path(start: Array, target: ArrayLike, through: ArrayLike | None, rotation: str) -> PosePath:
    wanted = np.asarray(target, dtype=float)
    if wanted.shape not in ((4, 4), (3,)) or not np.isfinite(wanted).all():
        raise ShapeError("trajectories.target_shape", shape=str(wanted.shape))
    end, R = (wanted[:3, 3], wanted[:3, :3]) if wanted.ndim == 2 else (wanted, start[:3, :3])
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
        raise MotionError("trajectories.not_orthonormal")
    turn, angle = (about_axis if rotation == "axis" else by_euler)(start[:3, :3], R)
    if through is None:
        origin, length = line(start[:3, 3], end)
        return PosePath(origin, turn, length, angle)
    origin, length, radius = arc(start[:3, 3], position("through", through, 3), end)
    return PosePath(origin, turn, length, angle, radius)


def _profile(
    length: float,
    angle: float,
    radius: float,
    name: str,
    duration: float | None,
    linear: tuple[float | None, float | None],
    angular: tuple[float | None, float | None],
) -> Profile:
    """The profile of s: the limits of the origin and of the turn, each divided by its distance."""
    if not length and not angle:
        raise MotionError("trajectories.nothing_to_move")
    share = 1.0 if radius == inf else sqrt(0.5)
    V = _least((linear[0], length), (angular[0], angle))
    A = _least((None if linear[1] is None else share * linear[1], length), (angular[1], angle))
    if radius < inf and linear[1] is not None:
        V = min(V, sqrt(share * linear[1] * radius) / length)
    if inf == V and inf == A and duration is None:
        raise MotionError("trajectories.no_duration_or_limit")
    profile = fastest(name, Rates(V, A) if "A" in KINDS[name].keeps else Rates(V))
    if duration is None:
        return profile
    if (inf > V or inf > A) and duration < profile.duration * (1 - 1e-12):
        raise MotionError("trajectories.shorter", duration=duration, least=profile.duration)
    return profile.stretched(duration)


def _least(*limits: tuple[float | None, float]) -> float:
    return min((limit / size for limit, size in limits if limit is not None and size), default=inf)
