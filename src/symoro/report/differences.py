"""Finds where two trees of links and joints differ, each difference with the tree that has only this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from symoro.formats.tree.description import JointOf, Link, Mass, Tree
from symoro.formats.tree.poses import Array, X, Y, inverse, pose, shift, turn

TOLERANCE = 1e-9
"""The least relative difference of numbers that is one."""

_ROUNDING = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """One difference: where and what, its relative size, and the first tree with the second one's value of it."""

    what: str
    text: str
    size: float
    changed: Tree | None = None


def differences(a: Tree, b: Tree) -> Iterator[Difference]:
    """All differences of two trees; links and joints with the same name are compared."""
    yield from _gravity(a, b)
    yield from _missing(a, b)
    joints = {joint.name: joint for joint in b.joints}
    for joint in a.joints:
        if joint.name in joints:
            yield from _joint(a, joint, joints[joint.name])
    links = {link.name: link for link in b.links}
    for link in a.links:
        if link.name in links and (a.floating or link.name != a.root):
            yield from _link(a, link, links[link.name])
    yield from _frames(a, b)
    if a.floating != b.floating:
        names = {True: "floats", False: "is fixed"}
        yield Difference("base", f"the base {names[a.floating]} / {names[b.floating]}", 1.0)


def _gravity(a: Tree, b: Tree) -> Iterator[Difference]:
    first, second = (np.array(tree.gravity or (0, 0, -9.81)) for tree in (a, b))
    if _apart(first, second):
        reason = " (opposite signs)" if not _apart(first, -second) and np.any(first) else ""
        text = f"gravity: {_rows(first, second)} m/s²{reason}"
        yield Difference("gravity", text, _size(first, second), replace(a, gravity=b.gravity))


def _missing(a: Tree, b: Tree) -> Iterator[Difference]:
    for what, first, second in (("joint", a.joints, b.joints), ("link", a.links, b.links)):
        mine, yours = [one.name for one in first], [one.name for one in second]
        for name in sorted({*mine} ^ {*yours}):
            yield Difference(what, f"{what} {name} is only in the {'first' if name in mine else 'second'}", 1.0)


_DRIVE = {"damping": "FV", "friction": "FS", "armature": "IA", "stiffness": "k", "reduction": "N"}


def _joint(tree: Tree, a: JointOf, b: JointOf) -> Iterator[Difference]:
    def changed(**fields: object) -> Tree:
        new = replace(a, **fields)  # type: ignore[arg-type]
        return replace(tree, joints=tuple(new if joint is a else joint for joint in tree.joints))

    if a.kind != b.kind:
        yield Difference("kind", f"{a.name}: {a.kind} / {b.kind}", 1.0, changed(kind=b.kind))
    if (a.parent, a.child) != (b.parent, b.child):
        text = f"{a.name}: between {a.parent} and {a.child} / {b.parent} and {b.child}"
        yield Difference("structure", text, 1.0)
        return
    yield from _axis(a, b, changed)
    yield from _origin(a, b, changed)
    for what, unit in _DRIVE.items():
        x, y = getattr(a, what), getattr(b, what)
        if _apart(x, y):
            text = f"{a.name}: {what} {unit} {_numbers(x, y)}{_unit(x, y)}"
            yield Difference(what, text, _size(x, y), changed(**{what: y}))
    yield from _following(a, b, changed)
    for what in ("lower", "upper", "velocity", "effort"):
        x, y = getattr(a.bounds, what), getattr(b.bounds, what)
        if (x is None) != (y is None) or (x is not None and _apart(x, y)):
            both = x is not None and y is not None
            texts = _numbers(x, y) if both else " / ".join("none" if one is None else f"{one:g}" for one in (x, y))
            degrees = _degrees(x, y) if both else ""
            yield Difference("limit", f"{a.name}: {what} limit {texts}{degrees}", _size(x or 0, y or 0))


