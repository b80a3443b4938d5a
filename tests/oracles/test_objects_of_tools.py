"""Robots from models of Pinocchio, and models of Pinocchio and MuJoCo from robots."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support import written_urdf as written
from support.close import assert_close
from support.mujoco_peer import MuJoCo
from support.pinocchio_by_name import assert_same
from support.random_robots import random_robot
from support.robot_files import URDF
from support.table_numbers import table
from symoro.errors import RobotError
from symoro.robot.values import as_value, evaluate

NAMES = (
    "a1_description/urdf/a1.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "panda_description/urdf/panda.urdf",
    "romeo_description/urdf/romeo_small.urdf",
    "ur_description/urdf/ur5_robot.urdf",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_model_of_pinocchio(name: str) -> None:
    model = pin.buildModelFromUrdf(str(URDF[name]))
    assert_same(symoro.from_pinocchio(model), model)


def test_a_model_of_pinocchio_with_joints_that_follow_others(tmp_path: Path) -> None:
    geared = 'joint="first" multiplier="-2" offset="0.3"'
    text = written.robot(
        *(written.link(f"l{k}") for k in range(4)),
        written.joint("first", "l0", "l1", "0 0 0.4"),
        written.joint("geared", "l1", "l2", "0.3 0 0.2", "1 0.2 0.5", "0 1 0", mimic=geared),
        written.joint("slide", "l2", "l3", axis="1 0 0", type="prismatic", mimic='joint="first" multiplier="0.1"'),
    )
    (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
    model = pin.buildModelFromUrdf(str(tmp_path / "robot.urdf"), mimic=True)
    found = symoro.from_pinocchio(model)
    assert [j.variable for j in found.joints] == ["q1", None, None]
    assert_same(found, model)


def test_a_model_of_pinocchio_with_a_free_flyer() -> None:
    model = pin.buildModelFromUrdf(str(URDF[NAMES[0]]), pin.JointModelFreeFlyer())
    robot = symoro.from_pinocchio(model)
    assert robot.base.kind.value == "floating"
    assert evaluate(robot.base.inertia.M, {}) == pytest.approx(model.inertias[1].mass, rel=1e-14)


@pytest.mark.parametrize("name", ["from_pinocchio", "from_mujoco", "from_toolbox"])
def test_other_objects_are_refused(name: str) -> None:
    with pytest.raises(RobotError, match="allowed: a"):
        getattr(symoro, name)(3)


@pytest.mark.parametrize("seed", range(4))
def test_models_of_tools_from_robots(seed: int) -> None:
    upright = tuple(as_value(x) for x in (0.5, -1, -9.81))
    robot = replace(random_robot(seed, structure="tree", kinds="prismatic"), gravity=upright)
    assert_same(robot, symoro.to_pinocchio(robot))
    peer = MuJoCo.of(symoro.to_mujoco(robot))
    ours = table(robot)
    q, qd, qdd = (np.random.default_rng(k).uniform(-1, 1, peer.model.nv) for k in range(3))
    names = [j.name for j in robot.joints if j.variable]
    there = [int(peer.model.joint(name).dofadr[0]) for name in names]
    x, xd, xdd = (np.zeros(len(names)) for _ in range(3))
    x[there], xd[there], xdd[there] = q, qd, qdd
    peer.at(x, xd, xdd)
    IA = peer.model.dof_armature[there]
    assert_close(ours.torques(q, qd, qdd) + IA * qdd, peer.data.qfrc_inverse[there], 1e-8)


def test_models_of_tools_from_names_and_paths(tmp_path: Path) -> None:
    symoro.write("ur5", tmp_path / "ur5.toml")
    for robot in ("ur5", tmp_path / "ur5.toml"):
        assert symoro.to_pinocchio(robot).nv == 6
        assert symoro.to_mujoco(robot).nv == 6
