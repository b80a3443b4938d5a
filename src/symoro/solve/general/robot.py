"""The inverse geometric model of a robot by the general method: all branches by eigenvalues, for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from symoro.bind.interface import robot_numbers
from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable, TargetError
from symoro.findings import Finding, Sentence
from symoro.findings import sentence as sentence_of
from symoro.ir.graph import Graph
from symoro.model import Driver, Model, straight_model
from symoro.models.geometric.frames import FrameRef
from symoro.models.geometric.inverse.branches import RIGID
from symoro.models.geometric.inverse.chain import ScrewChain, chain, tip
from symoro.models.geometric.inverse.derivation import sentence
from symoro.models.geometric.inverse.tasks import aim
from symoro.robot.robot import Robot
from symoro.runtime.function import ParameterValues
from symoro.runtime.shared_library import has_compiler
from symoro.solve.branches import Branches, Status, stacked
from symoro.solve.general.chain import scaled
from symoro.solve.general.continuum import finer, members, with_last_turn
from symoro.solve.general.numeric import Displacements, NumericChain
from symoro.solve.limits import least_outside, nearest_inside
from symoro.solve.question import NOT_TOLD, Question, Reason
from symoro.solve.solver import Array, PoseSolver, Solver, Values, broadcast

#: One pose to its branches: `q` (n, joints), their `error` and the direction `free` of each one's self-motion.
Method = Callable[[str, Array, Array], Any]
#: A joint whose part of a self-motion, of length 1, is smaller stays: that is rounding.
MOVES = 1e-6
#: How often finer members of a continuum are tried, where none is inside the joint limits.
_FINER = 3


class GeneralForm(PoseSolver):
    """The general method, pose by pose: geometry and pose are numbers.

    Where the task is the direction of an axis of the end frame, 0 to 2, a virtual joint turns the frame about it.
    """

    def __init__(self, chain: ScrewChain, redundant: Sequence[int], solve: Method, axis: int | None = None) -> None:
        super().__init__(chain.symbols.robot, sorted(axis.joint for axis in chain.axes), len(redundant))
        self._axis = axis
        self._chain, self._known, self._solve = NumericChain(chain), tuple(redundant), solve
        self._last: tuple[Any, Displacements] | None = None

    def _answer(self, inputs: list[Array], near: Array | None, values: Values | None) -> Branches:
        numbers = self.numbers(values)
        poses, positions = inputs if self._redundant else (inputs[0], np.zeros(0))
        leading = broadcast("T", poses.shape[:-2], "r", positions.shape[:-1])
        leading = broadcast("T", leading, "nearest", () if near is None else near.shape[:-1])
        flat = np.broadcast_to(poses, (*leading, 4, 4)).reshape(-1, 4, 4)
        rows = np.broadcast_to(positions, (*leading, self._redundant)).reshape(len(flat), self._redundant)
        pairs = zip(flat, rows, strict=True)
        branches = [self._one(T, dict(zip(self._known, r, strict=True)), numbers) for T, r in pairs]
        return stacked(branches, leading, len(self.joints))

    @property
    def _parameters(self) -> ParameterValues:
        return ParameterValues(self._chain.program, self._numbers, self._chain.chain.symbols.parameter_names)

    def _one(self, T: Array, known: Mapping[int, float], parameters: Values) -> Branches:
        """The branches of one pose, with the joints that a self-motion moves."""
        free = np.zeros(len(self.joints), bool)
        if not _rigid(T):
            return Branches(np.zeros((0, len(free))), np.zeros(0, bool), Status.INVALID, free, np.array(np.nan))
        arm = self._arm(parameters)
        branches = self._solve(*self._with_given_at(arm, known), T)
        moving = np.abs(branches.free[:, : len(arm.joints)]) > MOVES
        free[[self.joints.index(j) for j in arm.joints]] = moving.any(axis=0)
        q, valid = (
            self._chain.positions(arm.joints, branches.q[:, : len(arm.joints)], known),
            np.isfinite(branches.error),
        )
        status = Status.CONTINUUM if free.any() else Status.COMPLETE
        if not valid.any():
            return Branches(q, valid, Status.UNREACHABLE, free, np.array(np.nan))
        return Branches(q, valid, status, free, np.array(branches.error.min()))

    def _with_given_at(self, arm: Displacements, known: Mapping[int, float]) -> tuple[str, Array]:
        """Kinds and links of an arm with its given joints at their positions, and the turn that the task leaves."""
        kinds, links = arm.kinds, arm.at(np.array(list(known.values())))
        return (kinds, links) if self._axis is None else with_turn(kinds, links, self._axis)

    def _member(self, inputs: list[Array], values: Values | None, q: Array, branch: int, free: Array) -> Array | None:
        known = dict(zip(self._known, inputs[1] if self._redundant else (), strict=True))
        arm, limits = self._arm(self.numbers(values)), self._allowed(values)
        chain, reach = scaled(*self._with_given_at(arm, known), inputs[0])
        unit = np.array([reach if kind == "P" else 1.0 for kind in arm.kinds])
        start = self._chain.motions(arm.joints, q[None])[0] / unit
        walked = members(chain, start if self._axis is None else with_last_turn(chain, start))
        for _ in range(_FINER):
            configurations = self._chain.positions(arm.joints, walked[:, : len(unit)] * unit, known)
            exists = np.ones(len(configurations), bool)
            chosen = nearest_inside(configurations, exists, limits, q)
            if chosen is not None or len(walked) == 1:
                return chosen
            walked = finer(chain, walked, least_outside(configurations, exists, limits))
        return None

    def _arm(self, parameters: Values) -> Displacements:
        """The arm of these numbers; most calls have those of the call before."""
        key = dict(parameters)
        last = self._last
        if last is None or last[0] != key:
            last = key, self._chain.displacements(parameters, self._known)
            self._last = last
        return last[1]


def with_turn(kinds: str, links: Array, axis: int) -> tuple[str, Array]:
    """An arm with one more joint, which turns the end frame about its axis x, y or z: 0, 1 or 2."""
    to_z = np.eye(4)  # brings z to the axis
    to_z[:3, :3] = np.roll(np.eye(3), axis + 1, axis=0)
    return kinds + "R", np.stack([*links[:-1], links[-1] @ to_z, to_z.T])


def _rigid(T: Array) -> bool:
    """Whether T is a rotation and a translation, to 1e-6."""
    if not np.isfinite(T).all():
        return False
    R = T[:3, :3]
    far = max(np.abs(R.T @ R - np.eye(3)).max(), np.abs(T[3] - [0, 0, 0, 1]).max())
    return bool(far <= RIGID and np.linalg.det(R) > 0)


# the model


TITLE = "Inverse geometric model"
_STEPS = ("loop", "equations", "eliminated", "eigenvalues", "eigenvectors", "newton")


def steps() -> tuple[Sentence, ...]:
    """How the general method works."""
    return tuple(sentence_of(f"derivations.general_{name}") for name in _STEPS)


@dataclass(frozen=True)
class Recipe:
    """How the general method works: the same for every robot."""

    steps: tuple[Sentence, ...] = field(default_factory=steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, k: int) -> Sentence:
        return self.steps[k]

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        return "\n".join(f"{n}. {step}" for n, step in enumerate(self.steps, 1))

    def latex(self) -> str:
        return "\n".join(
            ["\\begin{enumerate}", *(f"\\item {sentence(step)}" for step in self.steps), "\\end{enumerate}"]
        )

    def data(self) -> dict[str, Any]:
        return {"steps": list(self.steps)}


@dataclass(frozen=True)
class NumericDriver(Driver):
    """Branches that are found by numbers.

    The equations of the model are the direct geometric model `forward` of `frame`: its pose must be the wanted one.
    """

    frame: FrameRef
    given: tuple[int, ...]
    forward: Model
    joints: tuple[int, ...]
    """The joints of the answer, in the order of q."""
    branches: int
    """The largest number of isolated branches."""
    task: str
    method: str
    derivation: Recipe

    def inputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        return {"T": (4, 4), **({"r": (len(self.given),)} if self.given else {})}

    def outputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        return {"q": (self.branches, len(self.joints)), "valid": (self.branches,)}


@dataclass(frozen=True)
class GeneralDriver(NumericDriver):
    """The general method, which solves by eigenvalues (Raghavan and Roth 1993, Manocha and Canny 1994)."""

    chain: ScrewChain

    @property
    def robot(self) -> Robot:
        return self.chain.symbols.robot

    def in_short(self, of: Model) -> str:
        return f"{self.method}, {self.task}, eigenvalues"

    def emit(self, of: Model, target: str, directory: str | Path, force: bool, precision: str) -> list[Path]:
        """Write the method whole, with the robot's numbers and a self-test, as a package of files in a language.

        Where the task is the direction of an axis, the arm of the code has one more joint: q of it is the angle by
        which the frame is turned about this axis. Joints that are given are a second input, r, and not in q.
        """
        from symoro.solve.general.code import GeneralInverse

        one = self.chain.symbols.graph.one
        unknown = [axis for axis in self.chain.axes if axis.joint not in self.given]
        if any(axis.slopes.keys() != {axis.joint} or axis.slopes[axis.joint] != one for axis in unknown):
            raise TargetError("positions.general_code", robot=self.robot.name)
        known = NumericChain(self.chain).displacements(robot_numbers(self.robot), self.given)
        title = f"Inverse geometric model of {self.robot.title or self.robot.name}, general method"
        kinds, links = known.kinds, known.links
        if self.given:
            title += f": r has the joints {_listed(self.given)}, q the joints {_listed(known.joints)}"
        if self.axis is not None:
            kinds, links = with_turn(kinds, links, self.axis)
            title += f", {self.task}: joint {len(kinds)} of the code turns the frame about its axis {self.task[-1]}"
        method = GeneralInverse(kinds, links, f"{self.robot.name}_inverse_geometry", title, known.redundant)
        return method.emit(target, directory, force)

    @property
    def axis(self) -> int | None:
        """The axis of the frame whose direction is wanted, 0 to 2; None where the whole pose is."""
        return None if self.task == "pose" else "xyz".index(self.task[-1])

    def compile(self, of: Model, backend: str) -> Solver:
        """A function of the pose that gives `Branches`; it runs in C where a compiler works, else in NumPy."""
        chosen = "c" if backend == "c" or (backend != "numpy" and has_compiler()) else "numpy"
        return GeneralForm(self.chain, self.given, _Compiled(chosen), self.axis)


def _listed(joints: Sequence[int]) -> str:
    return ", ".join(map(str, joints))


class _Compiled:
    """The method for an arm by numbers; the code of the last arm is kept."""

    def __init__(self, backend: str) -> None:
        self._backend = backend
        self._last: tuple[Any, Any] | None = None

    def __call__(self, kinds: str, links: Array, T: Array) -> Any:
        key = kinds, links.tobytes()
        last = self._last
        if last is None or last[0] != key:
            from symoro.solve.general.code import GeneralInverse

            last = key, GeneralInverse(kinds, links).compile(self._backend)
            self._last = last
        return last[1](T)


def general_geometry(chain: ScrewChain, frame: FrameRef, task: str, redundant: Sequence[int]) -> Model:
    """The general method for a chain, or the reason why it does not apply.

    It has 16 branches at most with one prismatic joint at most, 8 with two, 2 with three.
    """
    if reason := not_general(chain, task, redundant):
        raise NotApplicable(reason)
    robot, joints = chain.symbols.robot, tuple(sorted(axis.joint for axis in chain.axes))
    slides = sum(axis.prismatic for axis in chain.axes if axis.joint not in redundant)
    forward = straight_model("forward_geometry", robot, link=frame)
    branches = {0: 16, 1: 16, 2: 8}.get(slides, 2)
    driver = GeneralDriver(frame, tuple(redundant), forward, joints, branches, task, "general", Recipe(), chain)
    return Model(robot, forward.program, "inverse_geometry", TITLE, forward.citation, driver=driver)


def not_general(chain: ScrewChain, task: str, redundant: Sequence[int]) -> Finding | None:
    """Why the general method is not for a chain; None where it is."""
    name = chain.symbols.robot.name
    if task == "position":
        return Finding("positions.general_task", robot=name, task=task)
    if sum(axis.prismatic for axis in chain.axes if axis.joint not in redundant) > 3:
        return Finding("positions.general_sliders", robot=name)
    for axis in chain.axes:
        if axis.joint in redundant and set(axis.slopes) != {axis.joint}:
            return Finding("positions.general_coupled", robot=name, joint=axis.joint)
    return None


# the way


def no_general_method(question: Question) -> Reason:
    """Why the general method is not for a question; nothing is told of loops where another way was asked for, too."""
    if not question.robot.cuts:
        return None
    return Finding("positions.general_loops", robot=question.robot.name) if question.method == "general" else NOT_TOLD


def general_method(question: Question) -> Model:
    """The model by the general method."""
    robot, beside = question.robot, question.beside
    arm = chain(Symbols(robot, Graph()), question.frame)
    wanted = aim(arm, question.task, beside.joints, beside.arm)
    if beside.arm:
        raise NotApplicable("positions.general_arm_angle", robot=robot.name)
    frame = tip(robot) if question.frame is None else question.frame
    return general_geometry(arm, frame, str(wanted), tuple(beside.joints))
