"""What of a parallel robot is chosen once, by numbers at its home pose: branches, rows, and the platform's freedom."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from scipy.linalg import qr

from symoro.errors import NotApplicable, OptionError
from symoro.ir.graph import Graph
from symoro.models.geometric.frames import Pose, bound_pose, compose
from symoro.models.parallel.leg import Leg
from symoro.models.parallel.leg_branch import LegBranch
from symoro.models.parallel.leg_equations import LegEquations
from symoro.models.parallel.leg_geometry import leg_branches
from symoro.models.parallel.leg_newton import geometry_of, joints_at_home, newton_branch, rows_at_home
from symoro.models.parallel.legs import leg_at, loops_of, named_leg, tree_of
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.numbers import (
    Array,
    Function,
    allowed,
    constraint_functions,
    function_of,
    has_numbers,
    home,
    moved,
    size,
    twist_sizes,
)
from symoro.models.remembered import remembered
from symoro.robot.parallel import ParallelRobot
from symoro.symbols import Symbols

DIRECTIONS = ("x", "y", "z", "rotation about x", "rotation about y", "rotation about z")
#: The number of poses that are tried, and how far they are from home, in parts of the platform's radius; a second time
#: nearer, where a leg reaches too few.
_SAMPLES, _FAR = 5, (0.2, 0.02)
#: How far the end of a leg may be from the platform at the home pose, whose numbers may be rounded.
_MEETS = 1e-6


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
    legs = [leg_structure(letters, i, branch) for i in range(len(robot.legs))]
    found = Structure(tuple(b for b, _ in legs), tuple(rows for _, rows in legs))
    if all(len(rows) == 6 - robot.attachments[i].kind.freedoms for i, (_, rows) in enumerate(legs)):
        return found
    return _constrained(letters, found)


def bound_leg(letters: Letters, i: int, branch: int, chosen: tuple[int, ...] = ()) -> Leg:
    """Leg i in a branch, at rest."""
    one = branch_of(letters, i, branch, chosen)
    q = one.positions(Symbols(tree_of(letters.robot.legs[i]), letters.graph))
    return leg_at(letters, i, q, one.turned, chosen)


def branch_of(letters: Letters, i: int, branch: int, chosen: tuple[int, ...]) -> LegBranch:
    """A branch of leg i: in closed form, or by Newton's method, which needs the rows that determine its joints."""
    _require_branch(letters, i, branch)
    found = branches_of(letters, i)
    return found[branch] if found else newton_branch(letters, i, branch, chosen)


def _require_branch(letters: Letters, i: int, branch: int) -> None:
    count = len(branches_of(letters, i)) or len(joints_at_home(geometry_of(letters.robot), i))
    if not 0 <= branch < count:
        raise OptionError(f"branch={branch}: leg {i + 1} has the branches 0 to {count - 1}")


@remembered
def branches_of(letters: Letters, i: int) -> list[LegBranch]:
    """The branches of leg i for the pose of the platform, in closed form; none where there is none."""
    robot, graph = letters.robot, letters.graph
    attachment = robot.attachments[i]
    s = Symbols(named_leg(robot, i), graph)
    A: Pose = bound_pose(s, attachment.pose)
    wanted = compose((letters.R, letters.p), A)
    return leg_branches(s, robot.end(i), attachment.kind, wanted, loops_of(robot, i))


def leg_structure(letters: Letters, i: int, branch: tuple[int, ...] | None) -> tuple[int, tuple[int, ...]]:
    """The branch and the rows of a leg; an error where the leg does not carry the platform at its home pose."""
    robot = letters.robot
    count = len(loops_of(robot, i).left)
    rows = 6 - robot.attachments[i].kind.freedoms
    if count > rows:
        raise NotApplicable(
            f"leg {i + 1} of {robot.name} moves by itself: it has {count} freedoms, and its attachment holds {rows}"
        )
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
        raise NotApplicable(f"leg {i + 1} of {robot.name} does not reach the home pose in branch {number}")
    return number, _independent_rows(leg, J)


def _reaching(letters: Letters, i: int, constrains: bool) -> int:
    """The first branch that reaches the home pose; 0 for a robot without numbers.

    The joints of a leg that constrains the platform follow from some of its rows; the others must hold, too.
    """
    robot, at = letters.robot, home(letters.robot)
    found = branches_of(letters, i)
    if not found or not has_numbers(robot):
        return 0
    exist = function_of(letters, [one.ok for one in found])(at) > 0.5
    if not exist.any():
        raise NotApplicable(f"leg {i + 1} of {robot.name} does not reach the home pose")
    if not constrains:
        return int(np.argmax(exist))
    gaps = [bound_leg(letters, i, number).residual for number in range(len(found))]
    apart = np.abs(function_of(letters, [x for gap in gaps for x in gap])(at).reshape(len(gaps), -1)).max(-1)
    apart = np.where(exist & np.isfinite(apart), apart, np.inf)
    if apart.min() > _MEETS * max(1.0, size(robot)):
        kind = robot.attachments[i].kind.value
        raise NotApplicable(
            f"leg {i + 1} of {robot.name} does not meet the platform at the home pose: its {kind} attachment is open "
            f"by {apart.min():.3g} (m or rad) in the best of its branches"
        )
    return int(np.argmax(apart <= _MEETS * max(1.0, size(robot))))


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
    C, e = constraint_functions(letters, legs)
    at = home(letters.robot)
    sizes = twist_sizes(letters.robot)
    scale = sizes / sizes[0]
    start = C(at) * scale
    if not np.isfinite(start).all():
        raise NotApplicable(f"a leg of {letters.robot.name} is singular or out of reach at the home pose")
    values = np.linalg.svd(start, compute_uv=False)
    rank = int((values > 1e-7 * max(1.0, values[0])).sum())
    if rank == 6:
        raise NotApplicable(f"the legs of {letters.robot.name} leave no freedom to its platform: it cannot move")
    kept = tuple(sorted(int(k) for k in qr(start.T, pivoting=True)[2][:rank]))
    order = qr(start[list(kept)], pivoting=True)[2]
    made = replace(found, kept=kept, dependent=tuple(sorted(int(k) for k in order[:rank])))
    return replace(made, fixed=_fixed_basis(made, C, e, at, sizes))


def _fixed_basis(
    found: Structure, C: Function, e: Function, at: Array, sizes: Array
) -> tuple[tuple[int, ...], ...] | None:
    """S where it is the same whole numbers in some poses that the platform reaches."""
    rng = np.random.default_rng(1)
    bases = [_basis(found, C(at))]
    for far in np.repeat(_FAR, _SAMPLES):
        step = bases[0] @ rng.uniform(-far, far, found.freedom) * sizes
        T = allowed(moved(at, step), C, e)
        if T is not None and len(bases) <= _SAMPLES:
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
