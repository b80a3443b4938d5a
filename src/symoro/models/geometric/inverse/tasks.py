"""What of a pose a chain can reach, and which arms have closed forms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from symoro.errors import NotApplicable, OptionError
from symoro.findings import Sentence, Setting, sentence
from symoro.ir.expr import Expr, Op
from symoro.models.geometric.inverse.chain import Screw, ScrewChain
from symoro.models.geometric.inverse.loop import Task
from symoro.models.geometric.inverse.probe import SAMPLES, Array, ExprPolynomial, Probe
from symoro.models.geometric.inverse.steps import OneUnknownStep, SolutionStep, StepContext, ValuesByJoint
from symoro.models.geometric.inverse.types import TANGENT, positive, quotient
from symoro.models.sampling import ZERO, rank

# Pieper's condition: three axes that meet in a point, three that are parallel, or three prismatic joints.
#
# Then the positions of three joints and the orientation of the other three, or the other way round, are separate
# problems of degree four at most (D. Pieper, The kinematics of manipulators under computer control, Stanford, 1968).
# Whether axes meet is said by the distances between them, not by the frames that were chosen on them.


@dataclass(frozen=True, slots=True)
class SpecialTriple:
    """Three joints, and what their axes have in common."""

    joints: tuple[int, int, int]
    what: Literal["prismatic", "parallel", "point"]

    @property
    def sentence(self) -> Sentence:
        a, b, c = self.joints
        return sentence(f"derivations.{self.what}", a=a, b=b, c=c)


def triples(chain: ScrewChain) -> Iterator[SpecialTriple]:
    """The triples of a chain that separate it."""
    axes = chain.axes
    prismatic = [axis.joint for axis in axes if axis.prismatic]
    if len(prismatic) >= 3:
        yield SpecialTriple((prismatic[0], prismatic[1], prismatic[2]), "prismatic")
    for n in range(len(axes) - 2):
        a, b, c = axes[n : n + 3]
        if a.prismatic or b.prismatic or c.prismatic:
            continue
        first, second = chain.links[n : n + 2]
        joints = (a.joint, b.joint, c.joint)
        if _parallel(first) and _parallel(second):
            yield SpecialTriple(joints, "parallel")
        elif _meets(first) and _meets(second) and b.constant.is_zero:
            yield SpecialTriple(joints, "point")


def _sine(angle: Expr) -> Expr:
    return angle.graph.sin(angle)


def _parallel(link: tuple[Screw, ...]) -> bool:
    return all(_sine(screw.turn).is_zero for screw in link)


def _meets(link: tuple[Screw, ...]) -> bool:
    return len(link) == 1 and link[0].shift.is_zero and not _parallel(link)


# Where a free joint must be so that another joint can follow it.
#
# A singular pose can leave a joint free: any position of it is right if the other joints can follow. An equation of
# type 2 for one of them, X S + Y C = Z, has roots where Z² ≤ X² + Y². With the angle φ of the free joint, Z is of the
# form −(z0 + zc cos φ + zs sin φ). The position `near` is kept where it has roots. Else φ is the one that brings Z
# nearest to zero, so that there are roots if any position has them: zc cos φ + zs sin φ = −z0.


def with_roots(
    place: StepContext, step: SolutionStep, values: ValuesByJoint, free: Mapping[int, Expr]
) -> ValuesByJoint:
    """The values with their free joints moved, where the step has no roots; `free` is 1 where a joint is free."""
    if not isinstance(step, OneUnknownStep) or step.prismatic or step.degree != 1:
        return values
    moved = dict(values)
    for joint, is_free in free.items():
        if len(moved[joint]) == 2:
            moved[joint] = _moved(place, step, moved, joint, is_free)
    return moved


def _moved(
    place: StepContext, step: OneUnknownStep, values: ValuesByJoint, joint: int, is_free: Expr
) -> tuple[Expr, ...]:
    """Cosine and sine of a free joint."""
    pair, other = (f"C{step.joint}", f"S{step.joint}"), (f"C{joint}", f"S{joint}")
    f = step.source.zero(place.loop, place.goal, place.values(values, step.joint, joint))
    if not _apart(f, pair, other):
        return values[joint]
    X, Y, zc, zs = f.coefficient(pair[1]), f.coefficient(pair[0]), f.coefficient(other[0]), f.coefficient(other[1])
    # C² + S² is 1; of the free joint, both squares have the same coefficient at the poses that leave it free
    z0 = f.coefficient() + f.coefficient(pair[0], pair[0])
    z0 = z0 + (f.coefficient(other[0], other[0]) + f.coefficient(other[1], other[1])) / 2
    c, s = values[joint]
    Z, A = z0 + zc * c + zs * s, X.graph.sqrt(zc * zc + zs * zs)
    along = _within_one(quotient(-z0, A))
    across = X.graph.sqrt(positive(1 - along * along))
    cosine, sine = quotient(zc * along - zs * across, A), quotient(zs * along + zc * across, A)
    g = X.graph
    lost = g.select(g.less((1 + 2 * TANGENT) * (X * X + Y * Y), Z * Z), is_free, g.zero)
    return g.select(lost, cosine, c), g.select(lost, sine, s)


def _apart(f: ExprPolynomial, pair: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether the free joint changes the equation, and no term has both joints."""
    both = [m for m in f.terms if set(m) & set(pair) and set(m) & set(other)]
    return not both and any((name,) in f.terms for name in other)


