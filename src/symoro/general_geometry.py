"""The inverse geometric model of a robot by the general method: all branches by eigenvalues, for numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symoro.errors import NotApplicable, TargetError
from symoro.general_inverse import GeneralInverse
from symoro.general_solver import GeneralForm, with_turn
from symoro.interface import robot_numbers
from symoro.ir.ops import OpCount
from symoro.model import Model, model
from symoro.models.geometric.frames import FrameRef
from symoro.models.geometric.inverse.chain import Chain
from symoro.models.geometric.inverse.numeric import NumericChain
from symoro.models.geometric.inverse.typeset import sentence
from symoro.robot.robot import Robot
from symoro.runtime.shared_library import has_compiler
from symoro.solver import Array, Solver

STEPS = (
    "The chain is a loop: Z1 F1 Z2 F2 … Z6 F6 = 1, where Z_j is the motion of joint j and the wanted pose is in F6. "
    "An arm with fewer joints gets joints that must stay at zero; one about the wanted axis of its frame may turn.",
    "A point p and a direction l on axis 6 do not see joint 6. Of the loop, 14 equations follow for 1, p, l, p·p, p·l, "
    "p×l and (p·p) l − 2 (p·l) p; they are linear in the products of sines and cosines of two joints on each side.",
    "The products of joints 1 and 2 are eliminated: 6 equations in joints 3, 4 and 5 are left.",
    "With half-angles of joints 4 and 5, multiplied by one of them, they are a matrix polynomial in the half-angle of "
    "joint 3. Its 16 eigenvalues (8 with two prismatic joints) are all solutions.",
    "Eigenvectors give joints 4 and 5, linear equations joints 1 and 2, the rotation that is left joint 6.",
    "Newton's method on the robot itself makes each branch exact; one that misses the pose by more than 1e-9 "
    "is dropped.",
)


@dataclass(frozen=True)
class Recipe:
    """How the general method works: the same for every robot."""

    steps: tuple[str, ...] = STEPS

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, k: int) -> str:
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
class GeneralGeometry:
    """An inverse geometric model that is solved by eigenvalues (Raghavan and Roth 1993, Manocha and Canny 1994).

    Its surface is that of a closed form, but for the equations: these are the direct geometric model, which is solved.
    """

    chain: Chain
    frame: FrameRef
    given: tuple[int, ...]
    forward: Model
    method: str = "general"
    task: str = "pose"
    derivation: Recipe = Recipe()
    #: The joints that every pose leaves free, and the solver, by its backend, that holds some of them.
    free: tuple[int, ...] = ()
    held: Callable[[str], Solver] | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"<GeneralGeometry of {self.robot.name}: {self.method}, {self.task}, eigenvalues>"

    @property
    def robot(self) -> Robot:
        return self.chain.symbols.robot

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints of the answer, in the order of q."""
        return tuple(sorted(axis.joint for axis in self.chain.axes))

    @property
    def branches(self) -> int:
        """The largest number of isolated branches: 16 with one prismatic joint at most, 8 with two, 2 with three."""
        slides = sum(axis.prismatic for axis in self.chain.axes if axis.joint not in self.given)
        return {0: 16, 1: 16, 2: 8}.get(slides, 2)

    @property
    def ops(self) -> OpCount:
        """Operations of the direct geometric model, which certifies a branch."""
        return self.forward.ops

    @property
    def setup_ops(self) -> OpCount:
        return self.forward.setup_ops

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        return {"T": (4, 4), **({"r": (len(self.given),)} if self.given else {})}

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        return {"q": (self.branches, len(self.joints)), "valid": (self.branches,)}

    def equations(self) -> list[tuple[str, str]]:
        """The direct geometric model: its pose must be the wanted one."""
        return self.forward.equations()

    def latex(self, *, expanded: bool = False) -> str:
        return self.forward.latex(expanded=expanded)

    def to_sympy(self) -> dict[str, Any]:
        return self.forward.to_sympy()

    def emit(self, target: str, directory: str | Path, force: bool = False) -> list[Path]:
        """Write the method whole, with the robot's numbers and a self-test, as a package of files in a language.

        Where the task is the direction of an axis, the arm of the code has one more joint: q of it is the angle by
        which the frame is turned about this axis. Joints that are given are a second input, r, and not in q.
        """
        if self.free:
            raise TargetError(
                f"{self.robot.name}: every pose leaves joints free: "
                f"give one of the joints {_listed(self.free)} by redundant={{joint: name}}"
            )
        one = self.chain.symbols.graph.one
        unknown = [axis for axis in self.chain.axes if axis.joint not in self.given]
        if any(axis.slopes.keys() != {axis.joint} or axis.slopes[axis.joint] != one for axis in unknown):
            raise TargetError(
                f"{self.robot.name}: the general method is written for joints whose coordinate is their variable"
            )
        known = NumericChain(self.chain).displacements(robot_numbers(self.robot), self.given)
        title = f"Inverse geometric model of {self.robot.title or self.robot.name}, general method"
        kinds, links = known.kinds, known.links
        if self.given:
            title += f": r has the joints {_listed(self.given)}, q the joints {_listed(known.joints)}"
        if self.axis is not None:
            kinds, links = with_turn(kinds, links, self.axis)
            title += f", {self.task}: joint {len(kinds)} of the code turns the frame about its axis {self.task[-1]}"
        method = GeneralInverse(kinds, links, f"{self.robot.name}_inverse_geometry", title, known.given)
        return method.emit(target, directory, force)

    @property
    def axis(self) -> int | None:
        """The axis of the frame whose direction is wanted, 0 to 2; None where the whole pose is."""
        return None if self.task == "pose" else "xyz".index(self.task[-1])

    def compile(self, backend: str = "llvm") -> Solver:
        """A function of the pose that gives `Solutions`; it runs in C where a compiler works, else in NumPy."""
        if self.held is not None:
            return self.held(backend)
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
            last = key, GeneralInverse(kinds, links).compile(self._backend)
            self._last = last
        return last[1](T)


def general_geometry(chain: Chain, frame: FrameRef, task: str, given: Sequence[int]) -> GeneralGeometry:
    """The general method for a chain, or the reason why it does not apply."""
    robot = chain.symbols.robot
    unknown = [axis for axis in chain.axes if axis.joint not in given]
    if task == "position":
        raise NotApplicable(f"{robot.name}: the general method is for poses and axes, not for the task {task}")
    if sum(axis.prismatic for axis in unknown) > 3:
        raise NotApplicable(
            f"{robot.name}: more than three unknown joints are prismatic, so that poses are not determined"
        )
    for axis in chain.axes:
        if axis.joint in given and set(axis.slopes) != {axis.joint}:
            raise NotApplicable(
                f"{robot.name}: joint {axis.joint} is given, but its coordinate depends on other joints"
            )
    return GeneralGeometry(chain, frame, tuple(given), model("forward_geometry", robot, link=frame), task=task)
