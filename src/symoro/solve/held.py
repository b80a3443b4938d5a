"""Inverse geometry of arms of which every pose leaves joints free: some are held, and the others follow them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable, TargetError
from symoro.findings import Argument, sentence
from symoro.ir.graph import Graph
from symoro.lazy import lazy
from symoro.model import Model, straight_model
from symoro.models.geometric.inverse.chain import ScrewChain, chain, tip
from symoro.models.geometric.inverse.tasks import WantedTask, aim, free_joints
from symoro.robot.robot import Robot
from symoro.robot.symbolic import known_values, with_numbers
from symoro.solve.branches import Branches, stacked
from symoro.solve.general.robot import TITLE, GeneralDriver, NumericDriver, Recipe, not_general, steps
from symoro.solve.limits import member_inside
from symoro.solve.question import NOT_TOLD, Question, Reason
from symoro.solve.solver import MEMBERS, Array, PoseSolver, Values, broadcast

#: How many positions of each joint that is held are tried where the first ones have no branch.
_TRIED = 24
#: A slide without limits is tried so far on both sides.
_FAR = 5.0
_COMPLETE, _CONTINUUM, _UNREACHABLE, _INVALID = MEMBERS


class HeldForm(PoseSolver):
    """A solver whose last given joints are `held` at positions of its own choice; `free` are all joints that can move.

    The first position is that of `nearest`, or 0. Where it has no branch, many others are tried.
    """

    def __init__(self, inner: PoseSolver, held: Sequence[int], free: Sequence[int], stable: bool) -> None:
        super().__init__(inner.robot, inner.joints, inner._redundant - len(held))
        self._inner, self._stable = inner, stable
        self._held = [self.joints.index(j) for j in held]
        self._free = np.isin(self.joints, free)

    def _answer(self, inputs: list[Array], near: Array | None, values: Values | None) -> Branches:
        positions = inputs[1] if self._redundant else np.zeros(0)
        first = np.zeros(len(self._held)) if near is None else near[..., self._held]
        leading = broadcast("T", inputs[0].shape[:-2], "r", positions.shape[:-1])
        leading = broadcast("T", leading, "nearest", first.shape[:-1])
        T = np.broadcast_to(inputs[0], (*leading, 4, 4)).reshape(-1, 4, 4)
        r, x = (np.broadcast_to(a, (*leading, a.shape[-1])).reshape(len(T), a.shape[-1]) for a in (positions, first))
        branches = [self._one(*one, values) for one in zip(T, r, x, strict=True)]
        return stacked(branches, leading, len(self.joints))

    def _one(self, T: Array, r: Array, first: Array, values: Values | None) -> Branches:
        """The branches of one pose, at the first positions of the held joints that have some."""
        for positions in (first[None], self._tried):
            s = self._inner._answer([T, np.hstack([np.tile(r, (len(positions), 1)), positions])], None, values)
            k = int(s.valid.any(-1).argmax())
            if s.valid[k].any() or s.status[k] is _INVALID:
                break
        status = s.status[k] if s.status[k] in (_INVALID, _UNREACHABLE) else _CONTINUUM
        free = self._free & (status is _CONTINUUM)
        return Branches(s.q[k], s.valid[k], status, free, s.distance[k if s.valid[k].any() else 0])

    @lazy
    def _tried(self) -> Array:
        """Positions of the held joints, (n, held)."""
        limits = self._own_limits
        low, high = (np.where(np.isfinite(x), x, side) for x, side in ((limits.lower, -_FAR), (limits.upper, _FAR)))
        ends = [
            (-limits.period[k] / 2, limits.period[k] / 2 * (1 - 2 / _TRIED)) if limits.period[k] else (low[k], high[k])
            for k in self._held
        ]
        grid = np.meshgrid(*(np.linspace(*pair, _TRIED) for pair in ends), indexing="ij")
        return np.stack(grid, axis=-1).reshape(-1, len(self._held))

    def _member(self, inputs: list[Array], values: Values | None, q: Array, branch: int, free: Array) -> Array | None:
        if branch and not self._stable:  # branches have no order that stays: one member stands for all
            return None
        limits = self._allowed(values)
        r = inputs[1] if self._redundant else np.zeros(0)

        def members(points: Array) -> tuple[Array, Array]:
            s = self._inner._answer([inputs[0], np.hstack([np.tile(r, (len(points), 1)), points])], None, values)
            if self._stable:
                return s.q[:, branch], s.valid[:, branch]
            margin = np.where(s.valid, limits.margin(limits.placed(s.q)[0]), -np.inf)
            return s.q[range(len(points)), margin.argmax(1)], np.asarray(s.valid.any(1))

        return member_inside(members, np.array(self._held), limits, q)


# the model


@dataclass(frozen=True)
class HeldDriver(NumericDriver):
    """The branches of a model `inner`, which is given the joints `held`; `free` are all joints that can move."""

    inner: Model
    held: tuple[int, ...]
    free: tuple[int, ...]

    @property
    def robot(self) -> Robot:
        return self.inner.robot

    def in_short(self, of: Model) -> str:
        return f"{self.method}, {self.task}, held"

    def emit(self, of: Model, target: str, directory: str | Path, force: bool, precision: str) -> list[Path]:
        raise TargetError("positions.held_code", robot=self.robot.name, joints=self.free, option=Argument("redundant"))

    def compile(self, of: Model, backend: str) -> HeldForm:
        """A function of the pose that gives `Branches`; those of a closed form have an order that stays."""
        stable = not isinstance(self.inner.driver, GeneralDriver)
        return HeldForm(self.inner.compile(backend), self.held, self.free, stable)


# the way


def all_determined(question: Question) -> Reason:
    """None where every pose leaves joints free; the other ways say why they do not answer."""
    if question.robot.cuts or question.beside.arm:
        return NOT_TOLD
    try:
        arm, wanted = _numeric(question)
    except NotApplicable:
        return NOT_TOLD
    redundant = tuple(question.beside.joints)
    return None if not not_general(arm, str(wanted), redundant) and free_joints(arm, wanted, redundant) else NOT_TOLD


def with_held(question: Question, ask: Callable[[Question], Model]) -> Model:
    """The model of an arm of which every pose leaves joints free: some are held, so that it determines the others.

    `ask` answers the question of the joints that follow the held ones.
    """
    robot, beside, held = question.robot, question.beside, list[int]()
    frame = tip(robot) if question.frame is None else question.frame
    arm, wanted = _numeric(question)
    free = tuple(free_joints(arm, wanted, beside.joints))
    while left := free_joints(arm, wanted, {*beside.joints, *held}):
        held.append(max(left, key=lambda j: (not robot.joint(j).prismatic, j)))
    names = {j: beside.joints.get(j, f"held{j}") for j in (*beside.joints, *held)}
    inner = ask(replace(question, frame=frame, task=str(wanted), beside=replace(beside, joints=names)))
    forward = straight_model("forward_geometry", robot, link=frame)
    driver = HeldDriver(
        frame, tuple(beside.joints), forward, inner.joints, inner.branches, inner.task, inner.method,
        _derivation(inner, free, held), inner, tuple(held), free,
    )  # fmt: skip
    return Model(robot, forward.program, "inverse_geometry", TITLE, forward.citation, driver=driver)


def _numeric(question: Question) -> tuple[ScrewChain, WantedTask]:
    """The chain of the robot's numbers, and what of the pose is wanted."""
    robot = question.robot
    arm = chain(Symbols(with_numbers(robot, known_values(robot)), Graph()), question.frame)
    return arm, aim(arm, question.task, question.beside.joints)


def _derivation(inner: Model, free: Sequence[int], held: Sequence[int]) -> Recipe:
    listed, chosen = (tuple(str(inner.robot.joint(j).variable) for j in joints) for joints in (free, held))
    note = sentence("derivations.continuum", free=listed, held=chosen)
    rest = steps() if isinstance(inner.driver, GeneralDriver) else (sentence("derivations.others_closed"),)
    return Recipe((note, *rest))
