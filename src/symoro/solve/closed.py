"""Closed forms of inverse geometry: the model of an arm or of one with loops, and the compiled function of the pose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.findings import Argument, Finding, ModelArgument
from symoro.ir.evaluate import evaluate
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.lazy import lazy
from symoro.model import Driver, Model
from symoro.models.geometric.frames import FrameRef
from symoro.models.geometric.inverse.branches import CERTIFIED, ROUNDED, in_turn_of, periods
from symoro.models.geometric.inverse.chain import ScrewChain, chain, tip
from symoro.models.geometric.inverse.closed import ClosedFormSteps, loses_digits, program, reachable, sampled, solve
from symoro.models.geometric.inverse.derivation import Derivation, derivation
from symoro.models.geometric.inverse.probe import Samples
from symoro.models.geometric.inverse.tasks import WantedTask, aim, require_determined, triples
from symoro.models.geometric.inverse.types import EMPTY, NEARLY_EMPTY
from symoro.models.loops import inverse as loops
from symoro.models.loops.inverse import ClosedLoops
from symoro.robot.robot import Robot
from symoro.robot.symbolic import known_values, with_numbers
from symoro.solve.branches import Branches, Status
from symoro.solve.general.continuum import one_of_each, self_motions
from symoro.solve.general.distinct import alike, partners
from symoro.solve.general.numeric import NumericChain
from symoro.solve.general.polish import Chain as Arm
from symoro.solve.general.polish import newton, wrapped
from symoro.solve.general.robot import MOVES, general_geometry
from symoro.solve.limits import member_inside
from symoro.solve.question import AUTO, Doubtful, Question, RedundantInputs
from symoro.solve.solver import MEMBERS, Points, PoseSolver, Solver, Values

Array = NDArray[Any]
TITLE, CITATION = "Inverse geometric model", "K97 § 3.3"
#: The positions of a free joint that are tried where the first one has no branch.
_TRIED = np.linspace(-np.pi, np.pi, 24, endpoint=False)
#: A branch whose error is between this and the certificate may be a true one that lost its digits.
_NEARLY = 0.05
#: An unreachable pose that is missed by less is asked again, though the form does not lose digits as a rule: where two
#: roots are nearly one, an angle has half of its digits, and the arm multiplies its error.
_HALF = 1e-3
#: Positions of the joints that are nearly free, from which lost branches are looked for, and how near those are then.
_AROUND, _BESIDE = np.linspace(-np.pi, np.pi, 8, endpoint=False), 1e-2
#: How much wider equations are that count as empty there.
_WIDENED = NEARLY_EMPTY / EMPTY
#: Configurations at which a closed form is tried, and how far from one a branch may be to be the same.
_SAMPLES, _SAME = 16, 1e-4
_COMPLETE, _CONTINUUM, _UNREACHABLE, _INVALID = MEMBERS


# the way


def closed_form(question: Question) -> Model:
    """The closed form of an arm. Symbols are generic: numbers can make an arm special, so they are tried, too."""
    numeric = with_numbers(question.robot, known_values(question.robot))
    reasons = []
    for robot in [question.robot] if numeric == question.robot else [question.robot, numeric]:
        try:
            return (_with_loops if robot.cuts else _of_arm)(replace(question, robot=robot))
        except Doubtful:
            raise
        except NotApplicable as reason:
            reasons.append(reason.finding)
    raise NotApplicable("errors.problems", problems=reasons)


def _of_arm(question: Question) -> Model:
    """The closed form by steps; Paul's method has no steps of degree four."""
    robot, method, beside = question.robot, question.method, question.beside
    arm = chain(Symbols(robot, Graph()), question.frame)
    wanted = aim(arm, question.task, beside.joints, beside.arm)
    if not beside.arm:
        require_determined(arm, wanted, beside.joints)
    separate = list(triples(arm))
    if method == "pieper" and not separate:
        raise NotApplicable(_not_pieper(arm))
    steps, degree = _steps(arm, wanted, beside, method)
    chosen = "pieper" if degree > 2 or method == "pieper" else "paul"
    closed_form, shown = program(steps), derivation(steps, [triple.sentence for triple in separate])
    driver = ClosedFormDriver(chosen, _count(closed_form), steps, shown, question.frame)
    model = Model(robot, closed_form, "inverse_geometry", TITLE, CITATION, _options(question), driver=driver)
    if missed := _missed(model, steps):
        doubted = replace(model, driver=replace(driver, doubtful=True))
        reason = Finding("positions.loses_digits", robot=robot.name, missed=missed, count=_SAMPLES)
        raise Doubtful(reason, doubted)
    return model


