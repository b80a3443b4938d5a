"""Inverse geometry of arms with joints that follow others (mimic joints).

Each follower gets a variable of its own. Of the branches of this arm, those remain in which the followers are where the
variables of the robot put them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import NotApplicable, TargetError
from symoro.model import Model, straight_model
from symoro.models.geometric.frames import carrier
from symoro.models.geometric.inverse.branches import CERTIFIED, periods
from symoro.models.geometric.inverse.chain import tip
from symoro.robot import topology
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO, evaluate, symbols
from symoro.solve.branches import Branches, Status, stacked
from symoro.solve.general.robot import TITLE, NumericDriver
from symoro.solve.question import NOT_TOLD, Question, Reason
from symoro.solve.solver import Array, Points, PoseSolver, Values

#: How far a follower may be from its place before Newton's method, the steps of this method, and branches that are one.
_NEAR, _STEPS, _SAME = 1e-3, 6, 1e-6
#: Turns of a variable that are tried on each side where no number of turns brings all links back.
_TURNS = 4


class FollowingForm(PoseSolver):
    """Those branches of a solver `inner`, in which followers move alone, that have these where their variables ask."""

    def __init__(self, inner: PoseSolver, driver: FollowingDriver, backend: str) -> None:
        super().__init__(driver.robot, driver.joints, inner._redundant)
        self._inner, self._followers = inner, driver.followers
        self._own = [inner.joints.index(j) for j in driver.joints]
        self._theirs = [inner.joints.index(j) for j in driver.followers]
        used = {x for j in driver.followers for x in symbols(driver.robot.joint(j).position)}
        tied = [driver.robot.joint(j).variable in used or j in driver.followers for j in inner.joints]
        self._tied = np.array(tied)
        order = [joint.index for joint in topology.with_variables(driver.robot)]
        self._places, self._count = [order.index(j) for j in driver.joints], len(order)
        self._forward, self._jacobian = driver.forward.compile(backend), driver.jacobian.compile(backend)
        self._held = [driver.joints.index(j) for j in driver.given]
        self._posed = Points(driver.robot, driver.frame) if driver.task == "position" else None
        self._axis = "xyz".find(driver.task[-1:]) if driver.task.startswith("axis") else None
        self._whole = driver.task == "pose"

    def _answer(self, inputs: list[Array], near: Array | None, values: Values | None) -> Branches:
        alone = self._inner._answer(inputs, None, values)
        lead = alone.valid.shape[:-1]
        T = np.broadcast_to(inputs[0], (*lead, 4, 4))
        rows = [self._one(T[at], alone, at, values) for at in np.ndindex(lead)]
        return stacked(rows, lead, len(self.joints))

    def _one(self, T: Array, alone: Branches, at: tuple[int, ...], values: Values | None) -> Branches:
        """The branches of one pose, of the branches that are found where followers move alone."""
        q, all_turns = self._candidates(alone.q[at][alone.valid[at]], values)
        q, error = self._polished(T, q, values)
        period, kept = self._period(values), list[int]()
        turn = np.where(period > 0, period, 1.0)
        for k in np.flatnonzero(error <= CERTIFIED * (1 + np.abs(T[:3, 3]).max())):
            away = q[kept] - q[k]
            away = np.where(period > 0, np.remainder(away + turn / 2, turn) - turn / 2, away)
            if not (np.abs(away) < _SAME).all(-1).any():
                kept.append(int(k))
        status = self._status(alone.status[at] if at else alone.status, alone.free[at], all_turns, bool(kept))
        free = alone.free[at][self._own] & (status is Status.CONTINUUM)
        distance = error[kept].min() if kept else alone.distance[at]
        return Branches(q[kept], np.ones(len(kept), bool), status, free, np.array(distance))

    def _status(self, alone: Status, free: Array, all_turns: bool, some: bool) -> Status:
        """Where followers are free in a continuum, single members of it can be branches that are not found."""
        if alone is Status.INVALID:
            return alone
        if alone is Status.INCOMPLETE or not all_turns or (alone is Status.CONTINUUM and free[self._tied].any()):
            return Status.INCOMPLETE
        kind = Status.CONTINUUM if alone is Status.CONTINUUM else Status.COMPLETE
        return kind if some else Status.UNREACHABLE

    def _period(self, values: Values | None) -> Array:
        return periods(self.robot, self.joints, self.numbers(values))

    def _candidates(self, x: Array, values: Values | None) -> tuple[Array, bool]:
        """Positions of the variables, in each of their turns, with which the followers are nearly where they are found.

        Besides, whether these are all turns.
        """
        numbers, ends = self.numbers(values), self._period(values)
        every = periods(self._inner.robot, self.joints, numbers)
        bound = [every[k] > 0 and not np.isclose(every[k], ends[k]) for k in range(len(every))]
        turns = [
            [0] if not several else range(round(end / one)) if end > 0 else range(-_TURNS, _TURNS + 1)
            for several, one, end in zip(bound, every, ends, strict=True)
        ]
        shifts = np.array(list(product(*turns))) * every
        q = (x[:, None, self._own] + shifts).reshape(-1, len(self.joints))
        wanted = np.repeat(x[:, self._theirs], len(shifts), axis=0)
        away = self._following(q, numbers) - wanted
        revolute = np.array([self.robot.joint(j).revolute for j in self._followers])
        away = np.where(revolute, np.remainder(away + np.pi, 2 * np.pi) - np.pi, away)
        return q[(np.abs(away) < _NEAR).all(-1)], all(end > 0 for end, b in zip(ends, bound, strict=True) if b)

    def _following(self, q: Array, numbers: Values) -> Array:
        """The coordinates (n, followers) of the followers."""
        names = [str(self.robot.joint(j).variable) for j in self.joints]
        rows = [{**numbers, **dict(zip(names, row.tolist(), strict=True))} for row in q]
        return np.array([[evaluate(self.robot.joint(j).position, row) for j in self._followers] for row in rows])

    def _polished(self, T: Array, q: Array, values: Values | None) -> tuple[Array, Array]:
        """Some steps of Newton's method, and how far the poses are then, as max|ΔT|; given joints stay."""
        moving = np.delete(np.arange(len(self.joints)), self._held)
        for _ in range(_STEPS):
            J = self._jacobian(self._all(q), values=values)[..., self._places][..., moving]
            J, e = self._rows(J, T, self._poses(q, values))
            q = q.copy()
            q[:, moving] += (np.linalg.pinv(J) @ e[..., None])[..., 0]
        poses = self._poses(q, values)
        return q, np.abs(self._parts(poses) - self._parts(T)).max(-1, initial=0.0)

    def _all(self, q: Array) -> Array:
        """Positions of all joints of the robot; those off the chain are 0."""
        whole = np.zeros((len(q), self._count))
        whole[:, self._places] = q
        return whole

    def _poses(self, q: Array, values: Values | None) -> Array:
        return np.asarray(self._forward(self._all(q), values=values))

    def _parts(self, T: Array) -> Array:
        """The numbers of poses that the task fixes."""
        if self._whole:
            return T[..., :3, :].reshape(*T.shape[:-2], 12)
        axes = [3] if self._axis is None else [3, self._axis]
        return T[..., :3, axes].reshape(*T.shape[:-2], 3 * len(axes))

    def _rows(self, J: Array, T: Array, poses: Array) -> tuple[Array, Array]:
        """The Jacobian matrices and errors of the task."""
        v = T[:3, 3] - poses[..., :3, 3]
        if not self._whole and self._axis is None:
            return J[..., :3, :], v
        axes = range(3) if self._whole else [self._axis]
        w = sum(np.cross(poses[..., :3, k], T[:3, k]) for k in axes) / (2 if self._whole else 1)
        if not self._whole:  # a turn about the axis does not matter
            z = poses[..., :3, self._axis]
            across = np.eye(3) - z[..., :, None] * z[..., None, :]
            J = np.concatenate([J[..., :3, :], across @ J[..., 3:, :]], axis=-2)
        return J, np.concatenate([v, w], axis=-1)

    def _member(self, inputs: list[Array], values: Values | None, q: Array, branch: int, free: Array) -> Array | None:
        return None


