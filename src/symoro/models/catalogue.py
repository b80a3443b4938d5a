"""The catalogue: every model by its names, and the package that has its row and its algorithms.

Command line, documentation and `symoro.<name>` are driven by the rows. A package is imported when one of its models is
asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache

from symoro.errors import UnknownModel
from symoro.findings import Finding
from symoro.models.entry import Entry

_PACKAGES = (
    ("geometric", "transform trm forward_geometry dgm fgm"),
    ("loops", "loop_closure geometric_constraints loop_step"),
    ("kinematic", "jacobian jac jacobian_determinant det jacobian_inverse jinv ikm"),
    ("kinematic", "velocities vlct accelerations accel jdot_qdot jpqp"),
    ("loops", "loop_kinematics kinematic_constraints ckel"),
    ("dynamic", "inverse_dynamics idm inertia_matrix inm bias ccg coriolis coriolis_torques gravity"),
    ("dynamic", "lagrange_coefficients lagrange energies direct_dynamics ddm"),
    ("dynamic", "inverse_dynamics_derivatives direct_dynamics_derivatives reactions direct_reactions"),
    ("dynamic", "friction motor_torques"),
    ("identification", "dynamic_regressor dim dynamic_identification energy_regressor eim"),
    ("identification", "energy_difference_regressor edim power_regressor pim filtered_regressor fdim"),
    ("dynamic", "cut_wrenches centre_of_mass com centre_of_mass_jacobian com_jacobian"),
    ("dynamic", "centroidal_momentum centroidal_momentum_matrix cmm"),
    ("dynamic", "operational_inertia operational_dynamics payload_torques"),
    ("kinematic", "analytical_jacobian manipulability"),
)
PACKAGE_OF: dict[str, str] = {name: package for package, names in _PACKAGES for name in names.split()}
"""Every name and alias of a model, in the order of the menus, with its package."""


def entries() -> Iterator[Entry]:
    """All models in the order of the menus."""
    return (entry for name in PACKAGE_OF if (entry := find(name)).name == name)


def find(name: str, also: Sequence[str] = ()) -> Entry:
    """The model of this name or alias. `also` are names that the caller knows besides, for the message."""
    if name not in PACKAGE_OF:
        close = get_close_matches(name, (*also, *PACKAGE_OF), n=3)
        every = [*(entry.name for entry in entries()), *also]
        hint = Finding("errors.did_you_mean", names=close) if close else Finding("models.allowed", names=every)
        raise UnknownModel("models.unknown", name=repr(name), hint=hint)
    return next(entry for entry in rows(PACKAGE_OF[name]) if name in (entry.name, *entry.aliases))


@cache
def rows(package: str) -> tuple[Entry, ...]:
    """The rows of a package."""
    match package:
        case "geometric":
            from symoro.models.geometric.rows import ROWS
        case "loops":
            from symoro.models.loops.rows import ROWS
        case "kinematic":
            from symoro.models.kinematic.rows import ROWS
        case "dynamic":
            from symoro.models.dynamic.rows import ROWS
        case _:
            from symoro.models.identification.rows import ROWS
    return ROWS
