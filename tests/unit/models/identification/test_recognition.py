"""Formulas of coefficients are found from their values at several geometries: fractions, products, quotients."""

from __future__ import annotations

import numpy as np
import pytest

from support.close import assert_close
from support.loop_robots import described, joint
from symoro.bind.interface import robot_numbers
from symoro.models.identification.base.geometry import Geometry
from symoro.models.identification.base.recognition import product, quotient, shapes
from symoro.robot.robot import Robot
from symoro.robot.values import as_value, evaluate, to_text

NUMBERS = {"D3": 0.7, "RL4": 0.45, "D4": 0.3, "t": 0.6}


def robot() -> Robot:
    joints = [joint(1, 0, d="D3", alpha="t"), joint(2, 1, d="RL4"), joint(3, 2, d="D4")]
    return described("geometry", joints, [], NUMBERS)


def geometry() -> Geometry:
    return Geometry(robot(), robot_numbers(robot()), tied=False)


def samples(text: str, count: int) -> tuple[list[dict[str, float]], np.ndarray]:
    points = [geometry().varied(seed) for seed in range(count)]
    return points, np.array([evaluate(as_value(text), point) for point in points])


@pytest.mark.parametrize("text", ["1/2", "-3", "D3/RL4", "-2*D3^2/RL4", "D4*cos(t)/sin(t)"])
def test_products(text: str) -> None:
    points, values = samples(text, 10)
    found = product(geometry().factors, points, values)
    assert found is not None
    again, expected = samples(text, 40)
    assert_close([evaluate(found, point) for point in again], expected, 1e-12)


@pytest.mark.parametrize(
    ("text", "degree"),
    [
        ("(D3^2-D4^2)/RL4", 1),
        ("D3+RL4", 1),
        ("(D3+RL4)^2", 2),
        ("D3/(RL4-D4)", 0),
        ("D3*cos(t)-2*D4*sin(t)", 1),
        ("(D3*cos(t)+D4)/RL4", 0),
    ],
)
def test_quotients_of_sums(text: str, degree: int) -> None:
    found = None
    for shape in shapes(geometry(), degree):
        points, values = samples(text, shape.points)
        assert product(geometry().factors, points, values) is None
        found = found or quotient(shape, points, values)
    assert found is not None, text
    again, expected = samples(text, 90)
    print(text, "->", to_text(found))
    assert_close([evaluate(found, point) for point in again], expected, 1e-10)


@pytest.mark.parametrize(("text", "degree"), [("sqrt(D3^2+D4^2)", 1), ("D3^3/(D4^2+1)", 1)])
def test_what_is_no_quotient_stays_a_number(text: str, degree: int) -> None:
    for shape in shapes(geometry(), degree):
        points, values = samples(text, shape.points)
        assert quotient(shape, points, values) is None


def test_symbols_vary_by_themselves_or_with_their_equals() -> None:
    numbers = {"D3": 0.5, "RL4": 0.5, "D4": 0.0, "t": 0.6}
    independent, tied = (Geometry(robot(), numbers, tied=tied) for tied in (False, True))
    moved = independent.varied(1)
    assert moved["D3"] != moved["RL4"]
    assert moved["D4"] != 0
    moved = tied.varied(1)
    assert moved["D3"] == moved["RL4"] != 0.5
    assert moved["D4"] == 0