def _axis(a: JointOf, b: JointOf, changed: Callable[..., Tree]) -> Iterator[Difference]:
    if a.kind == "fixed" or not _apart(a.axis, b.axis):
        return
    turned = float(np.degrees(np.arctan2(np.linalg.norm(np.cross(a.axis, b.axis)), a.axis @ b.axis)))
    if not _apart(a.axis, -b.axis):
        yield Difference("axis sign", f"{a.name}: the axis has opposite signs", 2.0, changed(axis=b.axis))
    else:
        text = f"{a.name}: axis {_rows(a.axis, b.axis)} ({turned:.3g}° apart)"
        yield Difference("axis", text, _size(a.axis, b.axis), changed(axis=b.axis))


def _origin(a: JointOf, b: JointOf, changed: Callable[..., Tree]) -> Iterator[Difference]:
    p, s = a.origin[:3, 3], b.origin[:3, 3]
    R, S = a.origin[:3, :3], b.origin[:3, :3]
    if _far(p, s):
        text = f"{a.name}: origin {_rows(p, s)} m{_unit(p, s)}"
        yield Difference("origin", text, _size(p, s), changed(origin=pose(R, s)))
    if _apart(R, S):
        relative = R.T @ S
        offset = _turned(a.axis, relative)
        if a.kind != "fixed" and not _apart(relative, turn(a.axis, offset)):
            text = f"{a.name}: zero offset of {offset:g} rad ({np.degrees(offset):.3g}°) about the axis"
            yield Difference("offset", text, _size(R, S), changed(origin=pose(S, p)))
        else:
            total = float(np.degrees(np.arccos(np.clip((np.trace(relative) - 1) / 2, -1, 1))))
            text = f"{a.name}: orientation of the origin, {total:.3g}° apart"
            yield Difference("orientation", text, _size(R, S), changed(origin=pose(S, p)))


def _turned(axis: Array, R: Array) -> float:
    """The angle of a rotation about an axis."""
    x = _across(axis)
    return float(np.arctan2(np.cross(axis, x) @ R @ x, x @ R @ x))


def _across(axis: Array) -> Array:
    least = X if abs(axis[0]) < 0.9 else Y
    normal = least - (least @ axis) * axis
    return np.asarray(normal / np.linalg.norm(normal))


def _following(a: JointOf, b: JointOf, changed: Callable[..., Tree]) -> Iterator[Difference]:
    if (a.mimic is None) != (b.mimic is None):
        leader = (a.mimic or b.mimic).joint  # type: ignore[union-attr]
        which = "first" if a.mimic else "second"
        yield Difference("coupling", f"{a.name}: follows {leader} in the {which} only", 1.0)
    elif a.mimic is not None and b.mimic is not None and a.mimic != b.mimic:
        ratios, offsets = _digits(a.mimic.ratio, b.mimic.ratio), _digits(a.mimic.offset, b.mimic.offset)
        texts = [f"{ratios[k]} {m.joint} + {offsets[k]}" for k, m in enumerate((a.mimic, b.mimic))]
        size = max(_size(a.mimic.ratio, b.mimic.ratio), _size(a.mimic.offset, b.mimic.offset))
        if size > TOLERANCE or a.mimic.joint != b.mimic.joint:
            yield Difference("coupling", f"{a.name}: follows {texts[0]} / {texts[1]}", size, changed(mimic=b.mimic))


def _link(tree: Tree, a: Link, b: Link) -> Iterator[Difference]:
    """Mass, centre of mass and tensor about it; a tensor that another convention explains is named so."""

    def changed(mass: float, c: Array, J: Array) -> Tree:
        new = replace(a, mass=Mass.at_centre(mass, J, shift(c)))
        return replace(tree, links=tuple(new if link is a else link for link in tree.links))

    (m, c, J), (n, d, K) = _central(a.mass), _central(b.mass)
    if _apart(m, n):
        yield Difference("mass", f"{a.name}: mass {_numbers(m, n)} kg{_unit(m, n)}", _size(m, n), changed(n, c, J))
    if _far(c, d) and (m or n):
        text = f"{a.name}: centre of mass {_rows(c, d)} m{_unit(c, d)}"
        yield Difference("centre of mass", text, _size(c, d), changed(m, d, J))
    if _apart(J, K):
        text = f"{a.name}: inertia about the centre of mass{_convention(m, c, J, K)}, xx yy zz xy xz yz "
        yield Difference("inertia", text + _rows(_six(J), _six(K)), _size(J, K), changed(m, c, K))


