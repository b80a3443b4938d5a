"""Files of parallel robots: what is written is read again as the same robot, and problems have their lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import symoro
from support.other_legs import ROBOTS
from support.raised import raised
from symoro.errors import FormatError, RobotError
from symoro.formats import lost, reread, toml
from symoro.robot import library
from symoro.robot.link import Wrench
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Attachment, Robot
from symoro.robot.symbolic import with_symbols
from symoro.robot.values import parse, to_text


def loaded(name: str) -> Robot:
    robot = symoro.load(name)
    assert robot.platforms
    return robot


@pytest.mark.parametrize("name", [*library.parallel_names(), *ROBOTS])
def test_a_file_gives_the_same_robot(name: str) -> None:
    robot = ROBOTS[name]() if name in ROBOTS else loaded(name)
    text = toml.write_text(robot)
    assert text.count("[[legs]]") == len(robot.legs)
    assert text.count("[leg]") == 1
    assert reread(robot, "robot.toml") == robot
    assert lost(robot, "robot.toml") == []


def test_numbers_of_one_leg_and_a_wrench_are_kept(tmp_path: Path) -> None:
    robot = loaded("delta").with_values({"L1_2": 0.31}).exert(Wrench.symbolic("P"), "platform")
    symoro.write(robot, tmp_path / "delta.toml")
    again = symoro.load(tmp_path / "delta.toml")
    assert again == robot
    assert "L1_2 = 0.31" in (tmp_path / "delta.toml").read_text(encoding="utf-8")
    assert 'wrench = "symbolic"' in (tmp_path / "delta.toml").read_text(encoding="utf-8")


def mixed() -> Robot:
    """Legs of different kinds, one of which shares a symbol with the platform."""
    delta, tripod = loaded("delta"), loaded("3rps")
    ends = (delta.attachments[0], tripod.attachments[1], Attachment.at(["W", 0, 0]))
    legs = (delta.legs[0], tripod.legs[1], tripod.legs[2])
    return ParallelRobot(delta.platform, legs, ends, "mixed", values={**delta.values, "W": 0.1})


def test_legs_that_differ_have_tables_of_their_own() -> None:
    text = toml.write_text(mixed())
    assert "[leg]" not in text
    assert reread(mixed(), "mixed.toml") == mixed()


def test_a_problem_of_a_leg_s_own_tables_has_its_line() -> None:
    lines = toml.write_text(mixed()).split("\n")
    places = [n for n, line in enumerate(lines) if line == 'kind = "prismatic"']
    lines[places[1]] = 'kind = "helical"'
    with pytest.raises(FormatError) as error:
        toml.read_text("\n".join(lines), "mixed", "mixed.toml")
    assert [problem.line for problem in error.value.problems] == [places[1] + 1]


def test_what_a_check_finds_in_a_leg_or_at_the_platform_has_its_line() -> None:
    slider = 'kind = "prismatic"\nalpha = '
    text = library.text("gough-stewart").replace(f'{slider}"pi/2"', f"{slider}90").replace("MP = 20", "MP = -20")
    lines = text.split("\n")
    said = {lines[(problem.line or 0) - 1]: problem.message for problem in toml.read_text(text, "gough").problems}
    assert said["alpha = 90"].startswith("leg 6: joint 3: alpha = 90 is 90 rad")
    assert said['inertia = "symbolic"'] == "platform: the mass of its link is negative: -20"
    wrong = text.replace('attachment = "spherical"', 'attachment = "spherical"\nend = "tip"')
    with pytest.raises(FormatError) as caught:
        toml.read_text(wrong, "gough")
    errors = [problem for problem in caught.value.problems if problem.severity == "error"]
    assert [wrong.split("\n")[(problem.line or 0) - 1] for problem in errors] == ["[[legs]]"] * 6


def test_other_formats_and_symbols_are_refused(tmp_path: Path) -> None:
    for name in ("delta.urdf", "delta.par", "delta.csv"):
        with raised("files.platform", FormatError):
            symoro.write("delta", tmp_path / name)
        with raised("files.platform", FormatError):
            lost(loaded("delta"), name)
    with raised("descriptions.symbols_of_legs", RobotError):
        with_symbols(loaded("delta"))


ROUNDED = """kind = "parallel"
name = "rounded"
gravity = [0, 1e-17, -9.81]
[platform]
inertia = {M = 1, XX = 0.1, XY = 1e-17, YY = 0.1, ZZ = 0.1}
home = [[1, 6e-17, 0, 0], [-6e-17, 1, 0, 0], [0, 0, 1, 0.9], [0, 0, 0, 1]]
"""
ROUNDED_LEG = """
[[legs]]
base = {gamma = GAMMA, alpha = 1.5707963267948966, d = 0.6}
platform = [POINT, 0]
[[legs.joints]]
actuated = false
[[legs.joints]]
kind = "prismatic"
alpha = 1.5707963267948966
inertia = {M = 1, MZ = -0.3}
"""


def rounded() -> str:
    places = [("0", "0.4, 0"), ("2.0943951023931953", "-0.2, 0.35"), ("4.1887902047863905", "-0.2, -0.35")]
    return ROUNDED + "".join(ROUNDED_LEG.replace("GAMMA", g).replace("POINT", p) for g, p in places)


def test_rounded_numbers_of_every_part_become_exact_with_a_note_at_their_line() -> None:
    reading = toml.read_text(rounded(), "rounded")
    notes = [problem for problem in reading.problems if problem.code == "values.exact"]
    lines = rounded().split("\n")
    at = [lines[(note.place.line or 0) - 1].partition(" ")[0] for note in notes]
    assert at.count("base") == 5  # alpha of three legs, gamma of two
    assert at.count("alpha") == 3
    assert {"gravity", "inertia", "home"} <= {*at}
    assert {to_text(joint.alpha) for joint in reading.robot.joints if joint.movable} == {"pi/2"}
    assert reread(reading.robot, "rounded.toml") == reading.robot
    assert lost(reading.robot, "rounded.toml") == []


def test_what_a_file_makes_exact_is_not_lost() -> None:
    leg = Robot.from_mdh([{}, {"kind": "prismatic", "alpha": "pi/2"}], "leg")
    first = replace(leg.joint(1), alpha=parse("1.5707963267948966"))
    one = replace(leg, joints=(first, *leg.joints[1:]))
    assert lost(one, "one.toml") == []


def test_a_platform_or_a_base_in_degrees_gets_a_warning() -> None:
    text = rounded().replace("platform = [0.4, 0, 0]", "platform = {alpha = 90}")
    found = [problem for problem in toml.read_text(text, "rounded").problems if problem.code == "descriptions.degrees"]
    assert [text.split("\n")[(problem.place.line or 0) - 1] for problem in found] == ["platform = {alpha = 90}"]
