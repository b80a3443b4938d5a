"""Inverse geometry: the joint positions that give a wanted pose, all branches, in closed form where one exists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, cast

from symoro.closed_solver import ClosedForm
from symoro.errors import NotApplicable, OptionError, RobotError
from symoro.formats import valid_robot
from symoro.general_geometry import STEPS, GeneralGeometry, Recipe, general_geometry
from symoro.held_solver import HeldForm
from symoro.ir.graph import Graph
from symoro.ir.ops import OpCount
from symoro.model import Model
from symoro.models.geometric.frames import FrameRef, chosen_frame
from symoro.models.geometric.inverse.chain import Chain, chain, tip
from symoro.models.geometric.inverse.closed import Closed, loses_digits, program, solve
from symoro.models.geometric.inverse.derivation import Derivation, derivation
from symoro.models.geometric.inverse.pieper import triples
from symoro.models.geometric.inverse.poses import reachable
from symoro.models.geometric.inverse.probe import Samples
from symoro.models.geometric.inverse.restore import Restore
from symoro.models.geometric.inverse.tasks import Aim, aim, free_joints, require_determined
from symoro.models.loops import inverse as loops
from symoro.models.loops.inverse import ClosedLoops
from symoro.platforms.inverse import inverse_geometry as of_platform
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.robot.substitute import known_values, with_numbers
from symoro.solver import Solver
from symoro.symbols import Symbols

METHODS = ("auto", "paul", "pieper", "general")
AnyInverse: TypeAlias = "InverseGeometry | GeneralGeometry"
Attempt: TypeAlias = "Callable[[FrameRef | None, str | None, Given], AnyInverse]"
_TITLE, _CITATION = "Inverse geometric model", "K97 § 3.3"


def inverse_geometry(
    robot: Robot | str | Path,
    method: str = "auto",
    link: FrameRef | None = None,
    task: str | None = None,
    redundant: Mapping[int | str, str] | None = None,
) -> AnyInverse:
    """The joint positions of an arm for a pose of its terminal frame, or of `link`: every branch.

    `method`: "paul" and "pieper" give closed forms, "general" solves by eigenvalues; "auto" takes the first that
    applies. `task` says what of the pose is wanted: "pose", "position", or "axis-x", "axis-y", "axis-z", the position
    and the direction of an axis of the frame; where it is not given, it follows from the joints. With closed loops, q
    has all joints of the tree, and `motors` are the places of those with a motor. `redundant` names the joints that
    are given, {3: "q3"} or {"elbow": "q3"}: they are a second input. Of a 7R arm with spherical shoulder and wrist,
    {"arm": "psi"} gives the arm angle instead. Of a parallel robot it is `PlatformInverse`: the positions of the motors
    for a pose of the platform, all branches of the legs.
    """
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r} (allowed: {', '.join(METHODS)})")
    described = valid_robot(robot, parallel=True)
    if isinstance(described, ParallelRobot):
        return cast(AnyInverse, of_platform(described))  # arms are the usual case, so types are theirs
    frame = chosen_frame(described, link)
    given = Given.of(described, redundant or {})
    reasons = []
    for name, attempt in _attempts(method, described):
        try:
            return attempt(frame, task, given)
        except NotApplicable as reason:
            reasons.append((name, str(reason)))
    if len({reason for _, reason in reasons}) == 1 and len(reasons) > 1:  # no method can help
        raise NotApplicable(reasons[0][1])
    raise NotApplicable("\n".join(dict.fromkeys(f"{name}: {reason}" for name, reason in reasons)))


@dataclass(frozen=True, slots=True)
class Given:
    """What a redundant arm is given: joints by name, or the name of the arm angle."""

    joints: Mapping[int, str]
    arm: str = ""

    @classmethod
    def of(cls, robot: Robot, redundant: Mapping[int | str, str]) -> Given:
        """The arm angle is `arm`, unless a joint has this name."""
        if not isinstance(redundant, Mapping) or not all(_is_name(name) for name in redundant.values()):
            raise OptionError(
                f"redundant={redundant!r}: allowed are joints with the name of their input, as {{3: 'q3'}}"
            )
        if "arm" in redundant and "arm" not in {joint.name for joint in robot.joints}:
            if len(redundant) > 1:
                raise OptionError(f"redundant={dict(redundant)}: allowed are joints, or 'arm' alone")
            return cls({}, redundant["arm"])
        try:
            return cls({robot.joint(joint).index: name for joint, name in redundant.items()})
        except RobotError as error:
            raise OptionError(f"redundant={dict(redundant)}: {error}") from None


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name.isascii() and name.isidentifier()


def _attempts(method: str, robot: Robot) -> list[tuple[str, Attempt]]:
    """The ways to try, in order. Symbols are generic: numbers can make an arm special, so they are tried too."""
    numeric = with_numbers(robot, known_values(robot))
    robots = [robot] if numeric == robot else [robot, numeric]
    name = "closed form" if method == "auto" else method
    make = _with_loops if robot.cuts else _closed_form
    closed: list[tuple[str, Attempt]] = [(name, partial(make, each, method)) for each in robots]
    general: list[tuple[str, Attempt]] = [("general", partial(_general, robot, method))]
    if robot.cuts and method == "general":
        raise NotApplicable(f"{robot.name} has closed loops: the general method is for open chains")
    return {"general": general, "auto": closed if robot.cuts else [*closed, *general]}.get(method, closed)


def _closed_form(robot: Robot, method: str, link: FrameRef | None, task: str | None, given: Given) -> InverseGeometry:
    """The closed form by steps; Paul's method has no steps of degree four."""
    arm = chain(Symbols(robot, Graph()), link)
    wanted = aim(arm, task, given.joints, given.arm)
    if not given.arm:
        require_determined(arm, wanted, given.joints)
    separate = list(triples(arm))
    if method == "pieper" and not separate:
        raise NotApplicable(_not_pieper(arm))
    found, degree = _steps(arm, wanted, given, method)
    options = _options(method, link, task, given)
    model = Model(robot, program(found), "inverse_geometry", _TITLE, _CITATION, options)
    chosen = "pieper" if degree > 2 or method == "pieper" else "paul"
    return InverseGeometry(model, chosen, found, derivation(found, [str(t) for t in separate]), link)


