"""Entries of inertias that a description has as 0 and that have no effect on the torques: a body may need them."""

from __future__ import annotations

from dataclasses import replace

from symoro.identification.subject.subject import Subject
from symoro.models.identification.base_parameters import base_parameters
from symoro.models.identification.parameters import Key
from symoro.robot.link import Inertia
from symoro.robot.values import is_zero


def free_entries(subject: Subject) -> tuple[Key, ...]:
    """Such entries of links that have others; of a planar arm XX and YY of each link."""
    robot = subject.robot
    absent = {
        (name, j)
        for j in range(1, robot.link_count + 1)
        if not robot.inertia(j).is_zero
        for name, value in robot.inertia(j).items()
        if is_zero(value)
    }
    if not absent:
        return ()
    tables = tuple(table if table.is_zero else Inertia.symbolic(j) for j, table in enumerate(robot.inertias, 1))
    every = base_parameters(replace(robot, inertias=tables), every_branch=True)
    without = {key for key, name in every.minimal.standard.items() if every.eliminated.get(name, "").startswith("no ")}
    return tuple(key for key in every.minimal.standard if key in absent and key in without)
