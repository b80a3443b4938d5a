"""The end of a leg and its attachment: what leg and platform have in common.

All rows are in the frame n of the leg's last link. A row (l, a) says l·v + a·ω of the point where leg and platform
meet; it is the same for both (K10:63-64).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector, identity, zeros
from symoro.models.geometric.frames import Pose, bound_pose, carrier
from symoro.models.parallel.leg_symbols import LegSymbols
from symoro.models.parallel.letters import Letters
from symoro.robot import topology
from symoro.robot.parallel import Attachment, AttachmentKind

Row = tuple[Vector, Vector]
"""The linear and the angular part of a row."""


@dataclass(frozen=True, eq=False)
class LegEnd:
    """The end of leg `number`, from 0, with its joints known."""

    of: Letters
    number: int
    s: LegSymbols

    @property
    def attachment(self) -> Attachment:
        return self.of.robot.attachments[self.number]

    @cached_property
    def link(self) -> int:
        """n, the link that is attached."""
        return self._carrier[0]

    @cached_property
    def _carrier(self) -> tuple[int, Pose]:
        link, pose = carrier(self.s.robot, self.of.robot.end(self.number))
        return link, bound_pose(self.s, pose)

    @cached_property
    def path(self) -> tuple[int, ...]:
        """The joints from the base to the end."""
        return tuple(joint.index for joint in topology.path(self.s.robot, self.link))

    def inward(self, x: Vector) -> Vector:
        """A vector of frame 0 in frame n."""
        for j in self.path:
            x = self.s.R[j].T @ x
        return x

    def outward(self, x: Vector) -> Vector:
        """A vector of frame n in frame 0."""
        for j in reversed(self.path):
            x = self.s.R[j] @ x
        return x

    # the attachment

    @cached_property
    def A(self) -> Pose:
        """The attachment's frame on the platform, in the platform's frame."""
        return bound_pose(self.s, self.attachment.pose)

    @cached_property
    def P(self) -> Vector:
        """From the platform's origin to the point where leg and platform meet, in frame 0 (K10:65)."""
        fixed = self.of.R @ self.A[1]
        if self.attachment.kind is AttachmentKind.PRISMATIC:  # the leg's end slides along z of the attachment
            slid = -self.axis.dot(self._apart)
            fixed = fixed + slid * (self.of.R @ self.A[0].column(2))
        return self.s.name("P", self.number + 1, fixed)

    @cached_property
    def _apart(self) -> Vector:
        """From the leg's end to the attachment's origin on the platform, in frame n."""
        return self.inward(self.of.p + self.of.R @ self.A[1]) - self._end

    @cached_property
    def axis(self) -> Vector:
        """The axis z of the attachment on the platform, in frame n."""
        return self.inward(self.of.R @ self.A[0].column(2))

    @cached_property
    def rows(self) -> list[Row]:
        """What leg and platform have in common."""
        none, along = zeros(self.s.graph, 3), list(identity(self.s.graph, 3))
        if self.attachment.kind is AttachmentKind.PRISMATIC:
            along = [self._carrier[1][0].column(k) for k in (0, 1)]
        return [*((row, none) for row in along), *((none, n) for n in self._axes)]

    @cached_property
    def _axes(self) -> tuple[Vector, ...]:
        """The axes about which leg and platform turn alike."""
        x, y, z = (self._carrier[1][0].column(k) for k in range(3))
        match self.attachment.kind:
            case AttachmentKind.SPHERICAL:
                return ()
            case AttachmentKind.UNIVERSAL:
                return (z.cross(self.axis),)
            case AttachmentKind.REVOLUTE:
                return x, y
        return x, y, z

    @cached_property
    def residual(self) -> list[Expr]:
        """How far leg and platform are apart along each row: 0 where the leg reaches the platform.

        Its derivative is the row of the platform less that of the leg, where all residuals are 0.
        """
        x, y, z = (self._carrier[1][0].column(k) for k in range(3))
        point = self._apart
        match self.attachment.kind:
            case AttachmentKind.UNIVERSAL:
                return [*point, -z.dot(self.axis)]
            case AttachmentKind.REVOLUTE:
                return [*point, -y.dot(self.axis), x.dot(self.axis)]
            case AttachmentKind.FIXED | AttachmentKind.PRISMATIC as kind:
                first, second = (self.inward(self.of.R @ self.A[0].column(k)) for k in (0, 1))
                met = point if kind is AttachmentKind.FIXED else (x.dot(point), y.dot(point))
                return [*met, z.dot(second), x.dot(self.axis), y.dot(first)]
        return list(point)

    @cached_property
    def alignment(self) -> list[Expr]:
        """Positive where the axes that the residual compares point the same way: it is 0 for opposite ones, too."""
        x, _, z = (self._carrier[1][0].column(k) for k in range(3))
        match self.attachment.kind:
            case AttachmentKind.REVOLUTE:
                return [z.dot(self.axis)]
            case AttachmentKind.FIXED | AttachmentKind.PRISMATIC:
                return [z.dot(self.axis), x.dot(self.inward(self.of.R @ self.A[0].column(0)))]
        return []

    @cached_property
    def _end(self) -> Vector:
        """The origin of the leg's end, in frame n."""
        found = zeros(self.s.graph, 3)
        for j in self.path:
            found = self.s.R[j].T @ (found + self.s.P[j])
        return found + self._carrier[1][1]

    def _drift(self, w: Vector, own: Vector, sliding: Expr) -> list[Expr]:
        """The rows' own change times the difference of the velocities of platform and leg.

        The axes of revolute attachments are fixed on the leg: (ω_leg × x)·ω. That of a universal one is z_B × z_A.
        The leg's end slides on the platform with λ̇: 2 x·(ω × λ̇ z) is Coriolis' acceleration along a row.
        """
        kind, zero = self.attachment.kind, self.s.graph.zero
        if kind is AttachmentKind.REVOLUTE:
            return [zero] * 3 + [own.cross(a).dot(w) for a in self._axes]
        if kind is AttachmentKind.UNIVERSAL:
            z = self._carrier[1][0].column(2)
            change = own.cross(z).cross(self.axis) + z.cross(w.cross(self.axis))
            return [zero] * 3 + [change.dot(w - own)]
        if kind is AttachmentKind.PRISMATIC:
            x, y, z = (self._carrier[1][0].column(k) for k in range(3))
            return [2 * sliding * a.dot(w.cross(z)) for a in (x, y)] + [zero] * 3
        return [zero] * len(self.rows)
