"""Poses, and masses and inertias of geometric shapes, of MJCF elements (MuJoCo's documentation, XML reference)."""

from __future__ import annotations

from math import pi

import numpy as np

from symoro.findings import Finding
from symoro.formats._xml import Element, NumberReader
from symoro.formats.mujoco.meshes import Meshes
from symoro.formats.mujoco.settings import Settings
from symoro.formats.tree.description import Mass
from symoro.formats.tree.poses import Array, X, Y, Z, cross, of_quaternion, perpendicular, pose, turn

_NO_MASS = ("plane", "hfield", "sdf")
_SHORTEST = 1e-9
"""A vector that is shorter has no direction."""
_AXES = {"x": X, "y": Y, "z": Z}


class Shapes:
    """Reads poses and shapes; angles are in the unit that the file says."""

    def __init__(self, numbers: NumberReader, settings: Settings, meshes: Meshes) -> None:
        self.numbers, self.settings, self.meshes = numbers, settings, meshes

    def pose(self, element: Element) -> Array:
        """The pose of an element in the one around it."""
        return pose(self.rotation(element), self.numbers.row(element, "pos", "0 0 0", 3))

    def rotation(self, element: Element) -> Array:
        """By quat, axisangle, xyaxes, zaxis or euler."""
        row, unit = self.numbers.row, self.settings.radians
        if "euler" in element.attributes:
            angles = row(element, "euler", "0 0 0", 3)
            self._note_degrees(element, "euler", angles)
            return self._euler(angles * unit)
        if "axisangle" in element.attributes:
            *axis, angle = row(element, "axisangle", "0 0 1 0", 4)
            self._note_degrees(element, "axisangle", np.array([angle]))
            return turn(self._direction(element, "axisangle", np.array(axis)), float(angle) * unit)
        if "xyaxes" in element.attributes:
            both = row(element, "xyaxes", "1 0 0 0 1 0", 6)
            x = self._direction(element, "xyaxes", both[:3])
            y = self._direction(element, "xyaxes", both[3:] - (both[3:] @ x) * x)
            return np.column_stack([x, y, cross(x, y)])
        if "zaxis" in element.attributes:
            return _to(self._direction(element, "zaxis", row(element, "zaxis", "0 0 1", 3)))
        quaternion = row(element, "quat", "1 0 0 0", 4)
        if not np.any(quaternion):
            self._refuse(element, "quat")
            return np.eye(3)
        return of_quaternion(*map(float, quaternion))

    def _note_degrees(self, element: Element, name: str, angles: Array) -> None:
        if not self.settings.degree:
            self.numbers.note_degrees(element, name, angles)

    def _direction(self, element: Element, name: str, a: Array) -> Array:
        """A vector with the length 1; the report gets an error where an attribute gives no direction."""
        if np.linalg.norm(a) < _SHORTEST:
            self._refuse(element, name)
        return _unit(a)

    def _refuse(self, element: Element, name: str) -> None:
        self.numbers.report.add(Finding("mjcf.no_rotation", name=name, text=element.get(name)), element.line)

    def _euler(self, angles: Array) -> Array:
        """Lower case letters turn about moving axes, upper case ones about fixed axes."""
        R = np.eye(3)
        for letter, angle in zip(self.settings.sequence, angles, strict=False):
            one = turn(_AXES.get(letter.lower(), Z), float(angle))
            R = R @ one if letter.islower() else one @ R
        return R

    def inertial(self, element: Element) -> Mass:
        """The mass of an <inertial> element, in the frame of its body."""
        mass = self.numbers.number(element, "mass")
        if "fullinertia" in element.attributes:
            xx, yy, zz, xy, xz, yz = self.numbers.row(element, "fullinertia", "0 0 0 0 0 0", 6)
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            tensor = np.diag(self.numbers.row(element, "diaginertia", "0 0 0", 3))
        return Mass.at_centre(mass, tensor, self.pose(element))

    def geom(self, element: Element, still: bool = False) -> Mass:
        """The mass of a shape, in the frame of its body; `still`: the body does not move, and needs none."""
        kind = element.get("type", "sphere")
        if kind in _NO_MASS or self.numbers.number(element, "mass", 1.0) == 0:
            return Mass()
        low, high = self.settings.groups
        if not low <= self.numbers.number(element, "group") <= high:
            return Mass()
        if kind == "mesh":
            return self.meshes.mass(element, still).seen_from(self.pose(element))
        unread = {
            "mjcf.fitted": "mesh" in element.attributes,
            "mjcf.shell": element.get("shellinertia") == "true",
        }
        for code in (code for code, there in unread.items() if there and not still):
            self.numbers.report.add(Finding(code, name=element.get("name"), kind=kind), element.line)
        if any(unread.values()):
            return Mass()
        where, size = self.extent(element, kind)
        volume, moments = _solid(kind, size)
        mass = self.numbers.number(element, "mass", self.numbers.number(element, "density", 1000.0) * volume)
        return Mass.at_centre(mass, np.diag(mass * moments), where)

    def extent(self, element: Element, kind: str) -> tuple[Array, Array]:
        """Pose and half sizes of a shape, which its two ends may give."""
        size = np.zeros(3)
        sizes = self.numbers.row(element, "size", "0", None)[:3]
        size[: len(sizes)] = sizes
        if "fromto" not in element.attributes:
            return self.pose(element), size
        ends = self.numbers.row(element, "fromto", "0 0 0 0 0 1", 6)
        along = ends[:3] - ends[3:]
        half = float(np.linalg.norm(along)) / 2
        size[1] = half
        if kind in ("box", "ellipsoid"):
            size = np.array([size[0], size[0], half])
        return pose(_to(_unit(along)), (ends[:3] + ends[3:]) / 2), size


def _solid(kind: str, size: Array) -> tuple[float, Array]:
    """Volume, and principal moments for a mass of 1, of a solid."""
    a, b, c = (float(x) for x in size)
    if kind == "box":
        return 8 * a * b * c, np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 3
    if kind == "ellipsoid":
        return 4 * pi / 3 * a * b * c, np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 5
    if kind == "cylinder":
        side = (3 * a * a + 4 * b * b) / 12
        return 2 * pi * a * a * b, np.array([side, side, a * a / 2])
    if kind == "capsule":
        h, ball = 2 * b, 4 * a / (4 * a + 6 * b) if a or b else 0.0
        side = (1 - ball) * (3 * a * a + h * h) / 12 + ball * (0.4 * a * a + h * h / 4 + 3 * h * a / 8)
        return pi * a * a * h + 4 * pi / 3 * a**3, np.array([side, side, (1 - ball) * a * a / 2 + ball * 0.4 * a * a])
    return 4 * pi / 3 * a**3, np.full(3, 0.4 * a * a)


def _unit(a: Array) -> Array:
    size = float(np.linalg.norm(a))
    return a / size if size else Z


def _to(z: Array) -> Array:
    """The rotation about the shortest way from the z axis to a direction."""
    axis, c = cross(Z, z), float(z[2])
    s = float(np.linalg.norm(axis))
    if s < 1e-15:
        return np.eye(3) if c > 0 else turn(perpendicular(Z), pi)
    return turn(axis / s, float(np.arctan2(s, c)))
