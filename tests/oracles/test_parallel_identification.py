"""Identification models of parallel robots: columns give the torques, and their numbers are those of a sampled rank."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.close import assert_close
from symoro.model import model
from symoro.models.parallel.motions import random_motions
from symoro.robot.parallel import ParallelRobot

OTHERS = [pytest.param(name, marks=pytest.mark.long) for name in ("planar-3rrr", "delta", "hexa", "agile-eye")]


def loaded(name: str) -> ParallelRobot:
    robot = symoro.load(name)
    assert isinstance(robot, ParallelRobot)
    return robot


@pytest.mark.parametrize("name", ["3rps", *OTHERS])
def test_columns_and_base_parameters_give_the_torques(name: str) -> None:
    robot = loaded(name)
    T, V, VP = random_motions(robot, 12)
    GAM = model("inverse_dynamics", robot, optimize=False).compile("numpy")(T, V, VP)
    numbers = robot.values.numbers()
    standard = model("dynamic_regressor", robot, optimize=False)
    D = standard.compile("numpy")(T, V, VP)
    assert_close(D @ np.array([numbers[column] for column in standard.columns]), GAM, 1e-10)
    base = symoro.base_parameters(robot, friction=True)
    regrouped = model("dynamic_regressor", robot, params="base", optimize=False)
    kept = [regrouped.columns.index(column) for column in base.parameters]
    D = regrouped.compile("numpy")(T, V, VP)[..., kept]
    assert_close(D @ np.array([base.numbers[column] for column in base.parameters]), GAM, 1e-8)


def test_numbers_of_base_parameters_of_the_gough_stewart_platform() -> None:
    """10 of the platform and 13 of each leg; the singular values fall from 1e-3 to 1e-16."""
    robot = loaded("gough-stewart")
    assert len(symoro.base_parameters(robot).inertial) == 10 + 6 * 13
    assert len(symoro.base_parameters(robot, alike=True).inertial) == 10 + 13
    standard = model("dynamic_regressor", robot, optimize=False)
    D = standard.compile("numpy")(*random_motions(robot, 60)).reshape(-1, len(standard.columns))
    links = [k for k, name in enumerate(standard.columns) if name[:2] not in ("IA", "FV", "FS")]
    values = np.linalg.svd(D[:, links] / np.maximum(np.linalg.norm(D[:, links], axis=0), 1e-9), compute_uv=False)
    assert values[87] > 1e-4
    assert values[88] < 1e-12
