"""Tables of the Robotics Toolbox for Python: poses and torques are those of the toolbox, friction and rotors too."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symoro
from support.close import assert_close
from symoro.robot.robot import Robot

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the toolbox itself
    import roboticstoolbox as rtb

DYNAMIC = ("IRB140", "Panda", "Puma560", "Stanford", "TwoLink", "UR5")
GEOMETRIC = ("AL5D", "Baxter", "Cobra600", "Jaco", "KR5", "LWR4", "Mico", "Sawyer")


def motion(count: int) -> list[np.ndarray]:
    return [np.random.default_rng(k).uniform(-1, 1, count) for k in range(3)]


@pytest.mark.parametrize("name", [*DYNAMIC, *GEOMETRIC])
@pytest.mark.filterwarnings("ignore")
def test_the_pose_of_the_tool(name: str) -> None:
    theirs = getattr(rtb.models.DH, name)()
    q, _, _ = motion(theirs.n)
    found = symoro.forward_geometry(symoro.from_toolbox(theirs), link="tool", optimize=False).compile()(q)
    assert_close(found, theirs.fkine(q).A, 1e-12)


@pytest.mark.parametrize("name", DYNAMIC)
@pytest.mark.filterwarnings("ignore")
def test_torques(name: str) -> None:
    theirs = getattr(rtb.models.DH, name)()
    q, qd, qdd = motion(theirs.n)
    found = symoro.inverse_dynamics(symoro.from_toolbox(theirs), optimize=False).compile()(q, qd, qdd)
    assert_close(found, theirs.rne(q, qd, qdd), 1e-12)


@pytest.mark.parametrize("modified", [False, True])
def test_arrays_of_parameters(modified: bool) -> None:
    """θ, d, a, α of a standard table; α, d, θ, r of a modified one."""
    link = rtb.RevoluteMDH if modified else rtb.RevoluteDH
    rows = np.random.default_rng(5).uniform(-1, 1, (4, 3))  # d, a, alpha
    theirs = rtb.DHRobot([link(d=d, a=a, alpha=alpha) for d, a, alpha in rows])
    zero = np.zeros(4)
    d, a, alpha = rows.T
    table = np.column_stack([alpha, a, zero, d] if modified else [zero, d, a, alpha])
    robot = (Robot.from_mdh if modified else Robot.from_dh)(table)
    q = np.array([0.1, 0.2, 0.3, 0.4])
    found = symoro.forward_geometry(robot, link=4 if modified else "flange", optimize=False).compile()(q)
    assert_close(found, theirs.fkine(q).A, 1e-12)
