"""The working mode of closed loops is part of the robot: every function is on the branch of its home."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symoro
from symoro.cli import main
from symoro.errors import CannotClose, CheckError, RobotError
from symoro.formats.toml import read_text, write_text
from symoro.motion.state import closed_of
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs
from symoro.robot.values import as_value
from symoro.web import tasks
from symoro.web.document import document_of, reading
from symoro.web.requests import Document

MOTORS = np.array([0.3, 2.0])


def elbows(down: bool) -> np.ndarray:
    """Both configurations of the five-bar linkage, from the circles of its outer links, without symoro."""
    numbers = symoro.load("five-bar").values.numbers()
    L0, L1, L2, L3, L4 = (numbers[f"L{k}"] for k in range(5))
    a = L1 * np.array([np.cos(MOTORS[0]), np.sin(MOTORS[0])])
    b = [L0, 0.0] + L3 * np.array([np.cos(MOTORS[1]), np.sin(MOTORS[1])])
    d = np.linalg.norm(b - a)
    along = (d**2 + L2**2 - L4**2) / (2 * d)
    height = np.sqrt(L2**2 - along**2)
    x, y = (b - a) / d
    met = a + along * np.array([x, y]) + (-1 if down else 1) * height * np.array([-y, x])
    (q2, q4) = (np.arctan2(*(met - p)[::-1]) - q for p, q in zip((a, b), MOTORS, strict=True))
    q = np.array([MOTORS[0], q2, MOTORS[1], q4])
    return np.asarray(np.remainder(q + np.pi, 2 * np.pi) - np.pi)


def met_on(q: np.ndarray) -> float:
    """On which side of the line between the elbows the outer links meet."""
    return float(np.sign(np.sin(q[0] + q[1] - q[2] - q[3])))


@pytest.fixture(params=[False, True], ids=["up", "down"])
def closed(request: pytest.FixtureRequest) -> np.ndarray:
    return elbows(request.param)


@pytest.fixture
def robot(closed: np.ndarray) -> Robot:
    return symoro.load("five-bar").with_home(closed.round(3))


def test_positions_of_the_motors(robot: Robot, closed: np.ndarray) -> None:
    assert np.allclose(symoro.loop_geometry(robot).compile()(MOTORS), closed, atol=1e-9)
    path = symoro.loop_geometry(robot).compile()([MOTORS, MOTORS + 0.1])
    assert np.allclose(path[0], closed, atol=1e-9)
    assert np.abs(path[1] - closed).max() < 0.5
    assert np.allclose(closed_of(robot), closed, atol=2e-3)


def test_a_guess_goes_before_home(robot: Robot, closed: np.ndarray) -> None:
    for other in (elbows(False), elbows(True)):
        assert np.allclose(symoro.loop_geometry(robot).compile()(MOTORS, guess=other), other, atol=1e-9)


def test_models_of_the_motors(robot: Robot, closed: np.ndarray) -> None:
    expected = symoro.gravity("five-bar", optimize=False).compile("numpy")(closed)
    of_motors = symoro.gravity(robot, given="motors", optimize=False).compile("numpy")
    assert np.allclose(of_motors(MOTORS), expected, atol=1e-9)


def test_a_simulation_begins_at_home(robot: Robot, closed: np.ndarray) -> None:
    begin = symoro.simulate(robot, duration=0.01).q[0]
    assert np.allclose(begin, closed, atol=2e-3)
    assert np.allclose(symoro.simulate(robot, duration=0.01, q0=MOTORS).q[0], closed, atol=1e-9)


def test_base_parameters_are_those_of_the_branch(robot: Robot, closed: np.ndarray) -> None:
    by_guess = symoro.base_parameters("five-bar", guess=closed)
    own = symoro.base_parameters(robot)
    assert own.relations == by_guess.relations
    assert np.allclose(own.loops.branch, closed, atol=2e-3)


def test_excitation_and_identification(robot: Robot, closed: np.ndarray) -> None:
    t, w, size = np.arange(0.0, 10.0, 0.01), np.array([1.1, 1.7]), 0.2
    qa = MOTORS + size * np.sin(t[:, None] * w)
    q = symoro.loop_geometry("five-bar").compile()(qa, guess=closed)
    qd, qdd = size * w * np.cos(t[:, None] * w), -size * w**2 * np.sin(t[:, None] * w)
    tau = symoro.inverse_dynamics("five-bar", optimize=False).compile("numpy")(q, qd, qdd)
    result = symoro.identify(robot, {"t": t, "q": qa, "tau": tau})
    assert result.error.total < 1e-6
    assert not [warning for warning in result.warnings if warning.code == "branches.several"]
    motion = symoro.excite(robot, duration=4.0, harmonics=2, starts=1)
    followed = motion.excited.placed(motion.trajectory(0.0).q[None])[0]
    assert met_on(followed) == met_on(closed)


def test_files_and_the_page_keep_it(robot: Robot, closed: np.ndarray, tmp_path: Path) -> None:
    asked = robot.taking("motors")
    assert read_text(write_text(asked), "robot").robot == asked
    symoro.write(asked, tmp_path / "robot.par")
    back = symoro.load(tmp_path / "robot.par")
    assert (back.home, back.given) == (asked.home, asked.given)
    document = document_of(asked)
    assert reading(Document(**document))[0] == asked
    assert np.allclose(tasks.loops({"robot": document})["start"], closed, atol=2e-3)


def test_commands_show_it_and_take_it(
    robot: Robot, closed: np.ndarray, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "robot.toml"
    symoro.write(robot, path)
    with pytest.raises(SystemExit, match="0"):
        main(["show", str(path), "--json"])
    home = json.loads(capsys.readouterr().out)["home"]
    assert np.allclose([float(home[f"q{k}"]) for k in range(1, 5)], closed, atol=1e-3)
    with pytest.raises(SystemExit, match="0"):
        main(["loop", str(path), "--motors", ",".join(map(str, MOTORS)), "--json"])
    assert repr(float(closed[1]))[:9] in capsys.readouterr().out


def test_springs_behind_motors_are_not_deformed_at_home(robot: Robot) -> None:
    joints = tuple(replace(j, elastic=j.index == 1, stiffness=as_value(900 * (j.index == 1))) for j in robot.joints)
    pairs = motor_spring_pairs(replace(robot, joints=joints)).home_positions
    assert (pairs["qm1"], pairs["q3"]) == (robot.home_positions["q1"], robot.home_positions["q3"])


def test_what_home_cannot_be(closed: np.ndarray) -> None:
    five_bar = symoro.load("five-bar")
    with pytest.raises(RobotError, match="home has 3 positions"):
        five_bar.with_home(closed[:3])
    with pytest.raises(CheckError, match="no closed loops"):
        symoro.gravity(symoro.load("scara").with_home([0.0] * 4), optimize=False)
    with pytest.raises(CheckError, match="home has the variable q9"):
        symoro.gravity(five_bar.with_home({"q9": 1}), optimize=False)
    with pytest.raises(CheckError, match="is no number"):
        symoro.gravity(five_bar.with_home({"q2": "L1"}), optimize=False)
    with pytest.raises(CannotClose, match="home of the robot does not close"):
        symoro.loop_geometry(five_bar.with_home([0.3, 1.0, 2.0, 1.0])).compile()(MOTORS)
    assert five_bar.with_home(closed).with_home(None) == five_bar
    delta = symoro.load("delta")
    with pytest.raises(CheckError, match="home is not"):
        symoro.gravity(delta.with_home({"q1_1": 0}), optimize=False)
