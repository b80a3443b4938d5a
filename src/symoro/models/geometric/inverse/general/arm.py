"""A robot's chain by numbers: the displacements between its joints, and its variables from joint coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.geometric.frames import FrameRef, carrier
from symoro.models.geometric.inverse.chain import Chain
from symoro.robot import topology
from symoro.robot.base import Pose
from symoro.robot.joint import GEOMETRY
from symoro.robot.values import evaluate, symbols

Array = NDArray[Any]
_X, _Z = 0, 2


@dataclass(frozen=True, slots=True)
class Arm:
    """T = links[0] Z1 links[1] … Zn links[n], Z_k = Rz(x_k) or Tz(x_k) with x = slopes q; `kinds` has R or P."""

    kinds: str
    links: Array
    slopes: Array

    def holding(self, given: Mapping[int, float]) -> Arm:
        """The arm in which the variables at these places are given; their coordinates are theirs alone."""
        links = [self.links[0]]
        for k, kind in enumerate(self.kinds):
            if k in given:
                x = given[k] * self.slopes[k, k]
                links[-1] = links[-1] @ (_screw(_Z, 0.0, x) if kind == "P" else _screw(_Z, x, 0.0)) @ self.links[k + 1]
            else:
                links.append(self.links[k + 1])
        kept = [k for k in range(len(self.kinds)) if k not in given]
        return Arm("".join(self.kinds[k] for k in kept), np.array(links), self.slopes[np.ix_(kept, kept)])

    def variables(self, x: Array) -> Array:
        """q of joint coordinates x (…, joints); angles in (−π, π]."""
        q: Array = x @ np.linalg.inv(self.slopes).T
        turning = np.array([kind == "R" for kind in self.kinds])
        return np.where(turning, np.arctan2(np.sin(q), np.cos(q)), q)


def arm(chain: Chain, frame: FrameRef, numbers: Mapping[str, float]) -> Arm:
    """The arm from the world to a frame, with these numbers."""
    robot = chain.symbols.robot
    link, tool = carrier(robot, frame)
    rest = {**numbers, **{joint.variable: 0.0 for joint in robot.joints if joint.variable}}
    links = [_matrix(robot.base.pose, rest)]
    for joint in topology.path(robot, link):
        gamma, b, alpha, d, theta, r = (evaluate(getattr(joint, name), rest) for name in GEOMETRY)
        links[-1] = links[-1] @ _screw(_Z, gamma, b) @ _screw(_X, alpha, d) @ _screw(_Z, theta, r)
        if joint.movable:
            links.append(np.eye(4))
    links[-1] = links[-1] @ _matrix(tool, rest)
    order = [axis.joint for axis in chain.axes]
    slopes = [[_slope(axis.slopes[k]) if k in axis.slopes else 0.0 for k in order] for axis in chain.axes]
    return Arm("".join("P" if axis.prismatic else "R" for axis in chain.axes), np.array(links), np.array(slopes))


def geometry_symbols(chain: Chain, frame: FrameRef) -> set[str]:
    """The parameters that the arm depends on."""
    robot = chain.symbols.robot
    link, tool = carrier(robot, frame)
    values = [getattr(joint, name) for joint in topology.path(robot, link) for name in GEOMETRY]
    values += [x for pose in (robot.base.pose, tool) for row in pose for x in row]
    return {name for value in values for name in symbols(value)} - {str(joint.variable) for joint in robot.joints}


def _slope(slope: Any) -> float:
    return float(slope.constant)


def _matrix(pose: Pose, numbers: Mapping[str, float]) -> Array:
    return np.array([[evaluate(x, numbers) for x in row] for row in pose])


def _screw(axis: int, turn: float, shift: float) -> Array:
    """A turn about a coordinate axis and a shift along it."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    T = np.eye(4)
    T[a, a] = T[b, b] = np.cos(turn)
    T[b, a], T[a, b] = np.sin(turn), -np.sin(turn)
    T[axis, 3] = shift
    return T
