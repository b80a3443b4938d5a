"""The robots of the library that are rigid trees on a base whose motion is known."""

from __future__ import annotations

import symoro
from symoro.models.entry import rigid_tree_with_known_base
from symoro.robot import library


def tree_names() -> list[str]:
    return [name for name in library.names() if rigid_tree_with_known_base(symoro.load(name)) is None]
