"""Descriptions of parallel robots: symbols of legs, files, and problems."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import symoro
from support.raised import raised
from symoro.errors import CheckError, FormatError, InputError, NotApplicable, OptionError, RobotError
from symoro.models.problems import platform_problems
from symoro.robot import library
from symoro.robot.parallel import ParallelRobot, placed_frame, with_legs
from symoro.robot.robot import Attachment, Robot
from symoro.robot.values import as_value, evaluate, to_text

TEXT = """
kind = "parallel"
name = "bipod"
[platform]
inertia = {M = 1}
home = [0, 0.4, 0]
[leg]
attachment = "revolute"
end = "end"
[[leg.joints]]
name = "motor"
[[leg.joints]]
name = "knee"
d = "L1"
actuated = false
[[leg.frames]]
name = "end"
link = 2
pose = [[1, 0, 0, "L1"], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
[leg.values]
L1 = 0.3
[[legs]]
base = {d = -0.2}
[[legs]]
base = {d = 0.2}
platform = {d = 0.05}
"""


def read(tmp_path: Path, text: str) -> Robot:
    path = tmp_path / "bipod.toml"
    path.write_text(text, encoding="utf-8")
    robot = symoro.load(path)
    assert robot.platforms
    return robot


def test_symbols_and_variables_carry_the_number_of_their_leg(tmp_path: Path) -> None:
    robot = read(tmp_path, TEXT)
    assert [joint.variable for joint in robot.joints] == ["q1_1", "q2_1", "q1_2", "q2_2", None]
    assert [to_text(joint.d) for joint in robot.joints] == ["-0.2", "L1_1", "0.2", "L1_2", "0"]
    assert robot.values.numbers() == {"L1_1": 0.3, "L1_2": 0.3}
    assert robot.motors == ((0, 1), (1, 1))
    assert robot.with_values({"L1_2": 0.5}).values.numbers()["L1_2"] == 0.5


@pytest.mark.parametrize("name", library.parallel_names())
def test_library_robots_are_valid_and_can_be_copied(name: str) -> None:
    robot = symoro.load(name)
    assert symoro.check(robot) == ()
    assert pickle.loads(pickle.dumps(robot)) == robot
    assert replace(robot, title="other").joints == robot.joints
    assert f"{len(robot.legs)} legs" in repr(robot) or "legs of" in repr(robot)
    assert with_legs(robot).parts == robot.parts
    assert "illustrative" in robot.source


def test_a_payload_is_on_the_platform() -> None:
    robot = symoro.load("delta")
    heavier = robot.attach(symoro.Inertia(M=as_value(2)), "platform")
    assert heavier.platforms
    assert to_text(heavier.platform.M) == "MP + 2"
    assert to_text(robot.attach(symoro.Inertia(M=as_value(2)), "leg 1 motor").inertias[0].M).endswith("+ 2")


def test_a_frame_by_its_six_parameters() -> None:
    pose = placed_frame({"gamma": as_value("pi/2"), "d": as_value(2), "alpha": as_value("pi/2")})
    assert [[evaluate(x, {}) for x in row] for row in pose] == [[0, 0, 1, 0], [1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 0, 1]]


def test_a_file_reports_all_its_problems(tmp_path: Path) -> None:
    wrong = TEXT.replace('"revolute"', '"glued"').replace("{d = -0.2}", "{e = 1}").replace("M = 1", "Q = 1")
    with pytest.raises(FormatError) as error:
        read(tmp_path, wrong + "\n[more]\n")
    said = str(error.value)
    for part in ("'glued' is not known (allowed: spherical", "unknown key 'e' in base", "unknown key 'Q'", "'more'"):
        assert part in said


def test_a_robot_reports_all_its_problems() -> None:
    robot = symoro.load("delta")
    assert robot.platforms
    puma = symoro.load("puma560")
    wrong = ParallelRobot(
        robot.platform,
        [puma, symoro.load("four-bar")],
        [Attachment.at([0, 0, 0], "spherical"), Attachment.at([0, 0, 0], "fixed", "nose"), Attachment.at([0, 0, 0])],
        "wrong",
    )
    said = "\n".join(problem.message for problem in symoro.check(wrong))
    for part in (
        "2 legs and 3 attachments",
        "leg 1: it moves by itself: it has 6 joints, and its spherical attachment holds 3",
        "leg 1: it has wrenches",
        "no joint or frame called 'nose'",
    ):
        assert part in said
    with pytest.raises(CheckError):
        symoro.inverse_dynamics(wrong)


def test_legs_that_do_not_reach_and_missing_motors_are_problems(tmp_path: Path) -> None:
    far = read(tmp_path, TEXT.replace("[0, 0.4, 0]", "[0, 9, 0]").replace('name = "bipod"', 'name = "far"'))
    found = platform_problems(far)
    assert [f"leg {i} of far does not reach the home pose" for i in (1, 2)] == [problem.message for problem in found]
    robot = symoro.load("3rps")
    assert robot.platforms
    first, *others = robot.legs
    idle = replace(first, joints=tuple(replace(joint, actuated=False) for joint in first.joints))
    (problem,) = platform_problems(with_legs(robot, (idle, *others)))
    assert "2 motors, 1 too few" in problem.message


TWICE = "[[2, 0, 0, 0], [0, 2, 0, 0.4], [0, 0, 2, 0], [0, 0, 0, 1]]"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "parallel"', 'format = 99\nkind = "parallel"', r"format = 99 \(allowed: 1\)"),
        ("home = [0, 0.4, 0]", f"home = {TWICE}", "home: not a rotation matrix"),
        ("platform = {d = 0.05}", f"platform = {TWICE}", "leg 2: the pose of its attachment: not a rotation matrix"),
        ("[leg]", '[leg]\nrobot = "delta"', "delta is a parallel robot"),
    ],
)
def test_what_a_file_may_not_say(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read(tmp_path, TEXT.replace(old, new))


def test_numbers_that_nothing_uses_are_warned_of(tmp_path: Path) -> None:
    """A number of a leg that does not exist, a wrong letter, and one in the table of all legs."""
    text = TEXT.replace("L1 = 0.3", "L1 = 0.3\nL7 = 1") + "[values]\nL1_2 = 0.31\nL1_4 = 0.3\nMQ = 2\n"
    notes = "\n".join(read(tmp_path, text).notes)
    assert "values that nothing uses: L1_4, MQ" in notes
    assert "leg 1: values that nothing uses: L7_1" in notes
    assert "bipod.toml" in notes
    for wrong, said in (
        ("q1_2 = 1", "leg 2: joint 1: its variable q1_2 has a value"),
        ('W = "1/(L1_1 - 0.3)"', "W = "),
    ):
        with pytest.raises(FormatError, match=said):
            read(tmp_path, f"{TEXT}[values]\n{wrong}\n")


def test_passive_joints_of_legs_carry_the_platform(tmp_path: Path) -> None:
    assert not [note for note in read(tmp_path, TEXT).notes if "moves no mass" in note]


def test_motors_that_do_not_determine_the_platform_have_no_jacobian(tmp_path: Path) -> None:
    for model in (symoro.jacobian, symoro.jdot_qdot):
        with raised("platforms.few_motors", NotApplicable, motors=2, freedom=3):
            model(read(tmp_path, TEXT))


def test_attachments_and_legs_of_other_kinds_are_refused() -> None:
    with raised("platforms.attachment_point", RobotError, point="[0, 0]"):
        Attachment.at([0, 0], "revolute")
    with raised("platforms.attachment_kind", RobotError, kind="'sphere'"):
        Attachment.at([0, 0, 0], "sphere")
    delta = symoro.load("delta")
    assert delta.platforms
    with raised("platforms.no_robot", RobotError, number=1):
        ParallelRobot(delta.platform, [delta], delta.attachments)


def test_what_does_not_exist_for_parallel_robots_says_so(tmp_path: Path) -> None:
    with raised("tools.platform", NotApplicable):
        symoro.to_mujoco(symoro.load("delta"))
    with raised("files.platform", FormatError):
        symoro.write("delta", tmp_path / "delta.urdf")
    with pytest.raises(OptionError, match="allowed: a number from 0 for each of the 3 legs"):
        symoro.jacobian("delta", branch=[1, 2])
    with raised("options.unknown", OptionError):
        symoro.inertia_matrix("planar2r", space="motors")
    with raised("platforms.redundant", NotApplicable, motors=12, freedom=6):
        symoro.inertia_matrix("cooperating-arms", space="motors", optimize=False)


def test_a_platform_that_nothing_holds_is_reported() -> None:
    alone = ParallelRobot(symoro.Inertia(), [symoro.load("planar2r")], [])
    assert "the robot has 1 leg and 0 attachments (allowed: one attachment for each leg)" in str(symoro.check(alone)[0])


def test_a_working_mode_needs_a_branch_for_each_leg() -> None:
    with pytest.raises(RobotError, match="a number from 0 for each of its 3 legs, or one"):
        symoro.load("delta").in_branch(1, 2)
    for wrong in ((1.0, 0, 0), (True, 0, 0), ([0, 1, 0],), ("1",)):
        with pytest.raises(RobotError, match="a number from 0 for each of its 3 legs, or one"):
            symoro.load("delta").in_branch(*wrong)
    with raised("platforms.no_branch", RobotError):
        symoro.load("puma560").in_branch(1)
    assert symoro.load("delta").in_branch(0).branch == (0, 0, 0)


def test_a_name_that_is_gone_says_what_takes_its_place() -> None:
    with pytest.raises(AttributeError, match=r"symoro\.Branches takes its place"):
        _ = symoro.Solutions  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("forward_kinematics", "forward_geometry"),
        ("mass_matrix", "inertia_matrix"),
        ("inverse_dynamic", "inverse_dynamics"),
    ],
)
def test_a_name_of_other_tools_or_nearly_right_says_ours(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=rf"is it symoro\.{instead}\?"):
        getattr(symoro, name)


def test_a_model_that_is_called_says_what_can_be_called() -> None:
    with pytest.raises(TypeError, match=r"call what compile\(\) gives, f = inverse_dynamics\(robot\)\.compile\(\)"):
        symoro.inverse_dynamics("planar2r", optimize=False)([0, 0], [0, 0], [0, 0])


def test_nothing_is_drawn_where_positions_are_no_numbers() -> None:
    with raised("pictures.not_finite", InputError, what="q"):
        symoro.draw("planar2r", [0.0, float("nan")])
    with raised("pictures.not_finite", InputError, what="T"):
        symoro.draw("delta", [[float("inf")] * 4] * 4)
