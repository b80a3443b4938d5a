"""Coefficients know their identities; spans keep reduced rows; inertias and twists change frames as they should."""

from __future__ import annotations

import numpy as np
import pytest

from symoro.bind.symbols import bind
from symoro.ir.graph import Graph
from symoro.models.identification.base.forms import (
    TWIST,
    Coefficient,
    Coefficients,
    Row,
    Span,
    image,
    inertia_shift,
    inertia_turn_x,
    inertia_turn_z,
    pullback,
    twist_shift,
    twist_turn,
)
from symoro.models.identification.columns import INERTIAL
from symoro.robot.link import Inertia
from symoro.robot.values import as_value


def made(field: Coefficients, text: str) -> Coefficient:
    value = as_value(text)
    return field.value(value, bind(field.graph, value))


def turn(field: Coefficients, text: str) -> tuple[Coefficient, Coefficient]:
    value = as_value(text)
    return field.turn(value, bind(field.graph, value))


@pytest.mark.parametrize("angle", ["alpha", "0.3", "pi/3", "alpha + 0.2", "2*alpha"])
def test_identities_are_seen(angle: str) -> None:
    field = Coefficients(Graph())
    c, s = turn(field, angle)
    assert (c * c + s * s).is_one
    assert (c * c + s * s - field.one).is_zero
    assert not (c + s).is_zero


def test_special_angles_are_exact() -> None:
    field = Coefficients(Graph())
    c, s = turn(field, "pi/2")
    assert c.is_zero
    assert s.is_one


def test_what_cancels_leaves_no_trace() -> None:
    field = Coefficients(Graph())
    d, s = made(field, "D3"), turn(field, "alpha")[1]
    assert (d * s / s).expr is d.expr
    assert (-d + d).is_zero
    assert (d - made(field, "D4")).expr is not (d + made(field, "D4")).expr


@pytest.mark.parametrize("text", ["sqrt(2)*a", "a^2 - b/3", "min(a, b)", "abs(-a)", "atan2(a, b)", "exp(a)*sign(b)"])
def test_every_value_has_a_generic_number(text: str) -> None:
    field = Coefficients(Graph())
    assert (made(field, text) - made(field, text)).is_zero


def test_the_order_of_keeping_has_all_inertial_parameters() -> None:
    assert sorted(INERTIAL) == sorted(Inertia.names())


def test_a_span_is_in_echelon_form() -> None:
    field = Coefficients(Graph())
    d, one = made(field, "d"), field.one
    span = Span(("a", "b", "c"), [{"b": one, "c": d}, {"a": one, "b": one}, {"a": one, "c": -d}])
    assert list(span.basis) == ["a", "b"]
    assert span.basis["a"].keys() == {"a", "c"}
    assert not span.reduced({"a": one, "b": d, "c": d * d - d})
    assert list(span.reduced({"c": one})) == ["c"]


def test_a_span_grows_to_its_most() -> None:
    field = Coefficients(Graph())
    span = Span(("a", "b"), [{"a": field.one}], most=1)
    assert span.full
    span.include({"b": field.one})
    assert list(span.basis) == ["a"]


def numbers(row: Row, names: tuple[str, ...]) -> np.ndarray:
    return np.array([float(row[n].number) if n in row else 0.0 for n in names])


def spatial(p: dict[str, float]) -> np.ndarray:
    """The 6×6 inertia of a body on [v; w]."""
    J = np.array([[p["XX"], p["XY"], p["XZ"]], [p["XY"], p["YY"], p["YZ"]], [p["XZ"], p["YZ"], p["ZZ"]]])
    S = hat(np.array([p["MX"], p["MY"], p["MZ"]]))
    return np.block([[p["M"] * np.eye(3), -S], [S, J]])


def hat(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@pytest.mark.parametrize("step", ["turn X", "turn Z", "shift X", "shift Z"])
def test_inertias_and_twists_change_frames_together(step: str) -> None:
    """Tᵀ I T of the twists' change T is the inertia in the new frame, and so is the pullback of every form."""
    field = Coefficients(Graph())
    kind, axis = step.split()
    c, s = turn(field, "0.7")
    p = made(field, "0.4")
    if kind == "turn":
        inertias = inertia_turn_x(c, s) if axis == "X" else inertia_turn_z(c, s)
        twists = twist_turn(axis, c, s)
    else:
        inertias, twists = inertia_shift(axis, p), twist_shift(axis, p)
    T = np.column_stack([numbers(image(twists, {n: field.one}), TWIST) for n in TWIST])
    A = np.array([numbers(pullback({n: field.one}, inertias), INERTIAL) for n in INERTIAL])
    old = np.random.default_rng(0).normal(size=len(INERTIAL))
    new = dict(zip(INERTIAL, A @ old, strict=True))
    np.testing.assert_allclose(spatial(new), T.T @ spatial(dict(zip(INERTIAL, old, strict=True))) @ T, atol=1e-14)
