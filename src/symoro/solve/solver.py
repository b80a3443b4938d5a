"""A compiled answer to a question of positions: what callers give and ask for, whatever way finds the branches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.bind.interface import inputs, parameters, robot_numbers
from symoro.bind.symbols import Symbols
from symoro.errors import InputError, ParameterError, ShapeError
from symoro.findings import Finding
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.lazy import lazy
from symoro.models.geometric.frames import FrameRef
from symoro.models.geometric.inverse.branches import with_nearest_rotation
from symoro.models.geometric.transform import forward_geometry
from symoro.robot.robot import Robot
from symoro.runtime.function import ParameterValues
from symoro.runtime.outputs import real_array
from symoro.solve.branches import Branches, Status
from symoro.solve.limits import Allowed, allowed

Array = NDArray[Any]
Values = Mapping[str, float]
_DOUBLE = np.dtype(np.float64)
_COMPLETE, _CONTINUUM, _UNREACHABLE, _INVALID, _ = Status  # no closed form and no elimination is incomplete
#: The members of `Status` by their numbers.
MEMBERS = np.array([_COMPLETE, _CONTINUUM, _UNREACHABLE, _INVALID], dtype=object)


#: The last axes of points.
_POINTS = (2,), (3,)
_POINT = Finding("positions.point")


class Solver:
    """What every compiled answer has: the robot, the joints of q, their limits, and the numbers of parameters.

    `nearest=q0` sorts the branches by their distance from q0. `limits=True` keeps branches inside the joint limits.
    `guess` is where to begin. `values` replaces parameters by name.
    """

    def __init__(self, robot: Robot, joints: Sequence[Any]) -> None:
        self.robot, self.joints = robot, tuple(joints)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.robot.name}>"

    # parameters

    @lazy
    def _numbers(self) -> Values:
        """The numbers of the robot's parameters."""
        return robot_numbers(self.robot)

    @property
    def _parameters(self) -> ParameterValues:
        """The parameters that `values` can replace."""
        raise NotImplementedError

    def numbers(self, values: Values | None) -> Values:
        """The numbers of the robot and those that replace them, which must be single numbers of known parameters."""
        replaced = {} if values is None else self._parameters.checked(values)
        if arrays := [name for name, number in replaced.items() if np.ndim(number)]:
            raise ParameterError("positions.one_number", names=arrays)
        return {**self._numbers, **replaced}

    # limits

    def _allowed(self, values: Values | None) -> Allowed:
        """What the joints may do."""
        return self._own_limits if not values else self._limits_for({**self._numbers, **values})

    @lazy
    def _own_limits(self) -> Allowed:
        return self._limits_for(self._numbers)

    def _limits_for(self, numbers: Values) -> Allowed:
        return allowed(self.robot, self.joints, numbers)

    # nearest positions

    def _near(self, q: ArrayLike, count: int | None = None) -> Array:
        """Positions of all joints of q, or of so many."""
        array, count = real_array("nearest", q), len(self.joints) if count is None else count
        if array.shape[-1:] != (count,):
            raise ShapeError("positions.shape", name="nearest", axes=str(count), shape=str(array.shape))
        if not np.isfinite(array).all():
            raise InputError("positions.not_finite", name="nearest")
        return array

    def _sorted(self, branches: Branches, near: Array) -> Branches:
        """The branches from the nearest to the farthest."""
        length = np.where(branches.valid, ((branches.q - near[..., None, :]) ** 2).sum(-1), np.inf)
        order = np.argsort(length, axis=-1, kind="stable")
        if order.ndim == 1:
            return replace(branches, q=branches.q[order], valid=branches.valid[order])
        q = np.take_along_axis(branches.q, order[..., None], -2)
        return replace(branches, q=q, valid=np.take_along_axis(branches.valid, order, -1))


