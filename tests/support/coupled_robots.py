"""Closed-loop robots whose loops determine the passive joints only together: a body that hangs on three legs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import symoro
from support.loop_robots import described, joint
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot

#: Where the legs of the planar robots stand and where they hold the body, by angles and lengths.
BASE = {"b2": 1.0, "g3": 1.0, "b3": 0.9}
BODY = {"p2": 0.5, "a3": 0.9, "p3": 0.55}
MATES = [joint(10, 5, "fixed", d="p2"), joint(11, 5, "fixed", gamma="a3", d="p3")]


def three_rrr() -> Robot:
    """Planar: three cranks with motors, three rods, and the body, link 5, on the first rod."""
    return described(
        "three-rrr",
        [
            joint(1, 0, actuated=True),
            joint(2, 0, actuated=True, d="b2"),
            joint(3, 0, actuated=True, gamma="g3", d="b3"),
            joint(4, 1, d="l1"),
            joint(5, 4, d="m1"),
            joint(6, 2, d="l2"),
            joint(7, 3, d="l3"),
            joint(8, 6, d="m2"),
            joint(9, 7, d="m3"),
            *MATES,
        ],
        [(8, 10), (9, 11)],
        BASE | BODY | {"l1": 0.4, "l2": 0.45, "l3": 0.35, "m1": 0.5, "m2": 0.55, "m3": 0.6},
    )


def three_rpr() -> Robot:
    """Planar: three cylinders with motors that hold the body, link 5."""
    slide = {"kind": "prismatic", "actuated": True, "gamma": "pi/2", "alpha": "pi/2"}
    return described(
        "three-rpr",
        [
            joint(1, 0),
            joint(2, 0, d="b2"),
            joint(3, 0, gamma="g3", d="b3"),
            joint(4, 1, **slide),  # type: ignore[arg-type]
            joint(5, 4, alpha="-pi/2"),
            joint(6, 2, **slide),  # type: ignore[arg-type]
            joint(7, 3, **slide),  # type: ignore[arg-type]
            joint(8, 6, alpha="-pi/2"),
            joint(9, 7, alpha="-pi/2"),
            *MATES,
        ],
        [(8, 10), (9, 11)],
        BASE | BODY,
    )


def six_bar() -> Robot:
    """Stephenson's six-bar linkage with the motor outside of its four-bar loop: link 4 is held by three cranks."""
    return described(
        "six-bar",
        [
            joint(1, 0, actuated=True, gamma="g3", d="b3"),
            joint(2, 1, d="l3"),
            joint(3, 0),
            joint(4, 3, d="m1"),
            joint(5, 0, d="b2"),
            joint(6, 5, d="m2"),
            joint(7, 2, d="m3"),
            joint(8, 4, "fixed", d="p2"),
            joint(9, 4, "fixed", gamma="a3", d="p3"),
        ],
        [(6, 8), (7, 9)],
        BASE | BODY | {"l3": 0.35, "m1": 0.5, "m2": 0.55, "m3": 0.6},
    )


def spherical_platform() -> Robot:
    """Three motors whose axes meet in a point, two links each, and a body that turns about that point."""
    return described(
        "spherical-platform",
        [
            joint(1, 0, actuated=True, alpha="0.9"),
            joint(2, 0, actuated=True, gamma="2.2", alpha="1.0"),
            joint(3, 0, actuated=True, gamma="-2", alpha="0.8"),
            joint(4, 1, alpha="1.2"),
            joint(5, 4, alpha="1.1"),
            joint(6, 2, alpha="1.1"),
            joint(7, 3, alpha="1.3"),
            joint(8, 6, alpha="1.25"),
            joint(9, 7, alpha="1.2"),
            joint(10, 5, "fixed", alpha="1.3"),
            joint(11, 5, "fixed", gamma="1.9", alpha="1.1"),
        ],
        [(8, 10), (9, 11)],
        {},
    )


def three_rps() -> Robot:
    """Spatial: three cylinders with motors that swing in vertical planes, on balls; the body is link 11."""

    def leg(first: int, angle: str) -> list[Joint]:
        """Swing, cylinder, and the first two of three axes that meet in the ball."""
        return [
            joint(first, 0, gamma=angle, alpha="pi/2", d="R"),
            joint(first + 1, first, "prismatic", actuated=True, gamma="pi/2", alpha="pi/2"),
            joint(first + 2, first + 1, alpha="pi/2"),
            joint(first + 3, first + 2, alpha="pi/2"),
        ]

    return described(
        "three-rps",
        [
            *leg(1, "0"),
            joint(5, 4, alpha="pi/2"),
            *leg(6, "2.1"),
            *leg(10, "-2"),
            joint(14, 9, alpha="pi/2"),
            joint(15, 13, alpha="pi/2"),
            joint(16, 5, "fixed", alpha="0.4", d="p2"),
            joint(17, 5, "fixed", gamma="1.1", alpha="-0.3", d="p3"),
        ],
        [(14, 16), (15, 17)],
        {"R": 0.6, "p2": 0.7, "p3": 0.75},
    )


COUPLED: dict[str, Callable[[], Robot]] = {
    "three-rrr": three_rrr,
    "three-rpr": three_rpr,
    "six-bar": six_bar,
    "spherical-platform": spherical_platform,
    "three-rps": three_rps,
    "orthoglide": partial(symoro.load, "orthoglide"),
}
"""Robots by name."""
