"""Rules of `check` for descriptions that are possible but look wrong: units, centres of mass, copies that differ …"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import sqrt

from symoro.robot._finding import Finding
from symoro.robot._physics import known_number, known_numbers
from symoro.robot.joint import MOTION
from symoro.robot.robot import Robot
from symoro.robot.topology import children, outward
from symoro.robot.values import Symbol, symbols, to_text

_HEAVY, _LONG, _FAR, _SMALL = 2000.0, 50.0, 3.0, 1.0
_SIDES = ((r"left", "right"), (r"Left", "Right"), (r"LEFT", "RIGHT"), (r"(?<![a-zA-Z])l(?![a-zA-Z])", "r"))
_SAME, _NEAR = 1e-6, 0.2


def find_units(robot: Robot) -> Iterator[Finding]:
    """Warnings for lengths that look like millimetres and masses that look like grams."""
    known = known_numbers(robot)
    for joint in robot.joints:
        for name in ("b", "d", "r"):
            value = getattr(joint, name)
            length = None if symbols(value) - known.keys() else known_number(value, known)
            if length is not None and abs(length) > _LONG:
                text = f"{name} = {length:g} m looks like millimetres (lengths are in metres: {length / 1000:g})"
                yield Finding(text, joint.index, name, "warning")
    for link in range(1, robot.link_count + 1):
        mass = known_number(robot.inertia(link).M, known)
        if mass is not None and mass > _HEAVY:
            text = f"the mass of its link, {mass:g} kg, looks like grams (masses are in kilograms: {mass / 1000:g})"
            yield Finding(text, link, "inertia", "warning")


def find_motion(robot: Robot) -> Iterator[Finding]:
    """Warnings for velocities, accelerations and efforts in the table: files keep them, and no model reads them."""
    for joint in (joint for joint in robot.joints if joint.variable):
        for name, letters in MOTION.items():
            value = getattr(joint, name)
            if not (isinstance(value, Symbol) and re.fullmatch(rf"{letters}\d+(_\d+)?", value.name)):
                text = f"{letters} = {to_text(value)} has no effect: models take the motion and the torques as inputs"
                yield Finding(text, joint.index, letters, "warning")


def find_centres(robot: Robot) -> Iterator[Finding]:
    """Warnings for centres of mass, or radii of gyration, that are far outside the robot."""
    known = known_numbers(robot)
    reach = _reach(robot, known)
    if reach is None:
        return
    for link in range(1, robot.link_count + 1):
        v = {name: known_number(value, known) for name, value in robot.inertia(link).items()}
        if None in v.values() or not v["M"] or float(v["M"] or 0) < 0:
            continue
        n = {name: float(x or 0) for name, x in v.items()}
        far = sqrt(n["MX"] ** 2 + n["MY"] ** 2 + n["MZ"] ** 2) / n["M"]
        size = sqrt(max(n["XX"], n["YY"], n["ZZ"], 0.0) / n["M"])
        if far > _FAR * reach:
            text = f"the centre of mass of its link is {far:g} m from its frame, and the whole robot has {reach:g} m"
            yield Finding(f"{text} (look at its unit, and at its frame)", link, "inertia", "warning")
        elif size > _FAR * reach:
            text = f"the inertia of its link is that of its mass at {size:g} m, and the whole robot has {reach:g} m"
            yield Finding(f"{text} (look at the unit of the inertia: kg m²)", link, "inertia", "warning")


def _reach(robot: Robot, known: dict[str, float]) -> float | None:
    """The sum of all lengths of the robot, at least 1 m; None if one of them has no number."""
    total = 0.0
    variables = dict.fromkeys((str(j.variable) for j in robot.joints if j.variable), 0.0)
    for joint in robot.joints:
        for name in ("b", "d", "r"):
            length = known_number(getattr(joint, name), {**known, **variables})
            if length is None:
                return None
            total += abs(length)
    return max(total, _SMALL)


def find_massless(robot: Robot) -> Iterator[Finding]:
    """Warnings for joints that move nothing: the inertia matrix is singular."""
    known, moved = known_numbers(robot), {0: True}
    if robot.cuts or all(robot.inertia(link).is_zero for link in range(1, robot.link_count + 1)):
        return  # loops give each other mass, and a robot may have no dynamics at all
    for joint in reversed(outward(robot)):
        j = joint.index
        own = robot.inertia(j).is_zero is False or not robot.drive(j).is_zero
        zero = [known_number(value, known) == 0 for _, value in robot.inertia(j).items()]
        moved[j] = (own and not all(zero)) or any(moved[k.index] for k in children(robot, j))
        if joint.variable and not moved[j] and known_number(robot.drive(j).IA, known) == 0:
            text = "it moves no mass: direct dynamics does not exist (give its link inertia, or fix the joint)"
            yield Finding(text, j, "inertia", "warning")


def find_copies(robot: Robot) -> Iterator[Finding]:
    """Warnings for a left and a right link whose masses nearly agree."""
    known = known_numbers(robot)
    number = {joint.name: joint.index for joint in robot.joints[: robot.link_count]}
    for joint in robot.joints[: robot.link_count]:
        for left, right in _SIDES:
            other = number.get(re.sub(left, right, joint.name))
            if other is None or other == joint.index:
                continue
            a, b = (known_number(robot.inertia(j).M, known) for j in (joint.index, other))
            if a and b and _SAME < abs(a - b) / max(a, b) < _NEAR:
                text = f"the mass of its link is {a:g} kg, that of joint {other} ({robot.joint(other).name}) {b:g} kg"
                yield Finding(f"{text}: are they meant to be equal?", joint.index, "inertia", "note")
