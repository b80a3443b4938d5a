"""The table of names: what each quantity is called by Khalil, in Python, in files and in URDF."""

from __future__ import annotations

from typing import NamedTuple


class QuantityNames(NamedTuple):
    """One quantity with its names; the name is empty if a notation has none."""

    khalil: str
    python: str
    file: str
    urdf: str
    unit: str
    meaning: str


TERMS: tuple[QuantityNames, ...] = (
    QuantityNames(
        "j", "Joint.index", "place in [[joints]]", "", "", "number of a joint, its link and its frame, from 1"
    ),
    QuantityNames(
        "a(j)", "Joint.parent", "parent", "joint/parent", "", "antecedent: the link before joint j; 0 is the base"
    ),
    QuantityNames("σ_j", "Joint.kind", "kind", "joint/@type", "", "0 revolute, 1 prismatic, 2 fixed"),
    QuantityNames(
        "μ_j", "Joint.actuated", "actuated", "transmission", "", "whether the joint is active, that is, has a motor"
    ),
    QuantityNames("η_j", "Joint.elastic", "elastic", "", "", "whether the joint is elastic"),
    QuantityNames("γ_j", "Joint.gamma", "gamma", "", "rad", "angle about z of frame a(j)"),
    QuantityNames("b_j", "Joint.b", "b", "", "m", "distance along z of frame a(j)"),
    QuantityNames("α_j", "Joint.alpha", "alpha", "", "rad", "angle about x, from z of a(j) to z of j"),
    QuantityNames("d_j", "Joint.d", "d", "", "m", "distance along x, from z of a(j) to z of j"),
    QuantityNames("θ_j", "Joint.theta", "theta", "", "rad", "angle about z of frame j"),
    QuantityNames("r_j", "Joint.r", "r", "", "m", "distance along z of frame j"),
    QuantityNames("q_j", "Joint.variable", "variable", "joint/@name", "rad or m", "joint variable, in theta or r"),
    QuantityNames("q̇_j", "Joint.velocity", "QP", "", "rad/s or m/s", "joint velocity"),
    QuantityNames("q̈_j", "Joint.acceleration", "QDP", "", "rad/s² or m/s²", "joint acceleration"),
    QuantityNames("Γ_j", "Joint.effort", "GAM", "", "N·m or N", "torque or force of the motor, at the joint"),
    QuantityNames("k_j", "Joint.stiffness", "stiffness", "dynamics/@spring_stiffness", "N·m/rad or N/m", "stiffness"),
    QuantityNames(
        "q_j0", "Joint.rest", "rest", "dynamics/@spring_reference", "rad or m", "where the joint's spring is at rest"
    ),
    QuantityNames("", "Limits.lower", "limits.lower", "limit/@lower", "rad or m", "lowest value of the variable"),
    QuantityNames("", "Limits.upper", "limits.upper", "limit/@upper", "rad or m", "highest value of the variable"),
    QuantityNames("", "Limits.velocity", "limits.velocity", "limit/@velocity", "rad/s or m/s", "highest speed"),
    QuantityNames("", "Limits.effort", "limits.effort", "limit/@effort", "N·m or N", "highest torque or force"),
    *(
        QuantityNames(
            f"{name}_j", f"Inertia.{name}", name, "", "kg·m²", f"inertia {name.lower()} about the frame's origin"
        )
        for name in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")
    ),
    *(
        QuantityNames(
            f"{name}_j", f"Inertia.{name}", name, "", "kg·m", f"mass times {name[1].lower()} of the centre of mass"
        )
        for name in ("MX", "MY", "MZ")
    ),
    QuantityNames("M_j", "Inertia.M", "M", "inertial/mass", "kg", "mass"),
    QuantityNames("Ia_j", "Drive.IA", "IA", "", "kg·m² or kg", "inertia of rotor and gears, seen at the joint"),
    QuantityNames("Fv_j", "Drive.FV", "FV", "dynamics/@damping", "N·m·s/rad or N·s/m", "viscous friction"),
    QuantityNames("Fs_j", "Drive.FS", "FS", "dynamics/@friction", "N·m or N", "Coulomb friction"),
    QuantityNames(
        "", "Drive.FA", "FA", "", "N·m or N", "asymmetry of Coulomb friction: FS + FA forward, FS − FA backward"
    ),
    QuantityNames("", "Drive.FO", "FO", "", "N·m or N", "constant offset of the torque"),
    QuantityNames("Fst_j", "Drive.FST", "FST", "", "N·m or N", "static friction"),
    QuantityNames("B_j", "Drive.BST", "BST", "", "s/rad or s/m", "fading of static friction with the velocity"),
    QuantityNames("", "Drive.VS", "VS", "", "rad/s or m/s", "velocity below which the sign of friction is smoothed"),
    QuantityNames(
        "N_j", "Drive.N", "N", "actuator/mechanicalReduction", "", "turns of the motor for a turn of the joint"
    ),
    *(
        QuantityNames(
            f"f_e{axis}j", f"Wrench.F{axis.upper()}", f"F{axis.upper()}", "", "N", f"force on the environment, {axis}"
        )
        for axis in "xyz"
    ),
    *(
        QuantityNames(f"m_e{a}j", f"Wrench.C{a.upper()}", f"C{a.upper()}", "", "N·m", f"moment on the environment, {a}")
        for a in "xyz"
    ),
    QuantityNames("Z", "Base.pose", "base.pose", "", "", "pose of frame 0 in the world"),
    QuantityNames("V_0", "Base.velocity", "base.V0", "", "m/s, rad/s", "velocity [v; ω] of the base, in frame 0"),
    QuantityNames(
        "V̇_0", "Base.acceleration", "base.VP0", "", "m/s², rad/s²", "acceleration [v̇; ω̇] of the base, in frame 0"
    ),
    QuantityNames("g", "Robot.gravity", "gravity", "", "m/s²", "acceleration of gravity, in frame 0"),
    QuantityNames(
        "k, k+B", "Closure", "closures", "", "", "joint at which a loop is cut, and the frame aligned with it"
    ),
)
"""Every quantity of a description."""
