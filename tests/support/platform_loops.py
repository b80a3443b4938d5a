"""A parallel robot as a robot with closed loops: the platform is a link of the first leg, the other legs are cut.

A spherical attachment is three hinges whose axes meet in its point, a universal one two; what lies between has no mass.
The last hinge of the other legs is the cut joint. A leg that is fixed on the platform is cut at its own last joint;
that link is then a part of the platform. The placements of frames are found by numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pinocchio as pin

from support.free_robots import Array
from support.loops import pose_parameters
from support.pinocchio_robot import placement, turn
from symoro.robot.arithmetic import plus
from symoro.robot.base import IDENTITY
from symoro.robot.joint import Joint, JointKind
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import ClosureKind, Robot, cut_closures, parameters
from symoro.robot.symbolic import substituted
from symoro.robot.values import Symbol, Value, as_value, evaluate, exact_angle, exact_length, symbols

HINGES = {ClosureKind.SPHERICAL: 3, ClosureKind.UNIVERSAL: 2, ClosureKind.REVOLUTE: 1, ClosureKind.FIXED: 0}
RIGHT = as_value("pi/2")
#: Of a spherical attachment: from its frame on the platform to the frame of its last hinge.
ASIDE = turn("x", np.pi / 2)


@dataclass
class Loops:
    """What a parallel robot is as a robot with closed loops. With `symbols`, frames have symbols for their numbers."""

    of: Robot
    symbols: bool
    joints: list[Joint] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)

    @property
    def tree(self) -> tuple[Joint, ...]:
        """The joints of all legs; the platform comes after them."""
        return self.of.joints[: self.of.link_count - 1]

    @property
    def numbers(self) -> Mapping[str, float]:
        return self.of.values.numbers()

    def pose(self, table: tuple[tuple[Value, ...], ...]) -> pin.SE3:
        M = np.array([[evaluate(x, self.numbers) for x in row] for row in table])
        return pin.SE3(M[:3, :3], M[:3, 3])

    def end(self, i: int) -> tuple[int, pin.SE3]:
        """The link of leg i at its end, in the numbers of the tree, and the frame B on it."""
        leg, frame = self.of.legs[i], self.of.attachments[i].frame
        found = leg.link_count if frame is None else leg.frame_ref(frame)
        link, on_link = found, IDENTITY
        if isinstance(found, str):
            named = next(f for f in leg.frames if f.name == found)
            link, on_link = named.link, named.pose
        return self.of.first_joints[i] + int(link), self.pose(on_link)

    def hinge(self, i: int) -> pin.SE3:
        """The frame of the last hinge of attachment i on the platform, its variable left out."""
        attachment = self.of.attachments[i]
        A = self.pose(attachment.pose)
        return A * ASIDE if attachment.kind is ClosureKind.SPHERICAL else A

    def placed(self, end: str, T: pin.SE3) -> dict[str, Value]:
        """The six parameters of a frame: exact ones where the numbers are, or symbols."""
        found = {}
        for name, x in pose_parameters(T).items():
            if self.symbols:
                found[name], self.values[name + end] = Symbol(name + end), as_value(x)
            else:
                exact = (exact_angle if name in ("gamma", "alpha", "theta") else exact_length)(as_value(x).value)  # type: ignore[union-attr]
                found[name] = exact or as_value(x)
        return found

    def chain(self, i: int, first: int, hinges: int) -> list[Joint]:
        """Some hinges at the end of leg i, with these numbers."""
        link, B = self.end(i)
        made = []
        for k in range(hinges):
            index = first + k
            where = self.placed(f"E_{i + 1}", B) if k == 0 else {"alpha": RIGHT}
            q: Value = Symbol(f"q{index}")
            theta = plus(q, where["theta"]) if k == 0 else q
            made.append(
                Joint(index, f"leg {i + 1} hinge {k + 1}", link, JointKind.REVOLUTE, False,
                      **{**where, "theta": theta}, variable=f"q{index}")
            )  # fmt: skip
            link = index
        return made

    def closed(self) -> Robot:
        """The robot with closed loops."""
        robot, dropped = self.of, self.dropped
        own = len(self.tree) - len(dropped)
        joints, platform = self._with_platform()
        cuts = []
        for i in range(1, len(robot.legs)):
            *inner, last = self._other_end(i, len(joints) + 1)
            joints += inner
            cuts.append(last)
        n, loops = len(joints), len(cuts)
        joints += [self._cut(n + k, joint) for k, joint in enumerate(cuts, 1)]
        joints += [self._mate_joint(i, n + loops + i, platform) for i in range(1, loops + 1)]
        inertias = [*robot.inertias[:own], *([Inertia()] * (n - own))]
        inertias[platform - 1] = Inertia(**{name: Symbol(f"{name}P") for name in Inertia.names()})
        self.values |= {f"{name}P": as_value(float(x)) for name, x in self._body().items()}
        drives = (*robot.drives[:own], *([Drive()] * (n - own)))
        closures = cut_closures(joints, ((n + k, n + loops + k) for k in range(1, loops + 1)))
        name = f"{robot.name} with loops"
        made = Robot(name, tuple(joints), tuple(inertias), drives, gravity=robot.gravity, closures=closures)
        used = {name for value in parameters(made) for name in symbols(value)}
        return made.with_values({n: x for n, x in {**robot.values, **self.values}.items() if n in used})

    @property
    def dropped(self) -> list[int]:
        """Links that are fixed on the platform: the last one of the last leg, or none."""
        kinds = enumerate(a.kind for a in self.of.attachments)
        found = [self.end(i)[0] for i, kind in kinds if i and kind is ClosureKind.FIXED]
        assert all(link == len(self.tree) for link in found), "only the last link of the last leg can be left out"
        return found

    def _with_platform(self) -> tuple[list[Joint], int]:
        """The joints of all legs and of the first attachment, and the link that is the platform."""
        joints = [self._plain(j) for j in self.tree if j.index not in self.dropped]
        hinges, first = HINGES[self.of.attachments[0].kind], len(joints) + 1
        if hinges:
            joints += self.chain(0, first, hinges)
        else:
            link, B = self.end(0)
            joints.append(Joint(first, "platform", link, JointKind.FIXED, False, **self.placed("E_1", B)))
        return joints, len(joints)

    def _other_end(self, i: int, first: int) -> list[Joint]:
        """The joints between leg i and the platform; the loop is cut at the last one."""
        kind = self.of.attachments[i].kind
        return [self.of.joint(self.end(i)[0])] if kind is ClosureKind.FIXED else self.chain(i, first, HINGES[kind])

    def _mate_joint(self, i: int, index: int, platform: int) -> Joint:
        where = self.hinge(0).inverse() * self._mate(i)
        return Joint(index, f"mate {i}", platform, JointKind.FIXED, False, **self.placed(f"M_{i + 1}", where))

    def _plain(self, joint: Joint) -> Joint:
        """A joint of a leg; where there are more motors than freedoms, those of the first leg are kept."""
        redundant = len(self.of.motors) > 6
        return replace(joint, actuated=False) if redundant and joint.index > self.of.legs[0].link_count else joint

    def _cut(self, index: int, joint: Joint) -> Joint:
        """The joint as cut joint, with another number."""
        new = f"cut{index}"
        theta = substituted(joint.theta, {str(joint.variable): Symbol(new)})
        return replace(joint, index=index, actuated=False, theta=theta, variable=new)

    def _mate(self, i: int) -> pin.SE3:
        fixed = self.of.attachments[i].kind is ClosureKind.FIXED
        return self.hinge(i) * self.end(i)[1].inverse() if fixed else self.hinge(i)

    def _body(self) -> dict[str, float]:
        """The platform, and links that are fixed on it, in the frame of the first attachment's last hinge."""
        total = _moved(self._numbers_of(self.of.platform), self.hinge(0).inverse())
        for link in self.dropped:
            own = self._numbers_of(self.of.inertia(link))
            total = total + _moved(own, self.hinge(0).inverse() * self._mate(len(self.of.legs) - 1))
        return dict(zip(Inertia.names(), total, strict=True))

    def _numbers_of(self, body: Inertia) -> Array:
        return np.array([evaluate(x, self.numbers) for _, x in body.items()])

    # a configuration

    def configuration(self, q: Array, T: Array) -> Array:
        """q of the tree for those of the legs and the pose of the platform."""
        kinds = [a.kind for a in self.of.attachments]
        world = pin.SE3(T[:3, :3], T[:3, 3])
        at, positions = {0: pin.SE3.Identity()}, iter(q)
        for joint in self.tree:
            move = pin.SE3.Identity()
            if joint.movable:
                x = next(positions)
                move = turn("z", x) if joint.revolute else pin.SE3(np.eye(3), np.array([0, 0, x]))
            at[joint.index] = at[joint.parent] * placement(joint, self.numbers) * move
        found = list(q[: len(q) - len(self.dropped)])
        for i, kind in enumerate(kinds):
            link, B = self.end(i)
            rotation = (at[link] * B).rotation.T @ (world * self.hinge(i)).rotation
            angles = _angles(rotation, HINGES[kind])
            found += angles if i == 0 else angles[:-1]
        return np.array(found)


