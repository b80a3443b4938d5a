"""The legs of a platform together: rows and branches that are chosen, what they leave, whether motors hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from scipy.linalg import qr

from symoro.bind.interface import inputs, parameters
from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable, OptionError
from symoro.findings import Argument, Finding
from symoro.ir.blocks import solve
from symoro.ir.evaluate import evaluate as evaluate_program
from symoro.ir.expr import Expr
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, identity, zeros
from symoro.lazy import lazy
from symoro.models import sampling
from symoro.models.geometric.frames import FrameRef, Pose, bound_pose, carrier, compose
from symoro.models.geometric.transform import forward_geometry
from symoro.models.parallel.carried import platform_pose
from symoro.models.parallel.leg import Leg, leg_at, loops_of, named_leg
from symoro.models.parallel.leg_geometry import LegBranch, leg_branches
from symoro.models.parallel.leg_newton import LegEquations, geometry_of, joints_at_home, newton_branch, rows_at_home
from symoro.models.parallel.platform import (
    Array,
    ConstraintFunctions,
    PoseSymbols,
    allowed,
    constraint_functions,
    function_of,
    has_numbers,
    home,
    moved,
    size,
    twist_sizes,
)
from symoro.models.results import remembered
from symoro.robot import topology
from symoro.robot.arithmetic import minus, product
from symoro.robot.base import IDENTITY, translation
from symoro.robot.base import Pose as PoseValues
from symoro.robot.bodies import joined, placed
from symoro.robot.link import Inertia
from symoro.robot.parallel import with_legs
from symoro.robot.robot import ClosureKind, Robot
from symoro.robot.springs import slope, variables
from symoro.robot.symbolic import substituted
from symoro.robot.values import ONE, ZERO, Value, evaluate

# What of a parallel robot is chosen once, by numbers at its home pose: branches, rows, and the platform's freedom.


DIRECTIONS = ("x", "y", "z", "rotation about x", "rotation about y", "rotation about z")
#: The number of poses that are tried, and how far they are from home, in parts of the platform's radius; a second time
#: nearer, where a leg reaches too few.
_SAMPLES, _SAMPLE_DISTANCES = 5, (0.2, 0.02)
#: How far the end of a leg may be from the platform at the home pose, whose numbers may be rounded.
_MEETS = 1e-6


@dataclass(frozen=True, slots=True)
class LegsStructure:
    """The choices: a branch and the rows of each leg; of the platform the independent constraints `kept`.

    `dependent` are the components of V that the constraints determine. `fixed` is the basis S where it is the same in
    every pose and of whole numbers, as for platforms that only translate.
    """

    branches: tuple[int, ...]
    chosen: tuple[tuple[int, ...], ...]
    kept: tuple[int, ...] = ()
    dependent: tuple[int, ...] = ()
    fixed: tuple[tuple[int, ...], ...] | None = None

    @property
    def independent(self) -> tuple[int, ...]:
        return tuple(k for k in range(6) if k not in self.dependent)

    @property
    def still(self) -> tuple[int, ...]:
        """The components of V that are zero in every pose: those of rotations where the platform only translates."""
        rows = self.fixed or ()
        return tuple(k for k in self.dependent if rows and not any(rows[k]))

    @property
    def freedom(self) -> int:
        """The number of freedoms of the platform."""
        return 6 - len(self.dependent)

    @property
    def names(self) -> tuple[str, ...]:
        """The directions in which the platform can be moved independently."""
        return tuple(DIRECTIONS[k] for k in self.independent)


def constraint_count(robot: Robot, legs_structure: LegsStructure) -> int:
    """The number of constraints of the platform, dependent ones included."""
    rows_of_legs = zip(robot.attachments, legs_structure.chosen, strict=True)
    return sum(6 - end.kind.freedoms - len(rows) for end, rows in rows_of_legs)


def undetermined_wrenches(robot: Robot, legs_structure: LegsStructure) -> Finding | None:
    """Why rigid bodies do not determine the wrenches in the attachments; None where they do."""
    count, kept = constraint_count(robot, legs_structure), len(legs_structure.kept)
    return Finding("platforms.not_determined", robot=robot.name, count=count, kept=kept) if count > kept else None


@lru_cache(maxsize=32)
def structure(robot: Robot, branch: tuple[int, ...] | None = None) -> LegsStructure:
    """The structure of a robot; `branch` has a branch for each leg, or one for all; None: the robot's own mode."""
    branch = robot.branch if branch is None else branch
    letters = PoseSymbols(robot, Graph())
    legs = [leg_structure(letters, i, branch) for i in range(len(robot.legs))]
    unconstrained = LegsStructure(tuple(b for b, _ in legs), tuple(rows for _, rows in legs))
    if all(len(rows) == 6 - robot.attachments[i].kind.freedoms for i, (_, rows) in enumerate(legs)):
        return unconstrained
    return _constrained(letters, unconstrained)


