"""The dynamic models in their lean formulations; a search picks the layout."""

from __future__ import annotations

from collections.abc import Sequence

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import zeros
from symoro.models.constraint import BASE, Entries
from symoro.models.dynamic.composite_links import as_result, with_rotors
from symoro.models.dynamic.constrained import by_coordinate, by_motor, with_accelerations
from symoro.models.dynamic.derivatives import as_results
from symoro.models.dynamic.direct import Factors, factored_solution
from symoro.models.dynamic.lean.derivatives import slopes, with_drives
from symoro.models.dynamic.lean.inertia_matrix import entries
from symoro.models.dynamic.lean.layout import InertiaLayout, RecursionLayout, SystemLayout
from symoro.models.dynamic.lean.newton_euler import efforts, torques
from symoro.models.dynamic.motors import at_motors
from symoro.models.dynamic.open_tree import forces
from symoro.models.families import constraint_of
from symoro.models.results import by_joint, remembered


def inverse_dynamics(s: Symbols, layout: RecursionLayout) -> list[Result]:
    """Joint torques GAM."""
    return [by_joint(s, "GAM", torques(s, layout))]


def motor_torques(s: Symbols, layout: RecursionLayout) -> list[Result]:
    """Motor torques TAUM."""
    return at_motors(s, torques(s, layout))


def bias(s: Symbols, layout: RecursionLayout) -> list[Result]:
    """H: the torques without joint accelerations."""
    return [by_joint(s, "H", bias_torques(s, layout))]


def bias_torques(s: Symbols, layout: RecursionLayout) -> dict[int, Expr]:
    """Γ without joint accelerations."""
    return torques(_coasting(s), layout)


@remembered
def _coasting(s: Symbols) -> Symbols:
    return s.in_state(qdd=s.still)


def coriolis_torques(s: Symbols, layout: RecursionLayout) -> list[Result]:
    """C q̇: the torques of the links for velocities alone, on a base that stands still."""
    return [by_joint(s, "CQP", efforts(_velocities_alone(s), layout))]


@remembered
def _velocities_alone(s: Symbols) -> Symbols:
    none = zeros(s.graph, 6)
    return s.in_state(qdd=s.still, g=none[:3], V0=none, VP0=none, wrench={})


def inertia_matrix(s: Symbols, layout: InertiaLayout) -> list[Result]:
    """A, rotor inertias included."""
    return [as_result(s, with_rotors(s, entries(s, layout)))]


def direct_dynamics(s: Symbols, layout: SystemLayout) -> list[Result]:
    """Joint accelerations QDP, through A and H in one graph and a factorisation that keeps the tree's zeros."""
    A, H = with_rotors(s, entries(s, layout.A)), bias_torques(s, layout.H)
    return [by_joint(s, "QDP", factored_solution(s, A, {j: s.tau[j] - H[j] for j in s.movable}))]


def inverse_dynamics_derivatives(s: Symbols, layout: RecursionLayout) -> list[Result]:
    """Torques, ∂Γ/∂q, ∂Γ/∂q̇ and A by one sweep over composite links; trees, on a floating base, too."""
    c, of = constraint_of(s), with_drives(s, slopes(s, layout))
    GAM = by_motor(c, "GAM", forces(s, layout))
    turning = [k for k in c.left if k not in BASE[:3]]
    return as_results(
        s, GAM, table(s, of.q, c.left, turning), table(s, of.qd, c.left, turning), "A", table(s, of.A, c.left, c.left)
    )


def direct_dynamics_derivatives(s: Symbols, layout: RecursionLayout) -> list[Result]:
    """Accelerations, ∂v̇/∂q, ∂v̇/∂q̇ = −A⁻¹ ∂Γ in the motion that is found, and A⁻¹, by one factorisation."""
    c = constraint_of(s)
    A = with_drives(s, slopes(c.coasting, layout)).A
    H = forces(c.coasting, layout)
    factors = Factors.of(s, A, [*(k for k in c.left if k < 0), *(j for j in s.outward if j in c.left)])
    pushed = c.of_motors(s.tau)
    accelerations = factors.solved({k: pushed[k] - H[k] if k in pushed else -H[k] for k in c.left})
    QDP = by_coordinate(c, "QDP", accelerations)
    of = with_drives(s, slopes(with_accelerations(c, accelerations), layout))
    turning = [k for k in c.left if k not in BASE[:3]]

    def moved(slopes: Entries) -> list[list[Expr]]:
        columns = [factors.solved({i: -slopes[i, k] for i in c.left if (i, k) in slopes}) for k in turning]
        return [[column[i] for column in columns] for i in c.left]

    return as_results(s, QDP, moved(of.q), moved(of.qd), "AI", table(s, factors.inverse, c.left, c.left))


def table(s: Symbols, entries: Entries, rows: Sequence[int], columns: Sequence[int]) -> list[list[Expr]]:
    """Elements as rows of a matrix; those that are not among them are 0."""
    return [[entries.get((i, k), s.graph.zero) for k in columns] for i in rows]
