"""MJCF, the files of MuJoCo: see docs/formats.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from symoro.findings import Finding
from symoro.formats import urdf
from symoro.formats._mjcf_write import not_written, write_text
from symoro.formats._report import MAX_TEXT, Reading, Report
from symoro.formats._xml import Element, NumberReader, parse
from symoro.formats.macros.roots import OutsideError, Roots
from symoro.formats.mujoco.bodies import WORLD, BodyReader, Collected
from symoro.formats.mujoco.equalities import Equalities
from symoro.formats.mujoco.meshes import Meshes
from symoro.formats.mujoco.motors import held_part, sprung, with_motors
from symoro.formats.mujoco.settings import Defaults, Settings, settings_of
from symoro.formats.mujoco.shapes import Shapes
from symoro.formats.tree.description import FrameOf, Link, Tree
from symoro.formats.tree.robot import robot_of

__all__ = ["not_written", "read_text", "tree_of", "write_text"]

_LISTED = ("tendon", "actuator", "contact", "deformable", "sensor", "keyframe", "extension")
MEDIUM = ("density", "viscosity", "wind")
SWITCHES = ("passive", "spring", "damper", "frictionloss", "constraint", "equality")
_MAX_INCLUDES = 100


def read_text(
    text: str,
    name: str,
    file: str | None = None,
    folders: Iterable[str | Path] = (),
    floating: bool = False,
    exact: bool = False,
) -> Reading:
    """The robot of an MJCF text; a .xml file may hold URDF, too.

    `floating`: its base floats, whatever the file says. `exact`: rounded orientations are the exact ones.

    Files of meshes and included files are read in the folder of the file and below it, and in `folders`.
    """
    report = Report(file)
    report.size(text)
    root = parse(text, report)
    if root.tag == "robot":
        return urdf.read_text(text, name, file, floating, exact)
    if root.tag != "mujoco":
        report.add(Finding("mjcf.root", tag=root.tag), root.line)
        report.raise_errors()
    roots = Roots.of(file, {}, folders)
    includes = _Includes(roots, report)
    includes.fill(root)
    _Attachments(includes).fill(root)
    tree = tree_of(root, name, report, roots)
    return robot_of(replace(tree, floating=floating), report, exact)


def tree_of(root: Element, name: str, report: Report, roots: Roots) -> Tree:
    """The bodies and joints of a <mujoco> element."""
    numbers, defaults = NumberReader(report), Defaults.of(root)
    settings = settings_of(root, numbers)
    meshes = Meshes.of(root, defaults, numbers, settings, roots)
    bodies = BodyReader(Shapes(numbers, settings, meshes), defaults, settings, report)
    for world in root.all("worldbody"):
        bodies.walk(world, WORLD, np.eye(4), world.get("childclass", "main"))
    report.raise_errors()
    collected = bodies.collected
    equalities = Equalities(root, numbers, collected)
    closures, welds = tuple(equalities.closures()), tuple(equalities.welds())
    links = _scaled(tuple(collected.links), settings.total_mass)
    joints = sprung(equalities.joints(), links, collected.sprung)
    report.raise_errors()
    held = _compensated(collected, links, report)
    tree = Tree(
        name=root.get("model") or name,
        root=WORLD,
        links=links,
        joints=with_motors(joints, _driven(root), bool(closures or welds), report),
        frames=(*collected.frames, *(FrameOf(name, *site) for name, site in collected.sites.items())),
        closures=closures,
        welds=welds,
        gravity=tuple((1 - held) * x for x in _gravity(root, numbers)),
    )
    if listed := sorted({child.tag for child in root.children if child.tag in _LISTED}):
        report.add(Finding("trees.elements", tags=[f"<{tag}>" for tag in listed]))
    _note_options(root, numbers)
    return tree


def _note_options(root: Element, numbers: NumberReader) -> None:
    """Warnings of the air or water around the robot, whose forces no model has, and of forces that are switched off."""
    media = [name for one in root.all("option") for name in MEDIUM if np.any(numbers.row(one, name, "0", None))]
    if media:
        numbers.report.add(Finding("mjcf.medium", names=media))
    flags = [flag for one in root.all("option") for flag in one.all("flag")]
    if off := [name for name in SWITCHES if any(flag.get(name) == "disable" for flag in flags)]:
        numbers.report.add(Finding("mjcf.flags", names=off), flags[0].line)


def _scaled(links: tuple[Link, ...], total: float) -> tuple[Link, ...]:
    """The links with this total mass, if it is positive."""
    whole = sum(link.mass.M for link in links)
    if total <= 0 or whole <= 0:
        return links
    k = total / whole
    return tuple(
        replace(link, mass=replace(link.mass, M=k * link.mass.M, MS=k * link.mass.MS, J=k * link.mass.J))
        for link in links
    )


def _gravity(root: Element, numbers: NumberReader) -> tuple[float, ...]:
    gravity = np.array([0, 0, -9.81])
    for option in root.all("option"):
        gravity = numbers.row(option, "gravity", " ".join(map(repr, gravity.tolist())), 3)
        flag = option.first("flag")
        if flag is not None and flag.get("gravity") == "disable":
            return 0.0, 0.0, 0.0
    return tuple(float(x) for x in gravity)


def _compensated(collected: Collected, links: tuple[Link, ...], report: Report) -> float:
    """The part of gravity that forces on the bodies hold."""
    heavy = {link.name for link in links if link.mass.M > 0}
    return held_part(
        {name: held for name, held in collected.compensated.items() if name in heavy}, collected.by_motors, report
    )


def _driven(root: Element) -> set[str]:
    """The joints that an actuator moves, by itself or by a fixed tendon."""
    actuators = [one for group in root.all("actuator") for one in group.children]
    fixed = [tendon for group in root.all("tendon") for tendon in group.all("fixed")]
    pulled = {tendon.get("name"): [one.get("joint") for one in tendon.all("joint")] for tendon in fixed}
    by_tendons = {joint for one in actuators for joint in pulled.get(one.get("tendon"), ())}
    return {one.get(end) for one in actuators for end in ("joint", "jointinparent") if one.get(end)} | by_tendons


class _Includes:
    """Puts the elements of included files in their place; they are in the folder of the file or below it."""

    def __init__(self, roots: Roots, report: Report) -> None:
        self.roots, self.report, self.count = roots, report, 0

    def fill(self, element: Element) -> None:
        children: list[Element] = []
        for child in element.children:
            if child.tag == "include":
                children += self.read(child)
            else:
                self.fill(child)
                children.append(child)
        element.children = children

    def read(self, element: Element) -> list[Element]:
        self.count += 1
        if self.count > _MAX_INCLUDES:
            self.report.add(Finding("mjcf.includes", most=_MAX_INCLUDES), element.line)
            self.report.raise_errors()
        included = self.file(element)
        return [] if included is None else included.children

    def file(self, element: Element) -> Element | None:
        """The root element of the file that an element names; None, with an error in the report, if it is not read."""
        try:
            path = self.place(element)
            if path.stat().st_size > 4 * MAX_TEXT:
                raise OutsideError("mjcf.large_file", file=path.name, most=MAX_TEXT)
        except OutsideError as error:
            self.report.add(Finding("files.key", key=f"<{element.tag}>", reason=error.finding), element.line)
            return None
        included = parse(path.read_bytes().decode("utf-8", errors="replace"), self.report, str(path))
        self.fill(included)
        return included

    def place(self, element: Element) -> Path:
        """The included file: from the folder of the model, as MuJoCo reads it, or from that of the including file."""
        name, near = Path(element.get("file")), Path(element.file or "").resolve().parent
        if not (self.roots.folder / name).is_file() and (near / name).is_file():
            return self.roots.allowed(near / name)
        return self.roots.allowed(self.roots.folder / name)


#: The attributes that name something of the model.
_NAMES = (
    *("name", "class", "childclass", "mesh", "material", "texture", "hfield", "tendon"),
    *(
        "body",
        "body1",
        "body2",
        "joint",
        "joint1",
        "joint2",
        "jointinparent",
        "site",
        "site1",
        "site2",
        "geom",
        "geom1",
        "geom2",
    ),
)
_MERGED = ("default", "asset", "equality", "tendon", "actuator")


class _Attachments:
    """Puts bodies of other models in the place of <attach>, with a prefix before all names of their model."""

    def __init__(self, includes: _Includes) -> None:
        self.includes, self.report = includes, includes.report
        self.numbers = NumberReader(self.report)

    def fill(self, root: Element, around: tuple[str, ...] = ()) -> None:
        """`around` are the files of the models that this one is attached to."""
        models = [one for group in root.all("asset") for one in group.all("model")]
        named = {one.get("name") or Path(one.get("file")).stem: one for one in models}
        for world in [*root.all("worldbody")]:
            self._walk(root, world, named, around)

    def _walk(self, root: Element, element: Element, models: dict[str, Element], around: tuple[str, ...]) -> None:
        for k, child in enumerate(element.children):
            if child.tag == "attach":
                element.children[k] = self._attached(root, child, models, around)
            elif child.tag in ("body", "frame"):
                self._walk(root, child, models, around)

    def _attached(self, root: Element, attach: Element, models: dict[str, Element], around: tuple[str, ...]) -> Element:
        """A frame with what is attached; the other parts of its model are put behind those of the root."""
        nothing, asset = Element("frame", {}, attach.line), models.get(attach.get("model"))
        if asset is None:
            self.report.add(Finding("mjcf.no_model", model=attach.get("model"), known=list(models)), attach.line)
            return nothing
        if asset.get("file") in around:
            self.report.add(Finding("mjcf.attached_in_circle", file=asset.get("file")), attach.line)
            return nothing
        model = self.includes.file(asset)
        if model is None:
            return nothing
        self.fill(model, (*around, asset.get("file")))
        ours, theirs = (settings_of(one, self.numbers) for one in (root, model))
        if replace(theirs, mesh_folder=ours.mesh_folder, strip_path=ours.strip_path) != ours:
            self.report.add(Finding("mjcf.compiler", model=attach.get("model")), attach.line)
        prefix, main = attach.get("prefix"), attach.get("prefix") + "main"
        self._prepare(model, prefix, theirs)
        root.children += [part for part in model.children if part.tag in _MERGED]
        root.children.append(
            Element("default", {"class": main}, attach.line)
        )  # classes of the root are not for the model
        bodies = [part for world in model.all("worldbody") for part in world.children]
        if name := attach.get("body"):
            inside = (one for body in bodies for one in body.walk())
            bodies = [one for one in inside if one.tag == "body" and one.get("name") == prefix + name]
            if not bodies:
                self.report.add(Finding("mjcf.no_body", body=name, model=attach.get("model")), attach.line)
        return Element("frame", {"childclass": main}, attach.line, bodies)

    def _prepare(self, model: Element, prefix: str, settings: Settings) -> None:
        """Names with the prefix, classes for what has none, and the paths of the files of meshes."""
        for part in model.children:
            if part.tag == "default":
                part.attributes.setdefault("class", "main")
            for mesh in part.all("mesh") if part.tag == "asset" else ():
                mesh.attributes.setdefault("class", "main")
                if mesh.get("file"):
                    mesh.attributes.setdefault("name", Path(mesh.get("file")).stem)
                    name = Path(mesh.get("file")).name if settings.strip_path else mesh.get("file")
                    folder = Path(model.file or "").resolve().parent
                    mesh.attributes["file"] = str(folder / settings.mesh_folder / name)
        for element in model.walk():
            for key in element.attributes.keys() & set(_NAMES):
                if element.attributes[key] != WORLD:
                    element.attributes[key] = prefix + element.attributes[key]
