"""The frames of a robot during a simulated run, a few a second: what animations and the page draw."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.bind.coordinates import poses
from symoro.errors import SymoroError
from symoro.findings import Argument, Finding
from symoro.motion.simulation import Simulation
from symoro.report.skeleton import Skeleton, drawing

Array = NDArray[Any]
_MOST = 3000
"""The most instants of a run that are shown."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Some rows of a run, and the skeleton of the robot in the world at each of them."""

    rows: Array
    times: Array
    skeleton: Skeleton
    size: float
    """The extent of the robot itself, without the way of a free base."""


def shown(s: Simulation, rate: float, speed: float = 1.0) -> Shown:
    """The run at `rate` instants a second; with `speed` 0.5 they are of half a second of the motion."""
    if not isinstance(s, Simulation):
        raise SymoroError("pictures.not_a_simulation", kind=type(s).__name__)
    for name, x in (("rate", rate), ("speed", speed)):
        if not (isinstance(x, int | float) and isfinite(x) and x > 0):
            allowed = Finding("pictures.more_than_zero")
            raise SymoroError("options.value", option=Argument(name), value=repr(x), allowed=allowed)
    if s.states.ndim != 2:
        raise SymoroError("pictures.batch")
    count = int(s.t[-1] / speed * rate) + 1
    if count > _MOST:
        raise SymoroError("pictures.too_many", count=count, most=_MOST)
    rows = np.searchsorted(s.t, np.minimum(np.arange(count) * speed / rate, s.t[-1]) + 1e-9, side="right") - 1
    function, shape = drawing(s.robot)
    skeleton = shape(s.plant.called(function, s.states[rows], s.values))
    if not s.robot.base.free:
        return Shown(rows, s.t[rows], skeleton, skeleton.size)
    base = poses(s.part("position")[rows], s.part("quat")[rows])
    return Shown(rows, s.t[rows], _moved(skeleton, base), skeleton.size)


def _moved(shape: Skeleton, base: Array) -> Skeleton:
    """A skeleton in the world, on a base that moves."""
    R, p = base[:, None, :3, :3], base[:, None, :3, 3]
    return replace(
        shape,
        poses={j: base @ pose for j, pose in shape.poses.items()},
        named={name: base @ pose for name, pose in shape.named.items()},
        lines={j: (R @ line[..., None])[..., 0] + p for j, line in shape.lines.items()},
        ties=tuple((R @ line[..., None])[..., 0] + p for line in shape.ties),
        ends={name: (R @ line[..., None])[..., 0] + p for name, line in shape.ends.items()},
    )


def frames(simulation: Simulation, rate: float = 30.0) -> dict[str, Any]:
    """One run as plain data, `rate` instants a second: times, the pose of every link in the world, and the motors.

    `poses` has 16 numbers, row by row, of each link at each time; its keys are the numbers of the links as texts, "0"
    the base, and "platform" of a parallel robot, whose links are those of all its legs. `q`, `qd`, `tau` and `error`
    are rows; `error` is None where nothing was wanted.
    """
    instants = shown(simulation, rate)
    poses: dict[str, Array] = {str(j): pose for j, pose in instants.skeleton.poses.items()}
    alone = {str(j): group.name for group in simulation.robot.groups if not group.numbered for j in group.joints}
    wanted = simulation.reference is not None
    count = len(instants.rows)
    return {
        "rate": float(rate),
        "times": instants.times.tolist(),
        "poses": {alone.get(j, j): _rows(pose, count) for j, pose in poses.items()},
        "names": list(simulation.names),
        "motors": list(simulation.motors),
        "q": simulation.q[instants.rows].tolist(),
        "qd": simulation.qd[instants.rows].tolist(),
        "tau": simulation.tau[instants.rows].tolist(),
        "error": simulation.error[instants.rows].tolist() if wanted else None,
        "stopped": simulation.stopped,
    }


def _rows(pose: Array, count: int) -> list[list[float]]:
    """16 numbers at each instant; a base on the ground has one pose for all."""
    rows: list[list[float]] = np.broadcast_to(pose, (count, 4, 4)).reshape(count, 16).tolist()
    return rows
