"""The robots of the library that are trees on a base whose motion is known."""

from __future__ import annotations

import symoro
from symoro.models.entry import tree_with_known_base
from symoro.robot import library


def tree_names() -> list[str]:
    return [name for name in library.names() if tree_with_known_base(symoro.load(name)) is None]
