"""Rules of `check` for values that have no number: a/(b - b), sqrt(-1), 2^a, and a coupling that is singular."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from symoro.errors import MissingParameter, ParameterError, RobotError, Severity
from symoro.robot._finding import Finding
from symoro.robot.joint import GEOMETRY
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import ARITHMETIC, Apply, Number, Value, evaluate, fold, symbols, to_text

MAX_EXPONENT = 64
_SAMPLES, _ROUNDING, _MAX_BITS = 3, 1e-15, 2000


def find_values(robot: Robot, known: Mapping[str, float]) -> Iterator[Finding]:
    """Errors for values that no numbers of their symbols can give a number; warnings where the known ones do not."""
    for value, where, joint in _located(robot):
        if isinstance(value, Apply) and (found := _problem(value, known)):
            message, severity = found
            yield Finding(f"{where.rpartition('.')[2]} = {_short(value)}: {message}", joint, where, severity)


def find_coupling(robot: Robot, known: Mapping[str, float]) -> Iterator[Finding]:
    """An error for a coupling of motors and joints that has no inverse."""
    numbers = _sample(sorted(symbols_of(robot.coupling)), 0) | {name: Fraction(x) for name, x in known.items()}
    rows = [[_exact(value, numbers) for value in row] for row in robot.coupling]
    known_rows = [[x for x in row if x is not None] for row in rows]
    if known_rows == rows and _is_singular(known_rows):
        yield Finding("the coupling of motors and joints is singular (it must have an inverse)", where="coupling")


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


def _problem(value: Apply, known: Mapping[str, float]) -> tuple[str, Severity] | None:
    """What is wrong with a value, the innermost part first; None if nothing is."""
    for argument in value.arguments:
        if isinstance(argument, Apply) and (found := _problem(argument, known)):
            return found
    if value.function == "^" and (wrong := _exponent(value.arguments[1])):
        return wrong, "error"
    names = sorted(symbols(value))
    samples = [_sample(names, n) for n in range(_SAMPLES)]
    if value.function == "/" and all(_is_zero(value.arguments[1], sample) for sample in samples):
        return f"division by zero in {_short(value)}", "error"
    constant = all(len({_exact(argument, sample) for sample in samples}) == 1 for argument in value.arguments)
    numbers = samples[0] if constant else known  # sqrt(a - a - 1) is constant
    try:
        evaluate(value, {name: float(number) for name, number in numbers.items()})
    except MissingParameter:
        return None
    except ParameterError as error:
        return str(error), "error" if constant else "warning"
    return None


def _exponent(exponent: Value) -> str | None:
    """Why a number cannot be raised to an exponent; None if it can."""
    allowed = f"(allowed: whole and half numbers up to {MAX_EXPONENT})"
    if symbols(exponent):
        return f"the exponent {_short(exponent)} is not a number {allowed}"
    try:
        number = evaluate(exponent, {})
    except ParameterError as error:
        return str(error)
    if abs(number) > MAX_EXPONENT or not (2 * number).is_integer():
        return f"the exponent {_short(exponent)} is not allowed {allowed}"
    return None


def _is_zero(value: Value, numbers: Mapping[str, Fraction]) -> bool:
    found = _exact(value, numbers)
    return found is not None and found == 0


def _exact(value: Value, numbers: Mapping[str, Fraction]) -> Fraction | None:
    """The number of a value, exact as far as possible: b - b is zero, a tiny number is not; None if it has none."""
    try:
        return fold(value, lambda number: number, numbers.__getitem__, _applied)
    except (ArithmeticError, RobotError, ParameterError):
        return None


def _applied(node: Apply, arguments: list[Fraction]) -> Fraction:
    if node.function in ARITHMETIC:
        found = Fraction(ARITHMETIC[node.function](*arguments))
    elif node.function == "^" and arguments[1].denominator == 1 and abs(arguments[1]) <= MAX_EXPONENT:
        found = arguments[0] ** arguments[1].numerator
    else:
        found = Fraction(evaluate(Apply(node.function, tuple(map(Number, arguments))), {}))
        if node.function in ("sin", "cos", "tan") and abs(found) < _ROUNDING:
            return Fraction(0)
    bits = max(found.numerator.bit_length(), found.denominator.bit_length())
    return found if bits < _MAX_BITS else Fraction(float(found))


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
