"""Robots from rows, payloads, values, and inertia by mass, centre of mass and tensor."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.kinematics import one, pose_table
from support.pinocchio_robot import inertia as as_pinocchio
from support.raised import raised
from support.random_robots import physical_inertia, random_robot
from symoro import Inertia, Robot
from symoro.bind.interface import robot_numbers
from symoro.errors import RobotError
from symoro.formats import dh, load, toml
from symoro.robot.base import Frame
from symoro.robot.joint import JointKind
from symoro.robot.values import Number, as_value, evaluate, to_text


def number(text: str) -> Number:
    return Number(Fraction(text))


TENSOR = [[0.3, 0.01, -0.02], [0.01, 0.4, 0.03], [-0.02, 0.03, 0.5]]


def matrix(body: Inertia, numbers: dict[str, float] | None = None) -> np.ndarray:
    """The 6 × 6 matrix of Pinocchio."""
    robot = replace(symoro.load("planar2r"), inertias=(body, Inertia()))
    return as_pinocchio(robot, 1, numbers or {}).matrix()


# inertia


def test_inertia_at_the_centre_of_mass_is_pinocchios() -> None:
    body = Inertia.from_com(2.5, [0.1, -0.2, 0.3], TENSOR)
    assert_close(matrix(body), pin.Inertia(2.5, np.array([0.1, -0.2, 0.3]), np.array(TENSOR)).matrix(), 1e-15)


def test_inertia_is_exact_for_numbers() -> None:
    body = Inertia.from_com(3, ["1/3", "0.1", 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert Number(Fraction(1)) == body.MX
    assert number("1.03") == body.XX
    assert number("-0.1") == body.XY
    assert Number(1 + 3 * (Fraction(1, 9) + Fraction(1, 100))) == body.ZZ


def test_inertia_of_symbols() -> None:
    body = Inertia.from_com("m", ["x", 0, 0], [["Ix", 0, 0], [0, "Iy", 0], [0, 0, "Iz"]])
    assert [to_text(value) for _, value in body.items()] == [
        *("Ix", "0", "0", "Iy + m*(x*x)", "0", "Iz + m*(x*x)"),
        *("m*x", "0", "0", "m"),
    ]


def test_inertia_about_the_origin_is_taken_as_it_is() -> None:
    body = Inertia.from_origin(2, [0.5, 0, 0], TENSOR)
    assert (number("0.3"), number("0.03"), number("1"), number("2")) == (body.XX, body.YZ, body.MX, body.M)


@pytest.mark.parametrize(
    ("com", "tensor", "message"),
    [
        ([0, 0], TENSOR, "com = .* is not three values"),
        ([0, 0, 0], [1, 2, 3], "three rows of three"),
        ([0, 0, 0], [[1, 0, 0.1], [0, 1, 0], [0.2, 0, 1]], "not symmetric: xz is 0.1 in row 1, 0.2 in row 3"),
    ],
)
def test_wrong_inertia(com: list[Any], tensor: list[Any], message: str) -> None:
    with pytest.raises(RobotError, match=message):
        Inertia.from_com(1, com, tensor)


# payloads and values


@pytest.mark.parametrize("seed", range(5))
def test_a_payload_in_a_frame(seed: int) -> None:
    """Pinocchio moves the payload into the link's frame and adds the two bodies."""
    rng = np.random.default_rng(seed)
    table, pose = pose_table(rng)
    payload = Inertia(**{name: as_value(float(x)) for name, x in physical_inertia(rng).items()})
    robot = replace(random_robot(seed, joints=4), frames=(Frame("tool", 3, table),))
    numbers = robot_numbers(robot)
    held = robot.attach(payload, "tool")
    wanted = as_pinocchio(robot, 3, numbers) + pose.act(as_pinocchio(replace(robot, inertias=(payload,) * 4), 1, {}))
    assert_close(as_pinocchio(held, 3, numbers).matrix(), wanted.matrix(), 1e-12)
    assert [held.inertia(j) == robot.inertia(j) for j in range(5)] == [True, True, True, False, True]


def test_a_payload_of_symbols_and_its_static_torques() -> None:
    """Torques against gravity with the payload less those without it are the model of payloads."""
    robot = symoro.load("puma560")
    payload = Inertia.from_com("MP", ["XP", "YP", "ZP"], [[0, 0, 0]] * 3)
    body = {"MP": 2.0, "XP": 0.1, "YP": -0.05, "ZP": 0.2}
    held = robot.attach(payload, 6).with_values(body)
    q = np.linspace(-1, 1, 6)
    wanted = one(symoro.gravity(held), q=q) - one(symoro.gravity(robot), q=q)
    assert_close(one(symoro.payload_torques(robot, 6), q=q, payload=np.array([*body.values()])), wanted, 1e-12)


