"""Parallel robots of random legs whose loops determine joints on the way to the leg's end.

The attachments are where the ends of the legs are at some configuration, so that the legs reach the home pose.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

import symoro
from support.free_robots import Array
from support.platforms import joint_positions, reachable_pose
from symoro.formats import toml
from symoro.models.build import known_parameters
from symoro.robot.base import Pose
from symoro.robot.link import Inertia
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Attachment, ClosureKind, Robot
from symoro.robot.values import as_value

HEAD = """
format = 1
name = "leg"
gravity = [0, 0, "G3"]

[[joints]]
name = "stand"
kind = "fixed"
gamma = {gamma}
d = {reach}
"""

CRANK = """
[[joints]]
name = "crank"
parent = "{on}"
{place}
inertia = "symbolic"
drive = "symbolic"
"""

FOUR_BAR = """
[[joints]]
name = "coupler"
parent = "crank"
d = {crank}
actuated = false
inertia = "symbolic"
drive = "symbolic"

[[joints]]
name = "rocker"
parent = "{on}"
{place}
d = {base}
actuated = false
inertia = "symbolic"
"""

FOREARM = """
[[joints]]
name = "forearm"
parent = "coupler"
d = {coupler}
gamma = 0.6
{turn}
actuated = {motor}
inertia = "symbolic"
drive = "symbolic"
"""

YAW = """
[[joints]]
name = "yaw"
parent = "stand"
actuated = false
inertia = "symbolic"
"""

SLIDER = """
[[joints]]
name = "crank"
parent = "{on}"
kind = "prismatic"
alpha = "pi/2"
inertia = "symbolic"
drive = "symbolic"

[[joints]]
name = "coupler"
parent = "crank"
alpha = "-pi/2"
actuated = false
inertia = "symbolic"

[[joints]]
name = "rocker"
parent = "{on}"
d = {base}
actuated = false
inertia = "symbolic"
"""

SWING = """
[[joints]]
name = "swing"
parent = "forearm"
alpha = "pi/2"
actuated = false
inertia = "symbolic"
"""

CUT = """
[[joints]]
name = "cut"
parent = "rocker"
d = {rocker}
actuated = false

[[joints]]
name = "mate"
parent = "coupler"
kind = "fixed"
d = {coupler}

[[cuts]]
joint = "cut"
mate = "mate"
"""

FRAME = """
[[frames]]
name = "end"
link = "{link}"
pose = [[1, 0, 0, {x}], [0, 1, 0, {y}], [0, 0, 1, {z}], [0, 0, 0, 1]]
"""


def _leg(text: str, rng: np.random.Generator, n: int, **given: object) -> Robot:
    lengths = {
        "base": rng.uniform(0.28, 0.32), "crank": rng.uniform(0.1, 0.14), "coupler": rng.uniform(0.3, 0.34),
        "rocker": rng.uniform(0.2, 0.24), "x": rng.uniform(0.2, 0.3), "y": rng.uniform(-0.1, 0.1),
        "z": rng.uniform(-0.05, 0.05), "gamma": 2 * np.pi * n / 3 + rng.uniform(-0.2, 0.2), "reach": 0.5,
    }  # fmt: skip
    found = toml.read_text(text.format(**{**lengths, **given}), "leg").robot
    return found.with_values({name: 1 for name in known_parameters(found) if name not in found.values})


def planar_four_bar(rng: np.random.Generator, n: int) -> Robot:
    """A crank moves a coupler, which carries the forearm."""
    text = HEAD + CRANK + FOUR_BAR + FOREARM + CUT + FRAME
    return _leg(text, rng, n, on="stand", place="", turn="", motor="false", link="forearm", z=0)


def planar_slider_crank(rng: np.random.Generator, n: int) -> Robot:
    """A slider moves a coupler, which carries the forearm."""
    text = HEAD + SLIDER + FOREARM + CUT + FRAME
    return _leg(text, rng, n, on="stand", turn="", motor="false", link="forearm", z=0, rocker=0.35)


def spatial_coupler(rng: np.random.Generator, n: int) -> Robot:
    """A four-bar linkage in a plane that turns about a vertical axis; its coupler carries the platform."""
    text = HEAD + YAW + CRANK + FOUR_BAR + CUT + FRAME
    return _leg(text, rng, n, on="yaw", place='alpha = "pi/2"', link="coupler")


def spatial_forearm(rng: np.random.Generator, n: int) -> Robot:
    """A four-bar linkage whose coupler carries a rod on two hinges; the first hinge has a motor, too."""
    text = HEAD + CRANK + FOUR_BAR + FOREARM + SWING + CUT + FRAME
    return _leg(text, rng, n, on="stand", place='alpha = "pi/2"', turn='alpha = "pi/2"', motor="true", link="swing")


KINDS: dict[str, tuple[Callable[[np.random.Generator, int], Robot], str]] = {
    "planar four-bar": (planar_four_bar, "revolute"),
    "planar slider-crank": (planar_slider_crank, "revolute"),
    "spatial coupler": (spatial_coupler, "spherical"),
    "spatial forearm": (spatial_forearm, "spherical"),
}


#: Positions of passive joints far from those in which a leg is stretched.
BENT = {"forearm": -1.4, "yaw": 0.3, "swing": 0.8}


def end_pose(leg: Robot, rng: np.random.Generator) -> Array:
    """The pose of the end at a closed configuration."""
    motors = [joint for joint in leg.joints if joint.movable and joint.actuated]
    qa = [rng.uniform(0.9, 1.2) if joint.revolute else rng.uniform(0.1, 0.2) for joint in motors]
    free = [joint for joint in leg.joints if joint.name in ("forearm", "yaw", "swing") and not joint.actuated]
    with_motors = replace(leg, joints=tuple(replace(j, actuated=j in free or j.actuated) for j in leg.joints))
    every = [qa[motors.index(j)] if j in motors else BENT[j.name] for j in leg.joints if j in motors or j in free]
    q = symoro.loop_geometry(with_motors).compile("numpy")(every)
    T: Array = symoro.forward_geometry(with_motors, "end", optimize=False).compile("numpy")(q)
    return T


def _table(T: Array) -> Pose:
    return tuple(tuple(as_value(float(x)) for x in row) for row in T)


def random_robot(kind: str, seed: int) -> Robot:
    """A robot with three legs of a kind."""
    rng = np.random.default_rng(seed)
    make, attachment = KINDS[kind]
    legs = [make(rng, n) for n in range(3)]
    poses = [end_pose(leg, rng) for leg in legs]
    home = np.eye(4)
    home[:3, 3] = np.mean([T[:3, 3] for T in poses], axis=0)
    tables = [_table(np.linalg.inv(home) @ T) for T in poses]
    attachments = [Attachment(ClosureKind(attachment), table, "end") for table in tables]
    gravity = (as_value(0), as_value("G2"), as_value("G3"))
    robot = ParallelRobot(
        Inertia.symbolic("P"), legs, attachments, kind.replace(" ", "-"), home=_table(home), gravity=gravity,
        values={"G2": -2, "G3": -9.5},
    )  # fmt: skip
    missing = known_parameters(robot)
    return robot.with_values({name: 1 for name in missing if name not in robot.values})


def pose_near_home(robot: Robot, rng: np.random.Generator) -> Array:
    """A pose that all legs reach, as far from home as one of a few trials."""
    for far in (0.1, 0.05, 0.02, 0.01, 0.005):
        with suppress(np.linalg.LinAlgError):
            T = reachable_pose(robot, rng, far)
            if np.isfinite(joint_positions(robot, T)).all():
                return T
    raise AssertionError(f"{robot.name}: no pose near home is reached")