def _central(mass: Mass) -> tuple[float, Array, Array]:
    c = mass.MS / mass.M if mass.M else np.zeros(3)
    return mass.M, c, mass.J - mass.M * (c @ c * np.eye(3) - np.outer(c, c))


def _convention(m: float, c: Array, J: Array, K: Array) -> str:
    """Why two tensors differ, if a usual mistake explains it."""
    steiner = m * (c @ c * np.eye(3) - np.outer(c, c))
    flipped = J * (2 * np.eye(3) - 1)
    if not _apart(flipped, K):
        return " (opposite signs of the products of inertia)"
    if not _apart(J + steiner, K):
        return " (the second is about the origin of the link's frame)"
    if not _apart(J - steiner, K):
        return " (the first is about the origin of the link's frame)"
    if not _apart(*(np.asarray(np.linalg.eigvalsh(tensor), dtype=float) for tensor in (J, K))):
        return " (the same principal moments in other axes)"
    return _unit(J, K)


def _frames(a: Tree, b: Tree) -> Iterator[Difference]:
    """Named frames that are not links, on the same link in both."""
    others = {frame.name: frame for frame in b.frames}
    for frame in a.frames:
        other = others.get(frame.name)
        if other is not None and other.link == frame.link and _apart(frame.pose, other.pose):
            moved = inverse(frame.pose) @ other.pose
            text = f"frame {frame.name}: {np.linalg.norm(moved[:3, 3]):.3g} m apart"
            yield Difference("frame", text, _size(frame.pose, other.pose))


def _apart(x: Array | float, y: Array | float) -> bool:
    return _size(x, y) > TOLERANCE


def _far(x: Array, y: Array) -> bool:
    """Whether two points differ: relative to their size, and by more than the rounding of angles in files makes."""
    return _apart(x, y) and float(np.abs(x - y).max()) > _ROUNDING


def _size(x: Array | float, y: Array | float) -> float:
    """The largest difference, relative to the largest number."""
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    scale = max(float(np.abs(first).max(initial=0)), float(np.abs(second).max(initial=0)))
    return float(np.abs(first - second).max(initial=0)) / scale if scale > 1e-14 else 0.0


def _unit(x: Array | float, y: Array | float) -> str:
    """A remark if the numbers differ by a factor of 1000."""
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    for factor in (1e3, 1e-3, 1e6, 1e-6):
        if not _apart(first * factor, second):
            which = "second" if factor > 1 else "first"
            return f" (a factor of {max(factor, 1 / factor):g}: the {which} looks like grams or millimetres)"
    return ""


def _degrees(x: float, y: float) -> str:
    if not _apart(x * 180 / pi, y):
        return " (the second looks like degrees)"
    return " (the first looks like degrees)" if not _apart(x, y * 180 / pi) else ""


def _rows(first: Array, second: Array) -> str:
    """Two rows of numbers, with as many digits as it takes to see where they differ."""
    least = 1e-12 * max(np.abs(first).max(), np.abs(second).max())
    x, y = (np.where(np.abs(row) < least, 0.0, row) for row in (first, second))
    texts = ("(" + " ".join(row) + ")" for row in zip(*map(_digits, x, y), strict=True))
    return " / ".join(texts)


def _numbers(x: float, y: float) -> str:
    return " / ".join(_digits(x, y))


def _digits(x: float, y: float) -> tuple[str, str]:
    """Two numbers with the fewest digits, six or more, in which they differ; numbers that count as equal look equal."""
    count = 6
    while _apart(x, y) and f"{x:.{count}g}" == f"{y:.{count}g}":
        count += 1
    return f"{x + 0.0:.{count}g}", f"{y + 0.0:.{count}g}"


def _six(J: Array) -> Array:
    return np.array([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
