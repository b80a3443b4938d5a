"""The robots of the library by kind: rigid trees, with loops, with springs, on a floating base, on wheels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import symoro
from symoro.robot import library
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO


def _names(of_kind: Callable[[Robot], bool]) -> list[str]:
    return [name for name in library.names() if of_kind(_loaded(name))]


@cache
def _loaded(name: str) -> Robot:
    return symoro.load(name)


def solid_tree_names() -> list[str]:
    """Rigid trees with a motor at every joint and a mass in every link: Pinocchio needs the masses."""

    def fits(robot: Robot) -> bool:
        masses = [robot.inertia(j).M for j in range(1, robot.link_count + 1)]
        driven = all(j.actuated and not j.elastic for j in robot.joints if j.movable)
        return driven and not robot.cuts and not robot.base.free and ZERO not in masses

    return _names(fits)


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
