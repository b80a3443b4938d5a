"""A platform that moves: what its motors do, where it is singular, and random motions that its legs allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from symoro.bind.interface import inputs, parameters
from symoro.bind.symbols import Structure
from symoro.errors import InputError, MissingParameter, NotApplicable
from symoro.findings import Finding
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Replay, Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import Vector
from symoro.ir.program import Input, Program
from symoro.ir.signature import Around
from symoro.models.families import constraint_of
from symoro.models.geometric.inverse.branches import largest
from symoro.models.parallel.constraint import Legs, platform_symbols
from symoro.models.parallel.mechanism import (
    DIRECTIONS,
    LegsStructure,
    Mechanism,
    branch_of,
    constraint_count,
    poses_near_home,
    structure,
)
from symoro.models.parallel.platform import (
    Array,
    PoseSymbols,
    few_poses,
    function_of,
    geometric_symbols,
    home,
    is_rigid,
    moved,
    poses_of,
    size,
    twist_sizes,
    without_numbers,
)
from symoro.models.sampling import numbers_of
from symoro.robot import topology
from symoro.robot.base import BaseKind
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.springs import ratio

# How far a parallel robot is from its singularities, and what its platform can do.


#: A pose with a larger condition number is near a singularity.
_NEAR = 1e4


@dataclass(frozen=True, slots=True)
class PlatformMobility:
    """What the legs leave to the platform, and how many motors there are for it."""

    freedom: int
    directions: tuple[str, ...]
    """The components of V that are independent."""
    constrained: tuple[str, ...]
    """The components of V that follow from them."""
    constant: bool
    """Whether the constrained components are the same combination of the others in every pose."""
    constraints: int
    """The number of constraints, dependent ones included."""
    motors: int

    @property
    def redundancy(self) -> int:
        """The motors beyond the freedoms; negative where motors are missing."""
        return self.motors - self.freedom

    @property
    def finding(self) -> Finding:
        """What it says, in words."""
        redundancy: str | Finding = ""
        if self.redundancy:
            code = "mobility.too_few" if self.redundancy < 0 else "mobility.redundant"
            redundancy = Finding(code, count=abs(self.redundancy))
        follow: str | Finding = ""
        if self.constrained and not self.constant:
            follow = Finding("mobility.follow", directions=_spoken(self.constrained))
        return Finding(
            "mobility.platform",
            freedom=self.freedom,
            directions=_spoken(self.directions),
            follow=follow,
            motors=self.motors,
            redundancy=redundancy,
        )

    def __str__(self) -> str:
        return str(self.finding)


def _spoken(directions: Sequence[str]) -> list[str | Finding]:
    """Directions as parts of a sentence."""
    numbers = map(DIRECTIONS.index, directions)
    return ["xyz"[k] if k < 3 else Finding("mobility.rotation", axis="xyz"[k - 3]) for k in numbers]


def mobility(robot: Robot) -> PlatformMobility:
    """The freedom of the platform near the home pose."""
    legs_structure = structure(robot)
    count = constraint_count(robot, legs_structure)
    constrained = tuple(DIRECTIONS[k] for k in legs_structure.dependent)
    fixed = not legs_structure.dependent or legs_structure.fixed is not None
    return PlatformMobility(legs_structure.freedom, legs_structure.names, constrained, fixed, count, len(robot.motors))


@dataclass(frozen=True, slots=True)
class Conditions:
    """Condition numbers at poses, with lengths in units of the platform's radius; infinite in a singularity."""

    legs: Array
    """Type 1, of the Jacobian matrix of each leg: (..., legs). The leg is stretched or folded."""
    platform: Array
    """Type 2, of the motors and constraints together: (...). The motors do not hold the platform."""
    constraints: Array
    """Of the constraints alone: (...); 1 where there are none. The platform gains a freedom."""


def matrices(m: Mechanism) -> list[Expr]:
    """The elements of the Jacobian matrix of each leg, then those of the rows of motors and constraints."""
    legs = [x for leg in m.legs for k in leg.chosen for x in leg.JG[k]]
    return [*legs, *(x for row in (*m.D, *m.C) for x in row)]


