"""Identification models of parallel robots: columns give the torques, and their numbers are those of a sampled rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.raised import raised
from symoro.errors import NotApplicable
from symoro.models.parallel.motions import random_motions
from symoro.robot.robot import Robot
from symoro.robot.values import as_value, evaluate
from symoro.solve.given import model

OTHERS = [pytest.param(name, marks=pytest.mark.long) for name in ("planar-3rrr", "delta", "hexa", "agile-eye")]


def loaded(name: str) -> Robot:
    robot = symoro.load(name)
    assert robot.platforms
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


@pytest.mark.parametrize("length", ["0.19", "0.2"])
def test_base_parameters_where_legs_reach_only_some_poses_near_home(length: str) -> None:
    """The arms are nearly stretched at home: many random poses are out of their reach."""
    robot = loaded("planar-3rrr")
    shorter = robot.with_values({f"{name}_{i}": as_value(length) for name in ("L1", "L2") for i in (1, 2, 3)})
    T, V, VP = random_motions(shorter, 40)
    assert all(np.isfinite(x).all() for x in (T, V, VP))
    assert symoro.base_parameters(shorter).parameters == symoro.base_parameters(robot).parameters


@pytest.mark.parametrize(("name", "alike"), [("3rps", False), ("3rps", True), ("five-bar-legs", False)])
def test_the_matrix_and_the_robot_of_base_parameters(name: str, alike: bool) -> None:
    robot = loaded(name)
    base = symoro.base_parameters(robot, friction=True, alike=alike)
    numbers = robot.values.numbers()
    assert_close(base.matrix @ np.array([numbers[n] for n in base.standard]), [*base.numbers.values()], 1e-12)
    T, V, VP = random_motions(robot, 12)
    GAM = model("inverse_dynamics", robot, optimize=False).compile("numpy")(T, V, VP)
    assert_close(model("inverse_dynamics", base.robot, optimize=False).compile("numpy")(T, V, VP), GAM, 1e-8)
    assert "\\mathrm{MRP} &=" in base.latex()


def test_tables_of_numbers_have_the_names_of_their_places() -> None:
    """Relations, matrix and robot are those of the tables with symbols."""
    robot = loaded("five-bar-legs")
    known = robot.values.numbers()
    tables = [
        tuple(replace(table, **{n: as_value(evaluate(x, known)) for n, x in table.items()}) for table in tables)
        for tables in (robot.inertias, robot.drives)
    ]
    plain = replace(robot, inertias=tables[0], drives=tables[1])
    found, base = symoro.base_parameters(plain, friction=True), symoro.base_parameters(robot, friction=True)
    kept = [base.standard.index(name) for name in found.standard]  # without those that are 0
    assert len(kept) > 20
    assert_close(found.matrix, base.matrix[:, kept], 1e-12)
    assert_close([*found.numbers.values()], [*base.numbers.values()], 1e-12)


def test_legs_that_are_attached_in_different_ways_share_no_base_parameters() -> None:
    with raised("regressors.legs_differ", NotApplicable):
        symoro.base_parameters("five-bar-legs", alike=True)
    with pytest.raises(NotApplicable, match="attached alike"):
        symoro.dynamic_regressor("five-bar-legs", params="base", alike=True)
    assert symoro.dynamic_regressor("five-bar-legs", alike=True).columns  # of standard parameters they do
