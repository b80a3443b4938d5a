"""The table of all models: what exists, under which names, for which robots, after which equations.

Command line, documentation and `symoro.<name>` are driven by this table. A new model is one file with its algorithm
and one row here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from symoro.errors import UnknownModel
from symoro.models.conditions import (
    closed_structure,
    loops_without_wheels,
    no_wheels,
    plain_on_known_base,
    plain_or_loops,
    rigid,
    rigid_joint_velocities,
    rigid_on_fixed_base,
    rigid_without_given_motion,
    unconstrained,
    weighed,
    weighed_and_rigid,
)
from symoro.models.entry import (
    AT,
    COLUMNS,
    PARAMS,
    Entry,
    Form,
    Method,
    Option,
    Quantity,
    method,
)
from symoro.models.families import CONSTRAINED, EVERY, OPEN, TREE, UNCONSTRAINED, WITH_BASE, Kind
from symoro.models.parallel_catalogue import PARALLEL

_GEOMETRIC = "symoro.models.geometric"
_KINEMATIC = "symoro.models.kinematic"
_LOOPS = "symoro.models.loops"
_DYNAMIC = "symoro.models.dynamic"
_IDENTIFICATION = "symoro.models.identification.regressors"

FAST = Option("fast", "flag", "intermediate variables, as few operations as possible (K97 § 3.2)", default=False)
LINK = Option("link", "frame", "a link or a named frame; every link where none is given")
BY = Option(
    "by",
    "choice",
    "with closed loops, the columns: the motors', or all joints' of the tree",
    ("motors", "joints"),
    "motors",
)
IN_FRAME = Option("frame", "frame", "the frame of the result; each link's own where none is given")

TIP = Option("link", "frame", "the link or named frame; the only tip where none is given")
TASK = Option("task", "choice", "the rows: all of [v; ω], or the position's", ("all", "position"), "all")
TASK_FRAME = Option("frame", "frame", "the frame of the result", default=0)

CLOSURE = (
    Quantity("E", "residual of the closure equations, 0 where the loops are closed", "m or 1", "(e,)"),
    Quantity("QC", "position of each cut joint", "position", "(k,)"),
    Quantity("ALIGN", "positive where the axes of the two frames of a cut point the same way", "1", "(k,)"),
)
BASE_MOTION = (
    Quantity("V0", "velocity [linear; angular] of the base in frame 0", "m/s and rad/s", "(6,)"),
    Quantity("VP0", "acceleration [linear; angular] of the base in frame 0", "m/s² and rad/s²", "(6,)"),
)


def _merged(plain: str, merged: str) -> tuple[Method, ...]:
    """The product of the joints' matrices as it is, and with parallel axes merged in either direction."""
    endings = ("outward", "inward", "outward_crossed", "inward_crossed")
    module = f"{_GEOMETRIC}.transform"
    forms = (Form(f"{merged}_{ending}", f"{module}:{merged}_{ending}") for ending in endings)
    return (method(f"{module}:{plain}", *forms),)


def _lean(model: str, layouts: str = "layouts") -> Form:
    """The lean form of a model of trees."""
    return Form("lean", f"{_DYNAMIC}.lean.models:{model}", f"{_DYNAMIC}.lean.layout:{layouts}")


def _constrained(model: str, layouts: str, name: str, on: tuple[Kind, ...]) -> Method:
    """A model of the open tree and the constraint of a robot, plain and lean."""
    algorithm = f"{_DYNAMIC}.constrained:{model}"
    return method(algorithm, Form("lean", algorithm, layouts), name=name, on=on)


KNOWN: tuple[Kind, ...] = (*OPEN, *WITH_BASE)
"""Every family in which the motion of the base is known or follows."""
_SYSTEMS, _INVERSE = f"{_DYNAMIC}.lean.layout:system_layouts", f"{_DYNAMIC}.constrained:inverse_layouts"
_MOVING = f"{_DYNAMIC}.lean.layout:moving_layouts"
_LAYOUTS, _WEIGHINGS = f"{_DYNAMIC}.lean.layout:layouts", f"{_DYNAMIC}.lean.layout:weighings"


