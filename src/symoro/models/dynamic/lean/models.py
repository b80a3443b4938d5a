"""The dynamic models in their lean formulations; a search picks the layout."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import zeros
from symoro.models.dynamic.composite_links import as_result, with_rotors
from symoro.models.dynamic.direct import factored_solution
from symoro.models.dynamic.lean.inertia_matrix import entries
from symoro.models.dynamic.lean.layout import InertiaLayout, RecursionLayout, SystemLayout
from symoro.models.dynamic.lean.newton_euler import efforts, torques
from symoro.models.dynamic.motors import at_motors
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
