"""`load`, `read` and `write`: names, paths, endings."""

import subprocess
import sys
from pathlib import Path

import pytest

import symoro
from support.close import assert_close
from support.raised import raised
from symoro.errors import FormatError, UnknownRobot
from symoro.formats import check, load, read, write
from symoro.robot import library
from symoro.robot.base import BaseKind
from symoro.robot.values import evaluate

DATA = Path(__file__).parents[2] / "data" / "opensymoro"


def test_a_name_of_the_library():
    assert load("puma560").name == "puma560"


def test_an_unknown_name_lists_close_ones():
    with pytest.raises(UnknownRobot, match="did you mean puma560") as caught:
        load("puma56")
    assert "in the library: " in str(caught.value)
    with pytest.raises(UnknownRobot):
        library.text("../puma560")


@pytest.mark.parametrize("ending", [".par", ".toml"])
def test_write_then_load(tmp_path, ending):
    robot = load("stanford")
    file = tmp_path / f"robot{ending.upper()}"
    write(robot, file)
    assert load(str(file)) == robot
    assert read(file).problems == ()


def test_notes_carry_warnings():
    assert "mu = 0 in an open robot" in load(DATA / "Stanford.par").notes[0]


def test_files_that_cannot_be_read(tmp_path):
    for path, message in [
        (tmp_path / "none.par", "No such file"),
        (tmp_path, "a folder is not a robot (allowed: a file .par, .toml, .csv"),
        (tmp_path / "robot.doc", "'.doc' is not a format"),
    ]:
        with pytest.raises(FormatError, match=message.replace("(", r"\(").replace(")", r"\)")):
            read(path)
    with raised("files.no_file", UnknownRobot, path="none.par"):
        load("none.par")
    with raised("files.cannot_be_written", FormatError):
        write(load("planar2r"), tmp_path / "no" / "robot.toml")


@pytest.mark.parametrize("name", [None, 3, b"planar2r", ["planar2r"]])
def test_what_is_neither_a_name_nor_a_path(name):
    with raised("files.no_name", UnknownRobot):
        load(name)


@pytest.mark.parametrize("name", ["a" * 5000 + ".par", "a" * 5000, "a\0b.par", "a\0b", ""])
def test_names_that_no_file_can_have(name, tmp_path):
    with pytest.raises(UnknownRobot, match="no such file"):
        load(name)
    with pytest.raises(FormatError):
        write("planar2r", tmp_path / f"{name}.toml" if name else tmp_path)


