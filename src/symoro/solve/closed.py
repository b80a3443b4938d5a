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
from symoro.findings import Argument, Finding
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
from symoro.models.loops import inverse as loops
from symoro.models.loops.inverse import ClosedLoops
from symoro.robot.robot import Robot
from symoro.robot.symbolic import known_values, with_numbers
from symoro.solve.branches import Branches
from symoro.solve.general.distinct import alike
from symoro.solve.general.numeric import NumericChain
from symoro.solve.general.polish import Chain as Arm
from symoro.solve.general.polish import newton
from symoro.solve.general.robot import general_geometry
from symoro.solve.limits import member_inside
from symoro.solve.question import AUTO, Doubtful, Given, Question
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
    robot, method, given = question.robot, question.method, question.beside
    arm = chain(Symbols(robot, Graph()), question.frame)
    wanted = aim(arm, question.task, given.joints, given.arm)
    if not given.arm:
        require_determined(arm, wanted, given.joints)
    separate = list(triples(arm))
    if method == "pieper" and not separate:
        raise NotApplicable(_not_pieper(arm))
    steps, degree = _steps(arm, wanted, given, method)
    chosen = "pieper" if degree > 2 or method == "pieper" else "paul"
    made, told = program(steps), derivation(steps, [triple.sentence for triple in separate])
    driver = ClosedFormDriver(chosen, _count(made), steps, told, question.frame)
    model = Model(robot, made, "inverse_geometry", TITLE, CITATION, _options(question), driver=driver)
    if missed := _missed(model, steps):
        doubted = replace(model, driver=replace(driver, doubtful=True))
        reason = Finding("positions.loses_digits", robot=robot.name, missed=missed, count=_SAMPLES)
        raise Doubtful(reason, doubted)
    return model


def _with_loops(question: Question) -> Model:
    """The closed form of the chain to the frame, then those of the loops."""
    robot, link, given = question.robot, question.frame, question.beside
    if given.joints or given.arm:
        raise NotApplicable("positions.redundant_of_loops", robot=robot.name, option=Argument("redundant"))
    s, ends = Symbols(robot, Graph()), loops.end_links(robot)
    if link is None and len(ends) > 1:
        raise NotApplicable("positions.ends", robot=robot.name, count=len(ends), option=Argument("link"), first=ends[0])
    frame = ends[0] if link is None else link
    arm, closed = chain(s, frame), loops.closed_samples(s)
    separate = [triple.sentence for triple in triples(arm)]
    for samples in (None, closed) if closed else (None,):
        wanted = aim(arm, question.task, {}, loops=True)
        steps, degree = _steps(arm, wanted, given, question.method, samples)
        parts = loops.with_loops(steps, samples)
        made = loops.program(parts)
        if closed is None or loops.covers(parts, made, closed):
            told = derivation(steps, separate).followed_by([derivation(part, ()) for part in parts.loops])
            driver = ClosedFormDriver("pieper" if degree > 2 else "paul", _count(made), steps, told, frame, parts)
            about = "inverse_geometry", TITLE, "K97 §§ 3.3-3.4", _options(question)
            return Model(robot, made, *about, driver=driver)
    raise NotApplicable("positions.steps_lost", robot=robot.name)


def _options(question: Question) -> dict[str, Any]:
    """The options that are not the defaults: generated code says them, and has them in its name."""
    joints, arm = tuple(question.beside.joints), question.beside.arm
    several = joints[0] if len(joints) == 1 else joints or None
    redundant = "arm" if arm else several
    chosen = {"method": question.method, "link": question.frame, "task": question.task, "redundant": redundant}
    return {name: value for name, value in chosen.items() if value not in (None, AUTO)}


def _steps(
    arm: ScrewChain, wanted: WantedTask, given: Given, method: str, samples: Samples | None = None
) -> tuple[ClosedFormSteps, int]:
    try:
        return solve(arm, wanted.task, wanted.axis, given.joints, 2, given.arm, samples), 2
    except NotApplicable:
        if method == "paul":
            raise
        return solve(arm, wanted.task, wanted.axis, given.joints, 4, given.arm, samples), 4


