"""A Gough-Stewart platform as a robot with closed loops: six legs of a universal, a prismatic and a spherical joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from support.free_robots import Array
from support.loops import pose_parameters
from support.pinocchio_robot import placement, shift, turn
from support.random_loops import Frame, Growing
from symoro.robot.joint import Joint, JointKind
from symoro.robot.robot import Robot, cut_closures
from symoro.robot.values import as_value

#: Directions of the legs' feet on the base.
FEET = np.radians([-10.0, 10.0, 110.0, 130.0, 230.0, 250.0])


def gough_stewart() -> tuple[Robot, Array]:
    """The platform is the last link of the first leg; the other legs are cut in their spherical joints. And a closed q.

    31 joints, six motors in the prismatic joints, five loops with five equations each.
    """
    grown = Growing(np.random.default_rng(0))
    for n, angle in enumerate(FEET):
        link = _leg(grown, float(angle), tilt=0.25 * (-1) ** n)
        if n == 0:
            link = platform = _turned(grown, link, 0.4)
        else:
            cut: Frame = (link, JointKind.REVOLUTE, {"alpha": "pi/2"})
            at = grown.poses[link] * turn("x", np.pi / 2) * turn("z", 0.1 * n)
            mate: Frame = (platform, JointKind.FIXED, dict(pose_parameters(grown.poses[platform].inverse() * at)))
            grown.ends.append((cut, mate))
    return _robot(grown), np.array(grown.q)


def _leg(grown: Growing, angle: float, tilt: float) -> int:
    """Universal joint, prismatic joint, and two axes of the spherical joint."""
    steps = [
        (JointKind.REVOLUTE, {"gamma": angle, "alpha": "pi/2", "d": 1.0}, 1.2),
        (JointKind.REVOLUTE, {"alpha": "-pi/2"}, tilt),
        (JointKind.PRISMATIC, {"gamma": "pi/2", "alpha": "pi/2"}, 1.1 + 0.05 * tilt * angle),
        (JointKind.REVOLUTE, {}, 0.3 * tilt),
        (JointKind.REVOLUTE, {"alpha": "-pi/2"}, 0.2 + angle / 20),
    ]
    link = 0
    for kind, geometry, x in steps:
        link = _added(grown, link, kind, dict(geometry), x)  # type: ignore[call-overload]
    return link


def _turned(grown: Growing, link: int, x: float) -> int:
    return _added(grown, link, JointKind.REVOLUTE, {"alpha": "pi/2"}, x)


def _added(grown: Growing, parent: int, kind: JointKind, geometry: dict[str, float | str], x: float) -> int:
    """A joint at the position x."""
    link = grown.add(parent, kind, geometry)
    grown.q[-1] = x
    move = turn("z", x) if kind is JointKind.REVOLUTE else shift("z", x)
    grown.poses[-1] = grown.poses[parent] * placement(grown.joints[-1], {}) * move
    return link


def _robot(grown: Growing) -> Robot:
    n, loops, zero = len(grown.joints), len(grown.ends), as_value(0)
    frames = [*(cut for cut, _ in grown.ends), *(mate for _, mate in grown.ends)]
    loose = [
        Joint(n + k, f"joint{n + k}", parent, kind, False, **{name: as_value(x) for name, x in geometry.items()})  # type: ignore[arg-type]
        for k, (parent, kind, geometry) in enumerate(frames, 1)
    ]
    tree = [replace(joint, actuated=joint.prismatic) for joint in grown.joints]
    closures = cut_closures(loose, ((n + k, n + loops + k) for k in range(1, loops + 1)))
    return Robot("gough-stewart", (*tree, *loose), closures=closures, gravity=(zero, zero, as_value("-9.81")))
