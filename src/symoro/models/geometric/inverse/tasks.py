"""What of a pose a chain can reach: all of it, the position, or the position and the direction of an axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symoro.errors import NotApplicable, OptionError
from symoro.models.geometric.inverse.chain import Chain
from symoro.models.geometric.inverse.loop import Task
from symoro.models.geometric.inverse.probe import Probe

TASKS = ("pose", "position", "axis-x", "axis-y", "axis-z")


@dataclass(frozen=True, slots=True)
class Aim:
    """A task, and the axis of the frame whose direction is wanted."""

    task: Task
    axis: tuple[int, int, int] = (0, 0, 1)

    def __str__(self) -> str:
        return self.task if self.task != "axis" else f"axis-{'xyz'[self.axis.index(1)]}"


def aim(chain: Chain, task: str | None, given: Mapping[int, str], arm: str = "") -> Aim:
    """The task of this name; where there is none, what the joints can reach freely.

    Where the directions of all motions are the same in every configuration (planar arms, SCARA, gantries), T is a pose
    of that set. Three other joints reach positions. Other arms reach poses; one with fewer than six joints reaches
    some, and the certificate says which.
    """
    joints = [axis.joint for axis in chain.axes]
    for j in given:
        if j not in joints:
            raise OptionError(f"redundant: joint {j} is not on the chain (allowed: {', '.join(map(str, joints))})")
    if task is not None and task not in TASKS:
        raise OptionError(f"there is no task {task!r} (allowed: {', '.join(TASKS)})")
    wanted = Aim("pose")
    if task is None and len(joints) - len(given) == 3 and _positions(chain):
        return Aim("position")
    if task == "position":
        wanted = Aim("position")
    elif task and task.startswith("axis"):
        x, y, z = np.eye(3, dtype=int)["xyz".index(task[-1])].tolist()
        wanted = Aim("axis", (x, y, z))
    _check(chain, wanted, len(joints) - len(given) - bool(arm))
    return wanted


def _check(chain: Chain, wanted: Aim, unknown: int) -> None:
    most = {"pose": 6, "position": 3, "axis": 5}[wanted.task]
    if unknown > most:
        name = chain.symbols.robot.name
        joints = ", ".join(str(axis.joint) for axis in chain.axes)
        raise NotApplicable(
            f"{name}: {unknown} joints are unknown, and the task {wanted} fixes {most} at most: "
            f"give {unknown - most} of the joints {joints} by redundant={{joint: name}}"
        )


def _positions(chain: Chain) -> bool:
    """Whether three joints move a point in three directions, and turn it in ways that change with the configuration."""
    twists = np.array(Probe(chain, "position", (0, 0, 1)).twists())  # (samples, 6, joints)
    every = np.concatenate(list(twists), axis=1)
    return bool(np.linalg.matrix_rank(every, 1e-6) > twists.shape[2]) and all(
        np.linalg.matrix_rank(twist[:3], 1e-6) == 3 for twist in twists
    )
