"""What the description of a robot says about its parameters: standard ones, base parameters and friction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symoro.errors import OptionError
from symoro.identification.arrays import Array
from symoro.identification.subject.platform_subject import PlatformSubject
from symoro.identification.subject.subject import Subject
from symoro.interface import robot_numbers
from symoro.models.identification.parameters import Key, own_value
from symoro.robot.values import evaluate, symbols


def keys(subject: Subject) -> tuple[Key, ...]:
    """Letters and link of each standard parameter: the columns of K."""
    return tuple(subject.base.minimal.standard)


def described(subject: Subject) -> Array:
    """The standard parameters of the robot's description; 0 where it has no number."""
    numbers = robot_numbers(subject.robot)
    values = [own_value(subject.robot, key) for key in keys(subject)]
    return np.array([evaluate(v, numbers) if symbols(v) <= numbers.keys() else 0.0 for v in values])


def is_described(subject: Subject) -> bool:
    """Whether the description has numbers for all standard parameters, some of them not 0."""
    numbers = robot_numbers(subject.robot)
    known = all(symbols(own_value(subject.robot, key)) <= numbers.keys() for key in keys(subject))
    return known and bool(described(subject).any())


def expected_values(subject: Subject) -> dict[str, float]:
    """The parameters of the description, where it has all numbers."""
    if isinstance(subject, PlatformSubject):
        return subject.expected
    if not is_described(subject):
        return {}
    return dict(zip(subject.inertial, map(float, subject.matrix @ described(subject)), strict=True))


def described_values(subject: Subject, names: Sequence[str]) -> dict[str, float]:
    """Values of columns by the robot's description: base parameters, and friction by its names."""
    if not is_described(subject):
        raise OptionError(f"{subject.robot.name}: the description has no numbers for its inertial parameters")
    numbers = robot_numbers(subject.robot)
    found = dict(zip(subject.inertial, map(float, subject.matrix @ described(subject)), strict=True))
    for j, drive in enumerate(subject.robot.drives, 1):
        for letters, value in drive.items():
            if symbols(value) <= numbers.keys():
                found.setdefault(f"{letters}{j}", evaluate(value, numbers))
    return {name: found.get(name, 0.0) for name in names}
