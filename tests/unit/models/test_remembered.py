"""Remembered work is done once for the same arguments: of symbols as long as they live, of a robot in all models."""

from __future__ import annotations

import symoro
from symoro.bind.symbols import Symbols
from symoro.ir.graph import Graph
from symoro.models.dynamic.lean.layout import RecursionLayout
from symoro.models.results import remembered
from symoro.robot.robot import Robot


def test_work_on_symbols_is_kept_with_them() -> None:
    calls = []

    @remembered
    def work(s: Symbols, layout: RecursionLayout) -> int:
        calls.append(layout)
        return len(calls)

    s = Symbols(symoro.load("planar2r"), Graph())
    assert work(s, RecursionLayout(frozenset({1}))) == work(s, RecursionLayout().turned_over(frozenset({1}))) == 1
    assert (
        work(s, RecursionLayout())
        == work(s, RecursionLayout().turned_over(frozenset({1})).turned_over(frozenset({1})))
        == 2
    )
    assert work(Symbols(s.robot, Graph()), RecursionLayout()) == 3


def test_work_on_a_robot_is_kept_for_equal_robots() -> None:
    calls = []

    @remembered
    def work(robot: Robot, rotors: bool | None) -> int:
        calls.append(rotors)
        return len(calls)

    assert work(symoro.load("planar2r"), None) == work(symoro.load("planar2r"), None) == 1
    assert work(symoro.load("planar2r"), True) == work(symoro.load("planar2r"), True) == 2
