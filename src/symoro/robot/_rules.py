"""Rules of `check` beyond the structure: values without a number, impossible physics, what looks wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from math import isinf, sin, sqrt
from typing import NamedTuple, TypeAlias

from symoro.errors import MissingParameter, ParameterError, RobotError
from symoro.findings import Finding, Place
from symoro.robot.base import BaseKind, Pose
from symoro.robot.joint import GEOMETRY, MOTION, JointKind
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot, parameters
from symoro.robot.topology import children, outward, with_variables
from symoro.robot.values import ARITHMETIC, Apply, Number, Symbol, Value, evaluate, fold, symbols, to_text


def has_control_character(name: str) -> bool:
    """Whether a name has a NUL, a newline or another control character, which neither files nor code can carry."""
    return any(letter < " " or "\x7f" <= letter <= "\x9f" for letter in name)


# Rules of `check` for values that have no number: a/(b - b), sqrt(-1), 2^a, and a coupling that is singular.


MAX_EXPONENT = 64
_SAMPLES, _ROUNDING, _MAX_BITS = 3, 1e-15, 2000


def find_values(robot: Robot, known: Mapping[str, float]) -> Iterator[Finding]:
    """Errors for values that no numbers of their symbols can give a number; warnings where the known ones do not."""
    for value, where, joint in _located(robot):
        if isinstance(value, Apply) and (wrong := _problem(value, known)):
            code = "values.never_a_number" if wrong.always else "values.not_a_number"
            name, at = where.rpartition(".")[2], Place(joint=joint, cell=where)
            yield Finding(code, place=at, name=name, value=_short(value), reason=wrong.reason)


def find_coupling(robot: Robot, known: Mapping[str, float]) -> Iterator[Finding]:
    """An error for a coupling of motors and joints that has no inverse."""
    numbers = _sample(sorted(symbols_of(robot.coupling)), 0) | {name: Fraction(x) for name, x in known.items()}
    rows = [[_exact(value, numbers) for value in row] for row in robot.coupling]
    known_rows = [[x for x in row if x is not None] for row in rows]
    if known_rows == rows and _is_singular(known_rows):
        yield Finding("descriptions.singular_coupling", place=Place(cell="coupling"))


def symbols_of(part: object) -> frozenset[str]:
    """All symbols in a part of a robot."""
    return frozenset[str]().union(*(symbols(value) for value in parameters(part)))


def _located(robot: Robot) -> Iterator[tuple[Value, str, int | None]]:
    """Every value of the tables, with its field and its joint."""
    for joint in robot.joints:
        for name in (*GEOMETRY, "stiffness", "rest"):
            yield getattr(joint, name), name, joint.index
        yield from ((value, "limits", joint.index) for value in parameters(joint.limits))
    for link in range(robot.link_count + 1):
        tables = {"inertia": robot.inertia(link), "wrench": robot.wrench(link)}
        if link:
            tables["drive"] = robot.drive(link)
        for table, entries in tables.items():
            yield from ((value, f"{table}.{name}", link or None) for name, value in entries.items())
    others: dict[str, object] = {
        "gravity": robot.gravity,
        "coupling": robot.coupling,
        "frames": robot.frames,
        "pose": robot.base.pose,
    }
    others |= {"V0": robot.base.velocity, "VP0": robot.base.acceleration, "wheels": robot.base.wheels}
    for where, part in others.items():
        yield from ((value, where, None) for value in parameters(part))


class _Wrong(NamedTuple):
    """Why a value has no number, and whether it has none for any numbers of its symbols."""

    reason: Finding
    always: bool = True


def _problem(value: Apply, known: Mapping[str, float]) -> _Wrong | None:
    """What is wrong with a value, the innermost part first; None if nothing is."""
    for argument in value.arguments:
        if isinstance(argument, Apply) and (inner := _problem(argument, known)):
            return inner
    if value.function == "^" and (reason := _exponent(value.arguments[1])):
        return _Wrong(reason)
    names = sorted(symbols(value))
    samples = [_sample(names, n) for n in range(_SAMPLES)]
    if value.function == "/" and all(_is_zero(value.arguments[1], sample) for sample in samples):
        return _Wrong(Finding("values.zero_divisor", value=_short(value)))
    constant = all(len({_exact(argument, sample) for sample in samples}) == 1 for argument in value.arguments)
    numbers = samples[0] if constant else known  # sqrt(a - a - 1) is constant
    try:
        evaluate(value, {name: float(number) for name, number in numbers.items()})
    except MissingParameter:
        return None
    except ParameterError as error:
        return _Wrong(error.finding, constant)
    return None


def _exponent(exponent: Value) -> Finding | None:
    """Why a number cannot be raised to an exponent; None if it can."""
    if symbols(exponent):
        return Finding("values.exponent_symbol", value=_short(exponent), most=MAX_EXPONENT)
    try:
        number = evaluate(exponent, {})
    except ParameterError as error:
        return error.finding
    if abs(number) > MAX_EXPONENT or not (2 * number).is_integer():
        return Finding("values.exponent", value=_short(exponent), most=MAX_EXPONENT)
    return None


def _is_zero(value: Value, numbers: Mapping[str, Fraction]) -> bool:
    number = _exact(value, numbers)
    return number is not None and number == 0


def _exact(value: Value, numbers: Mapping[str, Fraction]) -> Fraction | None:
    """The number of a value, exact as far as possible: b - b is zero, a tiny number is not; None if it has none."""
    try:
        return fold(value, lambda number: number, numbers.__getitem__, _applied)
    except (ArithmeticError, RobotError, ParameterError):
        return None


def _applied(node: Apply, arguments: list[Fraction]) -> Fraction:
    if node.function in ARITHMETIC:
        result = Fraction(ARITHMETIC[node.function](*arguments))
    elif node.function == "^" and arguments[1].denominator == 1 and abs(arguments[1]) <= MAX_EXPONENT:
        result = arguments[0] ** arguments[1].numerator
    else:
        result = Fraction(evaluate(Apply(node.function, tuple(map(Number, arguments))), {}))
        if node.function in ("sin", "cos", "tan") and abs(result) < _ROUNDING:
            return Fraction(0)
    bits = max(result.numerator.bit_length(), result.denominator.bit_length())
    return result if bits < _MAX_BITS else Fraction(float(result))


def _sample(names: Iterable[str], n: int) -> dict[str, Fraction]:
    """Numbers for symbols, different for each sample, so that nothing is zero by chance."""
    return {name: Fraction(37 + 14 * k + 29 * n * (k + 1) ** 2, 101) for k, name in enumerate(names)}


def _is_singular(rows: list[list[Fraction]]) -> bool:
    """By elimination."""
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return True
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for row in rows[k + 1 :]:
            factor = row[k] / rows[k][k]
            row[k:] = [x - factor * y for x, y in zip(row[k:], rows[k][k:], strict=True)]
    return False


def _short(value: Value) -> str:
    text = to_text(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# Rules of `check` that need numbers: values, inertias that no body can have, springs, matrices that are not poses.


Matrix: TypeAlias = list[list[float]]
_TOLERANCE = 1e-9


def find_numbers(robot: Robot) -> Iterator[Finding]:
    """Errors for numbers of symbols that cannot be evaluated, and for geometric parameters that are infinite."""
    numbers: dict[str, float] = {}
    try:
        names = robot.values.known()
    except ParameterError as error:
        yield error.finding.at(cell="values")
        return
    for name in names:
        try:
            numbers[name] = evaluate(robot.values[name], numbers)
        except MissingParameter:  # the number of another symbol is wrong, and reported
            continue
        except ParameterError as error:
            yield Finding("values.value", place=Place(cell=f"values.{name}"), name=name, reason=error.finding)
    for joint in robot.joints:
        for name in GEOMETRY:
            if isinf(known_number(getattr(joint, name), numbers) or 0.0):
                yield Finding(
                    "descriptions.infinite",
                    place=Place(joint=joint.index, cell=name),
                    name=name,
                    value=to_text(getattr(joint, name)),
                )


def find_given(robot: Robot) -> Iterator[Finding]:
    """Coordinates that models of the robot cannot take."""
    if robot.given is not None and robot.given not in robot.may_take:
        yield Finding("descriptions.given", place=Place(cell="given"), given=robot.given, allowed=robot.may_take)


def find_home(robot: Robot) -> Iterator[Finding]:
    """A home configuration is one of closed loops: numbers for variables of the tree."""
    positions, names = robot.home_positions, [str(joint.variable) for joint in with_variables(robot)]
    if positions and not robot.cuts:
        yield Finding("descriptions.home_without_loops", place=Place(cell="home"))
    for name, value in positions.items():
        if name not in names:
            yield Finding("descriptions.home_variable", place=Place(cell="home"), name=name, allowed=names)
        elif symbols(value):
            yield Finding("descriptions.home_number", place=Place(cell="home"), name=name, text=to_text(value))


def find_unused(robot: Robot, names: Iterable[str]) -> Iterator[Finding]:
    """A warning for symbols that have a value and do not occur in the robot."""
    used = {name for value in (*parameters(robot), *robot.values.values()) for name in symbols(value)}
    if unused := sorted(set(names) - used):
        yield Finding("descriptions.unused_values", place=Place(cell="values"), names=unused)


def find_inertias(robot: Robot) -> Iterator[Finding]:
    """Warnings for links whose inertial parameters have numbers that no body can have; a fixed base needs none."""
    known = known_numbers(robot)
    planar = _moves_in_a_plane(robot, known)
    for link in range(robot.base.kind is BaseKind.FIXED, robot.link_count + 1):
        of = Finding("descriptions.of_its_link" if link else "descriptions.of_the_base")
        negative = list(_negative(robot.inertia(link), known))
        for name, number in negative:
            place = Place(joint=link or None, cell=f"inertia.{name}")
            if name == "M":
                yield Finding("descriptions.negative_mass", place=place, of=of, value=number)
            else:
                yield Finding("descriptions.negative_moment", place=place, name=name, of=of, value=number)
        numbers = _numbers(robot.inertia(link), known)
        if negative or numbers is None or not any(numbers):
            continue
        for code in _impossible(numbers, planar):
            yield Finding(code, place=Place(joint=link or None, cell="inertia"), of=of)


def find_springs(robot: Robot) -> Iterator[Finding]:
    """Warnings for springs without a stiffness, or with one that no spring has."""
    known = known_numbers(robot)
    for joint in robot.joints:
        stiffness = known_number(joint.stiffness, known) if joint.elastic and joint.movable else None
        if stiffness == 0:
            yield Finding("descriptions.no_stiffness", place=Place(joint=joint.index, cell="stiffness"))
        elif stiffness is not None and stiffness < 0:
            yield Finding(
                "descriptions.negative_stiffness", place=Place(joint=joint.index, cell="stiffness"), stiffness=stiffness
            )


def find_floating_base(robot: Robot) -> Iterator[Finding]:
    """A warning for a base that floats without mass: a motion of it alone may need no force."""
    if robot.base.kind is BaseKind.FLOATING and known_number(robot.inertia(0).M, known_numbers(robot)) == 0:
        yield Finding("descriptions.massless_base", place=Place(cell="base"))


def find_poses(robot: Robot) -> Iterator[Finding]:
    """Errors for poses whose numbers are not a rotation and a translation."""
    known = known_numbers(robot)
    named = [(Finding("descriptions.pose_of_base"), robot.base.pose)]
    named += [(Finding("descriptions.frame", name=f.name), f.pose) for f in robot.frames]
    for name, pose in named:
        yield from find_pose(name, pose, known, Place(cell="pose"))


def find_pose(name: str | Finding, pose: Pose, known: Mapping[str, float], place: Place) -> Iterator[Finding]:
    """An error where the numbers of a pose are not a rotation and a translation; `place` is where it is described."""
    numbers = _numbers(pose, known)
    if numbers is not None and not _is_pose([numbers[4 * row : 4 * row + 4] for row in range(4)]):
        yield Finding("descriptions.no_pose", place=place, name=name)


def _negative(inertia: Inertia, known: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The mass and the moments of inertia whose numbers are negative, whatever the other parameters are."""
    for name in ("XX", "YY", "ZZ", "M"):
        number = known_number(getattr(inertia, name), known)
        if number is not None and number < 0:
            yield name, number