def _with_loops(question: Question) -> Model:
    """The closed form of the chain to the frame, then those of the loops."""
    robot, link, beside = question.robot, question.frame, question.beside
    if beside.joints or beside.arm:
        raise NotApplicable("positions.redundant_of_loops", robot=robot.name, option=ModelArgument("redundant"))
    s, ends = Symbols(robot, Graph()), loops.end_links(robot)
    if link is None and len(ends) > 1:
        raise NotApplicable("positions.ends", robot=robot.name, count=len(ends), option=Argument("link"), first=ends[0])
    frame = ends[0] if link is None else link
    arm, closed = chain(s, frame), loops.closed_samples(s)
    separate = [triple.sentence for triple in triples(arm)]
    for samples in (None, closed) if closed else (None,):
        wanted = aim(arm, question.task, {}, loops=True)
        steps, degree = _steps(arm, wanted, beside, question.method, samples)
        parts = loops.with_loops(steps, samples)
        closed_form = loops.program(parts)
        if closed is None or loops.covers(parts, closed_form, closed):
            shown = derivation(steps, separate).followed_by([derivation(part, ()) for part in parts.loops])
            driver = ClosedFormDriver(
                "pieper" if degree > 2 else "paul", _count(closed_form), steps, shown, frame, parts
            )
            about = "inverse_geometry", TITLE, "K97 §§ 3.3-3.4", _options(question)
            return Model(robot, closed_form, *about, driver=driver)
    raise NotApplicable("positions.steps_lost", robot=robot.name)


def _options(question: Question) -> dict[str, Any]:
    """The options that are not the defaults: generated code says them, and has them in its name."""
    joints, arm = tuple(question.beside.joints), question.beside.arm
    several = joints[0] if len(joints) == 1 else joints or None
    redundant = "arm" if arm else several
    chosen = {"method": question.method, "link": question.frame, "task": question.task, "redundant": redundant}
    return {name: value for name, value in chosen.items() if value not in (None, AUTO)}


def _steps(
    arm: ScrewChain, wanted: WantedTask, beside: RedundantInputs, method: str, samples: Samples | None = None
) -> tuple[ClosedFormSteps, int]:
    try:
        return solve(arm, wanted.task, wanted.axis, beside.joints, 2, beside.arm, samples), 2
    except NotApplicable:
        if method == "paul":
            raise
        return solve(arm, wanted.task, wanted.axis, beside.joints, 4, beside.arm, samples), 4


def _count(closed_form: Program) -> int:
    """The largest number of branches."""
    return next(output.shape[0] for output in closed_form.outputs if output.name == "valid")


def _not_pieper(arm: ScrewChain) -> Finding:
    return Finding("positions.not_pieper", robot=arm.symbols.robot.name)


def _missed(model: Model, closed: ClosedFormSteps) -> int:
    """How many configurations the program does not find at their poses, for the robot's numbers.

    Axes that are nearly parallel make a closed form lose digits, up to all of them.
    """
    tried = {} if closed.arm else sampled(closed, _SAMPLES)
    if not tried:
        return 0
    numbers = {p.name: p.default for p in model.program.parameters if p.default is not None}
    if len(numbers) < len(model.program.parameters):
        return 0
    q, inputs = tried.pop("q"), tried
    with np.errstate(all="ignore"):
        branches = evaluate(model.program, {**inputs, "near": np.zeros_like(q)}, numbers)
        period = periods(model.robot, closed.order, numbers)
        away = np.abs(in_turn_of(branches["q"] - q[:, None], period, np.zeros(q.shape[-1]))).max(-1)
    same = (branches["error"] < ROUNDED) & (away < _SAME)
    return int((~same.any(-1)).sum())


