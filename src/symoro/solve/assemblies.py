"""The poses of a platform for positions of its motors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.bind.coordinates import Coordinates, between
from symoro.bind.interface import parameters
from symoro.emit import Source, emit_all
from symoro.emit import target as language
from symoro.emit.newton import Newton
from symoro.emit.selftest import CANDIDATES
from symoro.errors import CannotClose, InputError, MissingParameter, NotApplicable, OptionError, ShapeError
from symoro.findings import Argument, Finding
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.passes import optimize
from symoro.ir.program import Input, Program
from symoro.model import Driver, Model, straight_model
from symoro.models.geometric.inverse.branches import in_turn_of
from symoro.models.parallel.constraint import tracking_step
from symoro.models.parallel.mechanism import Mechanism, structure
from symoro.models.parallel.motions import by_pose, motors_beside
from symoro.models.parallel.platform import (
    function_of,
    home,
    is_rigid,
    moved,
    parallel,
    poses_of,
    twist_sizes,
    variables,
)
from symoro.robot import topology
from symoro.robot.robot import JOINTS, Robot
from symoro.robot.springs import whole_turn
from symoro.runtime import Function
from symoro.runtime.function import ParameterValues
from symoro.runtime.outputs import real_array
from symoro.solve.branches import Branches, Status, stacked
from symoro.solve.legs import leg_geometry
from symoro.solve.motors import model_of_motors, no_joints_in
from symoro.solve.question import LEGS, POSES, Ladder, Question
from symoro.solve.solver import Solver, Values, shaped
from symoro.solve.spheres import Follow
from symoro.solve.study import follow, follow_in_c
from symoro.solve.translating import from_three_spheres
from symoro.solve.ways import WAYS, answer_of, first_answer

Array = NDArray[Any]
#: How far motors may be from their wanted positions.
REACHED = 1e-12
_STEPS = 40


def pose_of_guess(robot: Robot, guess: ArrayLike) -> Array:
    """The pose T of a platform that a guess means: a pose, or positions of all joints that close its legs."""
    pose_or_joints, count = real_array("guess", guess), len(Coordinates.of(robot).joints)
    if pose_or_joints.shape[-2:] == (4, 4):
        return poses_of(pose_or_joints)
    if pose_or_joints.shape[-1:] != (count,):
        raise ShapeError("positions.guess_of_platform", robot=robot.name, count=count, shape=str(pose_or_joints.shape))
    return np.asarray(_pose_of_joints(robot)(pose_or_joints))


@lru_cache(maxsize=32)
def _pose_of_joints(robot: Robot) -> Function:
    at_joints = straight_model("forward_geometry", robot.taking(JOINTS), link=robot.parts.platform)
    pose_of: Function = at_joints.compile(check=False)
    return pose_of


def forward_geometry(robot: Robot, *, optimize: bool | str = True, branch: Any = None, **others: Any) -> Model:
    """The poses of the platform of a parallel robot for positions of its motors."""
    if others:
        raise OptionError(
            "options.unknown", function="forward_geometry", option=Argument(next(iter(others))), allowed=["branch"]
        )
    step = straight_model("loop_step", robot.taking(None), optimize=optimize, branch=branch)
    return replace(step, name="forward_geometry", driver=Tracking(step))


@dataclass(frozen=True)
class Tracking(Driver):
    """The direct geometry of a parallel robot. `step` is a step of Newton's method towards the motors' positions."""

    step: Model

    def inputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        return {"q": (len(parallel(of.robot).motors),)}

    def outputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        """T of the assemblies, whose number differs."""
        return {"T": (4, 4)}

    def emit(self, of: Model, target: str, directory: str | Path, force: bool, precision: str) -> list[Path]:
        """Write the step and the driver that repeats it as a package of files, in a real programming language.

        In other languages the step alone: called again with its own result, it tracks.
        """
        iterates = language(target, precision).iterates
        source = tracking(self.step, parallel(of.robot)) if iterates else self.step.source
        return emit_all([source], target, directory, force=force, precision=precision)

    def compile(self, of: Model, backend: str) -> PlatformTracker:
        """A function of the motors' positions that gives `Branches`; with the backend "c", all of it in C."""
        along = follow_in_c if backend == "c" else follow
        return PlatformTracker(parallel(of.robot), self.step.compile(backend), along)

    def from_motors(self, of: Model) -> Model:
        """A model of the joints of the same robot as one of the motors alone.

        Of a platform on three spheres its program finds the pose, of others its driver.
        """
        robot = self.step.robot
        if of.robot.taking(None) != robot or "q" not in of.inputs:
            why = no_joints_in(of, robot)
            raise NotApplicable("positions.not_from_motors", model=of.name, robot=robot.name, reason=why)
        if (branch := self.step.options.get("branch")) is not None:
            robot = robot.in_branch(*branch)
        try:
            program: Program | None = optimize(from_three_spheres(robot, of.program))
        except NotApplicable:
            program = None
        at = by_pose(robot, of.program)
        name, title = f"{of.name}_at_pose", f"{of.title}, at a pose"
        at_pose = replace(of, program=optimize(at) if of.options["optimize"] else at, name=name, title=title)
        return model_of_motors(of, self, program, at_pose)

    @property
    def motors(self) -> int:
        return len(topology.active(topology.without_cuts(self.step.robot)))

    @property
    def beside(self) -> Sequence[int]:
        return motors_beside(self.step.robot)

    @property
    def code(self) -> Source:
        return tracking(self.step, self.step.robot)

    def closing(self, backend: str) -> PoseOfMotors:
        return PoseOfMotors(self.compile(self.step, backend))

    def closing_motors(self) -> Mapping[str, Array]:
        """Those of poses near home."""
        m = Mechanism.of_robot(self.step.robot, Graph(cancel=True), self.step.options.get("branch"))
        starts = np.array(_starts(m)[:CANDIDATES])
        qa = np.random.default_rng(1).uniform(-1, 1, (len(starts), self.motors))
        of_legs = np.delete(np.arange(self.motors), self.beside)
        qa[:, of_legs] = starts[:, : len(of_legs)]
        return {"qa": qa}


