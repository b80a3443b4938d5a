"""Symbolic modelling of robots: every model as readable equations, as minimal code and as a fast function.

import symoro
robot = symoro.load("puma560")
m = symoro.inverse_dynamics(robot)
m.ops, m.equations(), m.emit("c", "idm"), m.compile()
"""

# Written by docs/stub.py: change the catalogue, and write it again.

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from numpy.typing import ArrayLike

from symoro.errors import SymoroError as SymoroError
from symoro.formats import check as check
from symoro.formats import load as load
from symoro.formats import write as write
from symoro.formats.tools.mujoco import from_mujoco as from_mujoco
from symoro.formats.tools.mujoco import to_mujoco as to_mujoco
from symoro.formats.tools.pinocchio import from_pinocchio as from_pinocchio
from symoro.formats.tools.pinocchio import to_pinocchio as to_pinocchio
from symoro.formats.tools.toolbox import from_toolbox as from_toolbox
from symoro.identification.excitation.excite import Excitation
from symoro.identification.process.measurements import Measurements as Measurements
from symoro.identification.process.measurements import Source
from symoro.identification.report.result import Identification as Identification
from symoro.model import Model as Model
from symoro.model import generate as generate
from symoro.model import mobility as mobility
from symoro.models.identification.base_parameters import BaseParameters as BaseParameters
from symoro.models.kinematic.singularities import Singularities
from symoro.motion.controller import Controller
from symoro.motion.fixed import Stop
from symoro.motion.pose_path import Target
from symoro.motion.pose_path import moving_target as moving_target
from symoro.motion.scenario import Law, Wrench
from symoro.motion.simulation import Simulation
from symoro.motion.trajectory import Trajectory
from symoro.motion.workspace import Workspace
from symoro.report.animation import animate as animate
from symoro.report.comparison import compare as compare
from symoro.report.picture import draw as draw
from symoro.robot.link import Inertia as Inertia
from symoro.robot.parallel import ParallelRobot as ParallelRobot
from symoro.robot.robot import Attachment as Attachment
from symoro.robot.robot import Robot as Robot
from symoro.solve.branches import Branches as Branches
from symoro.solve.branches import Status as Status
from symoro.solve.loops import loop_geometry as loop_geometry
from symoro.version import __version__ as __version__

__all__ = [
    "Attachment",
    "BaseParameters",
    "Branches",
    "Identification",
    "Inertia",
    "Measurements",
    "Model",
    "ParallelRobot",
    "Robot",
    "Status",
    "SymoroError",
    "animate",
    "base_parameters",
    "check",
    "compare",
    "computed_torque",
    "draw",
    "excite",
    "from_mujoco",
    "from_pinocchio",
    "from_toolbox",
    "generate",
    "identify",
    "inverse_geometry",
    "load",
    "loop_geometry",
    "measurements",
    "mobility",
    "moving_target",
    "pd_gravity",
    "pid",
    "simulate",
    "singularities",
    "task_computed_torque",
    "task_pid",
    "task_trajectory",
    "time_optimal",
    "time_scaled",
    "to_mujoco",
    "to_pinocchio",
    "trajectory",
    "workspace",
    "write",
]

def base_parameters(
    robot: Robot | str | Path,
    *,
    friction: bool = False,
    guess: float | Sequence[float] | None = None,
    every_branch: bool = False,
    alike: bool = False,
) -> BaseParameters:
    """The fewest inertial parameters that give a robot's torques, with their relations (GK88).

    Rotor inertias are among them where they do not regroup; friction parameters where asked. Of a robot with closed
    loops `guess` is a closed configuration q that says the branch; else the branch with the fewest is taken.
    `every_branch` gives those of models with params="base", whose relations hold however the loops are assembled.
    `alike` says that all legs of a parallel robot have the same parameters.
    """

def computed_torque(
    robot: Robot | str | Path,
    frequency: ArrayLike = 10.0,
    damping: ArrayLike = 1.0,
    scheme: Literal["tracking", "position", "predictive"] = "tracking",
    *,
    effort: ArrayLike | None = None,
) -> Controller:
    """Computed torque control in joint space, with errors of given frequency (rad/s) and damping (K13:9.22-9.31).

    tracking: the error obeys ë + K_d ė + K_p e = 0; position: only the wanted position counts; predictive: the model is
    evaluated at the wanted motion. K_p = ω² and K_d = 2 ξ ω (K13:9.26). `effort` limits the torques.
    """

def excite(
    robot: Robot | str | Path,
    *,
    duration: float = 10.0,
    kind: Literal["fourier", "spline"] = "fourier",
    harmonics: int = 5,
    position: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    workspace: ArrayLike | None = None,
    tool: int | str | None = None,
    base: ArrayLike | None = None,
    guess: ArrayLike | None = None,
    alike: bool = False,
    criterion: Literal["condition", "information"] = "condition",
    starts: int = 8,
    steps: int = 250,
    seed: int = 0,
) -> Excitation:
    """A periodic motion that minimises the condition number of the base regressor, or maximises information.

    It is a Fourier series of each motor, or a quintic spline with twice as many pieces as `harmonics` (kind="spline"),
    that starts and ends at rest, the best of several random starts. `position` are limits (motors, 2); those and
    `velocity` are the robot's where none are given. `acceleration` limits, one number or one for each motor, and all
    others hold exactly. With `effort` the motion is slowed down until the torques of the robot's own parameters are
    within their limits. `workspace` is a box in frame 0, (3, 2), which the origin of the frame `tool`, the last link
    where none is given, does not leave.

    Passive joints of closed loops follow the motors on one branch: that of `guess`, a closed configuration, or the one
    with the smallest passive joints. They keep away from dead points, keep the limits of position and velocity of the
    description, and are at most three times as fast as the fastest motor. A
    floating base is at rest on a plate that measures its force and moment, or moves: `base` are limits (6, 2) of x, y,
    z, roll, pitch and yaw; then limits that are given one by one have those of the base first.

    The platform of a parallel robot follows its motors from the home pose on, or from that of `guess`, a pose or
    positions of all joints. It keeps away from singularities of the platform and of the legs, and passive joints keep
    the limits of the description. `workspace` is a box for the platform's origin, or (6, 2): then rows 4 to 6 limit the
    rotation vector from the home pose, in frame 0. With `alike` the legs share their parameters. The σ are those with
    the friction of the description.
    """