# the model


@dataclass(frozen=True)
class ClosedFormDriver(Driver):
    """The branches of a closed form, of which there are `branches` at most: how they are derived, for which joints."""

    method: str
    branches: int
    closed: ClosedFormSteps
    derivation: Derivation
    link: FrameRef | None = None
    #: The closed loops, whose joints the pose determines too.
    loops: ClosedLoops | None = None
    #: Whether the form has missed configurations at which it was tried.
    doubtful: bool = False

    @property
    def robot(self) -> Robot:
        return self.closed.chain.symbols.robot

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints of the answer, in the order of q: those of the chain; with closed loops, all of the tree."""
        return self.closed.order if self.loops is None else self.loops.order

    @property
    def frame(self) -> FrameRef:
        """The frame that has the pose."""
        return tip(self.robot) if self.link is None else self.link

    @property
    def motors(self) -> tuple[int, ...]:
        """The places in q of the joints with a motor."""
        return tuple(k for k, j in enumerate(self.joints) if self.robot.joint(j).actuated)

    @property
    def task(self) -> str:
        """What of the pose is wanted."""
        return str(WantedTask(self.closed.task, self.closed.axis))

    @property
    def fragile(self) -> bool:
        """Whether digits can be lost at any pose, so that every branch that is nearly one is looked for again."""
        return self.doubtful or (self.loops is None and loses_digits(self.closed))

    @property
    def searched(self) -> bool:
        """Whether branches that are nearly lost can be looked for by Newton's method on the pose."""
        return self.loops is None and self.closed.task == "pose" and not self.closed.arm

    def in_short(self, of: Model) -> str:
        return f"{self.method}, {self.task}, {of.ops}"

    def emit(self, of: Model, target: str, directory: str | Path, force: bool, precision: str) -> list[Path]:
        """All branches; the self-test has poses within reach."""
        inputs = reachable(self.closed, self.joints)
        return replace(of, driver=None).emit(target, directory, force, precision, inputs=inputs)

    def compile(self, of: Model, backend: str) -> Solver:
        """A function of the pose that gives `Branches`."""
        return ClosedForm(of, backend)

    def next_way(self, backend: str) -> PoseSolver | None:
        """The general method for the same chain; None where it does not apply."""
        if self.loops is not None or self.closed.arm:
            return None
        try:
            model = general_geometry(self.closed.chain, self.frame, self.task, tuple(self.closed.known))
        except NotApplicable:
            return None
        assert model.driver is not None
        solver: PoseSolver = model.driver.compile(model, backend)
        return solver


