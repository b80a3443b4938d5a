"""Tables of standard and modified DH parameters, against products of their matrices."""

import math

import numpy as np
import pytest

from support.raised import raised
from symoro.errors import FormatError
from symoro.formats import dh, load, read
from symoro.robot.joint import JointKind
from symoro.robot.values import evaluate, parse, to_text

STANDARD = """# a robot of six joints
convention = standard
name,kind,theta,d,a,alpha,offset
base,revolute,q1,0.3,0.1,pi/2,0
arm,R,q2 + pi/2,0,0.4,0,
fore,R,0,d3,0.05,-pi/2,0.2
slide,prismatic,pi/3,x,A4,0.7,
fix,fixed,-pi/2,0.1,0.2,-pi/2,
hand,r,,0.08,0.03,pi/2,
"""
NUMBERS = {"q1": 0.3, "q2": -0.8, "q3": 1.1, "x": 0.45, "q6": -2.0, "d3": 0.12, "A4": 0.33}


def rotation(axis: int, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    matrix = np.eye(4)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    matrix[i, i], matrix[i, j], matrix[j, i], matrix[j, j] = c, -s, s, c
    return matrix


def translation(axis: int, length: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[axis, 3] = length
    return matrix


def robot_pose(robot) -> np.ndarray:
    """Product of Khalil's matrices, and of the flange where there is one."""
    pose = np.eye(4)
    for joint in robot.joints:
        values = {n: evaluate(getattr(joint, n), NUMBERS) for n in ("gamma", "b", "alpha", "d", "theta", "r")}
        for axis, turn, shift in ((2, "gamma", "b"), (0, "alpha", "d"), (2, "theta", "r")):
            pose = pose @ rotation(axis, values[turn]) @ translation(axis, values[shift])
    for frame in robot.frames:
        pose = pose @ np.array([[evaluate(value, NUMBERS) for value in row] for row in frame.pose])
    return pose


def standard_pose(rows) -> np.ndarray:
    pose = np.eye(4)
    for texts in rows:
        theta, d, a, alpha = (evaluate(parse(text), NUMBERS) for text in texts)
        pose = pose @ rotation(2, theta) @ translation(2, d) @ translation(0, a) @ rotation(0, alpha)
    return pose


ROWS = [
    ("q1", "0.3", "0.1", "pi/2"),
    ("q2 + pi/2", "0", "0.4", "0"),
    ("q3 + 0.2", "d3", "0.05", "-pi/2"),
    ("pi/3", "x", "A4", "0.7"),
    ("-pi/2", "0.1", "0.2", "-pi/2"),
    ("q6", "0.08", "0.03", "pi/2"),
]


def test_a_standard_table_has_the_pose_of_its_matrices():
    robot = dh.read_text(STANDARD, "six").robot
    assert [joint.variable for joint in robot.joints] == ["q1", "q2", "q3", "x", None, "q6"]
    assert robot.joint(5).kind is JointKind.FIXED
    (flange,) = robot.frames
    assert (flange.name, flange.link) == ("flange", 6)
    assert [to_text(value) for row in flange.pose[1:3] for value in row] == ["0", "0", "-1", "0", "0", "1", "0", "0"]
    np.testing.assert_allclose(robot_pose(robot), standard_pose(ROWS), atol=1e-14)


def test_a_modified_table_has_the_pose_of_its_matrices():
    robot = dh.read_text(STANDARD.replace("standard", "modified"), "six").robot
    pose = np.eye(4)
    for texts in ROWS:
        theta, d, a, alpha = (evaluate(parse(text), NUMBERS) for text in texts)
        pose = pose @ rotation(0, alpha) @ translation(0, a) @ rotation(2, theta) @ translation(2, d)
    assert robot.frames == ()
    np.testing.assert_allclose(robot_pose(robot), pose, atol=1e-14)


def test_the_convention_may_be_an_argument():
    rows = STANDARD.replace("convention = standard\n", "")
    assert dh.read_text(rows, "six", convention="standard").robot == dh.read_text(STANDARD, "six").robot


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            STANDARD.replace("convention = standard\n", ""),
            "t.csv:2: the convention is not given (allowed: a first line",
        ),
        (STANDARD.replace("= standard", "= craig"), "t.csv:2: convention = craig is not known"),
        (
            STANDARD.replace("alpha,", "beta,"),
            "t.csv:3: column 'beta' is unknown or occurs twice (allowed: name, kind, theta",
        ),
        (STANDARD.replace("0.4,0,", "0.4,"), "t.csv:5: joint 2: 6 cells, not 7"),
        (STANDARD.replace("fixed", "welded"), "t.csv:8: joint 5: kind = welded is not a joint kind (allowed: revolute"),
        (STANDARD.replace("A4", "A4+"), "t.csv:7: joint 4: a: 'A4+', column 4: a value is missing"),
        (STANDARD.replace("q1,", "pi/2,"), "t.csv:4: joint 1: its variable cannot be determined"),
        ("convention = modified", "a header and 1 to 2000 rows are needed"),
        ("", "the convention is not given"),
        ('convention = modified\ntheta\n"q1', "this is not CSV"),
        ('convention = modified\ntheta\n"q1\n"\n', "several lines"),
    ],
)
def test_problems(text, message):
    with pytest.raises(FormatError) as caught:
        dh.read_text(text, "t", "t.csv")
    assert message in str(caught.value)


def test_an_argument_against_the_file_is_an_error():
    with raised("dh.other_convention", FormatError, stated="standard", wanted="modified"):
        dh.read_text(STANDARD, "six", convention="modified")


def test_geometry_is_written_and_read_back(tmp_path):
    robot = load("stanford")
    for convention in dh.CONVENTIONS:
        file = tmp_path / "stanford.csv"
        file.write_text(dh.write_text(robot, convention))
        assert read(file).robot.joints == robot.joints


def test_what_a_table_cannot_say_is_refused():
    with raised("dh.not_serial", FormatError):
        dh.write_text(load("two-arm"))
    with pytest.raises(FormatError, match="joint 1: alpha and d must be 0 in a standard table"):
        dh.write_text(dh.read_text("convention=modified\nalpha\npi/2\n", "r").robot, "standard")


@pytest.mark.parametrize("row", [1, 2])
def test_degrees_in_any_row_of_a_standard_table_get_a_warning(row):
    alphas = ["90" if k == row else "0" for k in (1, 2)]
    text = "convention = standard\ntheta,a,alpha\n" + "".join(f"q{k},0.3,{a}\n" for k, a in enumerate(alphas, 1))
    assert [(p.code, p.place.line) for p in dh.read_text(text, "t").problems] == [("descriptions.degrees", 4)]
