"""The joints of legs for a pose, leg by leg, and those of platforms that do not turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.bind.interface import inputs, parameters
from symoro.bind.symbols import Symbols
from symoro.errors import CannotClose, NotApplicable
from symoro.ir.evaluate import Evaluator, evaluate, evaluator
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.passes import optimize
from symoro.ir.program import Program
from symoro.model import Driver, Model
from symoro.models.geometric.frames import carrier
from symoro.models.geometric.inverse.branches import ROUNDED
from symoro.models.geometric.transform import forward_geometry, plain
from symoro.models.loops.analytic import loop_modes
from symoro.models.loops.assembly import Assembler
from symoro.models.parallel.constraint import leg_positions
from symoro.models.parallel.leg import loops_of
from symoro.models.parallel.leg_geometry import growth
from symoro.models.parallel.leg_loops import LegLoops
from symoro.models.parallel.leg_newton import assembler_at, geometry_of
from symoro.models.parallel.mechanism import branches_of, structure
from symoro.models.parallel.platform import (
    PoseSymbols,
    is_rigid,
    moved,
    parallel,
    poses_of,
)
from symoro.robot import topology
from symoro.robot.base import Frame
from symoro.robot.joint import GEOMETRY, Joint, JointKind
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import ClosureKind, Robot
from symoro.robot.springs import whole_turn
from symoro.robot.symbolic import substituted
from symoro.robot.values import ZERO
from symoro.robot.values import evaluate as number
from symoro.runtime import Function
from symoro.solve.branches import Branches, Status
from symoro.solve.limits import Allowed, allowed
from symoro.solve.question import Question
from symoro.solve.solver import Solver, Values
from symoro.solve.spheres import distinct

# The legs of a parallel robot for a pose of its platform.


Array = NDArray[Any]
#: How far legs may be from the platform.
CLOSED = 1e-9


def leg_geometry(question: Question) -> Model:
    """The legs of a parallel robot for a pose of its platform."""
    robot = parallel(question.robot)
    letters = PoseSymbols(robot, Graph(cancel=True))
    results = leg_positions(letters, structure(robot))
    program = optimize(extract(letters.graph, inputs(letters, ["T"]), parameters(letters), results))
    driver = LegDriver(next(output.shape[0] for output in program.outputs if output.name == "OK"))
    return Model(robot, program, "inverse_geometry", "Inverse geometric model", "K10 § 5", row="", driver=driver)


@dataclass(frozen=True)
class LegDriver(Driver):
    """The branches of the legs of a parallel robot: `branches` of a leg at most.

    Branch b of the answer has branch b of every leg; legs can be in different branches.
    """

    branches: int

    def emit(self, of: Model, target: str, directory: str | Path, force: bool, precision: str) -> list[Path]:
        """All branches."""
        return replace(of, driver=None).emit(target, directory, force, precision)

    def compile(self, of: Model, backend: str) -> LegSolver:
        """A function of the pose that gives `Branches`."""
        return LegSolver(parallel(of.robot), replace(of, driver=None).compile(backend))


class LegSolver(Solver):
    """f(T): the motors for poses T (..., 4, 4) of the platform, all branches of the legs.

    `q` of the answer is (..., branches, motors), NaN where the leg of a motor has no such branch; `valid` is where all
    legs have it. `limits=True` keeps branches in which all joints of a leg are inside their limits, with angles in the
    turn of the limits. With `joints=True`, `q` has all joints of all legs. `nearest=q0`, the positions that `q` has,
    sorts the branches of each leg by their distance from q0, with angles in its turn: the first row is the nearest.

    The branches of a leg without a closed form are found by Newton's method: first the one that the models take, then
    those that a search from many starts finds, until none is new. The search takes a second or so for a pose and a leg;
    with `search=False` it is left out. The status is `incomplete` for such robots: there may be other branches.
    """

    def __init__(self, robot: Robot, f: Function) -> None:
        owners = [(i, j) for i, leg in enumerate(robot.legs) for j in topology.with_variables(leg)]
        super().__init__(robot, [j for _, j in owners])
        self.legs, self._f = robot.legs, f
        self.leg = np.array([i for i, _ in owners])
        self._motors = [k for k, (_, j) in enumerate(owners) if j.actuated]
        self.searched = searched_legs(robot)

    def __call__(
        self,
        T: ArrayLike,
        *,
        nearest: ArrayLike | None = None,
        limits: bool = False,
        joints: bool = False,
        search: bool = True,
        values: Values | None = None,
    ) -> Branches:
        poses = poses_of(T)
        outputs = self._f(poses, values=values)
        rigid = is_rigid(poses)
        with np.errstate(invalid="ignore"):
            ok = (outputs.OK > 0.5) & (CLOSED * (1 + np.abs(poses[..., None, None, :3, 3]).max(-1)) >= outputs.ERR)
        ok = ok & rigid[..., None, None]
        q = np.array(outputs.QL)
        self._mend(poses, q, ok, np.where(rigid[..., None, None], outputs.ERR, np.nan), values)
        if self.searched and search:
            q, ok = with_searched(parallel(self.robot), self.searched, self.leg, poses, q, ok, values)
        kept = range(len(self.leg)) if joints else self._motors
        if nearest is not None:
            self._sort_legs(q, ok, self._near(nearest, len(kept)), kept, values)
        if limits:
            q, inside = self._allowed(values).each_placed(q)
            ok = ok & np.stack([inside[..., self.leg == i].all(-1) for i in range(len(self.legs))], axis=-1)
        q[~ok[..., self.leg]] = np.nan
        valid = ok.all(-1)
        with np.errstate(invalid="ignore"):
            distance = np.where(np.isfinite(outputs.ERR), outputs.ERR, np.inf).max(-1).min(-1)
        certain = np.delete(ok, self.searched, axis=-1)  # a search cannot tell that there is no branch
        kinds = np.where(rigid, np.where(certain.any(-2).all(-1), 0, 1), 2)
        found_all = Status.INCOMPLETE if self.searched else Status.COMPLETE
        members = np.array([found_all, Status.UNREACHABLE, Status.INVALID], dtype=object)
        q = q[..., kept]
        free = np.zeros((*poses.shape[:-2], q.shape[-1]), dtype=bool)
        return Branches(q, valid, members[kinds], free, np.where(rigid, distance, np.nan))

    def _mend(self, T: Array, q: Array, ok: Array, error: Array, values: Values | None) -> None:
        """Put branches of legs that rounding alone has lost into their places, by Newton's method."""
        for *pose, branch, i in map(tuple, np.argwhere(~ok & (error < ROUNDED))):
            at, leg = tuple(pose), self.leg == i
            others = q[at][ok[at][:, i]][:, leg]
            numbered = geometry_of(parallel(self.robot)).with_values(values or {})
            assembler = assembler_at(numbered, int(i), T[at])
            (near,), (closed,) = assembler.newton(q[at][branch, leg][None])
            here = _alike(assembler, near[None], q[at][branch, leg]).all()  # two branches may meet
            if closed and (here or not _alike(assembler, others, near).any()):
                q[(*at, branch, leg)], ok[(*at, branch, i)] = near, True

    def _sort_legs(self, q: Array, ok: Array, near: Array, kept: Sequence[int], values: Values | None) -> None:
        """Sort the branches of each leg by the distance of the joints `kept` from `near`, with angles in its turn."""
        wanted = np.array(q)
        wanted[..., kept] = near[..., None, :]
        q[...] = self._allowed(values).nearest(q, wanted)
        for i in range(len(self.legs)):
            of_leg = np.flatnonzero(self.leg == i)
            away = np.where(ok[..., i], np.square(q[..., of_leg] - wanted[..., of_leg]).sum(-1), np.inf)
            order = np.argsort(away, axis=-1, kind="stable")
            q[..., of_leg] = np.take_along_axis(q[..., of_leg], order[..., None], -2)
            ok[..., i] = np.take_along_axis(ok[..., i], order, -1)

    def inside(self, q: Array, values: Values | None = None) -> Array:
        """Which joints of all legs are inside their limits, after whole turns."""
        return self._allowed(values).inside(q)

    def _limits_for(self, numbers: Values) -> Allowed:
        """The limits of the joints of all legs."""
        joints = [[j.index for j in topology.with_variables(leg)] for leg in self.legs]
        each = [allowed(leg, variables, numbers) for leg, variables in zip(self.legs, joints, strict=True)]
        lower, upper, period = (np.concatenate([getattr(one, n) for one in each]) for n in ("lower", "upper", "period"))
        rows = (np.concatenate(moves) for moves in product(*(one.together for one in each)))
        return Allowed(lower, upper, period, np.array(list(rows)))


