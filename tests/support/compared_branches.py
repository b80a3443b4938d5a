"""The branches of symoro beside those of a search from many starts, for arms and closed loops of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

import symoro
from support.arm_catalogue import Case
from support.many_starts import Array, Problem, arm_problem, end_problem, loop_problem
from symoro.errors import CannotClose
from symoro.models.geometric.frames import carrier
from symoro.models.geometric.inverse.chain import tip
from symoro.robot.robot import Robot
from symoro.solve.loops import Assembly

#: A configuration is regular if the smallest singular value of its Jacobian is more than this part of the largest.
REGULAR = 1e-3
SAME = 1e-5
#: Loops do not close at all positions of the motors: so many times more are drawn.
DRAWN = 25
TURNS = {"pose": (0, 1, 2), "position": (), "axis-x": (0,), "axis-y": (1,), "axis-z": (2,)}


@dataclass(frozen=True)
class Record:
    """What a comparison found: numbers of poses, and the largest error of branches.

    `generating`: the configuration that made the pose is a branch. `equal`: both sets are the same. `lost`: the search
    has a branch that symoro has not. `unseen`: the other way round; `continuum`: the branches are no points.
    """

    method: str
    branches: int
    poses: int
    generating: int
    equal: int
    lost: int
    unseen: int
    continuum: int
    worst: float
    regular: float


def compared_arm(case: Case, poses: int, seed: int) -> Record:
    """The comparison of an arm at random configurations, angles anywhere and slides within the arm's length."""
    robot = case.make()
    ik = symoro.inverse_geometry(robot, link=case.link, redundant={j: f"g{j}" for j in case.given})
    link = tip(robot) if case.link is None else case.link
    problem = arm_problem(robot, link, case.given, TURNS[ik.task])
    rng = np.random.default_rng(seed)
    x = problem.drawn(poses, rng)
    T = np.concatenate([problem.chains[0].pose(x), np.broadcast_to([[[0.0, 0, 0, 1]]], (poses, 1, 4))], axis=1)
    places = [[j.index for j in robot.joints if j.variable].index(j) for j in ik.joints]
    given = [[j.index for j in robot.joints if j.variable].index(j) for j in case.given]
    found = ik.compile()(T, *([x[:, given]] if given else []))
    ours = [_spread(row, q[valid], places) for row, q, valid in zip(x, found.q, found.valid, strict=True)]
    loose = np.array([status is symoro.Status.CONTINUUM for status in found.status])
    return _record(problem, x, [T[:, :3]], ours, loose, ik.method, rng)


def compared_loop(robot: Robot, poses: int, seed: int) -> Record:
    """The comparison of a closed-loop robot at random closed configurations: motors are given, the rest is unknown."""
    problem, rng = loop_problem(robot), np.random.default_rng(seed)
    x = problem.drawn(DRAWN * poses, rng)
    one = np.broadcast_to(np.eye(4)[None, :3], (len(x), 3, 4))
    x, closed = problem.newton(x, [one] * len(problem.chains))
    x = x[closed][:poses]
    procedure = symoro.loop_geometry(robot)
    f, tree = procedure.compile("numpy"), procedure.outputs["q"][0]
    joints = [j.index for j in robot.joints if j.variable]
    cuts = [joints.index(cut.joint) for cut in robot.cuts]
    rest = [k for k in range(len(joints)) if k not in cuts]
    motors = [k for k in rest if k not in problem.unknown]
    ours, loose = [], np.zeros(len(x), bool)
    for n, row in enumerate(x):
        try:
            q = f.branches(row[motors], limits=False)
        except CannotClose:  # the loops close in infinitely many ways
            loose[n], q = True, np.empty((0, tree))
        ours.append(_spread(row, np.hstack([q, f.cut(q)]), [*rest, *cuts]))
    return _record(problem, x, [one[: len(x)]] * len(problem.chains), ours, loose, f.method, rng)


