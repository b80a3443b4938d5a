"""URDF files of many robots: the table that symoro reads, and its models, are those of Pinocchio."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.pinocchio_by_name import assert_same
from support.pinocchio_urdf import peer
from support.robot_files import REFUSED, URDF, urdf_files
from support.table_numbers import table
from support.urdf_models import assert_models_are
from symoro import formats
from symoro.errors import FormatError


def motion(count: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1.5, 1.5, count) for _ in range(3)]


@pytest.mark.parametrize("name", urdf_files(quick=1))
def test_the_table_of_a_file_is_pinocchios_model(name: str) -> None:
    robot = formats.read(URDF[name]).robot
    ours, theirs = table(robot), peer(URDF[name], robot)
    q, qd, qdd = motion(ours.G.shape[1])
    frames, expected = ours.frames(q), theirs.frames(q)
    assert frames.keys() == expected.keys()
    for link, pose in expected.items():
        assert_close(frames[link], pose, 1e-9)
    if q.size:
        assert_close(ours.torques(q, qd, qdd), theirs.torques(q, qd, qdd), 1e-9)
        assert_close(ours.inertia(q), theirs.inertia(q), 1e-9)


def test_a_file_that_is_no_robot_is_refused() -> None:
    with pytest.raises(FormatError, match=r"ur3\.urdf:6: there is no <link>"):
        symoro.load(URDF[REFUSED])


def model_files() -> list[Any]:
    """Small files in every run; all files in the long tests."""
    names = [p.values[0] for p in urdf_files(quick=1)]
    return [pytest.param(name, marks=() if name in SMALL else pytest.mark.long) for name in names]


SMALL = (
    "finger_edu_description/robots/finger_edu.urdf",
    "panda_description/urdf/panda.urdf",
    "so_arm_description/urdf/so100.urdf",
    "ur_description/urdf/ur5_robot.urdf",
)


@pytest.mark.parametrize("name", model_files())
def test_the_models_of_a_file_are_pinocchios(name: str) -> None:
    """Compiled models; friction, which Pinocchio's functions do not have, is left out."""
    robot = replace(formats.read(URDF[name]).robot, drives=())
    assert_models_are(robot, peer(URDF[name], robot))


MIMIC = (
    "baxter_description/urdf/baxter.urdf",
    "panda_description/urdf/panda.urdf",
    "panda_description/urdf/panda_collision.urdf",
    "pr2_description/urdf/pr2.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
)


@pytest.mark.parametrize("name", MIMIC)
def test_joints_that_follow_others_are_pinocchios_mimic_joints(name: str) -> None:
    """The files whose mimic joints Pinocchio reads; the others are compared by Gᵀ of its free joints."""
    model = pin.buildModelFromUrdf(str(URDF[name]), mimic=True)
    assert len(model.mimicking_joints)
    assert_same(formats.read(URDF[name]).robot, model)


@pytest.mark.long
def test_these_are_all_files_that_pinocchio_reads() -> None:
    """68 of 69 files; the other one has a clear error above."""
    read = []
    for name, path in URDF.items():
        try:
            pin.buildModelFromUrdf(str(path))
            read.append(name)
        except ValueError:
            continue
    assert (len(URDF), len(read)) == (69, 68)
    assert read == [param.values[0] for param in urdf_files(quick=1)]


@pytest.mark.parametrize("name", ["solo_description/robots/solo.urdf"])
def test_a_file_on_a_floating_base(name: str) -> None:
    """Pinocchio's free flyer has [v; ω] in the frame of the base; its acceleration is spatial: v̇ = a + ω × v."""
    robot = replace(formats.read(URDF[name], floating=True).robot, drives=())
    model = pin.buildModelFromUrdf(str(URDF[name]), pin.JointModelFreeFlyer())
    data, rng = model.createData(), np.random.default_rng(2)
    quat, V0 = rng.normal(size=4), rng.normal(size=6)
    names = [joint.name for joint in robot.joints]
    where = [model.joints[model.getJointId(joint)] for joint in names]
    x, v, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    q, qd, torque = (rng.uniform(-1, 1, len(names)) for _ in range(3))
    x[3:7], v[:6] = quat / np.linalg.norm(quat), V0
    x[[one.idx_q for one in where]], v[[one.idx_v for one in where]] = q, qd
    tau[[one.idx_v for one in where]] = torque
    expected = pin.aba(model, data, x, v, tau)
    found = symoro.direct_dynamics(robot, optimize=False).compile()(x[3:7], V0, q, qd, torque)
    condition = np.linalg.cond(data.M) if np.any(data.M) else np.linalg.cond(pin.crba(model, data, x))
    assert_close(found.QDP, expected[[one.idx_v for one in where]], 1e-9, condition)
    assert_close(found.VP0[:3], expected[:3] + np.cross(V0[3:], V0[:3]), 1e-9, condition)
    assert_close(found.VP0[3:], expected[3:6], 1e-9, condition)
