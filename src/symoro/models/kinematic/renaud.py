"""Renaud's Jacobian matrix: a product of three matrices, of which the last one has simple terms (K97:4-5).

The velocities are first taken of the point of link n that is at the origin of frame j (the intermediate frame) and
written in frame i (the projection frame); then the point moves to the origin of frame n, and the vectors turn into
frame r. Every choice of i and j gives the same matrix at another cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector, zeros
from symoro.lazy import lazy
from symoro.models.geometric.frames import FrameRef, bound_pose, carrier
from symoro.models.geometric.walk import FramePose, groups, inward_steps, outward_steps, start, steps_between
from symoro.models.recursion import six
from symoro.robot import topology

TIP = -1
"""The index of the target frame's own origin, where the target is a named frame on link n."""
Twist = tuple[Vector, Vector]


@dataclass(frozen=True)
class Renaud:
    """The chain from the base to a target frame; all vectors are written in one of its frames, `i`."""

    s: Symbols
    target: FrameRef
    i: int

    @lazy
    def n(self) -> int:
        """The link that carries the target frame."""
        return carrier(self.s.robot, self.target)[0]

    @lazy
    def path(self) -> tuple[int, ...]:
        """The frames on the way from the base, 0, to link n."""
        return (0, *(joint.index for joint in topology.path(self.s.robot, self.n)))

    @lazy
    def joints(self) -> tuple[int, ...]:
        """The movable joints of the path, and the six coordinates of each free link on it."""
        joints: list[int] = []
        for j in self.path[1:]:
            joints += six(j) if j in self.s.free else (j,) if self.s.robot.joint(j).movable else ()
        return tuple(joints)

    @lazy
    def _seen(self) -> tuple[dict[int, FramePose], dict[int, Vector]]:
        """In frame i: the orientation of each frame of the path, and the vector to its origin from the one before."""
        s, at = self.s, self.path.index(self.i)
        places, ways = {self.i: start(s)}, {}
        for j, i in zip(self.path[at + 1 :], self.path[at:], strict=False):
            reached = places[i].go(outward_steps(s, j))
            ways[j], places[j] = reached.P, replace(reached, P=zeros(s.graph, 3))
        for j, i in zip(self.path[at:0:-1], self.path[at - 1 :: -1] if at else (), strict=False):
            reached = places[j].go(inward_steps(s, j))
            ways[j], places[i] = -reached.P, replace(reached, P=zeros(s.graph, 3))
        return places, ways

    @lazy
    def _ways(self) -> dict[int, dict[int, Vector]]:
        """Known vectors between origins, in frame i: end frame -> start frame -> vector."""
        return {}

    @lazy
    def tip(self) -> Vector:
        """The vector from the origin of frame n to that of the target frame, in frame i."""
        places, _ = self._seen
        return places[self.n].A @ bound_pose(self.s, carrier(self.s.robot, self.target)[1])[1]

    def axis(self, k: int) -> Vector:
        """a_k in frame i."""
        return self._seen[0][k].A.column(2)

    def L(self, k: int, j: int) -> Vector:
        """The vector from the origin of frame k to that of frame j, in frame i; both are on the path."""
        order = {frame: place for place, frame in enumerate(self.path)}
        if j == TIP:
            return self.L(k, self.n) + self.tip
        if order[k] > order[j]:
            return -self.L(j, k)
        known = self._ways.setdefault(j, {j: zeros(self.s.graph, 3)})
        for m in reversed(self.path[order[k] : order[j]]):
            if m not in known:
                after = self.path[order[m] + 1]
                known[m] = known[after] + self._seen[1][after]
        return known[k]

    def columns(self, j: int) -> dict[int, Twist]:
        """iJ_{n,j}: [v; ω] of each joint, at the origin of frame j (K97:5)."""
        columns: dict[int, Twist] = {}
        none = zeros(self.s.graph, 3)
        for k in self.path[1:]:
            if k in self.s.free:
                axes = [self._seen[0][self.s.parent[k]].A.column(n) for n in range(3)]
                columns |= dict(zip(six(k), [*((a, none) for a in axes), *self._turning(axes, k, j)], strict=True))
            elif k in self.joints:
                (a,) = axes = [self.axis(k)]
                columns[k] = (a, none) if self.s.prismatic[k] else self._turning(axes, k, j)[0]  # (K97:5)
        return columns

    def _turning(self, axes: list[Vector], k: int, j: int) -> list[Twist]:
        """[v; ω] at the origin of frame j of turns about axes through the origin of frame k."""
        return [(a.cross(self.L(k, j)), a) for a in axes]

    def moved(self, columns: dict[int, Twist], j: int) -> dict[int, Twist]:
        """Columns at the origin of frame j as columns at that of the target: [1 −L̂; 0 1] (K97:4, the middle matrix)."""
        L = self.L(j, TIP) if j != TIP else zeros(self.s.graph, 3)
        return {k: (v - L.cross(w), w) for k, (v, w) in columns.items()}

    def turned(self, columns: dict[int, Twist], r: FrameRef) -> dict[int, Twist]:
        """The columns in frame r: diag(rAi, rAi) (K97:4, the first matrix), rotation by rotation."""
        frame, pose = carrier(self.s.robot, r)
        A = bound_pose(self.s, pose)[0].T
        steps = [step for _, way in steps_between(self.s, frame, self.i) for step in way]
        turns = [group.A for _, group in groups(self.s, steps)]

        def turn(x: Vector) -> Vector:
            for matrix in reversed(turns):
                x = matrix @ x
            return A @ x

        return {k: (turn(v), turn(w)) for k, (v, w) in columns.items()}

    def rows(self, columns: dict[int, Twist]) -> list[list[Expr]]:
        """Six rows [v; ω], a column for each of `tree_joints` of the robot; those of joints off the path are zero."""
        nothing = (zeros(self.s.graph, 3), zeros(self.s.graph, 3))
        whole = [[*v, *w] for v, w in (columns.get(k, nothing) for k in tree_joints(self.s))]
        return [list(row) for row in zip(*whole, strict=True)] if whole else [[] for _ in range(6)]


def tree_joints(s: Symbols) -> tuple[int, ...]:
    """The coordinates of the joints of the open tree: the movable ones, and six of each free link."""
    return (*s.movable, *(k for j in s.free for k in six(j)))
