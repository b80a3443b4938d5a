"""The rows of the identification models."""

from __future__ import annotations

from symoro.models.conditions import rigid, rigid_joint_velocities, rigid_on_fixed_base, rigid_without_given_motion
from symoro.models.dynamic.lean.layout import moving_layouts
from symoro.models.entry import ALIKE, COLUMNS, Entry, Form, Quantity, method
from symoro.models.families import CONSTRAINED, EVERY, OPEN, WITH_BASE
from symoro.models.identification.regressors import dynamic, energy, filtered

ROWS: tuple[Entry, ...] = (
    Entry(
        name="dynamic_regressor",
        menu="Identification",
        methods=(
            method(
                dynamic.dynamic_regressor,
                Form("projected", dynamic.by_projection, moving_layouts),
                on=OPEN,
            ),
            method(dynamic.of_constrained, on=WITH_BASE),
        ),
        inputs=("quat", "q", "qd", "qdd", "V0", "VP0"),
        outputs=(
            Quantity("D", "torque of each coordinate, a column for each parameter", "torque per parameter", "(m, p)"),
        ),
        follows="all",
        springs_apart=EVERY,
        citation="K97:39",
        oracle="Pinocchio computeJointTorqueRegressor",
        aliases=("dim", "dynamic_identification"),
        options=(*COLUMNS, ALIKE),
        columns=True,
        applies=rigid,
    ),
    Entry(
        name="energy_regressor",
        menu="Identification",
        methods=(
            method(energy.energy_regressor, on=OPEN),
            method(energy.energy_of_constrained, on=CONSTRAINED),
        ),
        follows="all",
        inputs=("q", "qd"),
        outputs=(
            Quantity("h", "energy, a column for each parameter", "J per parameter", "(p,)"),
            Quantity("hf", "power of friction, a column for each friction parameter", "W per parameter", "(pf,)"),
        ),
        citation="K97:47-54",
        oracle="work along a simulated motion",
        aliases=("eim",),
        options=(*COLUMNS, ALIKE),
        columns=True,
        applies=rigid_on_fixed_base,
    ),
    Entry(
        name="energy_difference_regressor",
        menu="Identification",
        methods=(
            method(energy.energy_difference_regressor, on=OPEN),
            method(energy.difference_of_constrained, on=CONSTRAINED),
        ),
        follows="all",
        inputs=("q", "qd", "q_end", "qd_end"),
        outputs=(
            Quantity(
                "DH", "energy at the end less that at the start, a column for each parameter", "J per parameter", "(p,)"
            ),
        ),
        citation="K97:47",
        oracle="work along a simulated motion",
        aliases=("edim",),
        options=COLUMNS[:2],
        columns=True,
        applies=rigid_on_fixed_base,
    ),
    Entry(
        name="power_regressor",
        menu="Identification",
        methods=(
            method(energy.power_regressor, on=OPEN),
            method(energy.power_of_constrained, on=WITH_BASE),
        ),
        follows="all",
        inputs=("quat", "q", "qd", "qdd"),
        outputs=(Quantity("dh", "power, a column for each parameter", "W per parameter", "(p,)"),),
        more=("V0", "VP0"),
        citation="K97:47",
        oracle="velocities times torques of Pinocchio rnea",
        aliases=("pim",),
        options=COLUMNS,
        columns=True,
        applies=rigid_without_given_motion,
    ),
    Entry(
        name="filtered_regressor",
        menu="Identification",
        methods=(
            method(filtered.filtered_regressor, on=OPEN),
            method(filtered.of_loops, on=CONSTRAINED),
        ),
        follows="all",
        inputs=("q", "qd", "V0"),
        outputs=(
            Quantity(
                "D1",
                "momentum of each coordinate, for the derived filter, a column for each parameter",
                "N·m·s per parameter",
                "(m, p)",
            ),
            Quantity(
                "D2",
                "torque of each coordinate, for the filter, a column for each parameter",
                "N·m per parameter",
                "(m, p)",
            ),
        ),
        citation="K97:40-46",
        oracle="filtered torques along a simulated motion",
        aliases=("fdim",),
        options=COLUMNS,
        columns=True,
        applies=rigid_joint_velocities,
    ),
)
