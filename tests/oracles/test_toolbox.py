"""Robots of the Robotics Toolbox for Python: poses and torques are those of the toolbox, friction and rotors too."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from symoro.errors import RobotError
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


def branched() -> rtb.Robot:
    """A tree whose links have mass: two arms on a trunk, one joint that slides, one that turns the other way."""
    rng = np.random.default_rng(7)

    def link(ets: rtb.ETS, name: str, parent: object, jindex: int) -> rtb.Link:
        A = rng.normal(size=(3, 3))
        return rtb.Link(ets, name=name, parent=parent, jindex=jindex, m=rng.uniform(1, 3), r=rng.normal(size=3) / 5,
                        I=A @ A.T / 50 + np.eye(3) / 10, Jm=0.01, G=-30, B=0.002, qlim=[-2, 2])  # fmt: skip

    trunk = link(rtb.ET.tz(0.4) * rtb.ET.Rx(0.3) * rtb.ET.Rz(), "trunk", None, 0)
    left = link(rtb.ET.tx(0.3) * rtb.ET.Ry(0.5) * rtb.ET.tx(), "left", trunk, 2)
    right = link(rtb.ET.tx(-0.3) * rtb.ET.Rz(0.2) * rtb.ET.Ry(flip=True), "right", trunk, 1)
    hand = link(rtb.ET.tz(0.2) * rtb.ET.Rx(), "hand", left, 3)
    return rtb.Robot([trunk, left, right, hand], name="branched")


@pytest.mark.parametrize("make", [rtb.models.ETS.Panda, rtb.models.URDF.Panda, rtb.models.URDF.Puma560, branched])
@pytest.mark.filterwarnings("ignore")
def test_every_link_of_a_tree_is_at_its_place(make: Callable[[], Any]) -> None:
    theirs = make()
    q, _, _ = motion(theirs.n)
    robot = symoro.from_toolbox(theirs)
    for link in theirs.links:
        found = symoro.forward_geometry(robot, link=link.name, optimize=False).compile()(q)
        assert_close(found, theirs.fkine(q, end=link).A, 1e-9)  # angles within 1e-10 of right ones become right


def test_the_tree_of_links_has_the_dynamics_of_its_bodies() -> None:
    """By Pinocchio, with the placements of the toolbox: its own recursion takes serial robots only."""
    theirs = branched()
    robot, model = symoro.from_toolbox(theirs), pin.Model()
    for link in sorted(theirs.links, key=lambda one: int(one.jindex)):
        axis = np.eye(3)["xyz".index(link.v.kind[-1])] * (-1 if link.v.isflip else 1)
        kind = pin.JointModelRevoluteUnaligned if link.v.kind[0] == "R" else pin.JointModelPrismaticUnaligned
        parent = 0 if link.parent is None else model.getJointId(link.parent.name)
        if parent >= model.njoints:
            continue
        joint = model.addJoint(parent, kind(*axis), pin.SE3(np.array(link.Ts)), link.name)
        model.appendBodyToJoint(joint, pin.Inertia(link.m, np.ravel(link.r), np.array(link.I)), pin.SE3.Identity())
    assert model.njoints == 5
    q, qd, qdd = motion(4)
    there = [model.joints[model.getJointId(name)].idx_v for name in ("trunk", "right", "left", "hand")]
    x, xd, xdd = (np.zeros(4) for _ in range(3))
    x[there], xd[there], xdd[there] = q, qd, qdd
    expected = pin.rnea(model, model.createData(), x, xd, xdd)[there] + 900 * (0.01 * qdd + 0.002 * qd)
    assert_close(symoro.inverse_dynamics(robot, optimize=False).compile()(q, qd, qdd), expected, 1e-11)
    assert_close(symoro.motor_torques(robot, optimize=False).compile()(q, qd, qdd), expected / -30, 1e-11)


@pytest.mark.parametrize("given", [None, 3, "puma", object()])
def test_what_is_no_robot_of_the_toolbox(given: object) -> None:
    with pytest.raises(RobotError, match="not a robot of the toolbox"):
        symoro.from_toolbox(given)
