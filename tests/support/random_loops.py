"""Random robots with closed loops of any kind: planar and spatial, sliding and turning, one loop or two."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pinocchio as pin

from support.free_robots import Array
from support.loops import pose_parameters, regularity
from support.pinocchio_robot import placement, shift, turn
from support.random_robots import random_robot
from symoro.robot.joint import Joint, JointKind
from symoro.robot.robot import Robot, cut_closures
from symoro.robot.values import as_value

#: What each loop of a robot is like; every fourth robot is the next one.
KINDS = (("planar",), ("spatial",), ("planar", "planar"), ("spatial", "planar"))
#: The joints of a loop, the cut one included, that a single motor drives.
SINGLE = {"planar": 4, "spatial": 7}
#: Robots whose passive joints are nearly free to move by themselves are not drawn.
REGULAR = 0.02


Geometry = dict[str, float | str]
Frame = tuple[int, JointKind, Geometry]


@dataclass
class Growing:
    """A robot that is built from chains of joints; every link has its pose in the closed configuration."""

    rng: np.random.Generator
    joints: list[Joint] = field(default_factory=list)
    q: list[float] = field(default_factory=list)
    poses: list[pin.SE3] = field(default_factory=lambda: [pin.SE3.Identity()])
    ends: list[tuple[Frame, Frame]] = field(default_factory=list)
    motors: int = 0

    def number(self, low: float, high: float) -> float:
        return round(float(self.rng.uniform(low, high)), 4)

    def kind(self, sliding: float) -> JointKind:
        return JointKind.PRISMATIC if self.rng.random() < sliding else JointKind.REVOLUTE

    def add(self, parent: int, kind: JointKind, geometry: Geometry) -> int:
        j, x = len(self.joints) + 1, self.number(-1.5, 1.5)
        joint = described(j, parent, kind, geometry)
        self.joints.append(joint)
        self.q.append(x)
        self.poses.append(self.poses[parent] * placement(joint, {}) * moved(kind, x))
        return j

    def slides(self, link: int) -> bool:
        """Whether the link's z axis lies in the plane of its loop."""
        return bool(link) and self.joints[link - 1].prismatic

    def planar_step(self, link: int, kind: JointKind) -> Geometry:
        """The axes of turning joints are normal to the plane, sliding ones have y there. Angles are exact."""
        if kind is JointKind.REVOLUTE:
            return {"alpha": "-pi/2" if self.slides(link) else "0", "d": self.number(0.3, 1)}
        if self.slides(link):
            return {"gamma": "pi/2", "alpha": self.number(0.5, 2.5), "theta": "-pi/2"}
        return {"gamma": self.number(-3, 3), "alpha": "pi/2", "d": self.number(0.3, 1)}

    def spatial_step(self, kind: JointKind) -> Geometry:
        alpha = self.number(0.4, 1.4) * int(self.rng.choice([-1, 1]))
        own = {"r": self.number(-0.5, 0.5)} if kind is JointKind.REVOLUTE else {"theta": self.number(-3, 3)}
        return {"alpha": alpha, "d": self.number(0.3, 1), **own}

    def step(self, plane: bool, link: int, kind: JointKind) -> Geometry:
        return self.planar_step(link, kind) if plane else self.spatial_step(kind)

    def loop(self, shape: str, start: int, end: int, sliding: float) -> list[int]:
        """A chain from one link to another one; its joints."""
        plane, link, chain = shape == "planar", start, []
        count = SINGLE[shape] + int(self.rng.integers(0, 2))
        for _ in range(count - 1):
            kind = self.kind(sliding)
            link = self.add(link, kind, self.step(plane, link, kind))
            chain.append(link)
        kind = self.kind(sliding)
        cut = (link, kind, self.step(plane, link, kind))
        at = self.poses[link] * placement(described(0, *cut), {}) * moved(kind, self.number(-1, 1))
        seen = self.poses[end].inverse() * at
        where = slide_parameters(seen) if plane and kind is JointKind.PRISMATIC else pose_parameters(seen)
        self.ends.append((cut, (end, JointKind.FIXED, dict(where))))
        self.motors += count - SINGLE[shape] + 1
        return chain


def described(index: int, parent: int, kind: JointKind, geometry: Geometry) -> Joint:
    values = {name: as_value(x) for name, x in geometry.items()}
    return Joint(index, f"joint{index}", parent, kind, actuated=False, **values)  # type: ignore[arg-type]


def moved(kind: JointKind, x: float) -> pin.SE3:
    return turn("z", x) if kind is JointKind.REVOLUTE else shift("z", x)


def slide_parameters(T: pin.SE3) -> Geometry:
    """γ d r of a frame whose z lies in the plane and whose y is normal to it: Rz(γ) Rx(π/2) Tx(d) Tz(r)."""
    gamma = float(np.arctan2(T.rotation[1, 0], T.rotation[0, 0]))
    d, r = np.linalg.solve(T.rotation[:2][:, [0, 2]], T.translation[:2])
    return {"gamma": gamma, "alpha": "pi/2", "d": float(d), "r": float(r)}


def random_closed_robot(seed: int) -> tuple[Robot, Array]:
    """A robot with loops on its base or on a turning column, and an arm on it; and q where it is closed."""
    rng = np.random.default_rng(seed)
    for _ in range(200):
        robot, q = _drawn(seed, rng)
        if regularity(robot, q) > REGULAR:
            return robot, q
    raise AssertionError("no regular robot")


def _drawn(seed: int, rng: np.random.Generator) -> tuple[Robot, Array]:
    robot, always = Growing(rng), []
    if rng.random() < 0.5:
        always.append(robot.add(0, JointKind.REVOLUTE, robot.spatial_step(JointKind.REVOLUTE)))
    ground, inside, sliding = len(robot.joints), [], float(rng.choice([0, 0.3, 0.5]))
    first, *more = KINDS[seed % len(KINDS)]
    inside += robot.loop(first, ground, ground, sliding)
    for shape in more:  # coplanar with the first one and anywhere on it, or in the plane of a link
        links = [ground, *(j for j in inside if not robot.slides(j))]
        start, end = rng.choice(links, 2) if first == "planar" else [rng.choice(links)] * 2
        inside += robot.loop(shape, int(start), int(end), sliding)
    kind = robot.kind(0.3)
    always.append(robot.add(int(rng.choice(inside)), kind, robot.spatial_step(kind)))
    motors = {*always, *map(int, rng.choice(inside, robot.motors, replace=False))}
    return _finished(seed, robot, motors), np.array(robot.q)


def _finished(seed: int, grown: Growing, motors: set[int]) -> Robot:
    n, loops = len(grown.joints), len(grown.ends)
    tree = [replace(joint, actuated=joint.index in motors) for joint in grown.joints]
    frames = [*(cut for cut, _ in grown.ends), *(mate for _, mate in grown.ends)]
    loose = [described(n + k, *frame) for k, frame in enumerate(frames, 1)]
    return replace(
        random_robot(seed, joints=n, structure="serial", kinds="revolute", moving_base=0),
        joints=(*tree, *loose),
        closures=cut_closures(loose, ((n + k, n + loops + k) for k in range(1, loops + 1))),
    )