def _count(made: Program) -> int:
    """The largest number of branches."""
    return next(output.shape[0] for output in made.outputs if output.name == "valid")


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
    q, given = tried.pop("q"), tried
    with np.errstate(all="ignore"):
        found = evaluate(model.program, {**given, "near": np.zeros_like(q)}, numbers)
        period = periods(model.robot, closed.order, numbers)
        away = np.abs(in_turn_of(found["q"] - q[:, None], period, np.zeros(q.shape[-1]))).max(-1)
    same = (found["error"] < ROUNDED) & (away < _SAME)
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
    def plain(self) -> bool:
        """Whether nothing but rounding can be wrong with a branch that is nearly one."""
        return self.loops is None and self.closed.task == "pose" and not self.closed.arm and not self.fragile

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
            made = general_geometry(self.closed.chain, self.frame, self.task, tuple(self.closed.given))
        except NotApplicable:
            return None
        assert made.driver is not None
        solver: PoseSolver = made.driver.compile(made, backend)
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
        self._f = replace(model, driver=None).compile(backend)
        self._posed = Points(model.robot, form.frame) if form.task == "position" else None
        self._restore = Restore(form.closed.chain, tuple(form.closed.given)) if form.plain else None
        self._nearly = np.inf if form.doubtful else _NEARLY if form.fragile else _HALF
        nearly = _NEARLY if form.fragile else ROUNDED if form.plain else None
        self._at_once = _answering(self._f, nearly) if backend == "llvm" else None

    @lazy
    def _second(self) -> PoseSolver | None:
        """The next way, which is made where it is needed."""
        return self._form.next_way(self._backend)

    def __reduce__(self) -> tuple[Any, ...]:
        """Machine code belongs to one process: what is kept is what it is made of."""
        return type(self), self._made_of

    def _answer(self, inputs: list[Array], near: Array | None, values: Values | None) -> Branches:
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
        made = Branches(found.q, valid, MEMBERS[kinds], moves, np.where(rigid, found.state[..., 3], np.nan))
        asked = (kinds == 2) & (made.distance < self._nearly)
        if self._form.fragile:
            asked |= rigid & lost.any(-1)
        for place in map(tuple, np.argwhere(asked)):
            made = self._again(made, place, [x[place] for x in inputs], values)
        return made

    def _one(self, found: Any, inputs: list[Array], values: Values | None) -> Branches:
        """One pose, in few calls of NumPy."""
        rigid, count, some, least = found.state.tolist()
        q, valid = found.q, found.valid.astype(bool)
        moves = np.zeros(len(self.joints), bool)
        if not rigid:
            valid[:], q[:] = False, np.nan
            return Branches(q, valid, _INVALID, moves, np.array(np.nan))
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
            if self._form.fragile:
                lost = bool(_lost(valid, free, found.error).any()) if some else _nearly(found.error) > count
        if not lost and not (status is _UNREACHABLE and least < self._nearly):
            return Branches(q, valid, status, moves, np.array(least))
        made = Branches(q[None], valid[None], np.array([status], dtype=object), moves[None], np.array([least]))
        made = self._again(made, (0,), inputs, values)
        return Branches(made.q[0], made.valid[0], made.status[0], made.free[0], np.array(made.distance[0]))

    def _restored(self, inputs: list[Array], values: Values | None, q: Array, valid: Array, error: Array) -> None:
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

    def _again(self, made: Branches, place: tuple[int, ...], inputs: list[Array], values: Values | None) -> Branches:
        """The answer with the branches of the next way at a pose, if it finds more, and not only near ones."""
        if self._second is None or any(np.ndim(x) for x in (values or {}).values()):
            return made
        other = self._second._answer(inputs, None, values)
        count, most = int(other.valid.sum()), made.valid.shape[-1]
        known = made.q[place][made.valid[place]]
        if count <= len(known) or (len(known) and count > most) or not self._differ(other.q[other.valid], known):
            return made
        if count > most:
            made, most = _widened(made, count - most), count
        made.q[place], made.valid[place] = np.nan, np.arange(most) < count
        made.q[place][:count] = other.q[other.valid]
        made.status[place], made.free[place], made.distance[place] = other.status, other.free, other.distance
        return made

    def _differ(self, found: Array, known: Array) -> bool:
        """Whether one of these branches is not near a known one; at a multiple branch, some near it have its pose."""
        away = found[:, None] - known
        apart = in_turn_of(away, self._own_limits.period, np.zeros(len(self.joints)))
        return bool((np.abs(apart).max(-1).min(-1, initial=np.inf) > _NEARLY).any())

    def _member(self, inputs: list[Array], values: Values | None, q: Array, branch: int, free: Array) -> Array | None:
        places = np.flatnonzero(free)

        def members(points: Array) -> tuple[Array, Array]:
            near = np.tile(q, (len(points), 1))
            near[:, places] = points
            found = self._f(*inputs, values=values, near=near)
            return found.q[:, branch], found.valid[:, branch] > 0.5

        return member_inside(members, places, self._allowed(values), q)

    def _choose(self, inputs: list[Array], values: Values | None, q: Array, valid: Array, free: Array) -> None:
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
    from symoro.runtime.direct import answering

    return answering(f, Branches, _COMPLETE, _UNREACHABLE, nearly)


