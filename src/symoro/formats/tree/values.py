"""Arrays of numbers as values of a description, without the noise of rounding."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, log10

import numpy as np

from symoro.formats.tree.description import Mass
from symoro.formats.tree.parameters import exact_length, number, quiet
from symoro.formats.tree.poses import Array
from symoro.robot.base import Pose
from symoro.robot.link import Inertia
from symoro.robot.values import Value

_NOISE = 1e-12


def pose_of(T: Array) -> Pose:
    """A pose. Its lengths are as those of joints, and numbers within 1e-12 of an integer are that integer."""
    whole = [[_whole(x, _NOISE) for x in row] for row in T]
    return tuple((*(number(quiet(x)) for x in row[:3]), number(exact_length(row[3]))) for row in whole)


def inertia_of(mass: Mass) -> Inertia:
    """The ten parameters; a number is 0 if it is within 1e-12 of it, relative to the largest of its kind."""
    J = mass.J
    XX, XY, XZ, YY, YZ, ZZ = clean((J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]))
    MX, MY, MZ = clean(mass.MS)
    return Inertia(XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, number(mass.M))


def clean(numbers: Iterable[float]) -> list[Value]:
    """Numbers of one kind without noise: 15 digits of the largest, and an integer if one is within 1e-12 of it."""
    array = np.array(list(numbers))
    largest = float(np.abs(array).max())
    if largest == 0:
        return [number(0.0) for _ in array]
    digits = 15 - ceil(log10(largest))
    return [number(_whole(round(float(x), digits), _NOISE * largest)) for x in array]


def _whole(x: float, tolerance: float) -> float:
    nearest = float(np.round(x))
    return nearest if abs(x - nearest) <= tolerance else float(x)