def bound_leg(letters: PoseSymbols, i: int, branch: int, chosen: tuple[int, ...] = ()) -> Leg:
    """Leg i in a branch, at rest."""
    one = branch_of(letters, i, branch, chosen)
    q = one.positions(Symbols(topology.without_cuts(letters.robot.legs[i]), letters.graph))
    return leg_at(letters, i, q, one.turned, chosen, letters.state.suffix)


def branch_of(letters: PoseSymbols, i: int, branch: int, chosen: tuple[int, ...]) -> LegBranch:
    """A branch of leg i: in closed form, or by Newton's method, which needs the rows that determine its joints."""
    _require_branch(letters, i, branch)
    branches = branches_of(letters, i)
    return branches[branch] if branches else newton_branch(letters, i, branch, chosen)


def branch_count(letters: PoseSymbols, i: int) -> int:
    """How many branches leg i has: in closed form, or that were found at the home pose."""
    return len(branches_of(letters, i)) or len(joints_at_home(geometry_of(letters.robot), i))


def _require_branch(letters: PoseSymbols, i: int, branch: int) -> None:
    count = branch_count(letters, i)
    if not 0 <= branch < count:
        raise OptionError("platforms.leg_branch", option=Argument("branch"), branch=branch, leg=i + 1, last=count - 1)


@remembered
def branches_of(letters: PoseSymbols, i: int) -> list[LegBranch]:
    """The branches of leg i for the pose of the platform, in closed form; none where there is none.

    A closed form that loses digits is none: Newton's method does better.
    """
    robot, graph = letters.robot, letters.graph
    attachment = robot.attachments[i]
    s = Symbols(named_leg(robot, i), graph)
    A: Pose = bound_pose(s, attachment.pose)
    wanted = compose((letters.orientation, letters.p), A)
    branches = leg_branches(s, robot.end(i), attachment.kind, wanted, loops_of(robot, i))
    return branches if _keeps_digits(letters, i, branches) else []


#: Configurations at which the closed form of a leg is tried, and how far the joints that it finds may be away.
_TRIED, _AWAY = 16, 1e-7


def _keeps_digits(letters: PoseSymbols, i: int, branches: Sequence[LegBranch]) -> bool:
    """Whether a closed form finds the joints of leg i from which poses of the platform were made.

    Axes that are nearly parallel, or nearly meet, make it lose digits, up to all of them.
    """
    robot = letters.robot
    if not branches or loops_of(robot, i).dependent or not has_numbers(robot):
        return True
    T, wanted = _leg_samples(geometry_of(robot), i)
    joints = [joint.index for joint in topology.with_variables(robot.legs[i])]
    elements = [x for b in branches for j in joints for x in (b.turned[j] if j in b.turned else (b.slid[j],))]
    with np.errstate(all="ignore"):
        values = np.nan_to_num(function_of(letters, elements)(T).reshape(_TRIED, len(branches), -1), nan=np.inf)
    away = np.abs(values - wanted[:, None]).max(-1).min(-1)
    return bool((away <= _AWAY * (1 + np.abs(wanted).max(-1))).all())


