"""The table of models of parallel robots: what the rows of the catalogue are for a platform with legs."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.models.entry import PARAMS, OfPlatform, Option, Quantity

_MODELS = "symoro.models.parallel.models"
BRANCH = Option("branch", "branches", "parallel robots: the branch of each leg; those that reach the home pose")
SPACE = Option(
    "space",
    "choice",
    "parallel robots: the coordinates, those of the platform or of the motors",
    ("platform", "motors"),
    "platform",
)
ALIKE = Option("alike", "flag", "parallel robots: the same parameters of all legs share one column", default=False)
_ACCELERATION = "m/s² and rad/s²"
_WRENCH = "N and N·m"
_GAM = Quantity("GAM", "torque of each motor; of redundant motors the least ones", "torque", "(m,)")

PARALLEL: Mapping[str, OfPlatform] = {
    "inverse_dynamics": OfPlatform(
        f"{_MODELS}:inverse_dynamics", ("T", "V", "VP", "wrench"), (_GAM,), (PARAMS, BRANCH), "K10:66"
    ),
    "direct_dynamics": OfPlatform(
        f"{_MODELS}:direct_dynamics",
        ("T", "V", "tau", "wrench"),
        (Quantity("VP", "acceleration of the platform: the time derivative of V", _ACCELERATION, "(6,)"),),
        (PARAMS, BRANCH),
        "K10:59-66",
    ),
    "inertia_matrix": OfPlatform(
        f"{_MODELS}:inertia_matrix",
        ("T",),
        (Quantity("A", "inertia matrix", "kg, kg·m and kg·m²", "(6, 6) or (m, m)"),),
        (PARAMS, SPACE, BRANCH),
        "K10:59-66",
    ),
    "bias": OfPlatform(
        f"{_MODELS}:bias",
        ("T", "V", "wrench"),
        (Quantity("H", "forces without acceleration", _WRENCH, "(6,) or (m,)"),),
        (PARAMS, SPACE, BRANCH),
        "K10:59-66",
    ),
    "gravity": OfPlatform(
        f"{_MODELS}:gravity",
        ("T",),
        (Quantity("Q", "forces against gravity", _WRENCH, "(6,) or (m,)"),),
        (PARAMS, SPACE, BRANCH),
        "K10:59-66",
    ),
    "energies": OfPlatform(
        f"{_MODELS}:energies",
        ("T", "V"),
        (
            Quantity("E", "kinetic energy of platform, legs and rotors", "J", "()"),
            Quantity("U", "potential energy of the masses", "J", "()"),
            Quantity("US", "potential energy of the springs, of legs with elastic joints", "J", "()"),
        ),
        (BRANCH,),
        "K13:7.25, K10:59-66",
    ),
    "jacobian": OfPlatform(
        f"{_MODELS}:jacobian",
        ("T",),
        (Quantity("J", "velocity of the platform for a unit velocity of each motor", "m or 1", "(6, m)"),),
        (BRANCH,),
        "K10:60",
    ),
    "jacobian_inverse": OfPlatform(
        f"{_MODELS}:jacobian_inverse",
        ("T",),
        (Quantity("JINV", "velocity of each motor for a unit velocity of the platform", "1/m or 1", "(m, 6)"),),
        (BRANCH,),
        "K10:60-65",
    ),
    "jdot_qdot": OfPlatform(
        f"{_MODELS}:jdot_qdot",
        ("T", "V"),
        (Quantity("JPQP", "acceleration of the platform when no motor accelerates", _ACCELERATION, "(6,)"),),
        (BRANCH,),
        "K10:60",
    ),
    "loop_closure": OfPlatform(
        f"{_MODELS}:loop_closure",
        ("T", "V", "VP"),
        (
            Quantity("E", "how far legs that constrain the platform are from it", "m or 1", "(e,)"),
            Quantity("EV", "velocity of the platform against its constraints", "m/s or rad/s", "(e,)"),
            Quantity("EVP", "acceleration of the platform against its constraints", "m/s² or rad/s²", "(e,)"),
        ),
        (BRANCH,),
        "K10:63-65",
    ),
    "loop_step": OfPlatform(
        "symoro.models.parallel.geometry:loop_step",
        ("T", "q"),
        (
            Quantity("TN", "pose after the step", "1, and m", "(4, 4)"),
            Quantity("EQ", "how far motors and constraints were away before the step", "m or rad", "()"),
        ),
        (BRANCH,),
        "K10:60",
    ),
    "cut_wrenches": OfPlatform(
        f"{_MODELS}:attachment_wrenches",
        ("T", "V", "VP", "wrench"),
        (Quantity("FK", "[f; m] of each leg on the platform at its attachment, in frame 0", _WRENCH, "(legs, 6)"),),
        (PARAMS, BRANCH),
        "K10:66",
    ),
    "dynamic_regressor": OfPlatform(
        "symoro.models.parallel.regressor:dynamic_regressor",
        ("T", "V", "VP"),
        (),
        (PARAMS, ALIKE, BRANCH),
        "K97:39, K10:66",
    ),
    "forward_geometry": OfPlatform(procedure="symoro.platforms.forward:forward_geometry"),
}
