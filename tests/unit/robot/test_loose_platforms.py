"""Platforms that their motors do not hold, legs that are singular, and home poses near a singularity are named."""

from __future__ import annotations

from math import acos

import numpy as np
import pytest

import symoro
from symoro.errors import NotApplicable
from symoro.formats import toml
from symoro.models.parallel.platform import home
from symoro.models.problems import platform_problems
from symoro.robot import library
from symoro.robot.robot import Robot


def read(text: str) -> Robot:
    robot = toml.read_text(text, "robot").robot
    assert robot.platforms
    return robot


def with_twins(name: str) -> Robot:
    """The robot whose second leg is at the place of the first one."""
    head, first, _, *others = library.text(name).split("[[legs]]")
    return read("[[legs]]".join([head, first, first, *others]).replace(f'name = "{name}"', 'name = "twins"'))


@pytest.mark.parametrize(("name", "freedoms"), [("gough-stewart", 6), ("planar-3rrr", 3)])
def test_two_legs_at_one_place_do_not_hold_the_platform(name: str, freedoms: int) -> None:
    (problem,) = platform_problems(with_twins(name))
    assert problem.severity == "error"
    said = f"the motors do not hold the platform in any pose: they hold {freedoms - 1} of its {freedoms} freedoms"
    assert problem.message == f"{said}; the motors of legs 1, 2 depend on each other"


def test_models_that_need_the_motors_refuse_a_platform_that_they_do_not_hold() -> None:
    robot = with_twins("planar-3rrr")
    for model in (symoro.inverse_dynamics, symoro.jacobian, symoro.jdot_qdot, symoro.forward_geometry):
        with pytest.raises(NotApplicable, match=r"twins: the motors do not hold the platform in any pose.*legs 1, 2"):
            model(robot, optimize=False)
    free = symoro.direct_dynamics(robot, optimize=False).compile("numpy")
    assert np.isfinite(free(np.eye(4), np.zeros(6), np.zeros(3))).all()
    assert symoro.singularities(robot).at(np.eye(4)).platform > 1e12


def with_home(home: str) -> Robot:
    return read(library.text("planar-3rrr").replace("home = [0, 0, 0]", f"home = {home}"))


def test_a_home_pose_near_a_singularity_is_a_warning() -> None:
    """The rods of a planar robot lie on lines through its middle: they do not hold its rotation there.

    The knee is then at 0.45 from the middle, 0.3 from its motor, and the motor at 0.5.
    """
    angle = acos((0.45**2 + 0.5**2 - 0.3**2) / (2 * 0.45 * 0.5))
    for away, limit in ((0.0, 1e9), (1e-5, 1e4)):
        robot = with_home(f"{{theta = {angle + away!r}}}")
        assert symoro.singularities(robot).at(home(robot)).platform > limit
        warning, note = platform_problems(robot)
        assert (warning.severity, note.severity) == ("warning", "note")
        assert warning.message.startswith(
            "the home pose is near a singularity of the platform: the condition number is"
        )
    (note,) = platform_problems(with_home(f"{{theta = {angle + 0.1!r}}}"))
    assert note.severity == "note"


def test_a_leg_that_is_nearly_stretched_at_home_is_a_warning() -> None:
    """The first motor is at y = 0.5 and its attachment 0.15 above the middle; both links of its leg have 0.3."""
    warning, _ = platform_problems(with_home(f"[0, {-0.25 + 1e-10!r}, 0]"))
    assert warning.severity == "warning"
    assert warning.message.startswith("the home pose is near a singularity of leg 1: the condition number is")
    (note,) = platform_problems(with_home("[0, -0.2, 0]"))
    assert note.severity == "note"


def test_motors_that_hold_no_rotation_in_any_pose_are_named() -> None:
    robot = read(library.text("planar-3rrr").replace("d = 0.15", "d = 0"))
    (problem,) = platform_problems(robot)
    assert problem.severity == "error"
    assert "they hold 2 of its 3 freedoms; the motors of legs 1, 2, 3 depend on each other" in problem.message


LEG = """
kind = "parallel"
name = "one-leg"
[platform]
inertia = {M = 1}
home = [0.8, 0.2, 0]
[leg]
attachment = "spherical"
[[leg.joints]]
name = "hinge 1"
[[leg.joints]]
name = "hinge 2"
d = 0.6
[[leg.joints]]
name = "hinge 3"
d = 0.6
[[legs]]
"""


def test_a_leg_that_is_singular_in_every_pose_is_named() -> None:
    """The end of a leg with three parallel hinges stays in a plane, and reaches its points in a continuum of ways."""
    (problem,) = platform_problems(read(LEG))
    assert problem.severity == "error"
    assert problem.message.startswith("leg 1 of one-leg can move while the platform stands still at its home pose")
