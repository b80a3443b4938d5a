"""Writes a robot as a `.par` file, in the dialect of OpenSYMORO, which SYMORO+ reads too."""

from __future__ import annotations

from collections.abc import Iterable

from symoro.formats._par_extension import write_extension
from symoro.formats._par_text import GEOMETRIC, type_of
from symoro.formats._report import Report, Variables
from symoro.robot.base import BaseKind
from symoro.robot.joint import GEOMETRY, MOTION, Joint
from symoro.robot.link import Drive
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import Value, is_zero, to_text


def write_text(robot: Robot) -> str:
    """The `.par` text of a robot; reading it gives the same robot. A comment holds the data that no list can hold."""
    name = "".join(char if char.isalnum() or char in " _.+-" else "_" for char in robot.name).strip() or "robot"
    blocks = [
        _header(robot, name),
        ["(* Geometric parameters *)", *(_list(key, [_frame(key, j) for j in robot.joints]) for key in GEOMETRIC)],
        ["(* Dynamic parameters and external forces *)", *_links(robot)],
        ["(* Joint parameters *)", *_joints(robot.joints[: robot.joint_count])],
        ["(* Speed and acceleration of the base *)", *_motion(robot)],
        ["(* Acceleration of gravity *)", _values("G", robot.gravity)],
        ["(* Pose of frame 0 *)", _values("Z", [value for row in robot.base.pose for value in row])],
        [write_extension(robot, name, _unclear(robot)) + "(* End of definition *)"],
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _header(robot: Robot, name: str) -> list[str]:
    numbers = {"NL": robot.link_count, "NJ": robot.joint_count, "NF": robot.frame_count, "Type": type_of(robot)}
    counts = [f"{key} = {number}" for key, number in numbers.items()]
    floating, mobile = (int(robot.base.kind is kind) for kind in (BaseKind.FLOATING, BaseKind.MOBILE))
    return [f"(* Robotname = '{name}' *)", *counts, f"is_floating = {floating}", f"is_mobile = {mobile}"]


def _list(key: str, texts: Iterable[str]) -> str:
    return f"{key} = {{{','.join(texts)}}}"


def _values(key: str, values: Iterable[Value]) -> str:
    return _list(key, map(to_text, values))


def _frame(key: str, joint: Joint) -> str:
    integers = {"ant": joint.parent, "sigma": joint.sigma, "mu": int(joint.actuated)}
    return str(integers[key]) if key in integers else to_text(getattr(joint, key))


def _links(robot: Robot) -> list[str]:
    """One list for each parameter; it begins with link 0 if the motion of the base is unknown."""
    links = range(0 if robot.base.free else 1, robot.link_count + 1)
    lists: dict[str, list[Value]] = {}
    for link in links:
        drive = robot.drive(link) if link else Drive()
        for name, value in (*robot.inertia(link).items(), *drive.items(), *robot.wrench(link).items()):
            lists.setdefault(name, []).append(value)
    extra = set(Drive.names()) - {"IA", "FV", "FS"}  # other programs do not know them
    kept = {name: values for name, values in lists.items() if name not in extra or not all(map(is_zero, values))}
    return [_values(name, values) for name, values in kept.items()]


def _joints(joints: tuple[Joint, ...]) -> list[str]:
    return [
        _list("eta", [str(int(joint.elastic)) for joint in joints]),
        _values("k", [joint.stiffness for joint in joints]),
        *(_values(key, [getattr(joint, field) for joint in joints]) for field, key in MOTION.items()),
    ]


def _motion(robot: Robot) -> list[str]:
    velocity, acceleration = robot.base.velocity, robot.base.acceleration
    parts = {"W0": velocity[3:], "WP0": acceleration[3:], "V0": velocity[:3], "VP0": acceleration[:3]}
    return [_values(key, values) for key, values in parts.items()]


def _unclear(robot: Robot) -> dict[int, str]:
    """The variables that cannot be found from the lists alone."""
    positions = {joint.index: joint.position for joint in robot.joints if joint.movable}
    fixed = [getattr(j, name) for j in robot.joints for name in GEOMETRY if j.fixed or name != j.moving]
    links = parameters((robot.inertias, robot.drives, robot.wrenches, robot.base, robot.gravity, robot.frames))
    variables = Variables(positions, [*fixed, *links], robot.values).find({}, Report(None), lambda where, joint: None)
    named = {joint.index: joint.variable for joint in robot.joints if joint.variable is not None}
    return {index: name for index, name in named.items() if variables.get(index) != name}