def _within_one(x: Expr) -> Expr:
    g = x.graph
    return g.apply(Op.MAX, g.apply(Op.MIN, x, g.one), -g.one)


# What of a pose a chain can reach: all of it, the position, or the position and the direction of an axis.


TASKS = ("pose", "position", "axis-x", "axis-y", "axis-z")


#: How a joint is given.
_EXAMPLE = Setting("redundant={joint: name}", "--given joint=position (ik), -o redundant=joint (show, count, generate)")


@dataclass(frozen=True, slots=True)
class WantedTask:
    """A task, and the axis of the frame whose direction is wanted."""

    task: Task
    axis: tuple[int, int, int] = (0, 0, 1)

    def __str__(self) -> str:
        return self.task if self.task != "axis" else f"axis-{'xyz'[self.axis.index(1)]}"


def aim(
    chain: ScrewChain, task: str | None, known: Mapping[int, str], arm: str = "", loops: bool = False
) -> WantedTask:
    """The task of this name; where there is none, what the unknown joints determine, by the rank of the Jacobian.

    Where the directions of all motions are the same in every configuration (planar arms, SCARA, gantries), T is a pose
    of that set. Three other joints reach positions, and five reach positions with the direction of the z axis if it
    depends on all of them. Other arms reach poses; one with fewer than six joints reaches some, and the certificate
    says which. Joints of closed loops reach positions wherever these determine them.
    """
    joints = [axis.joint for axis in chain.axes]
    for j in known:
        if j not in joints:
            raise OptionError("geometry.not_on_chain", joint=j, allowed=joints)
    wanted = _determined(chain, known, loops) if task is None else _named(task)
    _check(chain, wanted, known, len(joints) - len(known) - bool(arm))
    return wanted


def require_determined(chain: ScrewChain, wanted: WantedTask, known: Mapping[int, str]) -> None:
    """Refuse an arm whose task does not determine all joints in any configuration: a closed form cannot find them."""
    if moving := free_joints(chain, wanted, known):
        robot = chain.symbols.robot
        variables = [str(robot.joint(j).variable) for j in moving]
        about = {"robot": robot.name, "task": wanted.task, "variables": variables, "joints": moving}
        raise NotApplicable("geometry.task_leaves_free", **about, example=_EXAMPLE)