class ClosedForm(PoseSolver):
    """The program of a closed form, compiled.

    Where it may have lost a branch to rounding, the pose goes on to the next way: see `_lost`. Where nothing but
    rounding can be wrong, the branches themselves are mended.
    """

    def __init__(self, model: Model, backend: str) -> None:
        form = model.driver
        assert isinstance(form, ClosedFormDriver)
        super().__init__(model.robot, form.joints, model.inputs.get("r", (0,))[0])
        self._made_of = model, backend
        self._form, self._backend = form, backend
        self._f = self._compiled(program(form.closed, doubts=True) if form.searched else model.program)
        self._posed = Points(model.robot, form.frame) if form.task == "position" else None
        self._search = Search(form.closed.chain, tuple(form.closed.known)) if form.searched else None
        self._nearly = np.inf if form.doubtful else _NEARLY if form.fragile else _HALF
        nearly = _NEARLY if form.fragile else ROUNDED if form.searched else None
        self._at_once = _answering(self._f, nearly) if backend == "llvm" else None

    def _compiled(self, program: Program) -> Any:
        model, backend = self._made_of
        return replace(model, driver=None, program=program).compile(backend)

    @lazy
    def _wide(self) -> Any:
        """The branches of a form that takes more joints as free than are."""
        return self._compiled(program(self._form.closed, widened=_WIDENED))

    @lazy
    def _second(self) -> PoseSolver | None:
        """The next way, which is made where it is needed."""
        return self._form.next_way(self._backend)

    def __reduce__(self) -> tuple[Any, ...]:
        """Machine code belongs to one process: what is kept is what it is made of."""
        return type(self), self._made_of

    def _answer(self, inputs: list[Array], near: Array | None, values: Values | None) -> Branches:
        if values is None and near is None:  # a call without keywords takes the shortest way
            outputs = self._f(*inputs)
        else:
            options: dict[str, Any] = {"values": values, "near": near}
            outputs = self._f(*inputs, **{name: option for name, option in options.items() if option is not None})
        if outputs.state.ndim == 1:
            return self._one(outputs, inputs, values)
        valid = outputs.valid > 0.5
        rigid, some = outputs.state[..., 0] > 0.5, outputs.state[..., 2] > 0.5
        valid &= rigid[..., None]
        inputs = [np.broadcast_to(x, (*rigid.shape, *x.shape[-axes:])) for x, axes in zip(inputs, (2, 1), strict=False)]
        moves, lost = np.zeros((*rigid.shape, len(self.joints)), bool), ~valid & (outputs.error < _NEARLY)
        doubted = np.zeros(rigid.shape, bool)
        for place in map(tuple, np.argwhere(rigid & some)):
            free = outputs.free[place] > 0.5
            self._choose([x[place] for x in inputs], values, outputs.q[place], valid[place], free)
            moves[place] = (free & valid[place][:, None]).any(0)
            lost[place] = _lost(valid[place], free, outputs.error[place])
            doubted[place] = self._search is not None and not moves[place].any()
        if self._search is not None and not self._form.fragile:
            for place in map(tuple, np.argwhere(rigid & (~valid & (outputs.error < ROUNDED)).any(-1))):
                here = [x[place] for x in inputs]
                sure = self._restored(here, values, outputs.q[place], valid[place], outputs.error[place])
                doubted[place] |= not sure
        outputs.q[~valid] = np.nan
        kinds = np.where(rigid, np.where(valid.any(-1), np.where(some, moves.any(-1), 0), 2), 3)
        branches = Branches(outputs.q, valid, MEMBERS[kinds], moves, np.where(rigid, outputs.state[..., 3], np.nan))
        asked = (kinds == 2) & (branches.distance < self._nearly)
        if self._form.fragile:
            asked |= rigid & lost.any(-1)
        for place in map(tuple, np.argwhere(asked | doubted)):
            again = self._searched if doubted[place] else self._again
            branches = again(branches, place, [x[place] for x in inputs], values)
        return branches

    def _one(self, outputs: Any, inputs: list[Array], values: Values | None) -> Branches:
        """One pose, in few calls of NumPy."""
        rigid, count, some, least = outputs.state.tolist()
        q, valid = outputs.q, outputs.valid.astype(bool)
        moves = np.zeros(len(self.joints), bool)
        if not rigid:
            valid[:], q[:] = False, np.nan
            return Branches(q, valid, _INVALID, moves, np.array(np.nan))
        status, lost, doubted = _COMPLETE if count else _UNREACHABLE, False, False
        if some:
            free = outputs.free.astype(bool)
            self._choose(inputs, values, q, valid, free)
            count, moves = valid.sum(), (free & valid[:, None]).any(0)
            status = _CONTINUUM if moves.any() else _COMPLETE if count else _UNREACHABLE
            doubted = self._search is not None and status is not _CONTINUUM
        if count < len(valid):
            if self._search is not None and not self._form.fragile and _nearly(outputs.error, ROUNDED) > count:
                doubted |= not self._restored(inputs, values, q, valid, outputs.error)
                status = _COMPLETE if status is _UNREACHABLE and valid.any() else status
            q[~valid] = np.nan
            if self._form.fragile:
                lost = bool(_lost(valid, free, outputs.error).any()) if some else _nearly(outputs.error) > count
        if not doubted and not lost and not (status is _UNREACHABLE and least < self._nearly):
            return Branches(q, valid, status, moves, np.array(least))
        branches = Branches(q[None], valid[None], np.array([status], dtype=object), moves[None], np.array([least]))
        branches = (self._searched if doubted else self._again)(branches, (0,), inputs, values)
        return Branches(
            branches.q[0], branches.valid[0], branches.status[0], branches.free[0], np.array(branches.distance[0])
        )

    def _restored(self, inputs: list[Array], values: Values | None, q: Array, valid: Array, error: Array) -> bool:
        """Put the branches of a pose that nearly have it into their places; False where it is not sure of one."""
        assert self._search is not None
        limit = _limit(inputs[0])
        near = np.flatnonzero(~valid & (error > limit) & (error < ROUNDED))
        if not len(near):
            return True
        arm = self._search.at(*self._of(inputs), self._all(values))
        branches, sure = arm.restored(q[near], q[valid], limit)
        for k, positions in branches.items():
            q[near[k]], valid[near[k]], error[near[k]] = positions, True, 0.0
        return sure

    def _searched(
        self, branches: Branches, place: tuple[int, ...], inputs: list[Array], values: Values | None
    ) -> Branches:
        """The answer at a pose where branches may be lost, with those that are found around it and in the next way."""
        assert self._search is not None
        if any(np.ndim(x) for x in (values or {}).values()):
            return branches
        known, limit = branches.q[place][branches.valid[place]], _limit(inputs[0])
        arm = self._search.at(*self._of(inputs), self._all(values))
        q = arm.more(known, self._around(inputs, values, known), limit)
        if len(known) and len(q) == len(known):
            return branches
        other = None if self._second is None else self._second._answer(inputs, None, values)
        q = q if other is None else arm.more(q, other.q[other.valid], limit)
        free = np.zeros(len(self.joints), bool)
        if not len(known):
            q, free = arm.one_of_each(q)
        every = other is not None and other.status is _COMPLETE and other.valid.sum() == len(q)
        status = _CONTINUUM if free.any() else _COMPLETE if every and len(q) else Status.INCOMPLETE
        if not len(q):
            status = Status.INCOMPLETE if branches.distance[place] < ROUNDED else _UNREACHABLE
        return _replaced(branches, place, q, status, free, 0.0 if len(q) else branches.distance[place])

    def _around(self, inputs: list[Array], values: Values | None, known: Array) -> Array:
        """Configurations that nearly have a pose, for many positions of the joints that are nearly free there."""
        joints = len(self.joints)
        turned = (_AROUND[:, None] * np.arange(1, joints + 1) + np.pi) % (2 * np.pi) - np.pi
        near = np.vstack([np.tile(_AROUND[:, None], (1, joints)), turned, known])
        outputs = self._wide(*inputs, **({} if values is None else {"values": values}), near=near)
        starts: Array = outputs.q[outputs.error < _BESIDE]
        return starts

    def _of(self, inputs: list[Array]) -> tuple[Array, Array]:
        """The pose and the given joints."""
        return inputs[0], inputs[1] if self._redundant else np.zeros(0)

    def _all(self, values: Values | None) -> Values:
        return {**self._numbers, **(values or {})}

    def _again(
        self, branches: Branches, place: tuple[int, ...], inputs: list[Array], values: Values | None
    ) -> Branches:
        """The answer with the branches of the next way at a pose, if it finds more, and not only near ones."""
        if self._second is None or any(np.ndim(x) for x in (values or {}).values()):
            return branches
        other = self._second._answer(inputs, None, values)
        count, most = int(other.valid.sum()), branches.valid.shape[-1]
        known = branches.q[place][branches.valid[place]]
        if count <= len(known) or (len(known) and count > most) or not self._differ(other.q[other.valid], known):
            return branches
        return _replaced(branches, place, other.q[other.valid], other.status, other.free, other.distance)

    def _differ(self, branches: Array, known: Array) -> bool:
        """Whether one of these branches is not near a known one; at a multiple branch, some near it have its pose."""
        away = branches[:, None] - known
        apart = in_turn_of(away, self._own_limits.period, np.zeros(len(self.joints)))
        return bool((np.abs(apart).max(-1).min(-1, initial=np.inf) > _NEARLY).any())

    def _member(self, inputs: list[Array], values: Values | None, q: Array, branch: int, free: Array) -> Array | None:
        places = np.flatnonzero(free)

        def members(points: Array) -> tuple[Array, Array]:
            near = np.tile(q, (len(points), 1))
            near[:, places] = points
            outputs = self._f(*inputs, values=values, near=near)
            return outputs.q[:, branch], outputs.valid[:, branch] > 0.5

        return member_inside(members, places, self._allowed(values), q)

    def _choose(self, inputs: list[Array], values: Values | None, q: Array, valid: Array, free: Array) -> None:
        """Complete the branches of a pose: where one has a free joint and does not exist, that joint goes elsewhere.

        The other joints must be able to follow a free one. The first position that allows it gives the member.
        """
        lost = np.flatnonzero(free.any(-1) & ~valid)
        if not len(lost):
            return
        outputs = self._f(*inputs, values=values, near=np.tile(_TRIED[:, None], (1, len(self.joints))))
        exists = outputs.valid > 0.5
        for branch in lost[exists[:, lost].any(0)]:
            first = int(np.argmax(exists[:, branch]))
            q[branch], valid[branch], free[branch] = outputs.q[first, branch], True, outputs.free[first, branch] > 0.5


