"""Rounded angles of files are offered as exact ones, and numbers are shown with the digits that mean something."""

from __future__ import annotations

from fractions import Fraction
from math import pi
from pathlib import Path

import pytest

from symoro.errors import FormatError
from symoro.formats import read
from symoro.robot.arithmetic import negative
from symoro.robot.tables import geometry
from symoro.robot.values import Number, parse, to_text

URDF = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin rpy="{0} 0 0" xyz=".1 .2 .3"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/>
<origin rpy="0 {0} 0" xyz=".1 .2 .3"/></joint></robot>"""
SDF = """<sdf version="1.7"><world name="w"><model name="m"><link name="a"/>
<link name="b"><pose>.1 .2 .3 {0} 0 0</pose></link>
<joint name="f" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></world></sdf>"""
MJCF = """<mujoco><worldbody><body quat="{1} {1} 0 0" pos=".1 .2 .3"><joint/>
<geom size=".1"/></body></worldbody></mujoco>"""
FILES = {"r.urdf": URDF, "r.sdf": SDF, "r.xml": MJCF}


def written(folder: Path, name: str, angle: float, digits: int) -> Path:
    path = folder / name
    path.write_text(FILES[name].format(round(angle, digits), round(0.5**0.5, digits)), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", FILES)
def test_rounded_angles_are_offered_as_exact_ones(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, pi / 2, 6)
    problems = {problem.code: problem for problem in read(path).problems}
    if name != "r.xml":  # MuJoCo makes unit quaternions, and both numbers of this one are the same
        assert problems["trees.rounded"].fields["change"] < 1e-6
        assert "with --exact they are exact" in problems["trees.rounded"].text(flags=True)
        assert "avec exact ils sont exacts" in problems["trees.rounded"].text("fr")
    exact = read(path, exact=True)
    assert "trees.rounded" not in {problem.code for problem in exact.problems}
    values = {cell for row in geometry(exact.robot).rows for cell in row[4:10]}
    assert {cell.lstrip("-") for cell in values} <= {"0", "0.1", "0.2", "0.3", "pi/2", "q1", "q2", "q1 + pi/2"}


@pytest.mark.parametrize("exact", [False, True])
def test_frames_have_no_more_digits_than_joints(exact: bool, tmp_path: Path) -> None:
    """The file has six decimals: the poses of its links have no noise in the places behind them."""
    path = tmp_path / "r.urdf"
    joints = "".join(
        f'<link name="l{j}"/><joint name="j{j}" type="revolute"><parent link="l{j - 1}"/><child link="l{j}"/>'
        f'<origin xyz="0 0.1157 0.333333" rpy="{angle} 0 0"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for j, angle in enumerate([pi / 2, -pi / 2, pi, 0, pi / 2, -pi / 2], 1)
    )
    path.write_text(f'<robot name="r"><link name="l0"/>{joints}</robot>', encoding="utf-8")
    robot = read(path, exact=exact).robot
    lengths = [row[3] for frame in robot.frames for row in frame.pose]
    assert Number(Fraction("0.1157")) in lengths
    assert all(isinstance(x, Number) and (x.value * 10**6).denominator == 1 for x in lengths)


def test_what_exact_leaves_is_not_offered_again(tmp_path: Path) -> None:
    """A length that is nearly 0 turns a frame by an angle that is nearly one."""
    path = tmp_path / "r.urdf"
    path.write_text(URDF.replace('xyz=".1 .2 .3"', 'xyz=".1 1e-7 .3"').format(3.14159), encoding="utf-8")
    assert "trees.rounded" in {problem.code for problem in read(path).problems}
    assert "trees.rounded" not in {problem.code for problem in read(path, exact=True).problems}


def test_angles_that_are_no_roundings_stay(tmp_path: Path) -> None:
    path = written(tmp_path, "r.urdf", 1.2345678, 7)
    assert "trees.rounded" not in {problem.code for problem in read(path).problems}
    path = written(tmp_path, "r.sdf", 1.2345678, 7)
    assert not {"trees.rounded", "trees.exact"} & {problem.code for problem in read(path, exact=True).problems}


def test_numbers_have_one_digit_before_their_exponent() -> None:
    for text in ("7.82e-12", "2.28884911024352e-13", "5e20", "-3e-200"):
        assert to_text(Number(Fraction(text))) == text
        assert parse(text) == Number(Fraction(text))


def test_a_table_has_twelve_digits(tmp_path: Path) -> None:
    robot = read(written(tmp_path, "r.urdf", pi / 2, 6)).robot
    row = geometry(robot).rows[0]
    assert row[9] == "0.200000098038"
    assert len(to_text(robot.joints[0].r)) > len(row[9])


def test_the_negative_of_a_negative_is_the_value() -> None:
    sine = parse("sin(2*pi/3)")
    assert negative(negative(sine)) == sine


def test_a_parent_that_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ghost.urdf"
    path.write_text(URDF.format(0).replace('parent link="a"', 'parent link="ghost"'), encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read(path)
    assert [problem.code for problem in error.value.problems] == ["trees.no_parent"]