def _with_loops(robot: Robot, method: str, link: FrameRef | None, task: str | None, given: Given) -> InverseGeometry:
    """The closed form of the chain to the frame, then those of the loops."""
    if given.joints or given.arm:
        raise NotApplicable(f"{robot.name} has closed loops: redundant= is for open chains")
    s, ends = Symbols(robot, Graph()), loops.end_links(robot)
    if link is None and len(ends) > 1:
        raise NotApplicable(f"{robot.name} has {len(ends)} ends: choose a link or a frame with link= (as {ends[0]})")
    frame = ends[0] if link is None else link
    arm, closed = chain(s, frame), loops.closed_samples(s)
    separate = [str(t) for t in triples(arm)]
    for samples in (None, closed) if closed else (None,):
        found, degree = _steps(arm, aim(arm, task, {}, loops=True), given, method, samples)
        parts = loops.with_loops(found, samples)
        made = loops.program(parts)
        if closed is None or loops.covers(parts, made, closed):
            options = _options(method, link, task, given)
            model = Model(robot, made, "inverse_geometry", _TITLE, "K97 §§ 3.3-3.4", options)
            steps = derivation(found, separate).followed_by([derivation(part, ()) for part in parts.loops])
            return InverseGeometry(model, "pieper" if degree > 2 else "paul", found, steps, frame, parts)
    raise NotApplicable(f"{robot.name}: the steps do not find the configurations that close the loops")


def _options(method: str, link: FrameRef | None, task: str | None, given: Given) -> dict[str, Any]:
    """The options that are not the defaults: generated code says them, and has them in its name."""
    joints = tuple(given.joints)
    several = joints[0] if len(joints) == 1 else joints or None
    chosen = {"method": method, "link": link, "task": task, "redundant": "arm" if given.arm else several}
    return {name: value for name, value in chosen.items() if value not in (None, "auto")}


def _steps(arm: Chain, wanted: Aim, given: Given, method: str, samples: Samples | None = None) -> tuple[Closed, int]:
    try:
        return solve(arm, wanted.task, wanted.axis, given.joints, 2, given.arm, samples), 2
    except NotApplicable:
        if method == "paul":
            raise
        return solve(arm, wanted.task, wanted.axis, given.joints, 4, given.arm, samples), 4


def _not_pieper(arm: Chain) -> str:
    return (
        f"{arm.symbols.robot.name}: no three neighbouring axes meet in a point, no three are parallel, "
        "and fewer than three joints are prismatic"
    )