def test_a_payload_on_the_link_of_a_joint() -> None:
    robot = symoro.load("puma560")
    assert robot.attach(Inertia(M=number("3")), "elbow") == robot.attach(Inertia(M=number("3")), 3)


def test_a_payload_on_the_base_and_on_no_link() -> None:
    robot = symoro.load("planar2r")
    assert number("3") == robot.attach(Inertia(M=number("3")), 0).base.inertia.M
    with raised("descriptions.no_such_link", RobotError, link=7):
        robot.attach(Inertia(), 7)
    with raised("descriptions.no_frame_called", RobotError, name="hand"):
        robot.attach(Inertia(), "hand")


def test_values_are_added() -> None:
    robot = symoro.load("planar2r").with_values({"L1": 0.7, "M2": "2*m", "m": 1.5})
    assert robot_numbers(robot)["M2"] == 3.0
    assert evaluate(robot.joint(2).d, robot_numbers(robot)) == 0.7
    with pytest.raises(RobotError, match=r"L11 is not a symbol .*did you mean L1"):
        robot.with_values({"L11": 1})
    with raised("descriptions.value_of_variable", RobotError, name="q1"):
        robot.with_values({"q1": 1})


# rows


def test_modified_rows_are_those_of_a_file() -> None:
    robot = load("puma560")
    rows = [
        {
            **{name: getattr(joint, name) for name in ("name", "kind", "alpha", "d", "theta", "r")},
            "inertia": robot.inertia(joint.index),
            "drive": robot.drive(joint.index),
            "wrench": robot.wrench(joint.index),
        }
        for joint in robot.joints
    ]
    again = Robot.from_mdh(rows, robot.name, gravity=robot.gravity, values=robot.values)
    assert again == replace(robot, title="", source="", frames=())


def test_the_shortest_rows() -> None:
    robot = Robot.from_mdh([{}, (0, "L1", 0, 0), ("pi/2", 0, 0, 0, "p"), {"kind": "f", "d": 0.1}], "arm")
    assert [joint.kind.value for joint in robot.joints] == ["revolute", "revolute", "prismatic", "fixed"]
    assert [joint.variable for joint in robot.joints] == ["q1", "q2", "q3", None]
    assert [joint.parent for joint in robot.joints] == [0, 1, 2, 3]
    assert to_text(robot.joint(2).d) == "L1"
    assert symoro.check(robot) is None or not [p for p in symoro.check(robot) if p.severity == "error"]


def test_a_tree_by_names_and_numbers() -> None:
    rows = [{"name": "torso"}, {"name": "left"}, {"name": "right", "parent": "torso"}, {"parent": 0, "gamma": "pi"}]
    assert [joint.parent for joint in Robot.from_mdh(rows).joints] == [0, 1, 1, 0]


def test_offsets_and_variables() -> None:
    rows = [{"offset": math.pi / 2}, {"theta": "th2 - pi/2"}, {"kind": "prismatic", "r": "x + L", "variable": "x"}]
    robot = Robot.from_mdh(rows)
    assert [to_text(joint.position) for joint in robot.joints] == ["q1 + pi/2", "th2 - pi/2", "x + L"]
    assert [joint.variable for joint in robot.joints] == ["q1", "th2", "x"]
    assert robot.notes == ("row 1: offset: 1.5707963267948966 is taken as pi/2",)


def test_standard_rows_are_those_of_a_table() -> None:
    text = """convention = standard
name,kind,theta,d,a,alpha,offset
waist,r,q1,0.3,0,pi/2,0
elbow,r,q2,0,0.4,0,pi/2
x,p,0,q3,a3,A3,
"""
    rows = [
        {"name": "waist", "d": 0.3, "alpha": math.pi / 2},
        {"name": "elbow", "a": 0.4, "offset": "pi/2"},
        {"name": "x", "kind": "prismatic", "a": "a3", "alpha": "A3"},
    ]
    assert Robot.from_dh(rows, "arm") == dh.read_text(text, "arm").robot