class PlatformSingularities:
    """`at(T)` gives the condition numbers of a parallel robot at poses T (..., 4, 4) of its platform.

    `function` gives the numbers of `matrices` for poses; without one they are computed step by step.
    """

    def __init__(self, robot: Robot, function: Callable[[Array], Array] | None = None) -> None:
        self.robot = robot
        self._m = m = Mechanism.of_robot(robot, Graph(), None)
        self._f = function or function_of(m.of, matrices(m))
        self._missing = [] if function else without_numbers(robot)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.robot.name}: at(T) gives condition numbers at poses of its platform>"

    @property
    def structure(self) -> LegsStructure:
        return self._m.structure

    def at(self, T: ArrayLike) -> Conditions:
        if self._missing:
            raise MissingParameter(self._missing)
        poses = poses_of(T)
        if np.any(np.isfinite(poses).all((-1, -2)) & ~is_rigid(poses)):
            raise InputError("runtime.pose_here")
        numbers, place, legs = self._f(poses), 0, []
        for leg in self._m.legs:
            n = len(leg.chosen)
            J = numbers[..., place : place + n * n].reshape(*poses.shape[:-2], n, n)
            legs.append(_condition(self._scaled(leg, J)))
            place += n * n
        rows = numbers[..., place:].reshape(*poses.shape[:-2], -1, 6) * twist_sizes(self.robot)
        motors = len(self.robot.motors)
        D, C = rows[..., :motors, :] * self._motors[:, None], _unit_rows(rows[..., motors:, :])
        none = np.ones(poses.shape[:-2])
        return Conditions(
            np.stack(legs, axis=-1),
            _condition(np.concatenate([D, C], axis=-2)),
            _condition(C) if C.shape[-2] else none,
        )

    @property
    def _radius(self) -> float:
        return size(self.robot)

    @property
    def _motors(self) -> Array:
        return np.array([1 / self._unit(self.robot.legs[i].joint(j)) for i, j in self.robot.motors])

    def _unit(self, joint: Joint) -> float:
        """The change of a variable that turns its joint by one radian, or shifts it by the platform's radius."""
        return (self._radius if joint.prismatic else 1.0) / (ratio(joint, self.robot.values.numbers()) or 1.0)

    def _scaled(self, leg: Any, J: Array) -> Array:
        rows = np.array([1 / self._radius if k < 3 else 1.0 for k in leg.chosen])
        columns = np.array([self._unit(leg.s.robot.joint(j)) for j in leg.loops.left])
        scaled: Array = J * rows[:, None] * columns
        return scaled


def nearly_singular_home(robot: Robot) -> list[Finding]:
    """A finding for each leg that is nearly singular at the home pose, or one for the platform.

    The rows of a motor are large where its leg is nearly singular, and with them the condition of the platform. So
    nothing is said of the platform then.
    """
    conditions = PlatformSingularities(robot).at(home(robot))
    legs = [
        Finding("platforms.home_singular_leg", leg=i, condition=float(x), most=_NEAR)
        for i, x in enumerate(conditions.legs, 1)
        if x > _NEAR
    ]
    platform = Finding("platforms.home_singular", condition=float(conditions.platform), most=_NEAR)
    return legs or ([platform] if conditions.platform > _NEAR else [])


def _unit_rows(C: Array) -> Array:
    length = np.linalg.norm(C, axis=-1, keepdims=True)
    return C / np.where(length > 0, length, 1.0)


