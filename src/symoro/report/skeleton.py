"""The skeleton of a robot at a configuration: where its frames are, joints as axes, links as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import CannotClose
from symoro.interface import inputs, parameters
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.models.geometric.frames import bound_pose, carrier, compose
from symoro.models.geometric.transform import homogeneous, plain
from symoro.models.loops.closing import closed_configurations
from symoro.models.loops.constraint import Loops
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.runtime import compile_program
from symoro.symbols import Symbols

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """Poses (4, 4) of the frames in the world by number, 0 the base, and by name; a line of points for each joint.

    The line of joint j goes from the frame of its antecedent to frame j: along z by b, along x by d, along z by r.
    Of many configurations all arrays have leading axes.
    """

    poses: Mapping[int, Array]
    named: Mapping[str, Array]
    lines: Mapping[int, Array]

    @property
    def points(self) -> Array:
        """Every point, one a row."""
        frames = [pose[..., :3, 3].reshape(-1, 3) for pose in (*self.poses.values(), *self.named.values())]
        return np.vstack([*frames, *(line.reshape(-1, 3) for line in self.lines.values())])

    @property
    def size(self) -> float:
        """The largest extent along an axis of the world; 1 for a robot of one point."""
        return float(np.ptp(self.points, axis=0).max()) or 1.0


def skeleton(robot: Robot, q: ArrayLike | None = None, values: Mapping[str, float] | None = None) -> Skeleton:
    """The skeleton at a configuration q of all movable joints; without one, where q is 0, or where the loops close.

    q with leading axes are many configurations.
    """
    s = Symbols(robot, Graph())
    world = bound_pose(s, robot.base.pose)
    poses = {j: homogeneous(s, f"T{j}_", compose(world, _pose(s, j))) for j in range(len(robot.joints) + 1)}
    named = {f.name: homogeneous(s, f"F{n}_", compose(world, _pose(s, f.name))) for n, f in enumerate(robot.frames)}
    along = [s.bind(x) for joint in robot.joints for x in (joint.b, joint.r)]
    shifts = Result("B", (len(robot.joints), 2), tuple(along), tuple(f"B{n}" for n in range(len(along))))
    program = extract(s.graph, inputs(s, ["q"]), parameters(s), [*poses.values(), *named.values(), shifts])
    defaults = {p.name: p.default for p in program.parameters if p.default is not None}
    at = _resting(s) if q is None else q
    found = compile_program(program, "numpy", defaults, s.parameter_names)(at, values=values)
    frames = dict(zip(poses, found, strict=False))
    lines = {
        j.index: _line(frames, j, shift) for j, shift in zip(robot.joints, np.moveaxis(found[-1], -2, 0), strict=True)
    }
    return Skeleton(frames, dict(zip(named, found[len(poses) :], strict=False)), lines)


def _pose(s: Symbols, frame: int | str) -> Any:
    """A frame in frame 0; a cut joint's where its mate is."""
    n, pose = carrier(s.robot, frame)
    return compose(plain(s, 0, n), bound_pose(s, pose))


def _resting(s: Symbols) -> Sequence[float] | Array:
    if not s.robot.cuts:
        return [0.0] * len(s.variables)
    closed = closed_configurations(s, Loops(s).every, count=1)
    if closed is None:
        raise CannotClose(f"{s.robot.name}: no configuration was found that closes the loops; give q")
    return np.asarray(closed[0], dtype=float)


def _line(frames: Mapping[int, Array], joint: Joint, shift: Array) -> Array:
    """From the origin of the antecedent's frame to that of frame j by b, d and r."""
    before, after = frames[joint.parent], frames[joint.index]
    start, end = before[..., :3, 3], after[..., :3, 3]
    rise, climb = shift[..., :1] * before[..., :3, 2], shift[..., 1:] * after[..., :3, 2]
    return np.stack([start, start + rise, end - climb, end], axis=-2)
