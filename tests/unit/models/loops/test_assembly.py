"""Closing loops: one configuration, a path on one branch, all branches, and clear answers where nothing closes."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.gough_stewart import gough_stewart
from support.loop_robots import described, joint, triangle
from support.raised import raised
from symoro.errors import CannotClose, InputError, LoopWarning, NotApplicable, ParameterError, ShapeError
from symoro.robot.joint import Limits
from symoro.robot.robot import Robot
from symoro.robot.values import as_value
from symoro.solve.loops import Assembly


@pytest.fixture(scope="module")
def five_bar() -> Assembly:
    return symoro.loop_geometry("five-bar").compile()


def test_a_procedure_looks_like_a_model() -> None:
    procedure = symoro.loop_geometry("five-bar")
    assert procedure.inputs == {"qa": (2,)}
    assert procedure.outputs == {"q": (4,)}
    assert (procedure.name, procedure.step.name, procedure.citation) == ("loop_geometry", "loop_step", "K97:2")
    assert {"E1", "E2", "QC5"} <= {name for name, _ in procedure.equations()}
    assert procedure.ops.total > 0
    assert "E" in procedure.latex()


def test_many_positions_at_once(five_bar: Assembly) -> None:
    q = five_bar(np.array([[2.0, 1.0], [1.9, 1.1], [1.8, 1.2]]))
    assert q.shape == (3, 4)
    assert np.abs(five_bar.gap(q)).max() < 1e-12
    assert five_bar.cut(q).shape == (3, 1)


def test_a_path_stays_on_its_branch(five_bar: Assembly) -> None:
    first, second = five_bar.branches([2.0, 1.0])
    way = np.linspace([2.0, 1.0], [1.2, 1.7], 20)
    for start in (first, second):
        path = five_bar.path(start, way)
        assert np.abs(np.diff(path, axis=0)).max() < 0.3
        back = five_bar([2.0, 1.0], guess=path[-1])
        assert_close(back, start, 1e-10)


def test_a_guess_leads_to_its_branch(five_bar: Assembly) -> None:
    for branch in five_bar.branches([2.0, 1.0]):
        near = five_bar([2.1, 0.9], guess=branch)
        assert np.abs(near - branch).max() < 0.5


def test_other_lengths(five_bar: Assembly) -> None:
    values = {"L2": 0.7, "L4": 0.6}
    q = five_bar([2.0, 1.0], values=values)
    assert np.abs(five_bar.gap(q, values=values)).max() < 1e-12
    assert np.abs(five_bar.gap(q)).max() > 1e-3


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_lengths_that_are_not_finite(five_bar: Assembly, wrong: float) -> None:
    with pytest.raises(ParameterError, match="L1: loops are closed for finite numbers only"):
        five_bar.branches([2.0, 1.0], values={"L1": wrong})


def test_no_configuration_closes(five_bar: Assembly) -> None:
    short = {"L2": 0.1, "L4": 0.1}
    assert five_bar.branches([3.1, 0.0], values=short).shape == (0, 4)
    with pytest.raises(CannotClose, match=r"cannot be closed for q1 = 3.1, q3 = 0 \(smallest gap found: 0\.\d+\)"):
        five_bar([3.1, 0.0], values=short)


def test_a_branch_ends(five_bar: Assembly) -> None:
    """On the way to a position that cannot be closed the message says how far the branch reaches."""
    tight = {"L2": 0.35, "L4": 0.35}
    start = five_bar([1.6, 1.5], values=tight)
    with pytest.raises(CannotClose, match=r"its branch ends near q1 = "):
        five_bar([3.1, 0.0], guess=start, values=tight)


def test_a_guess_that_does_not_close(five_bar: Assembly) -> None:
    with raised("loops.open_start", CannotClose):
        five_bar([1.0, 1.0], guess=[3.1, 0, 0, 0], values={"L2": 0.1, "L4": 0.1})


def test_wrong_shapes(five_bar: Assembly) -> None:
    with raised("positions.must_have_shape_of", ShapeError, name="qa", one="(2,)", axes="2", shape="(3,)"):
        five_bar([1.0, 1.0, 1.0])
    with raised("positions.must_have_shape_of", ShapeError, name="guess", one="(4,)", axes="4"):
        five_bar([1.0, 1.0], guess=[0.0, 0.0])
    with raised("positions.must_have_shape_of", ShapeError, name="qa", one="(2,)", axes="2"):
        five_bar.branches(1.0)
    with raised("positions.must_have_shape_of", ShapeError, name="start", one="(4,)", axes="4"):
        five_bar.path([1.0, 1.0], [[1.0, 1.0]])


def test_passive_joints_that_move_by_themselves() -> None:
    assembly = symoro.loop_geometry("test-loop").compile()
    with raised("loops.infinitely_at", CannotClose):
        assembly.branches([0.4, 0.4])


def test_open_robots_have_no_loops() -> None:
    with raised("models.no_loops", NotApplicable):
        symoro.loop_geometry("rx90")


@pytest.fixture(scope="module")
def four_bar() -> Assembly:
    return symoro.loop_geometry("four-bar").compile()


def test_one_motor_may_be_given_as_a_number(four_bar: Assembly) -> None:
    assert_close(four_bar(0.3), four_bar([0.3]), 1e-15)
    assert_close(four_bar.branches(0.3), four_bar.branches([0.3]), 1e-15)
    with pytest.raises(ShapeError, match="the active joints q1, q3"):
        symoro.loop_geometry("five-bar").compile()(0.3)


@pytest.mark.parametrize("wrong", [[np.nan], [np.inf], np.nan])
def test_positions_that_are_not_numbers(four_bar: Assembly, wrong: object) -> None:
    with raised("positions.not_finite", InputError, name="qa"):
        four_bar(wrong)  # type: ignore[arg-type]
    with raised("positions.not_finite", InputError, name="qa"):
        four_bar.branches(wrong)  # type: ignore[arg-type]
    with raised("positions.not_finite", InputError, name="guess"):
        four_bar([0.3], guess=[0.3, np.nan, 0.1])
    with raised("runtime.not_real", InputError):
        four_bar(["left"])  # type: ignore[list-item]


def test_so_many_turns_that_sines_lose_digits(four_bar: Assembly) -> None:
    with raised("loops.many_turns"):
        four_bar([0.3 + 1e8 * np.pi])


def test_a_loop_without_motors() -> None:
    """It closes in isolated configurations: no position is given, and the same calls work."""
    f = symoro.loop_geometry(triangle()).compile()
    q = f([])
    assert q.shape == (2,)
    assert np.abs(f.gap(q)).max() < 1e-12
    assert f.branches([]).shape == (2, 2)
    assert_close(f([], guess=q), q, 1e-12)
    assert f(np.zeros((3, 0))).shape == (3, 2)
    with raised("positions.no_active_joints", ShapeError):
        f([0.3])
    with raised("loops.cannot_close", CannotClose):
        f([], values={"L1": 5.0})


def test_empty_batches(four_bar: Assembly) -> None:
    assert four_bar(np.zeros((0, 1))).shape == (0, 3)
    assert four_bar.path(four_bar(0.3), np.zeros((0, 1))).shape == (0, 3)
    with raised("positions.must_have_shape_of", ShapeError, name="qa", one="(1,)", axes="1", shape="(0,)"):
        four_bar([])


def largest_step(q: np.ndarray) -> float:  # type: ignore[type-arg]
    """Between neighbouring rows, angles by the shorter way round."""
    return float(np.abs(np.remainder(np.diff(q, axis=0) + np.pi, 2 * np.pi) - np.pi).max())


def test_a_batch_without_a_guess_stays_on_one_branch(four_bar: Assembly) -> None:
    """Assembled one by one, the rows lie on different branches."""
    way = np.linspace([-3.0], [3.0], 60)
    assert largest_step(np.array([four_bar(row) for row in way])) > 2
    together = four_bar(way)
    assert largest_step(together) < 0.2
    assert np.abs(four_bar.gap(together)).max() < 1e-12
    assert four_bar(way.reshape(6, 10, 1)).shape == (6, 10, 3)


def test_a_batch_that_cannot_stay_on_one_branch_says_so() -> None:
    """The cranks of a five-bar are turned past the place where its branch ends, to where another one exists."""
    f = symoro.loop_geometry("five-bar").compile()
    tight = {"L1": 0.3, "L3": 0.3, "L2": 0.45, "L4": 0.12}
    rows = [row for row in np.linspace([-3.1, 3.1], [3.1, -3.1], 40) if len(f.branches(row, values=tight))]
    with pytest.warns(LoopWarning, match="another one begins at row"):
        q = f(rows, values=tight)
    assert np.abs(f.gap(q, values=tight)).max() < 1e-12


def limited(lower: float, upper: float) -> Robot:
    """The four-bar linkage with limits of its third joint, the passive crank."""
    robot = symoro.load("four-bar")
    limits = Limits(as_value(lower), as_value(upper))
    return replace(robot, joints=tuple(replace(j, limits=limits) if j.index == 3 else j for j in robot.joints))


def test_branches_outside_the_joint_limits_are_left_out(four_bar: Assembly) -> None:
    every = four_bar.branches(0.3)
    assert len(every) == 2
    for q in every:
        f = symoro.loop_geometry(limited(q[2] - 0.1, q[2] + 0.1)).compile()
        assert_close(f.branches(0.3), q[None], 1e-10)
        assert_close(f(0.3), q, 1e-10)
        assert_close(f.branches(0.3, limits=False), every, 1e-10)


@pytest.mark.parametrize("rows", [40, 41])
def test_a_path_through_a_change_point_says_that_branches_meet_there(rows: int) -> None:
    """A parallelogram whose bars are in line at q1 = 0: it may go on as an antiparallelogram."""
    crank, rod, rocker = joint(1, 0, actuated=True), joint(2, 1, d=0.3), joint(3, 0, d=0.5)
    joints = [crank, rod, rocker, joint(4, 2, d=0.5), joint(5, 3, "fixed", d=0.3)]
    robot = described("parallelogram", joints, [(4, 5)], {})
    with pytest.warns(LoopWarning) as caught:
        symoro.loop_geometry(robot).compile()(np.linspace(-1, 1, rows)[:, None])
    assert caught[0].message.finding.code == "positions.branches_meet"  # type: ignore[union-attr]
    assert caught[0].message.finding.fields["rows"].startswith("20")  # type: ignore[union-attr]


def test_limits_beyond_a_half_turn(four_bar: Assembly) -> None:
    q = four_bar(0.3)
    f = symoro.loop_geometry(limited(q[2] + 2 * np.pi - 0.1, q[2] + 2 * np.pi + 0.1)).compile()
    assert_close(f(0.3), q + np.array([0, 0, 2 * np.pi]), 1e-10)


def test_loops_that_close_outside_the_limits_only() -> None:
    f = symoro.loop_geometry(limited(2.9, 3.0)).compile()
    assert f.branches(0.3).shape == (0, 3)
    with pytest.raises(
        CannotClose, match=r"for q1 = 0\.3 the loops close only outside the joint limits: q3 from 2\.9 to 3"
    ):
        f(0.3)


@pytest.mark.long
def test_a_gough_stewart_platform_is_assembled_quickly() -> None:
    """It has hundreds of branches, which are not all listed to find one."""
    robot, q = gough_stewart()
    motors = q[[joint.index - 1 for joint in robot.joints if joint.actuated]]
    f = symoro.loop_geometry(robot).compile()
    f(motors)  # compiles the code for many states
    began = time.process_time()
    found = f(motors)
    assert time.process_time() - began < 2.0  # seconds of the processor; 0.04 where it was measured
    assert np.abs(f.gap(found)).max() < 1e-12
    assert_close(f(motors, guess=q), q, 1e-10)
