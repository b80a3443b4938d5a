"""What a link of a file looks like. Models do not use it: pictures and rewritten files do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """A visual or a collision of a link, as a URDF file says it, or a material (then `frame` is empty).

    `frame` is the named frame of the link, `text` the element of the file, `file` the path of the file, from which
    relative names of meshes start.
    """

    frame: str
    text: str
    file: str = ""
