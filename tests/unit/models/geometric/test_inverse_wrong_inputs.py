"""Wrong inputs of inverse geometry: given joints, names, frames; what is said, and that results are short to read."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import symoro
from support.arms import ARMS, forward
from support.raised import raised
from symoro.errors import NotApplicable, OptionError, ParameterError, ShapeError
from symoro.robot.robot import Robot
from symoro.solve.solver import Solver

ROBOT = ARMS["scara-rrpr"]
Q = np.array([0.3, 0.4, 0.1, 0.5])
Status = symoro.Status


@cache
def made(method: str) -> Solver:
    return symoro.inverse_geometry(ROBOT, method=method, redundant={2: "q2"}).compile()


METHODS = pytest.mark.parametrize("method", ["paul", "general"])


@METHODS
def test_a_given_joint_that_is_not_finite_makes_the_pose_invalid(method):
    f, T = made(method), forward(ROBOT, Q)
    assert f(T, [np.nan]).status is Status.INVALID
    assert f(T, np.inf).status is Status.INVALID
    s = f(T, [[0.4], [np.nan], [0.4]])
    assert list(s.status) == [Status.COMPLETE, Status.INVALID, Status.COMPLETE]
    assert np.isnan(s.q[1]).all()


@METHODS
def test_poses_and_given_joints_broadcast(method):
    f, T = made(method), forward(ROBOT, Q)
    assert f(T, 0.4).status is f(T, [0.4]).status is Status.COMPLETE
    s = f(np.stack([T, T]), np.full((3, 1, 1), 0.4))
    assert s.status.shape == (3, 2)
    assert np.abs(s.q[..., 0, :] - Q).max() < 1e-12
    assert f(np.zeros((0, 4, 4)), np.zeros((0, 1))).q.shape[::2] == (0, 4)


@METHODS
@pytest.mark.parametrize(
    ("shape", "words"),
    [((2,), r"r must have shape \(1,\) or \(..., 1\), not \(2,\)"), ((3, 1), r"do not broadcast: T \(2,\), r \(3,\)")],
)
def test_other_shapes_are_refused(method, shape, words):
    T = forward(ROBOT, Q)
    with pytest.raises(ShapeError, match=words):
        made(method)(np.stack([T, T]), np.zeros(shape))


@pytest.mark.parametrize("redundant", [{2: "1x"}, {2: ""}, {2: 5}, {2: "q 2"}, [2]])
def test_a_given_joint_needs_a_name(redundant):
    with raised("options.value", OptionError):
        symoro.inverse_geometry(ROBOT, redundant=redundant)


@pytest.mark.parametrize("link", [3.0, [1], b"x"])
def test_a_frame_is_a_number_or_a_name(link):
    with raised("options.value", OptionError):
        symoro.inverse_geometry(ROBOT, link=link)


def test_a_reason_that_all_methods_have_is_said_once():
    with pytest.raises(NotApplicable) as error:
        symoro.inverse_geometry("kuka-iiwa")
    assert str(error.value).count("7 joints are unknown") == 1
    assert "give 1 of the joints 1, 2, 3, 4, 5, 6, 7 by redundant={joint: name}" in str(error.value)
    assert "--" not in str(error.value)
    typed = error.value.finding.text(flags=True)
    assert "by --given joint=position (ik), -o redundant=joint (show, count, generate)" in typed
    assert "redundant={" not in typed


@pytest.mark.parametrize(("name", "quick"), [("panda", [4, 5, 6, 7]), ("kuka-iiwa", [1, 2, 3, 5, 6, 7])])
def test_the_joints_that_leave_a_closed_form_are_named(name, quick):
    with pytest.raises(NotApplicable) as error:
        symoro.inverse_geometry(name)
    (reason,) = error.value.finding.fields["problems"]
    assert (reason.code, reason.fields["quick"]) == ("geometry.one_joint_more", quick)
    assert f"with one of {', '.join(map(str, quick))} there is a closed form" in str(error.value)
    assert symoro.inverse_geometry(name, redundant={quick[0]: "given"}).method in ("paul", "pieper")


@METHODS
def test_a_model_is_short_to_read(method):
    text = repr(symoro.inverse_geometry(ROBOT, method=method, redundant={2: "q2"}))
    assert f"of rrpr: {method}, pose, " in text
    assert len(text) < 200


@METHODS
@pytest.mark.parametrize(
    ("values", "words"), [({"nope": 1.0}, "no parameter 'nope'"), (3, "mapping of names"), ({"L": "x"}, "L")]
)
def test_values_must_be_numbers_of_known_parameters(method, values, words):
    robot = Robot.from_mdh([{"d": 0.1}, {"d": "L"}], "symbols").with_values({"L": 0.5})
    f = symoro.inverse_geometry(robot, method=method).compile()
    with pytest.raises(ParameterError, match=words):
        f(np.eye(4), values=values)
    q = np.array([0.4, 0.5])
    s = f(forward(robot.with_values({"L": 0.7}), q), values={"L": 0.7})
    np.testing.assert_allclose(s.q[s.valid], [q], atol=1e-9)


def test_the_general_method_takes_one_number_for_a_parameter():
    robot = Robot.from_mdh([{"d": 0.1}, {"d": "L"}], "symbols").with_values({"L": 0.5})
    with raised("positions.one_number", ParameterError):
        symoro.inverse_geometry(robot, method="general").compile()(np.eye(4), values={"L": [0.5, 0.6]})


@METHODS
def test_near_configurations_broadcast_with_poses(method):
    f, T = made(method), forward(ROBOT, Q)
    s = f(T, [0.4], nearest=np.stack([Q, Q + 2 * np.pi * np.array([1, 1, 0, 1])]))
    assert s.status.shape == (2,)
    np.testing.assert_allclose(s.q[:, 0], [Q, Q + 2 * np.pi * np.array([1, 1, 0, 1])], atol=1e-9)
    with raised("runtime.broadcast", ShapeError):
        f(np.stack([T, T]), [0.4], nearest=np.zeros((3, 4)))


def test_a_joint_that_only_rounding_moves_is_not_free():
    """Of a youBot, the position and the z axis leave the last joint free, and no other one."""
    robot = ARMS["youbot-like"]
    T = forward(robot, np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    s = symoro.inverse_geometry(robot, method="general", task="axis-z").compile("numpy")(T)
    assert s.status is Status.CONTINUUM
    assert list(s.free) == [False] * 4 + [True]
