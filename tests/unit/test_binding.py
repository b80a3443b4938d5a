"""Values become expressions and come back."""

from __future__ import annotations

import pytest

from symoro.bind.binding import bind, value_of
from symoro.ir.graph import Graph
from symoro.robot.values import as_value, to_text


@pytest.mark.parametrize(
    "text", ["3", "-1/2", "pi/2", "a", "-a", "a + b", "a - b", "2*a", "a^2", "a*b/c", "sin(a)", "atan2(a, b)", "-(a*b)"]
)
def test_value_of_is_the_inverse_of_bind(text: str) -> None:
    graph = Graph()
    expr = bind(graph, as_value(text))
    assert bind(graph, value_of(expr)) is expr, to_text(value_of(expr))


def test_values_read_as_people_write_them() -> None:
    graph = Graph()
    for text in ("a - b", "a^2", "a + b", "-a"):
        assert to_text(value_of(bind(graph, as_value(text)))) == text
