"""symoro convert between the formats of robot files, with symbols, packages and arguments; shapes are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pinocchio as pin
import pytest

import symoro
from support.robot_files import URDF
from support.written_urdf import PUMA, joint, link
from symoro.cli import main
from symoro.robot.values import evaluate, to_text

PANDA = URDF["panda_description/urdf/panda.urdf"]


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return int(ended.value.code or 0)


@pytest.mark.parametrize("suffix", ["toml", "par", "urdf", "xml", "sdf"])
def test_each_format_holds_an_arm(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(PUMA, encoding="utf-8")
    out = tmp_path / f"out.{suffix}"
    assert run("convert", str(tmp_path / "arm.urdf"), str(out)) == 0
    found = symoro.compare(tmp_path / "arm.urdf", out).differences
    assert {one.what for one in found} <= {"limit"}, [str(one) for one in found]


def test_symbols_have_the_numbers_of_the_file(tmp_path: Path) -> None:
    out = tmp_path / "panda.toml"
    assert run("convert", str(PANDA), str(out), "--symbols", "geometry,inertia") == 0
    robot = symoro.load(out)
    assert [to_text(robot.joint(j).d) for j in (4, 5)] == ["D4", "-D4"]  # equal lengths are one symbol
    assert evaluate(robot.values["D4"], {}) == 0.0825
    assert to_text(robot.inertia(3).XY) == "XY3"
    assert robot.base.inertia == symoro.load(PANDA).base.inertia
    assert run("convert", str(PANDA), str(out), "--symbols", "lengths", "--force") == 1


def test_a_rewritten_urdf_keeps_its_shapes(tmp_path: Path) -> None:
    out = tmp_path / "panda.urdf"
    assert run("convert", str(PANDA), str(out)) == 0
    poses = []
    for path in (PANDA, out):
        model = pin.buildModelFromUrdf(str(path))
        shapes = pin.buildGeomFromUrdf(model, str(path), pin.GeometryType.VISUAL, package_dirs=[str(PANDA.parents[4])])
        poses.append({one.name: one.placement.homogeneous.round(9).tolist() for one in shapes.geometryObjects})
    assert poses[0] == poses[1]
    assert poses[0]


def test_packages_and_arguments_of_a_xacro_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrap = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">{}</robot>'
    parts = tmp_path / "parts"
    parts.mkdir()
    inner = link("${name}b") + joint("j", "a", "${name}b")
    macro = f'<xacro:macro name="arm" params="name">{inner}</xacro:macro>'
    (parts / "arm.xacro").write_text(wrap.format(macro), encoding="utf-8")
    text = '<xacro:arg name="side" default=""/><xacro:include filename="$(find my_parts)/arm.xacro"/>'
    call = link("a") + '<xacro:arm name="$(arg side)"/>'
    (tmp_path / "arm.xacro").write_text(wrap.format(text + call), encoding="utf-8")
    words = ["convert", str(tmp_path / "arm.xacro"), str(tmp_path / "arm.toml")]
    assert run(*words) == 1
    assert run(*words, "--package", f"my_parts={parts}", "--arg", "side=left_") == 0
    assert [frame.name for frame in symoro.load(tmp_path / "arm.toml").frames] == ["a", "left_b"]
    given = ["--package", f"my_parts={parts}", "--arg", "side=left_"]
    assert run("check", str(tmp_path / "arm.xacro")) == 1
    assert run("check", str(tmp_path / "arm.xacro"), str(tmp_path / "arm.toml"), *given) == 0
    capsys.readouterr()
    assert run("show", str(tmp_path / "arm.xacro"), *given, "--json") == 0
    assert [frame["name"] for frame in json.loads(capsys.readouterr().out)["frames"]] == ["a", "left_b"]


def test_what_a_format_does_not_hold_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("convert", "puma560", str(tmp_path / "puma.urdf"), "--json") == 0
    listed = json.loads(capsys.readouterr().out)["lost"]
    assert listed == ["wrenches", "symbols", "rotor inertia"]


def test_check_can_fail_for_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For continuous integration: a link of negative mass is a warning, with file and line."""
    (tmp_path / "arm.urdf").write_text(PUMA, encoding="utf-8")
    wrong = PUMA.replace('<mass value="', '<mass value="-', 2)
    assert wrong != PUMA
    (tmp_path / "wrong.urdf").write_text(wrong, encoding="utf-8")
    assert run("check", str(tmp_path / "arm.urdf"), "--strict") == 0
    assert run("check", str(tmp_path / "wrong.urdf")) == 0
    assert run("check", str(tmp_path / "wrong.urdf"), "--strict") == 1
    assert "wrong.urdf:" in capsys.readouterr().out
