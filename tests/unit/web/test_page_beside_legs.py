"""Robots on the page with joints beside the legs of a platform: a tripod with an arm and a slider, and on wheels."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.spatial.transform import Rotation

import symoro
from support.arms_beside_legs import driven, robot
from support.close import assert_close
from support.mechanisms import Mechanism
from support.platforms import joint_positions
from support.raised import raised
from symoro.errors import MotionError, RobotError
from symoro.formats import toml
from symoro.models.parallel.platform import home
from symoro.robot import library
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.web.document import document_of, reading
from symoro.web.motion import played
from symoro.web.requests import Document, Play
from symoro.web.tasks import run

ON_WHEELS = """
[base]
kind = "mobile"
inertia = {M = 20, XX = 1, YY = 1, ZZ = 2}
wheels = [{joint = "left", radius = 0.1}, {joint = "right", radius = 0.1}]

[[joints]]
name = "left"
alpha = "-pi/2"
r = 0.3
inertia = {M = 1, XX = 0.1, YY = 0.1, ZZ = 0.1}

[[joints]]
name = "right"
parent = 0
alpha = "-pi/2"
r = -0.3
inertia = {M = 1, XX = 0.1, YY = 0.1, ZZ = 0.1}

[[joints]]
name = "arm"
parent = "platform"
inertia = {M = 1, XX = 0.1, YY = 0.1, ZZ = 0.1}

[[frames]]
name = "tool"
link = "arm"
pose = [[1, 0, 0, 0.2], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]

[[frames]]
name = "eye"
link = 4

[leg]"""


def on_wheels() -> Robot:
    return toml.read_text(library.text("3rps").replace("[leg]", ON_WHEELS, 1), "x").robot


# the document


@pytest.mark.parametrize("made", [robot, driven, on_wheels])
def test_a_document_is_the_robot_again(made: Any) -> None:
    found, problems = reading(Document(**document_of(made())))
    assert found == made()
    assert not problems


def test_rows_follow_those_of_the_legs_and_the_platform_is_the_link_behind_them() -> None:
    found = document_of(robot())
    assert [(row["name"], row["parent"], row["variable"]) for row in found["joints"][6:]] == [
        ("shoulder", 10, "q1"), ("elbow", 7, "q2"), ("slider", 0, "q3"),
    ]  # fmt: skip
    assert sum(leg["joints"] for leg in found["parallel"]["legs"]) == 6
    wheeled = document_of(on_wheels())
    assert [wheel["joint"] for wheel in wheeled["base"]["wheels"]] == [7, 8]
    assert [(frame["name"], frame["link"]) for frame in wheeled["frames"]] == [("tool", 9), ("eye", 10)]


def test_the_platform_comes_behind_its_tree() -> None:
    legs = symoro.load("3rps")
    tree = robot().parts.tree
    first = [3, 0, 1, 2]  # the platform, and then the others
    number = {0: 0} | {first[n] + 1: n + 1 for n in range(4)}
    joints = [replace(tree.joints[k], index=n, parent=number[tree.joints[k].parent]) for n, k in enumerate(first, 1)]
    moved = replace(tree, joints=tuple(joints), inertias=(), drives=(), wrenches=())
    other = ParallelRobot(moved, legs.legs, legs.attachments, "other", home=legs.home_pose)
    with raised("toml.order", RobotError, robot="other"):
        document_of(other)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("joints.8.d", "1 +", "a value is missing"),
        ("joints.7.inertia.XX", "1/0", "division by 0"),
        ("joints.7.inertia.M", "-2", "the mass of its link is negative"),
        ("joints.8.parent", 6, "its antecedent is"),
        ("joints.8.parent", 3, "its antecedent is"),
        ("joints.7.parent", 11, "its antecedent is"),
        ("joints.9.r", "0.3", "its variable q3 is not in r"),
        ("joints.9.alpha", "90", "looks like degrees"),
    ],
)
def test_a_problem_is_at_its_cell(path: str, text: Any, said: str) -> None:
    given: Any = document_of(robot())
    _, row, *way, last = path.split(".")
    at = given["joints"][int(row) - 1]
    for key in way:
        at = at[key]
    at[last] = text
    found = json.loads(run("check", {"robot": given})[0])["problems"]
    assert [p["joint"] for p in found if p["path"] == path and said in p["message"]] == [int(row)], found


def test_an_edit_changes_what_the_same_file_would() -> None:
    given = document_of(robot())
    given["joints"][7]["d"] = "0.45"
    found, _ = reading(Document(**given))
    joints = tuple(replace(j, d=found.joint(8).d) if j.index == 8 else j for j in robot().joints)
    assert found == replace(robot(), joints=joints)
    pose = symoro.forward_geometry(found, 8).compile()(home(found), [0.5, 0.0, 0.1])
    assert_close(pose[:3, 3], [0.45 * np.cos(0.5), 0, 0.9 + 0.45 * np.sin(0.5)], 1e-12)


def test_legs_may_not_have_more_joints_than_there_are_rows() -> None:
    given = document_of(robot())
    given["joints"] = given["joints"][:5]
    with pytest.raises(ValueError, match="more joints than the table has rows"):
        Document(**given)


def test_models_exist_and_a_file_is_written() -> None:
    given = document_of(driven())
    found = json.loads(run("check", {"robot": given})[0])
    assert not found["problems"]
    assert found["models"]["inverse_dynamics"] is None
    data = json.loads(run("model", {"robot": given, "model": "inverse_dynamics"})[0])
    names = {array["name"]: [data["symbols"][k]["link"] for k in array["symbols"]] for array in data["inputs"][3:]}
    assert names == {"q": [7, 8, 9], "qd": [7, 8, 9], "qdd": [7, 8, 9]}  # the numbers of the rows
    text = run("write", {"robot": given, "suffix": ".toml"})[0].decode()
    assert toml.read_text(text, "x").robot == driven()


# motions

T_END = 1.0
R = Polynomial([0, 0, 0, 10, -15, 6])  # (K13:8.11)
START, END = {"q1": 0.1, "q2": -0.2, "q3": 0.0}, {"q1": 0.5, "q2": 0.2, "q3": 0.1}
WAY = np.array([0.4, 0.4, 0.1])


def rows(of: Robot, last: np.ndarray, **more: Any) -> dict[str, Any]:
    poses = [T[:3].ravel().tolist() for T in (home(of), last)]
    asked = {"start": START, "end": END, "duration": T_END} | more
    return played(of, Play(robot=document_of(of), poses=poses, **asked))


def raised_by(of: Robot, height: float) -> np.ndarray:
    T = home(of).copy()
    T[2, 3] += height
    return T


def mechanism(of: Robot, found: dict[str, Any], k: int) -> Mechanism:
    """Pinocchio's open tree with multipliers at a row."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_quat(found["quat"][k]).as_matrix(), found["position"][k]
    made = Mechanism(of, T, np.r_[joint_positions(of, T), found["q"][k][3:]])
    assert made.closure() < 1e-8
    return made