@lru_cache(maxsize=64)
def _leg_samples(robot: Robot, i: int) -> tuple[Array, Array]:
    """Poses (n, 4, 4) of the platform for random joints of leg i; cosine and sine of each angle, and each length."""
    leg, numbers, rng = topology.without_cuts(named_leg(robot, i)), robot.values.numbers(), np.random.default_rng(0)
    s, (_, end) = Symbols(leg, Graph()), carrier(leg, robot.end(i))
    far = size(robot) + sum(abs(evaluate(row[3], numbers)) for row in end[:3])  # so that lengths are positive
    q, shown = list[Array](), list[Array]()
    for joint in topology.with_variables(leg):
        rest = evaluate(substituted(joint.position, {str(joint.variable): ZERO}), numbers)
        x = far * rng.uniform(2, 4, _TRIED) if joint.prismatic else rng.uniform(-1.2, 1.2, _TRIED)
        q.append((x - rest) / evaluate(slope(joint, variables(leg)) or ONE, numbers))
        shown += [q[-1]] if joint.prismatic else [np.cos(x), np.sin(x)]
    program = extract(s.graph, inputs(s, ("q",)), parameters(s), forward_geometry(s, robot.end(i), False))
    known = {p.name: numbers[p.name] for p in program.parameters}
    B = evaluate_program(program, {"q": np.stack(q, axis=-1)}, known)["T"]
    A = np.array([[evaluate(x, numbers) for x in row] for row in robot.attachments[i].pose])
    return B @ np.linalg.inv(A), np.stack(shown, axis=-1)


def leg_structure(letters: PoseSymbols, i: int, branch: tuple[int, ...] | None) -> tuple[int, tuple[int, ...]]:
    """The branch and the rows of a leg; an error where the leg does not carry the platform at its home pose."""
    robot = letters.robot
    count = len(loops_of(robot, i).left)
    rows = 6 - robot.attachments[i].kind.freedoms
    if count > rows:
        raise NotApplicable("platforms.leg_moves", leg=i + 1, robot=robot.name, count=count, rows=rows)
    number = _reaching(letters, i, count < rows) if branch is None else branch[min(i, len(branch) - 1)]
    _require_branch(letters, i, number)
    if count == rows:
        return number, tuple(range(rows))
    if not branches_of(letters, i):
        leg, J = LegEquations(letters, i).leg, rows_at_home(robot, i, number)
    else:
        leg = bound_leg(letters, i, number)
        J = function_of(letters, [x for row in leg.JG for x in row])(home(robot)).reshape(rows, count)
    if not np.isfinite(J).all():
        raise NotApplicable("platforms.leg_out_in_branch", leg=i + 1, robot=robot.name, branch=number)
    return number, _independent_rows(leg, J)


def _reaching(letters: PoseSymbols, i: int, constrains: bool) -> int:
    """The first branch that reaches the home pose; 0 for a robot without numbers.

    The joints of a leg that constrains the platform follow from some of its rows; the others must hold, too.
    """
    robot, at = letters.robot, home(letters.robot)
    branches = branches_of(letters, i)
    if not branches or not has_numbers(robot):
        return 0
    exist = function_of(letters, [one.ok for one in branches])(at) > 0.5
    if not exist.any():
        raise NotApplicable("platforms.leg_out", leg=i + 1, robot=robot.name)
    if not constrains:
        return int(np.argmax(exist))
    gaps = [bound_leg(letters, i, number).residual for number in range(len(branches))]
    apart = np.abs(function_of(letters, [x for gap in gaps for x in gap])(at).reshape(len(gaps), -1)).max(-1)
    apart = np.where(exist & np.isfinite(apart), apart, np.inf)
    if apart.min() > _MEETS * max(1.0, size(robot)):
        kind = robot.attachments[i].kind.value
        raise NotApplicable(
            "platforms.leg_apart",
            leg=i + 1,
            robot=robot.name,
            kind=Finding(f"terms.{kind}"),
            gap=float(apart.min()),
        )
    return int(np.argmax(apart <= _MEETS * max(1.0, size(robot))))


