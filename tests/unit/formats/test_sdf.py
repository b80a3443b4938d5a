"""What SDF files say: poses relative to others, axes in several frames and versions, screws, roots; what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from support.close import assert_close
from support.raised import raised
from support.table_numbers import table
from symoro.errors import FormatError
from symoro.formats import sdf
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot

MASS = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"


def pose(numbers: str) -> np.ndarray:
    x, y, z, *rpy = map(float, numbers.split())
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_euler("xyz", rpy).as_matrix(), (x, y, z)
    return T


def link(name: str, where: str = "0 0 0 0 0 0", relative: str = "") -> str:
    return f'<link name="{name}"><pose relative_to="{relative}">{where}</pose>{MASS}</link>'


def joint(kind: str, inner: str, axis: str = "", name: str = "j", ends: tuple[str, str] = ("a", "b")) -> str:
    between = f"<parent>{ends[0]}</parent><child>{ends[1]}</child>"
    return f'<joint name="{name}" type="{kind}">{between}{inner}<axis>{axis}</axis></joint>'


GROUND = joint("fixed", "", name="ground", ends=("world", "a"))
FIRST, SECOND, AT = "0.1 0 0.2 0.3 0.1 0", "0.4 0.2 0.1 0 0.5 0.7", "0 0.1 0 0.2 0 0.4"


def read(*parts: str, version: str = "1.9") -> Robot:
    return sdf.read_text(f'<sdf version="{version}"><model name="m">{"".join(parts)}</model></sdf>', "m").robot


def moved(axis_in_model: np.ndarray, q: float) -> np.ndarray:
    """The pose of link b when the joint of `AT` turns about an axis, by SciPy."""
    where = pose(SECOND) @ pose(AT)
    R = np.eye(4)
    R[:3, :3] = Rotation.from_rotvec(q * axis_in_model / np.linalg.norm(axis_in_model)).as_matrix()
    there, back = np.eye(4), np.eye(4)
    there[:3, 3], back[:3, 3] = where[:3, 3], -where[:3, 3]
    return there @ R @ back @ pose(SECOND)


AXIS = np.array([0.3, -0.2, 0.9])
XYZ = "<xyz{}>0.3 -0.2 0.9</xyz>"


@pytest.mark.parametrize(
    ("version", "axis", "turned"),
    [
        ("1.4", XYZ.format(""), "model"),
        ("1.5", XYZ.format(""), "joint"),
        ("1.6", XYZ.format("") + "<use_parent_model_frame>true</use_parent_model_frame>", "model"),
        ("1.9", XYZ.format(""), "joint"),
        ("1.9", XYZ.format(' expressed_in="__model__"'), "model"),
        ("1.9", XYZ.format(' expressed_in="a"'), "a"),
        ("1.11", XYZ.format(' expressed_in="b"'), "b"),
    ],
)
def test_the_axis_of_a_joint_is_in_the_frame_that_its_version_says(version: str, axis: str, turned: str) -> None:
    parts = (link("a", FIRST), link("b", SECOND), GROUND, joint("revolute", f"<pose>{AT}</pose>", axis))
    robot = read(*parts, version=version)
    frames = {"model": np.eye(4), "a": pose(FIRST), "b": pose(SECOND), "joint": pose(SECOND) @ pose(AT)}
    found = table(robot).frames(np.array([0.6]))
    assert_close(found["b"], moved(frames[turned][:3, :3] @ AXIS, 0.6), 1e-12)
    assert_close(found["a"], pose(FIRST), 1e-12)


def test_poses_are_relative_to_links_joints_and_frames() -> None:
    robot = read(
        link("a", FIRST, "f"), link("b", AT, "j"), GROUND,
        joint("prismatic", f'<pose relative_to="a">{SECOND}</pose>', XYZ.format("")),
        f'<frame name="f"><pose>{AT}</pose></frame><frame name="tip" attached_to="b"><pose>{FIRST}</pose></frame>',
    )  # fmt: skip
    slid = np.eye(4)
    slid[:3, 3] = 0.6 * AXIS / np.linalg.norm(AXIS)
    found = table(robot).frames(np.array([0.6]))
    b = pose(AT) @ pose(FIRST) @ pose(SECOND) @ slid @ pose(AT)
    assert_close(found["b"], b, 1e-12)
    assert_close(found["tip"], b @ pose(FIRST), 1e-12)


@pytest.mark.parametrize(
    ("pitch", "advance"),
    [
        ("<thread_pitch>2</thread_pitch>", -0.15),
        ("<screw_thread_pitch>0.5</screw_thread_pitch>", 0.3 * 0.5 / (2 * np.pi)),
    ],
)
def test_a_screw_moves_along_its_axis(pitch: str, advance: float) -> None:
    robot = read(link("a"), link("b"), GROUND, joint("screw", pitch, "<xyz>0 0 1</xyz>"))
    found = table(robot).frames(np.array([0.3]))["b"]
    assert_close(found[:3, 3], [0, 0, advance], 1e-12)
    assert_close(found[:3, :3], Rotation.from_rotvec([0, 0, 0.3]).as_matrix(), 1e-12)


def test_a_universal_joint_is_two_joints_and_a_ball_joint_three() -> None:
    second = "<axis2><xyz>0 1 0</xyz></axis2>"
    parts = (link("a"), link("b"), GROUND)
    two = read(*parts, joint("universal", second, "<xyz>1 0 0</xyz>"))
    q = np.array([0.4, -0.3, 0.8])
    expected = Rotation.from_rotvec([0.4, 0, 0]) * Rotation.from_rotvec([0, -0.3, 0])
    assert_close(table(two).frames(q[:2])["b"][:3, :3], expected.as_matrix(), 1e-12)
    three = read(*parts, joint("ball", ""))
    expected = expected * Rotation.from_rotvec([0, 0, 0.8])
    assert_close(table(three).frames(q)["b"][:3, :3], expected.as_matrix(), 1e-12)


def test_a_model_without_a_joint_to_the_world_floats_unless_it_is_static() -> None:
    parts = (link("a"), link("b"), joint("revolute", ""))
    assert read(*parts).base.kind is BaseKind.FLOATING
    assert read("<static>true</static>", *parts).base.kind is BaseKind.FIXED


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((link("a", "0 0 0 0 0 0", "b"), link("b", "0 0 0 0 0 0", "a")), "relative to each other"),
        ((link("a", "0 0 0 0 0 0", "lost"),), "there is no such link, joint or frame"),
        ((link("a"), link("b"), GROUND, joint("hinge", "")), "type 'hinge'"),
        ((link("a"), link("b"), GROUND, joint("revolute", "", "<xyz>0 0 0</xyz>")), "its axis is 0 0 0"),
        ((link("a"), GROUND, joint("revolute", "", ends=("a", "lost"))), "lost"),
        ((link("a", "0 0 0 0 0"),), "6 numbers"),
    ],
)
def test_what_is_refused(parts: tuple[str, ...], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(*parts)


def test_radians_that_look_like_degrees_get_a_warning() -> None:
    text = f'<sdf version="1.9"><model name="m">{link("a", "0 0 0 90 0 0")}</model></sdf>'
    assert [p.code for p in sdf.read_text(text, "m").problems if p.severity == "warning"] == ["descriptions.degrees"]
    said = text.replace('<pose relative_to="">', '<pose degrees="true">')
    assert [p.code for p in sdf.read_text(said, "m").problems if p.severity == "warning"] == []


def test_what_refers_to_a_nested_model_is_refused_with_that_reason() -> None:
    nested = f'<model name="n">{link("x")}</model>'
    text = f'<sdf version="1.9"><model name="m">{nested}{link("a", relative="n::x")}</model></sdf>'
    with pytest.raises(FormatError) as error:
        sdf.read_text(text, "m")
    assert [problem.code for problem in error.value.problems] == ["sdf.nested_pose", "sdf.nested"]


def test_a_robot_in_a_world_stands_beside_models_that_are_static() -> None:
    robot = f'<model name="m">{link("a")}{link("b")}{joint("revolute", "")}</model>'
    table, ground = (f'<model name="{name}"><static>1</static>{link("x")}</model>' for name in ("table", "ground"))
    alone, beside = (
        sdf.read_text(f'<sdf version="1.9"><world name="w">{models}</world></sdf>', "m")
        for models in (robot, table + robot + ground)
    )
    assert beside.robot == alone.robot
    assert [problem.fields["links"] for problem in beside.problems] == [["table", "ground"]]
    with raised("sdf.models", FormatError):
        sdf.read_text(f'<sdf version="1.9">{table}{ground}</sdf>', "m")


def test_what_a_world_adds_to_its_model_is_said() -> None:
    more = (
        '<joint name="j" type="fixed"><parent>world</parent><child>m::a</child></joint><include><uri>x</uri></include>'
    )
    text = f'<sdf version="1.9"><world name="w"><model name="m">{link("a")}</model>{more}</world></sdf>'
    assert [problem.fields["tag"] for problem in sdf.read_text(text, "m").problems] == ["joint", "include"]
