"""Robots with closed loops from end to end: the pose of a link to the motors and back, against NumPy products."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.compared_branches import compared_end
from support.many_starts import end_problem
from symoro.errors import InputError, NotApplicable

#: Robots and the links whose pose is wanted.
ENDS = {"sr400": 6, "akr3000": 10, "five-bar": 5, "four-bar": 2, "slider-crank": 3, "two-loops": 5, "test-loop": 5}
QUICK = ("sr400", "five-bar", "slider-crank")
EVERY = [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in (*ENDS, "orthoglide")]


@pytest.mark.long
@pytest.mark.parametrize("name", EVERY)
def test_all_configurations_of_a_pose_are_those_of_a_search(name: str) -> None:
    record = compared_end(symoro.load(name), ENDS.get(name, 7), 6, 1, 0.1)
    assert record.generating == record.equal == record.poses
    assert record.worst < 1e-12


@pytest.mark.parametrize("name", ["sr400", "five-bar"])
def test_the_motors_alone_give_the_pose(name: str) -> None:
    robot, link = symoro.load(name), ENDS[name]
    loops = symoro.loop_geometry(robot)
    qa = 0.15 + 0.1 * np.arange(loops.inputs["qa"][0])
    T = loops.from_motors(symoro.forward_geometry(robot, link=link)).compile("numpy")(qa)
    assembly = loops.compile("numpy")
    q = assembly(qa)
    x = np.hstack([q, assembly.cut(q)])
    end = {"sr400": 6, "five-bar": 6}[name]  # frame 5 of the five-bar is aligned with its mate, frame 6
    np.testing.assert_allclose(T[:3], end_problem(robot, end, ()).chains[0].pose(x[None])[0], atol=1e-12)
    ik = symoro.inverse_geometry(robot, link=link)
    s = ik.compile("numpy")(T)
    assert np.abs(s.q[s.valid][:, ik.motors] - qa).max(axis=1).min() < 1e-9


def test_a_dynamic_model_takes_the_motors_alone_on_the_branch_of_a_guess() -> None:
    robot = symoro.load("five-bar")
    loops, torque = symoro.loop_geometry(robot), symoro.inverse_dynamics(robot)
    f, whole, assembly = loops.from_motors(torque).compile("numpy"), torque.compile("numpy"), loops.compile("numpy")
    qa, qd, qdd = np.array([2.0, 1.0]), np.array([0.3, -0.2]), np.array([0.5, 0.1])
    branches = assembly.branches(qa)
    assert len(branches) == 2
    for q in branches:
        near = assembly(qa + 0.05, guess=q)
        np.testing.assert_allclose(f(qa, qd, qdd, guess=near), whole(q, qd, qdd), atol=1e-10)
    assert f(np.tile(qa, (3, 1)), qd, qdd).shape == (3, 2)


def test_what_cannot_be_computed_from_the_motors_is_said() -> None:
    loops = symoro.loop_geometry("five-bar")
    with pytest.raises(NotApplicable, match="a model of puma560"):
        loops.from_motors(symoro.inverse_dynamics("puma560"))
    f = loops.from_motors(symoro.inverse_dynamics("five-bar")).compile("numpy")
    with pytest.raises(InputError, match="qa"):
        f()
