"""Writes a robot as URDF: named frames are links without mass on fixed joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symoro.errors import FormatError
from symoro.findings import Finding
from symoro.formats._report import Report
from symoro.formats._xml import central, element, parse, row, shown
from symoro.formats.shapes import kept
from symoro.formats.tree.description import JointOf, Link, Tree
from symoro.formats.tree.of_robot import not_carried, tree_of
from symoro.formats.tree.poses import Array, to_rpy
from symoro.robot.base import IDENTITY, BaseKind, Shape
from symoro.robot.robot import Robot
from symoro.robot.values import is_zero, to_text

_ENDLESS = 1e9


def write_text(robot: Robot, shapes: str | None = None) -> str:
    """The URDF text of a robot with numbers, and its shapes; `shapes` is a URDF text whose shapes it gets instead."""
    if robot.cuts:
        raise FormatError([Finding("urdf.loops", robot=robot.name)])
    return text_of(
        tree_of(robot), _by_frame(robot.shapes if shapes is None else kept(parse(shapes, Report(None)), None))
    )


def not_written(robot: Robot) -> list[str]:
    """What URDF does not hold of a robot."""
    upright = [to_text(value) for value in robot.gravity[:2]] == ["0", "0"]
    more = {
        "gravity": not upright,
        "the pose of the base": robot.base.pose != IDENTITY and robot.base.kind is not BaseKind.FLOATING,
        "rotor inertia": any(not is_zero(drive.IA) for drive in robot.drives),
        "springs": any(joint.elastic for joint in robot.joints),
        "passive joints": any(joint.variable and not joint.actuated for joint in robot.joints),
    }
    return [*not_carried(robot), *(what for what, there in more.items() if there)]


_Shapes = dict[str, list[str]]


def _by_frame(shapes: tuple[Shape, ...]) -> _Shapes:
    """The texts of the shapes of each link, and under "" those of the materials."""
    texts: _Shapes = {}
    for shape in shapes:
        texts.setdefault(shape.frame, []).append(shape.text)
    return texts


def text_of(tree: Tree, shapes: _Shapes | None = None) -> str:
    """The URDF text of a tree."""
    kept = shapes or {}
    inner = [*kept.get("", ()), *(_link(link, kept.get(link.name, [])) for link in tree.links)]
    inner += [element("link", {"name": frame.name}, kept.get(frame.name, ())) for frame in tree.frames]
    inner += map(_joint, tree.joints)
    if tree.floating:
        inner = [element("link", {"name": _world(tree)}), *inner, _floating(tree)]
    inner += [
        _joint(JointOf(f"{frame.name}_fixed", "fixed", frame.link, frame.name, frame.pose)) for frame in tree.frames
    ]
    inner += [_transmission(joint) for joint in tree.joints if joint.reduction != 1]
    return '<?xml version="1.0"?>\n' + element("robot", {"name": tree.name}, inner) + "\n"


def _world(tree: Tree) -> str:
    names = {link.name for link in tree.links} | {frame.name for frame in tree.frames}
    name = "world"
    while name in names:
        name += "_"
    return name


def _floating(tree: Tree) -> str:
    return _joint(JointOf("floating_base", "floating", _world(tree), tree.root, tree.pose))


def _origin(T: Array) -> str:
    return element("origin", {"xyz": row(T[:3, 3]), "rpy": row(to_rpy(T[:3, :3]))})


def _link(link: Link, shapes: list[str]) -> str:
    if not (link.mass.M or np.any(link.mass.J) or np.any(link.mass.MS)):
        return element("link", {"name": link.name}, shapes)
    c, J = central(link.mass, link.name)
    names = {"ixx": J[0, 0], "ixy": J[0, 1], "ixz": J[0, 2], "iyy": J[1, 1], "iyz": J[1, 2], "izz": J[2, 2]}
    parts = [
        element("origin", {"xyz": row(c), "rpy": "0 0 0"}),
        element("mass", {"value": shown(link.mass.M)}),
        element("inertia", {name: shown(x) for name, x in names.items()}),
    ]
    return element("link", {"name": link.name}, [element("inertial", {}, parts), *shapes])


def _joint(joint: JointOf) -> str:
    bounded = joint.bounds.lower is not None or joint.bounds.upper is not None
    kind = "continuous" if joint.kind == "revolute" and not bounded else joint.kind
    return element("joint", {"name": joint.name, "type": kind}, _parts(joint))


def _transmission(joint: JointOf) -> str:
    """The reduction of a joint; the names of type and interface are those that ROS asks for."""
    interface = element("hardwareInterface", {}, text="hardware_interface/EffortJointInterface")
    reduction = element("mechanicalReduction", {}, text=shown(joint.reduction))
    parts = [
        element("type", {}, text="transmission_interface/SimpleTransmission"),
        element("joint", {"name": joint.name}, [interface]),
        element("actuator", {"name": f"{joint.name}_motor"}, [interface, reduction]),
    ]
    return element("transmission", {"name": f"{joint.name}_transmission"}, parts)


def _parts(joint: JointOf) -> Iterator[str]:
    yield _origin(joint.origin)
    yield element("parent", {"link": joint.parent})
    yield element("child", {"link": joint.child})
    if joint.kind not in ("revolute", "prismatic"):
        return
    yield element("axis", {"xyz": row(joint.axis)})
    yield from _limit(joint)
    if joint.damping or joint.friction:
        yield element("dynamics", {"damping": shown(joint.damping), "friction": shown(joint.friction)})
    if mimic := joint.mimic:
        numbers = {"multiplier": shown(mimic.ratio), "offset": shown(mimic.offset)}
        yield element("mimic", {"joint": mimic.joint, **numbers})


def _limit(joint: JointOf) -> Iterator[str]:
    """Limits; readers of URDF ask for effort and velocity wherever there are others."""
    b = joint.bounds
    limits = {"lower": b.lower, "upper": b.upper, "velocity": b.velocity, "effort": b.effort}
    if joint.kind == "prismatic" or any(x is not None for x in limits.values()):
        full = {"velocity": _ENDLESS, "effort": _ENDLESS} | {name: x for name, x in limits.items() if x is not None}
        if joint.kind == "prismatic":
            full = {"lower": -_ENDLESS, "upper": _ENDLESS} | full
        yield element("limit", {name: shown(x) for name, x in full.items()})