@pytest.mark.parametrize("height", [0.05, 0.0])
def test_torques_along_a_line_are_those_of_multipliers(height: float) -> None:
    found = rows(driven(), raised_by(driven(), height))
    assert found["names"] == ["q2_1", "q2_2", "q2_3", "q1", "q2", "q3"]
    assert [(motor["joint"], motor["label"]) for motor in found["motors"]] == [
        (2, "2_1"), (4, "2_2"), (6, "2_3"), (7, "1"), (8, "2"), (9, "3"),
    ]  # fmt: skip
    along = np.r_[WAY, 0, 0, height, 0, 0, 0]
    for k in (0, 20, 41):
        t = found["t"][k]
        assert_close(np.array(found["q"][k][3:]) - list(START.values()), R(t) * WAY, 1e-8)
        assert_close(found["position"][k], home(driven())[:3, 3] + R(t) * along[3:6], 1e-8)
        m, places = mechanism(driven(), found, k), list(range(6, 15))
        u = m.velocities_for(R.deriv()(t) * along, places)
        assert_close(found["tau"][k], m.torques(u, m.accelerations_for(u, R.deriv(2)(t) * along, places)), 1e-6)


@pytest.mark.long
def test_all_motors_move_together_where_legs_do_not_allow_the_line() -> None:
    of = driven()
    tilted = symoro.forward_geometry(of).compile()([0.95, 1.05, 1.1], guess=home(of)).T[0]  # type: ignore[arg-type]
    found = rows(of, tilted)
    assert_close(found["position"][-1], tilted[:3, 3], 1e-7)
    D = np.array(found["q"][-1]) - np.array(found["q"][0])
    assert_close(D[3:], WAY, 1e-8)
    for k in (0, 25, 50):
        t, m = found["t"][k], mechanism(of, found, k)
        C, _ = m.constraints(np.zeros(m.count))
        motors = m.motors()
        u = np.linalg.lstsq(np.vstack([C, motors.T]), np.r_[np.zeros(len(C)), R.deriv()(t) * D], rcond=None)[0]
        C, drift = m.constraints(u)
        ud = np.linalg.lstsq(np.vstack([C, motors.T]), np.r_[-drift, R.deriv(2)(t) * D], rcond=None)[0]
        assert_close(found["twist"][k], u[-6:], 1e-6)
        assert_close(found["tau"][k], m.torques(u, ud), 1e-6)


@pytest.mark.long
@pytest.mark.parametrize(
    ("law", "offset", "off"),
    [("computed_torque", 0.0, 1e-4), ("computed_torque", 0.01, 1e-4), ("pid", 0.01, 0.01), ("pd_gravity", 0.0, 0.01)],
)
def test_a_controller_moves_all_motors(law: str, offset: float, off: float) -> None:
    found = rows(driven(), raised_by(driven(), 0.05), law=law, offset=offset, frequency=20 if off < 1e-3 else 40)
    assert_close(found["error"][0], [-offset] * 6, 1e-8)
    assert_close(found["q"][0][3:], np.array(list(START.values())) + offset, 1e-8)
    assert_close(found["q"][-1][3:], list(END.values()), off)
    assert_close(found["position"][-1], home(driven())[:3, 3] + [0, 0, 0.05], off)


@pytest.mark.long
def test_a_joint_without_a_motor_falls_from_where_it_is() -> None:
    with raised("trajectories.other_coordinates", MotionError):
        rows(robot(), raised_by(robot(), 0.05))
    found = rows(robot(), raised_by(robot(), 0.05), law="computed_torque")
    assert found["names"] == ["q2_1", "q2_2", "q2_3", "q1", "q2", "q3"]
    assert [motor["label"] for motor in found["motors"]] == ["2_1", "2_2", "2_3", "1", "3"]
    assert_close(found["q"][0][3:], list(START.values()), 1e-8)
    assert abs(found["q"][-1][4] - START["q2"]) > 0.1
    assert np.abs(found["error"]).max() < 1e-3


def test_a_motion_that_is_none_is_refused() -> None:
    with raised("page.same_pose", MotionError):
        rows(driven(), home(driven()), end=START)