@pytest.mark.parametrize("seed", range(3))
def test_standard_rows_give_the_product_of_their_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, q = rng.normal(size=(4, 4)), rng.normal(size=4)
    kinds = [JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.REVOLUTE, JointKind.REVOLUTE]
    robot = Robot.from_dh(
        [
            {"a": a, "alpha": alpha, "offset": theta if k is JointKind.REVOLUTE else d, "kind": k}
            | ({"d": d} if k is JointKind.REVOLUTE else {"theta": theta})
            for (theta, d, a, alpha), k in zip(rows, kinds, strict=True)
        ]
    )
    T = np.eye(4)
    for (theta, d, a, alpha), k, x in zip(rows, kinds, q, strict=True):
        turn, slide = (theta + x, d) if k is JointKind.REVOLUTE else (theta, d + x)
        c, s, ca, sa = np.cos(turn), np.sin(turn), np.cos(alpha), np.sin(alpha)
        T = T @ [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, slide], [0, 0, 0, 1]]
    assert_close(one(symoro.forward_geometry(robot, "flange"), q=q), T, 1e-12)


def test_the_inertia_of_a_standard_row_is_at_the_end_of_its_link() -> None:
    """A point at the origin of the table's frame is at a along x of the joint's frame."""
    robot = Robot.from_dh([{"a": 0.5, "alpha": "pi/2", "inertia": Inertia(M=as_value(2))}])
    assert (number("1"), number("0.5")) == (robot.inertia(1).MX, robot.inertia(1).ZZ)
    symbolic = Robot.from_dh([{"a": 0.5, "inertia": "symbolic"}])
    assert symbolic.inertia(1) == Inertia.symbolic(1)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "there are no rows"),
        ([{}, {"alfa": 1}], r"row 2 \(joint2\): unknown key 'alfa' \(allowed: gamma, b, alpha"),
        ([{}, {"name": "elbow", "kind": "x"}], r"row 2 \(elbow\): kind = 'x' is not a joint kind \(allowed: revolute"),
        ([{}, (1, 2, 3)], r"row 2 = \(1, 2, 3\) is not a row .*\(alpha, d, theta, r\)"),
        ([{}, {"parent": 2}], r"row 2 .*parent = 2 is not a row before it \(allowed: 0 to 1"),
        ([{"name": "a"}, {"parent": "b"}], r"parent = 'b' is not a row .*; a\)"),
        ([{"d": "2*"}], r"row 1 \(joint1\): d: "),
        ([{"theta": "pi/2"}], r"row 1 .*theta = pi/2 has no variable .*offset"),
        ([{"theta": "a + b"}], r"row 1 .*has 2 symbols: say which"),
        ([{"theta": "a", "variable": "b"}], r"variable = 'b' is not in theta = a"),
        ([{"kind": "fixed", "offset": 1}], "a fixed joint has no variable"),
        ([{"actuated": 1}], r"actuated = 1 \(allowed: True, False\)"),
        ([{"inertia": {"mass": 1}}], r"inertia = .* is not a table \(allowed: a mapping of XX"),
        ([{"drive": {"IA": "1+"}}], r"row 1 \(joint1\): drive: "),
    ],
)
def test_an_error_names_its_row(rows: list[Any], message: str) -> None:
    with pytest.raises(RobotError, match=message):
        Robot.from_mdh(rows)


def test_a_built_robot_is_written_and_read_again() -> None:
    payload = Inertia.from_com("MP", ["XP", "0.1", 0], TENSOR)
    robot = Robot.from_mdh([{"inertia": "symbolic"}, {"d": "L1", "inertia": "symbolic"}], "arm").attach(payload, 2)
    assert toml.read_text(toml.write_text(robot), "arm").robot == robot


def test_rows_with_one_name_are_refused() -> None:
    for rows in ([{"name": "a"}, {"name": "a", "d": 1}], [{"name": "joint2"}, {"d": 1}]):
        with raised("descriptions.name_taken"):
            Robot.from_mdh(rows, "x")


def test_degrees_in_the_last_row_of_a_standard_table_get_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"row 2 \(joint2\): alpha = 90") as found:
        Robot.from_dh([(0, 0.3, 0, 0), (0, 0, 0.4, 90)], "x")
    assert [warning.filename for warning in found] == [__file__]


@pytest.mark.parametrize("gravity", ["down", 9.81])
def test_gravity_that_is_no_vector_is_refused(gravity: Any) -> None:
    with raised("descriptions.gravity"):
        Robot.from_mdh([{}], gravity=gravity)


def test_a_payload_that_is_no_inertia_is_refused() -> None:
    with raised("descriptions.payload"):
        symoro.load("planar2r").attach(5, 2)  # type: ignore[arg-type]