def identify(
    robot: Robot | str | Path,
    data: Measurements | Source,
    *,
    method: Literal["ols", "wls", "tls", "irls", "iv", "didim", "cloe"] = "wls",
    essential: Literal["sigma", "bic", "aic"] | None = None,
    physical: bool | Literal["semidefinite", "log-cholesky"] = False,
    prior: float | None = None,
    boxes: Mapping[int, Sequence[Sequence[float]]] | None = None,
    payload: int | str | None = None,
    known: Mapping[str, float] | None = None,
    friction: Literal[
        "auto",
        "none",
        "viscous",
        "coulomb",
        "viscous-coulomb",
        "asymmetric",
        "root",
        "asymmetric-root",
        "quadratic",
        "cubic",
        "stribeck",
        "load",
    ]
    | None = None,
    offset: bool | None = None,
    model: Literal["dynamic", "filtered", "energy"] = "dynamic",
    cutoff: float | Literal["auto"] | None = "auto",
    decimation: int | Literal["auto"] | None = "auto",
    delay: ArrayLike | Literal["auto"] = 0.0,
    dead_zone: ArrayLike | Literal["auto"] | None = "auto",
    border: int | None = None,
    columns: Mapping[str, Any] | None = None,
    units: Mapping[str, Any] | None = None,
    rate: float | None = None,
    side: Literal["joint", "motor"] = "joint",
    transmission: ArrayLike | None = None,
    guess: ArrayLike | None = None,
    controller: Controller | Law | None = None,
    reference: Trajectory | None = None,
    alike: bool = False,
    stream: bool = False,
    scheduler: str | None = None,
    workers: int = 2,
) -> Identification:
    """The dynamic parameters of a robot from measured positions and torques.

    `data` is what `symoro.measurements` takes, with its options `columns`, `units`, `rate`, `side`, `transmission` and
    `guess`, or its result. `method` is ols, wls (rows weighted by joint), irls (robust), tls (total least squares), or
    one that simulates the robot under its `controller` along the `reference` that it followed: iv (instrumental
    variables), didim and cloe (closed-loop output error). These stay unbiased with noisy positions; torques that are
    held need delay = half a sample. The controller is one of `symoro.pid` …, or a function of time, q and qd; without a
    reference the channel `wanted` of the data is taken.

    `model` is dynamic, filtered or energy. The last two need no accelerations: the filtered model derives what the
    filter of the decimation has smoothed, and the energy model has a row for each interval of `decimation` samples.

    `friction` is a law (viscous-coulomb, asymmetric, root, stribeck …) for all motors, "auto" for the one with the
    least error in cross-validation, or None for what the robot's description has; `offset` adds a constant torque.
    `cutoff` (Hz), `decimation` and `dead_zone` (speeds) follow from the data with "auto"; so does `delay` (s): torques
    may be that much earlier than positions, all of them or each motor's by its own; `r.delays` estimates each.

    `essential` takes out parameters that matter little: "sigma", "bic" or "aic". `prior` is the relative deviation of
    the description's inertial parameters, as a Bayesian prior. `payload` is a link: the robot is known, and what it
    carries is identified. `known` are parameters with their values.

    `physical` gives standard parameters of bodies that can exist: the optimum of a semidefinite program, or where
    parameters act nonlinearly (didim, cloe, the speeds of Stribeck's curve) the least squares over log-Cholesky
    coordinates, so that every step is a robot that can exist; "semidefinite" and "log-cholesky" choose one of them.
    `boxes` are corners of links.

    Of a parallel robot the positions of the motors are measured, or the pose of the platform (channel `pose`: x, y, z
    and a quaternion); with `alike` its legs share their parameters.

    With `stream`, files (.npy, .parquet) are read in pieces and memory does not grow with samples; the pieces are done
    by `workers` threads, or by Dask: `scheduler` is "local" or the address of one.
    """

def inverse_geometry(
    robot: Robot | str | Path,
    method: Literal["auto", "paul", "pieper", "general"] = "auto",
    link: int | str | None = None,
    task: Literal["pose", "position", "axis-x", "axis-y", "axis-z"] | None = None,
    redundant: Mapping[int | str, str] | None = None,
) -> Model:
    """The joint positions of an arm for a pose of its terminal frame, or of `link`: every branch.

    `method`: "paul" and "pieper" give closed forms, "general" solves by eigenvalues; "auto" takes the first that
    applies. `task` says what of the pose is wanted: "pose", "position", or "axis-x", "axis-y", "axis-z", the position
    and the direction of an axis of the frame; where it is not given, it follows from the joints. With closed loops, q
    has all joints of the tree, and `motors` are the places of those with a motor. `redundant` names the joints that
    are given, {3: "q3"} or {"elbow": "q3"}: they are a second input. Of a 7R arm with spherical shoulder and wrist,
    {"arm": "psi"} gives the arm angle instead. Of a parallel robot it gives the positions of the motors for a pose of
    the platform, all branches of the legs.
    """

def measurements(
    robot: Robot | str | Path,
    source: Source,
    *,
    columns: Mapping[str, Any] | None = None,
    units: Mapping[str, Any] | None = None,
    rate: float | None = None,
    side: Literal["joint", "motor"] = "joint",
    transmission: ArrayLike | None = None,
    guess: ArrayLike | None = None,
) -> Measurements:
    """Measurements from a file, channels {"q": array or file, "tau": …}, a data frame, or from a sequence of these.

    A file is .csv, .npy, .npz, .mat, .parquet, or a bag of ROS. Its columns are found by their names (t, q1, tau1 …, or
    the names of joints), or `columns` names them: {"t": "time", "q": ["a1", "a2"], "tau": ["i1", "i2"]}. `units` are
    names or factors by channel: {"q": "deg", "tau": [11.2, 8.7], "t": "ms"}; where none are given, those in names of
    columns are taken (`q1 [deg]`, `tau_1 (Nm)`). Without a column of time give `rate`, in Hz. With side="motor",
    positions and torques are those of the motors: `transmission` has the gear ratios, or R of q̇m = R q̇; without it the
    coupling matrix of the robot is taken.

    Of closed loops the positions of the motors are enough. Where several branches can be followed along them, the one
    is taken whose torques fit best, and a warning says so; `guess`, a closed configuration, chooses another one.
    Of a parallel robot it is a pose of the platform or positions of all joints, in the assembly of the data, which is
    that of the home pose where none is given.
    """

def pd_gravity(
    robot: Robot | str | Path,
    KP: ArrayLike,
    KD: ArrayLike,
    *,
    effort: ArrayLike | None = None,
) -> Controller:
    """Γ = K_p e − K_d q̇ + Q(q): position control with gravity compensated (K13:9.12)."""

def pid(
    robot: Robot | str | Path,
    frequency: ArrayLike | None = None,
    *,
    KP: ArrayLike | None = None,
    KD: ArrayLike | None = None,
    KI: ArrayLike | None = None,
    form: Literal["pid", "i-pd", "prefilter"] = "pid",
    inertia: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    tracking_time: float | None = None,
) -> Controller:
    """Γ = K_p e + K_d ė + K_I ∫ e dt, by gains or by a frequency (rad/s) that gives a triple pole (K13:9.5, 9.10).

    With a frequency, K_p = 3 a ω², K_d = 3 a ω − F_v and K_I = a ω³. a is `inertia`: the largest A_jj among random
    configurations where none is given. This law overshoots by 21 to 25 % on a step of the wanted position. Two forms do
    not: in i-pd only the integral sees the wanted position; prefilter is PID of the wanted position behind the filter
    K_I / (K_d s² + K_p s + K_I), which cancels the zeros of K13:9.7. Both begin without a jump wherever the robot is.

    `effort` limits the torques; the integral then follows the limited torque within `tracking_time` seconds (1/ω where
    none is given), which keeps it from winding up.
    """

