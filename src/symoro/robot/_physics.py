"""Rules of `check` that need numbers: values, inertias that no body can have, springs, matrices that are not poses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from math import isinf
from typing import TypeAlias

from symoro.errors import MissingParameter, ParameterError
from symoro.robot._finding import Finding
from symoro.robot.base import BaseKind, Pose
from symoro.robot.joint import GEOMETRY
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import Value, evaluate, symbols, to_text

Matrix: TypeAlias = list[list[float]]
_TOLERANCE = 1e-9


def find_numbers(robot: Robot) -> Iterator[Finding]:
    """Errors for numbers of symbols that cannot be evaluated, and for geometric parameters that are infinite."""
    numbers: dict[str, float] = {}
    try:
        names = robot.values.known()
    except ParameterError as error:
        yield Finding(str(error), where="values")
        return
    for name in names:
        try:
            numbers[name] = evaluate(robot.values[name], numbers)
        except MissingParameter:  # the number of another symbol is wrong, and reported
            continue
        except ParameterError as error:
            yield Finding(f"{name} = {error}", where=f"values.{name}")
    for joint in robot.joints:
        for name in GEOMETRY:
            if isinf(known_number(getattr(joint, name), numbers) or 0.0):
                yield Finding(f"{name} = {to_text(getattr(joint, name))} is infinite", joint.index, name)


def find_unused(robot: Robot, names: Iterable[str]) -> Iterator[Finding]:
    """A warning for symbols that have a value and do not occur in the robot."""
    used = {name for value in (*parameters(robot), *robot.values.values()) for name in symbols(value)}
    if unused := sorted(set(names) - used):
        yield Finding(f"values that nothing uses: {', '.join(unused)}", where="values", severity="warning")


def find_inertias(robot: Robot) -> Iterator[Finding]:
    """Warnings for links whose inertial parameters have numbers that no body can have."""
    known = known_numbers(robot)
    for link in range(robot.link_count + 1):
        where = "of the base" if link == 0 else "of its link"
        negative = list(_negative(robot.inertia(link), known))
        for name, number in negative:
            said = "the mass" if name == "M" else name
            yield Finding(f"{said} {where} is negative: {number:g}", link or None, f"inertia.{name}", "warning")
        numbers = _numbers(robot.inertia(link), known)
        if negative or numbers is None or not any(numbers):
            continue
        for message in _impossible(numbers):
            yield Finding(message.format(where), link or None, "inertia", "warning")


def find_springs(robot: Robot) -> Iterator[Finding]:
    """Warnings for springs without a stiffness, or with one that no spring has."""
    known = known_numbers(robot)
    for joint in robot.joints:
        stiffness = known_number(joint.stiffness, known) if joint.elastic and joint.movable else None
        if stiffness == 0:
            yield Finding("it is elastic, but its stiffness is missing or 0", joint.index, "stiffness", "warning")
        elif stiffness is not None and stiffness < 0:
            message = f"its stiffness {stiffness:g} is negative: that of a spring is positive"
            yield Finding(message, joint.index, "stiffness", "warning")


def find_floating_base(robot: Robot) -> Iterator[Finding]:
    """A warning for a base that floats without mass: a motion of it alone may need no force."""
    if robot.base.kind is BaseKind.FLOATING and known_number(robot.inertia(0).M, known_numbers(robot)) == 0:
        message = "the base floats without mass: direct dynamics may be singular and give NaN (give it inertia)"
        yield Finding(message, where="base", severity="warning")


def find_poses(robot: Robot) -> Iterator[Finding]:
    """Errors for poses whose numbers are not a rotation and a translation."""
    known = known_numbers(robot)
    named = [("pose of the base", robot.base.pose), *((f"frame {f.name!r}", f.pose) for f in robot.frames)]
    for name, pose in named:
        yield from find_pose(name, pose, known, Finding("", where="pose"))


def find_pose(name: str, pose: Pose, known: Mapping[str, float], at: Finding) -> Iterator[Finding]:
    """An error where the numbers of a pose are not a rotation and a translation; `at` says where it is described."""
    numbers = _numbers(pose, known)
    if numbers is not None and not _is_pose([numbers[4 * row : 4 * row + 4] for row in range(4)]):
        message = f"{name}: not a rotation matrix and a translation, with 0 0 0 1 as the last row"
        yield replace(at, message=message)


def _negative(inertia: Inertia, known: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The mass and the moments of inertia whose numbers are negative, whatever the other parameters are."""
    for name in ("XX", "YY", "ZZ", "M"):
        number = known_number(getattr(inertia, name), known)
        if number is not None and number < 0:
            yield name, number