def _numbers(part: object, numbers: Mapping[str, float]) -> list[float] | None:
    """All values of a part as numbers; None if one of them has no number."""
    known = [known_number(value, numbers) for value in parameters(part)]
    return None if None in known else [number for number in known if number is not None]


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


def _moves_in_a_plane(robot: Robot, known: Mapping[str, float]) -> bool:
    """Whether all joints turn about parallel axes: ZZ, MX, MY and M of a link are then all that models need."""
    turns = all(joint.kind is JointKind.REVOLUTE or not joint.movable for joint in robot.joints)
    alphas = [known_number(joint.alpha, known) for joint in robot.joints]
    straight = all(alpha is not None and abs(sin(alpha)) < _TOLERANCE for alpha in alphas)
    return turns and straight and robot.base.kind is BaseKind.FIXED


def _impossible(numbers: list[float], planar: bool) -> Iterator[str]:
    """The codes of what no body can have."""
    entries = dict(zip(Inertia.names(), numbers, strict=True))
    mass, moments = entries["M"], [entries["MX"], entries["MY"], entries["MZ"]]
    if mass == 0 and any(moments):
        yield "descriptions.moments_without_mass"
        return
    tensor = _central(entries, mass, moments)
    if planar and not any(entries[name] for name in ("XX", "XY", "XZ", "YY", "YZ", "MZ")):
        if tensor[2][2] < -_TOLERANCE * entries["ZZ"]:
            yield "descriptions.negative_central_moment"
        return
    trace = sum(tensor[i][i] for i in range(3))
    scale = max(abs(number) for number in numbers[:6])
    if not _semidefinite(tensor, scale):
        yield "descriptions.indefinite_inertia"
    elif not _semidefinite([[trace / 2 * (i == j) - tensor[i][j] for j in range(3)] for i in range(3)], scale):
        yield "descriptions.triangle_rule"


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


