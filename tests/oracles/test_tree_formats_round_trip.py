"""A robot that is written as URDF, MJCF, SDF, TOML or .par and read again has the same models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from support.close import assert_close
from support.random_robots import random_robot
from support.robot_files import URDF, urdf_files
from support.table_numbers import table
from symoro import formats
from symoro.formats import mjcf, par, sdf, toml, urdf
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

FORMATS: dict[str, Any] = {"urdf": urdf, "mjcf": mjcf, "sdf": sdf, "toml": toml, "par": par}


def assert_same(first: Robot, second: Robot, tolerance: float) -> None:
    """The same joints by name, and the same frames, torques and matrices."""
    names = [j.name for j in first.joints if j.variable]
    assert sorted(names) == sorted(j.name for j in second.joints if j.variable)
    there = [[j.name for j in second.joints if j.variable].index(name) for name in names]
    a, b = table(first), table(second)
    q, qd, qdd = (np.random.default_rng(k).uniform(-1.5, 1.5, len(names)) for k in range(3))
    x, xd, xdd = (np.zeros(len(names)) for _ in range(3))
    x[there], xd[there], xdd[there] = q, qd, qdd
    frames, others = a.frames(q), b.frames(x)
    for name in frames:
        found = others[name] if name in others else others[f"{name}_link"]  # SDF has no link with the name of a joint
        assert_close(found, frames[name], tolerance)
    if names:
        assert_close(b.torques(x, xd, xdd)[there], a.torques(q, qd, qdd), tolerance)
        assert_close(b.inertia(x)[np.ix_(there, there)], a.inertia(q), tolerance)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", urdf_files(quick=6))
def test_files_written_and_read_again(name: str, form: str) -> None:
    robot = formats.read(URDF[name]).robot
    text = FORMATS[form].write_text(robot)
    assert_same(robot, FORMATS[form].read_text(text, robot.name).robot, 1e-12)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seed", range(6))
def test_random_trees_written_and_read_again(seed: int, form: str) -> None:
    upright = tuple(as_value(x) for x in (0, 0, -9.81))
    robot = replace(random_robot(seed, structure="tree", kinds="prismatic"), gravity=upright)
    text = FORMATS[form].write_text(robot)
    assert_same(robot, FORMATS[form].read_text(text, robot.name).robot, 1e-12)
