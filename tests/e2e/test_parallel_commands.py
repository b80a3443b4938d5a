"""Commands of parallel robots: files, checks and inverse geometry as users type them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import symoro as library_of_symoro

HOME = "1,0,0,0,0,1,0,0,0,0,1,"


def test_a_parallel_robot_is_converted_to_a_file(symoro, tmp_path):
    done = symoro("convert", "delta", tmp_path / "delta.toml")
    assert done.status == 0
    assert not done.err
    assert library_of_symoro.load(tmp_path / "delta.toml") == library_of_symoro.load("delta")
    refused = symoro("convert", "delta", tmp_path / "delta.urdf")
    assert refused.status == 1
    assert "allowed: a .toml file" in refused.err
    assert symoro("convert", "delta", tmp_path / "other.toml", "--symbols", "geometry").status == 1


@pytest.mark.parametrize(
    ("home", "said"), [("[0, 0, -2]", "does not reach"), ("{alpha = 0.2, r = -0.6}", "does not meet the platform")]
)
def test_check_says_of_every_leg_that_it_does_not_carry_the_platform(symoro, tmp_path, home, said):
    symoro("convert", "delta", tmp_path / "delta.toml")
    text = (tmp_path / "delta.toml").read_text(encoding="utf-8").replace("home = [0, 0, -0.6]", f"home = {home}")
    (tmp_path / "wrong.toml").write_text(text, encoding="utf-8")
    done = symoro("check", tmp_path / "wrong.toml")
    assert done.status == 1
    assert sum(said in line for line in done.out.split("\n")) == 3


def test_the_poses_of_a_platform_are_written_as_code(symoro, tmp_path):
    done = symoro("generate", "3rps", "forward_geometry", "-o", "optimize=false", "--out", tmp_path / "c", "--json")
    assert done.status == 0
    data = json.loads(done.out)
    assert data["model"] == "forward_geometry"
    assert data["ops"]["total"] > 100
    (written,) = (Path(name) for name in data["files"] if Path(name).match("*forward_geometry*.c"))
    assert "_solve(" in written.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["jacobian"], "is a package of its own"),
        (["--derivative", "q"], "is a package of its own"),
        (["-o", "link=3"], "allowed: optimize, branch"),
        (["-o", "branch=9"], "leg 1 has the branches 0 to 1"),
    ],
)
def test_what_cannot_be_written_with_the_poses_of_a_platform(symoro, tmp_path, more, said):
    done = symoro("generate", "3rps", "dgm", *more, "--out", tmp_path / "c")
    assert done.status == 2
    assert said in done.err
    assert not (tmp_path / "c").exists()


def test_a_workspace_says_which_robots_and_ranges_are_allowed(symoro):
    done = symoro("workspace", "satellite", "--x=0,1,3")
    assert done.status == 1
    assert "its base moves freely" in done.err
    done = symoro("workspace", "delta", "--x=1")
    assert done.status == 2
    assert "--x = '1' is not allowed (allowed: FROM,TO,COUNT)" in done.err


def test_branches_with_the_same_motors_share_a_row(symoro):
    data = json.loads(symoro("ik", "gough-stewart", "--pose", f"{HOME}1.1", "--json").out)
    assert [row["branches"] for row in data["solutions"]] == [[0, 1], [2, 3]]
    data = json.loads(symoro("ik", "delta", "--pose", f"{HOME}-0.6", "--json").out)
    assert [row["branches"] for row in data["solutions"]] == [[0, 2], [1, 3]]
    assert symoro("ik", "delta", "--pose", f"{HOME}-9").status == 1


def test_a_workspace_is_drawn(symoro, tmp_path):
    """A map of two coordinates: its labels are text, and the slice is named."""
    file = tmp_path / "reach.svg"
    done = symoro("workspace", "planar-3rrr", "--x=-0.4,0.4,9", "--y=-0.4,0.4,9", "--rz=0.5,0.5,1", "--picture", file)
    assert done.status == 0, done.err
    said = "".join(ElementTree.parse(file).getroot().itertext())
    for text in ("x (m)", "y (m)", "rz = 0.5", "a leg does not reach", "condition number of the platform"):
        assert text in said
    again = symoro("workspace", "planar-3rrr", "--x=0,0.1,2", "--picture", file)
    assert again.status == 1
    assert "exists" in again.err
    wrong = symoro("workspace", "planar-3rrr", "--x=0,0.1,2", "--picture", tmp_path / "reach.txt")
    assert wrong.status == 2
    assert ".svg, .png, .pdf" in wrong.err
    point = symoro("workspace", "planar-3rrr", "--x=0,0,1", "--picture", tmp_path / "point.png")
    assert point.status == 1
    assert "at least two values" in point.err
    nowhere = symoro("workspace", "planar-3rrr", "--x=0,0.1,2", "--picture", tmp_path / "no" / "reach.png")
    assert nowhere.status == 1


def test_models_files_and_checks_are_in_the_working_mode_of_the_command(symoro, tmp_path):
    modes = ("1,1,1", "0,0,0")
    shown = [symoro("show", "delta", "jacobian", "--branch", mode).out for mode in modes]
    assert shown[0] != shown[1]
    assert shown[0] == symoro("show", "delta", "jacobian").out
    for mode, equations in zip(modes, shown, strict=True):
        assert symoro("convert", "delta", tmp_path / f"{mode}.toml", "--branch", mode).status == 0
        assert library_of_symoro.load(tmp_path / f"{mode}.toml").branch == tuple(map(int, mode.split(",")))
        assert symoro("show", tmp_path / f"{mode}.toml", "jacobian").out == equations


@pytest.mark.parametrize(
    "command",
    [
        ("check", "delta"), ("count", "delta", "jacobian"), ("bench", "delta", "jacobian", "--states", "1"),
        ("generate", "delta", "jacobian"), ("report", "delta", "jacobian"),
        ("workspace", "delta", "--x", "0,0.1,2"),
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_commands_name_the_working_modes_that_a_leg_has(symoro, command):
    refused = symoro(*command, "--branch", "0,9,0")
    assert refused.status == (1 if command[0] == "check" else 2)
    assert "leg 2 has the branches 0 to 3" in refused.out + refused.err


@pytest.mark.parametrize("robot", ["five-bar", "five-bar-legs"])
def test_models_from_the_motors_are_shown_and_written(symoro, tmp_path, robot):
    plain = ("-o", "optimize=false", "--given", "motors", "--json")
    shown = json.loads(symoro("show", robot, "gravity", "--lines", 1, *plain).out)
    assert shown["options"]["given"] == "motors"
    assert shown["inputs"]["qa"] == [2]
    assert symoro("generate", robot, "gravity", "-t", "python", "--out", tmp_path / "code", *plain).status == 0
    name = f"{robot.replace('-', '_')}_gravity_from_motors_optimize_false.py"
    assert (tmp_path / "code" / name).is_file()


def test_a_file_is_written_with_the_coordinates_that_models_take(symoro, tmp_path):
    assert symoro("convert", "five-bar", tmp_path / "five.toml", "--given", "motors").status == 0
    assert library_of_symoro.load(tmp_path / "five.toml").takes == "motors"
    assert "models take the coordinates of the motors" in symoro("show", tmp_path / "five.toml").out
    for command in (["check"], ["loop"], ["base"], ["show", "loop_geometry"]):
        assert symoro(command[0], tmp_path / "five.toml", *command[1:]).status == 0
    refused = symoro("show", "puma560", "idm", "--given", "platform")
    assert refused.status == 2
    assert "'platform' is not for puma560 (allowed: joints, motors)" in " ".join(refused.err.split())


def test_the_mobility_of_a_platform_is_shown(symoro):
    assert "3 freedoms of the platform" in symoro("loop", "delta").out
    assert json.loads(symoro("loop", "delta", "--json").out)["freedom"] == 3
    assert "forward_geometry gives" in symoro("loop", "delta", "--motors", "0.1,0.1,0.1").err
