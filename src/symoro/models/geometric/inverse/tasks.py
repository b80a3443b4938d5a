"""What of a pose a chain can reach: all of it, the position, or the position and the direction of an axis."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from symoro.errors import NotApplicable, OptionError
from symoro.models.geometric.inverse.chain import Chain
from symoro.models.geometric.inverse.loop import Task
from symoro.models.geometric.inverse.probe import SAMPLES, Array, Probe

TASKS = ("pose", "position", "axis-x", "axis-y", "axis-z")
#: A singular value of the Jacobian, in parts of the largest, that is smaller is zero: differences have such errors.
_SINGULAR = 1e-8


@dataclass(frozen=True, slots=True)
class Aim:
    """A task, and the axis of the frame whose direction is wanted."""

    task: Task
    axis: tuple[int, int, int] = (0, 0, 1)

    def __str__(self) -> str:
        return self.task if self.task != "axis" else f"axis-{'xyz'[self.axis.index(1)]}"


def aim(chain: Chain, task: str | None, given: Mapping[int, str], arm: str = "", loops: bool = False) -> Aim:
    """The task of this name; where there is none, what the unknown joints determine, by the rank of the Jacobian.

    Where the directions of all motions are the same in every configuration (planar arms, SCARA, gantries), T is a pose
    of that set. Three other joints reach positions, and five reach positions with the direction of the z axis if it
    depends on all of them. Other arms reach poses; one with fewer than six joints reaches some, and the certificate
    says which. Joints of closed loops reach positions wherever these determine them.
    """
    joints = [axis.joint for axis in chain.axes]
    for j in given:
        if j not in joints:
            raise OptionError(f"redundant: joint {j} is not on the chain (allowed: {', '.join(map(str, joints))})")
    if task is not None and task not in TASKS:
        raise OptionError(f"there is no task {task!r} (allowed: {', '.join(TASKS)})")
    wanted = _found(chain, given, loops) if task is None else _named(task)
    _check(chain, wanted, len(joints) - len(given) - bool(arm))
    return wanted


def require_determined(chain: Chain, wanted: Aim, given: Mapping[int, str]) -> None:
    """Refuse an arm whose task does not determine all joints in any configuration: a closed form cannot find them."""
    if moving := free_joints(chain, wanted, given):
        robot = chain.symbols.robot
        raise NotApplicable(
            f"{robot.name}: no {wanted.task} determines the joints: "
            f"{', '.join(str(robot.joint(j).variable) for j in moving)} can move while it stays, in every "
            f"configuration; give one of the joints {', '.join(map(str, moving))} by redundant={{joint: name}}, "
            "or --given joint=position on the command line"
        )


def free_joints(chain: Chain, wanted: Aim, given: Collection[int]) -> list[int]:
    """The joints that can move while the task stays, in every configuration; `given` joints do not move.

    They are those that the null space of the task's Jacobian moves at random configurations. Where it is empty at one
    of these, there are none.
    """
    unknown = [k for k, axis in enumerate(chain.axes) if axis.joint not in given]
    if not unknown:
        return []
    probe, moving = Probe(chain, "position", wanted.axis), set[int]()
    axis = _directions(probe)
    for n, twist in enumerate(probe.twists()):
        rows = {"pose": twist, "position": twist[:3], "axis": _across(twist, axis[:, n])}[wanted.task][:, unknown]
        _, s, Vt = np.linalg.svd(rows)
        null = Vt[int((s > _SINGULAR * max(1.0, s[0])).sum()) :]
        if not len(null):
            return []
        moves = (np.abs(null).max(axis=0) > _SINGULAR).tolist()
        moving |= {chain.axes[k].joint for k, yes in zip(unknown, moves, strict=True) if yes}
    return sorted(moving)


def _named(task: str) -> Aim:
    if not task.startswith("axis"):
        return Aim("pose" if task == "pose" else "position")
    x, y, z = np.eye(3, dtype=int)["xyz".index(task[-1])].tolist()
    return Aim("axis", (x, y, z))


def _check(chain: Chain, wanted: Aim, unknown: int) -> None:
    most = {"pose": 6, "position": 3, "axis": 5}[wanted.task]
    if unknown > most:
        name = chain.symbols.robot.name
        joints = ", ".join(str(axis.joint) for axis in chain.axes)
        raise NotApplicable(
            f"{name}: {unknown} joints are unknown, and the task {wanted} fixes {most} at most: "
            f"give {unknown - most} of the joints {joints} by redundant={{joint: name}}, "
            "or --given joint=position on the command line"
        )


def _found(chain: Chain, given: Mapping[int, str], loops: bool) -> Aim:
    """The task that determines the unknown joints."""
    unknown = [k for k, axis in enumerate(chain.axes) if axis.joint not in given]
    if len(unknown) not in ((2, 3) if loops else (3, 5)):
        return Aim("pose")
    probe = Probe(chain, "position", (0, 0, 1))
    twists = np.array(probe.twists())[:, :, unknown]  # (samples, 6, joints)
    varies = _rank(np.concatenate(list(twists), axis=1)) > len(unknown)
    if len(unknown) < 5:
        positions = all(_rank(twist[:3]) == len(unknown) for twist in twists)
        return Aim("position" if positions and (varies or loops) else "pose")
    z = _directions(probe)
    along = varies and all(_rank(_across(twist, z[:, n])) == 5 for n, twist in enumerate(twists))
    return _named("axis-z") if along else Aim("pose")


def _directions(probe: Probe) -> Array:
    """The direction of the task's axis at each sample, (3, samples)."""
    return np.array([np.broadcast_to(row[2], SAMPLES) for row in probe.goal[0]])


def _across(twist: Array, a: Array) -> Array:
    """The rows of a twist, less the turn about the axis a: that is what the axis does not see."""
    return np.vstack([twist[:3], twist[3:] - np.outer(a, a @ twist[3:])])


def _rank(rows: Array) -> int:
    return int(np.linalg.matrix_rank(rows, 1e-6))