def _independent_rows(leg: Leg, J: Array) -> tuple[int, ...]:
    """As many rows as joints: well conditioned, and with the most zeros among those."""
    rows, count = J.shape
    choices = list(combinations(range(rows), count))
    least = [np.linalg.svd(J[list(rows)], compute_uv=False)[-1] for rows in choices]
    if max(least) < 1e-6:
        raise NotApplicable("platforms.leg_singular_home", leg=leg.number + 1, robot=leg.of.robot.name)
    good = [rows for rows, x in zip(choices, least, strict=True) if x > 0.3 * max(least)]
    return max(good, key=lambda rows: sum(x.is_zero for k in rows for x in leg.JG[k]))


# the platform's freedom


def _constrained(letters: PoseSymbols, structure: LegsStructure) -> LegsStructure:
    """The independent constraints and what they leave."""
    legs = bound_legs(letters, structure)
    of_legs = constraint_functions(letters, legs)
    at = home(letters.robot)
    sizes = twist_sizes(letters.robot)
    scale = sizes / sizes[0]
    start = of_legs.C(at) * scale
    if not np.isfinite(start).all():
        raise NotApplicable("platforms.leg_lost_home", robot=letters.robot.name)
    rank = sampling.rank_of(start).rank
    if rank == 6:
        raise NotApplicable("platforms.no_freedom", robot=letters.robot.name)
    kept = tuple(sorted(int(k) for k in qr(start.T, pivoting=True)[2][:rank]))
    order = qr(start[list(kept)], pivoting=True)[2]
    constrained = replace(structure, kept=kept, dependent=tuple(sorted(int(k) for k in order[:rank])))
    return replace(constrained, fixed=_fixed_basis(constrained, of_legs, at, sizes))


def _fixed_basis(
    structure: LegsStructure, legs: ConstraintFunctions, at: Array, sizes: Array
) -> tuple[tuple[int, ...], ...] | None:
    """S where it is the same whole numbers in some poses that the platform reaches."""
    rng = np.random.default_rng(1)
    bases = [_basis(structure, legs.C(at))]
    for far in np.repeat(_SAMPLE_DISTANCES, _SAMPLES):
        step = bases[0] @ rng.uniform(-far, far, structure.freedom) * sizes
        T = allowed(moved(at, step), legs)
        if T is not None and len(bases) <= _SAMPLES:
            bases.append(_basis(structure, legs.C(T)))
    whole = np.round(bases[0])
    same = len(bases) > 2 and all(np.abs(basis - whole).max() < sampling.NOT_ZERO for basis in bases)
    return tuple(tuple(int(x) for x in row) for row in whole) if same else None


def _basis(structure: LegsStructure, C: Array) -> Array:
    """S with ones at the independent components."""
    S = np.zeros((6, structure.freedom))
    kept, dependent, independent = list(structure.kept), list(structure.dependent), list(structure.independent)
    S[independent] = np.eye(structure.freedom)
    S[dependent] = -np.linalg.solve(C[np.ix_(kept, dependent)], C[np.ix_(kept, independent)])
    return S


def bound_legs(letters: PoseSymbols, structure: LegsStructure) -> tuple[Leg, ...]:
    """All legs at rest, with the rows that were chosen."""
    pairs = zip(structure.branches, structure.chosen, strict=True)
    return tuple(bound_leg(letters, i, branch, rows) for i, (branch, rows) in enumerate(pairs))


# Base parameters of a parallel robot: what a leg's last link has at its attachment belongs as well to the platform.
#
# A mass at the attachment's point moves with the leg and with the platform, unless the attachment slides. So does a
# line of masses along the axis of a revolute attachment, and every body at a fixed one; at a sliding one, what turns
# alike. These are taken from the leg and given to the platform; then each leg is regrouped as a tree (GK88:20-22).


