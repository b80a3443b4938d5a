"""The skeleton of a robot against Pinocchio's placements, and pictures as files that other programs read."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.kinematics import Reference
from support.raised import raised
from support.random_robots import random_robot
from support.samples import some
from symoro.errors import MissingParameter, ShapeError, SymoroError
from symoro.report.curves import plot
from symoro.report.skeleton import skeleton
from symoro.robot import library
from symoro.robot.values import evaluate


@pytest.mark.parametrize("seed", some(2, of=40))
def test_frames_are_where_pinocchio_has_them(seed: int) -> None:
    robot = random_robot(seed, structure="tree" if seed % 2 else "serial", kinds="prismatic")
    q = np.random.default_rng(seed).normal(size=sum(joint.movable for joint in robot.joints))
    shape, reference = skeleton(robot, q), Reference(robot, q)
    for j in range(robot.link_count + 1):
        assert_close(shape.poses[j], reference.pose(j).homogeneous, 1e-10)


@pytest.mark.parametrize("name", ["delta-parallelogram", "3rps", "five-bar-legs"])
def test_legs_meet_the_platform_at_their_attachments(name: str) -> None:
    """Legs with loops inside are drawn, too."""
    robot = symoro.load(name)
    shape, numbers = skeleton(robot), robot.values.numbers()
    (platform,) = robot.platforms
    for tie, attachment in zip(shape.ties, robot.attachments, strict=True):
        point = [evaluate(x, numbers) for x in attachment.point]
        assert_close(tie[2], (shape.poses[platform] @ [*point, 1.0])[:3], 1e-12)
        assert_close(tie[1], tie[2], 1e-9)


@pytest.mark.parametrize("name", library.names())
def test_a_line_goes_by_b_d_and_r_from_frame_to_frame(name: str) -> None:
    robot = symoro.load(name)
    shape, numbers = skeleton(robot), robot.values.numbers()
    for joint in robot.joints:
        line = shape.lines[joint.index]
        assert_close(line[0], shape.poses[joint.parent][:3, 3], 1e-12)
        assert_close(line[-1], shape.poses[joint.index][:3, 3], 1e-12)
        if not any(cut.joint == joint.index for cut in robot.cuts):
            assert np.linalg.norm(line[2] - line[1]) == pytest.approx(abs(evaluate(joint.d, numbers)), abs=1e-9)


@pytest.mark.parametrize("name", [name for name in library.names() if symoro.load(name).cuts])
def test_without_a_configuration_the_loops_are_closed(name: str) -> None:
    robot = symoro.load(name)
    shape, numbers = skeleton(robot), robot.values.numbers()
    for cut in robot.cuts:
        pin = robot.joint(cut.joint)
        line = shape.lines[cut.joint]
        assert np.linalg.norm(line[2] - line[1]) == pytest.approx(abs(evaluate(pin.d, numbers)), abs=1e-6)


@pytest.mark.parametrize("name", library.names())
def test_every_robot_of_the_library_has_a_picture(name: str, tmp_path: Path) -> None:
    symoro.draw(name, to=tmp_path / "first.svg")
    root = ElementTree.parse(tmp_path / "first.svg").getroot()
    assert root.tag.endswith("svg")
    texts = {text.strip() for text in root.itertext()}
    assert (symoro.load(name).title or name) in texts


def test_a_picture_is_the_same_on_every_run(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        symoro.draw("planar2r", [0.5, 0.7], to=tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    plot([0, 1], [[1, 2], [3, 4]], ["q1", "q2"], to=tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    with pytest.raises(SymoroError, match=r"'.xyz' is not a picture \(allowed: .*svg"):
        symoro.draw("planar2r", to=tmp_path / "arm.xyz")
    with raised("runtime.shape", ShapeError):
        symoro.draw("planar2r", [0.1])
    with raised("errors.no_value", MissingParameter):
        symoro.draw(symoro.Robot.from_mdh([(0, 0, 0, 0), (0, "L1", 0, 0)]))
    with pytest.raises(ShapeError, match="a row for each time"):
        plot([0, 1], [[1, 2]], ["q1", "q2"])


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SymoroError, match=r"pip install 'symoro\[plot\]'"):
        symoro.draw("planar2r")