def simulate(
    robot: Robot | str | Path,
    controller: Controller | Law | None = None,
    trajectory: Trajectory | None = None,
    *,
    duration: float | None = None,
    q0: ArrayLike | None = None,
    qd0: ArrayLike | None = None,
    position0: ArrayLike | None = None,
    quat0: ArrayLike | None = None,
    V0: ArrayLike | None = None,
    T0: ArrayLike | None = None,
    period: float = 0.001,
    method: Literal["rk4", "sticking", "stick-slip", "DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"] = "rk4",
    substeps: int = 1,
    rtol: float = 1e-10,
    atol: float = 1e-10,
    values: Mapping[str, float] | None = None,
    wrench: Wrench | None = None,
    delay: int = 0,
    noise: ArrayLike | None = None,
    quantum: ArrayLike | None = None,
    seed: int = 0,
    stop: Stop | None = None,
    every: int = 1,
    fastest: float = 1000000.0,
) -> Simulation:
    """The motion of a robot from q0 and qd0 under a controller, as rows that are a period apart.

    The controller is one of `symoro.computed_torque`, `pd_gravity`, `pid`, or a function of time, q and qd that gives
    the torques; without one there are no torques. The motors shall follow the trajectory, or stay where they are.
    Without q0 and qd0 the robot begins where the trajectory does. Of a robot with closed loops q0 may have the motors
    alone. A parallel robot begins at the pose T0 of its platform or at positions q0 of its motors that are near the
    home pose, with the velocity V0 = [v; ω] of its platform or qd0 of its motors. Joints that belong to no leg come
    behind the motors; beside T0 and V0, q0 and qd0 are theirs alone. A free base begins at position0 and quat0 with the
    velocity V0, to which that of a platform it carries can be added: 12 numbers.

    With the method rk4 the controller acts once in each period, and its torques are held; a period has `substeps` steps
    of the integration. With a solver of SciPy (DOP853, RK45, Radau …) it acts at every instant, with steps that keep
    rtol and atol. Loops stay closed and quaternions unit. q0 with leading axes is a batch of runs (rk4).

    With rk4, torques of a controller act `delay` periods after it computed them (until then they are 0), and it
    measures q and qd with normal noise of the standard deviations `noise`, two numbers, drawn from `seed`, and in steps
    of `quantum`, two numbers too.

    A controller whose errors have a known frequency warns (`symoro.errors.SamplingWarning`) where its frequency times
    the period is above 0.1.

    `values` are parameters of the simulated robot; those of the controller are its own robot's. `wrench` are the forces
    of links on the environment, constant or a function of times. `stop(t, q, qd)` says in which rows the simulation may
    end; `crossings` of the result finds the times of events between rows. Each `every`-th row is kept, which saves
    memory in a batch. A state above `fastest` means that it diverges: it ends there and keeps the rows so far. Contact
    is left out.

    rk4 and SciPy's solvers take the friction of a joint at rest as 0. With the methods sticking (fixed steps of order
    2) and stick-slip (SciPy's DOP853 between events, to rtol and atol), a joint with Coulomb friction sticks where its
    friction can hold it.
    """

def singularities(
    robot: Robot | str | Path,
    link: int | str | None = None,
    task: Literal["auto", "position", "pose"] = "auto",
) -> Singularities:
    """The factors of the determinant of a link's Jacobian matrix: it is singular where one of them is zero.

    Of a parallel robot, `at(T)` of the result gives the condition numbers of its legs and of its platform.
    """

def task_computed_torque(
    robot: Robot | str | Path,
    frequency: ArrayLike = 10.0,
    damping: ArrayLike = 1.0,
    *,
    link: int | str | None = None,
    task: Literal["all", "position"] = "all",
    null_damping: float = 5.0,
    effort: ArrayLike | None = None,
) -> Controller:
    """Computed torque control of the pose of a frame, or of its position (K13:9.33-9.37).

    Each coordinate of the error has a frequency (rad/s) and a damping: ë + K_d ė + K_p e = 0. The error of the
    orientation is the rotation vector of R^d Rᵀ. The generalized inverse of a redundant robot gives the least
    accelerations; velocities that do not move the frame are damped by `null_damping` (1/s).
    """

def task_pid(
    robot: Robot | str | Path,
    KP: ArrayLike,
    KD: ArrayLike,
    KI: ArrayLike,
    *,
    link: int | str | None = None,
    task: Literal["all", "position"] = "all",
    damping: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    tracking_time: float | None = None,
) -> Controller:
    """Γ = Jᵀ (K_p e + K_d ė + K_I ∫ e dt) of the pose of a frame, or of its position (K13:9.17).

    `damping` is that of the joints, in N m s or N s; a redundant robot needs it. `effort` limits the torques; the
    integral then follows the forces that the limited torques are worth within `tracking_time` seconds (K_p/3K_I where
    none is given), which keeps it from winding up.
    """

def task_trajectory(
    robot: Robot | str | Path,
    q0: ArrayLike,
    target: ArrayLike | Target,
    *,
    branch: int | None = None,
    along: float = 0.0,
    through: ArrayLike | None = None,
    rotation: Literal["axis", "euler"] = "axis",
    profile: Literal[
        "linear",
        "cubic",
        "quintic",
        "septic",
        "bang-bang",
        "trapezoid",
        "polynomial-acceleration",
        "trapezoidal-acceleration",
        "jerk-limited",
    ] = "quintic",
    duration: float | None = None,
    velocity: float | None = None,
    acceleration: float | None = None,
    angular_velocity: float | None = None,
    angular_acceleration: float | None = None,
    link: int | str | None = None,
    points: int = 201,
    singular: float = 0.0001,
) -> Trajectory:
    """The motion of the joints that moves a frame from its pose at q0 to a target, on a line or an arc.

    `target` is a pose (4, 4), or a point (3,) that keeps the orientation. With the point `through` the origin moves on
    the circle through the three points, else on a line. It turns about one axis, or by Euler's angles z x z. Limits are
    those of the origin's velocity and acceleration, and of the angular ones; on a circle, √½ of the acceleration is
    left for the direction of the motion. `link` is a link or a named frame, the only tip where none is given.

    The joints follow the branch of q0. q0 may also be a pose (4, 4): the motion then is on the branch of the number
    `branch` of `symoro.inverse_geometry`, or, where none is given, on the one that stays farthest from singular
    configurations among those that reach the target. Where the target is out of reach, a joint leaves its limits, or
    the least singular value of the Jacobian matrix is below `singular`, an error says where. `symoro.time_optimal`
    makes the motion as fast as limits of joints allow.

    Of a parallel robot it is the platform that moves, q0 are positions of its motors near the home pose or its pose,
    and the legs stay in their branches at the home pose. Poses that the legs do not reach or allow are refused, and
    those where the condition of motors and constraints is above 1 / `singular`.

    A target that moves is a function of times, such as `symoro.moving_target` (K13:8.3): the frame approaches it within
    limits that are those of the motion relative to the target, and then stays on it for `along` seconds.
    """

