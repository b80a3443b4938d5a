"""What holds for a whole MJCF file: the compiler's settings and the default classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi

from symoro.formats._xml import Element, NumberReader


@dataclass(frozen=True, slots=True)
class Settings:
    """Attributes of <compiler> that change the meaning of others."""

    degree: bool = True
    sequence: str = "xyz"
    from_shapes: str = "auto"
    balance: bool = False
    least_mass: float = 0.0
    least_inertia: float = 0.0
    total_mass: float = -1.0
    groups: tuple[float, float] = (0, 5)
    autolimits: bool = True
    mesh_folder: str = ""
    strip_path: bool = False

    @property
    def radians(self) -> float:
        """The factor of angles of the file."""
        return pi / 180 if self.degree else 1.0


def settings_of(root: Element, numbers: NumberReader) -> Settings:
    merged = Element("compiler", {}, root.line)
    for element in root.all("compiler"):
        merged.attributes |= element.attributes
    low, high = numbers.row(merged, "inertiagrouprange", "0 5", 2)
    return Settings(
        degree=merged.get("angle", "degree") != "radian",
        sequence=merged.get("eulerseq", "xyz"),
        from_shapes=merged.get("inertiafromgeom", "auto"),
        balance=merged.get("balanceinertia") == "true",
        least_mass=numbers.number(merged, "boundmass"),
        least_inertia=numbers.number(merged, "boundinertia"),
        total_mass=numbers.number(merged, "settotalmass", -1.0),
        groups=(float(low), float(high)),
        autolimits=merged.get("autolimits", "true") != "false",
        mesh_folder=merged.get("meshdir") or merged.get("assetdir"),
        strip_path=merged.get("strippath") == "true",
    )


@dataclass(slots=True)
class Defaults:
    """Attributes that classes give to elements; a class has those of the class around it."""

    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {"main": {}})

    @classmethod
    def of(cls, root: Element) -> Defaults:
        defaults = cls()
        for element in root.all("default"):
            defaults._read(element, element.get("class", "main"), {})
        return defaults

    def _read(self, element: Element, name: str, around: dict[str, dict[str, str]]) -> None:
        by_tag = {tag: dict(attributes) for tag, attributes in around.items()}
        if name in self.classes:
            by_tag |= {tag: by_tag.get(tag, {}) | more for tag, more in self.classes[name].items()}
        for child in element.children:
            if child.tag != "default":
                by_tag[child.tag] = by_tag.get(child.tag, {}) | child.attributes
        self.classes[name] = by_tag
        for child in element.all("default"):
            self._read(child, child.get("class"), by_tag)

    def apply(self, element: Element, childclass: str) -> Element:
        """The element with the attributes of its class where it has none of its own."""
        of_class = self.classes.get(element.get("class", childclass), self.classes["main"]).get(element.tag, {})
        attributes = of_class | element.attributes
        if any(name in element.attributes for name in _ORIENTATIONS):
            for name in _ORIENTATIONS:
                if name not in element.attributes:
                    attributes.pop(name, None)
        return Element(element.tag, attributes, element.line, element.children)


_ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
