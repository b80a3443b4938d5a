"""The compiled general method of inverse geometry: poses in, branches with their status out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symoro.errors import ParameterError, ShapeError
from symoro.models.geometric.inverse.branches import RIGID
from symoro.models.geometric.inverse.chain import Chain
from symoro.models.geometric.inverse.general.chain import scaled
from symoro.models.geometric.inverse.general.members import finer, members, with_last_turn
from symoro.models.geometric.inverse.limits import least_outside, nearest_inside
from symoro.models.geometric.inverse.numeric import Displacements, NumericChain
from symoro.models.geometric.inverse.solutions import Solutions
from symoro.runtime.parameters import Parameters
from symoro.solver import MEMBERS, Array, Solver

#: One pose to its branches: `q` (n, joints), their `error` and the direction `free` of each one's self-motion.
Method = Callable[[str, Array, Array], Any]
#: A joint whose part of a self-motion, of length 1, is smaller stays: that is rounding.
_MOVES = 1e-6
#: How often finer members of a continuum are tried, where none is inside the joint limits.
_FINER = 3


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
        parameters = self._parameters(values)
        poses, given = inputs if self._given else (inputs[0], np.zeros(0))
        leading = self._leading(poses, given, near)
        flat = np.broadcast_to(poses, (*leading, 4, 4)).reshape(-1, 4, 4)
        rows = np.broadcast_to(given, (*leading, self._given)).reshape(len(flat), self._given)
        rigid = np.array([_rigid(T) for T in flat], bool)
        found = [
            self._one(T, dict(zip(self._known, r, strict=True)), parameters) if is_pose else self._none()
            for T, r, is_pose in zip(flat, rows, rigid, strict=True)
        ]
        count = max((len(q) for q, _, _ in found), default=1) or 1
        q = np.full((len(found), count, len(self.joints)), np.nan)
        error, free = np.full((len(found), count), np.inf), np.zeros((len(found), len(self.joints)), bool)
        for k, (branch, miss, moving) in enumerate(found):
            q[k, : len(branch)], error[k, : len(branch)], free[k] = branch, miss, moving
        shape, rigid = (*leading, count), rigid.reshape(leading)
        valid = np.isfinite(error).reshape(shape)
        kinds = np.where(rigid, np.where(valid.any(-1), np.where(free.any(-1).reshape(leading), 1, 0), 2), 3)
        distance = np.where(valid.any(-1), error.min(-1).reshape(leading), np.nan)
        n = len(self.joints)
        return Solutions(q.reshape(*shape, n), valid, MEMBERS[kinds], free.reshape(*leading, n), distance)

    def _parameters(self, values: Mapping[str, float] | None) -> Mapping[str, float]:
        """The numbers of the robot, and those that replace them."""
        if values is None:
            return self._numbers
        given = Parameters(self._chain.program, self._numbers, self._chain.chain.symbols.parameter_names).checked(
            values
        )
        if arrays := [name for name, x in given.items() if np.ndim(x)]:
            raise ParameterError(f"{arrays[0]}: the general method takes one number for a parameter, not an array")
        return {**self._numbers, **given}

    def _leading(self, poses: Array, given: Array, near: Array | None) -> tuple[int, ...]:
        """The leading axes of the answer."""
        among = () if near is None else near.shape[:-1]
        try:
            return np.broadcast_shapes(poses.shape[:-2], given.shape[:-1], among)
        except ValueError:
            raise ShapeError(f"the leading axes do not broadcast: T {poses.shape[:-2]}, nearest {among}") from None

    def _one(self, T: Array, given: Mapping[int, float], parameters: Mapping[str, float]) -> tuple[Array, Array, Array]:
        """The branches of one pose, their errors, and the joints that a self-motion moves."""
        arm = self._arm(parameters)
        found = self._solve(*self._with_given_at(arm, given), T)
        free = np.zeros(len(self.joints), bool)
        moving = np.abs(found.free[:, : len(arm.joints)]) > _MOVES
        free[[self.joints.index(j) for j in arm.joints]] = moving.any(axis=0)
        return self._chain.positions(arm.joints, found.q[:, : len(arm.joints)], given), found.error, free

    def _with_given_at(self, arm: Displacements, given: Mapping[int, float]) -> tuple[str, Array]:
        """Kinds and links of an arm with its given joints at their positions, and the turn that the task leaves."""
        kinds, links = arm.kinds, arm.at(np.array(list(given.values())))
        return (kinds, links) if self._axis is None else with_turn(kinds, links, self._axis)

    def _member(
        self, inputs: list[Array], values: Mapping[str, float] | None, q: Array, branch: int, free: Array
    ) -> Array | None:
        given = dict(zip(self._known, inputs[1] if self._given else (), strict=True))
        arm, limits = self._arm(self._parameters(values)), self._allowed(values)
        chain, reach = scaled(*self._with_given_at(arm, given), inputs[0])
        unit = np.array([reach if kind == "P" else 1.0 for kind in arm.kinds])
        start = self._chain.motions(arm.joints, q[None])[0] / unit
        walked = members(chain, start if self._axis is None else with_last_turn(chain, start))
        for _ in range(_FINER):
            found = self._chain.positions(arm.joints, walked[:, : len(unit)] * unit, given)
            exists = np.ones(len(found), bool)
            chosen = nearest_inside(found, exists, limits, q)
            if chosen is not None or len(walked) == 1:
                return chosen
            walked = finer(chain, walked, least_outside(found, exists, limits))
        return None

    def _none(self) -> tuple[Array, Array, Array]:
        """What `_one` gives for a pose without branches."""
        return np.zeros((0, len(self.joints))), np.zeros(0), np.zeros(len(self.joints), bool)

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