def free_joints(chain: ScrewChain, wanted: WantedTask, known: Collection[int]) -> list[int]:
    """The joints that can move while the task stays, in every configuration; `known` joints do not move.

    They are those that the null space of the task's Jacobian moves at random configurations. Where it is empty at one
    of these, there are none.
    """
    unknown = [k for k, axis in enumerate(chain.axes) if axis.joint not in known]
    if not unknown:
        return []
    probe, moving = Probe(chain, "position", wanted.axis), set[int]()
    axis = _directions(probe)
    for n, twist in enumerate(probe.twists()):
        rows = {"pose": twist, "position": twist[:3], "axis": _across(twist, axis[:, n])}[wanted.task][:, unknown]
        null = np.linalg.svd(rows)[2][rank(rows) :]
        if not len(null):
            return []
        moves = (np.abs(null).max(axis=0) > ZERO).tolist()
        moving |= {chain.axes[k].joint for k, yes in zip(unknown, moves, strict=True) if yes}
    return sorted(moving)


def _named(task: str) -> WantedTask:
    if not task.startswith("axis"):
        return WantedTask("pose" if task == "pose" else "position")
    x, y, z = np.eye(3, dtype=int)["xyz".index(task[-1])].tolist()
    return WantedTask("axis", (x, y, z))


def _check(chain: ScrewChain, wanted: WantedTask, known: Collection[int], unknown: int) -> None:
    most = {"pose": 6, "position": 3, "axis": 5}[wanted.task]
    if unknown > most:
        name = chain.symbols.robot.name
        joints = [axis.joint for axis in chain.axes]
        counts = {"unknown": unknown, "most": most, "count": unknown - most}
        about = {"robot": name, "task": str(wanted), "joints": joints, **counts, "example": _EXAMPLE}
        if unknown == most + 1 and (quick := _separating(chain, wanted, known)):
            raise NotApplicable("geometry.one_joint_more", **about, quick=quick)
        raise NotApplicable("geometry.too_many_joints", **about)


def _separating(chain: ScrewChain, wanted: WantedTask, known: Collection[int]) -> list[int]:
    """The joints that leave Pieper's condition, so that there is a closed form, where one of them is known, too."""
    left = [triple.joints for triple in triples(chain) if not set(known) & set(triple.joints)]
    others = [axis.joint for axis in chain.axes if axis.joint not in known]
    satisfied = [j for j in others if any(j not in triple for triple in left)]
    return [j for j in satisfied if not free_joints(chain, wanted, {*known, j})]


def _determined(chain: ScrewChain, known: Mapping[int, str], loops: bool) -> WantedTask:
    """The task that determines the unknown joints."""
    unknown = [k for k, axis in enumerate(chain.axes) if axis.joint not in known]
    if len(unknown) not in ((2, 3) if loops else (3, 5)):
        return WantedTask("pose")
    probe = Probe(chain, "position", (0, 0, 1))
    twists = np.array(probe.twists())[:, :, unknown]  # (samples, 6, joints)
    varies = rank(np.concatenate(list(twists), axis=1)) > len(unknown)
    if len(unknown) < 5:
        positions = all(rank(twist[:3]) == len(unknown) for twist in twists)
        return WantedTask("position" if positions and (varies or loops) else "pose")
    z = _directions(probe)
    along = varies and all(rank(_across(twist, z[:, n])) == 5 for n, twist in enumerate(twists))
    return _named("axis-z") if along else WantedTask("pose")


def _directions(probe: Probe) -> Array:
    """The direction of the task's axis at each sample, (3, samples)."""
    return np.array([np.broadcast_to(row[2], SAMPLES) for row in probe.goal[0]])


def _across(twist: Array, a: Array) -> Array:
    """The rows of a twist, less the turn about the axis a: that is what the axis does not see."""
    return np.vstack([twist[:3], twist[3:] - np.outer(a, a @ twist[3:])])
