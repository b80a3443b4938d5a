"""Files of robots from packages of PyPI (the extra `robots`): where they are, and which are read in which test."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest


def _files(package: str, folder: str, pattern: str) -> dict[str, Path]:
    """The files of a package by their name from the folder on."""
    root = Path(str(distribution(package).locate_file(folder)))
    return {str(path.relative_to(root)): path for path in sorted(root.rglob(pattern))}


URDF = _files("example-robot-data", "cmeel.prefix/share/example-robot-data/robots", "*.urdf")
XACRO = _files("rtb-data", "rtbdata", "*.xacro")
MJCF = _files("dm_control", "dm_control", "*.xml")
REFUSED = "ur_description/urdf/ur3.urdf"  # no robot: Pinocchio refuses it, too


def urdf_files(quick: int) -> list[Any]:
    """The URDF files that are robots; every `quick`th is in every run, all are in the long tests."""
    names = [name for name in URDF if name != REFUSED]
    return [pytest.param(name, marks=() if k % quick == 0 else pytest.mark.long) for k, name in enumerate(names)]


def packages() -> dict[str, Path]:
    """The folders of the packages that the xacro files of rtb-data name, by these names."""
    root = Path(str(distribution("rtb-data").locate_file("rtbdata"))) / "xacro"
    kuka = [folder for folder in (root / "kuka_description").iterdir() if folder.is_dir()]
    found = {folder.name: folder for folder in (*root.iterdir(), *kuka)}
    found |= {f"{folder.name}_support": folder for folder in kuka}
    found |= dict.fromkeys(("interbotix_gazebo", "trossen_gazebo"), root / "trossen_descriptions")
    found["abb_irb140"] = found["abb_irb140_description"]
    return found | {"ridgeback_description": found["clearpath_ridgeback_description"]}
