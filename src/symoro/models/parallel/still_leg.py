"""A leg of a parallel robot whose motors stand still: where its end can be, and how it moves there.

The joints of the leg are q = q0 + W y. The freedoms y are those that the motors leave. The joints that follow in closed
loops are sums of others (`leg_loops`), so that W is constant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.interface import inputs, parameters
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.models.geometric.frames import carrier
from symoro.models.geometric.transform import forward_geometry, plain
from symoro.models.parallel.leg_loops import LegLoops
from symoro.models.parallel.legs import loops_of
from symoro.robot import topology
from symoro.robot.parallel import AttachmentKind, ParallelRobot
from symoro.robot.values import evaluate as number
from symoro.symbols import Symbols

Array = NDArray[Any]
_SAME = 1e-9


@dataclass(frozen=True)
class StillLeg:
    """A leg with its motors at given positions, and the attachment's frame A (4, 4) in the platform's frame."""

    kind: AttachmentKind
    A: Array
    q0: Array
    W: Array
    slides: Array
    program: Program
    numbers: Mapping[str, float]

    @property
    def freedoms(self) -> int:
        """The number of freedoms y that the motors leave to the leg."""
        return int(self.W.shape[1])

    def at(self, y: Array) -> tuple[Array, Array]:
        """The pose of the leg's end (..., 4, 4), and its velocity [v; ω] in frame 0 for each y (..., 6, freedoms)."""
        found = evaluate(self.program, {"q": self.q0 + y @ self.W.T}, self.numbers)
        T, z, origin = found["T"], found["Z"], found["O"]
        arm = np.cross(z, T[..., None, :3, 3] - origin)
        turned = np.concatenate([arm, z], axis=-1)
        slid = np.concatenate([z, np.zeros_like(z)], axis=-1)
        J = np.swapaxes(np.where(self.slides[:, None], slid, turned), -1, -2)
        return T, J @ self.W

    def any(self, rng: np.random.Generator, count: int, length: float) -> Array:
        """Arbitrary y (count, freedoms): angles in a turn, lengths up to `length`."""
        far = np.where((self.slides[:, None] & (self.W != 0)).any(0), length, np.pi)
        found: Array = far * rng.uniform(-1, 1, (count, self.freedoms))
        return found


def still_legs(robot: ParallelRobot, q: Array, numbers: Mapping[str, float]) -> list[StillLeg] | None:
    """The legs with the motors at q; None where the joints of a leg's loops are no sums, or motors fight each other."""
    found = []
    for i, attachment in enumerate(robot.attachments):
        loops = loops_of(robot, i)
        motors = {j: x for (k, j), x in zip(robot.motors, q, strict=True) if k == i}
        solved = _freedoms(robot, i, loops, motors, numbers)
        if solved is None:
            return None
        program = _moving_end(robot, i)
        A = np.array([[number(x, numbers) for x in row] for row in attachment.pose])
        slides = np.array([robot.legs[i].joint(j).prismatic for j in _variables(robot, i)], dtype=bool)
        known = {p.name: numbers[p.name] for p in program.parameters}
        found.append(StillLeg(attachment.kind, A, *solved, slides, program, known))
    return found


def _variables(robot: ParallelRobot, i: int) -> tuple[int, ...]:
    """The joints of the leg's tree that have a variable."""
    return tuple(joint.index for joint in topology.with_variables(robot.legs[i]))


def _freedoms(
    robot: ParallelRobot, i: int, loops: LegLoops, motors: Mapping[int, float], numbers: Mapping[str, float]
) -> tuple[Array, Array] | None:
    """q0 and W. All joints are E v + e of those that are left, v; the motors are some of them."""
    if loops.following is None:
        return None
    joints = _variables(robot, i)
    E, e = np.zeros((len(joints), len(loops.left))), np.zeros(len(joints))
    for k, j in enumerate(loops.left):
        E[joints.index(j), k] = 1
    for row in loops.following:
        for j, slope in row.slopes:
            E[joints.index(row.joint), loops.left.index(j)] = slope
        e[joints.index(row.joint)] = number(row.rest, numbers)
    driven = [joints.index(j) for j in motors]
    wanted = np.array(list(motors.values())) - e[driven]
    v, *_ = np.linalg.lstsq(E[driven], wanted, rcond=_SAME)
    if np.abs(E[driven] @ v - wanted).max(initial=0.0) > _SAME:
        return None
    return E @ v + e, E @ _kernel(E[driven])


def _kernel(M: Array) -> Array:
    """The vectors x with M x = 0, as columns: single joints where M has only columns of others."""
    free = np.eye(M.shape[1])[:, ~M.any(0)]
    _, values, right = np.linalg.svd(np.vstack([M, np.zeros((1, M.shape[1]))]))
    rank = int((values > _SAME).sum())
    return free if free.shape[1] == M.shape[1] - rank else right[rank:].T


@lru_cache(maxsize=64)
def _moving_end(robot: ParallelRobot, i: int) -> Program:
    """T of the leg's end; axis Z and origin O of each joint, 0 beside the way to the end."""
    leg = robot.legs[i]
    s = Symbols(replace(leg, joints=topology.tree_joints(leg), cuts=(), wrenches=()), Graph())
    end = robot.end(i)
    way = [joint.index for joint in topology.path(s.robot, carrier(s.robot, end)[0])]
    frames = [plain(s, 0, j) if j in way else None for j in s.variables]
    zero = [s.graph.zero] * 3
    Z = [x for frame in frames for x in (frame[0].column(2) if frame else zero)]
    O = [x for frame in frames for x in (frame[1] if frame else zero)]
    results: Sequence[Result] = (
        *forward_geometry(s, end, False),
        Result("Z", (len(frames), 3), tuple(Z), ()),
        Result("O", (len(frames), 3), tuple(O), ()),
    )
    return extract(s.graph, inputs(s, ("q",)), parameters(s), results)
