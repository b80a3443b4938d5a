"""What a URDF file says: mimic, planar and floating joints, limits, friction, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.pinocchio_urdf import peer
from support.table_numbers import table
from support.written_urdf import chain, joint, link, robot
from symoro.errors import FormatError
from symoro.formats import urdf
from symoro.formats._xml import exact_literal
from symoro.robot.base import BaseKind
from symoro.robot.values import evaluate, to_text


def same_as_pinocchio(text: str, folder: Path) -> None:
    (folder / "robot.urdf").write_text(text, encoding="utf-8")
    read = symoro.load(folder / "robot.urdf")
    ours, theirs = table(read), peer(folder / "robot.urdf", read)
    q, qd, qdd = (np.random.default_rng(k).uniform(-1.5, 1.5, ours.G.shape[1]) for k in range(3))
    frames = ours.frames(q)
    for name, pose in theirs.frames(q).items():
        assert_close(frames[name], pose, 1e-9)
    assert_close(ours.torques(q, qd, qdd), theirs.torques(q, qd, qdd), 1e-9)
    assert_close(ours.inertia(q), theirs.inertia(q), 1e-9)


def test_mimic_joints_follow_chains_of_joints(tmp_path: Path) -> None:
    same_as_pinocchio(
        robot(
            *(link(f"l{k}") for k in range(5)),
            joint(
                "late", "l2", "l3", "0.1 0 0.2", "0.3 0 1", "0 1 0", mimic='joint="middle" multiplier="-2" offset="0.1"'
            ),
            joint(
                "slide", "l3", "l4", "0 0.2 0", axis="1 0 0", type="prismatic", mimic='joint="first" multiplier="0.1"'
            ),
            joint("middle", "l1", "l2", "0.3 0 0.2", "1 0.2 0.5", mimic='joint="first" multiplier="0.5" offset="-0.2"'),
            joint("first", "l0", "l1", "0 0 0.4"),
        ),
        tmp_path,
    )


def test_a_planar_joint_is_three_joints(tmp_path: Path) -> None:
    """Pinocchio's velocity of a planar joint is in the axes of the body, ours in those of the joint's origin."""
    text = robot(
        link("ground", 0), link("car"), link("arm"),
        joint("drive", "ground", "car", "0.2 0 0.1", "0 0 0.4", type="planar"),
        joint("lift", "car", "arm", "0.2 0 0.3", "0.1 0.2 0", "0 1 0"),
    )  # fmt: skip
    (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
    read = symoro.load(tmp_path / "robot.urdf")
    ours, theirs = table(read), peer(tmp_path / "robot.urdf", read)
    q = np.array([0.3, -0.2, 0.7, 0.5])
    for name, pose in theirs.frames(q).items():
        assert_close(ours.frames(q)[name], pose, 1e-12)
    c, s = np.cos(q[2]), np.sin(q[2])
    turned = np.eye(4)
    turned[:2, :2] = [[c, s], [-s, c]]
    assert_close(ours.inertia(q), turned.T @ theirs.inertia(q) @ turned, 1e-12)


def test_a_floating_joint_at_the_root_makes_the_base_float() -> None:
    text = robot(
        link("world", 0), link("body"), link("arm"),
        joint("free", "world", "body", "0 0 1", type="floating"),
        joint("swing", "body", "arm", "0.2 0 0"),
    )  # fmt: skip
    read = urdf.read_text(text, "floating").robot
    assert read.base.kind is BaseKind.FLOATING
    assert evaluate(read.base.inertia.M, {}) == 2
    assert [one.name for one in read.joints] == ["swing"]


def test_a_floating_joint_inside_is_six_joints() -> None:
    text = robot(
        link("base"), link("body"), link("arm"),
        joint("swing", "base", "arm"), joint("free", "arm", "body", "0 0 1", type="floating"),
    )  # fmt: skip
    reading = urdf.read_text(text, "floating")
    assert [one.kind.value for one in reading.robot.joints] == ["revolute", *["prismatic"] * 3, *["revolute"] * 3]
    assert "singular" in next(p.message for p in reading.problems if "floating joint 'free'" in p.message)


FRICTION = 'damping="0.5" friction="0.1"'


def test_limits_and_friction() -> None:
    text = robot(
        link("l0"), link("l1"), link("l2"),
        joint("a", "l0", "l1", limit='lower="-1" upper="2" velocity="3" effort="40"', dynamics=FRICTION),
        joint("b", "l1", "l2", limit='lower="1" upper="-1" velocity="3" effort="40"'),
    )  # fmt: skip
    reading = urdf.read_text(text, "limits", "limits.urdf")
    first, second = (one.limits for one in reading.robot.joints)
    assert [to_text(value) for value in (first.lower, first.upper, first.velocity, first.effort)] == [
        "-1",
        "2",
        "3",
        "40",
    ]
    drive = reading.robot.drive(1)
    assert [to_text(value) for value in (drive.IA, drive.FV, drive.FS)] == ["0", "0.5", "0.1"]
    assert second.lower is None
    assert any("'b': its lower limit 1 is above its upper limit -1" in str(p) for p in reading.problems)


def test_friction_of_a_joint_that_follows_is_seen_at_the_joint_that_it_follows() -> None:
    text = robot(
        link("l0"), link("l1"), link("l2"),
        joint("a", "l0", "l1", dynamics=FRICTION),
        joint("b", "l1", "l2", mimic='joint="a" multiplier="-2"', dynamics='damping="0.3" friction="0.2"'),
    )  # fmt: skip
    drive = urdf.read_text(text, "geared").robot.drive(1)
    assert (evaluate(drive.FV, {}), evaluate(drive.FS, {})) == pytest.approx((0.5 + 4 * 0.3, 0.1 + 2 * 0.2))


def test_angles_are_exact() -> None:
    read = urdf.read_text(chain([("0 0 1", "0 0 0", "0 0 1"), ("0.5 0 0", "1.57079632679 0 0", "0 0 1")], "two"), "two")
    assert to_text(read.robot.joint(2).alpha) == "pi/2"
    assert any("1 angles are taken as multiples of pi/12 (largest change 4.9e-12 rad)" in str(p) for p in read.problems)


ONE = (link("l0"), link("l1"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot", "1: this is not XML"),
        ('<!DOCTYPE r [<!ENTITY a "b">]><robot name="r"/>', "document type declaration is refused"),
        ('<!DOCTYPE r SYSTEM "/etc/passwd"><robot name="r"/>', "document type declaration is refused"),
        ("<a>" * 300 + "</a>" * 300, "too many elements"),
        ("<sdf/>", "root element is <sdf>"),
        (robot(), "there is no <link>"),
        (robot(*ONE, joint("j", "l0", "l1", type="ball")), "type 'ball'"),
        (robot(*ONE, joint("j", "l0", "lost")), "its child 'lost' is not a link"),
        (robot(*ONE, joint("j", "l0", "l1"), joint("k", "l0", "l1")), "'l1' is the child of several joints"),
        (robot(*ONE, joint("j", "l0", "l1"), joint("k", "l1", "l0")), "the joints form a cycle"),
        (robot(*ONE), "links that are no joint's child: l0, l1"),
        (robot(*ONE, link("l1"), joint("j", "l0", "l1")), "link 'l1' is described twice"),
        (robot(*ONE, joint("j", "l0", "l1", axis="0 0 0")), "its axis is 0 0 0"),
        (robot(*ONE, joint("j", "l0", "l1", xyz="0 nan 0")), "xyz of <origin> = '0 nan 0'"),
        (robot(*ONE, joint("j", "l0", "l1", xyz="0 0")), "xyz of <origin> = '0 0' .*3 numbers"),
        (robot(*ONE, joint("j", "l0", "l1", mimic='joint="j"')), "joints follow each other: j"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        urdf.read_text(text, "refused", "refused.urdf")


def test_a_joint_that_follows_nothing_stays_free() -> None:
    reading = urdf.read_text(robot(*ONE, joint("j", "l0", "l1", mimic='joint="gone"')), "free")
    assert reading.robot.joint(1).variable == "q1"
    assert any("follows 'gone', which is not a movable joint" in str(p) for p in reading.problems)


@pytest.mark.parametrize(
    ("word", "exact"),
    [
        ("1.5708", np.pi / 2),
        ("-1.570796", -np.pi / 2),
        ("3.14159", np.pi),
        ("3.1415", np.pi),  # cut, not rounded
        ("0.2618", np.pi / 12),
        ("1.571", np.pi / 2),
        ("1.57", 1.57),  # two decimals are not enough
        ("1.5709", 1.5709),
        ("-4.37e-08", 0.0),
        ("0.1234", 0.1234),
    ],
)
def test_roundings_of_angles(word: str, exact: float) -> None:
    assert exact_literal(word) == exact


def test_exact_angles_on_request() -> None:
    text = chain([("0 0 1", "0 0 0", "0 0 1"), ("0.5 0 0", "1.5708 0 0", "0 0 1")], "two")
    assert to_text(urdf.read_text(text, "two").robot.joint(2).alpha) != "pi/2"
    reading = urdf.read_text(text, "two", exact=True)
    assert to_text(reading.robot.joint(2).alpha) == "pi/2"
    assert any("1 angles are taken as the multiples of pi/12" in str(p) for p in reading.problems)


@pytest.mark.parametrize("place", ["joint", "inertial"])
def test_angles_that_look_like_degrees_get_a_warning(place: str) -> None:
    turned = '<origin xyz="0 0 0" rpy="90 0 0"/>'
    inertial = turned if place == "inertial" else ""
    origin = turned if place == "joint" else ""
    text = (
        f'<robot name="r"><link name="a"/><link name="b"><inertial>{inertial}<mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="j" type="continuous">{origin}<parent link="a"/><child link="b"/></joint></robot>'
    )
    found = [problem for problem in urdf.read_text(text, "r").problems if problem.severity == "warning"]
    assert [(problem.code, problem.fields["radians"]) for problem in found] == [("descriptions.degrees", "pi/2")]


def test_a_root_with_mass_under_a_floating_joint_is_left_out_with_a_note() -> None:
    free = joint("free", "stand", "body", "0 0 1", type="floating")
    reading = urdf.read_text(robot(link("stand"), link("body"), free), "r")
    assert [(p.code, p.fields["links"]) for p in reading.problems if p.code == "trees.standing"] == [
        ("trees.standing", ["stand"])
    ]
    alone = robot('<link name="world"/>', link("body"), joint("free", "world", "body", "0 0 1", type="floating"))
    assert "trees.standing" not in [problem.code for problem in urdf.read_text(alone, "r").problems]