def _numbers(part: object, numbers: Mapping[str, float]) -> list[float] | None:
    """All values of a part as numbers; None if one of them has no number."""
    found = [known_number(value, numbers) for value in parameters(part)]
    return None if None in found else [number for number in found if number is not None]


def known_numbers(robot: Robot) -> dict[str, float]:
    """The numbers of the robot's symbols; none if its values are wrong, which another rule reports."""
    try:
        return robot.values.numbers()
    except ParameterError:
        return {}


def known_number(value: Value | None, numbers: Mapping[str, float]) -> float | None:
    """The number of a value, or None."""
    try:
        return None if value is None else evaluate(value, numbers)
    except ParameterError:
        return None


def _impossible(numbers: list[float]) -> Iterator[str]:
    entries = dict(zip(Inertia.names(), numbers, strict=True))
    mass, moments = entries["M"], [entries["MX"], entries["MY"], entries["MZ"]]
    if mass == 0 and any(moments):
        yield "the mass {} is 0, but its first moments MX MY MZ are not"
        return
    tensor = _central(entries, mass, moments)
    trace = sum(tensor[i][i] for i in range(3))
    scale = max(abs(number) for number in numbers[:6])
    if not _semidefinite(tensor, scale):
        yield "the inertia {} about its centre of mass is not positive definite"
    elif not _semidefinite([[trace / 2 * (i == j) - tensor[i][j] for j in range(3)] for i in range(3)], scale):
        yield "the principal moments of inertia {} break the triangle rule (one is larger than the sum of the others)"


def _central(entries: dict[str, float], mass: float, moments: list[float]) -> Matrix:
    """The inertia tensor about the centre of mass: J - (|MS|² E - MS MSᵀ) / M."""
    square = sum(moment * moment for moment in moments)
    tensor = [[entries["".join(sorted(a + b))] for b in "XYZ"] for a in "XYZ"]
    if mass == 0:
        return tensor
    return [[tensor[i][j] - ((i == j) * square - moments[i] * moments[j]) / mass for j in range(3)] for i in range(3)]


def _semidefinite(matrix: Matrix, scale: float) -> bool:
    """Whether all principal minors are positive, or 0 up to rounding."""
    if scale == 0:
        return True
    scaled = [[entry / scale for entry in row] for row in matrix]
    subsets = [rows for size in (1, 2, 3) for rows in combinations(range(3), size)]
    return all(_determinant([[scaled[i][j] for j in rows] for i in rows]) >= -_TOLERANCE for rows in subsets)


def _determinant(matrix: Matrix) -> float:
    if not matrix:
        return 1.0
    first, *rest = matrix
    return sum(
        (-1.0, 1.0)[column % 2 == 0] * entry * _determinant([row[:column] + row[column + 1 :] for row in rest])
        for column, entry in enumerate(first)
    )


def _is_pose(pose: Matrix) -> bool:
    rotation = [row[:3] for row in pose[:3]]
    unit = all(
        abs(sum(a * b for a, b in zip(rotation[i], rotation[j], strict=True)) - (i == j)) < _TOLERANCE
        for i in range(3)
        for j in range(3)
    )
    return unit and _determinant(rotation) > 0 and pose[3] == [0.0, 0.0, 0.0, 1.0]