def time_optimal(
    trajectory: Trajectory,
    robot: Robot | str | Path | None = None,
    *,
    effort: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    values: Mapping[str, float] | None = None,
    points: int = 1001,
) -> Trajectory:
    """The fastest motion from rest to rest along the path of a trajectory.

    The limits `effort` and `velocity` are those of the robot where none are given. They hold at the points of the grid;
    `excess` of the result says by how much they are exceeded between them, relative to the limit. The duration is that
    of the grid: more points make it more exact.
    """

def time_scaled(
    trajectory: Trajectory,
    robot: Robot | str | Path,
    *,
    effort: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    values: Mapping[str, float] | None = None,
    points: int = 1001,
) -> Trajectory:
    """The same motion k times as fast, with the greatest k for which all torques stay within their limits.

    Of a motion k times as fast, Γ_k = k² (Γ − Q) + k F_v q̇ + Q + F_s sign q̇, with Γ without friction and Q that of
    gravity (K13 § 8.3, Hollerbach 1984). The limits `effort` and `velocity` are those of the robot where none are
    given. They hold at `points` times of the motion.
    """

def trajectory(
    q0: ArrayLike,
    q1: ArrayLike | Trajectory,
    profile: Literal[
        "linear",
        "cubic",
        "quintic",
        "septic",
        "bang-bang",
        "trapezoid",
        "polynomial-acceleration",
        "trapezoidal-acceleration",
        "jerk-limited",
    ] = "quintic",
    *,
    via: ArrayLike | None = None,
    times: ArrayLike | None = None,
    duration: float | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    jerk: ArrayLike | None = None,
    ramp: float = 0.3333333333333333,
    robot: Robot | str | Path | None = None,
) -> Trajectory:
    """A motion from rest at q0 to rest at q1, as fast as the limits allow or in a given duration (K13 § 8.3).

    Profiles: linear, cubic, quintic, septic, bang-bang, trapezoid (of velocity), polynomial-acceleration and
    trapezoidal-acceleration (continuous acceleration with a constant velocity; `ramp` is the share of the time of
    acceleration in which it rises), jerk-limited. All joints start and end together and stay on a straight line.

    `velocity`, `acceleration` and `jerk` are limits, one number or one for each joint. `robot` gives names, limits of
    position, and limits of velocity where none are given; q has its active joints.

    q1 may be a trajectory: a target that moves. The joints approach it, within limits that are those of the motion
    relative to the target, and then move with it (K13:8.3).

    With `via` (points, joints) the motion goes through these points without stopping, by a spline that is cubic or
    quintic as `profile` says; other profiles stop at each point. `times` are those of all points, the first one 0.
    """

def workspace(
    robot: Robot | str | Path,
    *,
    link: int | str | None = None,
    task: Literal["pose", "position", "axis-x", "axis-y", "axis-z"] | None = None,
    redundant: Mapping[int | str, ArrayLike] | None = None,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: ArrayLike | None = None,
    rx: ArrayLike | None = None,
    ry: ArrayLike | None = None,
    rz: ArrayLike | None = None,
) -> Workspace:
    """The poses of a frame that a robot reaches, on a grid of coordinates: a platform's, or that of an arm.

    `x`, `y` and `z` are arrays of positions in frame 0; `rx`, `ry` and `rz` of the components of a rotation vector in
    frame 0 that turns the frame from its home pose. Others stay as they are at home, or follow from the constraints of
    the platform. Legs are in the branches in which the models have them.

    The frame of an arm is its terminal one, or `link`; its home pose is that of positions 0, or of the nearest ones
    inside the limits. An arm reaches a pose where a branch of `symoro.inverse_geometry` is inside the limits of its
    joints, and its condition number is that of the Jacobian matrix at the best of these branches, in units of its
    reach. `task` is that of inverse geometry. Where it is not given and no rotation is, it is the position for arms
    whose joints a position determines: the orientation then follows. Of an arm with more joints than the task fixes,
    `redundant` are the positions at which some of them are tried, as {3: [-1, 0, 1]} or {"arm": …} of the arm angle: a
    pose is reached where one of these positions reaches it. Between them there may be others.
    """

