"""What the models give: the shape, meaning and unit of each output. Help texts and the stub are made from it.

n is the number of movable joints, m that of the motors (m = n without loops and passive joints), p of parameters, k of
loops, e of equations. A floating base adds six rows and columns, which come first, and VP0 where it is unknown.
"""

from __future__ import annotations

from typing import NamedTuple


class Described(NamedTuple):
    """An output: its shape in letters, its meaning and its unit."""

    shape: str
    meaning: str
    unit: str


_TORQUE, _ACCELERATION = "N·m or N", "rad/s² or m/s²"
_TWIST, _WRENCH = "m/s and rad/s", "N and N·m"
_POSE = Described("(4, 4)", "pose of the frame: rotation and position", "1 and m")
_INERTIA = Described("(m, m)", "inertia matrix A of the joints", "kg·m² or kg")
_GRAVITY = Described("(m,)", "torques that hold the robot against gravity", _TORQUE)
_QDP = Described("(m,)", "accelerations of the joints", _ACCELERATION)
_REACTIONS = Described("(links, 6)", "wrench [f; m] on each link from its antecedent, in the link's frame", _WRENCH)
_CLOSURE = {
    "E": Described("(e,)", "residual of the closure equations, 0 where the loops are closed", "m or 1"),
    "QC": Described("(k,)", "positions of the cut joints", "rad or m"),
    "ALIGN": Described("(k,)", "positive where the axes of the two frames of a cut agree", "1"),
}
_LAMBDA = Described("(6, 6) or (3, 3)", "inertia of the link in operational space", "kg and kg·m²")
_REGRESSOR = "a column for each parameter"

OUTPUTS: dict[str, dict[str, Described]] = {
    "transform": {"T": _POSE},
    "forward_geometry": {"T": _POSE},
    "loop_closure": _CLOSURE,
    "loop_step": {"Q": Described("(n,)", "configuration after the step", "rad or m"), **_CLOSURE},
    "jacobian": {"J": Described("(6, m)", "velocity [v; ω] of the link for each joint velocity", "m or 1, and 1")},
    "jacobian_determinant": {"DET": Described("()", "determinant of the Jacobian matrix", "of the rows' product")},
    "jacobian_inverse": {"JINV": Described("(m, 6)", "joint velocities for each element of [v; ω]", "1/m or 1")},
    "velocities": {"V": Described("(links, 6) or (6,)", "velocity [v; ω] of links", _TWIST)},
    "accelerations": {"VP": Described("(links, 6) or (6,)", "acceleration [v̇; ω̇] of links", "m/s² and rad/s²")},
    "jdot_qdot": {"JPQP": Described("(links, 6) or (6,)", "the part J̇ q̇ of the acceleration", "m/s² and rad/s²")},
    "loop_kinematics": {
        "Wa": Described("(e, m)", "velocity equations, columns of the active joints", "1 or m"),
        "Wp": Described("(e, n - m)", "velocity equations, columns of the passive joints", "1 or m"),
        "Wac": Described("(k, m)", "rows of the cut joints, columns of the active joints", "1 or m"),
        "Wpc": Described("(k, n - m)", "rows of the cut joints, columns of the passive joints", "1 or m"),
        "Wc": Described("(k, k)", "rows of the cut joints, their own columns", "1"),
        "psi": Described("(e,)", "acceleration equations without the accelerations of joints", "m/s² or rad/s²"),
        "phi": Described("(k,)", "the same in the rows of the cut joints", "m/s² or rad/s²"),
        "W": Described("(n - m, m)", "velocities of the passive joints for those of the active ones", "1"),
        "G": Described("(n, m)", "velocities of all joints for those of the active ones", "1"),
    },
    "inverse_dynamics": {"GAM": Described("(m,)", "torques or forces of the joints", _TORQUE)},
    "inertia_matrix": {"A": _INERTIA},
    "bias": {"H": Described("(m,)", "torques without acceleration: Coriolis, gravity, friction, wrenches", _TORQUE)},
    "coriolis": {"C": Described("(m, m)", "C with C q̇ the Coriolis and centrifugal torques", "N·m·s/rad or N·s/m")},
    "coriolis_torques": {"CQP": Described("(m,)", "Coriolis and centrifugal torques", _TORQUE)},
    "gravity": {"Q": _GRAVITY},
    "lagrange_coefficients": {
        "A": _INERTIA,
        "B": Described("(n, n(n+1)/2)", "coefficients of the products q̇_j q̇_k: 11, 12 … 1n, 22 … nn", "kg·m² or kg·m"),
        "Q": _GRAVITY,
    },
    "energies": {"E": Described("()", "kinetic energy", "J"), "U": Described("()", "potential energy", "J")},
    "direct_dynamics": {"QDP": _QDP},
    "reactions": {"R": _REACTIONS},
    "direct_reactions": {"QDP": _QDP, "R": _REACTIONS},
    "friction": {"GAMF": Described("(m,)", "friction torques", _TORQUE)},
    "motor_torques": {"TAUM": Described("(m,)", "torques of the motors behind coupled transmissions", _TORQUE)},
    "dynamic_regressor": {"D": Described("(m, p)", f"torques, {_REGRESSOR}", f"{_TORQUE} per parameter")},
    "energy_regressor": {
        "h": Described("(p,)", f"energy, {_REGRESSOR}", "J per parameter"),
        "hf": Described("(pf,)", "power of friction, a column for each friction parameter", "W per parameter"),
    },
    "energy_difference_regressor": {"DH": Described("(p,)", f"energy at the end less at the start, {_REGRESSOR}", "J")},
    "power_regressor": {"dh": Described("(p,)", f"power, {_REGRESSOR}", "W per parameter")},
    "filtered_regressor": {
        "D1": Described("(m, p)", f"momentum, for the derived filter, {_REGRESSOR}", "N·m·s per parameter"),
        "D2": Described("(m, p)", f"torques, for the filter, {_REGRESSOR}", f"{_TORQUE} per parameter"),
    },
    "cut_wrenches": {"FC": Described("(k, 6)", "wrench [f; m] in each cut joint", _WRENCH)},
    "centre_of_mass": {"COM": Described("(3,)", "centre of mass in frame 0", "m")},
    "centre_of_mass_jacobian": {"JCOM": Described("(3, m)", "its velocity for each joint velocity", "m or 1")},
    "centroidal_momentum": {"HG": Described("(6,)", "linear and angular momentum", "kg·m/s and kg·m²/s")},
    "centroidal_momentum_matrix": {"AG": Described("(6, m)", "HG for each joint velocity", "kg·m and kg·m²")},
    "operational_inertia": {"LAMBDA": _LAMBDA},
    "operational_dynamics": {
        "LAMBDA": _LAMBDA,
        "MU": Described("(6,) or (3,)", "Coriolis and centrifugal forces in operational space", _WRENCH),
        "P": Described("(6,) or (3,)", "gravity forces in operational space", _WRENCH),
    },
    "payload_torques": {"Q": Described("(m,)", "torques that hold the payload", _TORQUE)},
    "analytical_jacobian": {
        "JA": Described("(6, n) or (7, n)", "v and the rates of the angles or of the quaternion", "m or 1, and 1")
    },
    "manipulability": {"W": Described("()", "√det(J Jᵀ)", "of the rows' product")},
}