# All branches of legs without a closed form at a pose of the platform, by a search from many starts.


#: Joints that differ by less are one branch.
_SAME_POSE = 1e-6


def searched_legs(robot: Robot) -> tuple[int, ...]:
    """The legs without a closed form, from 0."""
    letters = PoseSymbols(robot, Graph())
    return tuple(i for i in range(len(robot.legs)) if not branches_of(letters, i))


def with_searched(
    robot: Robot,
    searched: Sequence[int],
    leg: Array,
    T: Array,
    q: Array,
    ok: Array,
    values: Mapping[str, float] | None,
) -> tuple[Array, Array]:
    """q (..., branches, joints) and ok (..., branches, legs) with what a search finds behind the first row.

    `leg` is the leg of each joint.
    """
    numbered = geometry_of(robot).with_values(values or {})
    lead, joints, legs = T.shape[:-2], q.shape[-1], ok.shape[-1]
    poses, first, valid = T.reshape(-1, 4, 4), q.reshape(-1, *q.shape[-2:]), ok.reshape(-1, *ok.shape[-2:])
    branches = [
        [_others(numbered, i, pose, row[0, leg == i] if there[0, i] else None) for i in searched] if rigid else []
        for pose, row, there, rigid in zip(poses, first, valid, is_rigid(poses), strict=True)
    ]
    rows = max([q.shape[-2], *(1 + len(some) for one in branches for some in one)])
    every = np.full((len(poses), rows, joints), np.nan)
    exists = np.zeros((len(poses), rows, legs), dtype=bool)
    every[:, : q.shape[-2]], exists[:, : q.shape[-2]] = first, valid
    for n, one in enumerate(branches):
        for i, some in zip(searched, one, strict=False):
            every[n, 1 : 1 + len(some), leg == i] = some.T
            exists[n, 1 : 1 + len(some), i] = True
    return every.reshape(*lead, rows, joints), exists.reshape(*lead, rows, legs)


