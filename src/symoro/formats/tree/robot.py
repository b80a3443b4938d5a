"""The robot of a tree of links and joints: the same motion for the same coordinates, in modified DH parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symoro.findings import Argument, Finding
from symoro.formats._report import LineOf, Reading, Report
from symoro.formats.tree.bodies import Bodies, bodies
from symoro.formats.tree.couplings import Couplings, moving
from symoro.formats.tree.description import Bounds, LoopJoint, Tree
from symoro.formats.tree.frames import Placement, settled
from symoro.formats.tree.lines import Line, bridged, lines, zero_poses
from symoro.formats.tree.loops import cut_line, mate, with_single_cuts
from symoro.formats.tree.parameters import Parameters, exact_rotation, number, rounded
from symoro.formats.tree.poses import Array, Z, inverse, pose
from symoro.formats.tree.simple import simple
from symoro.formats.tree.values import clean, inertia_of, pose_of
from symoro.formats.tree.welds import without_welds
from symoro.robot.base import Base, BaseKind, Frame
from symoro.robot.joint import NO_LIMITS, Joint, JointKind, Limits
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot, cut_closures
from symoro.robot.values import ZERO, Bindings, Symbol, Value

GRAVITY = -9.81
"""The acceleration of gravity along z of a file that does not give it."""


def robot_of(tree: Tree, report: Report, exact: bool = False) -> Reading:
    """The robot of a tree, with the warnings and notes of its reader.

    `exact`: orientations that are roundings of rotations by multiples of π/12 are these rotations.
    """
    if exact:
        tree = _exact(tree, report)
    tree = with_single_cuts(simple(without_welds(tree, report), report))
    merged = bodies(tree, report)
    joints = tuple(body.joint for body in merged.bodies if body.joint is not None)
    coordinates = Couplings(joints, report)
    report.raise_errors()
    draft = _TreeDraft.place(tree, merged, coordinates)
    draft.note(report)
    return report.finish(draft.robot(), draft.line_of())


def _exact(tree: Tree, report: Report) -> Tree:
    """The tree with exact orientations, and a note of the largest change."""
    changes: list[float] = []

    def exact(T: Array) -> Array:
        R = exact_rotation(T[:3, :3])
        changes.append(float(np.abs(R - T[:3, :3]).max()))
        return pose(R, T[:3, 3])

    exact_tree = replace(
        tree,
        pose=exact(tree.pose),
        joints=tuple(replace(joint, origin=exact(joint.origin)) for joint in tree.joints),
        frames=tuple(replace(frame, pose=exact(frame.pose)) for frame in tree.frames),
        closures=tuple(replace(c, in_parent=exact(c.in_parent), in_child=exact(c.in_child)) for c in tree.closures),
        welds=tuple(replace(w, in_first=exact(w.in_first), in_second=exact(w.in_second)) for w in tree.welds),
    )
    if changed := [change for change in changes if change > 1e-12]:
        report.add(Finding("trees.exact", count=len(changed), change=max(changed)))
    return exact_tree


@dataclass(frozen=True, slots=True, eq=False)
class _TreeDraft:
    """The placed frames of a tree. The lines are: base, movable joints, cut joints, bridges.

    The robot's frames are: movable joints, bridges, cut joints, mates of the cut joints. A tree without movable joints
    has one bridge, because a robot has a frame.
    """

    tree: Tree
    merged: Bodies
    coordinates: Couplings
    poses: list[Array]
    axes: list[Line]
    placed: list[Placement]

    @classmethod
    def place(cls, tree: Tree, merged: Bodies, coordinates: Couplings) -> _TreeDraft:
        poses = zero_poses(merged.bodies)
        cuts = [cut_line(closure, merged, poses) for closure in tree.closures]
        axes = bridged([*lines(merged.bodies, poses), *cuts])
        axes, placed = settled(axes if len(axes) > 1 else [*axes, Line(0, np.zeros(3), Z)])
        return cls(tree, merged, coordinates, poses, axes, placed)

    @property
    def movable(self) -> int:
        return len(self.merged.bodies) - 1

    @property
    def cuts(self) -> int:
        return len(self.tree.closures)

    @property
    def bridges(self) -> int:
        return len(self.axes) - 1 - self.movable - self.cuts

    def index(self, line: int) -> int:
        """The index of the robot's joint of a line."""
        if line <= self.movable:
            return line
        cut = line - self.movable
        return line + self.bridges if cut <= self.cuts else line - self.cuts

    def robot(self) -> Robot:
        tree, links = self.tree, self.movable + self.bridges
        joints = sorted([*self._joints(), *self._mates()], key=lambda joint: joint.index)
        empty = [Inertia()] * self.bridges
        drives = [self.coordinates.drive(j) for j in range(1, self.movable + 1)]
        return Robot(
            name=tree.name.strip() or "robot",
            joints=tuple(joints),
            inertias=(*(self._inertia(j) for j in range(1, self.movable + 1)), *empty),
            drives=(*drives, *[Drive()] * self.bridges),
            base=self._base(),
            gravity=self._gravity(),
            frames=tuple(self._frames()),
            closures=cut_closures(joints, ((k, k + self.cuts) for k in range(links + 1, links + 1 + self.cuts))),
            values=Bindings({"G3": number(GRAVITY)} if Symbol("G3") in self._gravity() else {}),
        )

    def _gravity(self) -> tuple[Value, ...]:
        """Gravity in frame 0: the file gives it in the world, in which the base may be turned."""
        R = np.eye(3) if self.tree.floating else self.tree.pose[:3, :3]
        if self.tree.gravity is None and np.array_equal(R, np.eye(3)):
            return ZERO, ZERO, Symbol("G3")
        gravity = (0.0, 0.0, GRAVITY) if self.tree.gravity is None else self.tree.gravity
        return tuple(clean(R.T @ np.array(gravity)))

    def _joints(self) -> Iterator[Joint]:
        for line in range(1, len(self.axes)):
            parameters, j = self.placed[line].parameters, self.index(line)
            parent = self.index(self.axes[line].parent)
            if line <= self.movable:
                yield self._movable(j, parent, parameters)
            elif line <= self.movable + self.cuts:
                yield self._cut(self.tree.closures[line - self.movable - 1], j, parent, parameters)
            else:
                yield Joint(j, f"bridge{j - self.movable}", parent, JointKind.FIXED, **_geometry(parameters))

    def _movable(self, j: int, parent: int, parameters: Parameters) -> Joint:
        joint = self.coordinates.joints[j - 1]
        kind = JointKind(joint.kind)
        at_zero = parameters.theta if kind is JointKind.REVOLUTE else parameters.r
        geometry = _geometry(parameters) | {str(kind.moving): self.coordinates.position(j, at_zero)}
        variable = self.coordinates.variable(j)
        return Joint(
            index=j,
            name=joint.name,
            parent=parent,
            kind=kind,
            actuated=joint.active,
            elastic=bool(joint.stiffness) and variable is not None,
            **geometry,
            variable=variable,
            stiffness=number(joint.stiffness),
            rest=number(joint.rest),
            limits=_limits(joint.bounds) if variable else NO_LIMITS,
        )

    def _cut(self, closure: LoopJoint, j: int, parent: int, parameters: Parameters) -> Joint:
        kind = JointKind(closure.kind)
        at_zero = parameters.theta if closure.kind == "revolute" else parameters.r
        geometry = _geometry(parameters) | {str(kind.moving): moving(Symbol(f"q{j}"), at_zero)}
        return Joint(j, closure.name, parent, kind, actuated=False, **geometry, variable=f"q{j}")

    def _mates(self) -> Iterator[Joint]:
        before = [placement.pose for placement in self.placed]
        for k, closure in enumerate(self.tree.closures, 1):
            cut = before[self.movable + k]
            parent, parameters = mate(closure, self.merged, self.poses, cut, before)
            j = self.movable + self.bridges + self.cuts + k
            yield Joint(j, f"{closure.name}_mate", parent, JointKind.FIXED, **_geometry(parameters))

    def _inertia(self, j: int) -> Inertia:
        seen = inverse(self.placed[j].pose) @ self.poses[j]
        return inertia_of(self.merged.bodies[j].mass.seen_from(seen))

    def _base(self) -> Base:
        kind = BaseKind.FLOATING if self.tree.floating else BaseKind.FIXED
        return Base(kind, pose_of(self.tree.pose), inertia=inertia_of(self.merged.bodies[0].mass))

    def _frames(self) -> Iterator[Frame]:
        for frame in self.merged.frames:
            body, pose = self.merged.where(frame.link, frame.pose)
            yield Frame(frame.name, body, pose_of(inverse(self.placed[body].pose) @ self.poses[body] @ pose))

    def note(self, report: Report) -> None:
        """What was made exact, and the frames that no file names."""
        changes = [angle.change for one in self.placed for angle in one.parameters.angles if angle.change > 1e-15]
        if changes:
            report.add(Finding("trees.exact_angles", count=len(changes), change=max(changes)))
        near = [away for one in self.placed for angle in one.parameters.angles if (away := rounded(angle))]
        used = any(problem.code in ("urdf.exact", "trees.exact") for problem in report.problems)
        if near and report.file and not used:  # only files are read with options
            report.add(Finding("trees.rounded", count=len(near), change=max(near), option=Argument("exact")))
        if self.bridges and self.movable:
            report.add(Finding("trees.bridges", count=self.bridges))

    def line_of(self) -> LineOf:
        where = {j: joint.line for j, joint in enumerate(self.coordinates.joints, 1)}
        return lambda name, joint: where.get(joint) if joint is not None else None


def _geometry(p: Parameters) -> dict[str, Any]:
    return {
        "gamma": p.gamma.value(),
        "b": number(p.b),
        "alpha": p.alpha.value(),
        "d": number(p.d),
        "theta": p.theta.value(),
        "r": number(p.r),
    }


def _limits(bounds: Bounds) -> Limits:
    limits = (bounds.lower, bounds.upper, bounds.velocity, bounds.effort)
    return Limits(*(None if x is None else number(x) for x in limits))
