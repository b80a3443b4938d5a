"""Names that do not exist say what to write instead, and objects describe themselves in one line."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.findings import Finding
from symoro.models.results import reporting


def test_a_robot_says_that_models_are_functions() -> None:
    robot = symoro.load("planar2r")
    with pytest.raises(AttributeError, match=r"symoro\.inverse_dynamics\(robot\)"):
        robot.inverse_dynamics  # noqa: B018
    with pytest.raises(AttributeError, match="is it joints"):
        robot.jointss  # noqa: B018
    assert not hasattr(robot, "_nothing")
    assert pickle.loads(pickle.dumps(robot)) == robot == copy.deepcopy(robot)


@pytest.mark.parametrize(
    ("name", "ours"),
    [("fk", "forward_geometry"), ("ik", "inverse_geometry"), ("igm", "inverse_geometry"), ("from_urdf", "load")],
)
def test_names_of_other_tools_are_answered_with_ours(name: str, ours: str) -> None:
    with pytest.raises(AttributeError, match=rf"is it symoro\.{ours}\?"):
        getattr(symoro, name)


def test_simulations_and_controllers_have_short_reprs() -> None:
    law = symoro.computed_torque("planar2r", frequency=10)
    assert repr(law).startswith("<Controller computed_torque of planar2r: ")
    run = symoro.simulate("planar2r", law, symoro.trajectory([0, 0], [1, 1], duration=0.1), period=0.01)
    assert repr(run) == "<Simulation of planar2r: 0.1 s in 11 rows>"


@pytest.mark.parametrize(
    ("compiled", "text"),
    [
        (lambda: symoro.inverse_geometry("puma560").compile(), "<ClosedForm of puma560>"),
        (lambda: symoro.inverse_geometry("delta").compile(), "<LegSolver of delta>"),
        (lambda: symoro.forward_geometry("delta").compile(), "<PlatformTracker of delta>"),
        (
            lambda: symoro.loop_geometry("four-bar").from_motors(symoro.gravity("four-bar")).compile(),
            "<OfMotors of four-bar: qa -> Q>",
        ),
        (
            lambda: symoro.singularities("delta"),
            "<PlatformSingularities of delta: at(T) gives condition numbers at poses of its platform>",
        ),
    ],
)
def test_answers_say_of_what_robot_they_are(compiled: Callable[[], object], text: str) -> None:
    assert repr(compiled()) == text


def test_one_joint_is_no_joints() -> None:
    law = symoro.computed_torque("planar2r", frequency=10)
    with raised("simulation.joints_of_trajectory", symoro.errors.MotionError, count=1, robot="planar2r", motors=2):
        symoro.simulate("planar2r", law, symoro.trajectory([0], [1], duration=1))


def test_an_identification_says_its_steps() -> None:
    t = np.arange(0, 1, 0.01)
    said: list[object] = []
    with reporting(said.append):
        symoro.identify("planar2r", {"t": t, "q": np.sin(np.outer(t, [5, 7])), "tau": np.cos(np.outer(t, [5, 7]))})
    steps = [step.code for step in said if isinstance(step, Finding)]
    ours = [f"progress.{step}" for step in ("reading", "processing", "rows", "fitting", "concluding")]
    assert [step for step in steps if step in ours] == ours


def test_too_many_arguments_by_position_are_said_with_the_names_of_those_that_may() -> None:
    with pytest.raises(TypeError, match=r"^workspace\(\) takes robot by position, and everything else by name"):
        symoro.workspace("delta", "z", [-0.6])
    with pytest.raises(TypeError, match=r"^simulate\(\) takes robot, controller, trajectory by position"):
        symoro.simulate("delta", None, None, 1.0)