def _moved(body: Array, T: pin.SE3) -> Array:
    """The ten parameters of a body seen from the frame in which its own has the pose T, by points of masses."""
    XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M = body
    J = np.array([[XX, XY, XZ], [XY, YY, YZ], [XZ, YZ, ZZ]])
    S = np.block([[np.eye(3) * np.trace(J) / 2 - J, np.array([[MX], [MY], [MZ]])], [np.array([MX, MY, MZ, M])]])
    S = T.homogeneous @ S @ T.homogeneous.T  # the second moments of the masses
    J = np.eye(3) * np.trace(S[:3, :3]) - S[:3, :3]
    return np.array([*J[np.triu_indices(3)], *S[:3, 3], S[3, 3]])


def _angles(R: Array, hinges: int) -> list[float]:
    """The angles of Rz(a) Rx(π/2) Rz(b) Rx(π/2) Rz(c), of its last three factors' beginning, or of Rz(a)."""
    if hinges == 0:
        return []
    if hinges == 1:
        return [float(np.arctan2(R[1, 0], R[0, 0]))]
    if hinges == 2:  # the axis z of R is (sin a, −cos a, 0)
        return [float(np.arctan2(R[0, 2], -R[1, 2])), float(np.arctan2(R[2, 0], R[2, 1]))]
    a = float(np.arctan2(R[1, 2], R[0, 2]))  # the axis z of R is (cos a sin b, sin a sin b, −cos b)
    rest = turn("x", -np.pi / 2).rotation @ turn("z", -a).rotation @ R
    b, c = _angles(rest, 2)
    return [a, b, c]
