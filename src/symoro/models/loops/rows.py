"""The rows of the models of closed loops."""

from __future__ import annotations

from symoro.models.conditions import closed_structure, closed_with_given_motors, maybe_open
from symoro.models.entry import AT, Entry, Quantity, method
from symoro.models.families import LEGS, PLATFORM, POSE
from symoro.models.loops import closure, constraint

CLOSURE = (
    Quantity("E", "residual of the closure equations, 0 where the loops are closed", "m or 1", "(e,)"),
    Quantity("QC", "position of each cut joint", "position", "(k,)"),
    Quantity("ALIGN", "positive where the axes of the two frames of a cut point the same way", "1", "(k,)"),
)

ROWS: tuple[Entry, ...] = (
    Entry(
        name="loop_closure",
        menu="Geometric",
        methods=(
            method(closure.loop_closure),
            method(closure.platform_closure, on=POSE),
            method(closure.legs_closure, on=LEGS),
        ),
        inputs=("q",),
        platform_inputs=("T", "V", "VP"),
        outputs=(
            *CLOSURE,
            Quantity("EV", "velocity of the platform against its constraints", "m/s or rad/s", "(e,)"),
            Quantity("EVP", "acceleration of the platform against its constraints", "m/s² or rad/s²", "(e,)"),
        ),
        closed=False,
        citation="K97:2",
        oracle="Pinocchio placements of the two frames of each cut",
        aliases=("geometric_constraints",),
        applies=maybe_open,
    ),
    Entry(
        name="loop_step",
        menu="Geometric",
        methods=(method(closure.loop_step), method(closure.platform_step, on=POSE)),
        inputs=("q",),
        platform_inputs=("T", "target"),
        outputs=(
            Quantity("Q", "position of each joint after the step", "position", "(n,)"),
            *CLOSURE,
            Quantity("TN", "pose after the step", "1, and m", "(4, 4)"),
            Quantity("EQ", "how far motors and constraints were away before the step", "m or rad", "()"),
        ),
        looks=(),
        closed=False,
        citation="K97:2",
        oracle="the closure equations after some steps",
        options=(AT,),
        applies=closed_with_given_motors,
    ),
    Entry(
        name="loop_kinematics",
        menu="Kinematic",
        methods=(method(constraint.loop_kinematics), method(constraint.platform_kinematics, on=PLATFORM)),
        inputs=("q", "qd"),
        platform_inputs=("T",),
        outputs=(
            Quantity(
                "Wa", "factors of the active joints' velocities in the equations of the loops", "m or 1", "(e, m)"
            ),
            Quantity(
                "Wp", "factors of the passive joints' velocities in the equations of the loops", "m or 1", "(e, n - m)"
            ),
            Quantity(
                "Wac", "factors of the active joints' velocities in the rows of the cut joints", "m or 1", "(k, m)"
            ),
            Quantity(
                "Wpc", "factors of the passive joints' velocities in the rows of the cut joints", "m or 1", "(k, n - m)"
            ),
            Quantity("Wc", "factors of the cut joints' velocities in their rows", "1", "(k, k)"),
            Quantity("psi", "right side of the equations of the loops for accelerations", "m/s² or rad/s²", "(e,)"),
            Quantity("phi", "right side of the rows of the cut joints for accelerations", "m/s² or rad/s²", "(k,)"),
            Quantity(
                "W",
                "velocity of each passive joint for a unit velocity of each active joint",
                "rad/m, m or 1",
                "(n - m, m)",
            ),
            Quantity(
                "G",
                "velocity of each joint of the tree for a unit velocity of each active joint",
                "rad/m, m or 1",
                "(n, m)",
            ),
        ),
        follows=("loops",),
        closed=False,
        citation="K97:11-14",
        oracle="finite differences of assembled configurations",
        aliases=("kinematic_constraints", "ckel"),
        applies=closed_structure,
    ),
)
