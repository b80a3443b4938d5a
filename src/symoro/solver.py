"""The compiled inverse geometric model: poses in, branches with their status out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import ShapeError
from symoro.interface import robot_numbers
from symoro.model import Model
from symoro.models.geometric.inverse.branches import RIGID
from symoro.models.geometric.inverse.chain import Chain
from symoro.models.geometric.inverse.numeric import Displacements, NumericChain
from symoro.models.geometric.inverse.solutions import Solutions, Status
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate
from symoro.runtime.arrays import real_array

Array = NDArray[Any]
_DOUBLE = np.dtype(np.float64)
_TURN = 2 * np.pi
#: The positions of a free joint that are tried where the first one has no branch.
_TRIED = np.linspace(-np.pi, np.pi, 24, endpoint=False)
#: A branch whose error is between this and the certificate may be a true one that lost its digits.
_NEARLY = 0.05
_COMPLETE, _CONTINUUM, _UNREACHABLE, _INVALID = Status
_MEMBERS = np.array([_COMPLETE, _CONTINUUM, _UNREACHABLE, _INVALID], dtype=object)


class Solver:
    """f(T) or f(T, r): all joint positions that give the poses T (..., 4, 4), where r (..., k) are given joints.

    `nearest_rotation` replaces the orientation of each pose by the nearest rotation; else a pose that is further than
    1e-6 from one is invalid. `nearest=q0` sorts the branches by their distance from q0, and gives its positions to
    free joints. `limits=True` keeps branches inside the joint limits, with angles in the turn of the limits.
    `values` replaces parameters by name.
    """

    def __init__(self, robot: Robot, joints: Sequence[int], given: int) -> None:
        self.robot, self.joints, self._given = robot, tuple(joints), given
        self._prismatic = np.array([robot.joint(j).prismatic for j in joints])

    def __call__(
        self,
        T: ArrayLike,
        r: ArrayLike | None = None,
        *,
        nearest_rotation: bool = False,
        nearest: ArrayLike | None = None,
        limits: bool = False,
        values: Mapping[str, float] | None = None,
    ) -> Solutions:
        inputs = self._inputs(T, r)
        if nearest_rotation:
            inputs[0] = _projected(inputs[0])
        near = None if nearest is None else self._near(nearest)
        found = self._answer(inputs, near, values)
        if not limits and near is None:
            return found
        q, valid = found.q, found.valid
        if limits:
            q, valid = self._limited(q, valid, values)
        if near is not None:
            q, valid = self._sorted(q, valid, near)
        return replace(found, q=q, valid=valid)

    def _answer(self, inputs: list[Array], near: Array | None, values: Mapping[str, float] | None) -> Solutions:
        """All branches, as they come."""
        raise NotImplementedError

    def _inputs(self, T: ArrayLike, r: ArrayLike | None) -> list[Array]:
        if (r is not None) != bool(self._given):
            wanted = f"the {self._given} given joints are the second input" if self._given else "no joint is given"
            raise ShapeError(f"{self.robot.name}: {wanted}")
        poses = T if type(T) is np.ndarray and T.dtype is _DOUBLE else real_array("T", T)
        if poses.shape[-2:] != (4, 4):
            raise ShapeError(f"T must have shape (4, 4) or (..., 4, 4), not {poses.shape}")
        return [poses] if r is None else [poses, np.ascontiguousarray(real_array("r", r))]

    def _near(self, q: ArrayLike) -> Array:
        array = real_array("nearest", q)
        if array.shape[-1:] != (len(self.joints),):
            raise ShapeError(f"nearest must have shape (..., {len(self.joints)}), not {array.shape}")
        return array

    def _sorted(self, q: Array, valid: Array, near: Array) -> tuple[Array, Array]:
        """The branches from the nearest to the farthest; angles are in the turn that is nearest."""
        away = q - near[..., None, :]
        turns = np.where(self._prismatic, 0.0, np.round(away / _TURN))
        q, away = q - _TURN * turns, away - _TURN * turns
        length = np.where(valid, (away**2).sum(-1), np.inf)
        order = np.argsort(length, axis=-1, kind="stable")
        return np.take_along_axis(q, order[..., None], -2), np.take_along_axis(valid, order, -1)

    def _limited(self, q: Array, valid: Array, values: Mapping[str, float] | None) -> tuple[Array, Array]:
        """The branches inside the limits; an angle is the smallest that is not below its lower limit."""
        numbers = {**robot_numbers(self.robot), **(values or {})}
        for k, j in enumerate(self.joints):
            limits = self.robot.joint(j).limits
            lower = -np.inf if limits.lower is None else evaluate(limits.lower, numbers)
            upper = np.inf if limits.upper is None else evaluate(limits.upper, numbers)
            if not self._prismatic[k] and np.isfinite(lower) and np.isfinite(upper):
                turns = np.ceil((lower - q[..., k]) / _TURN - 1e-12)
                inside = lower <= 0 <= upper  # the turn around zero, where the limits have room for it
                turns = np.where(inside & (q[..., k] >= lower) & (q[..., k] <= upper), 0.0, turns)
                q[..., k] += _TURN * turns
            with np.errstate(invalid="ignore"):
                valid = valid & (q[..., k] >= lower - 1e-12) & (q[..., k] <= upper + 1e-12)
        return np.where(valid[..., None], q, np.nan), valid


class ClosedForm(Solver):
    """The program of a closed form, compiled.

    `second` solves the poses at which the program loses a branch to rounding: see `_lost`.
    """

    def __init__(
        self, model: Model, joints: Sequence[int], given: int, backend: str, second: Solver | None = None
    ) -> None:
        super().__init__(model.robot, joints, given)
        self._f, self._second = model.compile(backend), second

    def _answer(self, inputs: list[Array], near: Array | None, values: Mapping[str, float] | None) -> Solutions:
        if values is None and near is None:  # a call without keywords takes the shortest way
            found = self._f(*inputs)
        else:
            options: dict[str, Any] = {"values": values, "near": near}
            found = self._f(*inputs, **{name: given for name, given in options.items() if given is not None})
        if found.state.ndim == 1:
            return self._one(found, inputs, values)
        valid = found.valid > 0.5
        rigid, some = found.state[..., 0] > 0.5, found.state[..., 2] > 0.5
        valid &= rigid[..., None]
        moves, lost = np.zeros((*rigid.shape, len(self.joints)), bool), ~valid & (found.error < _NEARLY)
        for place in map(tuple, np.argwhere(rigid & some)):
            free = found.free[place] > 0.5
            self._choose([x[place] for x in inputs], values, found.q[place], valid[place], free)
            moves[place] = (free & valid[place][:, None]).any(0)
            lost[place] = _lost(valid[place], free, found.error[place])
        found.q[~valid] = np.nan
        kinds = np.where(rigid, np.where(valid.any(-1), np.where(some, moves.any(-1), 0), 2), 3)
        made = Solutions(found.q, valid, _MEMBERS[kinds], moves, np.where(rigid, found.state[..., 3], np.nan))
        if self._second is not None:
            for place in sorted({tuple(place[:-1]) for place in np.argwhere(lost & rigid[..., None]).tolist()}):
                self._again(made, place, [x[place] for x in inputs], values)
        return made

    def _one(self, found: Any, inputs: list[Array], values: Mapping[str, float] | None) -> Solutions:
        """One pose, in few calls of NumPy, because every microsecond counts in a control loop."""
        rigid, count, some, least = found.state.tolist()
        q, valid = found.q, found.valid.astype(bool)
        moves = np.zeros(len(self.joints), bool)
        if not rigid:
            valid[:], q[:] = False, np.nan
            return Solutions(q, valid, _INVALID, moves, np.array(np.nan))
        status, lost = _COMPLETE if count else _UNREACHABLE, False
        if some:
            free = found.free.astype(bool)
            self._choose(inputs, values, q, valid, free)
            count, moves = valid.sum(), (free & valid[:, None]).any(0)
            status = _CONTINUUM if moves.any() else _COMPLETE if count else _UNREACHABLE
        if count < len(valid):
            q[~valid] = np.nan
            if self._second is not None:
                lost = bool(_lost(valid, free, found.error).any()) if some else _nearly(found.error) > count
        if not lost:
            return Solutions(q, valid, status, moves, np.array(least))
        made = Solutions(q[None], valid[None], np.array([status], dtype=object), moves[None], np.array([least]))
        self._again(made, (0,), inputs, values)
        return Solutions(made.q[0], made.valid[0], made.status[0], made.free[0], made.distance[0])

    def _again(
        self, made: Solutions, place: tuple[int, ...], inputs: list[Array], values: Mapping[str, float] | None
    ) -> None:
        """Put the branches of the second solver in the place of a pose, if it finds more, and not only near ones."""
        assert self._second is not None
        other = self._second._answer(inputs, None, values)
        count, most = int(other.valid.sum()), made.valid.shape[-1]
        known = made.q[place][made.valid[place]]
        if len(known) < count <= most and self._differ(other.q[other.valid], known):
            made.q[place], made.valid[place] = np.nan, np.arange(most) < count
            made.q[place][:count] = other.q[other.valid]
            made.status[place], made.free[place], made.distance[place] = other.status, other.free, other.distance

    def _differ(self, found: Array, known: Array) -> bool:
        """Whether one of these branches is not near a known one; at a multiple branch, some near it have its pose."""
        away = found[:, None] - known
        turns = np.where(self._prismatic, 0.0, np.round(away / _TURN))
        return bool((np.abs(away - _TURN * turns).max(-1).min(-1, initial=np.inf) > _NEARLY).any())

    def _choose(
        self, inputs: list[Array], values: Mapping[str, float] | None, q: Array, valid: Array, free: Array
    ) -> None:
        """Complete the branches of a pose: where one has a free joint and does not exist, that joint goes elsewhere.

        The other joints must be able to follow a free one. The first position that allows it gives the member.
        """
        lost = np.flatnonzero(free.any(-1) & ~valid)
        if not len(lost):
            return
        found = self._f(*inputs, values=values, near=np.tile(_TRIED[:, None], (1, len(self.joints))))
        exists = found.valid > 0.5
        for branch in lost[exists[:, lost].any(0)]:
            first = int(np.argmax(exists[:, branch]))
            q[branch], valid[branch], free[branch] = found.q[first, branch], True, found.free[first, branch] > 0.5


def _lost(valid: Array, free: Array, error: Array) -> Array:
    """Which branches of a pose may be lost: they nearly have the pose, or their free joint found no position.

    Where two roots are nearly one, an angle has half of its digits, and a joint that follows from it by a division may
    have none.
    """
    return ~valid & ((error < _NEARLY) | free.any(-1))


def _nearly(error: Array) -> int:
    """How many branches have a pose, or nearly have it."""
    return int(np.count_nonzero(error < _NEARLY))


#: One pose to its branches: `q` (n, joints), their `error` and the direction `free` of each one's self-motion.
Method = Callable[[str, Array, Array], Any]


class GeneralForm(Solver):
    """The general method, pose by pose: geometry and pose are numbers.

    Where the task is the direction of an axis of the end frame, 0 to 2, a virtual joint turns the frame about it.
    """

    def __init__(self, chain: Chain, given: Sequence[int], solve: Method, axis: int | None = None) -> None:
        super().__init__(chain.symbols.robot, sorted(axis.joint for axis in chain.axes), len(given))
        self._axis = axis
        self._chain, self._known, self._solve = NumericChain(chain), tuple(given), solve
        self._last: tuple[Any, Displacements] | None = None

    def _answer(self, inputs: list[Array], near: Array | None, values: Mapping[str, float] | None) -> Solutions:
        parameters = {**robot_numbers(self.robot), **(values or {})}
        poses = inputs[0]
        leading = poses.shape[:-2]
        given = np.broadcast_to(inputs[1], (*leading, self._given)) if self._given else np.zeros((*leading, 0))
        flat = poses.reshape(-1, 4, 4)
        rows = given.reshape(len(flat), self._given)
        found = [
            self._one(T, dict(zip(self._known, r, strict=True)), parameters) for T, r in zip(flat, rows, strict=True)
        ]
        count = max((len(q) for q, _, _ in found), default=1) or 1
        q = np.full((len(found), count, len(self.joints)), np.nan)
        error, free = np.full((len(found), count), np.inf), np.zeros((len(found), len(self.joints)), bool)
        for k, (branch, miss, moving) in enumerate(found):
            q[k, : len(branch)], error[k, : len(branch)], free[k] = branch, miss, moving
        rigid = np.array([_rigid(T) for T in flat], bool).reshape(leading)
        shape = (*leading, count)
        valid = np.isfinite(error).reshape(shape)
        kinds = np.where(rigid, np.where(valid.any(-1), np.where(free.any(-1).reshape(leading), 1, 0), 2), 3)
        distance = np.where(valid.any(-1), error.min(-1).reshape(leading), np.nan)
        return Solutions(q.reshape(*shape, -1), valid, _MEMBERS[kinds], free.reshape(*leading, -1), distance)

    def _one(self, T: Array, given: Mapping[int, float], parameters: Mapping[str, float]) -> tuple[Array, Array, Array]:
        """The branches of one pose, their errors, and the joints that a self-motion moves."""
        if not _rigid(T):
            return np.zeros((0, len(self.joints))), np.zeros(0), np.zeros(len(self.joints), bool)
        arm = self._arm(parameters)
        kinds, links = arm.kinds, arm.at(np.array(list(given.values())))
        if self._axis is not None:
            kinds, links = with_turn(kinds, links, self._axis)
        found = self._solve(kinds, links, T)
        free = np.zeros(len(self.joints), bool)
        for k, j in enumerate(arm.joints):
            free[self.joints.index(j)] = bool(len(found.q)) and bool(np.abs(found.free[:, k]).max() > 0)
        return self._chain.positions(arm.joints, found.q[:, : len(arm.joints)], given), found.error, free

    def _arm(self, parameters: Mapping[str, float]) -> Displacements:
        """The arm of these numbers; most calls have those of the call before."""
        key = dict(parameters)
        last = self._last
        if last is None or last[0] != key:
            last = key, self._chain.displacements(parameters, self._known)
            self._last = last
        return last[1]


def with_turn(kinds: str, links: Array, axis: int) -> tuple[str, Array]:
    """An arm with one more joint, which turns the end frame about its axis x, y or z: 0, 1 or 2."""
    to_z = np.eye(4)  # brings z to the axis
    to_z[:3, :3] = np.roll(np.eye(3), axis + 1, axis=0)
    return kinds + "R", np.stack([*links[:-1], links[-1] @ to_z, to_z.T])


def _rigid(T: Array) -> bool:
    """Whether T is a rotation and a translation, to 1e-6."""
    if not np.isfinite(T).all():
        return False
    R = T[:3, :3]
    far = max(np.abs(R.T @ R - np.eye(3)).max(), np.abs(T[3] - [0, 0, 0, 1]).max())
    return bool(far <= RIGID and np.linalg.det(R) > 0)


def _projected(T: Array) -> Array:
    """The poses with the nearest rotations, U Vᵀ of R = U Σ Vᵀ; what is not finite stays."""
    finite: Array = np.asarray(np.isfinite(T).all((-2, -1)))
    U, _, Vt = np.linalg.svd(np.where(finite[..., None, None], T, np.eye(4))[..., :3, :3])
    flip = np.linalg.det(U @ Vt)
    U = U * np.stack([np.ones_like(flip), np.ones_like(flip), np.sign(flip)], -1)[..., None, :]
    projected = T.copy()
    projected[..., :3, :3] = np.where(finite[..., None, None], U @ Vt, np.nan)
    return projected