def _others(robot: Robot, i: int, T: Array, known: Array | None) -> Array:
    """The branches of leg i at a pose, without the one that is known."""
    assembler = assembler_at(robot, i, T)
    try:
        branches = assembler.branches(())
    except CannotClose:  # a pose at which the leg can move
        return np.zeros((0, len(assembler.turning)))
    return branches if known is None else branches[~_alike(assembler, branches, known)]


def _alike(assembler: Assembler, several: Array, one: Array) -> Array:
    """Which of several configurations are one."""
    away = np.abs(assembler.difference(several, one)).max(axis=-1, initial=0.0)
    return np.asarray(away <= _SAME_POSE * max(1.0, assembler.reach))


# A leg of a parallel robot whose motors stand still: where its end can be, and how it moves there.
#
# The joints of the leg are q = q0 + W y. The freedoms y are those that the motors leave. The joints that follow in
# closed loops are sums of others (`leg_loops`), so that W is constant.


_SAME = 1e-9


@dataclass(frozen=True)
class StillLeg:
    """A leg with its motors at given positions, and the attachment's frame A (4, 4) in the platform's frame."""

    kind: ClosureKind
    A: Array
    q0: Array
    W: Array
    slides: Array
    end: Evaluator
    turns: Array
    """The changes of variables that turn their joints once; 0 of slides."""

    @property
    def freedoms(self) -> int:
        """The number of freedoms y that the motors leave to the leg."""
        return int(self.W.shape[1])

    def at(self, y: Array) -> tuple[Array, Array]:
        """The pose of the leg's end (..., 4, 4), and its velocity [v; ω] in frame 0 for each y (..., 6, freedoms)."""
        end = self.end({"q": self.q0 + y @ self.W.T})
        T, z, origin = end["T"], end["Z"], end["O"]
        arm = np.cross(z, T[..., None, :3, 3] - origin)
        turned = np.concatenate([arm, z], axis=-1)
        slid = np.concatenate([z, np.zeros_like(z)], axis=-1)
        J = np.swapaxes(np.where(self.slides[:, None], slid, turned), -1, -2)
        return T, J @ self.W

    def any(self, rng: np.random.Generator, count: int, length: float) -> Array:
        """Arbitrary y (count, freedoms): angles in a turn, lengths up to `length`."""
        moved = self.W != 0
        half_turns = np.where(moved, self.turns[:, None] / 2, 0.0).max(0, initial=0.0)
        far = np.where((self.slides[:, None] & moved).any(0), length, half_turns)
        y: Array = far * rng.uniform(-1, 1, (count, self.freedoms))
        return y


