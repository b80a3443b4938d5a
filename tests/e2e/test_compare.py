"""symoro compare finds planted differences, and names each first."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import symoro
from support.robot_files import URDF
from support.written_urdf import joint, link, robot
from symoro.cli import main
from symoro.formats import mjcf, sdf, urdf
from symoro.formats.tools import other_reading
from symoro.robot.parallel import with_legs

INERTIAL = (
    '<link name="{n}"><inertial><origin xyz="{c}" rpy="0 0 0"/><mass value="{m}"/>'
    '<inertia ixx="{J[0]}" ixy="{J[1]}" ixz="{J[2]}" iyy="{J[3]}" iyz="{J[4]}" izz="{J[5]}"/></inertial></link>'
)


def body(name: str, mass: str, centre: str, *tensor: str) -> str:
    return INERTIAL.format(n=name, c=centre, m=mass, J=tensor)


RIGHT = "1.5707963267948966"
ARM = robot(
    link("base", 0),
    joint("waist", "base", "trunk", "0 0 0.4", "0 0 0", "0 0 1", dynamics='damping="0.7" friction="0.3"'),
    body("trunk", "5", "0.01 0.02 0.1", "0.2", "0.01", "0.02", "0.21", "0.03", "0.11"),
    joint("shoulder", "trunk", "arm", "0.1 0.05 0.2", f"{RIGHT} 0 0.2", dynamics='damping="0.5" friction="0.2"'),
    body("arm", "3.2", "0.25 0.01 0.03", "0.05", "0.004", "0.003", "0.15", "0.002", "0.14"),
    joint("elbow", "arm", "forearm", "0.5 0 0", "0.1 0 0", "0 1 0"),
    body("forearm", "1.6", "0.2 0.03 0.01", "0.02", "0.001", "0.002", "0.06", "0.003", "0.05"),
    joint("slide", "forearm", "hand", "0.3 0 0.05", "0 0 0.3", "1 0 0", type="prismatic"),
    body("hand", "0.4", "0.02 0 0.01", "0.002", "0.0001", "0.0002", "0.003", "0.0003", "0.002"),
    joint("mount", "hand", "tool", "0.1 0 0", "0 0.2 0", type="fixed"),
    link("tool", 0),
)  # fmt: skip
#: What is replaced, by what, the kind of the difference, and what its text says.
PLANTED = [
    ('mass value="3.2"', 'mass value="3.6"', "mass", "arm: mass 3.2 / 3.6 kg"),
    ('mass value="5"', 'mass value="4.9"', "mass", "trunk: mass 5 / 4.9 kg"),
    ('mass value="1.6"', 'mass value="1600"', "mass", "the second looks like grams"),
    ('mass value="0.4"', 'mass value="0.00040"', "mass", "the first looks like grams"),
    ('xyz="0.25 0.01 0.03"', 'xyz="0.25 0.01 0.04"', "centre of mass", "arm: centre of mass"),
    ('xyz="0.2 0.03 0.01"', 'xyz="200 30 10"', "centre of mass", "millimetres"),
    ('ixx="0.05"', 'ixx="0.06"', "inertia", "arm: inertia about the centre of mass"),
    ('izz="0.11"', 'izz="0.13"', "inertia", "trunk: inertia"),
    ('ixy="0.004" ixz="0.003"', 'ixy="-0.004" ixz="-0.003"', "inertia", "arm: inertia"),
    (
        'ixy="0.01" ixz="0.02" iyy="0.21" iyz="0.03"',
        'ixy="-0.01" ixz="-0.02" iyy="0.21" iyz="-0.03"',
        "inertia",
        "opposite signs of the products",
    ),
    ('ixx="0.02"', 'ixx="20000"', "inertia", "forearm: inertia"),
    ('xyz="0.5 0 0"', 'xyz="0.51 0 0"', "origin", "elbow: origin (0.5 0 0) / (0.51 0 0) m"),
    ('xyz="0 0 0.4"', 'xyz="0.02 0 0.4"', "origin", "waist: origin"),
    ('xyz="0.5 0 0"', 'xyz="500 0 0"', "origin", "millimetres"),
    ('rpy="0.1 0 0"', 'rpy="0.2 0 0"', "orientation", "elbow: orientation of the origin, 5.73° apart"),
    ('rpy="1.5707963267948966 0 0.2"', 'rpy="1.5707963267948966 0 0.3"', "orientation", "shoulder: orientation"),
    ('rpy="0 0 0"/><axis xyz="0 0 1"', 'rpy="0 0 0.25"/><axis xyz="0 0 1"', "offset", "waist: zero offset of 0.25 rad"),
    ('<axis xyz="0 1 0"', '<axis xyz="0 -1 0"', "axis sign", "elbow: the axis has opposite signs"),
    ('<axis xyz="1 0 0"', '<axis xyz="-1 0 0"', "axis sign", "slide: the axis has opposite signs"),
    ('<axis xyz="0 1 0"', '<axis xyz="0 1 0.02"', "axis", "elbow: axis (0 1 0)"),
    ('<axis xyz="1 0 0"', '<axis xyz="0 0 1"', "axis", "90° apart"),
    ('damping="0.7"', 'damping="0.9"', "damping", "waist: damping FV 0.7 / 0.9"),
    ('friction="0.2"', 'friction="2"', "friction", "shoulder: friction FS 0.2 / 2"),
    ('damping="0.5"', 'damping="0"', "damping", "shoulder: damping FV 0.5 / 0"),
    ('type="prismatic"', 'type="revolute"', "kind", "slide: prismatic / revolute"),
    ('xyz="0.1 0 0" rpy="0 0.2 0"', 'xyz="0.12 0 0" rpy="0 0.2 0"', "frame", "frame tool: 0.02 m apart"),
    ('lower="-3" upper="3"', 'lower="-2" upper="3"', "limit", "lower limit -3 / -2"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "what", "text"), PLANTED, ids=[f"{p[2]}-{k}" for k, p in enumerate(PLANTED)])
def test_a_planted_difference_is_named_first(old: str, new: str, what: str, text: str) -> None:
    assert old in ARM
    other = ARM.replace(old, new, 1)
    found = symoro.compare(urdf.read_text(ARM, "arm").robot, urdf.read_text(other, "arm").robot).differences
    assert found[0].what == what, [str(one) for one in found]
    assert text in found[0].text


def test_the_tensor_about_another_point_is_explained() -> None:
    """The tensor of the arm about the origin of its frame, in the place of that about the centre of mass."""
    m, (x, y, z) = 3.2, (0.25, 0.01, 0.03)
    moved = (0.05 + m * (y * y + z * z), 0.004 - m * x * y, 0.003 - m * x * z)
    moved += (0.15 + m * (x * x + z * z), 0.002 - m * y * z, 0.14 + m * (x * x + y * y))
    text = 'ixx="{!r}" ixy="{!r}" ixz="{!r}" iyy="{!r}" iyz="{!r}" izz="{!r}"'.format(*moved)
    other = re.sub(r'ixx="0.05" .*? izz="0.14"', text, ARM)
    assert other != ARM
    first = symoro.compare(urdf.read_text(ARM, "arm").robot, urdf.read_text(other, "arm").robot).differences[0]
    assert "arm: inertia about the centre of mass (the second is about the origin of the link's frame)" in first.text


def test_gravity_and_the_order_of_joints() -> None:
    arm = urdf.read_text(ARM, "arm").robot
    turned = mjcf.read_text(mjcf.write_text(arm).replace('gravity="0 0 -9.81"', 'gravity="0 0 9.81"'), "arm").robot
    first = symoro.compare(arm, turned).differences[0]
    assert (first.what, "opposite signs" in first.text) == ("gravity", True)
    lines = ARM.splitlines(keepends=True)
    waist = next(line for line in lines if 'name="waist"' in line)
    late = "".join(line for line in lines if line != waist).replace("</robot>", waist + "</robot>")
    first = symoro.compare(arm, urdf.read_text(late, "arm").robot).differences[0]
    assert first.text == "order of the joints in q: waist shoulder elbow slide / shoulder elbow slide waist"


@pytest.mark.parametrize("form", [mjcf, sdf])
def test_the_same_robot_in_another_format_has_no_difference_in_torque(form: object) -> None:
    arm = urdf.read_text(ARM, "arm").robot
    other = form.read_text(form.write_text(arm), "arm").robot  # type: ignore[attr-defined]
    found = symoro.compare(arm, other).differences
    assert {one.what for one in found} <= {"limit"}, [str(one) for one in found]


def test_two_tables_of_one_robot_in_other_frames() -> None:
    """A table of the library and a file of the same arm, with other names: the frames follow from the axes."""
    arm = urdf.read_text(ARM, "arm").robot
    renamed = urdf.read_text(re.sub(r'"(trunk|arm|forearm|hand|tool)"', r'"my \1"', ARM), "arm").robot
    assert symoro.compare(arm, renamed).differences == ()


def test_joints_with_other_names_and_in_another_order_are_matched_by_their_axes() -> None:
    names = {"waist": "J1", "shoulder": "J2", "elbow": "J3", "slide": "J4", "mount": "J5"}
    text = re.sub(r'"(trunk|arm|forearm|hand|tool)"', r'"my \1"', ARM)
    for name, new in names.items():
        text = text.replace(f'joint name="{name}"', f'joint name="{new}"')
    first, *rest = (line for line in text.splitlines(keepends=True) if "<joint" in line)
    text = text.replace(first, "").replace(rest[-1], rest[-1] + first)  # the waist is the last joint of the file
    assert [j.name for j in urdf.read_text(text, "arm").robot.joints] == ["J2", "J3", "J4", "J1"]
    assert symoro.compare(urdf.read_text(ARM, "arm").robot, urdf.read_text(text, "arm").robot).differences == ()
    heavier = urdf.read_text(text.replace('mass value="3.2"', 'mass value="3.6"'), "arm").robot
    found = symoro.compare(urdf.read_text(ARM, "arm").robot, heavier).differences[0].text
    assert found == "arm: mass 3.2 / 3.6 kg"  # the name of the link in the first description


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('mass value="3.2"', 'mass value="3.2000001"', "arm: mass 3.2 / 3.2000001 kg"),
        ('xyz="0.5 0 0"', 'xyz="0.50000001 0 0"', "elbow: origin (0.5 0 0) / (0.50000001 0 0) m"),
        ('damping="0.7"', 'damping="0.70000001"', "waist: damping FV 0.7 / 0.70000001"),
    ],
)
def test_a_small_difference_has_the_digits_that_show_it(old: str, new: str, text: str) -> None:
    other = urdf.read_text(ARM.replace(old, new), "arm").robot
    found = symoro.compare(urdf.read_text(ARM, "arm").robot, other).differences
    assert text in [one.text for one in found]
    assert all(first != second for one in found for first, second in [one.text.split(": ")[1].split(" / ")])


@pytest.mark.parametrize(
    ("tool", "form"), [("pinocchio", "urdf"), ("mujoco", "xml"), ("drake", "urdf"), ("drake", "sdf"), ("drake", "xml")]
)
def test_our_reading_is_that_of_a_tool(
    tool: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = URDF["ur_description/urdf/ur5_robot.urdf"]
    if form != "urdf":
        path = tmp_path / f"arm.{form}"
        arm = urdf.read_text(re.sub('friction="[^"]*"', "", ARM), "arm").robot  # Drake has no such friction
        path.write_text((mjcf if form == "xml" else sdf).write_text(arm), encoding="utf-8")
    with pytest.raises(SystemExit, match="0"):
        main(["compare", str(path), "--with", tool, "--json"])
    assert json.loads(capsys.readouterr().out)["differences"] == []


def test_what_a_tool_reads_in_another_way_is_named(tmp_path: Path) -> None:
    """Drake leaves Coulomb friction out, which is the first difference."""
    (tmp_path / "arm.urdf").write_text(ARM, encoding="utf-8")
    found = symoro.compare(tmp_path / "arm.urdf", other_reading(str(tmp_path / "arm.urdf"), "drake")).differences
    assert found[0].text == "waist: friction FS 0.3 / 0"


@pytest.mark.parametrize("words", [["--with", "gazebo"], ["missing.urdf"], []])
def test_what_cannot_be_compared(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", str(URDF["ur_description/urdf/ur5_robot.urdf"]), *words])
    assert int(ended.value.code or 0) > 0
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["delta", "gough-stewart", "delta-parallelogram", "cooperating-arms"])
def test_a_parallel_robot_is_no_other_than_itself(name: str) -> None:
    assert symoro.compare(name, name).differences == ()


def test_differences_of_parallel_robots_are_named() -> None:
    """What a heavier platform changes is a force on the platform; friction of a leg is at the leg's joint."""
    delta = symoro.load("delta")
    heavier = symoro.compare(delta, delta.with_values({"MP": 0.7, "MXP": 0.0028, "MYP": -0.0021, "MZP": 0.007}))
    assert heavier.differences[0].text == "platform_link: mass 0.6 / 0.7 kg"
    assert heavier.differences[0].joint in ("platform x", "platform y", "platform z")
    assert {one.joint.startswith("platform") for one in heavier.differences if one.joint} == {True}
    other = symoro.compare(delta, delta.with_values({"FV1_2": 0.5}).in_branch(0)).differences
    assert [one.text for one in other] == ["leg 2 motor: damping FV 0.2 / 0.5", "branch: (1, 1, 1) / (0, 0, 0)"]
    assert other[0].joint == "leg 2 motor"
    first, *others = delta.attachments
    moved = with_legs(delta, attachments=[replace(first, pose=others[0].pose), *others])
    (text,) = (one.text for one in symoro.compare(delta, moved).differences)
    assert text.startswith("leg 1: pose of the attachment: [0.05, 0.0, 0.0] / [-0.025, 0.043301, 0.0] m")


def test_a_robot_with_legs_and_one_without_are_compared() -> None:
    texts = [one.text for one in symoro.compare("planar2r", "delta").differences]
    assert any("only in the" in text for text in texts)
