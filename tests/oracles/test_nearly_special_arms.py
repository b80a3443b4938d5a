"""Arms and legs whose right angles and parallel axes are turned by very little: forms lose digits, answers do not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from support.platforms import Platform, joint_positions
from symoro import Status
from symoro.models.parallel.platform import home, moved
from symoro.robot.robot import Robot
from symoro.robot.symbolic import known_values, with_numbers
from symoro.robot.values import as_value, evaluate, to_text

ANGLES = (1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 5e-6, 1e-5, 1e-4, 1e-3)
QUICK = {("tx40", 1e-9), ("kr6", 1e-8), ("kr6", 5e-6), ("puma560", 5e-6), ("ur5", 1e-9)}
CASES = [
    pytest.param(name, angle, marks=() if (name, angle) in QUICK else pytest.mark.long)
    for name in ("puma560", "rx90", "tx40", "kr6", "stanford", "ur5")
    for angle in ANGLES
]


def turned(name: str, angle: float) -> Robot:
    """The arm with other angles between its axes."""
    robot = symoro.load(name)
    robot = with_numbers(robot, known_values(robot))
    by = [angle * (-0.7, 1.0)[k % 2] for k in range(len(robot.joints))]
    alphas = [as_value(repr(evaluate(j.alpha, {}) + x)) for j, x in zip(robot.joints, by, strict=True)]
    return replace(robot, joints=tuple(replace(j, alpha=a) for j, a in zip(robot.joints, alphas, strict=True)))


@cache
def poses(name: str, angle: float, count: int = 200) -> tuple[Robot, Any, Any, Any]:
    robot = turned(name, angle)
    forward = symoro.forward_geometry(robot, link=6).compile("numpy")
    q = np.random.default_rng(0).uniform(-2.5, 2.5, (count, 6))
    return robot, forward, q, forward(q)


def apart(robot: Robot, a: Any, b: Any) -> Any:
    """The largest difference of positions, angles without whole turns."""
    away = a - b
    angles = np.array([joint.revolute for joint in robot.joints])
    return np.abs(np.where(angles, (away + np.pi) % (2 * np.pi) - np.pi, away)).max(-1)


@pytest.mark.parametrize(("name", "angle"), CASES)
def test_the_generating_configuration_is_found_and_the_status_is_true(name: str, angle: float) -> None:
    robot, forward, q, T = poses(name, angle)
    s = symoro.inverse_geometry(robot).compile("numpy")(T)
    stiffness = np.linalg.svd(symoro.jacobian(robot, 6).compile("numpy")(q), compute_uv=False)[:, -1]
    for k, one in enumerate(q):
        assert s.status[k] is Status.COMPLETE
        found = s.q[k][s.valid[k]]
        # branches are certified to 1e-9, and near a singularity many joint positions give nearly the same pose
        assert apart(robot, found, one).min() < 1e-4 + 2e-9 / stiffness[k]
        assert np.abs(forward(found) - T[k]).max() < 1e-8


@pytest.mark.parametrize(("name", "angle"), CASES)
def test_a_complete_answer_has_the_branches_of_the_general_method(name: str, angle: float) -> None:
    robot, _, _, T = poses(name, angle)
    f, g = (symoro.inverse_geometry(robot, method).compile("numpy") for method in ("auto", "general"))
    s, other = f(T[:2]), g(T[:2])
    for k in range(2):
        assert s.status[k] is other.status[k]
        for branch in other.q[k][other.valid[k]]:
            assert apart(robot, s.q[k][s.valid[k]], branch).min() < 1e-3


def test_a_closed_form_that_misses_configurations_is_given_only_by_name() -> None:
    """With its name it hands on to the general method, and finds what that one finds."""
    robot, _, q, T = poses("tx40", 1e-9, 6)
    ik = symoro.inverse_geometry(robot)
    assert ik.method == "general"
    ((way, reason),) = ik.reasons
    assert (way, reason.code) == ("closed form", "positions.loses_digits")
    assert reason.fields["missed"] == 16
    named = symoro.inverse_geometry(robot, "paul")
    assert named.method == "paul"
    for backend in ("numpy", "llvm"):
        f = named.compile(backend)
        for one, pose in zip(q, T, strict=True):
            s = f(pose)
            assert s.status is Status.COMPLETE
            assert apart(robot, s.q[s.valid], one).min() < 1e-4


def test_a_pose_out_of_reach_stays_unreachable() -> None:
    robot, _, _, T = poses("kr6", 5e-6)
    far = T[0].copy()
    far[:3, 3] += 10.0
    assert symoro.inverse_geometry(robot).compile("numpy")(far).status is Status.UNREACHABLE


LEGS = [
    pytest.param(name, angle, marks=() if (name, angle) == ("gough-stewart", 1e-8) else pytest.mark.long)
    for name in ("gough-stewart", "hexa")
    for angle in ANGLES
]


def with_turned_legs(name: str, angle: float) -> Robot:
    """The parallel robot with other angles between the axes of its legs."""
    robot, legs = symoro.load(name), []
    for leg in robot.legs:
        by = [angle * (-0.7, 1.0)[k % 2] for k in range(len(leg.joints))]
        rows = zip(leg.joints, by, strict=True)
        legs.append(
            replace(leg, joints=tuple(replace(j, alpha=as_value(f"{to_text(j.alpha)} + {x!r}")) for j, x in rows))
        )
    parts = {"home": robot.home, "gravity": robot.gravity, "values": robot.values}
    return symoro.ParallelRobot(robot.platform, legs, robot.attachments, robot.name, **parts)


@pytest.mark.long
@pytest.mark.parametrize(("name", "angle"), LEGS)
def test_legs_and_models_reach_the_platform_where_pinocchio_does(name: str, angle: float) -> None:
    robot, rng = with_turned_legs(name, angle), np.random.default_rng(0)
    f, at = symoro.inverse_geometry(robot).compile("numpy"), home(robot)
    for T in [moved(at, 0.1 * rng.uniform(-1, 1, 6)) for _ in range(3)]:
        s = f(T, joints=True, search=False)
        assert s.status in (Status.COMPLETE, Status.INCOMPLETE)
        first = np.isfinite(s.q).argmax(0)  # legs can be in different branches
        for q in (s.q[first, range(len(first))], joint_positions(robot, T)):
            assert Platform(robot, T, q).closure() < 1e-6
        assert Platform(robot, T, s.q[first, range(len(first))]).closure() < 2e-9