def still_legs(robot: Robot, q: Array, numbers: Mapping[str, float]) -> list[StillLeg] | None:
    """The legs with the motors at q; None where the joints of a leg's loops are no sums, or motors fight each other."""
    legs = []
    for i, attachment in enumerate(robot.attachments):
        loops = loops_of(robot, i)
        motors = {j: x for (k, j), x in zip(robot.motors, q, strict=True) if k == i}
        solved = _freedoms(robot, i, loops, motors, numbers)
        if solved is None:
            return None
        A = np.array([[number(x, numbers) for x in row] for row in attachment.pose])
        joints = [robot.legs[i].joint(j) for j in _variables(robot, i)]
        slides = np.array([joint.prismatic for joint in joints], dtype=bool)
        turns = np.array([whole_turn(joint, numbers) for joint in joints])
        end = evaluator(_moving_end(robot, i), numbers)
        legs.append(StillLeg(attachment.kind, A, *solved, slides, end, turns))
    return legs


def _variables(robot: Robot, i: int) -> tuple[int, ...]:
    """The joints of the leg's tree that have a variable."""
    return tuple(joint.index for joint in topology.with_variables(robot.legs[i]))


def _freedoms(
    robot: Robot, i: int, loops: LegLoops, motors: Mapping[int, float], numbers: Mapping[str, float]
) -> tuple[Array, Array] | None:
    """q0 and W. All joints are E v + e of those that are left, v; the motors are some of them."""
    if loops.following is None:
        return None
    joints = _variables(robot, i)
    E, e = np.zeros((len(joints), len(loops.left))), np.zeros(len(joints))
    for k, j in enumerate(loops.left):
        E[joints.index(j), k] = 1
    for row in loops.following:
        for j, slope in row.slopes:
            E[joints.index(row.joint), loops.left.index(j)] = slope
        e[joints.index(row.joint)] = number(row.rest, numbers)
    driven = [joints.index(j) for j in motors]
    wanted = np.array(list(motors.values())) - e[driven]
    v, *_ = np.linalg.lstsq(E[driven], wanted, rcond=_SAME)
    if np.abs(E[driven] @ v - wanted).max(initial=0.0) > _SAME:
        return None
    return E @ v + e, E @ _kernel(E[driven])


def _kernel(M: Array) -> Array:
    """The vectors x with M x = 0, as columns: single joints where M has only columns of others."""
    free = np.eye(M.shape[1])[:, ~M.any(0)]
    _, values, right = np.linalg.svd(np.vstack([M, np.zeros((1, M.shape[1]))]))
    rank = int((values > _SAME).sum())
    return free if free.shape[1] == M.shape[1] - rank else right[rank:].T


@lru_cache(maxsize=64)
def _moving_end(robot: Robot, i: int) -> Program:
    """T of the leg's end; axis Z of each joint times the slope of its coordinate, and origin O; 0 beside the way."""
    leg = robot.legs[i]
    s = Symbols(replace(topology.without_cuts(leg), wrenches=()), Graph())
    end = robot.end(i)
    way = [joint.index for joint in topology.path(s.robot, carrier(s.robot, end)[0])]
    frames = [plain(s, 0, j) if j in way else None for j in s.variables]
    zero = [s.graph.zero] * 3
    turned = zip(s.variables, frames, strict=True)
    Z = [x for j, frame in turned for x in (growth(s, j) * frame[0].column(2) if frame else zero)]
    O = [x for frame in frames for x in (frame[1] if frame else zero)]
    results: Sequence[Result] = (
        *forward_geometry(s, end, False),
        Result("Z", (len(frames), 3), tuple(Z), ()),
        Result("O", (len(frames), 3), tuple(O), ()),
    )
    return extract(s.graph, inputs(s, ("q",)), parameters(s), results)