def compared_end(robot: Robot, link: int, poses: int, seed: int, away: float) -> Record:
    """The comparison of the inverse model of a robot with closed loops: poses are given, motors and all are unknown.

    The closed configurations are near that with small passive angles; `away` is how far the motors go.
    """
    ik = symoro.inverse_geometry(robot, link=link)
    problem, rng = end_problem(robot, carrier(robot, link)[0], TURNS[ik.task]), np.random.default_rng(seed)
    x = _closed(robot, poses, away, rng)
    one = np.broadcast_to(np.eye(4)[None, :3], (len(x), 3, 4))
    T = np.concatenate([problem.chains[0].pose(x), np.broadcast_to([[[0.0, 0, 0, 1]]], (len(x), 1, 4))], axis=1)
    found, f = ik.compile("numpy")(T), symoro.loop_geometry(robot).compile("numpy")
    joints = [j.index for j in robot.joints if j.variable]
    places = [joints.index(j) for j in (*ik.joints, *(cut.joint for cut in robot.cuts))]
    ours = [
        _spread(row, np.hstack([q[valid], f.cut(q[valid])]), places)
        for row, q, valid in zip(x, found.q, found.valid, strict=True)
    ]
    loose = np.array([status is symoro.Status.CONTINUUM for status in found.status])
    return _record(problem, x, [T[:, :3], *[one] * len(robot.cuts)], ours, loose, ik.method, rng)


def _closed(robot: Robot, count: int, away: float, rng: np.random.Generator) -> Array:
    """Closed configurations (count, variables) on one branch, the cut joints behind the others."""
    f = symoro.loop_geometry(robot).compile("numpy")
    assembler = f.assembler()
    motors, rows = list(assembler.active), []
    start = _start(robot, f, rng)
    while len(rows) < count:
        with suppress(CannotClose):
            rows.append(f(start[motors] + rng.uniform(-away, away, len(motors)), guess=start))
    q = np.array(rows)
    return np.hstack([q, f.cut(q)])


def _start(robot: Robot, f: Assembly, rng: np.random.Generator) -> Array:
    """A closed configuration: from small passive angles where they close, so that platforms keep their orientation."""
    assembler = f.assembler()
    qa = 0.15 + 0.1 * np.arange(len(assembler.active))
    for guess in (np.zeros(len(assembler.turning)), None):
        with suppress(CannotClose):
            return f(qa, guess=guess)
    problem, wanted = loop_problem(robot), np.eye(4)[None, :3]
    x, closed = problem.newton(problem.drawn(1000, rng), [np.repeat(wanted, 1000, 0)] * len(robot.cuts))
    return x[closed][0][: len(assembler.turning)]


def _spread(row: Array, q: Array, places: Sequence[int]) -> Array:
    """Branches (k, joints of the answer) as configurations (k, variables)."""
    x = np.repeat(row[None], len(q), axis=0)
    x[:, list(places)] = q
    return x


def _record(
    problem: Problem,
    x: Array,
    wanted: Sequence[Array],
    ours: Sequence[Array],
    loose: Array,
    method: str,
    rng: np.random.Generator,
) -> Record:
    theirs = problem.branches(x, wanted, rng, [0 if free else len(q) for q, free in zip(ours, loose, strict=True)])
    sums = {"generating": 0, "equal": 0, "lost": 0, "unseen": 0}
    worst, regular = 0.0, 0.0
    for n, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        sums["generating"] += bool(loose[n]) or _among(problem, mine, x[n])
        if loose[n]:
            continue
        lost, unseen = (not all(_among(problem, a, q) for q in b) for a, b in ((mine, other), (other, mine)))
        sums["lost"], sums["unseen"] = sums["lost"] + lost, sums["unseen"] + unseen
        sums["equal"] += not lost and not unseen
        errors, steady = _errors(problem, mine, [T[n] for T in wanted])
        worst, regular = max(worst, errors.max(initial=0.0)), max(regular, errors[steady].max(initial=0.0))
    most = max(map(len, ours), default=0)
    return Record(method, most, len(x), **sums, continuum=int(loose.sum()), worst=float(worst), regular=float(regular))


def _among(problem: Problem, found: Array, q: Array) -> bool:
    return bool(len(found)) and bool(problem.apart(found, q).min() < SAME)


def _errors(problem: Problem, q: Array, wanted: Sequence[Array]) -> tuple[Array, Any]:
    """The error of each branch in parts of the reach, and which branches are regular."""
    targets = [np.repeat(T[None], len(q), axis=0) for T in wanted]
    slopes = [chain.equations(q, T)[1] for chain, T in zip(problem.chains, targets, strict=True)]
    values = np.linalg.svd(np.concatenate(slopes, axis=1)[:, :, list(problem.unknown)], compute_uv=False)
    return problem.errors(q, targets) / problem.reach, values[:, -1] > REGULAR * values[:, 0]
