"""What of a parallel robot is chosen once, by numbers at its home pose: branches, rows, and the platform's freedom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from scipy.linalg import qr

from symoro.errors import NotApplicable, OptionError
from symoro.ir.graph import Graph
from symoro.ir.linalg import zeros
from symoro.models.geometric.frames import Pose, bound_pose, carrier, compose
from symoro.models.parallel.leg import Leg
from symoro.models.parallel.leg_branch import LegBranch
from symoro.models.parallel.leg_geometry import leg_branches
from symoro.models.parallel.leg_loops import LegLoops, leg_loops
from symoro.models.parallel.leg_symbols import LegSymbols
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.numbers import Array, function_of, has_numbers, home, moved, size
from symoro.models.remembered import remembered
from symoro.robot import topology
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.state import State
from symoro.symbols import Symbols

DIRECTIONS = ("x", "y", "z", "rotation about x", "rotation about y", "rotation about z")
_SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Structure:
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


@lru_cache(maxsize=32)
def structure(robot: ParallelRobot, branch: tuple[int, ...] | None = None) -> Structure:
    """The structure of a robot; `branch` has a branch for each leg, or one for all; None: those that reach home."""
    letters = Letters(robot, Graph())
    legs = [_leg_structure(letters, i, branch) for i in range(len(robot.legs))]
    found = Structure(tuple(b for b, _ in legs), tuple(rows for _, rows in legs))
    if all(len(rows) == 6 - robot.attachments[i].kind.freedoms for i, (_, rows) in enumerate(legs)):
        return found
    return _constrained(letters, found)


def bound_leg(letters: Letters, i: int, branch: int, chosen: tuple[int, ...] = ()) -> Leg:
    """Leg i in a branch, at rest."""
    found = branches_of(letters, i)
    if not found:
        raise NotApplicable(
            f"leg {i + 1} of {letters.robot.name} has no closed form for its joints "
            "(allowed: legs with intersecting or parallel axes)"
        )
    if not 0 <= branch < len(found):
        raise OptionError(f"branch={branch}: leg {i + 1} has the branches 0 to {len(found) - 1}")
    one = found[branch]
    leg, graph = _tree(letters.robot.legs[i]), letters.graph
    still = {j.index: graph.zero for j in leg.joints}
    none = zeros(graph, 6)
    q = one.positions(Symbols(leg, graph))
    state = State(q, still, still, none, none, letters.g, {}, f"_{i + 1}")
    return Leg(letters, i, LegSymbols(leg, graph, state=state, turned=one.turned), loops_of(letters.robot, i), chosen)


def _tree(leg: Robot) -> Robot:
    """The leg with its loops cut."""
    return replace(leg, joints=topology.tree_joints(leg), cuts=()) if leg.cuts else leg


def named_leg(robot: ParallelRobot, i: int) -> Robot:
    """Leg i with a name for messages and the numbers of the robot."""
    return replace(robot.legs[i], name=f"leg {i + 1} of {robot.name}", values=robot.values)


def loops_of(robot: ParallelRobot, i: int) -> LegLoops:
    """The loops of leg i; an error where a joint does not follow from the motion of its end."""
    leg = robot.legs[i]
    link, _ = carrier(leg, robot.end(i))
    found = leg_loops(named_leg(robot, i), link)
    way = [joint.index for joint in topology.path(leg, link)]
    beside = [f"{j} ({leg.joint(j).name})" for j in found.left if j not in way]
    if beside:
        raise NotApplicable(
            f"leg {i + 1} of {robot.name}: the pose of its end does not determine joint {', '.join(beside)}, which is "
            "not on the way to the end"
        )
    return found


@remembered
def branches_of(letters: Letters, i: int) -> list[LegBranch]:
    """The branches of leg i for the pose of the platform."""
    robot, graph = letters.robot, letters.graph
    attachment = robot.attachments[i]
    s = Symbols(named_leg(robot, i), graph)
    A: Pose = bound_pose(s, attachment.pose)
    wanted = compose((letters.R, letters.p), A)
    return leg_branches(s, robot.end(i), attachment.kind, wanted, loops_of(robot, i))


def _leg_structure(letters: Letters, i: int, branch: tuple[int, ...] | None) -> tuple[int, tuple[int, ...]]:
    """The branch and the rows of a leg."""
    robot = letters.robot
    count = len(loops_of(robot, i).left)
    rows = 6 - robot.attachments[i].kind.freedoms
    if count > rows:
        raise NotApplicable(
            f"leg {i + 1} of {robot.name} moves by itself: it has {count} freedoms, and its attachment holds {rows}"
        )
    number = _reaching(letters, i) if branch is None else branch[min(i, len(branch) - 1)]
    if count == rows:
        return number, tuple(range(rows))
    leg = bound_leg(letters, i, number)
    J = function_of(letters, [x for row in leg.JG for x in row])(home(robot)).reshape(rows, count)
    if not np.isfinite(J).all():
        raise NotApplicable(f"leg {i + 1} of {robot.name} does not reach the home pose in branch {number}")
    return number, _independent_rows(leg, J)


def _reaching(letters: Letters, i: int) -> int:
    """The first branch that reaches the home pose; 0 for a robot without numbers."""
    robot = letters.robot
    found = branches_of(letters, i)
    if not found or not has_numbers(robot):
        return 0
    exist = function_of(letters, [one.ok for one in found])(home(robot)) > 0.5
    if not exist.any():
        raise NotApplicable(f"leg {i + 1} of {robot.name} does not reach the home pose")
    return int(np.argmax(exist))


def _independent_rows(leg: Leg, J: Array) -> tuple[int, ...]:
    """As many rows as joints: well conditioned, and with the most zeros among those."""
    rows, count = J.shape
    choices = list(combinations(range(rows), count))
    least = [np.linalg.svd(J[list(rows)], compute_uv=False)[-1] for rows in choices]
    if max(least) < 1e-6:
        raise NotApplicable(f"leg {leg.number + 1} of {leg.of.robot.name} is singular at the home pose")
    good = [rows for rows, x in zip(choices, least, strict=True) if x > 0.3 * max(least)]
    return max(good, key=lambda rows: sum(x.is_zero for k in rows for x in leg.JG[k]))


# the platform's freedom


def _constrained(letters: Letters, found: Structure) -> Structure:
    """The independent constraints and what they leave."""
    legs = bound_legs(letters, found)
    rows = [row for leg in legs for row in leg.constraints]
    errors = [x for leg in legs if leg.free for x in leg.excess(leg.residual)]
    f = function_of(letters, [x for row in rows for x in row])
    e = function_of(letters, errors)

    def C(T: Array) -> Array:
        return f(T).reshape(len(rows), 6)

    at = home(letters.robot)
    length = size(letters.robot)
    scale = np.array([1.0] * 3 + [1 / length] * 3)
    start = C(at) * scale
    if not np.isfinite(start).all():
        raise NotApplicable(f"a leg of {letters.robot.name} is singular or out of reach at the home pose")
    values = np.linalg.svd(start, compute_uv=False)
    rank = int((values > 1e-7 * max(1.0, values[0])).sum())
    kept = tuple(sorted(int(k) for k in qr(start.T, pivoting=True)[2][:rank]))
    order = qr(start[list(kept)], pivoting=True)[2]
    made = replace(found, kept=kept, dependent=tuple(sorted(int(k) for k in order[:rank])))
    return replace(made, fixed=_fixed_basis(made, C, e, at, length))


def _fixed_basis(
    found: Structure, C: Callable[[Array], Array], e: Callable[[Array], Array], at: Array, length: float
) -> tuple[tuple[int, ...], ...] | None:
    """S where it is the same whole numbers in some poses that the platform reaches."""
    rng = np.random.default_rng(1)
    bases = [_basis(found, C(at))]
    for _ in range(_SAMPLES):
        step = bases[0] @ rng.uniform(-0.2, 0.2, found.freedom) * np.array([length] * 3 + [1.0] * 3)
        T = moved(at, step)
        for _ in range(20):
            T = moved(T, -np.linalg.lstsq(C(T), e(T), rcond=1e-9)[0])
        if np.isfinite(T).all() and np.abs(e(T)).max() < 1e-9:
            bases.append(_basis(found, C(T)))
    whole = np.round(bases[0])
    same = len(bases) > 2 and all(np.abs(basis - whole).max() < 1e-8 for basis in bases)
    return tuple(tuple(int(x) for x in row) for row in whole) if same else None


def _basis(found: Structure, C: Array) -> Array:
    """S with ones at the independent components."""
    S = np.zeros((6, found.freedom))
    kept, dependent, independent = list(found.kept), list(found.dependent), list(found.independent)
    S[independent] = np.eye(found.freedom)
    S[dependent] = -np.linalg.solve(C[np.ix_(kept, dependent)], C[np.ix_(kept, independent)])
    return S


def bound_legs(letters: Letters, found: Structure) -> tuple[Leg, ...]:
    """All legs at rest, with the rows that were chosen."""
    pairs = zip(found.branches, found.chosen, strict=True)
    return tuple(bound_leg(letters, i, branch, rows) for i, (branch, rows) in enumerate(pairs))
