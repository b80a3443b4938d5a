"""A search for all configurations of chains of joints: Gauss and Newton's method from many random starts at once.

It shares nothing with symoro but the numbers of a robot's joints: transformations are NumPy products here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.robot import topology
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate

Array = np.ndarray[Any, Any]
#: Newton's method: the most steps, the longest one, and what is small enough.
STEPS, LONGEST, REACHED = 40, 0.6, 1e-10
#: The search for a pose ends when each branch was found so often, or after so many rounds of starts.
OFTEN, ROUNDS, STARTS = 4, 40, 60
#: A pose without a branch after so many rounds has none. More branches than this are taken as a continuous set.
VAIN, MANY = 4, 200
SAME = 1e-5


@dataclass(frozen=True)
class Chain:
    """links[0] Z1 links[1] … Zm links[m]: Z_k moves by slopes[k] · x about or along z; `x` are the joint variables.

    `turns` are the axes of the end frame, 0 to 2, whose directions are wanted.
    """

    slides: tuple[bool, ...]
    links: Array
    slopes: Array
    turns: tuple[int, ...] = (0, 1, 2)

    def pose(self, x: Array) -> Array:
        """The poses (n, 3, 4) at x (n, variables)."""
        return self._frames(x)[0]

    def _frames(self, x: Array) -> tuple[Array, list[Array]]:
        moves = x @ self.slopes.T
        T = np.broadcast_to(self.links[0][:3], (len(x), 3, 4))
        frames = []
        for k, slides in enumerate(self.slides):
            frames.append(T)
            T = (_moved(T, moves[:, k], slides).reshape(-1, 4) @ self.links[k + 1]).reshape(-1, 3, 4)
        return T, frames

    def errors(self, x: Array, wanted: Array) -> Array:
        """max|T(x) − T| over what is wanted, for poses (n, 3, 4)."""
        columns = [*self.turns, 3]
        return np.abs((self.pose(x) - wanted)[:, :, columns]).max(axis=(1, 2))

    def equations(self, x: Array, wanted: Array) -> tuple[Array, Array]:
        """The error (n, 6) and its slope (n, 6, variables): J dx = e is a step of Newton's method."""
        T, frames = self._frames(x)
        p = T[:, :, 3]
        J = np.zeros((len(x), 6, len(self.slides)))
        for k, (slides, frame) in enumerate(zip(self.slides, frames, strict=True)):
            a = frame[:, :, 2]
            J[:, :3, k] = a if slides else np.cross(a, p - frame[:, :, 3])
            J[:, 3:, k] = 0.0 if slides else a
        turn = sum((np.cross(T[:, :, k], wanted[:, :, k]) for k in self.turns), np.zeros((len(x), 3)))
        e = np.concatenate([wanted[:, :, 3] - p, turn / max(1, len(self.turns) - 1)], axis=1)
        if len(self.turns) < 3:  # an axis does not see the turn about itself
            a = T[:, :, self.turns[0]] if self.turns else None
            J[:, 3:] = 0.0 if a is None else J[:, 3:] - a[:, :, None] * (a[:, None] @ J[:, 3:])
        return e, J @ self.slopes


def _moved(T: Array, move: Array, slides: bool) -> Array:
    """T Rz(move), or T Tz(move)."""
    out = np.array(T)
    if slides:
        out[:, :, 3] += move[:, None] * T[:, :, 2]
        return out
    c, s = np.cos(move)[:, None], np.sin(move)[:, None]
    out[:, :, 0], out[:, :, 1] = c * T[:, :, 0] + s * T[:, :, 1], c * T[:, :, 1] - s * T[:, :, 0]
    return out


