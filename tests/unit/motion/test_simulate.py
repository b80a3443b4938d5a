"""Scenarios that are refused before anything runs, stop conditions, and what a result offers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.errors import MissingParameter, MotionError, NotThere


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "simulation.no_duration"),
        ({"duration": 0.0}, "options.value"),
        ({"duration": 1.0, "period": 2.0}, "simulation.period"),
        ({"duration": 1e9}, "simulation.rows"),
        ({"duration": 1e308}, "simulation.rows"),
        ({"duration": 1.0, "method": "euler"}, "options.value"),
        ({"duration": 1.0, "substeps": 0}, "options.value"),
        ({"duration": 1.0, "q0": [0.0]}, "simulation.shape"),
        ({"duration": 1.0, "q0": [0.0, float("nan")]}, "simulation.shape"),
        ({"duration": 1.0, "wrench": [[1.0]]}, "simulation.wrench_shape"),
        ({"duration": 1.0, "values": {"M9": 1.0}}, "simulation.no_parameter"),
        ({"duration": 1.0, "q0": np.zeros((3, 2)), "method": "DOP853"}, "simulation.one_run"),
        ({"duration": 1.0, "controller": symoro.computed_torque("planar3r")}, "simulation.other_robot"),
        ({"trajectory": 1.0}, "simulation.trajectory"),
        ({"duration": 1.0, "trajectory": [0.0, 1.0]}, "simulation.trajectory"),
        ({"trajectory": symoro.trajectory([0.0] * 3, [1.0] * 3, duration=1.0)}, "simulation.joints_of_trajectory"),
    ],
)
def test_what_is_refused(given: dict[str, Any], code: str) -> None:
    with raised(code):
        symoro.simulate("planar2r", **given)


@pytest.mark.parametrize(
    ("robot", "given", "code"),
    [
        ("panda", {"q0": [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]}, "motion.outside_limits"),
        ("five-bar", {"q0": [0.0, 1.0, 2.0, 3.0]}, "simulation.loops_open"),
        ("five-bar", {"q0": [0.0, 1.0, 2.0]}, "simulation.closed_shape"),
        ("sr400", {"q0": [0.0] * 6}, "simulation.dead_point"),
        ("satellite", {"method": "Radau"}, "simulation.drifts"),
        ("satellite", {"wrench": None, "V0": [1.0]}, "simulation.shape"),
    ],
)
def test_starts_that_are_refused(robot: str, given: dict[str, Any], code: str) -> None:
    with raised(code):
        symoro.simulate(robot, duration=0.1, **given)


def test_a_simulation_that_diverges_keeps_its_rows() -> None:
    law = symoro.pd_gravity("planar2r", 1e6, 1e5)
    goal = symoro.trajectory([1.0, 1.0], [1.0, 1.0], velocity=1.0)
    s = symoro.simulate("planar2r", law, goal, q0=[0.0, 0.0], duration=1.0, period=0.01)
    assert "the simulation diverged at t = " in s.stopped
    assert 0 < len(s.t) < 100
    assert np.isfinite(s.q).all()
    assert len(s.t) == len(s.q) == len(s.tau) == len(s.error)


@pytest.mark.parametrize("method", ["rk4", "sticking", "DOP853", "stick-slip"])
@pytest.mark.parametrize(
    ("name", "q0", "qd0"),
    [("five-bar", [0.6465607, 1.9289285], [-2.2653810, -6.5468767]), ("slider-crank", [0.75], [1.0])],
)
def test_a_dead_point_of_the_motors_ends_a_simulation(
    method: str, name: str, q0: list[float], qd0: list[float]
) -> None:
    robot = symoro.load(name)
    if name == "slider-crank":  # the slider is the motor
        robot = replace(robot, joints=tuple(replace(j, actuated=j.index == 3) for j in robot.joints))
    robot = robot.with_values({n: 0.0 for n in robot.values.numbers() if n[:2] in ("FV", "FS")})
    s = symoro.simulate(robot, q0=q0, qd0=qd0, duration=0.6, method=method)
    assert s.ended is not None
    assert s.ended.code == "simulation.diverged"
    assert s.ended.fields["reason"].code in ("simulation.dead_point_met", "simulation.loops_lost")
    energy = np.sum(np.asarray(s.energy), axis=0)
    within = 0.25 if method == "sticking" else 0.01  # a method of order 2: the last row alone is so far
    assert np.abs(energy - energy[0]).max() < within * np.ptp(s.energy.kinetic)


def test_a_condition_stops_the_simulation() -> None:
    s = symoro.simulate("planar2r", duration=2.0, q0=[1.0, 0.0], stop=lambda t, q, qd: q[..., 0] < 0)
    assert "the condition to stop was met" in s.stopped
    assert s.q[-1, 0] < 0 <= s.q[-2, 0]


def test_columns_tables_and_plots(tmp_path: Path) -> None:
    robot = symoro.load("planar2r")
    t = symoro.trajectory([0.0, 0.0], [1.0, 0.5], duration=0.1)
    s = symoro.simulate(robot, symoro.computed_torque(robot), t)
    names = list(s.columns())
    assert names[:5] == ["t", "q1", "q2", "qd_1", "qd_2"]
    back = np.genfromtxt(s.to_csv(tmp_path / "run.csv"), delimiter=",", names=True)
    assert (back["q1"] == s.q[:, 0]).all()
    assert list(back.dtype.names or ()) == [name.replace(" ", "_") for name in names]
    figure = s.plot(tmp_path / "run.svg")
    assert [axes.get_ylabel() for axes in figure.axes] == ["position (rad)", "error (rad)", "torque (N·m)"]
    assert (tmp_path / "run.svg").exists()


def test_without_a_reference_there_is_no_error() -> None:
    s = symoro.simulate("planar2r", duration=0.01)
    with raised("simulation.no_reference"):
        _ = s.error
    with raised("simulation.no_part"):
        s.part("quat")


def test_every_kept_row_is_that_of_a_whole_simulation() -> None:
    given: dict[str, Any] = {"duration": 0.0537, "q0": [[0.3, 0.4], [0.1, -0.2]]}
    every, whole = (symoro.simulate("planar2r", **given, **more) for more in ({"every": 7}, {}))
    assert (every.t == whole.t[::7]).all()
    assert (every.q == whole.q[:, ::7]).all()
    one = symoro.simulate("planar2r", duration=0.05, q0=[0.3, 0.4], every=5, method="DOP853")
    assert one.q.shape == (11, 2)
    with raised("options.value"):
        symoro.simulate("planar2r", every=0, **given)


def test_events_are_found_between_rows() -> None:
    """A body that falls: its height is 0 after √(2 h / g)."""
    robot = symoro.Robot.from_mdh([{"kind": "prismatic", "inertia": {"M": 2.0}}])
    s = symoro.simulate(robot, duration=1.0, q0=[1.0], period=0.01, values={"G3": -9.81})
    (time,) = s.crossings(lambda t, q, qd: q[:, 0])
    assert abs(time - (2 / 9.81) ** 0.5) < 1e-9
    assert not len(s.crossings(lambda t, q, qd: q[:, 0] - 2.0))
    with raised("simulation.event_shape"):
        s.crossings(lambda t, q, qd: q)


def test_a_run_that_diverges_does_not_end_the_others() -> None:
    law = symoro.pd_gravity("planar2r", 100.0, 10.0)
    goal = symoro.trajectory([1.0, 1.0], [1.0, 1.0], velocity=1.0)
    s = symoro.simulate("planar2r", law, goal, q0=[[1.0, 0.9], [1.0, 1.0]], qd0=[[0, 0], [9e5, 0]], duration=0.2)
    assert "runs diverged, the first one at t = 0.00" in s.stopped
    assert np.isfinite(s.q[0]).all()
    assert np.isnan(s.q[1, -1]).all()
    alone = symoro.simulate("planar2r", law, goal, q0=[1.0, 0.9], duration=0.2)
    assert np.abs(s.q[0] - alone.q).max() < 1e-12


def test_a_data_frame_has_all_columns() -> None:
    frame = symoro.simulate("planar2r", duration=0.01).to_frame()
    assert frame.columns[:3] == ["t", "q1", "q2"]


@pytest.mark.parametrize("method", ["rk4", "DOP853", "sticking", "stick-slip"])
@pytest.mark.parametrize(
    ("law", "said"),
    [
        (lambda t, q, qd: [1.0, 2.0, 3.0], r"gave torques of shape \(3,\) at t = 0 s \(allowed: 2 numbers"),
        (lambda t, q, qd: [1.0], r"gave torques of shape \(1,\)"),
        (lambda t, q, qd: np.zeros((2, 1)), r"gave torques of shape \(2, 1\)"),
        (lambda t, q, qd: None, "gave None, which is no array of numbers,"),
        (lambda t, q, qd: ["a", "b"], r"gave \['a', 'b'\], which is no array of numbers"),
    ],
)
def test_a_law_that_gives_no_torque_for_each_motor_is_refused(method: str, law: Any, said: str) -> None:
    with pytest.raises(MotionError, match=said):
        symoro.simulate("planar2r", law, duration=0.01, method=method)


def test_one_torque_for_all_motors_and_what_is_no_law() -> None:
    alike = symoro.simulate("planar2r", lambda t, q, qd: 0.5, duration=0.02)
    assert np.array_equal(alike.tau, np.full_like(alike.tau, 0.5))
    with raised("simulation.controller", MotionError):
        symoro.simulate("planar2r", "pid", duration=0.02)  # type: ignore[arg-type]
    batch, there = np.zeros((3, 2)), symoro.trajectory([0, 0], [1, 1], duration=0.1)
    with raised("simulation.python_batch", MotionError):
        symoro.simulate("planar2r", lambda t, q, qd: 0.0, there, q0=batch, duration=0.1)


def test_what_a_simulation_does_not_have_is_missing_for_hasattr() -> None:
    simulation = symoro.simulate("planar2r", None, q0=[0, 0], duration=0.01)
    assert not hasattr(simulation, "T")
    assert not hasattr(simulation, "error")
    for name, code in (("T", "simulation.no_free_body"), ("error", "simulation.no_reference")):
        with raised(code, NotThere):
            getattr(simulation, name)


@pytest.mark.parametrize("method", ["rk4", "DOP853", "sticking"])
def test_parameters_without_a_value_have_the_names_of_their_robot(method: str) -> None:
    known = symoro.load("planar2r")
    unknown = replace(known, values={name: x for name, x in known.values.items() if name != "L1"})
    for robot, of_law, text in (
        (unknown, unknown, "in the robot's [values]"),
        (unknown, known, "in the robot's [values]"),
        (known, unknown, "of the robot that the controller was made for"),
    ):
        with pytest.raises(MissingParameter) as error:
            symoro.simulate(robot, symoro.computed_torque(of_law), duration=0.01, q0=[0.1, 0.2], method=method)
        assert error.value.names == ("L1",)
        assert text in str(error.value)