def _general(robot: Robot, method: str, link: FrameRef | None, task: str | None, given: Given) -> GeneralGeometry:
    arm = chain(Symbols(robot, Graph()), link)
    wanted = aim(arm, task, given.joints, given.arm)
    if given.arm:
        raise NotApplicable(f"{robot.name}: the general method takes joints, not the arm angle")
    made = general_geometry(arm, tip(robot) if link is None else link, str(wanted), tuple(given.joints))
    numeric = chain(Symbols(with_numbers(robot, known_values(robot)), Graph()), link)
    free = free_joints(numeric, wanted, given.joints)
    return _with_held(made, numeric, method, wanted, given, free) if free else made


def _with_held(
    made: GeneralGeometry, arm: Chain, method: str, wanted: Aim, given: Given, free: Sequence[int]
) -> GeneralGeometry:
    """The model of an arm of which every pose leaves joints free: some are held, so that it determines the others."""
    robot, held = made.robot, list[int]()
    while left := free_joints(arm, wanted, {*given.joints, *held}):
        held.append(max(left, key=lambda j: (not robot.joint(j).prismatic, j)))
    names: dict[int | str, str] = {j: given.joints.get(j, f"held{j}") for j in (*given.joints, *held)}
    inner = inverse_geometry(robot, method, made.frame, str(wanted), names)
    listed, chosen = (", ".join(str(robot.joint(j).variable) for j in joints) for joints in (free, held))
    note = (
        f"Every pose leaves {listed} free, so that an answer is a continuum: {chosen} is held, and the others follow."
    )

    def compiled(backend: str) -> Solver:
        return HeldForm(inner.compile(backend), held, free, stable=isinstance(inner, InverseGeometry))

    return replace(made, derivation=Recipe((note, *STEPS)), free=tuple(free), held=compiled)


@dataclass(frozen=True, slots=True)
class InverseGeometry:
    """An inverse geometric model: read how it is derived, count it, write it as code, or run it."""

    model: Model
    method: str
    closed: Closed
    derivation: Derivation
    link: FrameRef | None = None
    #: The closed loops, whose joints the pose determines too.
    loops: ClosedLoops | None = None

    def __repr__(self) -> str:
        return f"<InverseGeometry of {self.robot.name}: {self.method}, {self.task}, {self.ops}>"

    @property
    def robot(self) -> Robot:
        return self.model.robot

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints of the answer, in the order of q: those of the chain; with closed loops, all of the tree."""
        return self.closed.order if self.loops is None else self.loops.order

    @property
    def motors(self) -> tuple[int, ...]:
        """The places in q of the joints with a motor."""
        return tuple(k for k, j in enumerate(self.joints) if self.robot.joint(j).actuated)

    @property
    def task(self) -> str:
        """What of the pose is wanted."""
        return str(Aim(self.closed.task, self.closed.axis))

    @property
    def branches(self) -> int:
        """The largest number of branches."""
        return self.model.outputs["valid"][0]

    @property
    def ops(self) -> OpCount:
        """Operations for all branches, with their certificates."""
        return self.model.ops

    @property
    def setup_ops(self) -> OpCount:
        """Operations done once for given parameters."""
        return self.model.setup_ops

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        return self.model.inputs

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        return self.model.outputs

    def equations(self) -> list[tuple[str, str]]:
        """Every named variable of the program and its right side, in order."""
        return self.model.equations()

    def latex(self, *, expanded: bool = False) -> str:
        """The program in LaTeX; `derivation.latex()` is what one reads."""
        return self.model.latex(expanded=expanded)

    def to_sympy(self) -> dict[str, Any]:
        """The outputs as SymPy expressions."""
        return self.model.to_sympy()

    def emit(self, target: str, directory: str | Path, force: bool = False) -> list[Path]:
        """Write all branches as a package of files in a language; their paths. Its self-test has reachable poses."""
        return self.model.emit(target, directory, force, inputs=reachable(self.closed, self.joints))

    def compile(self, backend: str = "llvm") -> Solver:
        """A function of the pose that gives `Solutions`."""
        fragile = self.loops is None and loses_digits(self.closed)
        second = self._general().compile(backend) if fragile else None
        plain = self.loops is None and self.closed.task == "pose" and not self.closed.arm and not fragile
        restore = Restore(self.closed.chain, tuple(self.closed.given)) if plain else None
        return ClosedForm(self.model, self.joints, self.model.inputs.get("r", (0,))[0], backend, second, restore)

    def _general(self) -> GeneralGeometry:
        """The general method for the same chain."""
        frame = tip(self.robot) if self.link is None else self.link
        return general_geometry(self.closed.chain, frame, self.task, tuple(self.closed.given))