@dataclass(frozen=True)
class Problem:
    """Chains whose poses are given; `unknown` are the variables to find, `turning` marks the angles of all."""

    chains: tuple[Chain, ...]
    unknown: tuple[int, ...]
    turning: tuple[bool, ...]
    reach: float

    def newton(self, x: Array, wanted: Sequence[Array], unknown: Sequence[int] | None = None) -> tuple[Array, Array]:
        """x (n, variables) after steps in the unknown variables, and which of them have the poses."""
        columns, x, moving = list(self.unknown if unknown is None else unknown), x.copy(), np.arange(len(x))
        for _ in range(STEPS):
            parts = [c.equations(x[moving], T[moving]) for c, T in zip(self.chains, wanted, strict=True)]
            e = np.concatenate([part[0] for part in parts], axis=1)
            J = np.concatenate([part[1] for part in parts], axis=1)[:, :, columns]
            A = np.swapaxes(J, 1, 2) @ J
            A[:, range(len(columns)), range(len(columns))] += 1e-13 * (1 + np.trace(A, axis1=1, axis2=2))[:, None]
            step = np.linalg.solve(A, (e[:, None] @ J)[:, 0, :, None])[:, :, 0]
            length = np.abs(step).max(axis=1, initial=0.0)
            step *= np.minimum(1.0, LONGEST / np.maximum(length, LONGEST))[:, None]
            x[moving[:, None], columns] += step
            moving = moving[length > 1e-13 * (1 + self.reach)]
            if not len(moving):
                break
        return self.wrapped(x), self.errors(x, wanted) < REACHED * (1 + self.reach)

    def errors(self, x: Array, wanted: Sequence[Array]) -> Array:
        """The largest error of the chains at each x."""
        return np.max([c.errors(x, T) for c, T in zip(self.chains, wanted, strict=True)], axis=0)

    def wrapped(self, x: Array) -> Array:
        """x with angles between −π and π."""
        return np.where(self.turning, (x + np.pi) % (2 * np.pi) - np.pi, x)

    def drawn(self, count: int, rng: np.random.Generator) -> Array:
        """Random positions of all variables."""
        angles, lengths = rng.uniform(-np.pi, np.pi, (2, count, len(self.turning)))
        return np.where(self.turning, angles, lengths * self.reach / 2)

    def apart(self, a: Array, b: Array) -> Array:
        """The largest difference of configurations (…, variables)."""
        return np.abs(self.wrapped(a - b)).max(axis=-1)

    def branches(
        self, known: Array, wanted: Sequence[Array], rng: np.random.Generator, least: Sequence[int] = ()
    ) -> list[Array]:
        """Every x (k, variables) that is found for each row of `known` (n, variables), whose unknowns do not count.

        `least` says for each row how many branches another method has: the search goes on while it has fewer.
        """
        found: list[Array] = [np.empty((0, known.shape[1])) for _ in known]
        hits: list[list[int]] = [[] for _ in known]
        open_rows = np.arange(len(known))
        for number in range(ROUNDS):
            rows = np.repeat(open_rows, STARTS)
            x = known[rows].copy()
            x[:, list(self.unknown)] = self.drawn(len(rows), rng)[:, list(self.unknown)]
            x, reached = self.newton(x, [T[rows] for T in wanted])
            for row, one in zip(rows[reached], x[reached], strict=True):
                found[row] = _with(self, found[row], hits[row], one)
            wants = [row for row in open_rows if len(hits[row]) < (least[row] if len(least) else 0)]
            open_rows = np.array([r for r in open_rows if r in wants or not _enough(hits[r], number)], dtype=int)
            if not len(open_rows):
                break
        return found


def _enough(hits: Sequence[int], number: int) -> bool:
    """Whether the search may end after a round: every branch was found often, or there seems to be none."""
    return min(hits) >= OFTEN or len(hits) > MANY if hits else number >= VAIN


def _with(problem: Problem, found: Array, hits: list[int], one: Array) -> Array:
    """The branches with one more, where it is new; its hit is counted."""
    far = problem.apart(found, one)
    if len(found) and far.min() < SAME:
        hits[int(far.argmin())] += 1
        return found
    hits.append(1)
    return np.vstack([found, one])


# from robots to chains


def arm_problem(robot: Robot, link: int, given: Sequence[int], turns: Sequence[int] = (0, 1, 2)) -> Problem:
    """The way from the base to a link's frame; `given` are joints whose positions are known."""
    return _problem(robot, [list(_forward(robot, topology.path(robot, link)))], given, tuple(turns))