class PoseSolver(Solver):
    """f(T) or f(T, r): all joint positions that give the poses T (..., 4, 4), where r (..., k) are given joints.

    `nearest_rotation` replaces the orientation of each pose by the nearest rotation; else a pose that is further than
    1e-6 from one is invalid. `nearest=q0` sorts the branches by their distance from q0, and gives its positions to
    free joints; angles are in its turn. `limits=True` keeps branches inside the joint limits, with angles in the turn
    of the limits, of several in the nearest one; a pose with all branches outside is unreachable, at a distance of 0.
    Of a continuum, another member is taken where the first one is outside; free joints are tried at many positions.
    `values` replaces parameters by name. Where the task is a position, T may be points (..., 3); (..., 2) are those of
    a frame that stays in a plane z.
    """

    #: Makes poses of points, where the task is a position.
    _posed: Callable[[ArrayLike, Values | None], ArrayLike] | None = None
    #: The answer to one usual pose, made by the code itself, where there is one: every microsecond counts in control.
    _at_once: Callable[..., Branches | None] | None = None
    #: An unreachable pose of which a nearer one was found is asked again in the other ways.
    _nearly = -1.0

    def __init__(self, robot: Robot, joints: Sequence[int], redundant: int) -> None:
        super().__init__(robot, joints)
        self._redundant = redundant

    def __call__(
        self,
        T: ArrayLike,
        r: ArrayLike | None = None,
        *,
        nearest_rotation: bool = False,
        nearest: ArrayLike | None = None,
        limits: bool = False,
        values: Values | None = None,
    ) -> Branches:
        if self._posed is not None:
            T = self._posed(T, values)
        near = None if nearest is None else self._near(nearest)
        branches, inputs = None, None
        if self._at_once is not None and values is None and not nearest_rotation and (near is None or near.ndim == 1):
            branches = self._at_once(T) if r is None else self._at_once(T, r)
            if (
                branches is not None
                and branches.status is _UNREACHABLE
                and (r is not None or branches.distance < self._nearly)
            ):
                branches = None  # a given joint may not be finite, and another way may find a branch
        if branches is None or (near is not None and branches.status is not _COMPLETE):
            inputs = self._inputs(T, r)
            if nearest_rotation:
                inputs[0] = with_nearest_rotation(inputs[0])
            branches = self._answer(inputs, near, values)
        if not limits and near is None:
            return branches
        q = branches.q if near is None else self._allowed(values).nearest(branches.q, near[..., None, :])
        branches = self._limited(branches, q, inputs, values) if limits else replace(branches, q=q)
        return branches if near is None else self._sorted(branches, near)

    def _answer(self, inputs: list[Array], near: Array | None, values: Values | None) -> Branches:
        """All branches, as they come."""
        raise NotImplementedError

    def _inputs(self, T: ArrayLike, r: ArrayLike | None) -> list[Array]:
        if (r is not None) != bool(self._redundant):
            wanted = (
                Finding("positions.second_input", count=self._redundant)
                if self._redundant
                else Finding("positions.pose_alone")
            )
            raise ShapeError("positions.of_robot", robot=self.robot.name, reason=wanted)
        poses = T if type(T) is np.ndarray and T.dtype is _DOUBLE else real_array("T", T)
        _require_shape("T", poses, (4, 4), _POINT if poses.shape[-1:] in _POINTS and self._posed is None else None)
        return [poses] if r is None else self._with_given(poses, np.ascontiguousarray(real_array("r", r)))

    def _with_given(self, poses: Array, r: Array) -> list[Array]:
        """Poses and positions of the given joints; where one of these is not finite, the pose is not, either."""
        r = r[None] if r.ndim == 0 else r
        _require_shape("r", r, (self._redundant,))
        broadcast("T", poses.shape[:-2], "r", r.shape[:-1])
        finite: Array = np.isfinite(r)
        if finite.all():
            return [poses, r]
        every: Array = np.asarray(finite.all(-1))
        return [np.where(every[..., None, None], poses, np.nan), np.where(finite, r, 0.0)]

    def _limited(self, branches: Branches, q: Array, inputs: list[Array] | None, values: Values | None) -> Branches:
        """The branches inside the limits; a pose without one is unreachable."""
        first, (q, inside) = q, self._allowed(values).placed(q)
        valid = branches.valid & inside
        for place in map(tuple, np.argwhere((branches.status == _CONTINUUM) & (branches.valid & ~inside).any(-1))):
            here = [_at(x, place, branches.valid.ndim - 1, axes) for x, axes in zip(inputs or (), (2, 1), strict=False)]
            for branch in np.flatnonzero(branches.valid[place] & ~inside[place]):
                member = self._member(here, values, first[place][branch], int(branch), branches.free[place])
                if member is not None:
                    q[place][branch], valid[place][branch] = member, True
        status, none = branches.status, ~valid.any(-1)
        if valid.ndim == 1:
            status = _UNREACHABLE if none and status is not _INVALID else status
        else:
            status = status.copy()
            status[none & (status != _INVALID)] = _UNREACHABLE
        return replace(branches, q=np.where(valid[..., None], q, np.nan), valid=valid, status=status)

    def _member(self, inputs: list[Array], values: Values | None, q: Array, branch: int, free: Array) -> Array | None:
        """The member inside the limits of the continuum to which a branch q of a pose belongs, where one is found."""
        raise NotImplementedError