# Whether legs and platform meet at their attachments, by numbers: the poses that close all legs, by Newton's method.
#
# The joints of the legs are unknowns beside the pose. So nothing depends on branches of the legs, and a leg may be
# stretched, where its joints are no functions of the pose.


#: How far leg and platform may be apart where they meet.
MET = 1e-10
_SHUT = 1e-14


def gap(leg: StillLeg, T: Array, B: Array) -> tuple[Array, Array]:
    """How far the platform at T is from the end B of a leg, and the rows [l, a, c] of its rate.

    The rate is l·(v_A − v_B) + a·ω_A − c·ω_B, of the attachment's frame A on the platform and of the leg's end.
    """
    A = T @ leg.A
    d = A[..., :3, 3] - B[..., :3, 3]
    of_A, of_B = np.swapaxes(A[..., :3, :3], -1, -2), np.swapaxes(B[..., :3, :3], -1, -2)  # rows are axes
    z_A, z_B = of_A[..., 2, :], of_B[..., 2, :]
    point = d, _rows(np.broadcast_to(np.eye(3), of_B.shape))
    match leg.kind:
        case ClosureKind.SPHERICAL:
            return point
        case ClosureKind.UNIVERSAL:
            across = np.cross(z_B, z_A)[..., None, :]
            return _joined(point, (-_dot(z_B, z_A)[..., None], _turns(across)))
        case ClosureKind.REVOLUTE:
            across = np.cross(z_B, z_A)[..., None, :]
            return _joined(point, (_dot(of_B[..., :2, :], across), _turns(of_B[..., :2, :])))
    turned = np.cross(of_B, of_A).sum(-2)[..., None, :] / 2  # the axis of the rotation from B to A times sin(angle)
    alike = _dot(of_B, turned), _turns(of_B)
    if leg.kind is ClosureKind.FIXED:
        return _joined(point, alike)
    x = of_B[..., :2, :]
    return _joined((_dot(x, d[..., None, :]), _rows(x, c=-np.cross(x, d[..., None, :]))), alike)


def aligned(leg: StillLeg, T: Array, B: Array) -> Array:
    """Whether axes that are parallel at the attachment point into the same direction."""
    A = (T @ leg.A)[..., :3, :3]
    cosines = (A * B[..., :3, :3]).sum(-2)
    match leg.kind:
        case ClosureKind.SPHERICAL | ClosureKind.UNIVERSAL:
            return np.ones(T.shape[:-2], dtype=bool)
        case ClosureKind.REVOLUTE:
            same_direction: Array = cosines[..., 2] > 0
            return same_direction
    return np.asarray((cosines > 0).all(-1))


def _dot(a: Array, b: Array) -> Array:
    dot: Array = (a * b).sum(-1)
    return dot


def _rows(l: Array, a: Array | float = 0.0, c: Array | float = 0.0) -> Array:
    """[l, a, c]."""
    return np.concatenate([l, np.broadcast_to(a, l.shape), np.broadcast_to(c, l.shape)], axis=-1)


def _turns(axes: Array) -> Array:
    return _rows(np.zeros_like(axes), axes, axes)