def _condition(A: Array) -> Array:
    """σ_max/σ_min; infinite for a singular matrix, NaN where it has a number that is not finite."""
    finite: Array = np.asarray(np.isfinite(A).all((-1, -2)))
    safe: Array = np.where(finite[..., None, None], A, 0.0)
    values: Array = np.linalg.svd(safe, compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(values[..., -1] > 1e-15 * values[..., 0], values[..., 0] / values[..., -1], np.inf)
    return np.where(finite, ratio, np.nan)


# Programs of a platform that moves: what its motors do, and the motion that its legs allow.


def motors_of_motion(robot: Robot) -> Program:
    """QA, QP and QDP: positions, velocities and accelerations of the legs' motors for T, V and VP (K10:61)."""
    moving = Legs(s := platform_symbols(robot, Graph(), None, base=False)).moving
    motors = [j for j in s.active if j not in s.beside_legs]
    motions = {
        "QA": [moving.q[j] for j in motors],
        "QP": [moving.qd[j] for j in motors],
        "QDP": [moving.qdd[j] for j in motors],
    }
    return _program(s.mechanism, ("T", "V", "VP"), motions)


Item = TypeVar("Item")
#: What takes the places of positions of joints.
_POSES = {"q": "T", "q_end": "T_end"}


def joints_of_pose(robot: Robot) -> Program:
    """QL: the variables of all joints of all legs for a pose T of the platform."""
    m = Mechanism.of_robot(robot, Graph(), None)
    return _program(m, ("T",), {"QL": [leg.s.q[j] for leg in m.legs for j in leg.s.variables]})


def by_pose(robot: Robot, model: Program) -> Program:
    """A model of q of all joints as one of a pose T of the platform; T_end stands in the place of q_end.

    Joints that belong to no leg stay in q and q_end, behind the poses.
    """
    graph, joints = Graph(cancel=True), joints_of_pose(robot)
    known: dict[str, Expr] = {}
    arrays: list[Input] = []
    for array in model.inputs:
        if array.name not in _POSES:
            arrays.append(array)
            continue
        (pose,) = inputs(PoseSymbols(robot, graph), (_POSES[array.name],))
        pose_symbols = {
            v.name: graph.symbol(x.name) for v, x in zip(joints.inputs[0].variables, pose.variables, strict=True)
        }
        (q,) = Replay(joints, graph, pose_symbols).results()
        of_legs, beside = parted(robot, array.variables)
        known |= {v.name: x for v, x in zip(of_legs, q.elements, strict=True)}
        arrays += [pose, replace(array, shape=(len(beside),), variables=tuple(beside))] if beside else [pose]
    every = {p.name: p for p in (*joints.parameters, *model.parameters)}
    return extract(graph, arrays, every.values(), Replay(model, graph, known).results())


def parted(robot: Robot, of_joints: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """What the joints of all legs have, and what those that belong to no leg have, of what all joints of q have."""
    s = Structure(topology.without_cuts(robot))
    pairs = list(zip(s.variables, of_joints, strict=True))
    return [x for j, x in pairs if j not in s.beside_legs], [x for j, x in pairs if j in s.beside_legs]


def motors_beside(robot: Robot) -> list[int]:
    """The places of the motors that belong to no leg among all motors."""
    s = Structure(topology.without_cuts(robot))
    return [k for k, j in enumerate(s.active) if j in s.beside_legs]


def legs_of_pose(robot: Robot) -> Program:
    """For a pose T of the platform: QL as `joints_of_pose`, OK where each leg has its branch, and the gaps E."""
    m = Mechanism.of_robot(robot, Graph(cancel=True), None)
    branches = zip(m.structure.branches, m.structure.chosen, strict=True)
    ok = [branch_of(m.of, i, branch, chosen).ok for i, (branch, chosen) in enumerate(branches)]
    q = [leg.s.q[j] for leg in m.legs for j in leg.s.variables]
    return _program(m, ("T",), {"QL": q, "OK": ok, "E": [x for leg in m.legs for x in leg.residual]})


def allowed_motion(robot: Robot) -> Program | None:
    """DX and VN for T and V beside the motions that the legs allow; None where they allow every motion.

    DX is a step [translation; rotation vector] of Newton's method to a pose that closes the legs: C DX + E = 0. VN has
    the independent components of V, and the others that follow from them. It is that of the pose T: put T right first.
    """
    m = Mechanism.of_robot(robot, Graph(), None)
    if not m.reduced:
        return None
    E = [x for leg in m.legs if leg.free for x in leg.excess(leg.residual)]
    step = m.particular([E[k] for k in m.structure.kept])
    v = Vector(m.graph, (m.of.V[k] for k in m.structure.independent))
    return _program(m, ("T", "V"), {"DX": list(step), "VN": list(m.S @ v)})


def open_legs(robot: Robot) -> Program:
    """APART: how far the ends of the legs are from a platform at T; 0 where all legs close."""
    m = Mechanism.of_robot(robot, Graph(), None)
    return _program(m, ("T",), {"APART": [largest(abs(x) for leg in m.legs for x in leg.residual)]})


def joint_rows(robot: Robot) -> Program:
    """B and S: the joints of all legs move by B V (K10:61), and V = S v for the motions that the legs allow."""
    m = Mechanism.of_robot(robot, Graph(), None)
    B = [x for leg in m.legs for j in leg.s.variables for x in leg.row_of(j)]
    return _program(m, ("T",), {"B": B, "S": [x for row in m.S for x in row]})


def singular_matrices(robot: Robot) -> Program:
    """X: the matrices whose condition numbers `PlatformSingularities` gives, one after the other."""
    m = Mechanism.of_robot(robot, Graph(), None)
    return _program(m, ("T",), {"X": matrices(m)})


def _program(m: Mechanism, names: tuple[str, ...], elements: Mapping[str, Sequence[Expr]]) -> Program:
    results = [
        Result(name, (len(x),), tuple(x), tuple(f"{name}_{k}" for k in range(1, len(x) + 1)))
        for name, x in elements.items()
    ]
    return extract(m.graph, inputs(m.of, names), parameters(m.of), results)


# Random motions of a platform that its legs allow, by numbers.


#: How many motions are looked at for parameters without an effect.
_MOTIONS = 3


def random_motions(robot: Robot, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """T (count, 4, 4), V and VP (count, 6) near the home pose, which satisfy the constraints."""
    s = platform_symbols(robot, Graph(), None)
    m = s.mechanism
    drift = function_of(m.of, Legs(s).excess(m.of.VP), ("T", "V", "VP"))
    rng, still = np.random.default_rng(seed), list(m.structure.still)
    motions = []
    for T, now in poses_near_home(m, rng, 2 * count):
        free = _null_space(now, len(m.structure.kept))
        free[still] = 0.0
        V = free @ rng.normal(size=free.shape[1])
        some = -np.linalg.lstsq(now, drift(T, V, np.zeros(6)), rcond=1e-9)[0] if len(now) else np.zeros(6)
        some[still] = 0.0
        motions.append((T, V, some + free @ rng.normal(size=free.shape[1])))
        if len(motions) == count:
            T_, V_, VP_ = (np.array(part) for part in zip(*motions, strict=True))
            return T_, V_, VP_
    raise few_poses(robot)


def random_states(robot: Robot, count: int) -> dict[str, Array]:
    """Such motions by the names of inputs, on a base that moves with random motions of it."""
    states = dict(zip(("T", "V", "VP"), random_motions(robot, count), strict=True))
    rng, beside = np.random.default_rng(1), len(topology.with_variables(robot.parts.tree))
    if beside:
        left = sum(j > 0 for j in constraint_of(platform_symbols(robot, Graph(), None)).left)
        sizes = {"q": beside, "qd": left, "qdd": left}
        states |= {name: rng.normal(size=(count, size)) for name, size in sizes.items()}
    if robot.base.kind in (BaseKind.MOVING, BaseKind.FLOATING):
        states |= {"V0": rng.normal(size=(count, 6)), "VP0": rng.normal(size=(count, 6))}
    if robot.base.kind is BaseKind.FLOATING:
        quat = rng.normal(size=(count, 4))
        states["quat"] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    return states


@lru_cache(maxsize=32)
def around(robot: Robot, names: tuple[str, ...]) -> Around | None:
    """Motions that the legs allow, in which parameters without effect are looked for; None where none is found."""
    try:
        T, V, VP = random_motions(robot, _MOTIONS)
    except NotApplicable:
        return None
    states = {"T": T, "V": V, "VP": VP} if robot.takes == "platform" else {"q": _joints_at(robot, T)}
    states |= {f"{name}_end": np.roll(x, 1, axis=0) for name, x in states.items()}
    kept = [{name: x[n] for name, x in states.items() if name in names} for n in range(_MOTIONS)]
    return Around(kept, {name: x for name, x in robot.values.numbers().items() if name in geometric_symbols(robot)})


def sample_inputs(robot: Robot, program: Program, count: int = 64) -> dict[str, Array]:
    """The home pose and poses near it, or the joints of the legs there, for self-tests and examples of a program."""
    rng, at, scale = np.random.default_rng(0), home(robot), 0.05 * twist_sizes(robot)
    T = np.array([at, *(moved(at, scale * rng.uniform(-1, 1, 6)) for _ in range(count - 1))])
    taken = [array for array in program.inputs if array.name in ("T", "T_end")]  # laws take T as 16 numbers
    poses = {array.name: T.reshape(count, *array.shape) for array in taken}
    if poses or robot.takes == "platform":
        return poses
    with np.errstate(all="ignore"):  # some of these poses are out of reach
        q = _joints_at(robot, T).round(9)
    return {array.name: q for array in program.inputs if array.name in ("q", "q_end")}


def _joints_at(robot: Robot, T: Array) -> Array:
    """q at poses of the platform, with random positions of the joints that belong to no leg."""
    joints, known = joints_of_pose(robot), numbers_of(PoseSymbols(robot, Graph()))
    of_legs = evaluate(joints, {"T": T}, {p.name: known[p.name] for p in joints.parameters})["QL"]
    size = len(topology.with_variables(robot.parts.tree))
    beside = np.random.default_rng(0).uniform(-1, 1, (*of_legs.shape[:-1], size))
    places = parted(robot, range(of_legs.shape[-1] + size))
    return np.concatenate([of_legs, beside], axis=-1)[..., np.argsort(np.concatenate(places), kind="stable")]


def _null_space(C: Array, rank: int) -> Array:
    if not rank:
        return np.eye(6)
    basis: Array = np.linalg.svd(C)[2][rank:].T
    return basis
