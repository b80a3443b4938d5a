"""The inverse geometric model of a robot by the general method: all branches by eigenvalues, for numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import MissingParameter, NotApplicable, TargetError
from symoro.general_inverse import GeneralInverse
from symoro.interface import robot_numbers
from symoro.ir.ops import OpCount
from symoro.model import Model, model
from symoro.models.geometric.frames import FrameRef
from symoro.models.geometric.inverse.chain import Chain
from symoro.models.geometric.inverse.general.arm import Arm, arm, geometry_symbols
from symoro.robot.robot import Robot
from symoro.runtime.shared_library import has_compiler
from symoro.solver import Array, Solver

#: The most isolated branches of an arm with six joints.
_BRANCHES = 16
_RIGID = 1e-6
STEPS = (
    "The chain is a loop: Z1 F1 Z2 F2 … Z6 F6 = 1, where Z_j is the motion of joint j and the wanted pose is in F6. "
    "An arm with fewer joints gets joints that must stay at zero.",
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
        return "\n".join(["\\begin{enumerate}", *(f"\\item {step}" for step in self.steps), "\\end{enumerate}"])

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

    @property
    def robot(self) -> Robot:
        return self.chain.symbols.robot

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints of the answer, in the order of q: those that are given are not among them."""
        return tuple(axis.joint for axis in self.chain.axes if axis.joint not in self.given)

    @property
    def branches(self) -> int:
        """The largest number of isolated branches."""
        return _BRANCHES

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
        return {"q": (_BRANCHES, len(self.joints)), "valid": (_BRANCHES,)}

    def equations(self) -> list[tuple[str, str]]:
        """The direct geometric model: its pose must be the wanted one."""
        return self.forward.equations()

    def latex(self, *, expanded: bool = False) -> str:
        return self.forward.latex(expanded=expanded)

    def to_sympy(self) -> dict[str, Any]:
        return self.forward.to_sympy()

    def emit(self, target: str, directory: str | Path) -> list[Path]:
        """Write the method whole, with the robot's numbers and a self-test, as a package of files in C."""
        if self.given:
            raise TargetError("the general method is written for arms whose joints are all unknown")
        known = self.arm(None)
        if not np.array_equal(known.slopes, np.eye(len(known.kinds))):
            raise TargetError("the general method is written for joints whose coordinate is their variable")
        title = f"Inverse geometric model of {self.robot.title or self.robot.name}, general method"
        return GeneralInverse(known.kinds, known.links, f"{self.robot.name}_inverse_geometry", title).emit(
            target, directory
        )

    def compile(self, backend: str = "llvm") -> Solver:
        """A function of the pose that gives `Solutions`; it runs in C where there is a compiler, else in NumPy."""
        chosen = "numpy" if backend == "numpy" or not has_compiler() else "c"
        return Eigenvalues(self, chosen)

    def arm(self, values: Mapping[str, float] | None) -> Arm:
        numbers = {**robot_numbers(self.robot), **(values or {})}
        if missing := sorted(geometry_symbols(self.chain, self.frame) - numbers.keys()):
            raise MissingParameter(missing)
        return arm(self.chain, self.frame, numbers)


class Eigenvalues(Solver):
    """The general method, pose by pose."""

    def __init__(self, geometry: GeneralGeometry, backend: str) -> None:
        super().__init__(geometry.robot, geometry.joints, len(geometry.given))
        self._geometry, self._backend = geometry, backend
        order = [axis.joint for axis in geometry.chain.axes]
        self._places = [order.index(j) for j in geometry.given]
        self._last: tuple[Any, Any, Any] | None = None

    def _answer(self, inputs: list[Array], near: Array | None, values: Mapping[str, float] | None) -> tuple[Array, ...]:
        poses = inputs[0]
        given = inputs[1] if len(inputs) > 1 else np.zeros((0,))
        batch = np.broadcast_shapes(poses.shape[:-2], given.shape[:-1])
        n = int(np.prod(batch, dtype=np.int64))
        T = np.broadcast_to(poses, (*batch, 4, 4)).reshape(n, 4, 4)
        r = np.broadcast_to(given, (*batch, len(self._places))).reshape(n, len(self._places))
        rigid = np.array([_is_rigid(pose) for pose in T], dtype=bool)
        found = [self._solved(pose, row, values) if good else None for pose, row, good in zip(T, r, rigid, strict=True)]
        count = max([_BRANCHES, *(len(each[0]) for each in found if each)])
        q = np.full((len(T), count, len(self.joints)), np.nan)
        valid, error = np.zeros((len(T), count), bool), np.full((len(T), count), np.inf)
        free = np.zeros((len(T), len(self.joints)), bool)
        for n, each in enumerate(found):
            if each:
                k = len(each[0])
                q[n, :k], error[n, :k], free[n] = each[0], each[1], each[2]
                valid[n, :k] = True
        shapes = ((count, len(self.joints)), (count,), (len(self.joints),), (count,), ())
        return tuple(x.reshape((*batch, *s)) for x, s in zip((q, valid, free, error, rigid), shapes, strict=True))

    def _solved(self, pose: Array, r: Array, values: Mapping[str, float] | None) -> tuple[Array, Array, Array]:
        known, solve = self._solver(r, values)
        found = solve(pose)
        moving = np.abs(found.free) > 1e-9
        return known.variables(found.q), found.error, moving.any(axis=0) if len(moving) else np.zeros(len(self.joints))

    def _solver(self, r: Array, values: Mapping[str, float] | None) -> tuple[Arm, Any]:
        key = tuple(r), tuple(sorted((values or {}).items()))
        if self._last is None or self._last[0] != key:
            known = self._geometry.arm(values).holding(dict(zip(self._places, map(float, r), strict=True)))
            self._last = key, known, GeneralInverse(known.kinds, known.links).compile(self._backend)
        return self._last[1], self._last[2]


def _is_rigid(T: Array) -> bool:
    if not np.isfinite(T).all():
        return False
    R = T[:3, :3]
    off = max(np.abs(R.T @ R - np.eye(3)).max(), np.abs(T[3] - [0, 0, 0, 1]).max())
    return bool(off <= _RIGID and np.linalg.det(R) > 0)


def general_geometry(chain: Chain, frame: FrameRef, task: str, given: Sequence[int]) -> GeneralGeometry:
    """The general method for a chain, or the reason why it does not apply."""
    robot = chain.symbols.robot
    unknown = [axis for axis in chain.axes if axis.joint not in given]
    if task != "pose":
        raise NotApplicable(f"{robot.name}: the general method is for whole poses, not for the task {task}")
    if sum(axis.prismatic for axis in unknown) > 3:
        raise NotApplicable(
            f"{robot.name}: more than three unknown joints are prismatic, so that poses are not determined"
        )
    for axis in chain.axes:
        if axis.joint in given and set(axis.slopes) != {axis.joint}:
            raise NotApplicable(
                f"{robot.name}: joint {axis.joint} is given, but its coordinate depends on other joints"
            )
    return GeneralGeometry(chain, frame, tuple(given), model("forward_geometry", robot, link=frame))