@dataclass(frozen=True)
class FollowingDriver(NumericDriver):
    """The branches of a model `inner`, of which the joints `followers` move alone."""

    robot: Robot
    inner: Model
    jacobian: Model
    followers: tuple[int, ...]

    def in_short(self, of: Model) -> str:
        return f"{self.method}, {self.task}, followers"

    def emit(self, of: Model, target: str, directory: str | Path, force: bool, precision: str) -> list[Path]:
        raise TargetError("positions.follower_code", robot=self.robot.name, joints=self.followers)

    def compile(self, of: Model, backend: str) -> FollowingForm:
        """A function of the pose that gives `Branches`."""
        return FollowingForm(self.inner.compile(backend), self, backend)


# the way


def has_followers(question: Question) -> Reason:
    """None where a joint on the way to the frame follows joints on it; the other ways say why they do not answer."""
    try:
        return None if not question.robot.cuts and not question.beside.arm and _followers(question) else NOT_TOLD
    except NotApplicable:
        return NOT_TOLD


def _followers(question: Question) -> list[Joint]:
    robot = question.robot
    link, _ = carrier(robot, tip(robot) if question.frame is None else question.frame)
    way = topology.path(robot, link)
    variables = {str(joint.variable) for joint in way if joint.variable}
    every = {str(joint.variable) for joint in robot.joints if joint.variable}
    followers = [joint for joint in way if joint.is_follower]
    return followers if all(symbols(joint.position) & every <= variables for joint in followers) else []


def with_followers(question: Question, ask: Callable[[Question], Model]) -> Model:
    """The model of an arm with joints that follow others; `ask` answers the question in which these move alone."""
    robot, following = question.robot, _followers(question)
    frame = tip(robot) if question.frame is None else question.frame
    followers = tuple(joint.index for joint in following)
    joints = tuple(_alone(joint) if joint.index in followers else joint for joint in robot.joints)
    freed: dict[str, Any] = {"joints": joints, "drives": ()}
    inner = ask(replace(question, robot=replace(robot, **freed), frame=frame, task=question.task or "pose"))
    forward = straight_model("forward_geometry", robot, link=frame)
    jacobian = straight_model("jacobian", robot, link=frame)
    chain = tuple(j for j in inner.compile("numpy").joints if j not in followers)
    driver = FollowingDriver(
        frame, tuple(question.beside.joints), forward, chain, inner.branches, inner.task, inner.method,
        inner.derivation, robot, inner, jacobian, followers,
    )  # fmt: skip
    return Model(robot, forward.program, "inverse_geometry", TITLE, forward.citation, driver=driver)


def _alone(joint: Joint) -> Joint:
    """The joint with a variable of its own, which is its coordinate."""
    return replace(joint, r=ZERO) if joint.prismatic else replace(joint, theta=ZERO)