def _answering(f: Any, nearly: float | None) -> Callable[..., Any] | None:
    """The code's own answer to one usual pose; its module is imported where LLVM is there already."""
    from symoro.runtime.direct import answering

    return answering(f, Branches, _COMPLETE, _UNREACHABLE, nearly)


def _lost(valid: Array, free: Array, error: Array) -> Array:
    """Which branches of a pose may be lost: they nearly have the pose, or their free joint found no position.

    Where two roots are nearly one, an angle has half of its digits, and a joint that follows from it by a division may
    have none.
    """
    return ~valid & ((error < _NEARLY) | free.any(-1))


def _replaced(
    branches: Branches, place: tuple[int, ...], q: Array, status: Status, free: Array, distance: Array | float
) -> Branches:
    """The answer with other branches at a place, of which it gets more places where there are too few."""
    count, most = len(q), branches.valid.shape[-1]
    if count > most:
        branches, most = _widened(branches, count - most), count
    branches.q[place], branches.valid[place] = np.nan, np.arange(most) < count
    branches.q[place][:count] = q
    branches.status[place], branches.free[place], branches.distance[place] = status, free, distance
    return branches


def _limit(T: Array) -> float:
    """The largest error of a branch that is returned."""
    return float(CERTIFIED * max(1.0, float(np.abs(T[:3, 3]).max())))