_ROWS: tuple[Entry, ...] = (
    Entry(
        name="transform",
        title="Transformation matrix between two frames",
        menu="Geometric",
        methods=_merged("transform", "transform"),
        inputs=("q",),
        outputs=(Quantity("T", "pose of frame j in frame i: rotation and position", "1, and m", "(4, 4)"),),
        citation="K97:1",
        oracle="Pinocchio frame placements",
        aliases=("trm",),
        options=(
            Option("i", "frame", "the frame to look from", required=True),
            Option("j", "frame", "the frame to look at", required=True),
            FAST,
        ),
    ),
    Entry(
        name="forward_geometry",
        title="Direct geometric model",
        menu="Geometric",
        methods=_merged("forward_geometry", "geometry"),
        inputs=("q",),
        outputs=(
            Quantity(
                "T", "pose of the frame in frame 0, or in the world where the base has a pose", "1, and m", "(4, 4)"
            ),
        ),
        citation="K97:1",
        oracle="Pinocchio forwardKinematics",
        aliases=("dgm", "fgm"),
        options=(Option("link", "frame", "the frame to locate; every tip where none is given"), FAST),
    ),
    Entry(
        name="loop_closure",
        title="Geometric constraint equations of closed loops",
        menu="Geometric",
        methods=(method(f"{_LOOPS}.closure:loop_closure"),),
        inputs=("q",),
        outputs=CLOSURE,
        citation="K97:2",
        oracle="Pinocchio placements of the two frames of each cut",
        aliases=("geometric_constraints",),
        applies=closed_structure,
    ),
    Entry(
        name="loop_step",
        title="A step of Newton's method towards closed loops",
        menu="Geometric",
        methods=(method(f"{_LOOPS}.closure:loop_step"),),
        inputs=("q",),
        outputs=(
            Quantity("Q", "position of each joint after the step", "position", "(n,)"),
            *CLOSURE,
        ),
        citation="K97:2",
        oracle="the closure equations after some steps",
        options=(AT,),
        applies=closed_structure,
    ),
    Entry(
        name="jacobian",
        title="Jacobian matrix",
        menu="Kinematic",
        methods=(method(f"{_KINEMATIC}.jacobian:jacobian"),),
        inputs=("q",),
        outputs=(Quantity("J", "velocity [v; ω] of the link for a unit velocity of each joint", "m or 1", "(6, m)"),),
        follows=("loops",),
        citation="K97:3-5, K97 § 4.5",
        oracle="Pinocchio getFrameJacobian",
        aliases=("jac",),
        options=(
            Option("link", "frame", "the link or named frame whose velocity it gives", required=True),
            Option("frame", "frame", "the frame of the result (r of K97:4)", default=0),
            Option("projection", "frame", "the frame of the last matrix (i of K97:4); none: the cheapest"),
            Option("intermediate", "frame", "the frame whose origin it is taken at (j of K97:4); none: the cheapest"),
            BY,
        ),
    ),
    Entry(
        name="jacobian_determinant",
        title="Determinant of the Jacobian matrix, factored",
        menu="Kinematic",
        methods=(method(f"{_KINEMATIC}.determinant:jacobian_determinant"),),
        inputs=("q",),
        outputs=(Quantity("DET", "determinant of the Jacobian matrix of the task", "m to a power", "()"),),
        follows=("loops",),
        citation="K97 § 4.6",
        oracle="NumPy det of Pinocchio's Jacobian",
        aliases=("det",),
        options=(
            Option("link", "frame", "the link or named frame; the only tip where none is given"),
            Option(
                "task", "choice", "the rows: all that are not zero, or the position's", ("auto", "position"), "auto"
            ),
            BY,
        ),
        applies=plain_or_loops,
    ),
    Entry(
        name="jacobian_inverse",
        title="Inverse of the Jacobian matrix",
        menu="Kinematic",
        methods=(method(f"{_KINEMATIC}.inverse:jacobian_inverse"),),
        inputs=("q",),
        outputs=(
            Quantity("JINV", "velocity of each joint for a unit velocity [v; ω] of the link", "1/m or 1", "(m, 6)"),
        ),
        follows=("loops",),
        citation="K97 § 4.6",
        oracle="NumPy inverse of Pinocchio's Jacobian",
        aliases=("jinv", "ikm"),
        options=(
            Option("link", "frame", "the link or named frame; the only tip where none is given"),
            Option("frame", "frame", "the frame of the velocities", default=0),
            BY,
        ),
    ),
    Entry(
        name="velocities",
        title="Velocities of links",
        menu="Kinematic",
        methods=(method(f"{_KINEMATIC}.motion:velocities"),),
        inputs=("q", "qd", "V0"),
        outputs=(Quantity("V", "velocity [v; ω] of each link", "m/s and rad/s", "(links, 6) or (6,)"),),
        follows=("loops",),
        citation="K97:6",
        oracle="Pinocchio getFrameVelocity",
        aliases=("vlct",),
        options=(LINK, IN_FRAME),
    ),
    Entry(
        name="accelerations",
        title="Accelerations of links",
        menu="Kinematic",
        methods=(method(f"{_KINEMATIC}.motion:accelerations"),),
        inputs=("q", "qd", "qdd", "V0", "VP0"),
        outputs=(
            Quantity("VP", "acceleration [linear; angular] of each link", "m/s² and rad/s²", "(links, 6) or (6,)"),
        ),
        follows=("loops",),
        citation="K97:8-10",
        oracle="Pinocchio getFrameClassicalAcceleration",
        aliases=("accel",),
        options=(LINK, IN_FRAME),
    ),
    Entry(
        name="jdot_qdot",
        title="Accelerations of links that velocities alone cause",
        menu="Kinematic",
        methods=(method(f"{_KINEMATIC}.motion:jdot_qdot"),),
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
        citation="K97 § 4.4",
        oracle="Pinocchio getFrameClassicalAcceleration without joint accelerations",
        aliases=("jpqp",),
        options=(LINK, IN_FRAME),
    ),
    Entry(
        name="loop_kinematics",
        title="Kinematic constraint equations of closed loops",
        menu="Kinematic",
        methods=(method(f"{_LOOPS}.constraint:loop_kinematics"),),
        inputs=("q", "qd"),
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
    Entry(
        name="inverse_dynamics",
        title="Inverse dynamic model",
        menu="Dynamic",
        methods=(
            method(
                f"{_DYNAMIC}.newton_euler:inverse_dynamics", _lean("inverse_dynamics"), name="newton-euler", on=TREE
            ),
            method(f"{_DYNAMIC}.lagrange:inverse_dynamics", name="lagrange", on=TREE, on_request=True),
            method(f"{_DYNAMIC}.lagrange:with_functions", name="lagrange", on=CONSTRAINED, on_request=True),
            method(f"{_DYNAMIC}.hybrid:inverse_dynamics", name="newton-euler", on=UNCONSTRAINED),
            _constrained("inverse_dynamics", _INVERSE, "inertia-matrix", UNCONSTRAINED),
            _constrained("inverse_dynamics", _INVERSE, "newton-euler", CONSTRAINED),
        ),
        inputs=("quat", "q", "qd", "qdd", "wrench", "V0", "VP0"),
        outputs=(
            Quantity("GAM", "torque of each motor", "torque", "(m,)"),
            Quantity("QDP", "acceleration of each joint without a motor", "acceleration", "(n - m,)"),
            *BASE_MOTION,
        ),
        follows="all",
        solves=EVERY,
        springs_apart=EVERY,
        citation="K97:15-20",
        oracle="Pinocchio rnea",
        aliases=("idm",),
        options=(PARAMS,),
    ),
    Entry(
        name="inertia_matrix",
        title="Inertia matrix",
        menu="Dynamic",
        methods=(
            method(
                f"{_DYNAMIC}.composite_links:inertia_matrix",
                _lean("inertia_matrix", "weighings"),
                name="composite-links",
                on=OPEN,
            ),
            method(f"{_DYNAMIC}.renaud:inertia_matrix", name="renaud", on=OPEN),
            method(f"{_DYNAMIC}.lin:inertia_matrix", name="lin", on=OPEN),
            # divides by masses
            method(f"{_DYNAMIC}.walker_orin:inertia_matrix", name="walker-orin", on=OPEN, on_request=True),
            _constrained("inertia_matrix", _WEIGHINGS, "composite-links", WITH_BASE),
        ),
        inputs=("q",),
        outputs=(Quantity("A", "inertia matrix of the coordinates", "inertia", "(m, m)"),),
        follows="all",
        springs_apart=EVERY,
        citation="K97:26-38, L91:12-30, L91:62-65, L91:A1-A9",
        oracle="Pinocchio crba",
        aliases=("inm",),
        options=(PARAMS,),
    ),
    Entry(
        name="bias",
        title="Torques without acceleration: Coriolis, centrifugal, gravity, friction and external",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.bias:bias", _lean("bias"), name="newton-euler", on=OPEN),
            method(f"{_DYNAMIC}.lin:bias", name="lin", on=OPEN),
            _constrained("bias", _LAYOUTS, "newton-euler", WITH_BASE),
        ),
        inputs=("quat", "q", "qd", "wrench", "V0", "VP0"),
        outputs=(Quantity("H", "torque of each coordinate without acceleration", "torque", "(m,)"),),
        follows="all",
        solves=EVERY,
        springs_apart=EVERY,
        citation="K97:25, L91:31-67",
        oracle="Pinocchio nonLinearEffects",
        aliases=("ccg",),
        options=(PARAMS,),
    ),
    Entry(
        name="coriolis",
        title="Matrix C of the Coriolis and centrifugal torques",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.coriolis:by_christoffel", name="christoffel", on=OPEN),
            method(f"{_DYNAMIC}.coriolis:by_lin", name="lin", on=OPEN),
            method(f"{_DYNAMIC}.coriolis_of_links:coriolis", name="links", on=CONSTRAINED),
        ),
        inputs=("q", "qd"),
        outputs=(
            Quantity(
                "C", "matrix that gives the Coriolis and centrifugal torques with the velocities", "damping", "(m, m)"
            ),
        ),
        follows="all",
        citation="K13:7.7, L91:45-47",
        oracle="Pinocchio computeCoriolisMatrix",
        options=(PARAMS,),
        applies=plain_on_known_base,
    ),
    Entry(
        name="coriolis_torques",
        title="Coriolis and centrifugal torques",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.bias:coriolis_torques", _lean("coriolis_torques"), name="newton-euler", on=OPEN),
            method(f"{_DYNAMIC}.coriolis:torques_by_lin", name="lin", on=OPEN),
            method(f"{_DYNAMIC}.projected:coriolis_torques", name="newton-euler", on=WITH_BASE),
        ),
        inputs=("q", "qd"),
        outputs=(Quantity("CQP", "Coriolis and centrifugal torque of each coordinate", "torque", "(m,)"),),
        more=("V0",),
        follows="all",
        citation="K97:23, L91:54",
        oracle="Pinocchio nonLinearEffects without gravity",
        options=(PARAMS,),
    ),
    Entry(
        name="gravity",
        title="Torques against gravity",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.gravity:by_newton_euler", name="newton-euler", on=OPEN),
            method(f"{_DYNAMIC}.gravity:by_composite_links", name="composite-links", on=OPEN),
            method(f"{_DYNAMIC}.gravity:by_lagrange", name="lagrange", on=OPEN),
            method(f"{_DYNAMIC}.projected:gravity", name="newton-euler", on=WITH_BASE),
            method(f"{_DYNAMIC}.projected:gravity_by_composite_links", name="composite-links", on=WITH_BASE),
        ),
        inputs=("quat", "q"),
        outputs=(Quantity("Q", "torque of each coordinate against gravity", "torque", "(m,)"),),
        follows="all",
        citation="K97:23, L91:58, K13:7.8",
        oracle="Pinocchio computeGeneralizedGravity",
        options=(PARAMS,),
    ),
    Entry(
        name="lagrange_coefficients",
        title="Coefficients A, B, Q of Lagrange's equations",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.lagrange_coefficients:by_differentiation", name="differentiation", on=OPEN),
            method(f"{_DYNAMIC}.lagrange_coefficients:by_lin", name="lin", on=OPEN),
        ),
        inputs=("q",),
        outputs=(
            Quantity("A", "inertia matrix of the joints", "inertia", "(m, m)"),
            Quantity("B", "coefficient of each product of two velocities", "inertia", "(n, n(n+1)/2)"),
            Quantity("Q", "torque of each joint against gravity", "torque", "(m,)"),
        ),
        citation="K97:23, K13:7.7, L91:45-47",
        oracle="Pinocchio crba, nonLinearEffects and computeGeneralizedGravity",
        aliases=("lagrange",),
        options=(PARAMS,),
        applies=unconstrained,
    ),
    Entry(
        name="energies",
        title="Kinetic and potential energy",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.energies:energies", on=OPEN),
            method(f"{_DYNAMIC}.energies:of_constrained", on=WITH_BASE),
        ),
        inputs=("quat", "q", "qd", "V0"),
        outputs=(
            Quantity("E", "kinetic energy of links and rotors", "J", "()"),
            Quantity("U", "potential energy of the masses", "J", "()"),
            Quantity("US", "potential energy of the springs, of a robot with elastic joints", "J", "()"),
        ),
        follows="all",
        springs_apart=EVERY,
        citation="K13:7.9-7.25, K10:69",
        oracle="Pinocchio computeKineticEnergy and computePotentialEnergy",
    ),
    Entry(
        name="direct_dynamics",
        title="Direct dynamic model",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.articulated_body:direct_dynamics", name="recursive", on=TREE),
            method(
                f"{_DYNAMIC}.direct:direct_dynamics",
                _lean("direct_dynamics", "system_layouts"),
                name="inertia-matrix",
                on=TREE,
            ),
            method(f"{_DYNAMIC}.hybrid:direct_dynamics", name="recursive", on=UNCONSTRAINED),
            _constrained("direct_dynamics", _SYSTEMS, "inertia-matrix", (*UNCONSTRAINED, *CONSTRAINED)),
        ),
        inputs=("quat", "q", "qd", "tau", "wrench", "V0", "VP0"),
        outputs=(
            Quantity("QDP", "acceleration of each joint", "acceleration", "(m,)"),
            *BASE_MOTION,
        ),
        follows="all",
        solves=EVERY,
        springs_apart=EVERY,
        citation="K10:32-44, K97:24",
        oracle="Pinocchio aba",
        aliases=("ddm",),
        options=(PARAMS,),
    ),
    Entry(
        name="reactions",
        title="Wrenches on the links from their antecedents, for given accelerations",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.reactions:reactions", name="newton-euler", on=OPEN),
            method(f"{_DYNAMIC}.reactions:of_constrained", name="newton-euler", on=WITH_BASE),
        ),
        automatic=False,
        follows="all",
        solves=WITH_BASE,
        springs_apart=WITH_BASE,
        inputs=("quat", "q", "qd", "qdd", "wrench", "V0", "VP0"),
        outputs=(
            Quantity(
                "R",
                "wrench [f; m] on each link from its antecedent, at the origin of its frame",
                "N and N·m",
                "(links, 6)",
            ),
        ),
        citation="K97:17-19",
        oracle="Pinocchio rnea, the forces of its joints",
        applies=no_wheels,
    ),
    Entry(
        name="direct_reactions",
        title="Accelerations, and wrenches on the links from their antecedents, for given torques",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.reactions:by_recursion", name="recursive", on=OPEN),
            method(f"{_DYNAMIC}.reactions:by_inertia_matrix", name="inertia-matrix", on=OPEN),
            method(f"{_DYNAMIC}.reactions:direct_of_constrained", name="inertia-matrix", on=WITH_BASE),
        ),
        follows="all",
        solves=WITH_BASE,
        springs_apart=WITH_BASE,
        inputs=("quat", "q", "qd", "tau", "wrench", "V0", "VP0"),
        outputs=(
            Quantity("QDP", "acceleration of each joint", "acceleration", "(m,)"),
            Quantity(
                "R",
                "wrench [f; m] on each link from its antecedent, at the origin of its frame",
                "N and N·m",
                "(links, 6)",
            ),
            *BASE_MOTION,
        ),
        citation="K10:41-43",
        oracle="Pinocchio aba, then rnea, the forces of its joints",
        applies=no_wheels,
    ),
    Entry(
        name="friction",
        title="Friction torques of the joints",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.drives:friction", on=OPEN),
            method(f"{_DYNAMIC}.projected:friction", on=WITH_BASE),
        ),
        inputs=("qd",),
        outputs=(Quantity("GAMF", "friction torque of each joint", "torque", "(m,)"),),
        more=("q",),
        follows="all",
        citation="K13:7.26-7.28",
        oracle="the formulas in NumPy",
    ),
    Entry(
        name="motor_torques",
        title="Torques of the motors, where transmissions couple them",
        menu="Dynamic",
        methods=(
            method(f"{_DYNAMIC}.motors:motor_torques", _lean("motor_torques"), name="newton-euler", on=OPEN),
            method(f"{_DYNAMIC}.motors:of_constrained", name="newton-euler", on=WITH_BASE),
        ),
        automatic=False,
        follows="all",
        solves=WITH_BASE,
        springs_apart=WITH_BASE,
        inputs=("quat", "q", "qd", "qdd", "wrench", "V0", "VP0"),
        outputs=(Quantity("TAUM", "torque of each motor", "torque", "(m,)"),),
        citation="K13:7.29-7.33",
        oracle="Pinocchio rnea and the coupling matrix in NumPy",
        options=(PARAMS,),
    ),
    Entry(
        name="dynamic_regressor",
        title="Dynamic identification model",
        menu="Identification",
        methods=(
            method(
                f"{_IDENTIFICATION}.dynamic:dynamic_regressor",
                Form("projected", f"{_IDENTIFICATION}.projected:dynamic_regressor", _MOVING),
                on=OPEN,
            ),
            method(f"{_IDENTIFICATION}.dynamic:of_constrained", on=WITH_BASE),
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
        options=COLUMNS,
        columns=True,
        applies=rigid,
    ),
    Entry(
        name="energy_regressor",
        title="Energy identification model",
        menu="Identification",
        methods=(
            method(f"{_IDENTIFICATION}.energy:energy_regressor", on=OPEN),
            method(f"{_IDENTIFICATION}.energy:energy_of_constrained", on=CONSTRAINED),
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
        options=COLUMNS,
        columns=True,
        applies=rigid_on_fixed_base,
    ),
    Entry(
        name="energy_difference_regressor",
        title="Energy identification model between two states",
        menu="Identification",
        methods=(
            method(f"{_IDENTIFICATION}.energy:energy_difference_regressor", on=OPEN),
            method(f"{_IDENTIFICATION}.energy:difference_of_constrained", on=CONSTRAINED),
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
        title="Power identification model",
        menu="Identification",
        methods=(
            method(f"{_IDENTIFICATION}.energy:power_regressor", on=OPEN),
            method(f"{_IDENTIFICATION}.energy:power_of_constrained", on=WITH_BASE),
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
        title="Filtered dynamic identification model",
        menu="Identification",
        methods=(
            method(f"{_IDENTIFICATION}.filtered:filtered_regressor", on=OPEN),
            method(f"{_IDENTIFICATION}.filtered:of_loops", on=CONSTRAINED),
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
    Entry(
        name="cut_wrenches",
        title="Wrenches in the cut joints of closed loops",
        menu="Dynamic",
        methods=(method(f"{_DYNAMIC}.cut_wrenches:cut_wrenches", on=CONSTRAINED),),
        inputs=("quat", "q", "qd", "qdd", "wrench", "V0", "VP0"),
        outputs=(
            Quantity(
                "FC",
                "wrench [f; m] on the link of each cut joint, at and along the frame of its mate",
                "N and N·m",
                "(k, 6)",
            ),
        ),
        follows="all",
        solves=EVERY,
        springs_apart=EVERY,
        citation="K10 § 4",
        oracle="Lagrange multipliers on Pinocchio's tree",
        options=(PARAMS,),
        applies=loops_without_wheels,
    ),
    Entry(
        name="centre_of_mass",
        title="Centre of mass in frame 0",
        menu="Dynamic",
        methods=(method(f"{_DYNAMIC}.centre_of_mass:centre_of_mass"),),
        inputs=("q",),
        outputs=(Quantity("COM", "centre of mass of the robot in frame 0", "m", "(3,)"),),
        citation="composite links, K97:29-30",
        oracle="Pinocchio centerOfMass",
        aliases=("com",),
        applies=weighed,
    ),
    Entry(
        name="centre_of_mass_jacobian",
        title="Jacobian matrix of the centre of mass, in frame 0",
        menu="Dynamic",
        methods=(method(f"{_DYNAMIC}.centre_of_mass:centre_of_mass_jacobian", on=KNOWN),),
        inputs=("q",),
        outputs=(
            Quantity(
                "JCOM", "velocity of the centre of mass for a unit velocity of each coordinate", "m or 1", "(3, m)"
            ),
        ),
        follows="all",
        citation="composite links, K97:29-30",
        oracle="Pinocchio jacobianCenterOfMass",
        aliases=("com_jacobian",),
        applies=weighed,
    ),
    Entry(
        name="centroidal_momentum",
        title="Linear momentum, and angular momentum about the centre of mass, in frame 0",
        menu="Dynamic",
        methods=(method(f"{_DYNAMIC}.momentum:centroidal_momentum", on=KNOWN),),
        inputs=("q", "qd", "V0"),
        outputs=(
            Quantity(
                "HG", "linear momentum, then angular momentum about the centre of mass", "kg·m/s and kg·m²/s", "(6,)"
            ),
        ),
        follows="all",
        citation="Orin and Goswami 2008",
        oracle="Pinocchio computeCentroidalMomentum",
        applies=weighed,
    ),
    Entry(
        name="centroidal_momentum_matrix",
        title="Centroidal momentum matrix, in frame 0",
        menu="Dynamic",
        methods=(method(f"{_DYNAMIC}.momentum:centroidal_momentum_matrix", on=KNOWN),),
        inputs=("q",),
        outputs=(
            Quantity("AG", "centroidal momentum for a unit velocity of each coordinate", "kg, kg·m or kg·m²", "(6, m)"),
        ),
        follows="all",
        citation="Orin and Goswami 2008",
        oracle="Pinocchio computeCentroidalMap",
        aliases=("cmm",),
        applies=weighed,
    ),
    Entry(
        name="operational_inertia",
        title="Inertia matrix of a link in operational space",
        menu="Dynamic",
        methods=(method(f"{_DYNAMIC}.operational:operational_inertia", on=KNOWN),),
        inputs=("q",),
        outputs=(Quantity("LAMBDA", "inertia matrix of the link", "kg, kg·m or kg·m²", "(6, 6) or (3, 3)"),),
        follows="all",
        citation="Khatib 1987",
        oracle="NumPy with Pinocchio's inertia matrix and Jacobian",
        options=(TIP, TASK_FRAME, TASK, PARAMS),
        applies=weighed_and_rigid,
    ),
    Entry(
        name="operational_dynamics",
        title="Dynamic model of a link in operational space: inertia, Coriolis and gravity forces",
        menu="Dynamic",
        methods=(method(f"{_DYNAMIC}.operational:operational_dynamics", on=KNOWN),),
        inputs=("quat", "q", "qd", "V0", "VP0"),
        outputs=(
            Quantity("LAMBDA", "inertia matrix of the link", "kg, kg·m or kg·m²", "(6, 6) or (3, 3)"),
            Quantity("MU", "Coriolis and centrifugal forces [f; m] at the link", "N and N·m", "(6,) or (3,)"),
            Quantity("P", "forces [f; m] against gravity at the link", "N and N·m", "(6,) or (3,)"),
        ),
        follows="all",
        citation="Khatib 1987",
        oracle="NumPy with Pinocchio's inertia matrix, Jacobian, torques and accelerations",
        options=(TIP, TASK_FRAME, TASK, PARAMS),
        applies=weighed_and_rigid,
    ),
    Entry(
        name="payload_torques",
        title="Torques that hold a payload on a link against gravity",
        menu="Dynamic",
        methods=(method(f"{_DYNAMIC}.payload:payload_torques", on=KNOWN),),
        inputs=("quat", "q", "payload"),
        outputs=(Quantity("Q", "torque of each coordinate that holds the payload", "torque", "(m,)"),),
        follows="all",
        citation="L91:58",
        oracle="NumPy with Pinocchio's Jacobian",
        options=(TIP,),
    ),
    Entry(
        name="analytical_jacobian",
        title="Analytical Jacobian matrix: velocities, and rates of angles or of a quaternion",
        menu="Kinematic",
        methods=(method(f"{_KINEMATIC}.analytical:analytical_jacobian"),),
        inputs=("q",),
        outputs=(
            Quantity(
                "JA",
                "rates of position and orientation for a unit velocity of each joint",
                "m or 1",
                "(6, n) or (7, n)",
            ),
        ),
        citation="K97:3-5, Shepperd 1978",
        oracle="finite differences of the orientation of Pinocchio's placements",
        options=(
            Option("link", "frame", "the link or named frame whose orientation in frame 0 it is", required=True),
            Option(
                "angles",
                "choice",
                "rpy: roll, pitch, yaw about x, y, z of frame 0; zyx, zyz: Euler angles; quaternion: x y z w, w ≥ 0",
                ("rpy", "zyx", "zyz", "quaternion"),
                "rpy",
            ),
        ),
    ),
    Entry(
        name="manipulability",
        title="Manipulability √det(J Jᵀ)",
        menu="Kinematic",
        methods=(method(f"{_KINEMATIC}.manipulability:manipulability", on=KNOWN),),
        inputs=("q",),
        outputs=(Quantity("W", "manipulability of the task", "m to a power", "()"),),
        follows="all",
        citation="Yoshikawa 1985",
        oracle="singular values of Pinocchio's Jacobian",
        options=(TIP, TASK),
    ),
)


CATALOGUE: tuple[Entry, ...] = tuple(replace(row, platform=PARALLEL.get(row.name)) for row in _ROWS)


def entries() -> Iterator[Entry]:
    """All models in the order of the menus."""
    return iter(CATALOGUE)


def find(name: str) -> Entry:
    """The model of this name or alias."""
    names = {n: entry for entry in CATALOGUE for n in (entry.name, *entry.aliases)}
    if name not in names:
        close = get_close_matches(name, names, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"allowed: {', '.join(e.name for e in CATALOGUE)}"
        raise UnknownModel(f"no model is called {name!r} ({hint})")
    return names[name]