class PlatformTracker(Solver):
    """f(q): all assemblies for positions q (..., motors) of the motors; f(q, guess=T) tracks the one near T.

    A guess may also be the positions of all joints, as for loops.

    Six distances, three circles, and other legs that are quadrics in Study's coordinates are solved by continuation,
    platforms that translate by three spheres, those in a plane by a polynomial: these are all assemblies. For other
    robots, Newton's method starts from many poses, and the status is `incomplete`. `poses` of the answer are those of
    the platform.
    """

    def __init__(self, robot: Robot, step: Function, along: Follow = follow) -> None:
        super().__init__(robot, robot.motors)
        self._step, self.along = step, along
        self._ladder = Ladder(Question(robot, POSES), WAYS)

    @property
    def platform(self) -> Robot:
        return parallel(self.robot)

    def __call__(self, q: ArrayLike, *, guess: ArrayLike | None = None, values: Values | None = None) -> Branches:
        motors = shaped("q", q, (len(self.joints),))
        if guess is not None:
            return self.tracked(motors, pose_of_guess(self.platform, guess), values)
        numbers = self.numbers(values)
        if missing := [p.name for p in self._parameters.setup.parameters if p.name not in numbers]:
            raise MissingParameter(missing)
        rows = [self._every(one, values, numbers) for one in motors.reshape(-1, motors.shape[-1])]
        return stacked(rows, motors.shape[:-1], len(self.joints), poses=True)

    @property
    def _parameters(self) -> ParameterValues:
        return self._step.parameters

    def tracked(self, q: Array, T: Array, values: Values | None) -> Branches:
        """Newton's method from the guess: quadratic, and NaN where it does not end.

        Where it does not, another guess may still reach an assembly: the status is `incomplete` either way.
        """
        lead = np.broadcast_shapes(q.shape[:-1], T.shape[:-2])
        T = np.array(np.broadcast_to(T, (*lead, 4, 4)))
        known = np.isfinite(q).all(-1) & is_rigid(T)
        for _ in range(_STEPS):
            T, error = self._step(T, q, values=values)
            with np.errstate(invalid="ignore"):
                if np.all((error <= REACHED) | ~np.isfinite(error)):
                    break
        _, error = self._step(T, q, values=values)
        with np.errstate(invalid="ignore"):
            reached = (error <= 1e-9) & is_rigid(T) & known
        T = np.where(reached[..., None, None], T, np.nan)
        members = np.array([Status.INVALID, Status.INCOMPLETE], dtype=object)
        motors = np.where(reached[..., None], np.broadcast_to(q, (*lead, q.shape[-1])), np.nan)
        free = np.zeros((*lead, q.shape[-1]), bool)
        status = members[known.astype(int)]
        return Branches(motors[..., None, :], reached[..., None], status, free, error, T[..., None, :, :])

    def _every(self, q: Array, values: Values | None, numbers: Values) -> Branches:
        if not np.isfinite(q).all():
            return answer_of(q, np.zeros((0, 4, 4)), Status.INVALID)
        return first_answer(self._ladder, self, q, values, numbers)


