"""A robot as a Pinocchio model: the one that `symoro bench` compares with."""

from __future__ import annotations

from symoro.bench.pinocchio_robot import (
    Loads,
    Oracle,
    depth_first,
    external_forces,
    inertia,
    oracle,
    pin,
    placement,
    shift,
    turn,
)

__all__ = [
    "Loads", "Oracle", "depth_first", "external_forces", "inertia", "oracle", "pin", "placement", "shift", "turn",
]  # fmt: skip