def _widened(branches: Branches, more: int) -> Branches:
    """The answer with places for more branches."""
    before = [(0, 0)] * (branches.valid.ndim - 1)
    q = np.pad(branches.q, [*before, (0, more), (0, 0)], constant_values=np.nan)
    return replace(branches, q=q, valid=np.pad(branches.valid, [*before, (0, more)]))


def _nearly(error: Array, limit: float = _NEARLY) -> int:
    """How many branches have a pose, or nearly have it."""
    return int(np.count_nonzero(error < limit))


# Branches that rounding lost, and that the program of a closed form does not mend itself, by Newton's method.
#
# `branches.py` says how a branch is lost. The program mends one branch of a pose; here all of them are restored. Where
# digits are lost twice, at two singularities that are near, a branch may have none of its digits left, so that nothing
# is near it. Then starts come from the form with those joints at many positions that are nearly free.


#: Starts that are closer lead to the same branch; a branch is exact to the last number, unless the pose itself is not.
_STEPS, _APART, _EXACT = 30, 0.2, 3e-15


class Search:
    """Looks for the lost branches of a chain with given joints."""

    def __init__(self, chain: ScrewChain, redundant: Sequence[int]) -> None:
        self._chain, self._redundant = chain, tuple(redundant)

    @lazy
    def _numeric(self) -> NumericChain:
        return NumericChain(self._chain)

    def at(self, T: Array, r: Array, numbers: Mapping[str, float]) -> SearchAtPose:
        """The search for one pose."""
        displacements = self._numeric.displacements(numbers, self._redundant)
        redundant = dict(zip(self._redundant, r.tolist(), strict=True))
        return SearchAtPose(
            self._numeric, displacements.joints, redundant, Arm(displacements.kinds, displacements.at(r), T)
        )


