"""The surface of inverse geometry: shapes, statuses, options, what is said where it does not apply."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import symoro
from support.arms import ARMS, apart, configuration, forward
from support.raised import raised
from symoro.errors import InputError, NotApplicable, OptionError, ShapeError
from symoro.robot.base import Frame
from symoro.robot.joint import Limits
from symoro.robot.robot import Robot
from symoro.robot.values import as_value
from symoro.solve.solver import Solver

Status = symoro.Status


@cache
def puma() -> tuple[symoro.Model, Solver]:
    ik = symoro.inverse_geometry("puma560")
    return ik, ik.compile()


def pose(*q: float) -> np.ndarray:
    return forward(symoro.load("puma560"), np.array(q))


def with_tool(robot: Robot, link: int, *row: float) -> Robot:
    table = np.eye(4)
    table[:3, 3] = row
    return replace(robot, frames=(Frame("tip", link, tuple(tuple(map(as_value, map(float, r))) for r in table)),))


def test_shapes_follow_the_poses():
    _, f = puma()
    T = np.array([pose(0.1, 0.2, 0.3, 0.4, 0.5, 0.6 + k) for k in range(6)]).reshape(2, 3, 4, 4)
    s = f(T)
    assert s.q.shape == (2, 3, 8, 6)
    assert s.valid.shape == (2, 3, 8)
    assert s.status.shape == s.distance.shape == (2, 3)
    assert s.free.shape == (2, 3, 6)
    one = f(T[1, 2])
    assert one.status is Status.COMPLETE
    np.testing.assert_allclose(one.q, s.q[1, 2], atol=1e-12)


def test_a_pose_that_is_not_one_is_invalid():
    _, f = puma()
    T = np.array([pose(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)] * 5)
    T[0, 1, 1] = np.nan
    T[1, 0, 3] = np.nan
    T[2, :3, :3] *= 1 + 1e-5
    T[3, :3, 0] *= -1
    s = f(T)
    assert list(s.status) == [Status.INVALID] * 4 + [Status.COMPLETE]
    assert np.isnan(s.q[:4]).all()
    assert not s.valid[:4].any()


def test_nearest_rotation_projects_rounded_numbers():
    _, f = puma()
    T = np.round(pose(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), 4)
    assert f(T).status is Status.INVALID
    s = f(T, nearest_rotation=True)
    assert s.status is Status.COMPLETE
    assert np.abs(s.q - [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).max(-1).min() < 1e-3


def test_an_unreachable_pose_has_a_distance():
    _, f = puma()
    T = pose(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    T[0, 3] += 5
    s = f(T)
    assert s.status is Status.UNREACHABLE
    assert not s.valid.any()
    assert 3 < s.distance < 6


def test_a_straight_wrist_is_a_continuum():
    _, f = puma()
    T = pose(0.1, 0.2, 0.3, 0.4, 0.0, 0.6)
    s = f(T)
    assert s.status is Status.CONTINUUM
    assert list(s.free) == [False, False, False, True, False, False]
    near = f(T, nearest=[0.1, 0.2, 0.3, 0.9, 0.0, 0.1])
    np.testing.assert_allclose(near.q[0], [0.1, 0.2, 0.3, 0.9, 0.0, 0.1], atol=1e-7)


def test_nearest_sorts_the_branches_and_chooses_the_turn():
    _, f = puma()
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    turned = q + 2 * np.pi * np.eye(6)[5]
    s = f(pose(*q), nearest=turned)
    np.testing.assert_allclose(s.q[0], turned, atol=1e-12)
    distance = np.linalg.norm(s.q[s.valid] - turned, axis=1)
    assert (np.diff(distance) >= 0).all()


def test_limits_keep_what_is_inside():
    robot = ARMS["kr6-like"]
    around, above = Limits(as_value("-pi/2"), as_value("pi/2")), Limits(as_value("pi"), as_value("3*pi"))
    joints = tuple(replace(j, limits=above if j.index == 6 else around) for j in robot.joints)
    narrow = replace(robot, joints=joints)
    f, q = symoro.inverse_geometry(narrow).compile(), np.array([0.3, -0.4, 0.5, 0.6, 0.7, 4.0])
    T = forward(robot, q)
    s, every = f(T, limits=True), f(T)
    assert 0 < s.valid.sum() < every.valid.sum()
    inside = s.q[s.valid]
    assert np.abs(inside[:, :5]).max() <= np.pi / 2
    assert inside[:, 5].min() >= np.pi
    assert apart(robot, inside, q).min() < 1e-9


def test_values_replace_parameters():
    _, f = puma()
    longer = symoro.load("puma560").with_values({"D3": 0.6})
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    s = f(forward(longer, q), values={"D3": 0.6})
    assert apart(longer, s.q[s.valid], q).min() < 1e-9


def test_tool_and_base_are_divided_out():
    robot = with_tool(symoro.load("ur5"), 6, 0.1, -0.2, 0.3)
    moved = np.array([[0.0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
    base = replace(robot.base, pose=tuple(tuple(map(as_value, map(float, row))) for row in moved))
    placed = replace(robot, base=base)
    q = np.array([0.1, -0.9, 0.8, 0.4, 0.5, 0.6])
    tool = np.eye(4)
    tool[:3, 3] = 0.1, -0.2, 0.3
    s = symoro.inverse_geometry(placed, link="tip").compile()(moved @ forward(robot, q) @ tool)
    assert apart(robot, s.q[s.valid], q).min() < 1e-9


def test_three_joints_reach_positions():
    robot = with_tool(ARMS["anthropomorphic-3r"], 3, 0.4, 0.0, 0.0)
    ik = symoro.inverse_geometry(robot, link="tip")
    assert ik.task == "position"
    q = np.array([0.3, 1.7, -1.2])
    T = forward(robot, q)
    T[:3, 3] += T[:3, :3] @ [0.4, 0, 0]
    T[:3, :3] = np.eye(3)  # the orientation does not matter
    s = ik.compile()(T)
    assert s.valid.sum() == 4
    assert apart(robot, s.q[s.valid], q).min() < 1e-9


@pytest.mark.parametrize("task", ["axis-x", "axis-y"])
def test_five_joints_reach_a_position_and_a_direction(task):
    robot, axis = ARMS["youbot-like"], "xyz".index(task[-1])
    ik = symoro.inverse_geometry(robot, task=task)
    rng = np.random.default_rng(0)
    q = np.array([configuration(robot, rng) for _ in range(100)])
    s = ik.compile()(forward(robot, q))
    assert np.where(s.valid, apart(robot, s.q, q[:, None]), np.inf).min(-1).max() < 1e-7
    reached, wanted = forward(robot, s.q[s.valid]), np.repeat(forward(robot, q), s.valid.sum(-1), axis=0)
    assert np.abs((reached - wanted)[:, :3, [axis, 3]]).max() < 1e-9


def test_a_free_joint_goes_where_the_others_can_follow():
    """At some poses of a UR5 the wrist is straight, and no branch has q6 = 0; the program itself moves q6."""
    robot = symoro.load("ur5")
    ik = symoro.inverse_geometry(robot)
    f, q = ik.compile(), np.random.default_rng(3).integers(0, 8, (400, 6)) * np.pi / 4
    T = forward(robot, q)
    found = replace(ik, driver=None).compile()(T)
    assert found.valid.any(-1).all()
    straight = [k for k in range(400) if f(T[k]).status is Status.CONTINUUM]
    moved = [k for k in straight if (np.abs(found.q[k][found.valid[k] > 0.5][:, 5]) > 1e-9).all()]
    assert moved
    for k in moved:
        kept = replace(ik, driver=None).compile()(
            T[k], near=q[k]
        )  # the position that made the pose is possible, so it stays
        assert apart(robot, kept.q[kept.valid > 0.5], q[k]).min() < 1e-6


@pytest.mark.long
@pytest.mark.parametrize(("name", "joint"), [("kuka-iiwa", 3), ("kuka-lwr", 3), ("kuka-iiwa", 1), ("panda", 7)])
def test_a_given_joint_is_the_second_input(name, joint):
    robot = symoro.load(name)
    f = symoro.inverse_geometry(robot, redundant={joint: "given"}).compile()
    rng = np.random.default_rng(0)
    q = np.array([configuration(robot, rng) for _ in range(20)])
    s = f(forward(robot, q), q[:, [joint - 1]])
    assert np.where(s.valid, apart(robot, s.q, q[:, None]), np.inf).min(-1).max() < 1e-7


@pytest.mark.parametrize("name", ["kuka-iiwa", "kuka-lwr"])
def test_the_arm_angle_of_a_7r_arm_is_an_input(name):
    robot = symoro.load(name)
    ik = symoro.inverse_geometry(robot, redundant={"arm": "psi"})
    rng = np.random.default_rng(0)
    q = np.array([configuration(robot, rng) for _ in range(50)])
    s = ik.compile()(forward(robot, q), arm_angle(robot, q)[:, None])
    assert (s.valid.sum(-1) == 8).all()
    assert np.where(s.valid, apart(robot, s.q, q[:, None]), np.inf).min(-1).max() < 1e-9
    turned = ik.compile()(forward(robot, q[0]), [0.7])
    np.testing.assert_allclose(arm_angle(robot, turned.q[turned.valid]), 0.7, atol=1e-9)


def arm_angle(robot: Robot, q: np.ndarray) -> np.ndarray:
    """The angle of the plane shoulder, elbow, wrist from the plane of shoulder, wrist and the vertical."""
    S, E, W = (symoro.forward_geometry(robot, link=k).compile()(q)[..., :3, 3] for k in (2, 4, 6))
    u = (W - S) / np.linalg.norm(W - S, axis=-1, keepdims=True)
    y = np.cross(u, [0.0, 0.0, 1.0])
    y /= np.linalg.norm(y, axis=-1, keepdims=True)
    return np.arctan2(((E - S) * y).sum(-1), ((E - S) * np.cross(y, u)).sum(-1))


def test_hidden_points_are_found_by_geometry():
    """A wrist whose frames are shifted along their axes and turned about them has the same closed form."""
    plain = ARMS["kr6-like"]
    rng = np.random.default_rng(5)
    rows, shift, turn = [], 0.0, 0.0
    for joint in plain.joints:
        more, angle = float(np.round(rng.uniform(-0.3, 0.3), 3)), float(np.round(rng.uniform(-1, 1), 3))
        rows.append({"alpha": joint.alpha, "d": joint.d, "gamma": -turn, "b": -shift, "r": joint.r, "offset": angle})
        rows[-1]["r"] = f"{joint.r.value} + {more}"
        shift, turn = more, angle
    moved = Robot.from_mdh(rows, "moved")
    ik = symoro.inverse_geometry(moved)
    assert ik.branches == symoro.inverse_geometry(plain).branches == 8
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    s = ik.compile()(symoro.forward_geometry(moved).compile()(q))
    assert s.valid.any()
    assert apart(moved, s.q[s.valid], q).min() < 1e-9


def test_the_derivation_names_each_step():
    ik, _ = puma()
    text = ik.derivation.text()
    assert "meet the axes 4, 5 and 6" in text
    assert [step.unknowns for step in ik.derivation] == [("q1",), ("q3",), ("q2",), ("q5", "q4"), ("q6",)]
    assert [step.type for step in ik.derivation] == ["2", "8", "3", "direction", "3"]
    assert dict(ik.derivation[0].coefficients) == {"X": "T14", "Y": "-T24", "Z": "-RL3"}
    assert r"\begin{align}" in ik.derivation.latex()
    assert len(ik.derivation.data()["steps"]) == 5


def test_models_are_readable_and_counted():
    ik, _ = puma()
    assert ik.method == "paul"
    assert ik.ops.trig < 60
    assert dict(ik.equations())["Q1_1"].startswith("atan2(")
    assert "Q1_1" in ik.latex() or "Q" in ik.latex()
    assert ik.inputs["T"] == (4, 4)
    assert ik.outputs["q"] == (8, 6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: symoro.inverse_geometry("general6r", method="paul"), "no equation has one unknown"),
        (lambda: symoro.inverse_geometry("general6r", method="pieper"), "no three neighbouring axes meet"),
        (lambda: symoro.inverse_geometry(ARMS["generic-shoulder"], method="paul"), "paul: generic: no equation"),
        (lambda: symoro.inverse_geometry("kuka-iiwa"), "give 1 of the joints 1, 2, 3, 4, 5, 6, 7"),
        (lambda: symoro.inverse_geometry("panda", redundant={"arm": "psi"}), "an arm angle needs axes"),
        (lambda: symoro.inverse_geometry("ur5", redundant={"arm": "psi"}), "seven revolute joints"),
        (lambda: symoro.inverse_geometry("two-arm"), "has 2 tips"),
        (lambda: symoro.inverse_geometry("four-bar"), "has 2 ends"),
        (lambda: symoro.inverse_geometry("sr400", method="general"), "closed loops"),
        (lambda: symoro.inverse_geometry("sr400", redundant={3: "q3"}), "closed loops"),
        (lambda: symoro.inverse_geometry("planar2r", task="position"), "q2 can move while it stays"),
        (lambda: symoro.inverse_geometry("planar2r", method="general", task="position"), "not for the task position"),
    ],
)
def test_why_a_method_does_not_apply_is_said(make, words):
    with pytest.raises(NotApplicable, match=words):
        make()


def test_wrong_options_and_shapes_are_refused():
    _, f = puma()
    with pytest.raises(OptionError, match="auto, paul, pieper, general"):
        symoro.inverse_geometry("puma560", method="newton")
    with raised("options.value", OptionError):
        symoro.inverse_geometry("puma560", task="turn")
    with raised("descriptions.no_such_joint", OptionError, joint=9):
        symoro.inverse_geometry("puma560", redundant={9: "q9"})
    with raised("descriptions.no_joint_called", OptionError):
        symoro.inverse_geometry("kuka-iiwa", redundant={"elbow": "psi"})
    with raised("positions.must_have_shape_of", ShapeError, one="(4, 4)", axes="4, 4"):
        f(np.eye(3))
    with raised("positions.pose_alone", ShapeError):
        f(np.eye(4), [0.1])
    with raised("positions.shape", ShapeError, name="nearest"):
        f(np.eye(4), nearest=[0.0, 0.0])
    with raised("runtime.not_real", InputError):
        f("x")
    with raised("runtime.not_real", InputError):
        f(np.eye(4), nearest="y")


def test_a_pieper_arm_takes_the_quartic():
    ik = symoro.inverse_geometry(ARMS["generic-shoulder"])
    assert ik.method == "pieper"
    assert ik.derivation[0].type == "9"


def test_numbers_can_make_an_arm_special():
    """With symbols for all angles and lengths the arm is a general one; with its numbers it has a spherical wrist."""
    alpha, d, r = ("0", "A2", "A3", "A4", "A5", "A6"), (0, "D2", "D3", "D4", "D5", "D6"), (0, 0, 0, "RL4", 0, 0)
    rows = [{"alpha": a, "d": x, "r": y} for a, x, y in zip(alpha, d, r, strict=True)]
    values = {"A2": "-pi/2", "A3": 0, "A4": "-pi/2", "A5": "pi/2", "A6": "-pi/2", "D5": 0, "D6": 0}
    robot = Robot.from_mdh(rows, "angles").with_values(values | {"D2": 0.025, "D3": 0.455, "D4": 0.035, "RL4": 0.42})
    ik = symoro.inverse_geometry(robot)
    assert ik.method == "paul"
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    s = ik.compile()(forward(robot, q))
    assert apart(robot, s.q[s.valid], q).min() < 1e-9
