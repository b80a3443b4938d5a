"""The robots of the library that are rigid trees on a base whose motion is known."""

from __future__ import annotations

import symoro
from symoro.models.conditions import rigid
from symoro.models.families import OPEN, kind
from symoro.robot import library


def tree_names() -> list[str]:
    robots = {name: symoro.load(name) for name in library.names()}
    return [name for name, robot in robots.items() if kind(robot) in OPEN and rigid(robot) is None]
