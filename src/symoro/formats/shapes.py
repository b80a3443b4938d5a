"""The visuals and collisions of URDF files: kept as they are written, and read where a picture needs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from symoro.errors import FormatError
from symoro.formats._report import Report
from symoro.formats._xml import Element, NumberReader, parse, source
from symoro.formats.macros.roots import OutsideError, Roots
from symoro.formats.tree.poses import Array, of_rpy, pose
from symoro.robot.base import Shape

_SCHEMES = ("package://", "model://")


def kept(robot: Element, file: str | None) -> tuple[Shape, ...]:
    """The materials of a <robot> element, and the visuals and collisions of its links."""
    shapes = [Shape("", source(one), file or "") for one in robot.all("material")]
    for link in robot.all("link"):
        shapes += [Shape(link.get("name"), source(one), file or "") for one in link.all("visual", "collision")]
    return tuple(shapes)


@dataclass(frozen=True, slots=True, eq=False)
class Visual:
    """A shape to be drawn: a box, cylinder, sphere or mesh with its sizes, its pose in the frame, and its colour."""

    frame: str
    kind: str
    sizes: tuple[float, ...]
    pose: Array
    colour: tuple[float, ...] | None
    mesh: str
    file: str


def visuals(shapes: Iterable[Shape]) -> list[Visual]:
    """The shapes that are visuals; one that cannot be read is left out."""
    elements = [(shape, _element(shape)) for shape in shapes]
    report = Report(None)
    numbers = NumberReader(report)
    colours = {e.get("name"): _colour(e, numbers) for shape, e in elements if e is not None and e.tag == "material"}
    visuals = []
    for shape, element in elements:
        if element is not None and element.tag == "visual":
            before = len(report.problems)
            visual = _visual(shape, element, numbers, colours)
            visuals += [visual] if visual is not None and len(report.problems) == before else []
    return visuals


def _element(shape: Shape) -> Element | None:
    try:
        return parse(shape.text, Report(None))
    except FormatError:
        return None


_Colours = dict[str, tuple[float, ...] | None]


def _visual(shape: Shape, element: Element, numbers: NumberReader, colours: _Colours) -> Visual | None:
    geometry = element.first("geometry")
    if geometry is None or not geometry.children:
        return None
    solid, origin, material = geometry.children[0], element.first("origin"), element.first("material")
    where = pose(of_rpy(numbers.row(origin, "rpy", "0 0 0", 3).tolist()), numbers.row(origin, "xyz", "0 0 0", 3))
    colour = None
    if material is not None:
        colour = _colour(material, numbers) or colours.get(material.get("name"))
    sizes = tuple(float(x) for x in _sizes(solid, numbers))
    return Visual(shape.frame, solid.tag, sizes, where, colour, solid.get("filename"), shape.file)


def _sizes(solid: Element, numbers: NumberReader) -> Iterator[float]:
    if solid.tag == "mesh":
        yield from numbers.row(solid, "scale", "1 1 1", 3)
    elif solid.tag == "box":
        yield from numbers.row(solid, "size", "0 0 0", 3)
    else:
        yield numbers.number(solid, "radius")
        yield numbers.number(solid, "length")


def _colour(material: Element, numbers: NumberReader) -> tuple[float, ...] | None:
    colour = material.first("color")
    rgba = numbers.row(colour, "rgba", "0 0 0 1", 4)
    return None if colour is None else tuple(float(x) for x in np.clip(rgba, 0, 1))


def mesh_path(visual: Visual, roots: Roots) -> Path:
    """The file of a mesh, which must be in one of the folders that may be read."""
    name = visual.mesh
    for scheme in _SCHEMES:
        if name.startswith(scheme):
            package, _, rest = name.removeprefix(scheme).lstrip("/").partition("/")
            return roots.inside(package, unquote(rest))
    if not name:
        raise OutsideError("meshes.no_file")
    return roots.allowed(roots.folder / unquote(name.removeprefix("file://")))
