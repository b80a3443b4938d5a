"""The printed derivation, followed by hand: its coefficients and formulas alone give all branches of a pose."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import symoro
from support.arms import ARMS, apart, configuration, forward
from symoro.robot.robot import Robot

Names = dict[str, float]
FUNCTIONS: dict[str, Any] = {"sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "atan2": math.atan2, "pi": math.pi}


def value(text: str, names: Names) -> float:
    return float(eval(text.replace("^", "**"), {"__builtins__": {}}, FUNCTIONS | names))


def angle(j: str, c: float, s: float) -> Names:
    return {f"C{j}": c / math.hypot(c, s), f"S{j}": s / math.hypot(c, s)}


def with_coefficients(step: dict[str, Any], names: Names) -> Names:
    """The names with the coefficients of a step; those that need a joint of the step itself are left out."""
    known = dict(names)
    for listed, text in step["coefficients"].items():
        try:
            known |= dict.fromkeys(listed.split(", "), value(text, known))
        except NameError:
            continue
    return known


def type_2(step: dict[str, Any], e: Names, j: str) -> Iterator[Names]:
    X, Y, Z = e["X"], e["Y"], e["Z"]
    D = X * X + Y * Y - Z * Z
    for sign in (1, -1) if D >= 0 else ():
        yield angle(j, Y * Z - sign * X * math.sqrt(D), X * Z + sign * Y * math.sqrt(D))


def turned(step: dict[str, Any], e: Names, j: str, into: str = "b") -> Iterator[Names]:
    a1, a2, b1, b2 = e["a1"], e["a2"], e[into + "1"], e[into + "2"]
    yield angle(j, a1 * b1 + a2 * b2, a1 * b2 - a2 * b1)


def two(step: dict[str, Any], e: Names, j: str) -> Iterator[Names]:
    delta = e["A1"] * e["B2"] - e["A2"] * e["B1"]
    yield angle(j, delta * (e["A1"] * e["D2"] - e["A2"] * e["D1"]), delta * (e["D1"] * e["B2"] - e["D2"] * e["B1"]))


def direction(step: dict[str, Any], e: Names, i: str) -> Iterator[Names]:
    (j,) = re.findall(r"and θ(\d+) turns", step["equation"])
    cosine = (e["b3"] - e["K"]) / math.hypot(e["X"], e["Y"])
    for sign in (1, -1) if abs(cosine) <= 1 else ():
        theta = math.atan2(e["X"], e["Y"]) + sign * math.acos(cosine)
        tilt = angle(i, math.cos(theta), math.sin(theta))
        yield tilt | next(turned(step, with_coefficients(step, e | tilt), j, "c"))


def powers(step: dict[str, Any], e: Names, j: str) -> Iterator[Names]:
    letters = "ABCDE" if "⁴" in step["equation"] else "ABC" if "²" in step["equation"] else "AB"
    for r in np.roots([e[letter] for letter in letters]):
        if abs(r.imag) < 1e-7:
            yield {f"r{j}": float(r.real)}


def quartic(step: dict[str, Any], e: Names, j: str) -> Iterator[Names]:
    a, b, d, m1, m2, k = (e[name] for name in ("M11", "M12", "M22", "m1", "m2", "k"))
    for t in np.roots([a - 2 * m1 + k, 4 * (m2 - b), 4 * d - 2 * a + 2 * k, 4 * (m2 + b), a + 2 * m1 + k]):
        if abs(t.imag) < 1e-7:
            yield angle(j, 1 - t.real**2, 2 * t.real)


def slides(step: dict[str, Any], e: Names, i: str) -> Iterator[Names]:
    A = [[e[f"A{k}{n}"] for n in (1, 2, 3)] for k in (1, 2, 3)]
    found = np.linalg.solve(A, [e[f"B{k}"] for k in (1, 2, 3)])
    yield dict(zip([f"r{j}" for j in re.findall(r"r(\d+)", step["equation"])], map(float, found), strict=True))


#: How a person solves an equation, by how it begins.
SOLVED: dict[str, Callable[[dict[str, Any], Names, str], Iterator[Names]]] = {
    r"X S(\d+)": type_2, r"a1 C(\d+)": turned, r"A1 S(\d+)": two, r"K \+ X S(\d+)": direction, r"A r(\d+)": powers,
    r"M11 C(\d+)": quartic, r"Ak1 r(\d+)": slides,
}  # fmt: skip


def roots(step: dict[str, Any], names: Names) -> Iterator[Names]:
    known = with_coefficients(step, names)
    for pattern, solve in SOLVED.items():
        if begin := re.match(pattern, step["equation"]):
            yield from ({**names, **found} for found in solve(step, known, begin[1]))
            return
    raise AssertionError(step["equation"])


def position(steps: list[dict[str, Any]], names: Names, j: int) -> float:
    """q of a joint: what its step found, unless the solution says how q follows from it."""
    found = names[f"r{j}"] if f"r{j}" in names else math.atan2(names[f"S{j}"], names[f"C{j}"])
    for step in steps:
        for text in re.findall(rf"; q{j} = ([^;]*)", step["solution"]):
            return value(text, names | {f"θ{j}": found})
    return found


OFFSETS = Robot.from_mdh(
    [
        {"r": 0.4, "offset": 0.2},
        {"alpha": "-pi/2", "d": 0.1, "offset": "-pi/2"},
        {"d": 0.5, "offset": -0.3},
        {"alpha": "-pi/2", "d": 0.05, "r": 0.45},
        {"alpha": "pi/2", "offset": 0.7},
        {"alpha": "-pi/2", "r": 0.1},
    ],
    "offsets",
)
NAMES = ["puma560", "kr6-like", "wrist-first", "scara-rrpr", "stanford", "RPP-wrist", "gantry-wrist", "youbot-like"]
QUICK = {"scara-rrpr", "youbot-like"}


@pytest.mark.parametrize(
    "name", ["offsets", *(pytest.param(n, marks=() if n in QUICK else pytest.mark.long) for n in NAMES)]
)
def test_a_person_finds_the_branches_of_the_code(name: str) -> None:
    robot = OFFSETS if name == "offsets" else ARMS[name] if name in ARMS else symoro.load(name)
    ik = symoro.inverse_geometry(robot)
    told, wanted = ik.derivation.data(), configuration(robot, np.random.default_rng(1))
    T = forward(robot, wanted)
    names: Names = dict(robot.values.numbers()) | {
        f"T{i}{k}": T[i - 1, k - 1] for i in range(1, 5) for k in range(1, 5)
    }
    for listed, text in told["goal"].items():
        names |= dict.fromkeys(listed.split(", "), value(text, names))
    ways = [names]
    for step in told["steps"]:
        ways = [after for before in ways for after in roots(step, before)]
    found = np.array([[position(told["steps"], way, j) for j in ik.joints] for way in ways])
    right = found[np.abs(forward(robot, found) - T).max((-1, -2)) < 1e-6]
    code = ik.compile("numpy")(T)
    assert code.valid.any()
    assert all(apart(robot, right, q).min() < 1e-5 for q in code.q[code.valid])
    assert apart(robot, right, wanted).min() < 1e-5