def _lost(valid: Array, free: Array, error: Array) -> Array:
    """Which branches of a pose may be lost: they nearly have the pose, or their free joint found no position.

    Where two roots are nearly one, an angle has half of its digits, and a joint that follows from it by a division may
    have none.
    """
    return ~valid & ((error < _NEARLY) | free.any(-1))


def _widened(made: Branches, more: int) -> Branches:
    """The answer with places for more branches."""
    before = [(0, 0)] * (made.valid.ndim - 1)
    q = np.pad(made.q, [*before, (0, more), (0, 0)], constant_values=np.nan)
    return replace(made, q=q, valid=np.pad(made.valid, [*before, (0, more)]))


def _nearly(error: Array, limit: float = _NEARLY) -> int:
    """How many branches have a pose, or nearly have it."""
    return int(np.count_nonzero(error < limit))


# Branches that rounding lost, and that the program of a closed form does not mend itself, by Newton's method.
#
# `branches.py` says how a branch is lost. The program mends one branch of a pose; here all of them are restored.


_STEPS = 12


class Restore:
    """Restores the lost branches of one pose at a time, for a chain with given joints."""

    def __init__(self, chain: ScrewChain, given: Sequence[int]) -> None:
        self._chain, self._given = chain, tuple(given)

    @lazy
    def _numeric(self) -> NumericChain:
        return NumericChain(self._chain)

    def __call__(
        self, T: Array, r: Array, numbers: Mapping[str, float], q: Array, valid: Array, limit: float
    ) -> Mapping[int, Array]:
        """Positions of the branches of q (branches, joints) that are not `valid` and have errors below `limit` now.

        A branch that is like a valid or an earlier one is left out.
        """
        made = self._numeric.displacements(numbers, self._given)
        arm = Arm(made.kinds, made.at(r), T)
        motions = self._numeric.motions(made.joints, q)
        lost = np.flatnonzero(~valid)
        starts, error = newton(arm, motions[lost], _STEPS)
        known, found = motions[valid], {}
        for branch, start, miss in zip(lost.tolist(), starts, error, strict=True):
            if miss <= limit and not alike(arm, known, start, miss):
                known = np.vstack([known, start])
                given = dict(zip(self._given, r.tolist(), strict=True))
                found[branch] = self._numeric.positions(made.joints, start[None], given)[0]
        return found
