"""Paths of motors: closed loops on the branch of the configuration before, poses of platforms."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.subject.branch import STEP, LoopBranch, PlatformBranch, exists, kinematics_of
from symoro.identification.subject.subject import Subject
from symoro.models.parallel.mechanism import structure
from symoro.solve.ways import inverse_geometry

# Closed loops along a path of their motors: every configuration on the branch of the one before.
#
# A long recording comes back to the same positions of its motors, up to whole turns. So configurations are not followed
# one after the other: all that are near known ones are found at once, then all that are near those, and so on. That
# neighbours on the path belong together is checked afterwards; behind the first that do not, the path is followed step
# by step. That happens where a branch is reached by another way round, or at a dead point.


_NEAR = 2.0
"""Steps between two configurations of which one is found from the other."""
_SAME = 1e-6
"""Difference of two configurations that are the same."""


def along(loops: LoopBranch, start: Array, x: Array) -> Array:
    """The configurations along a path of the motors, (samples, variables); NaN behind the end of the branch.

    `start` is a configuration near the first position, up to whole turns.
    """
    q = np.full((len(x), len(loops.subject.variables)), np.nan)
    way = np.abs(np.diff(x[:, loops.steering], axis=0)).max(axis=1, initial=0.0).cumsum()
    block = np.concatenate([[0], np.floor(way / STEP).astype(int)])
    first = np.concatenate([[0], 1 + np.flatnonzero(np.diff(block))])
    q[first] = _in_order(loops, _from_neighbours(loops, start, x[first]), x[first])
    if not np.isfinite(q[first]).all():
        return q
    begins = first[np.searchsorted(first, np.arange(len(x)), side="right") - 1]
    others = np.setdiff1d(np.arange(len(x)), first)
    q[others] = loops.stepped(q[begins[others]], x[others])
    lost = np.flatnonzero(~np.isfinite(q).all(axis=1))
    q[lost] = loops.reached(q[begins[lost]], x[lost])
    return q


def scattered(loops: LoopBranch, start: Array, x: Array) -> Array:
    """Configurations on the branch of `start` at positions of the motors that are no path, without whole turns.

    The motors go there along straight lines, at most half a turn; NaN where the branch ends.
    """
    back = np.array(x)
    for k, place in enumerate(loops.motors):
        if period := loops.periods[place]:
            back[:, k] -= period * np.round((x[:, k] - start[place]) / period)
    return loops.reached(start, back)


def nearest(loops: LoopBranch, known: Array, x: Array) -> Array:
    """The known configuration whose motors are nearest to x; whole turns are added so that they come near x."""
    turned = _turned(loops, known, np.broadcast_to(x, (len(known), len(x))))
    away = np.abs(turned[:, loops.motors] - x)[:, loops.steering].max(axis=1, initial=0.0)
    return np.asarray(turned[int(away.argmin())])


def _turned(loops: LoopBranch, q: Array, x: Array) -> Array:
    """Configurations with whole turns added to motors, so that these are near x."""
    turned = np.array(q)
    for k, place in enumerate(loops.motors):
        if period := loops.periods[place]:
            turned[:, place] += period * np.round((x[:, k] - q[:, place]) / period)
    return turned


def _from_neighbours(loops: LoopBranch, start: Array, x: Array) -> Array:
    """Configurations for positions of the motors, each from a known one near it; NaN behind the end of the branch.

    Passive joints may be whole turns away from their neighbours on the path.
    """
    q = np.full((len(x), len(loops.subject.variables)), np.nan)
    periods = np.array([loops.periods[place] for place in loops.motors])[loops.steering]
    at = x[:, loops.steering]
    at = np.where(periods > 0, np.mod(at, np.where(periods > 0, periods, 1.0)), at)
    q[0] = loops.reached(nearest(loops, start[None], x[0]), x[:1])[0]
    new, left = np.zeros(1, dtype=int), np.arange(1, len(x))
    while len(left) and np.isfinite(q[new]).all():
        away, which = cKDTree(at[new], boxsize=periods).query(at[left], p=np.inf, distance_upper_bound=_NEAR * STEP)
        near = np.isfinite(away)
        rows, known = left[near], new[which[near]]
        stepped = loops.stepped(_turned(loops, q[known], x[rows]), x[rows])
        good = np.isfinite(stepped).all(axis=1)
        q[rows[good]], new = stepped[good], rows[good]
        left = np.setdiff1d(left, new)
        if not len(new) and len(left):  # nothing is near: one step along the path
            new = left[:1]
            q[new] = loops.reached(q[left[0] - 1], x[new])
            left = left[1:]
    return q


def _in_order(loops: LoopBranch, q: Array, x: Array) -> Array:
    """Configurations of which each is what the one before leads to, without whole turns between them."""
    known = np.asarray(np.isfinite(q).all(axis=1))
    if not known[0]:
        return np.full_like(q, np.nan)
    count = len(q) if known.all() else int(np.argmin(known))
    ahead = loops.reached(q[: count - 1], x[1:count])
    rest, turns = loops.in_turns(ahead, q[1:count])
    joined = np.abs(rest).max(axis=1, initial=0.0) < _SAME  # NaN is not joined
    last = 1 + (len(joined) if joined.all() else int(np.argmin(joined)))
    q[1:last] += np.cumsum(turns[: last - 1], axis=0)
    for k in range(last, len(q)):
        q[k] = loops.reached(q[k - 1], x[k : k + 1])[0]
        if not np.isfinite(q[k]).all():
            q[k:] = np.nan
            break
    return q


# Poses of a platform along measured motions of the motors, and positions of the motors for measured poses.
#
# The motors are filtered as the joints of any robot. The pose T of the platform follows by the forward geometry,
# tracked from the home pose or from a measured one; V = J_p q̇ and V̇ = J_p q̈ + J̇_p q̇ (K10:60).


def carried(subject: Subject, q: Array, qd: Array, qdd: Array, pose: Array | None = None) -> dict[str, Array]:
    """T, V and VP of the body that motors drive; `pose` is its first one, where it is measured."""
    q, qd, qdd = (x[:, : len(subject.coordinates.driving)] for x in (q, qd, qdd))
    T = _tracked(subject, q, _from_home(subject, q[0]) if pose is None else poses(pose))
    return PlatformBranch(kinematics_of(subject.robot)).motion(T, qd, qdd)


def _from_home(subject: Subject, q: Array) -> Array:
    """The pose for first positions of the motors, on the way of the motors from home; else the home pose."""
    branch = PlatformBranch(kinematics_of(subject.robot))
    pose = branch.reached(branch.home, branch.unturned(q)[None])[0]
    return pose if np.isfinite(pose).all() else branch.home


def _tracked(subject: Subject, q: Array, start: Array) -> Array:
    """The poses along a motion in one assembly; behind a singularity each from the one before."""
    tracked = PlatformBranch(kinematics_of(subject.robot)).along(start, q)
    for k in np.flatnonzero(~exists(tracked)).tolist():
        tracked[k] = kinematics_of(subject.robot).tracker(q[k], guess=tracked[k - 1] if k else start).T[0]
        if not np.isfinite(tracked[k]).all():
            branch = [int(n) for n in structure(subject.description).branches]
            raise DataError("recordings.platform_is_lost", robot=subject.description.name, sample=k, branch=branch)
    return tracked


def motor_positions(subject: Subject, pose: Array) -> Array:
    """Positions of the motors for measured poses, in the branches of the model; NaN for samples that are none."""
    known = np.isfinite(pose).all(axis=1)
    T = poses(pose[known] if known.any() else pose)
    every = inverse_geometry(subject.robot).compile()(T).q  # (samples, branches, motors)
    legs = np.array([i for i, _ in subject.robot.motors])
    best, least = every[:, 0], np.inf
    for chosen in product(range(every.shape[1]), repeat=len(subject.robot.legs)):
        q = every[:, np.array(chosen)[legs], np.arange(every.shape[2])]
        _, error = kinematics_of(subject.robot).tracker._step(T[0], q[0])
        if np.isfinite(error) and error < least:
            best, least = q, float(error)
    if not np.isfinite(best).all() or least > 1e-6:
        raise DataError("recordings.legs_do_not_reach", robot=subject.description.name)
    positions = np.full((len(pose), best.shape[1]), np.nan)
    positions[known] = best
    return positions


def poses(pose: Array) -> Array:
    """T (..., 4, 4) from x, y, z and a quaternion x, y, z, w."""
    pose = np.asarray(pose, dtype=float)
    if not np.isfinite(pose).all() or not np.linalg.norm(pose[..., 3:], axis=-1).all():
        raise DataError("recordings.no_pose")
    T = np.zeros((*pose.shape[:-1], 4, 4))
    T[..., :3, 3], T[..., 3, 3] = pose[..., :3], 1.0
    T[..., :3, :3] = Rotation.from_quat(pose[..., 3:].reshape(-1, 4)).as_matrix().reshape(*pose.shape[:-1], 3, 3)
    return T
