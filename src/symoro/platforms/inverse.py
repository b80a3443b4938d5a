"""The legs of a parallel robot for a pose of its platform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.ops import OpCount
from symoro.ir.passes import optimize
from symoro.model import Model
from symoro.models.geometric.inverse.solutions import Solutions, Status
from symoro.models.parallel.build import inputs, parameters
from symoro.models.parallel.geometry import leg_positions
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.structure import structure
from symoro.platforms.leg_search import searched_legs, with_searched
from symoro.platforms.poses import is_rigid, parallel, poses_of
from symoro.robot import topology
from symoro.robot.parallel import ParallelRobot
from symoro.robot.values import evaluate
from symoro.runtime import Function

Array = NDArray[Any]
Values = Mapping[str, float]
#: How far legs may be from the platform.
CLOSED = 1e-9


def inverse_geometry(robot: ParallelRobot) -> PlatformInverse:
    """The legs of a parallel robot for a pose of its platform."""
    letters = Letters(robot, Graph(cancel=True))
    results = leg_positions(letters, structure(robot))
    program = optimize(extract(letters.graph, inputs(letters, ("T",)), parameters(letters), results))
    title = "Inverse geometric model"
    return PlatformInverse(Model(robot, program, "inverse_geometry", title, "K10 § 5", row=""))


@dataclass(frozen=True, slots=True)
class PlatformInverse:
    """The inverse geometry of a parallel robot: read it, count it, write it as code, or run it.

    Branch b of the answer has branch b of every leg; legs can be in different branches.
    """

    model: Model

    @property
    def robot(self) -> ParallelRobot:
        return parallel(self.model.robot)

    @property
    def branches(self) -> int:
        """The largest number of branches of a leg."""
        return self.model.outputs["OK"][0]

    @property
    def ops(self) -> OpCount:
        """Operations for all branches of all legs."""
        return self.model.ops

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        return self.model.inputs

    def equations(self) -> list[tuple[str, str]]:
        """Every named variable of the program and its right side, in order."""
        return self.model.equations()

    def emit(self, target: str, directory: str | Path, force: bool = False) -> list[Path]:
        """Write all branches as a package of files in a language; their paths."""
        return self.model.emit(target, directory, force)

    def compile(self, backend: str = "llvm") -> LegSolver:
        """A function of the pose that gives `Solutions`."""
        return LegSolver(self.robot, self.model.compile(backend))


class LegSolver:
    """f(T): the motors for poses T (..., 4, 4) of the platform, all branches of the legs.

    `q` of the answer is (..., branches, motors), NaN where the leg of a motor has no such branch; `valid` is where all
    legs have it. `limits=True` keeps branches in which all joints of a leg are inside their limits. With
    `joints=True`, `q` has all joints of all legs.

    The branches of a leg without a closed form are found by Newton's method: first the one that the models take, then
    those that a search from many starts finds, until none is new. The search takes a second or so for a pose and a leg;
    with `search=False` it is left out. The status is `incomplete` for such robots: there may be other branches.
    """

    def __init__(self, robot: ParallelRobot, f: Function) -> None:
        self.robot, self._f = robot, f
        owners = [(i, j) for i, leg in enumerate(robot.legs) for j in topology.with_variables(leg)]
        self.leg = np.array([i for i, _ in owners])
        self.joints = [j for _, j in owners]
        self._motors = [k for k, (_, j) in enumerate(owners) if j.actuated]
        self.searched = searched_legs(robot)

    def __call__(
        self,
        T: ArrayLike,
        *,
        limits: bool = False,
        joints: bool = False,
        search: bool = True,
        values: Values | None = None,
    ) -> Solutions:
        given = poses_of(T)
        found = self._f(given, values=values)
        rigid = is_rigid(given)
        with np.errstate(invalid="ignore"):
            ok = (found.OK > 0.5) & (CLOSED * (1 + np.abs(given[..., None, None, :3, 3]).max(-1)) >= found.ERR)
        ok = ok & rigid[..., None, None]
        q = np.array(found.QL)
        if self.searched and search:
            q, ok = with_searched(self.robot, self.searched, self.leg, given, q, ok, values)
        if limits:
            inside = self.inside(q, values)
            ok = ok & np.stack([inside[..., self.leg == i].all(-1) for i in range(len(self.robot.legs))], axis=-1)
        q[~ok[..., self.leg]] = np.nan
        valid = ok.all(-1)
        with np.errstate(invalid="ignore"):
            distance = np.where(np.isfinite(found.ERR), found.ERR, np.inf).max(-1).min(-1)
        certain = np.delete(ok, self.searched, axis=-1)  # a search cannot tell that there is no branch
        kinds = np.where(rigid, np.where(certain.any(-2).all(-1), 0, 1), 2)
        found_all = Status.INCOMPLETE if self.searched else Status.COMPLETE
        members = np.array([found_all, Status.UNREACHABLE, Status.INVALID], dtype=object)
        q = q if joints else q[..., self._motors]
        free = np.zeros((*given.shape[:-2], q.shape[-1]), dtype=bool)
        return Solutions(q, valid, members[kinds], free, np.where(rigid, distance, np.nan))

    def inside(self, q: Array, values: Values | None = None) -> Array:
        """Which joints of all legs are inside their limits; angles in (−π, π] may be given a turn."""
        known = {**self.robot.values.numbers(), **(values or {})}
        inside = np.ones(q.shape, dtype=bool)
        for k, joint in enumerate(self.joints):
            lower, upper = joint.limits.lower, joint.limits.upper
            low = -np.inf if lower is None else evaluate(lower, known)
            high = np.inf if upper is None else evaluate(upper, known)
            with np.errstate(invalid="ignore"):
                turns = (0.0,) if joint.prismatic else (-2 * np.pi, 0.0, 2 * np.pi)
                fits = [(q[..., k] + x >= low - 1e-12) & (q[..., k] + x <= high + 1e-12) for x in turns]
            inside[..., k] = np.any(fits, axis=0)
        return inside