class Points:
    """Points of a frame as poses, whose orientation is any; a point of two numbers is in the plane z of the frame."""

    def __init__(self, robot: Robot, frame: FrameRef) -> None:
        self._robot, self._frame = robot, frame

    def __call__(self, T: ArrayLike, values: Values | None) -> ArrayLike:
        """Poses (..., 4, 4) of points (..., 3) or (..., 2); what has another shape stays as it is."""
        if type(T) is np.ndarray and T.shape == (4, 4):
            return T
        points = real_array("T", T)
        if points.shape[-1:] not in _POINTS:
            return points
        z = points[..., 2] if points.shape[-1] == 3 else self._height(values)
        poses = np.zeros((*broadcast("T", points.shape[:-1], "values", z.shape), 4, 4))
        poses[..., :3, :3], poses[..., 3, 3] = np.eye(3), 1.0
        poses[..., :2, 3], poses[..., 2, 3] = points[..., :2], z
        return poses

    def _height(self, values: Values | None) -> Array:
        if self._z.instructions:
            raise ShapeError("positions.moves_along_z", robot=self._robot.name)
        numbers = {**robot_numbers(self._robot), **(values or {})}
        height: Array = evaluate(self._z, {"q": np.zeros(self._z.inputs[0].shape)}, numbers)["z"]
        return height

    @lazy
    def _z(self) -> Program:
        """z of the frame; it has no instructions where no joint moves it."""
        s = Symbols(self._robot, Graph())
        (T,) = forward_geometry(s, self._frame, False)
        return extract(s.graph, inputs(s, ("q",)), parameters(s), [Result("z", (), T.elements[11:12], ("z",))])


def shaped(name: str, numbers: ArrayLike, shape: tuple[int, ...], what: Finding | None = None) -> Array:
    """The numbers as an array of real numbers with these last axes; `what` says what they are."""
    array = real_array(name, numbers)
    _require_shape(name, array, shape, what)
    return array


def _require_shape(name: str, array: Array, shape: tuple[int, ...], what: Finding | None = None) -> None:
    if array.shape[-len(shape) :] != shape:
        axes = ", ".join(map(str, shape))
        fields = {"name": name, "one": str(shape), "axes": axes, "shape": str(array.shape)}
        raise (
            ShapeError("positions.must_have_shape", **fields)
            if what is None
            else ShapeError("positions.must_have_shape_of", **fields, what=what)
        )


def broadcast(one: str, a: tuple[int, ...], other: str, b: tuple[int, ...]) -> tuple[int, ...]:
    """The leading axes that two inputs have together."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise ShapeError("runtime.broadcast", axes=[f"{one} {a}", f"{other} {b}"]) from None


def _at(x: Array, place: tuple[int, ...], leading: int, axes: int) -> Array:
    """An input of this number of axes at a place of the leading ones, of which it may have fewer, or of length 1."""
    lengths = x.shape[: x.ndim - axes]
    shown = place[leading - len(lengths) :]
    return np.asarray(x[tuple(0 if size == 1 else k for k, size in zip(shown, lengths, strict=True))])