def test_a_file_that_exists_is_overwritten_by_force_only(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_text("mine", encoding="utf-8")
    with raised("files.cannot_be_written", FormatError):
        write("planar2r", file)
    with pytest.raises(FormatError):
        write("four-bar", file.with_suffix(".csv"))  # a table has no loops
    assert [path.name for path in tmp_path.iterdir()] == ["arm.toml"]
    assert file.read_text(encoding="utf-8") == "mine"
    write("planar2r", file, force=True)
    assert load(file) == load("planar2r")


def test_what_is_not_a_path_to_write():
    with raised("files.no_path", FormatError, path="3"):
        write("planar2r", 3)


def test_a_huge_file_is_refused(tmp_path):
    file = tmp_path / "huge.toml"
    file.write_bytes(b"#" * 9_000_000)
    with raised("files.too_large", FormatError):
        read(file)


def test_reading_imports_nothing_heavy():
    code = "import sys, symoro.formats; print(sorted({'numpy', 'sympy', 'scipy', 'llvmlite'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


BODY = '<inertial mass="2" pos="0.1 0 0" diaginertia="0.1 0.2 0.15"/>'
LEG = f'<body name="leg"><joint name="hip" axis="0 1 0"/>{BODY}</body>'
WALKER = f'<body name="trunk" pos="0 0 1"><freejoint/>{BODY}{LEG}</body>'
TABLE = f'<body name="table" pos="1 0 0">{BODY}<body name="vase">{BODY}</body></body>'


def scene(*bodies: str) -> str:
    return f"<mujoco><worldbody><geom size='1 1 1' type='box'/>{''.join(bodies)}</worldbody></mujoco>"


@pytest.mark.parametrize("bodies", [(TABLE, WALKER), (WALKER, TABLE)])
def test_what_stands_still_beside_a_free_robot_leaves_its_base_free(bodies: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "scene.xml"
    file.write_text(scene(WALKER), encoding="utf-8")
    alone = symoro.load(file)
    file.write_text(scene(*bodies), encoding="utf-8")
    beside = symoro.load(file)
    assert alone.base.kind is BaseKind.FLOATING
    assert beside == alone
    assert any("left out, because they stand still beside the robot: table, vase" in note for note in beside.notes)


def test_a_robot_on_the_table_keeps_the_base_of_both_fixed(tmp_path: Path) -> None:
    file = tmp_path / "scene.xml"
    file.write_text(scene(TABLE.replace('<body name="vase">', '<body name="vase"><joint axis="0 0 1"/>'), WALKER))
    robot = symoro.load(file)
    assert robot.base.kind is BaseKind.FIXED
    assert len([joint for joint in robot.joints if joint.movable]) == 8


@pytest.mark.parametrize("suffix", [".par", ".toml", ".urdf", ".xml", ".sdf"])
def test_every_format_takes_a_floating_base(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"arm{suffix}"
    symoro.write("planar2r", file)
    fixed, floating = symoro.load(file), symoro.load(file, floating=True)
    assert fixed.base.kind is BaseKind.FIXED
    assert floating.base.kind is BaseKind.FLOATING
    assert symoro.inverse_dynamics(floating, optimize=False).inputs.keys() >= {"quat", "V0"}


def test_a_robot_of_the_library_takes_the_options_of_files() -> None:
    assert symoro.load("planar2r", floating=True).base.kind is BaseKind.FLOATING
    assert symoro.load("delta", floating=True).base.kind is BaseKind.FLOATING
    on_wheels = symoro.load("diff-drive-2r", floating=True)
    assert (on_wheels.base.kind, on_wheels.base.wheels) == (BaseKind.FLOATING, ())
    with raised("files.option", FormatError):
        symoro.load("planar2r", afloat=True)


ROBOT = """<robot name="r"><link name="a"/><link name="b"/><link name="c">
<inertial><mass value="2"/><origin xyz="0.1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
<joint name="first" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>
<joint name="second" type="{kind}"><parent link="b"/><child link="c"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/>
<limit effort="1" velocity="1" lower="-2" upper="2"/>{more}</joint>{behind}</robot>"""


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_joint_that_follows_with_the_ratio_0_is_fixed_where_its_offset_puts_it(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(ROBOT.format(kind=kind, more='<mimic joint="first" multiplier="0" offset="0.4"/>', behind=""))
    held = symoro.load(file)
    file.write_text(ROBOT.format(kind=kind, more="", behind=""))
    free = symoro.inverse_dynamics(file).compile()
    found = symoro.inverse_dynamics(held).compile()([0.7], [0.2], [0.3])
    assert_close(found, free([0.7, 0.4], [0.2, 0], [0.3, 0])[:1], 1e-12)


def test_a_joint_that_follows_one_that_stands_still_is_fixed_too(tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    link = '<link name="d"><inertial><mass value="1"/><inertia ixx="1" iyy="2" izz="2" ixy=".1" ixz="0" iyz="0"/>'
    ends = '<parent link="c"/><child link="d"/><origin xyz="0 .2 .1"/><axis xyz="0 1 0"/>'
    third = f'{link}</inertial></link><joint name="third" type="continuous">{ends}{{}}</joint>'
    held = '<mimic joint="first" multiplier="0" offset="0.4"/>'
    behind = third.format('<mimic joint="second" multiplier="-2" offset="0.1"/>')
    file.write_text(ROBOT.format(kind="revolute", more=held, behind=behind))
    robot = symoro.load(file)
    assert not robot.notes
    file.write_text(ROBOT.format(kind="revolute", more="", behind=third.format("")))
    free = symoro.inverse_dynamics(file).compile()
    found = symoro.inverse_dynamics(robot).compile()([0.7], [0.2], [0.3])
    assert_close(found, free([0.7, 0.4, -0.7], [0.2, 0, 0], [0.3, 0, 0])[:1], 1e-12)


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_a_joint_with_several_coordinates_follows_no_other(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(ROBOT.format(kind=kind, more='<mimic joint="first" multiplier="2"/>', behind=""))
    robot = symoro.load(file)
    assert all(joint.variable for joint in robot.joints)
    assert any("what joint 'second' follows" in note for note in robot.notes)


@pytest.mark.parametrize("reduction", ["abc", "0", "1e400"])
def test_a_transmission_that_cannot_be_read_is_a_warning(reduction: str, tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    motor = f'<actuator name="m"><mechanicalReduction>{reduction}</mechanicalReduction></actuator>'
    file.write_text(
        ROBOT.format(
            kind="revolute", more="", behind=f'<transmission name="t"><joint name="first"/>{motor}</transmission>'
        )
    )
    robot = symoro.load(file)
    assert any("transmission 't' cannot be read, and its reduction is taken as 1" in note for note in robot.notes)
    assert evaluate(robot.drive(1).N, {}) in (0, 1)  # 0: the description says nothing


def test_formats_that_are_only_read_are_not_listed_for_writing(tmp_path):
    with pytest.raises(FormatError) as error:
        write("planar2r", tmp_path / "x")
    (problem,) = error.value.problems
    assert (problem.code, ".xacro" in problem.fields["allowed"]) == ("files.no_suffix", False)
    with pytest.raises(FormatError) as error:
        read(tmp_path / "x")
    assert ".xacro" in error.value.problems[0].fields["allowed"]


def test_what_is_checked_is_a_robot_a_name_or_a_path(tmp_path):
    assert check("ur5") == check(load("ur5"))
    (tmp_path / "arm.csv").write_text("convention = standard\ntheta,alpha\nq1,90\n", encoding="utf-8")
    assert [problem.code for problem in check(tmp_path / "arm.csv")] == ["descriptions.degrees"]
    (tmp_path / "arm.csv").write_text("theta,alpha\nq1,90\n", encoding="utf-8")
    assert [problem.code for problem in check(tmp_path / "arm.csv")] == ["dh.no_convention"]
    with pytest.raises(UnknownRobot):
        check("no such robot")
