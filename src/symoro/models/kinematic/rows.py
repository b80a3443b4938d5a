"""The rows of the kinematic models."""

from __future__ import annotations

from symoro.models.conditions import plain_or_loops
from symoro.models.entry import FRAME, TASK, TIP, Entry, ModelOption, Quantity, method
from symoro.models.families import ALL, KNOWN, PLATFORM
from symoro.models.kinematic import analytical, determinant, inverse, jacobian, manipulability, motion
from symoro.options import NONE, Choice

LINK = ModelOption(
    "link",
    FRAME | NONE,
    None,
    "a link or a named frame; every link where none is given",
    "un corps ou un repère nommé ; tous les corps si rien n'est donné",
    on=ALL,
)
BY = ModelOption(
    "by",
    Choice(("motors", "joints")),
    "motors",
    "with closed loops, the columns: the motors', or all joints' of the tree",
    "avec des boucles, les colonnes : celles des moteurs, ou de toutes les articulations",
)
IN_FRAME = ModelOption(
    "frame",
    FRAME | NONE,
    None,
    "the frame of the result; each link's own where none is given",
    "le repère du résultat ; celui de chaque corps si rien n'est donné",
    on=ALL,
)

ROWS: tuple[Entry, ...] = (
    Entry(
        name="jacobian",
        menu="Kinematic",
        methods=(method(jacobian.jacobian), method(inverse.jacobian_by_motors, on=PLATFORM)),
        inputs=("q",),
        outputs=(Quantity("J", "velocity [v; ω] of the link for a unit velocity of each joint", "m or 1", "(6, m)"),),
        follows=("loops",),
        looks=("pose", "motors"),
        citation="K97:3-5, K97 § 4.5",
        oracle="Pinocchio getFrameJacobian",
        aliases=("jac",),
        options=(
            ModelOption(
                "link",
                FRAME,
                None,
                "the link or named frame whose velocity it gives; of a platform, itself where none is given",
                "le corps ou le repère nommé dont elle donne la vitesse ; d'une plateforme, elle-même sans indication",
                required=True,
                on=ALL,
                optional_on=PLATFORM,
            ),
            ModelOption(
                "frame",
                FRAME,
                0,
                "the frame of the result (r of K97:4)",
                "le repère du résultat (r de K97:4)",
                on=ALL,
            ),
            ModelOption(
                "projection",
                FRAME | NONE,
                None,
                "the frame of the last matrix (i of K97:4); none: the cheapest",
                "le repère de la dernière matrice (i de K97:4) ; sinon le moins coûteux",
                on=ALL,
            ),
            ModelOption(
                "intermediate",
                FRAME | NONE,
                None,
                "the frame whose origin it is taken at (j of K97:4); none: the cheapest",
                "le repère à l'origine duquel elle est prise (j de K97:4) ; sinon le moins coûteux",
                on=ALL,
            ),
            BY,
        ),
    ),
    Entry(
        name="jacobian_determinant",
        menu="Kinematic",
        methods=(method(determinant.jacobian_determinant, on=ALL),),
        inputs=("q",),
        outputs=(Quantity("DET", "determinant of the Jacobian matrix of the task", "m to a power", "()"),),
        follows=("loops",),
        citation="K97 § 4.6",
        oracle="NumPy det of Pinocchio's Jacobian",
        aliases=("det",),
        options=(
            TIP,
            ModelOption(
                "task",
                Choice(("auto", "position")),
                "auto",
                "the rows: all that are not zero, or the position's",
                "les lignes : toutes celles qui ne sont pas nulles, ou celles de la position",
                on=ALL,
            ),
            BY,
        ),
        applies=plain_or_loops,
    ),
    Entry(
        name="jacobian_inverse",
        menu="Kinematic",
        methods=(method(inverse.jacobian_inverse), method(inverse.inverse_by_motors, on=PLATFORM)),
        inputs=("q",),
        outputs=(
            Quantity("JINV", "velocity of each joint for a unit velocity [v; ω] of the link", "1/m or 1", "(m, 6)"),
        ),
        follows=("loops",),
        looks=("pose", "result"),
        citation="K97 § 4.6",
        oracle="NumPy inverse of Pinocchio's Jacobian",
        aliases=("jinv", "ikm"),
        options=(
            TIP,
            ModelOption(
                "frame",
                FRAME,
                0,
                "the frame of the velocities",
                "le repère des vitesses",
                on=ALL,
            ),
            BY,
        ),
    ),
    Entry(
        name="velocities",
        menu="Kinematic",
        methods=(method(motion.velocities, on=ALL),),
        inputs=("q", "qd", "V0"),
        outputs=(
            Quantity("V", "velocity [v; ω] of each link", "m/s and rad/s", "(links, 6) or (6,)"),
            Quantity(
                "VL", "the same of a robot with a platform, whose input is V", "m/s and rad/s", "(links, 6) or (6,)"
            ),
        ),
        follows=("loops",),
        citation="K97:6",
        oracle="Pinocchio getFrameVelocity",
        aliases=("vlct",),
        options=(LINK, IN_FRAME),
    ),
    Entry(
        name="accelerations",
        menu="Kinematic",
        methods=(method(motion.accelerations, on=ALL),),
        inputs=("q", "qd", "qdd", "V0", "VP0"),
        outputs=(
            Quantity("VP", "acceleration [linear; angular] of each link", "m/s² and rad/s²", "(links, 6) or (6,)"),
            Quantity(
                "VPL", "the same of a robot with a platform, whose input is VP", "m/s² and rad/s²", "(links, 6) or (6,)"
            ),
        ),
        follows=("loops",),
        citation="K97:8-10",
        oracle="Pinocchio getFrameClassicalAcceleration",
        aliases=("accel",),
        options=(LINK, IN_FRAME),
    ),
    Entry(
        name="jdot_qdot",
        menu="Kinematic",
        methods=(method(motion.jdot_qdot), method(inverse.drift_by_motors, on=PLATFORM)),
        inputs=("q", "qd", "V0"),
        outputs=(
            Quantity(
                "JPQP",
                "acceleration [linear; angular] of each link from velocities alone",
                "m/s² and rad/s²",
                "(links, 6) or (6,)",
            ),
        ),
        follows=("loops",),
        looks=("pose", "motion", "motors"),
        citation="K97 § 4.4",
        oracle="Pinocchio getFrameClassicalAcceleration without joint accelerations",
        aliases=("jpqp",),
        options=(LINK, IN_FRAME),
    ),
    Entry(
        name="analytical_jacobian",
        menu="Kinematic",
        methods=(method(analytical.analytical_jacobian, on=ALL),),
        inputs=("q",),
        outputs=(
            Quantity(
                "JA",
                "rates of position and orientation for a unit velocity of each joint",
                "m or 1",
                "(6, n) or (7, n)",
            ),
        ),
        follows=("loops",),
        looks=("pose", "angles"),
        citation="K97:3-5, Shepperd 1978",
        oracle="finite differences of the orientation of Pinocchio's placements",
        options=(
            ModelOption(
                "link",
                FRAME,
                None,
                "the link or named frame whose orientation in frame 0 it is",
                "le corps ou le repère nommé dont c'est l'orientation dans le repère 0",
                required=True,
                on=ALL,
            ),
            ModelOption(
                "angles",
                Choice(("rpy", "zyx", "zyz", "quaternion")),
                "rpy",
                "rpy: roll, pitch, yaw about x, y, z of frame 0; zyx, zyz: Euler angles; quaternion: x y z w, w ≥ 0",
                "rpy : roulis, tangage, lacet autour de x, y, z du repère 0 ; zyx, zyz : angles d'Euler ; "
                "quaternion : x y z w, w ≥ 0",
                on=ALL,
            ),
        ),
    ),
    Entry(
        name="manipulability",
        menu="Kinematic",
        methods=(method(manipulability.manipulability, on=KNOWN),),
        inputs=("q",),
        outputs=(Quantity("W", "manipulability of the task", "m to a power", "()"),),
        follows="all",
        citation="Yoshikawa 1985",
        oracle="singular values of Pinocchio's Jacobian",
        options=(TIP, TASK),
    ),
)
