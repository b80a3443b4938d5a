"""Writes a robot as SDF: a link's pose is that of its joint, a joint's pose is in its parent; loops are joints, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from symoro.errors import FormatError
from symoro.findings import Finding
from symoro.formats._xml import central, element, row, shown, uneven
from symoro.formats.tree.description import JointOf, Link, LoopJoint, Tree, place_at_zero
from symoro.formats.tree.of_robot import not_carried, reduces, springs_behind_motors, tree_of
from symoro.formats.tree.poses import Array, Z, to_rpy
from symoro.robot.robot import Robot
from symoro.robot.values import is_zero

VERSION = "1.11"


def write_text(robot: Robot) -> str:
    """The SDF text of a robot with numbers."""
    return text_of(tree_of(robot))


def not_written(robot: Robot) -> list[str]:
    """What SDF does not hold of a robot."""
    more = {
        "rotor inertia": any(not is_zero(drive.IA) for drive in robot.drives),
        "passive joints": any(joint.variable and not (joint.actuated or joint.elastic) for joint in robot.joints),
        "reductions of transmissions": reduces(robot),
        "springs between motors and links": springs_behind_motors(robot),
    }
    links = tree_of(robot).links
    names = ", ".join(dict.fromkeys([*(link.name for link in links if link.mass.M < 0), *uneven(links)]))
    odd = [f"masses or moments that no body has (A + B < C), with which tools refuse the file: {names}"]
    return [*not_carried(robot), *(what for what, there in more.items() if there), *(odd if names else ())]


def text_of(tree: Tree) -> str:
    """The SDF text of a tree."""
    tree = _with_unique_names(tree)
    _check_names(tree)
    joint_of = {joint.child: joint.name for joint in tree.joints}
    inner = [_pose(tree.pose)]
    inner += [_link(link, joint_of.get(link.name)) for link in tree.links if link.name != "world"]
    if not tree.floating and tree.root != "world":  # SDF's own name of the ground
        ends = [element("parent", {}, text="world"), element("child", {}, text=tree.root)]
        inner.append(element("joint", {"name": f"{tree.root}_to_world", "type": "fixed"}, ends))
    inner += [_joint(joint) for joint in tree.joints]
    inner += [_closure(closure, tree) for closure in tree.closures]
    inner += [element("frame", {"name": f.name, "attached_to": f.link}, [_pose(f.pose)]) for f in tree.frames]
    model = element("model", {"name": tree.name}, inner)
    gravity = element("gravity", {}, text=row(tree.gravity or (0.0, 0.0, -9.81)))
    world = element("world", {"name": "default"}, [gravity, model])  # "world" is a reserved name
    return '<?xml version="1.0"?>\n' + element("sdf", {"version": VERSION}, [world]) + "\n"


def _with_unique_names(tree: Tree) -> Tree:
    """Links and frames with other names than joints and the ground, as SDF asks for: `name_link`."""
    taken = {joint.name for joint in tree.joints} | {closure.name for closure in tree.closures}
    taken |= {"world"} - {tree.root}
    others = {link.name for link in tree.links} | {frame.name for frame in tree.frames}
    new = {name: name for name in others}
    for name in sorted(others & taken):
        new[name] = f"{name}_link"
        while new[name] in taken | others:
            new[name] += "_"
    return replace(
        tree,
        root=new[tree.root],
        links=tuple(replace(link, name=new[link.name]) for link in tree.links),
        joints=tuple(replace(joint, parent=new[joint.parent], child=new[joint.child]) for joint in tree.joints),
        frames=tuple(replace(frame, name=new[frame.name], link=new[frame.link]) for frame in tree.frames),
        closures=tuple(replace(one, parent=new[one.parent], child=new[one.child]) for one in tree.closures),
    )


def _check_names(tree: Tree) -> None:
    """An error for names that SDF keeps for itself."""
    names = [tree.name, *(joint.name for joint in tree.joints), *(link.name for link in tree.links)]
    names += [*(frame.name for frame in tree.frames), *(closure.name for closure in tree.closures)]
    ground = {"world"} & {tree.root}
    if kept := [n for n in {*names} - ground if n == "world" or "::" in n or n[:2] == "__" == n[-2:]]:
        raise FormatError([Finding("sdf.names", names=sorted(kept))])


def _pose(T: Array, relative: str | None = None) -> str:
    return element("pose", {"relative_to": relative}, text=row([*T[:3, 3], *to_rpy(T[:3, :3])]))


def _link(link: Link, joint: str | None) -> str:
    parts = [] if joint is None else [_pose(np.eye(4), joint)]
    if link.mass.M or np.any(link.mass.J) or np.any(link.mass.MS):
        c, J = central(link.mass, link.name)
        tensor = {"ixx": J[0, 0], "ixy": J[0, 1], "ixz": J[0, 2], "iyy": J[1, 1], "iyz": J[1, 2], "izz": J[2, 2]}
        inertial = [element("pose", {}, text=row([*c, 0, 0, 0])), element("mass", {}, text=shown(link.mass.M))]
        inertial.append(element("inertia", {}, [element(name, {}, text=shown(x)) for name, x in tensor.items()]))
    else:
        inertial = [element("mass", {}, text="0")]
    return element("link", {"name": link.name}, [*parts, element("inertial", {}, inertial)])


def _joint(joint: JointOf) -> str:
    ends = [element("parent", {}, text=joint.parent), element("child", {}, text=joint.child)]
    kind = joint.kind
    axis = [element("axis", {}, _axis(joint))] if kind in ("revolute", "prismatic") else []
    where = _pose(joint.origin, joint.parent)
    return element("joint", {"name": joint.name, "type": kind}, [where, *ends, *axis])


def _axis(joint: JointOf) -> Iterator[str]:
    yield element("xyz", {}, text=row(joint.axis))
    b = joint.bounds
    limits = {"lower": b.lower, "upper": b.upper, "effort": b.effort, "velocity": b.velocity}
    bounds = [element(name, {}, text=shown(x)) for name, x in limits.items() if x is not None]
    if bounds:
        yield element("limit", {}, bounds)
    spring = {"spring_stiffness": joint.stiffness, "spring_reference": joint.rest if joint.stiffness else 0.0}
    dynamics = {"damping": joint.damping, "friction": joint.friction, **spring}
    inner = [element(name, {}, text=shown(x)) for name, x in dynamics.items() if x]
    if inner:
        yield element("dynamics", {}, inner)
    if joint.mimic is not None:
        numbers = {"multiplier": joint.mimic.ratio, "offset": joint.mimic.offset, "reference": 0.0}
        terms = [element(name, {}, text=shown(x)) for name, x in numbers.items()]
        yield element("mimic", {"joint": joint.mimic.joint}, terms)


def _closure(closure: LoopJoint, tree: Tree) -> str:
    """A joint that closes a loop; SDF has one pose for it, so that the loop must be closed at the zero of the file."""
    first, second = (place_at_zero(tree.joints, link) for link in (closure.parent, closure.child))
    apart = np.abs(first @ closure.in_parent - second @ closure.in_child)
    if closure.kind == "revolute":
        apart = np.abs((first @ closure.in_parent - second @ closure.in_child)[:3, 2:])
    if apart.max() > 1e-9:
        raise FormatError([Finding("sdf.open_loop", joint=closure.name)])
    ends = [element("parent", {}, text=closure.parent), element("child", {}, text=closure.child)]
    axis = element("axis", {}, [element("xyz", {}, text=row(Z))])
    where = _pose(closure.in_parent, closure.parent)
    return element("joint", {"name": closure.name, "type": closure.kind}, [where, *ends, axis])
