"""The robots of the library by kind: with loops, with springs, on a floating base, on wheels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import symoro
from symoro.robot import library
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot


def _names(of_kind: Callable[[Robot], bool]) -> list[str]:
    return [name for name in library.names() if of_kind(_loaded(name))]


@cache
def _loaded(name: str) -> Robot:
    return symoro.load(name)


def loop_names() -> list[str]:
    return _names(lambda robot: bool(robot.cuts))


def elastic_names() -> list[str]:
    """With springs or with joints that have no motor, but without loops."""
    return _names(
        lambda robot: not robot.cuts and any(j.elastic or (j.movable and not j.actuated) for j in robot.joints)
    )


def floating_names() -> list[str]:
    return _names(lambda robot: robot.base.kind is BaseKind.FLOATING)


def wheeled_names() -> list[str]:
    return _names(lambda robot: bool(robot.base.wheels))