@dataclass(frozen=True, slots=True)
class SearchAtPose:
    """Branches q (n, joints) of one pose of a chain: those of `arm` are motions along and about its axes."""

    chain: NumericChain
    joints: tuple[int, ...]
    redundant: Mapping[int, float]
    arm: Arm

    def restored(self, q: Array, known: Array, limit: float) -> tuple[Mapping[int, Array], bool]:
        """The branches to which those of q lead that nearly have the pose, and whether each of them leads to one.

        A branch that is like a known or an earlier one is left out. One that stays where it nearly has the pose is not
        there, unless rounding alone can be the reason.
        """
        starts, error = newton(self.arm, self._motions(q), _STEPS)
        motions, branches = self._motions(known), {}
        for branch, (start, miss) in enumerate(zip(starts, error, strict=True)):
            if miss <= limit and not alike(self.arm, motions, start, miss):
                motions = np.vstack([motions, start])
                branches[branch] = self._positions(start[None])[0]
        return branches, not ((error > limit) & (error < ROUNDED)).any()

    def more(self, known: Array, starts: Array, limit: float) -> Array:
        """The known branches, made exact, those to which the starts lead, and those beside them.

        A joint that nearly can move while the pose stays gives configurations that are certified and no branches: they
        have larger errors than a branch.
        """
        motions, errors = newton(self.arm, self._motions(known), _STEPS)
        least = float(errors.min(initial=limit))
        for others in (self._apart(motions, self._motions(starts)), None):
            polished, error = newton(self.arm, partners(self.arm, motions) if others is None else others, _STEPS)
            least = float(error.min(initial=least))
            limit = min(limit, max(_EXACT * limit / CERTIFIED, 4 * least))
            for start, miss in zip(polished[error <= limit], error[error <= limit], strict=True):
                if not alike(self.arm, motions, start, miss):
                    motions = np.vstack([motions, start])
        return self._positions(motions)

    def one_of_each(self, q: Array) -> tuple[Array, Array]:
        """All isolated branches and one of each continuum, and the joints that move along one."""
        motions = self._motions(q)
        free = self_motions(self.arm, motions)
        moving = np.zeros(q.shape[1], bool)
        moving[[sorted({*self.joints, *self.redundant}).index(j) for j in self.joints]] = (np.abs(free) > MOVES).any(0)
        return q[one_of_each(self.arm, motions, free)], moving

    def _apart(self, known: Array, starts: Array) -> Array:
        """The starts that are not near a known branch or an earlier start."""
        kept: list[int] = []
        for k, start in enumerate(starts):
            away = wrapped(self.arm.kinds, np.vstack([known, starts[kept]]) - start)
            if (np.abs(away).max(axis=1) > _APART).all():
                kept.append(k)
        return starts[kept]

    def _motions(self, q: Array) -> Array:
        return self.chain.motions(self.joints, q)

    def _positions(self, motions: Array) -> Array:
        return self.chain.positions(self.joints, motions, self.redundant)
