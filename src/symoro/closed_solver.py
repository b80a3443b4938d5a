"""The compiled closed form of inverse geometry: poses in, branches with their status out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symoro.model import Model
from symoro.models.geometric.inverse.branches import CERTIFIED
from symoro.models.geometric.inverse.limits import member_inside
from symoro.models.geometric.inverse.mend import ROUNDED
from symoro.models.geometric.inverse.restore import Restore
from symoro.models.geometric.inverse.solutions import Solutions
from symoro.models.geometric.inverse.turns import in_turn_of
from symoro.solver import MEMBERS, Array, Solver

#: The positions of a free joint that are tried where the first one has no branch.
_TRIED = np.linspace(-np.pi, np.pi, 24, endpoint=False)
#: A branch whose error is between this and the certificate may be a true one that lost its digits.
_NEARLY = 0.05
_COMPLETE, _CONTINUUM, _UNREACHABLE, _INVALID = MEMBERS


class ClosedForm(Solver):
    """The program of a closed form, compiled.

    `second` solves the poses at which the program loses a branch to rounding: see `_lost`. Where nothing but rounding
    can be wrong, `restore` mends the branches themselves.
    """

    def __init__(
        self,
        model: Model,
        joints: Sequence[int],
        given: int,
        backend: str,
        second: Solver | None = None,
        restore: Restore | None = None,
    ) -> None:
        super().__init__(model.robot, joints, given)
        self._made_of = model, joints, given, backend, second, restore
        self._f, self._second, self._restore = model.compile(backend), second, restore
        nearly = _NEARLY if second is not None else ROUNDED if restore is not None else None
        self._at_once = _answering(self._f, nearly) if backend == "llvm" else None

    def __reduce__(self) -> tuple[Any, ...]:
        """Machine code belongs to one process: what is kept is what it is made of."""
        return type(self), self._made_of

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
        inputs = [np.broadcast_to(x, (*rigid.shape, *x.shape[-own:])) for x, own in zip(inputs, (2, 1), strict=False)]
        moves, lost = np.zeros((*rigid.shape, len(self.joints)), bool), ~valid & (found.error < _NEARLY)
        for place in map(tuple, np.argwhere(rigid & some)):
            free = found.free[place] > 0.5
            self._choose([x[place] for x in inputs], values, found.q[place], valid[place], free)
            moves[place] = (free & valid[place][:, None]).any(0)
            lost[place] = _lost(valid[place], free, found.error[place])
        if self._restore is not None:
            for place in map(tuple, np.argwhere(rigid & (lost & (found.error < ROUNDED)).any(-1))):
                own = [x[place] for x in inputs]
                self._restored(own, values, found.q[place], valid[place], found.error[place])
        found.q[~valid] = np.nan
        kinds = np.where(rigid, np.where(valid.any(-1), np.where(some, moves.any(-1), 0), 2), 3)
        made = Solutions(found.q, valid, MEMBERS[kinds], moves, np.where(rigid, found.state[..., 3], np.nan))
        if self._second is not None:
            for place in sorted({tuple(place[:-1]) for place in np.argwhere(lost & rigid[..., None]).tolist()}):
                self._again(made, place, [x[place] for x in inputs], values)
        return made

    def _one(self, found: Any, inputs: list[Array], values: Mapping[str, float] | None) -> Solutions:
        """One pose, in few calls of NumPy."""
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
            if self._restore is not None and _nearly(found.error, ROUNDED) > count:
                self._restored(inputs, values, q, valid, found.error)
                status = _COMPLETE if status is _UNREACHABLE and valid.any() else status
            q[~valid] = np.nan
            if self._second is not None:
                lost = bool(_lost(valid, free, found.error).any()) if some else _nearly(found.error) > count
        if not lost:
            return Solutions(q, valid, status, moves, np.array(least))
        made = Solutions(q[None], valid[None], np.array([status], dtype=object), moves[None], np.array([least]))
        self._again(made, (0,), inputs, values)
        return Solutions(made.q[0], made.valid[0], made.status[0], made.free[0], np.array(made.distance[0]))

    def _restored(
        self, inputs: list[Array], values: Mapping[str, float] | None, q: Array, valid: Array, error: Array
    ) -> None:
        """Put the branches of a pose that rounding alone has lost into their places."""
        assert self._restore is not None
        T, r = inputs if self._given else (inputs[0], np.zeros(0))
        limit = CERTIFIED * max(1.0, float(np.abs(T[:3, 3]).max()))
        near = np.flatnonzero(valid | ((error > limit) & (error < ROUNDED)))
        if len(near) == valid.sum():
            return
        found = self._restore(T, r, {**self._numbers, **(values or {})}, q[near], valid[near], limit)
        for k, positions in found.items():
            q[near[k]], valid[near[k]], error[near[k]] = positions, True, 0.0

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
        apart = in_turn_of(away, self._own_limits.period, np.zeros(len(self.joints)))
        return bool((np.abs(apart).max(-1).min(-1, initial=np.inf) > _NEARLY).any())

    def _member(
        self, inputs: list[Array], values: Mapping[str, float] | None, q: Array, branch: int, free: Array
    ) -> Array | None:
        places = np.flatnonzero(free)

        def members(points: Array) -> tuple[Array, Array]:
            near = np.tile(q, (len(points), 1))
            near[:, places] = points
            found = self._f(*inputs, values=values, near=near)
            return found.q[:, branch], found.valid[:, branch] > 0.5

        return member_inside(members, places, self._allowed(values), q)

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


def _answering(f: Any, nearly: float | None) -> Callable[..., Any] | None:
    """The code's own answer to one usual pose; its module is imported where LLVM is there already."""
    from symoro.runtime.branches import answering

    return answering(f, Solutions, _COMPLETE, _UNREACHABLE, nearly)


def _lost(valid: Array, free: Array, error: Array) -> Array:
    """Which branches of a pose may be lost: they nearly have the pose, or their free joint found no position.

    Where two roots are nearly one, an angle has half of its digits, and a joint that follows from it by a division may
    have none.
    """
    return ~valid & ((error < _NEARLY) | free.any(-1))


def _nearly(error: Array, limit: float = _NEARLY) -> int:
    """How many branches have a pose, or nearly have it."""
    return int(np.count_nonzero(error < limit))