def _joined(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
    return np.concatenate([first[0], second[0]], axis=-1), np.concatenate([first[1], second[1]], axis=-2)


# Newton's method


def closed(legs: Sequence[StillLeg], T: Array, y: Sequence[Array], steps: int = 30) -> tuple[Array, list[Array], Array]:
    """Poses T (n, 4, 4) and freedoms y of the legs that close all legs, and how far they are apart in the end (n)."""
    y = list(y)
    for _ in range(steps):
        ends = [leg.at(x) for leg, x in zip(legs, y, strict=True)]
        parts = [gap(leg, T, B) for leg, (B, _) in zip(legs, ends, strict=True)]
        g = np.concatenate([part[0] for part in parts], axis=-1)
        if np.abs(g).max(initial=0.0) < _SHUT:
            break
        step = _damped(_table(legs, T, ends, [part[1] for part in parts]), g)
        T = moved(T, step[:, :6])
        cuts = np.cumsum([6, *(leg.freedoms for leg in legs)])
        y = [x + step[:, a:b] for x, a, b in zip(y, cuts, cuts[1:], strict=False)]
    return T, y, apart(legs, T, y)


def apart(legs: Sequence[StillLeg], T: Array, y: Sequence[Array]) -> Array:
    """How far legs and platform are apart (n); infinite where axes point into opposite directions."""
    worst = np.zeros(len(T))
    for leg, x in zip(legs, y, strict=True):
        B, _ = leg.at(x)
        missing = np.abs(gap(leg, T, B)[0]).max(-1)
        worst = np.maximum(worst, np.where(aligned(leg, T, B), missing, np.inf))
    return np.where(np.isfinite(worst), worst, np.inf)


def joints_for(leg: StillLeg, T: Array, rng: np.random.Generator, length: float, starts: int = 48) -> Array:
    """Freedoms y (n, freedoms) of one leg that bring its end to the platform at T, or as near as was found."""
    n = len(T)
    every = np.repeat(T, starts, axis=0)
    y = leg.any(rng, len(every), length)
    for _ in range(40 if leg.freedoms else 0):
        B, J = leg.at(y)
        g, rows = gap(leg, every, B)
        met = (np.abs(g).max(-1) < _SHUT) & aligned(leg, every, B)
        if met.reshape(n, starts).any(-1).all():
            break
        y = y + _damped(_of_leg(rows, J), g)
    far = apart([leg], every, [y]).reshape(n, starts)
    freedoms: Array = y.reshape(n, starts, -1)[np.arange(n), far.argmin(-1)]
    return freedoms


def searched(legs: Sequence[StillLeg], T: Array, rng: np.random.Generator, length: float) -> Array:
    """The poses that close all legs, from these poses (n, 4, 4) and arbitrary joints of the legs."""
    y = [leg.any(rng, len(T), length) for leg in legs]
    T, _, far = closed(legs, T, y, 60)
    return distinct(T[far <= MET * max(1.0, length)])


def _table(legs: Sequence[StillLeg], T: Array, ends: Sequence[tuple[Array, Array]], rows: Sequence[Array]) -> Array:
    """The rates of all gaps for [v; ω] of the platform and the freedoms of all legs."""
    total = sum(leg.freedoms for leg in legs)
    parts, first = [], 6
    for leg, (_, J), row in zip(legs, ends, rows, strict=True):
        P = (T[:, :3, :3] @ leg.A[:3, 3])[:, None, :]
        table = np.zeros((*row.shape[:-1], 6 + total))
        table[..., :3], table[..., 3:6] = row[..., :3], np.cross(P, row[..., :3]) + row[..., 3:6]
        table[..., first : first + leg.freedoms] = _of_leg(row, J)
        first += leg.freedoms
        parts.append(table)
    return np.concatenate(parts, axis=-2)


def _of_leg(rows: Array, J: Array) -> Array:
    """The rates of a leg's gaps for its freedoms."""
    rates: Array = -(rows[..., :3] @ J[..., :3, :] + rows[..., 6:] @ J[..., 3:, :])
    return rates


def _damped(A: Array, g: Array) -> Array:
    """A step of Levenberg's and Marquardt's method, damped by |g|² (J. Fan, Y. Yuan, Computing 2005)."""
    B = np.swapaxes(A, -1, -2)
    damping = np.clip((g * g).sum(-1), 1e-14, 1.0)[:, None, None]
    step: Array = -np.linalg.solve(B @ A + damping * np.eye(A.shape[-1]), B @ g[..., None])[..., 0]
    return step


# Legs whose motors move them through loops, for positions of the motors: serial legs in each way to close the loops.
#
# The motor of a leg may be beside the way to its end, as the crank of a four-bar linkage that moves the first link.
# With the motors at given positions, such loops close in finitely many ways. In each way the joints of the loops stand
# still, as if each had a motor, and the leg is a serial one. The assemblies of the robot are those of all ways.


_END = "end of the way"
Way = dict[int, float]
"""The positions of a leg's joints that motors and loops determine."""


def driven(robot: Robot, q: Array, numbers: Mapping[str, float]) -> tuple[Robot, list[Array]] | None:
    """The robot with serial legs, and the positions of its motors in each way to close the loops.

    None where no leg has such loops, or where a closed form of one is not known.
    """
    moved = [i for i in range(len(robot.legs)) if loops_of(robot, i).following is None]
    if not moved:
        return None
    ways = []
    for i, leg in enumerate(robot.legs):
        motors = {j: float(x) for (k, j), x in zip(robot.motors, q, strict=True) if k == i}
        of_leg = _ways(leg, motors, numbers) if i in moved else [motors]
        if of_leg is None:
            return None
        ways.append(of_leg)
    serial = _with_serial_legs(robot, tuple(moved))
    chosen = [_way_motors(robot, i) if i in moved else list(ways[i][0]) for i in range(len(robot.legs))]
    rows = [np.array([way[j] for way, js in zip(one, chosen, strict=True) for j in js]) for one in product(*ways)]
    return serial, rows


def _ways(leg: Robot, motors: Way, numbers: Mapping[str, float]) -> list[Way] | None:
    """Every way to close the loops of a leg; None where there is no closed form, or where a joint is free."""
    closed_form = _modes(leg)
    if closed_form is None:
        return None
    program, active, joints = closed_form
    known = {p.name: numbers[p.name] for p in program.parameters}
    modes = evaluate(program, {"qa": np.array([motors[j] for j in active])}, known)
    exist = modes["ok"] > 0.5
    if (modes["free"][exist] > 0.5).any():
        return None
    return [dict(zip(joints, map(float, row), strict=True)) for row in modes["q"][exist]]


@lru_cache(maxsize=64)
def _modes(leg: Robot) -> tuple[Program, tuple[int, ...], tuple[int, ...]] | None:
    """The program of all ways to close the loops, its motors and its joints; joints beside the loops are fixed."""
    inside = _inside(leg)
    joints = tuple(j if j.index in inside or j.actuated else _fixed(j) for j in leg.joints)
    s = Symbols(Robot(leg.name, joints, closures=leg.closures, values=leg.values), Graph())
    try:
        return loop_modes(s), tuple(s.active), tuple(s.variables)
    except NotApplicable:
        return None


def _inside(leg: Robot) -> set[int]:
    """The joints of the loops."""
    return {joint.index for loop in topology.loops(leg) for joint in (*loop.to_joint, *loop.to_mate)}


def _fixed(joint: Joint) -> Joint:
    if not joint.movable:
        return joint
    rest = substituted(joint.position, {str(joint.variable): ZERO})
    at = {name: getattr(joint, name) for name in GEOMETRY} | {joint.moving: rest}
    return replace(Joint(joint.index, joint.name, joint.parent, JointKind.FIXED), **at)


def _on_way(robot: Robot, i: int) -> tuple[Joint, ...]:
    """The joints from the base to the end of leg i; those of its loops have motors."""
    leg = robot.legs[i]
    inside = _inside(leg)
    way = topology.path(leg, carrier(leg, robot.end(i))[0])
    return tuple(replace(j, actuated=j.movable and (j.actuated or j.index in inside)) for j in way)


def _way_motors(robot: Robot, i: int) -> list[int]:
    return [joint.index for joint in _on_way(robot, i) if joint.actuated]


@lru_cache(maxsize=32)
def _with_serial_legs(robot: Robot, moved: tuple[int, ...]) -> Robot:
    legs, ends = list(robot.legs), list(robot.attachments)
    for i in moved:
        leg, pose = robot.legs[i], carrier(robot.legs[i], robot.end(i))[1]
        chain = [replace(j, index=n, parent=n - 1, elastic=False) for n, j in enumerate(_on_way(robot, i), 1)]
        frame = Frame(_END, len(chain), pose)
        legs[i] = Robot(leg.name, tuple(chain), gravity=leg.gravity, values=leg.values, frames=(frame,))
        ends[i] = replace(ends[i], frame=_END)
    return ParallelRobot(
        robot.platform, legs, ends, robot.name, home=robot.home_pose, gravity=robot.gravity, values=robot.values
    )