def with_moved_bodies(robot: Robot) -> Robot:
    """The same robot, with what the legs share with the platform on the platform."""
    platform, legs = robot.platform, []
    for i, (leg, attachment) in enumerate(zip(robot.legs, robot.attachments, strict=True)):
        rest, shared = _divided(leg, robot.end(i), attachment.kind)
        platform = joined(platform, placed(shared, attachment.pose))
        legs.append(rest)
    return with_legs(robot, legs, platform=platform, label="RP")


def _divided(leg: Robot, end: FrameRef, kind: ClosureKind) -> tuple[Robot, Inertia]:
    """The leg without what it shares with the platform, and this body in the frame of the attachment."""
    link, pose = carrier(leg, end)
    body = leg.inertia(link)
    shared = _shared(placed(body, _inverse(pose)), kind)
    there = placed(shared, pose)
    rest = Inertia(**{name: _difference(value, getattr(there, name)) for name, value in body.items()})
    return replace(leg, inertias=(*leg.inertias[: link - 1], rest, *leg.inertias[link:])), shared


def _difference(a: Value, b: Value) -> Value:
    return ZERO if a == b else minus(a, b)


def _shared(body: Inertia, kind: ClosureKind) -> Inertia:
    """The part of a body, in the frame of the attachment, that moves with the platform as well."""
    match kind:
        case ClosureKind.FIXED:
            return body
        case ClosureKind.REVOLUTE:  # masses along the axis z
            return Inertia(M=body.M, MZ=body.MZ, XX=body.YY, YY=body.YY)
        case ClosureKind.PRISMATIC:  # what turns alike
            return replace(body, M=ZERO, MX=ZERO, MY=ZERO, MZ=ZERO)
    return Inertia(M=body.M)


def _inverse(pose: PoseValues) -> PoseValues:
    if pose == IDENTITY:
        return pose
    turned = tuple(zip(*(row[:3] for row in pose[:3]), strict=True))
    point = product(turned, [(row[3],) for row in pose[:3]])
    back = (*((*row, ZERO) for row in turned), IDENTITY[3])
    moved = translation([minus(ZERO, x) for (x,) in point])
    return product(moved, back)


# A parallel robot as expressions: its legs with their joints known, and the motions that are left to the platform.