class PoseOfMotors:
    """f(qa): the pose of the platform (..., 4, 4) for positions of all motors, in the working mode of the legs.

    `f(qa, guess=T)` is the assembly that Newton's method reaches from T. Without a guess it starts from the home pose;
    where that reaches none, all assemblies are asked for the one nearest to home.
    """

    def __init__(self, tracker: PlatformTracker) -> None:
        self.tracker, self.robot = tracker, tracker.robot
        self.beside = motors_beside(tracker.robot)

    def __call__(self, qa: ArrayLike, guess: ArrayLike | None = None, values: Values | None = None) -> Array:
        motors = shaped("qa", qa, (len(self.tracker.joints) + len(self.beside),))
        if not np.isfinite(motors).all():
            raise InputError("positions.not_finite", name="qa")
        motors = np.delete(motors, self.beside, axis=-1)
        at_home = home(self.tracker.platform, self.tracker.numbers(values))
        start = at_home if guess is None else pose_of_guess(self.tracker.platform, guess)
        assemblies = self.tracker.tracked(motors, start, values)
        T = np.array(assemblies.poses[..., 0, :, :])
        for place in map(tuple, np.argwhere(~assemblies.valid[..., 0])):
            other = self._nearest(motors[place], start, values) if guess is None else None
            if other is None:
                raise self._refusal(np.broadcast_to(motors, (*T.shape[:-2], motors.shape[-1]))[place])
            T[place] = other
        return T

    def _nearest(self, motors: Array, start: Array, values: Values | None) -> Array | None:
        """The pose nearest to the start among all assemblies; None where no one is in the working mode."""
        every = self.tracker(motors, values=values)
        if not every.valid.any():
            return None
        poses = every.poses[every.valid]
        kept = self.tracker.tracked(np.broadcast_to(motors, (len(poses), len(motors))), poses, values)
        poses = kept.poses[kept.valid]
        away = [np.linalg.norm(between(start, T) / twist_sizes(self.tracker.platform)) for T in poses]
        return np.asarray(poses[int(np.argmin(away))]) if len(poses) else None

    def _refusal(self, motors: Array) -> CannotClose:
        names = (str(self.robot.legs[i].joint(j).variable) for i, j in self.robot.motors)
        where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, motors, strict=True))
        if (other := other_mode(self.robot, motors, where)) is not None:
            return CannotClose(other)
        return CannotClose("positions.no_pose", robot=self.robot.name, where=where)


#: Positions of motors of two branches that differ by less are the same.
_SAME_MOTORS = 1e-6


