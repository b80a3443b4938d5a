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
REFUSED = "ur_description/urdf/ur3.urdf"  # no robot: Pinocchio refuses it, too


def urdf_files(quick: int) -> list[Any]:
    """The URDF files that are robots; every `quick`th is in every run, all are in the long tests."""
    names = [name for name in URDF if name != REFUSED]
    return [pytest.param(name, marks=() if k % quick == 0 else pytest.mark.long) for k, name in enumerate(names)]