def transform(
    robot: Robot | str | Path,
    i: int | str,
    j: int | str,
    fast: bool = False,
    optimize: bool | Literal["fast", "best"] = True,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Transformation matrix between two frames (K97:1). Also called trm.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - T: (4, 4) pose of frame j in frame i: rotation and position, in 1, and m
    - TL: (4, 4) the same of a robot with a platform, whose input is T, in 1, and m

    Options:

    - i: the frame to look from (the number or the name of a link, a joint or a frame)
    - j: the frame to look at (the number or the name of a link, a joint or a frame)
    - fast: intermediate variables, as few operations as possible (K97 § 3.2) (True, False; default False)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.transform("planar2r", i=0, j=2)
        result = model.compile()(q=[0.1, 0.2])
    """

trm = transform

def forward_geometry(
    robot: Robot | str | Path,
    link: int | str | None = None,
    fast: bool = False,
    optimize: bool | Literal["fast", "best"] = True,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Direct geometric model (K97:1). Also called dgm, fgm.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - T: (4, 4) pose of the frame in frame 0, or in the world where the base has a pose, in 1, and m
    - TL: (4, 4) the same of a link of a robot with a platform, whose input is T, in 1, and m

    Options:

    - link: the frame to locate; every tip where none is given (the number or the name of a link, a joint or a
      frame; default None)
    - fast: intermediate variables, as few operations as possible (K97 § 3.2) (True, False; default False)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.forward_geometry("planar2r")
        result = model.compile()(q=[0.1, 0.2])
    """

dgm = forward_geometry
fgm = forward_geometry

def loop_closure(
    robot: Robot | str | Path,
    optimize: bool | Literal["fast", "best"] = True,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Geometric constraint equations of closed loops (K97:2). Also called geometric_constraints.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - E: (e,) residual of the closure equations, 0 where the loops are closed, in m or 1
    - QC: (k,) position of each cut joint, in rad or m
    - ALIGN: (k,) positive where the axes of the two frames of a cut point the same way, in 1
    - EV: (e,) velocity of the platform against its constraints, in m/s or rad/s
    - EVP: (e,) acceleration of the platform against its constraints, in m/s² or rad/s²

    Options:

    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.loop_closure("four-bar")
        result = model.compile()(q=[0.3, 0.396878, 1.255014])
    """

geometric_constraints = loop_closure

def loop_step(
    robot: Robot | str | Path,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """A step of Newton's method towards closed loops (K97:2).

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - Q: (n,) position of each joint after the step, in rad or m
    - E: (e,) residual of the closure equations, 0 where the loops are closed, in m or 1
    - QC: (k,) position of each cut joint, in rad or m
    - ALIGN: (k,) positive where the axes of the two frames of a cut point the same way, in 1
    - TN: (4, 4) pose after the step, in 1, and m
    - EQ: () how far motors and constraints were away before the step, in m or rad

    Options:

    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.loop_step("four-bar")
        result = model.compile()(q=[0.3, 0.396878, 1.255014])
    """

def jacobian(
    robot: Robot | str | Path,
    link: int | str,
    frame: int | str = 0,
    projection: int | str | None = None,
    intermediate: int | str | None = None,
    by: Literal["motors", "joints"] = "motors",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Jacobian matrix (K97:3-5, K97 § 4.5). Also called jac.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - J: (6, m) velocity [v; ω] of the link for a unit velocity of each joint, in m or 1

    Options:

    - link: the link or named frame whose velocity it gives; of a platform, itself where none is given (the number
      or the name of a link, a joint or a frame)
    - frame: the frame of the result (r of K97:4) (the number or the name of a link, a joint or a frame; default
      0)
    - projection: the frame of the last matrix (i of K97:4); none: the cheapest (the number or the name of a link,
      a joint or a frame; default None)
    - intermediate: the frame whose origin it is taken at (j of K97:4); none: the cheapest (the number or the name
      of a link, a joint or a frame; default None)
    - by: with closed loops, the columns: the motors', or all joints' of the tree (motors, joints; default
      'motors')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.jacobian("planar2r", link=2)
        J = model.compile()(q=[0.1, 0.2])
    """

jac = jacobian

def jacobian_determinant(
    robot: Robot | str | Path,
    link: int | str | None = None,
    task: Literal["auto", "position"] = "auto",
    by: Literal["motors", "joints"] = "motors",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Determinant of the Jacobian matrix, factored (K97 § 4.6). Also called det.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - DET: () determinant of the Jacobian matrix of the task, in m to a power

    Options:

    - link: the link or named frame; the only tip, or the platform, where none is given (the number or the name of
      a link, a joint or a frame; default None)
    - task: the rows: all that are not zero, or the position's (auto, position; default 'auto')
    - by: with closed loops, the columns: the motors', or all joints' of the tree (motors, joints; default
      'motors')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.jacobian_determinant("planar2r")
        DET = model.compile()(q=[0.1, 0.2])
    """

det = jacobian_determinant

def jacobian_inverse(
    robot: Robot | str | Path,
    link: int | str | None = None,
    frame: int | str = 0,
    by: Literal["motors", "joints"] = "motors",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Inverse of the Jacobian matrix (K97 § 4.6). Also called jinv, ikm.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - JINV: (m, 6) velocity of each joint for a unit velocity [v; ω] of the link, in 1/m or 1

    Options:

    - link: the link or named frame; the only tip, or the platform, where none is given (the number or the name of
      a link, a joint or a frame; default None)
    - frame: the frame of the velocities (the number or the name of a link, a joint or a frame; default 0)
    - by: with closed loops, the columns: the motors', or all joints' of the tree (motors, joints; default
      'motors')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.jacobian_inverse("planar2r")
        JINV = model.compile()(q=[0.1, 0.2])
    """

jinv = jacobian_inverse
ikm = jacobian_inverse

def velocities(
    robot: Robot | str | Path,
    link: int | str | None = None,
    frame: int | str | None = None,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Velocities of links (K97:6). Also called vlct.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s

    Outputs:

    - V: (links, 6) or (6,) velocity [v; ω] of each link, in m/s and rad/s
    - VL: (links, 6) or (6,) the same of a robot with a platform, whose input is V, in m/s and rad/s

    Options:

    - link: a link or a named frame; every link where none is given (the number or the name of a link, a joint or
      a frame; default None)
    - frame: the frame of the result; each link's own where none is given (the number or the name of a link, a
      joint or a frame; default None)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.velocities("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4])
    """

vlct = velocities

def accelerations(
    robot: Robot | str | Path,
    link: int | str | None = None,
    frame: int | str | None = None,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Accelerations of links (K97:8-10). Also called accel.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - qdd: (m,) accelerations, in rad/s² or m/s²
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - VP: (links, 6) or (6,) acceleration [linear; angular] of each link, in m/s² and rad/s²
    - VPL: (links, 6) or (6,) the same of a robot with a platform, whose input is VP, in m/s² and rad/s²

    Options:

    - link: a link or a named frame; every link where none is given (the number or the name of a link, a joint or
      a frame; default None)
    - frame: the frame of the result; each link's own where none is given (the number or the name of a link, a
      joint or a frame; default None)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.accelerations("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], qdd=[0.5, 0.6])
    """

accel = accelerations

def jdot_qdot(
    robot: Robot | str | Path,
    link: int | str | None = None,
    frame: int | str | None = None,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Accelerations of links that velocities alone cause (K97 § 4.4). Also called jpqp.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s

    Outputs:

    - JPQP: (links, 6) or (6,) acceleration [linear; angular] of each link from velocities alone, in m/s² and
      rad/s²

    Options:

    - link: a link or a named frame; every link where none is given (the number or the name of a link, a joint or
      a frame; default None)
    - frame: the frame of the result; each link's own where none is given (the number or the name of a link, a
      joint or a frame; default None)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.jdot_qdot("planar2r")
        JPQP = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4])
    """

jpqp = jdot_qdot

def loop_kinematics(
    robot: Robot | str | Path,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Kinematic constraint equations of closed loops (K97:11-14). Also called kinematic_constraints, ckel.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s

    Outputs:

    - Wa: (e, m) factors of the active joints' velocities in the equations of the loops, in m or 1
    - Wp: (e, n - m) factors of the passive joints' velocities in the equations of the loops, in m or 1
    - Wac: (k, m) factors of the active joints' velocities in the rows of the cut joints, in m or 1
    - Wpc: (k, n - m) factors of the passive joints' velocities in the rows of the cut joints, in m or 1
    - Wc: (k, k) factors of the cut joints' velocities in their rows, in 1
    - psi: (e,) right side of the equations of the loops for accelerations, in m/s² or rad/s²
    - phi: (k,) right side of the rows of the cut joints for accelerations, in m/s² or rad/s²
    - W: (n - m, m) velocity of each passive joint for a unit velocity of each active joint, in rad/m, m or 1
    - G: (n, m) velocity of each joint of the tree for a unit velocity of each active joint, in rad/m, m or 1

    Options:

    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.loop_kinematics("four-bar")
        result = model.compile()(q=[0.3, 0.396878, 1.255014], qd=[0.4])
    """

kinematic_constraints = loop_kinematics
ckel = loop_kinematics

def inverse_dynamics(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    method: Literal["auto", "newton-euler", "lagrange", "inertia-matrix"] = "auto",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Inverse dynamic model (K97:15-20). Also called idm.

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - qdd: (m,) accelerations, in rad/s² or m/s²
    - wrench: (links, 6) optional: [f; m] of links on the environment, in N and N·m
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - GAM: (m,) torque of each motor, in N·m or N
    - QDP: (n - m,) acceleration of each joint without a motor, in rad/s² or m/s²
    - V0: (6,) velocity [of its origin; angular] of the base in frame 0, in m/s and rad/s
    - VP0: (6,) acceleration [of its origin; angular] of the base in frame 0, in m/s² and rad/s²

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - method: algorithm (auto, newton-euler, lagrange, inertia-matrix; default 'auto')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.inverse_dynamics("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], qdd=[0.5, 0.6])
    """

idm = inverse_dynamics

def inertia_matrix(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    space: Literal["platform", "motors"] = "platform",
    method: Literal["auto", "composite-links", "renaud", "lin", "walker-orin"] = "auto",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Inertia matrix (K97:26-38, L91:12-30, L91:62-65, L91:A1-A9). Also called inm.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - A: (m, m) inertia matrix of the coordinates, in kg·m² or kg or kg·m

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - space: parallel robots: the coordinates, those that the legs leave to the platform or the motors (platform,
      motors; default 'platform')
    - method: algorithm (auto, composite-links, renaud, lin, walker-orin; default 'auto')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.inertia_matrix("planar2r")
        A = model.compile()(q=[0.1, 0.2])
    """

inm = inertia_matrix

def bias(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    space: Literal["platform", "motors"] = "platform",
    method: Literal["auto", "newton-euler", "lin"] = "auto",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Torques without acceleration: Coriolis, centrifugal, gravity, friction and external (K97:25, L91:31-67). Also
    called ccg.

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - wrench: (links, 6) optional: [f; m] of links on the environment, in N and N·m
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - H: (m,) torque of each coordinate without acceleration, in N·m or N

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - space: parallel robots: the coordinates, those that the legs leave to the platform or the motors (platform,
      motors; default 'platform')
    - method: algorithm (auto, newton-euler, lin; default 'auto')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.bias("planar2r")
        H = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4])
    """

ccg = bias

def coriolis(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    method: Literal["auto", "christoffel", "lin", "links"] = "auto",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Matrix C of the Coriolis and centrifugal torques (K13:7.7, L91:45-47).

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s

    Outputs:

    - C: (m, m) matrix that gives the Coriolis and centrifugal torques with the velocities, in N·m·s/rad or N·s/m
      or N·s

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - method: algorithm (auto, christoffel, lin, links; default 'auto')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.coriolis("planar2r")
        C = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4])
    """

def coriolis_torques(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    method: Literal["auto", "newton-euler", "lin"] = "auto",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Coriolis and centrifugal torques (K97:23, L91:54).

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s

    Outputs:

    - CQP: (m,) Coriolis and centrifugal torque of each coordinate, in N·m or N

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - method: algorithm (auto, newton-euler, lin; default 'auto')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.coriolis_torques("planar2r")
        CQP = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4])
    """

def gravity(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    space: Literal["platform", "motors"] = "platform",
    method: Literal["auto", "newton-euler", "composite-links", "lagrange"] = "auto",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Torques against gravity (K97:23, L91:58, K13:7.8).

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - Q: (m,) torque of each coordinate against gravity, in N·m or N

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - space: parallel robots: the coordinates, those that the legs leave to the platform or the motors (platform,
      motors; default 'platform')
    - method: algorithm (auto, newton-euler, composite-links, lagrange; default 'auto')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.gravity("planar2r")
        Q = model.compile()(q=[0.1, 0.2])
    """

def lagrange_coefficients(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    method: Literal["auto", "differentiation", "lin"] = "auto",
    optimize: bool | Literal["fast", "best"] = True,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Coefficients A, B, Q of Lagrange's equations (K97:23, K13:7.7, L91:45-47). Also called lagrange.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - A: (m, m) inertia matrix of the joints, in kg·m² or kg or kg·m
    - B: (n, n(n+1)/2) coefficient of each product of two velocities, in kg·m² or kg or kg·m
    - Q: (m,) torque of each joint against gravity, in N·m or N

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - method: algorithm (auto, differentiation, lin; default 'auto')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.lagrange_coefficients("planar2r")
        result = model.compile()(q=[0.1, 0.2])
    """

lagrange = lagrange_coefficients

def energies(
    robot: Robot | str | Path,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Kinetic and potential energy (K13:7.9-7.25, K10:69).

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s

    Outputs:

    - E: () kinetic energy of links and rotors, in J
    - U: () potential energy of the masses, in J
    - US: () potential energy of the springs, of a robot with elastic joints, in J

    Options:

    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.energies("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4])
    """

def direct_dynamics(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    method: Literal["auto", "recursive", "inertia-matrix"] = "auto",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Direct dynamic model (K10:32-44, K97:24). Also called ddm.

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - tau: (m,) torques of the motors, in N·m or N
    - wrench: (links, 6) optional: [f; m] of links on the environment, in N and N·m
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - QDP: (m,) acceleration of each joint, in rad/s² or m/s²
    - V0: (6,) velocity [of its origin; angular] of the base in frame 0, in m/s and rad/s
    - VP0: (6,) acceleration [of its origin; angular] of the base in frame 0, in m/s² and rad/s²
    - VP: (6,) acceleration of the platform: the time derivative of V, in m/s² and rad/s²

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - method: algorithm (auto, recursive, inertia-matrix; default 'auto')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.direct_dynamics("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], tau=[1.0, 2.0])
    """

ddm = direct_dynamics

def inverse_dynamics_derivatives(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Inverse dynamic model with its derivatives by positions, velocities and accelerations (K97:15-20, K97:26-38).

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - qdd: (m,) accelerations, in rad/s² or m/s²
    - wrench: (links, 6) optional: [f; m] of links on the environment, in N and N·m
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - GAM: (m,) torque of each coordinate, in N·m or N
    - dGAM_dq: (m, d) derivative of GAM by positions, in N·m/rad or N/m or N
    - dGAM_dqd: (m, d) derivative of GAM by velocities, in N·m·s/rad or N·s/m or N·s
    - A: (m, m) inertia matrix of the coordinates: the derivative by accelerations, in kg·m² or kg or kg·m

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.inverse_dynamics_derivatives("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], qdd=[0.5, 0.6])
    """

def direct_dynamics_derivatives(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Direct dynamic model with its derivatives by positions, velocities and torques (K10:32-44, K97:24).

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - tau: (m,) torques of the motors, in N·m or N
    - wrench: (links, 6) optional: [f; m] of links on the environment, in N and N·m
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - QDP: (m,) acceleration of each coordinate, in rad/s² or m/s²
    - dQDP_dq: (m, d) derivative of QDP by positions, in 1/s² or m/s² or 1/(m·s²)
    - dQDP_dqd: (m, d) derivative of QDP by velocities, in 1/s or m/s or 1/(m·s)
    - AI: (m, m) inverse of A: the derivative by torques, in 1/(kg·m²) or 1/kg or 1/(kg·m)

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.direct_dynamics_derivatives("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], tau=[1.0, 2.0])
    """

def reactions(
    robot: Robot | str | Path,
    method: Literal["newton-euler"] = "newton-euler",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Wrenches on the links from their antecedents, for given accelerations (K97:17-19).

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - qdd: (m,) accelerations, in rad/s² or m/s²
    - wrench: (links, 6) optional: [f; m] of links on the environment, in N and N·m
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - R: (links, 6) wrench [f; m] on each link from its antecedent, at the origin of its frame, in N and N·m

    Options:

    - method: algorithm (newton-euler; default 'newton-euler')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.reactions("planar2r")
        R = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], qdd=[0.5, 0.6])
    """

def direct_reactions(
    robot: Robot | str | Path,
    method: Literal["auto", "recursive", "inertia-matrix"] = "auto",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Accelerations, and wrenches on the links from their antecedents, for given torques (K10:41-43).

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - tau: (m,) torques of the motors, in N·m or N
    - wrench: (links, 6) optional: [f; m] of links on the environment, in N and N·m
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - QDP: (m,) acceleration of each joint, in rad/s² or m/s²
    - R: (links, 6) wrench [f; m] on each link from its antecedent, at the origin of its frame, in N and N·m
    - V0: (6,) velocity [of its origin; angular] of the base in frame 0, in m/s and rad/s
    - VP0: (6,) acceleration [of its origin; angular] of the base in frame 0, in m/s² and rad/s²

    Options:

    - method: algorithm (auto, recursive, inertia-matrix; default 'auto')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.direct_reactions("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], tau=[1.0, 2.0])
    """

def friction(
    robot: Robot | str | Path,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Friction torques of the joints (K13:7.26-7.28).

    Inputs of the compiled function:

    - qd: (m,) velocities, in rad/s or m/s

    Outputs:

    - GAMF: (m,) friction torque of each joint, in N·m or N

    Options:

    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.friction("planar2r")
        GAMF = model.compile()(qd=[0.3, 0.4])
    """

def motor_torques(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    method: Literal["newton-euler"] = "newton-euler",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Torques of the motors, where transmissions couple them (K13:7.29-7.33).

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - qdd: (m,) accelerations, in rad/s² or m/s²
    - wrench: (links, 6) optional: [f; m] of links on the environment, in N and N·m
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - TAUM: (m,) torque of each motor, in N·m or N

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - method: algorithm (newton-euler; default 'newton-euler')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.motor_torques("planar2r")
        TAUM = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], qdd=[0.5, 0.6])
    """

def dynamic_regressor(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    rotors: bool | None = None,
    friction: bool | None = None,
    offset: bool | None = None,
    alike: bool = False,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Dynamic identification model (K97:39). Also called dim, dynamic_identification.

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - qdd: (m,) accelerations, in rad/s² or m/s²
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - D: (m, p) torque of each coordinate, a column for each parameter, in torque per parameter

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - rotors: columns of rotor inertias: all or none; those that the robot has where not said (True, False;
      default None)
    - friction: columns of friction: all or none; those that the robot has where not said (True, False; default
      None)
    - offset: columns of torque offsets: all or none; those that the robot has where not said (True, False;
      default None)
    - alike: parallel robots: the same parameters of all legs share one column (True, False; default False)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.dynamic_regressor("planar2r")
        D = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], qdd=[0.5, 0.6])
    """

dim = dynamic_regressor
dynamic_identification = dynamic_regressor

def energy_regressor(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    rotors: bool | None = None,
    friction: bool | None = None,
    offset: bool | None = None,
    alike: bool = False,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Energy identification model (K97:47-54). Also called eim.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s

    Outputs:

    - h: (p,) energy, a column for each parameter, in J per parameter
    - hf: (pf,) power of friction, a column for each friction parameter, in W per parameter

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - rotors: columns of rotor inertias: all or none; those that the robot has where not said (True, False;
      default None)
    - friction: columns of friction: all or none; those that the robot has where not said (True, False; default
      None)
    - offset: columns of torque offsets: all or none; those that the robot has where not said (True, False;
      default None)
    - alike: parallel robots: the same parameters of all legs share one column (True, False; default False)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.energy_regressor("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4])
    """

eim = energy_regressor

def energy_difference_regressor(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    rotors: bool | None = None,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Energy identification model between two states (K97:47). Also called edim.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - q_end: (n,) positions at the end of the motion, in rad or m
    - qd_end: (m,) velocities at the end of the motion, in rad/s or m/s

    Outputs:

    - DH: (p,) energy at the end less that at the start, a column for each parameter, in J per parameter

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - rotors: columns of rotor inertias: all or none; those that the robot has where not said (True, False;
      default None)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.energy_difference_regressor("planar2r")
        DH = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], q_end=[0.2, 0.3], qd_end=[0.4, 0.5])
    """

edim = energy_difference_regressor

def power_regressor(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    rotors: bool | None = None,
    friction: bool | None = None,
    offset: bool | None = None,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Power identification model (K97:47). Also called pim.

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - qdd: (m,) accelerations, in rad/s² or m/s²

    Outputs:

    - dh: (p,) power, a column for each parameter, in W per parameter

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - rotors: columns of rotor inertias: all or none; those that the robot has where not said (True, False;
      default None)
    - friction: columns of friction: all or none; those that the robot has where not said (True, False; default
      None)
    - offset: columns of torque offsets: all or none; those that the robot has where not said (True, False;
      default None)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.power_regressor("planar2r")
        dh = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4], qdd=[0.5, 0.6])
    """

pim = power_regressor

def filtered_regressor(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    rotors: bool | None = None,
    friction: bool | None = None,
    offset: bool | None = None,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Filtered dynamic identification model (K97:40-46). Also called fdim.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s

    Outputs:

    - D1: (m, p) momentum of each coordinate, for the derived filter, a column for each parameter, in N·m·s per
      parameter
    - D2: (m, p) torque of each coordinate, for the filter, a column for each parameter, in N·m per parameter

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - rotors: columns of rotor inertias: all or none; those that the robot has where not said (True, False;
      default None)
    - friction: columns of friction: all or none; those that the robot has where not said (True, False; default
      None)
    - offset: columns of torque offsets: all or none; those that the robot has where not said (True, False;
      default None)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.filtered_regressor("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4])
    """

fdim = filtered_regressor

def cut_wrenches(
    robot: Robot | str | Path,
    params: Literal["standard", "base"] = "standard",
    least_norm: bool = False,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Wrenches in the cut joints of closed loops (K10 § 4).

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - qdd: (m,) accelerations, in rad/s² or m/s²
    - wrench: (links, 6) optional: [f; m] of links on the environment, in N and N·m
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - FC: (k, 6) wrench [f; m] on the link of each cut joint, at and along the frame of its mate, in N and N·m
    - FK: (legs, 6) [f; m] of each leg on the platform at its attachment, in frame 0, in N and N·m

    Options:

    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - least_norm: of the wrenches that rigid bodies do not determine, those with the least sum of |f|² + |m|², in
      N and N·m (True, False; default False)
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.cut_wrenches("four-bar")
        result = model.compile()(q=[0.3, 0.396878, 1.255014], qd=[0.4], qdd=[0.6])
    """

def centre_of_mass(
    robot: Robot | str | Path,
    optimize: bool | Literal["fast", "best"] = True,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Centre of mass in frame 0 (composite links, K97:29-30). Also called com.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - COM: (3,) centre of mass of the robot in frame 0, in m

    Options:

    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.centre_of_mass("planar2r")
        COM = model.compile()(q=[0.1, 0.2])
    """

com = centre_of_mass

def centre_of_mass_jacobian(
    robot: Robot | str | Path,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Jacobian matrix of the centre of mass, in frame 0 (composite links, K97:29-30). Also called com_jacobian.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - JCOM: (3, m) velocity of the centre of mass for a unit velocity of each coordinate, in m or 1

    Options:

    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.centre_of_mass_jacobian("planar2r")
        JCOM = model.compile()(q=[0.1, 0.2])
    """

com_jacobian = centre_of_mass_jacobian

def centroidal_momentum(
    robot: Robot | str | Path,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Linear momentum, and angular momentum about the centre of mass, in frame 0 (Orin and Goswami 2008).

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s

    Outputs:

    - HG: (6,) linear momentum, then angular momentum about the centre of mass, in kg·m/s and kg·m²/s

    Options:

    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.centroidal_momentum("planar2r")
        HG = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4])
    """

def centroidal_momentum_matrix(
    robot: Robot | str | Path,
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Centroidal momentum matrix, in frame 0 (Orin and Goswami 2008). Also called cmm.

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - AG: (6, m) centroidal momentum for a unit velocity of each coordinate, in kg, kg·m or kg·m²

    Options:

    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.centroidal_momentum_matrix("planar2r")
        AG = model.compile()(q=[0.1, 0.2])
    """

cmm = centroidal_momentum_matrix

def operational_inertia(
    robot: Robot | str | Path,
    link: int | str | None = None,
    frame: int | str = 0,
    task: Literal["all", "position"] = "all",
    params: Literal["standard", "base"] = "standard",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Inertia matrix of a link in operational space (Khatib 1987).

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - LAMBDA: (6, 6) or (3, 3) inertia matrix of the link, in kg, kg·m or kg·m²

    Options:

    - link: the link or named frame; the only tip, or the platform, where none is given (the number or the name of
      a link, a joint or a frame; default None)
    - frame: the frame of the result (the number or the name of a link, a joint or a frame; default 0)
    - task: the rows: all of [v; ω], or the position's (all, position; default 'all')
    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.operational_inertia("planar2r")
        LAMBDA = model.compile()(q=[0.1, 0.2])
    """

def operational_dynamics(
    robot: Robot | str | Path,
    link: int | str | None = None,
    frame: int | str = 0,
    task: Literal["all", "position"] = "all",
    params: Literal["standard", "base"] = "standard",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Dynamic model of a link in operational space: inertia, Coriolis and gravity forces (Khatib 1987).

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - qd: (m,) velocities, in rad/s or m/s
    - V0: (6,) with a base that moves: its velocity [v; ω] in frame 0, in m/s and rad/s
    - VP0: (6,) with a base that moves: its acceleration [v̇; ω̇] in frame 0, in m/s² and rad/s²

    Outputs:

    - LAMBDA: (6, 6) or (3, 3) inertia matrix of the link, in kg, kg·m or kg·m²
    - MU: (6,) or (3,) Coriolis and centrifugal forces [f; m] at the link, in N and N·m
    - P: (6,) or (3,) forces [f; m] against gravity at the link, in N and N·m

    Options:

    - link: the link or named frame; the only tip, or the platform, where none is given (the number or the name of
      a link, a joint or a frame; default None)
    - frame: the frame of the result (the number or the name of a link, a joint or a frame; default 0)
    - task: the rows: all of [v; ω], or the position's (all, position; default 'all')
    - params: inertial parameters: as given, or regrouped to the fewest (standard, base; default 'standard')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.operational_dynamics("planar2r")
        result = model.compile()(q=[0.1, 0.2], qd=[0.3, 0.4])
    """

def payload_torques(
    robot: Robot | str | Path,
    link: int | str | None = None,
    space: Literal["platform", "motors"] = "platform",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Torques that hold a payload on a link against gravity (L91:58).

    Inputs of the compiled function:

    - quat: (4,) with a floating base: its orientation, a unit quaternion x y z w, in 1
    - q: (n,) positions of the joints, in rad or m
    - payload: (4,) mass, and centre of mass in the link's frame, in kg and m

    Outputs:

    - Q: (m,) torque of each coordinate that holds the payload, in N·m or N

    Options:

    - link: the link or named frame; the only tip, or the platform, where none is given (the number or the name of
      a link, a joint or a frame; default None)
    - space: parallel robots: the coordinates, those that the legs leave to the platform or the motors (platform,
      motors; default 'platform')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.payload_torques("planar2r")
        Q = model.compile()(q=[0.1, 0.2], payload=[2.0, 0.1, 0.0, 0.0])
    """

def analytical_jacobian(
    robot: Robot | str | Path,
    link: int | str,
    angles: Literal["rpy", "zyx", "zyz", "quaternion"] = "rpy",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Analytical Jacobian matrix: velocities, and rates of angles or of a quaternion (K97:3-5, Shepperd 1978).

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - JA: (6, n) or (7, n) rates of position and orientation for a unit velocity of each joint, in m or 1

    Options:

    - link: the link or named frame whose orientation in frame 0 it is (the number or the name of a link, a joint
      or a frame)
    - angles: rpy: roll, pitch, yaw about x, y, z of frame 0; zyx, zyz: Euler angles; quaternion: x y z w, w ≥ 0
      (rpy, zyx, zyz, quaternion; default 'rpy')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.analytical_jacobian("planar2r", link=2)
        JA = model.compile()(q=[0.1, 0.2])
    """

def manipulability(
    robot: Robot | str | Path,
    link: int | str | None = None,
    task: Literal["all", "position"] = "all",
    optimize: bool | Literal["fast", "best"] = True,
    at: Sequence[float] | None = None,
    branch: int | Sequence[int] | None = None,
    given: Literal["platform", "joints", "motors"] | None = None,
) -> Model:
    """Manipulability √det(J Jᵀ) (Yoshikawa 1985).

    Inputs of the compiled function:

    - q: (n,) positions of the joints, in rad or m

    Outputs:

    - W: () manipulability of the task, in m to a power

    Options:

    - link: the link or named frame; the only tip, or the platform, where none is given (the number or the name of
      a link, a joint or a frame; default None)
    - task: the rows: all of [v; ω], or the position's (all, position; default 'all')
    - optimize: lower the number of operations: fast (as True) or with a long search; False gives the paper's own
      form (True, False, fast, best; default True)
    - at: a closed configuration at which the independent equations of loops are chosen (a position of each joint;
      default None)
    - branch: parallel robots: the branch of each leg; the robot's working mode by default (a number for each leg,
      or one for all; default None)
    - given: the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes
      by default (platform, joints, motors; default None)

    Example:

        model = symoro.manipulability("planar2r")
        W = model.compile()(q=[0.1, 0.2])
    """
