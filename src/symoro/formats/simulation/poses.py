"""Resolves the poses of links, joints and frames of an SDF model, each relative to another one."""

from __future__ import annotations

from math import pi

import numpy as np

from symoro.findings import Finding
from symoro.formats._xml import Element, NumberReader
from symoro.formats.tree.poses import Array, of_quaternion, of_rpy, pose

MODEL, WORLD = "__model__", "world"


class Poses:
    """The pose in the model's frame of everything that has a name."""

    def __init__(self, model: Element, numbers: NumberReader) -> None:
        self.numbers, self.report = numbers, numbers.report
        self.given: dict[str, tuple[Element, str]] = {}
        for link in model.all("link"):
            self.given[link.get("name")] = (link, MODEL)
        for joint in model.all("joint"):
            self.given[joint.get("name")] = (joint, said(joint, "child"))
        for frame in model.all("frame"):
            self.given[frame.get("name")] = (frame, frame.get("attached_to") or MODEL)
        self.found: dict[str, Array] = {MODEL: np.eye(4), WORLD: np.eye(4)}
        first = model.first("link")
        self.canonical = model.get("canonical_link") or ("" if first is None else first.get("name"))

    def of(self, name: str, line: int | None = None) -> Array:
        """The pose of something by its name."""
        chain: list[str] = []
        while name not in self.found:
            if name not in self.given or name in chain:
                code = "sdf.circular_pose" if name in chain else "sdf.no_such_pose"
                self.report.add(Finding(code, name=name), line)
                self.report.raise_errors()
            chain.append(name)
            element, usual = self.given[name]
            own = element.first("pose")
            name = (own.get("relative_to") if own is not None else "") or usual
        for one in reversed(chain):
            self.found[one] = self.found[name] @ self.read(self.given[one][0])
            name = one
        return self.found[name]

    def read(self, element: Element) -> Array:
        """The numbers of the <pose> of an element."""
        own = element.first("pose")
        if own is not None and own.get("rotation_format") == "quat_xyzw":
            x, y, z, a, b, c, d = self.numbers.text(own, "0 0 0 0 0 0 1", 7)
            return pose(of_quaternion(d, a, b, c) if a or b or c or d else np.eye(3), (x, y, z))
        numbers = self.numbers.text(own, "0 0 0 0 0 0", 6)
        unit = pi / 180 if own is not None and own.get("degrees") in ("true", "1") else 1.0
        return pose(of_rpy((numbers[3:] * unit).tolist()), numbers[:3])

    def attached(self, frame: Element) -> str:
        """The link that a frame is fixed on, over other frames and joints; that of the model is its canonical link."""
        seen: list[str] = []
        name = frame.get("attached_to") or MODEL
        while name not in seen:
            seen.append(name)
            name = self.canonical if name == MODEL else name
            if name not in self.given:
                return ""
            element = self.given[name][0]
            if element.tag == "link":
                return name
            name = said(element, "child") if element.tag == "joint" else element.get("attached_to") or MODEL
        return ""

    def ends(self, joint: Element) -> tuple[str, str]:
        """The links of the parent and of the child of a joint, which may be named by frames on them."""
        return self._carrier(said(joint, "parent")), self._carrier(said(joint, "child"))

    def _carrier(self, name: str) -> str:
        """The link that a name means; "world" is always the ground."""
        element = self.given[name][0] if name in self.given and name != WORLD else None
        return name if element is None or element.tag != "frame" else self.attached(element) or name


def said(element: Element, tag: str, default: str = "") -> str:
    """The text of a child."""
    child = element.first(tag)
    return default if child is None else child.text.strip()