def other_mode(robot: Robot, q: Array, where: str) -> Finding | None:
    """That the positions q (motors,), which `where` says, belong to another working mode; None where that is not known.

    It has the branches that reach home with motors nearest to q, and a pose near home.
    """
    described, at = parallel(robot), home(parallel(robot))
    near = leg_geometry(Question(described, LEGS)).compile("numpy")(at, search=False).q
    numbers = described.values.numbers()
    turns = np.array([whole_turn(described.legs[i].joint(j), numbers) for i, j in described.motors])
    owner = np.array([i for i, _ in described.motors])
    away = np.nan_to_num(np.abs(in_turn_of(near, turns, q) - q), nan=np.inf)
    of_legs = (away[:, owner == i].max(-1, initial=0.0) for i in range(len(described.legs)))
    # a leg with fewer branches repeats them, and branches can have the same motors: the first one counts
    nearest = tuple(int(np.argmax(x <= x.min() + _SAME_MOTORS)) for x in of_legs)
    mode, other = structure(described).branches, described.in_branch(*nearest)
    if nearest == mode or not forward_geometry(other, optimize=False).compile("numpy")(q, guess=at).valid.all():
        return None
    return Finding("positions.other_mode", robot=robot.name, where=where, other=other.branch, own=mode)


# The tracking of one assembly as code: a step of Newton's method and the driver that repeats it.


#: Tracking ends at a step shorter than the first number; the second says how far anything may be away then.
LAST, CLOSED, STEPS = 1e-10, 1e-9, 40
_FREE = 1e6  # steps are not shortened: a pose between two poses is none
_LOST = 10  # starts that are out of reach


def tracking(step: Model, robot: Robot) -> Source:
    """The step and its driver, for the branches of a model `loop_step`.

    X holds the positions of the motors and twelve numbers of a guess, the first three rows of the pose; these become
    the pose of the assembly.
    """
    m = Mechanism.of_robot(robot, Graph(cancel=True), step.options.get("branch"))
    letters = (*m.of.target, *(x for row in m.of.T.rows[:3] for x in row))
    meaning = Meaning("positions of the motors, then the first three rows of the pose")
    X = Input("X", (len(letters),), variables(letters), meaning=meaning)
    program = optimize(extract(m.graph, [X], parameters(m.of), tracking_step(m)))
    starts = _starts(m)
    method = Newton("X", "XN", "E", "FIT", (0.0,) * len(letters), CLOSED, _FREE, LAST, STEPS, starts)
    source, name = step.source, step.source.name.replace("loop_step", "forward_geometry")
    title = "The pose of the platform for positions of the motors: a step"
    return Source(
        program, name, title, source.defaults, source.about, source.description,
        method, {"X": np.resize(starts[:CANDIDATES], (CANDIDATES, len(letters)))},
    )  # fmt: skip


def _starts(m: Mechanism) -> tuple[tuple[float, ...], ...]:
    """Positions of the motors at poses near home, with the home pose as guess; some are far out of reach."""
    robot, rng = m.of.robot, np.random.default_rng(0)
    at, sizes = home(robot), twist_sizes(robot)
    motors = function_of(m.of, [m.legs[i].s.q[j] for i, j in robot.motors])
    free = function_of(m.of, [x for row in m.S for x in row])(at).reshape(6, -1)
    slide = np.array([robot.legs[i].joint(j).prismatic for i, j in robot.motors])
    starts = []
    for k in range(CANDIDATES + _LOST):
        step = free @ (0.05 * rng.uniform(-1, 1, free.shape[1]) * (1 if k < CANDIDATES else 0))
        q = motors(moved(at, step * sizes))
        if k >= CANDIDATES:
            q = q + np.where(slide, 20 * sizes[0] * rng.uniform(2, 3, len(q)), rng.uniform(-3, 3, len(q)))
        if np.isfinite(q).all():
            starts.append((*q.tolist(), *at[:3].ravel().tolist()))
    return tuple(starts)
