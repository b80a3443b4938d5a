"""A compiled inverse geometric model: what callers give and ask for, whatever method finds the branches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import InputError, ShapeError
from symoro.interface import robot_numbers
from symoro.models.geometric.inverse.limits import Allowed, allowed
from symoro.models.geometric.inverse.rotation import with_nearest_rotation
from symoro.models.geometric.inverse.solutions import Solutions, Status
from symoro.models.geometric.inverse.turns import in_turn_of
from symoro.robot.robot import Robot
from symoro.runtime.arrays import real_array

Array = NDArray[Any]
_DOUBLE = np.dtype(np.float64)
_COMPLETE, _CONTINUUM, _UNREACHABLE, _INVALID, _ = Status  # no closed form and no elimination is incomplete
#: The members of `Status` by their numbers.
MEMBERS = np.array([_COMPLETE, _CONTINUUM, _UNREACHABLE, _INVALID], dtype=object)


class Solver:
    """f(T) or f(T, r): all joint positions that give the poses T (..., 4, 4), where r (..., k) are given joints.

    `nearest_rotation` replaces the orientation of each pose by the nearest rotation; else a pose that is further than
    1e-6 from one is invalid. `nearest=q0` sorts the branches by their distance from q0, and gives its positions to
    free joints; angles are in its turn. `limits=True` keeps branches inside the joint limits, with angles in the turn
    of the limits, of several in the nearest one; a pose with all branches outside is unreachable, at a distance of 0.
    Of a continuum, another member is taken where the first one is outside; free joints are tried at many positions.
    `values` replaces parameters by name.
    """

    #: The answer to one usual pose, made by the code itself, where there is one: every microsecond counts in control.
    _at_once: Callable[..., Solutions | None] | None = None

    def __init__(self, robot: Robot, joints: Sequence[int], given: int) -> None:
        self.robot, self.joints, self._given = robot, tuple(joints), given

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
        near = None if nearest is None else self._near(nearest)
        found, inputs = None, None
        if self._at_once is not None and values is None and not nearest_rotation and (near is None or near.ndim == 1):
            found = self._at_once(T) if r is None else self._at_once(T, r)
            if r is not None and found is not None and found.status is _UNREACHABLE:
                found = None  # a given joint may not be finite
        if found is None or (near is not None and found.status is not _COMPLETE):
            inputs = self._inputs(T, r)
            if nearest_rotation:
                inputs[0] = with_nearest_rotation(inputs[0])
            found = self._answer(inputs, near, values)
        if not limits and near is None:
            return found
        q = found.q if near is None else in_turn_of(found.q, self._allowed(values).period, near[..., None, :])
        found = self._limited(found, q, inputs, values) if limits else replace(found, q=q)
        return found if near is None else self._sorted(found, near)

    def _answer(self, inputs: list[Array], near: Array | None, values: Mapping[str, float] | None) -> Solutions:
        """All branches, as they come."""
        raise NotImplementedError

    def _inputs(self, T: ArrayLike, r: ArrayLike | None) -> list[Array]:
        if (r is not None) != bool(self._given):
            wanted = (
                f"the {self._given} given joints are the second input"
                if self._given
                else "no joint is given: call f(T)"
            )
            raise ShapeError(f"{self.robot.name}: {wanted}")
        poses = T if type(T) is np.ndarray and T.dtype is _DOUBLE else real_array("T", T)
        if poses.shape[-2:] != (4, 4):
            raise ShapeError(f"T must have shape (4, 4) or (..., 4, 4), not {poses.shape}")
        return [poses] if r is None else self._with_given(poses, np.ascontiguousarray(real_array("r", r)))

    def _with_given(self, poses: Array, r: Array) -> list[Array]:
        """Poses and positions of the given joints; where one of these is not finite, the pose is not, either."""
        r = r[None] if r.ndim == 0 else r
        if r.shape[-1] != self._given:
            raise ShapeError(f"r must have shape ({self._given},) or (..., {self._given}), not {r.shape}")
        try:
            np.broadcast_shapes(poses.shape[:-2], r.shape[:-1])
        except ValueError:
            message = f"the leading axes do not broadcast: T {poses.shape[:-2]}, r {r.shape[:-1]}"
            raise ShapeError(message) from None
        finite: Array = np.isfinite(r)
        if finite.all():
            return [poses, r]
        every: Array = np.asarray(finite.all(-1))
        return [np.where(every[..., None, None], poses, np.nan), np.where(finite, r, 0.0)]

    def _near(self, q: ArrayLike) -> Array:
        array = real_array("nearest", q)
        if array.shape[-1:] != (len(self.joints),):
            raise ShapeError(f"nearest must have shape (..., {len(self.joints)}), not {array.shape}")
        if not np.isfinite(array).all():
            raise InputError("nearest has elements that are not finite (allowed: positions of all joints)")
        return array

    def _sorted(self, found: Solutions, near: Array) -> Solutions:
        """The branches from the nearest to the farthest."""
        length = np.where(found.valid, ((found.q - near[..., None, :]) ** 2).sum(-1), np.inf)
        order = np.argsort(length, axis=-1, kind="stable")
        if order.ndim == 1:
            return replace(found, q=found.q[order], valid=found.valid[order])
        q = np.take_along_axis(found.q, order[..., None], -2)
        return replace(found, q=q, valid=np.take_along_axis(found.valid, order, -1))

    def _limited(
        self, found: Solutions, q: Array, inputs: list[Array] | None, values: Mapping[str, float] | None
    ) -> Solutions:
        """The branches inside the limits; a pose without one is unreachable."""
        first, (q, inside) = q, self._allowed(values).placed(q)
        valid = found.valid & inside
        for place in map(tuple, np.argwhere((found.status == _CONTINUUM) & (found.valid & ~inside).any(-1))):
            own = [_at(x, place, found.valid.ndim - 1, axes) for x, axes in zip(inputs or (), (2, 1), strict=False)]
            for branch in np.flatnonzero(found.valid[place] & ~inside[place]):
                member = self._member(own, values, first[place][branch], int(branch), found.free[place])
                if member is not None:
                    q[place][branch], valid[place][branch] = member, True
        status, none = found.status, ~valid.any(-1)
        if valid.ndim == 1:
            status = _UNREACHABLE if none and status is not _INVALID else status
        else:
            status = status.copy()
            status[none & (status != _INVALID)] = _UNREACHABLE
        return replace(found, q=np.where(valid[..., None], q, np.nan), valid=valid, status=status)

    def _member(
        self, inputs: list[Array], values: Mapping[str, float] | None, q: Array, branch: int, free: Array
    ) -> Array | None:
        """The member inside the limits of the continuum to which a branch q of a pose belongs, where one is found."""
        raise NotImplementedError

    def _allowed(self, values: Mapping[str, float] | None) -> Allowed:
        """What the joints may do."""
        return self._own_limits if not values else allowed(self.robot, self.joints, {**self._numbers, **values})

    @cached_property
    def _own_limits(self) -> Allowed:
        return allowed(self.robot, self.joints, self._numbers)

    @cached_property
    def _numbers(self) -> Mapping[str, float]:
        """The numbers of the robot's parameters."""
        return robot_numbers(self.robot)


def _at(x: Array, place: tuple[int, ...], leading: int, axes: int) -> Array:
    """An input of this number of axes at a place of the leading ones, of which it may have fewer, or of length 1."""
    own = x.shape[: x.ndim - axes]
    shown = place[leading - len(own) :]
    return np.asarray(x[tuple(0 if size == 1 else k for k, size in zip(shown, own, strict=True))])
