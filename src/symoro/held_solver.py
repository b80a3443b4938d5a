"""Inverse geometry of arms of which every pose leaves joints free: some are held, and the others follow them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from symoro.errors import ShapeError
from symoro.models.geometric.inverse.limits import member_inside
from symoro.models.geometric.inverse.solutions import Solutions
from symoro.solver import MEMBERS, Array, Solver

#: How many positions of each joint that is held are tried where the first ones have no branch.
_TRIED = 24
#: A slide without limits is tried so far on both sides.
_FAR = 5.0
_COMPLETE, _CONTINUUM, _UNREACHABLE, _INVALID = MEMBERS


class HeldForm(Solver):
    """A solver whose last given joints are `held` at positions of its own choice; `free` are all joints that can move.

    The first position is that of `nearest`, or 0. Where it has no branch, many others are tried.
    """

    def __init__(self, inner: Solver, held: Sequence[int], free: Sequence[int], stable: bool) -> None:
        super().__init__(inner.robot, inner.joints, inner._given - len(held))
        self._inner, self._stable = inner, stable
        self._held = [self.joints.index(j) for j in held]
        self._free = np.isin(self.joints, free)

    def _answer(self, inputs: list[Array], near: Array | None, values: Mapping[str, float] | None) -> Solutions:
        given = inputs[1] if self._given else np.zeros(0)
        first = np.zeros(len(self._held)) if near is None else near[..., self._held]
        try:
            leading = np.broadcast_shapes(inputs[0].shape[:-2], given.shape[:-1], first.shape[:-1])
        except ValueError:
            raise ShapeError(
                f"the leading axes do not broadcast: T {inputs[0].shape[:-2]}, nearest {first.shape[:-1]}"
            ) from None
        T = np.broadcast_to(inputs[0], (*leading, 4, 4)).reshape(-1, 4, 4)
        r, x = (np.broadcast_to(a, (*leading, a.shape[-1])).reshape(len(T), a.shape[-1]) for a in (given, first))
        found = [self._one(*one, values) for one in zip(T, r, x, strict=True)]
        most = max((len(s.q) for s in found), default=1)
        q = np.full((len(T), most, len(self.joints)), np.nan)
        valid = np.zeros(q.shape[:2], bool)
        for k, s in enumerate(found):
            q[k, : len(s.q)], valid[k, : len(s.q)] = s.q, s.valid
        status = np.array([s.status for s in found], dtype=object).reshape(leading)
        free, distance = (np.array([getattr(s, name) for s in found]) for name in ("free", "distance"))
        shape = (*leading, most)
        return Solutions(
            q.reshape(*shape, -1),
            valid.reshape(shape),
            status if leading else status.item(),
            free.reshape(*leading, -1),
            distance.reshape(leading),
        )

    def _one(self, T: Array, r: Array, first: Array, values: Mapping[str, float] | None) -> Solutions:
        """The branches of one pose, at the first positions of the held joints that have some."""
        for positions in (first[None], self._tried):
            s = self._inner._answer([T, np.hstack([np.tile(r, (len(positions), 1)), positions])], None, values)
            k = int(s.valid.any(-1).argmax())
            if s.valid[k].any() or s.status[k] is _INVALID:
                break
        status = s.status[k] if s.status[k] in (_INVALID, _UNREACHABLE) else _CONTINUUM
        free = self._free & (status is _CONTINUUM)
        return Solutions(s.q[k], s.valid[k], status, free, s.distance[k if s.valid[k].any() else 0])

    @cached_property
    def _tried(self) -> Array:
        """Positions of the held joints, (n, held)."""
        own = self._own_limits
        low, high = (np.where(np.isfinite(x), x, side) for x, side in ((own.lower, -_FAR), (own.upper, _FAR)))
        ends = [
            (-own.period[k] / 2, own.period[k] / 2 * (1 - 2 / _TRIED)) if own.period[k] else (low[k], high[k])
            for k in self._held
        ]
        grid = np.meshgrid(*(np.linspace(*pair, _TRIED) for pair in ends), indexing="ij")
        return np.stack(grid, axis=-1).reshape(-1, len(self._held))

    def _member(
        self, inputs: list[Array], values: Mapping[str, float] | None, q: Array, branch: int, free: Array
    ) -> Array | None:
        if branch and not self._stable:  # branches have no order that stays: one member stands for all
            return None
        limits = self._allowed(values)
        r = inputs[1] if self._given else np.zeros(0)

        def members(points: Array) -> tuple[Array, Array]:
            s = self._inner._answer([inputs[0], np.hstack([np.tile(r, (len(points), 1)), points])], None, values)
            if self._stable:
                return s.q[:, branch], s.valid[:, branch]
            margin = np.where(s.valid, limits.margin(limits.placed(s.q)[0]), -np.inf)
            return s.q[range(len(points)), margin.argmax(1)], np.asarray(s.valid.any(1))

        return member_inside(members, np.array(self._held), limits, q)