def loop_problem(robot: Robot) -> Problem:
    """The ways around the closed loops; the motors are known. Their poses are 1."""
    ways = []
    for loop in topology.loops(robot):
        back = reversed(list(_forward(robot, loop.to_mate)))
        inverted = [(move and (move[0], -move[1]), np.linalg.inv(T)) for move, T in back]
        ways.append([*_forward(robot, loop.to_joint), *_behind(inverted)])
    return _problem(robot, ways, [j.index for j in robot.joints if j.movable and j.actuated], (0, 1, 2))


def end_problem(robot: Robot, link: int, turns: Sequence[int]) -> Problem:
    """The way to a link's frame and the ways around the loops: the pose is known, and no joint."""
    loops, arm = loop_problem(robot), arm_problem(robot, link, (), turns)
    every = tuple(sorted({*loops.unknown, *arm.unknown, *(k for k in range(len(arm.turning)) if _moves(loops, k))}))
    return Problem((*arm.chains, *loops.chains), every, arm.turning, max(arm.reach, loops.reach))


def _moves(problem: Problem, k: int) -> bool:
    return any(np.abs(chain.slopes[:, k]).max(initial=0.0) > 0 for chain in problem.chains)


Motion = tuple[bool, Array] | None


def _forward(robot: Robot, path: Sequence[Joint]) -> Iterator[tuple[Motion, Array]]:
    """For each joint its motion and the fixed displacement before it."""
    variables = _variables(robot)
    numbers = dict(robot.values.numbers())
    rest = numbers | dict.fromkeys(variables, 0.0)
    for joint in path:
        T = np.eye(4)
        for axis, turn, shift in ((2, "gamma", "b"), (0, "alpha", "d"), (2, "theta", "r")):
            T = T @ _screw(axis, evaluate(getattr(joint, turn), rest), evaluate(getattr(joint, shift), rest))
        slopes = np.zeros(len(variables))
        if joint.movable:
            value = joint.r if joint.prismatic else joint.theta
            slopes = np.array([evaluate(value, rest | {v: 1.0}) - evaluate(value, rest) for v in variables])
        yield ((joint.prismatic, slopes) if joint.movable else None), T


def _behind(parts: Sequence[tuple[Motion, Array]]) -> Iterator[tuple[Motion, Array]]:
    """Pairs whose motion comes before the displacement, as pairs whose motion comes behind it."""
    for motion, T in parts:
        yield motion, np.eye(4)
        yield None, T


def _variables(robot: Robot) -> list[str]:
    return [str(joint.variable) for joint in robot.joints if joint.variable]


def _problem(
    robot: Robot, ways: Sequence[Sequence[tuple[Motion, Array]]], given: Sequence[int], turns: tuple[int, ...]
) -> Problem:
    joints = [joint for joint in robot.joints if joint.variable]
    chains = tuple(_chain(way, turns) for way in ways)
    used = np.any([np.abs(chain.slopes).max(axis=0, initial=0.0) > 0 for chain in chains], axis=0)
    unknown = tuple(k for k, joint in enumerate(joints) if used[k] and joint.index not in given)
    reach = max(float(np.linalg.norm(chain.links[:, :3, 3], axis=1).sum()) for chain in chains)
    return Problem(chains, unknown, tuple(not joint.prismatic for joint in joints), max(reach, 1.0))


def _chain(way: Sequence[tuple[Motion, Array]], turns: tuple[int, ...]) -> Chain:
    links, slides, slopes = [np.eye(4)], [], []
    for motion, T in way:
        links[-1] = links[-1] @ T
        if motion is not None:
            slides.append(motion[0])
            slopes.append(motion[1])
            links.append(np.eye(4))
    return Chain(tuple(slides), np.array(links), np.array(slopes), turns)


def _screw(axis: int, angle: float, length: float) -> Array:
    c, s, T = np.cos(angle), np.sin(angle), np.eye(4)
    i, k = ((1, 2), (2, 0), (0, 1))[axis]
    T[i, i] = T[k, k] = c
    T[i, k], T[k, i], T[axis, 3] = -s, s, length
    return T
