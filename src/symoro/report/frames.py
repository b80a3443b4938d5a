"""The frames of a robot during a simulated run, a few a second: what animations and the page draw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import SymoroError
from symoro.motion.simulation import Simulation
from symoro.platforms.motion import joints_of_pose
from symoro.report.skeleton import Skeleton, skeleton
from symoro.robot.parallel import ParallelRobot
from symoro.robot.values import evaluate
from symoro.runtime import compile_program

Array = NDArray[Any]
_MOST = 3000
"""The most instants of a run that are shown."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Some rows of a run, and the skeleton of the robot in the world at each of them.

    Of a parallel robot `platform` are the poses of its platform, and `held` has a line for each leg from its last link
    over the attachment to the platform's origin, (instants, 3, 3).
    """

    rows: Array
    times: Array
    skeleton: Skeleton
    size: float
    """The extent of the robot itself, without the way of a free base."""
    platform: Array | None = None
    held: tuple[Array, ...] = ()


def shown(s: Simulation, rate: float, speed: float = 1.0) -> Shown:
    """The run at `rate` instants a second; with `speed` 0.5 they are of half a second of the motion."""
    if not isinstance(s, Simulation):
        raise SymoroError(f"an animation shows what symoro.simulate gives, not {type(s).__name__}")
    for name, x in (("rate", rate), ("speed", speed)):
        if not (isinstance(x, int | float) and isfinite(x) and x > 0):
            raise SymoroError(f"{name} = {x!r} is not allowed (allowed: more than 0)")
    if s.states.ndim != 2:
        raise SymoroError("an animation shows one run: this simulation is a batch")
    count = int(s.t[-1] / speed * rate) + 1
    if count > _MOST:
        raise SymoroError(
            f"the animation would have {count} pictures (allowed: {_MOST}): lower the rate, or speed it up"
        )
    rows = np.searchsorted(s.t, np.minimum(np.arange(count) * speed / rate, s.t[-1]) + 1e-9, side="right") - 1
    if isinstance(s.robot, ParallelRobot):
        return _platform(s, s.robot, rows)
    found = skeleton(s.robot, s.q[rows], s.values)
    return Shown(rows, s.t[rows], _moved(found, s.T[rows]) if "quat" in s.plant.parts else found, found.size)


def _moved(shape: Skeleton, base: Array) -> Skeleton:
    """A skeleton in the world, on a base that moves."""
    R, p = base[:, None, :3, :3], base[:, None, :3, 3]
    return replace(
        shape,
        poses={j: base @ pose for j, pose in shape.poses.items()},
        named={name: base @ pose for name, pose in shape.named.items()},
        lines={j: (R @ line[..., None])[..., 0] + p for j, line in shape.lines.items()},
    )


def _platform(s: Simulation, robot: ParallelRobot, rows: Array) -> Shown:
    """All joints of the legs follow from the pose of the platform."""
    T = s.T[rows]
    f = compile_program(joints_of_pose(robot))
    known = {name: x for name, x in s.values.items() if name in f.parameters.known}
    shape = skeleton(robot, f(T, values=known), s.values)
    numbers, held = {**robot.values.numbers(), **s.values}, []
    for attachment, leg, before in zip(robot.attachments, robot.legs, robot.first_joints, strict=True):
        point = np.array([evaluate(x, numbers) for x in attachment.point])
        last = shape.poses[before + leg.link_count]
        held.append(np.stack([last[..., :3, 3], T[..., :3, :3] @ point + T[..., :3, 3], T[..., :3, 3]], axis=-2))
    return Shown(rows, s.t[rows], shape, shape.size, T, tuple(held))


def frames(simulation: Simulation, rate: float = 30.0) -> dict[str, Any]:
    """One run as plain data, `rate` instants a second: times, the pose of every link in the world, and the motors.

    `poses` has 16 numbers, row by row, of each link at each time; its keys are the numbers of the links as texts, "0"
    the base, and "platform" of a parallel robot, whose links are those of all its legs. `q`, `qd`, `tau` and `error`
    are rows; `error` is None where nothing was wanted.
    """
    found = shown(simulation, rate)
    poses: dict[str, Array] = {str(j): pose for j, pose in found.skeleton.poses.items()}
    if found.platform is not None:
        poses["platform"] = found.platform
    wanted = simulation.reference is not None
    count = len(found.rows)
    return {
        "rate": float(rate),
        "times": found.times.tolist(),
        "poses": {name: _rows(pose, count) for name, pose in poses.items()},
        "names": list(simulation.names),
        "motors": list(simulation.motors),
        "q": simulation.q[found.rows].tolist(),
        "qd": simulation.qd[found.rows].tolist(),
        "tau": simulation.tau[found.rows].tolist(),
        "error": simulation.error[found.rows].tolist() if wanted else None,
        "stopped": simulation.stopped,
    }


def _rows(pose: Array, count: int) -> list[list[float]]:
    """16 numbers at each instant; a base on the ground has one pose for all."""
    found: list[list[float]] = np.broadcast_to(pose, (count, 4, 4)).reshape(count, 16).tolist()
    return found