# Rules of `check` for descriptions that are possible but look wrong: units, centres of mass, copies that differ …


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
                yield Finding(
                    "descriptions.millimetres",
                    place=Place(joint=joint.index, cell=name),
                    name=name,
                    length=length,
                    metres=length / 1000,
                )
    for link in range(1, robot.link_count + 1):
        mass = known_number(robot.inertia(link).M, known)
        if mass is not None and mass > _HEAVY:
            yield Finding(
                "descriptions.grams", place=Place(joint=link, cell="inertia"), mass=mass, kilograms=mass / 1000
            )


def find_motion(robot: Robot) -> Iterator[Finding]:
    """Warnings for velocities, accelerations and efforts in the table: files keep them, and no model reads them."""
    for joint in (joint for joint in robot.joints if joint.variable):
        for name, letters in MOTION.items():
            value = getattr(joint, name)
            if not (isinstance(value, Symbol) and re.fullmatch(rf"{letters}\d+(_\d+)?", value.name)):
                yield Finding(
                    "descriptions.motion_in_table",
                    place=Place(joint=joint.index, cell=letters),
                    letters=letters,
                    value=to_text(value),
                )


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
            yield Finding("descriptions.far_centre", place=Place(joint=link, cell="inertia"), far=far, reach=reach)
        elif size > _FAR * reach:
            yield Finding("descriptions.far_inertia", place=Place(joint=link, cell="inertia"), size=size, reach=reach)


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
        heavy = robot.inertia(j).is_zero is False or not robot.drive(j).is_zero
        zero = [known_number(value, known) == 0 for _, value in robot.inertia(j).items()]
        moved[j] = (heavy and not all(zero)) or any(moved[k.index] for k in children(robot, j))
        if joint.variable and not moved[j] and known_number(robot.drive(j).IA, known) == 0:
            yield Finding("descriptions.massless", place=Place(joint=j, cell="inertia"))


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
                yield Finding(
                    "descriptions.unequal_copies",
                    place=Place(joint=joint.index, cell="inertia"),
                    a=a,
                    other=other,
                    name=robot.joint(other).name,
                    b=b,
                )
