"""Transformations: merged angles, names, counts, options."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.kinematics import one
from symoro.bind.symbols import Symbols
from symoro.errors import OptionError
from symoro.ir.graph import Graph
from symoro.models.geometric.walk import place, places
from symoro.robot.joint import Joint, JointKind
from symoro.robot.robot import Robot
from symoro.robot.values import as_value


def chain(*alphas: str) -> Robot:
    """Revolute joints with these angles between their axes, a unit apart."""
    joints = [
        Joint(index=j, name=f"joint{j}", parent=j - 1, alpha=as_value(alpha), d=as_value(1 if j > 1 else 0))
        for j, alpha in enumerate(alphas, 1)
    ]
    return Robot("chain", tuple(joints), gravity=(as_value(0),) * 3)


def names(model: object) -> set[str]:
    return {name for name, _ in model.equations()}  # type: ignore[attr-defined]


def test_angles_of_parallel_axes_are_added() -> None:
    found = names(symoro.transform(chain("0", "0", "0"), 0, 3))
    assert {"C123", "S123"} <= found
    plain = names(symoro.transform(chain("0", "0", "0"), 0, 3, optimize=False))
    assert "C123" not in plain
    assert {"C1", "C2", "C3"} <= plain


def test_angles_of_antiparallel_axes_are_subtracted() -> None:
    robot = chain("0", "pi", "0")
    assert "Cm1_2_3" in names(symoro.transform(robot, 0, 3))
    q = np.array([0.3, 0.5, 0.2])
    T = one(symoro.transform(robot, 0, 3), q=q)
    assert_close(T, one(symoro.transform(robot, 0, 3, optimize=False), q=q), 1e-14)


def test_turns_about_x_are_added_too() -> None:
    robot = chain("pi/3", "pi/6")
    first = Joint(index=1, name="joint1", parent=0, kind=JointKind.FIXED, alpha=as_value("pi/3"))
    robot = replace(robot, joints=(first, robot.joints[1]))
    T = one(symoro.transform(robot, 0, 2), q=np.array([0.0]))
    assert_close(T[:3, 2], [0, -1, 0], 1e-14)


def test_places_are_seen_from_any_frame() -> None:
    s = Symbols(chain("0", "pi/2", "0"), Graph())
    assert list(places(s, 3, 1)) == [3, 2, 1]
    assert place(s, 2, 2).P.is_zero


@pytest.mark.parametrize(("robot", "most"), [("rx90", 52), ("puma560", 60), ("stanford", 51), ("ur5", 57)])
def test_fast_is_not_dearer_than_before(robot: str, most: int) -> None:
    fast, plain = symoro.transform(robot, 0, 6, fast=True), symoro.transform(robot, 0, 6, optimize=False)
    assert fast.ops.total <= most < plain.ops.total
    assert any(name.startswith("T1") and "_" in name for name in names(fast))


def test_a_cut_frame_is_where_its_mate_is() -> None:
    robot = symoro.load("four-bar")
    q = np.array([0.3, 0.2, 0.1])
    assert np.array_equal(one(symoro.transform(robot, 0, 4), q=q), one(symoro.transform(robot, 0, 5), q=q))


def test_the_tip_of_a_planar_arm() -> None:
    T = one(symoro.forward_geometry("planar2r", "tip"), q=np.array([pi / 2, -pi / 2]))
    assert_close(T[:3, 3], [0.5, 0.5, 0], 1e-14)


@pytest.mark.parametrize("wrong", [-1, 7, "hand", True, 1.0])
def test_frames_that_do_not_exist(wrong: object) -> None:
    with pytest.raises(OptionError, match="0 to 6"):
        symoro.transform("rx90", 0, wrong)