@dataclass(frozen=True, eq=False)
class Mechanism:
    """The platform and its legs. V = S v for every motion that the legs leave to the platform."""

    of: PoseSymbols
    legs: tuple[Leg, ...]
    structure: LegsStructure
    base: bool = False
    """Whether the inertial parameters are the base parameters."""

    @classmethod
    def of_robot(cls, robot: Robot, graph: Graph, branch: tuple[int, ...] | None, base: bool = False) -> Mechanism:
        """The mechanism in a graph; with `base`, its inertial parameters are regrouped to the fewest."""
        legs_structure = structure(robot, branch)
        letters = PoseSymbols(with_moved_bodies(robot) if base else robot, graph)
        legs = bound_legs(letters, legs_structure)
        return cls(letters, legs, legs_structure, base)

    @classmethod
    def of_joints(cls, robot: Robot, graph: Graph, q: Mapping[int, Expr], base: bool = False) -> Mechanism:
        """The mechanism for given variables of the legs' joints, by their numbers in the tree."""
        letters = PoseSymbols(with_moved_bodies(robot) if base else robot, graph)
        return cls(letters, (), structure(robot), base).at_joints(q)

    def at_joints(self, q: Mapping[int, Expr], suffix: str = "") -> Mechanism:
        """The same mechanism at other variables; `suffix` stands behind the names of its variables."""
        letters, robot = replace(self.of, state=replace(self.of.state, suffix=suffix), pose=None), self.of.robot
        legs = []
        for i, (first, rows) in enumerate(zip(robot.first_joints, self.structure.chosen, strict=True)):
            positions = {j.index: q[first + j.index] for j in topology.with_variables(robot.legs[i])}
            legs.append(leg_at(letters, i, positions, {}, rows, suffix))
        placed = replace(letters, pose=platform_pose(legs, self.structure.still))
        return replace(self, of=placed, legs=tuple(replace(leg, of=placed) for leg in legs))

    @lazy
    def by_pose(self) -> Mechanism:
        """The mechanism where the pose of the platform is given: what numbers decide is decided there."""
        if self.of.pose is None:
            return self
        letters = PoseSymbols(self.of.robot, Graph())
        return Mechanism(letters, bound_legs(letters, self.structure), self.structure)

    @lazy
    def end(self) -> Mechanism:
        """The same mechanism in the state in which a motion ends."""
        letters = replace(self.of, state=replace(self.of.state, suffix="_end"))
        return replace(self, of=letters, legs=bound_legs(letters, self.structure))

    @property
    def graph(self) -> Graph:
        return self.of.graph

    @property
    def reduced(self) -> bool:
        """Whether the legs constrain the platform."""
        return bool(self.structure.kept)

    @lazy
    def from_home(self) -> Vector:
        """How far the platform is from home: the translation, and the axis of its rotation times sin(angle)."""
        of, g = self.of, self.graph
        home = [[g.lift(evaluate(x, of.robot.values.numbers())) for x in row] for row in of.robot.home_pose]
        away = of.orientation @ Matrix(g, (row[:3] for row in home[:3])).T
        turn = [(away[i, k] - away[k, i]) / 2 for i, k in ((2, 1), (0, 2), (1, 0))]
        return Vector(g, (*(p - row[3] for p, row in zip(of.p, home, strict=False)), *turn))

    @lazy
    def D(self) -> Matrix:
        """J_p⁻¹, with a row for each motor (K10:60-62)."""
        return Matrix(self.graph, (self.legs[i].row_of(j) for i, j in self.of.robot.motors))

    @lazy
    def C(self) -> Matrix:
        """The independent constraints: C V = 0."""
        rows = [row for leg in self.legs for row in leg.constraints]
        return Matrix(self.graph, (rows[k] for k in self.structure.kept))

    @lazy
    def S(self) -> Matrix:
        """The basis of the platform's motions: V = S v, where v are the independent components of V."""
        structure = self.structure
        if not self.reduced:
            return identity(self.graph, 6)
        if structure.fixed is not None:
            return Matrix(self.graph, structure.fixed)
        return self._spread([[-row[k] for k in structure.independent] for row in self.C])

    def _spread(self, right: Sequence[Sequence[Expr]]) -> Matrix:
        """Ones at the independent components of V; C_d X = right at the dependent ones."""
        structure = self.structure
        rows = [[row[k] for k in structure.dependent] for row in self.C]
        X = solve(self.graph, rows, right)
        if X is None:
            raise NotApplicable("platforms.constraints_singular", robot=self.of.robot.name)
        ones = identity(self.graph, structure.freedom)
        components = dict(zip(structure.independent, ones, strict=True)) | dict(
            zip(structure.dependent, X, strict=True)
        )
        return Matrix(self.graph, (components[k] for k in range(6)))

    def particular(self, gamma: Sequence[Expr]) -> Vector:
        """A vector x with C x + γ = 0 and 0 at the independent components; where S is fixed, it is 0."""
        structure = self.structure
        if not self.reduced or structure.fixed is not None:
            return zeros(self.graph, 6)
        rows = [[row[k] for k in structure.dependent] for row in self.C]
        X = solve(self.graph, rows, [[-x] for x in gamma])
        assert X is not None
        components = {k: row[0] for k, row in zip(structure.dependent, X, strict=True)}
        return Vector(self.graph, (components.get(k, self.graph.zero) for k in range(6)))

    @lazy
    def DS(self) -> Matrix:
        """The motors' velocities for the independent components of V."""
        self.require_held()
        return self.D @ self.S if self.reduced else self.D

    def require_held(self) -> None:
        """An error where the motors do not hold the platform in any pose."""
        if reason := looseness(self.by_pose):
            raise NotApplicable("positions.of_robot", robot=self.of.robot.name, reason=reason)


