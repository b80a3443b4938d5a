"""Writes a robot as MJCF: a body for each link, a site for each named frame."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symoro.errors import FormatError
from symoro.findings import Finding
from symoro.formats._xml import central, element, moments, row, shown, uneven
from symoro.formats.tree.description import JointOf, Link, LoopJoint, Tree
from symoro.formats.tree.of_robot import not_carried, reduces, springs_behind_motors, tree_of
from symoro.formats.tree.poses import Array, shift, to_quaternion
from symoro.robot.robot import Robot

_KINDS = {"revolute": "hinge", "prismatic": "slide"}


def write_text(robot: Robot) -> str:
    """The MJCF text of a robot with numbers."""
    tree = tree_of(robot)
    for closure in tree.closures:
        if closure.kind != "revolute":
            raise FormatError([Finding("mjcf.loop", robot=robot.name, kind=closure.kind, joint=closure.name)])
    return text_of(tree)


def not_written(robot: Robot) -> list[str]:
    """What MJCF does not hold of a robot, as it is written."""
    limits = any(j.limits.velocity is not None or j.limits.effort is not None for j in robot.joints)
    passive = any(joint.variable and not (joint.actuated or joint.elastic) for joint in robot.joints)
    more = {
        "limits of velocity and effort": limits,
        "limits on one side": any((j.limits.lower is None) != (j.limits.upper is None) for j in robot.joints),
        "passive joints": passive,
        "reductions of transmissions": reduces(robot),
        "springs between motors and links": springs_behind_motors(robot),
    }
    return [*not_carried(robot), *(what for what, there in more.items() if there), *_changed(tree_of(robot))]


def text_of(tree: Tree) -> str:
    """The MJCF text of a tree."""
    gravity = tree.gravity or (0.0, 0.0, -9.81)
    joint = [element("freejoint", {"name": "floating_base"})] if tree.floating else []
    base = [_body(tree, tree.root, tree.pose, joint)]
    if tree.root == "world" and not tree.floating:  # the name of MuJoCo's own body
        base = [element("frame", _pose(tree.pose), _inside(tree, "world"))]
    bounds = {"boundmass": shown(_LEAST), "boundinertia": shown(_LEAST)} if _light(tree) else {}
    balanced = "true" if uneven(tree.links) else None
    parts = [
        element(
            "compiler",
            {"angle": "radian", "autolimits": "true", **bounds, "balanceinertia": balanced},
        ),
        element("option", {"gravity": row(gravity)}),
        element("worldbody", {}, base),
    ]
    equalities = [_coupling(joint) for joint in tree.joints if joint.mimic]
    equalities += [text for closure in tree.closures for text in _closure(closure)]
    if equalities:
        parts.append(element("equality", {}, equalities))
    if tree.closures:
        driven = [joint.name for joint in tree.joints if joint.active and joint.kind in _KINDS and not joint.mimic]
        motors = [element("motor", {"joint": name}) for name in driven]
        parts.append(element("actuator", {}, motors))
    return element("mujoco", {"model": tree.name}, parts) + "\n"


#: The mass (kg) and the moments (kg m²) that MuJoCo gives to moving bodies that have less: ten times its own least.
_LEAST = 1e-14


def _changed(tree: Tree) -> list[str]:
    """What MuJoCo changes of the bodies, because it computes with positive masses and possible moments only."""
    light = f"links that move without mass or moments, which get {_LEAST:g} kg and kg m² (boundmass, boundinertia)"
    equal = "moments that no body has (A + B < C), which become equal (balanceinertia)"
    changes = ((light, _light(tree)), (equal, uneven(tree.links)))
    return [f"{what}: {', '.join(names)}" for what, names in changes if names]


def _light(tree: Tree) -> list[str]:
    """The links behind moving joints with less mass or moments than MuJoCo takes, also with links fixed on them."""
    moved = [joint.child for joint in tree.joints if joint.kind in _KINDS] + [tree.root] * tree.floating
    return [name for name in moved if not _is_heavy(tree, name)]


def _is_heavy(tree: Tree, name: str) -> bool:
    link = next(one for one in tree.links if one.name == name)
    fixed = (joint.child for joint in tree.joints if joint.parent == name and joint.kind not in _KINDS)
    return (link.mass.M >= _LEAST and bool(moments(link)[0] >= _LEAST)) or any(
        _is_heavy(tree, child) for child in fixed
    )


def _body(tree: Tree, name: str, where: Array, joints: list[str]) -> str:
    link = next(one for one in tree.links if one.name == name)
    return element("body", {"name": name, **_pose(where)}, [*joints, *_inertial(link), *_inside(tree, name)])


def _inside(tree: Tree, name: str) -> list[str]:
    """The sites and bodies on a body."""
    below = [
        _body(tree, joint.child, joint.origin, list(_joint(joint))) for joint in tree.joints if joint.parent == name
    ]
    sites = [(f.name, f.pose) for f in tree.frames if f.link == name]
    sites += [(site, where) for closure in tree.closures for link, site, where in _sites(closure) if link == name]
    return [*(element("site", {"name": site, **_pose(where)}) for site, where in sites), *below]


def _pose(T: Array) -> dict[str, str | None]:
    return {"pos": row(T[:3, 3]), "quat": row(to_quaternion(T[:3, :3]))}


def _inertial(link: Link) -> Iterator[str]:
    if link.mass.M or np.any(link.mass.J) or np.any(link.mass.MS):
        c, J = central(link.mass, link.name)
        full = {"fullinertia": row((J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))}
        if not moments(link)[0] >= _LEAST:  # MuJoCo takes a moment of zero in this form only
            full = _principal(J)
        yield element("inertial", {"pos": row(c), "mass": shown(link.mass.M), **full})


def _principal(J: Array) -> dict[str, str]:
    """The principal moments, none below zero, and their axes."""
    diagonal = not np.any(J - np.diag(np.diag(J)))
    A, axes = (np.diag(J), np.eye(3)) if diagonal else np.linalg.eigh(J)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return {"quat": row(to_quaternion(axes)), "diaginertia": row(np.maximum(A, 0.0))}


def _joint(joint: JointOf) -> Iterator[str]:
    if joint.kind not in _KINDS:
        return
    bounds = (joint.bounds.lower, joint.bounds.upper)
    dynamics = {
        "damping": joint.damping,
        "frictionloss": joint.friction,
        "armature": joint.armature,
        "stiffness": joint.stiffness,
        "springref": joint.rest if joint.stiffness else 0.0,
    }
    limits = [x for x in bounds if x is not None]
    yield element(
        "joint",
        {
            "name": joint.name,
            "type": _KINDS[joint.kind],
            "axis": row(joint.axis),
            "range": row(limits) if len(limits) == 2 else None,
            **{name: shown(x) for name, x in dynamics.items() if x},
        },
    )


def _sites(closure: LoopJoint) -> Iterator[tuple[str, str, Array]]:
    """Two points on the axis of a hinge that closes a loop, on each of its links."""
    for side, link, frame in (("a", closure.parent, closure.in_parent), ("b", closure.child, closure.in_child)):
        for k, height in enumerate(_POINTS):
            yield link, f"{closure.name}_{side}{k}", frame @ shift(np.array([0, 0, height]))


_POINTS = (0.0, 0.125)


def _closure(closure: LoopJoint) -> Iterator[str]:
    """A hinge as two points that both links have in common."""
    for k in range(len(_POINTS)):
        sites: dict[str, str | None] = {"site1": f"{closure.name}_a{k}", "site2": f"{closure.name}_b{k}"}
        yield element("connect", {"name": closure.name if k == 0 else f"{closure.name}_{k}", **sites})


def _coupling(joint: JointOf) -> str:
    assert joint.mimic is not None
    terms = row([joint.mimic.offset, joint.mimic.ratio, 0, 0, 0])
    return element("joint", {"joint1": joint.name, "joint2": joint.mimic.joint, "polycoef": terms})