# Random poses near the home pose that the legs reach and allow, by numbers.


#: How far a pose is from home, in parts of the platform's radius: its tries, until the legs reach one.
_FAR = tuple(0.25 * 0.8**k for k in range(20))


def poses_near_home(m: Mechanism, rng: np.random.Generator, count: int) -> Iterator[tuple[Array, Array]]:
    """At most `count` poses T, and the rows C(T) of all constraints.

    A pose that the legs do not reach is tried again nearer to home: closed forms stretch such a leg as far as they can,
    so that its joints are numbers, but singular. Where the platform only translates it is not turned: legs may also
    close with a turned platform, which the models do not cover.
    """
    legs = constraint_functions(m.of, m.legs)
    chosen = zip(m.structure.branches, m.structure.chosen, strict=True)
    reached = function_of(m.of, [branch_of(m.of, i, *leg).ok for i, leg in enumerate(chosen)])
    joints = function_of(m.of, [leg.s.q[j] for leg in m.legs for j in leg.s.variables])
    at, scale = home(m.of.robot), twist_sizes(m.of.robot)
    scale[list(m.structure.still)] = 0.0
    for _ in range(count):
        for far in _FAR:
            T = allowed(moved(at, far * scale * rng.uniform(-1, 1, 6)), legs)
            if T is not None and (reached(T) > 0.5).all() and np.isfinite(joints(T)).all():
                yield T, legs.C(T)
                break


# Whether the motors of a parallel robot hold its platform, in some pose at least.
#
# The home pose alone may be singular. So the platform is said to be loose in every pose only if it is loose, to
# rounding, at the home pose and at random poses near it.


#: How many random poses are looked at.
_POSES = 5


def looseness(m: Mechanism) -> Finding | None:
    """A finding if the platform is loose in every pose; None where motors and constraints hold it.

    Of a robot without numbers nothing can be said.
    """
    matrices = _singular_rows(m) if has_numbers(m.of.robot) else []
    if not matrices:
        return None
    held = max(map(sampling.rank, matrices)) - len(m.structure.kept)
    if alike := _dependent_legs(m, matrices):
        return Finding("platforms.dependent_motors", held=held, freedom=m.structure.freedom, legs=alike)
    return Finding("platforms.loose_freedoms", held=held, freedom=m.structure.freedom)


def _singular_rows(m: Mechanism) -> list[Array]:
    """[D; C], with lengths in units of the platform's radius, at some poses; none where the rank of one is 6."""
    f, matrices = function_of(m.of, [x for row in (*m.D, *m.C) for x in row]), []
    for T in _looked_at(m):
        A = f(T).reshape(-1, 6) * twist_sizes(m.of.robot)
        if not np.isfinite(A).all():
            continue
        if sampling.rank(A) == 6:
            return []
        matrices.append(A)
    return matrices


def _looked_at(m: Mechanism) -> Iterator[Array]:
    """The home pose, then random ones."""
    yield home(m.of.robot)
    yield from (T for T, _ in poses_near_home(m, np.random.default_rng(2), _POSES))


def _dependent_legs(m: Mechanism, matrices: list[Array]) -> list[int]:
    """The legs whose motors are in a combination of rows that is zero in every pose; none of redundant motors."""
    motors = m.of.robot.motors
    if len(motors) != m.structure.freedom:
        return []
    used = np.ones(len(motors), dtype=bool)
    for A in matrices:
        left = np.linalg.svd(A / np.linalg.norm(A, axis=1, keepdims=True))[0]
        used &= np.abs(left[: len(motors), sampling.rank(A) :]).max(axis=1, initial=0.0) > 1e-6
    return sorted({i + 1 for (i, _), one in zip(motors, used, strict=True) if one})
