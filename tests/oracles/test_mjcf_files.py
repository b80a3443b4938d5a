"""The MJCF files of dm_control: poses, inertia matrix and inverse dynamics are those of MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.mujoco_peer import Array, MuJoCo
from support.pinocchio_robot import oracle
from support.robot_files import MJCF
from support.table_numbers import Table, table
from symoro import formats
from symoro.errors import FormatError
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate

MESHES = (
    "locomotion/walkers/assets/build_fruitfly/assets/drosophila_fused.xml",
    "locomotion/walkers/assets/dog_v2/dog.xml",
    "locomotion/walkers/assets/fruitfly_v2/floor.xml",
    "locomotion/walkers/assets/fruitfly_v2/fruitfly.xml",
    "suite/dog.xml",
    "third_party/kinova/jaco_arm.xml",
    "third_party/kinova/jaco_hand.xml",
)
FREE = (
    "mujoco/testing/assets/humanoid.xml",
    "mujoco/testing/assets/model_with_ball_joints.xml",
    "suite/fish.xml",
    "suite/humanoid.xml",
    "suite/humanoid_CMU.xml",
    "suite/quadruped.xml",
)
PLAIN = (
    "locomotion/soccer/assets/boxhead/boxhead.xml",
    "locomotion/walkers/assets/humanoid_CMU_V2019.xml",
    "locomotion/walkers/assets/humanoid_CMU_V2020.xml",
    "locomotion/walkers/assets/jumping_ball/jumping_ball_with_head.xml",
    "locomotion/walkers/assets/rodent.xml",
    "mjcf/test_assets/robot_arm.xml",
    "mujoco/testing/assets/arm.xml",
    "mujoco/testing/assets/cartpole.xml",
    "mujoco/testing/assets/cartpole_no_names.xml",
    "mujoco/testing/assets/model_with_third_order_actuators.xml",
    "suite/acrobot.xml",
    "suite/ball_in_cup.xml",
    "suite/cartpole.xml",
    "suite/cheetah.xml",
    "suite/finger.xml",
    "suite/hopper.xml",
    "suite/manipulator.xml",
    "suite/pendulum.xml",
    "suite/point_mass.xml",
    "suite/reacher.xml",
    "suite/stacker.xml",
    "suite/swimmer.xml",
    "suite/walker.xml",
    "third_party/ant/ant.xml",
)


def rotors(robot: Robot, ours: Table) -> Array:
    """Rotor inertias of the variables."""
    return np.array([evaluate(robot.drive(j.index).IA, {}) for j in robot.joints if j.variable])


def same(robot: Robot, peer: MuJoCo) -> None:
    """Poses, matrix and torques of a robot with hinges and slides only: the order of q is that of the file."""
    ours = table(robot)
    q, qd, qdd = (np.random.default_rng(k).uniform(-1, 1, peer.model.nv) for k in range(3))
    peer.at(q, qd, qdd)
    frames = ours.frames(q)
    for name, pose in peer.frames().items():
        assert_close(frames[name], pose, 1e-8)
    assert_close(ours.inertia(q) + np.diag(rotors(robot, ours)), peer.inertia(), 1e-8)
    assert_close(ours.torques(q, qd, qdd) + rotors(robot, ours) * qdd, peer.data.qfrc_inverse, 1e-8)


@pytest.mark.parametrize("name", PLAIN)
def test_a_file_with_hinges_and_slides(name: str) -> None:
    same(formats.read(MJCF[name]).robot, MuJoCo(MJCF[name]))


@pytest.mark.parametrize("name", PLAIN[:12])
def test_a_compiled_model_with_hinges_and_slides(name: str) -> None:
    peer = MuJoCo(MJCF[name])
    same(symoro.from_mujoco(peer.model), peer)


@pytest.mark.parametrize("name", MESHES)
def test_the_mass_of_a_mesh_is_not_computed(name: str) -> None:
    with pytest.raises(FormatError, match=r"the mass of a mesh is not computed .*symoro\.from_mujoco"):
        formats.read(MJCF[name])


def about(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[[i, i, j, j], [i, j, i, j]] = c, -s, s, c
    return R


def quaternion(R: Array) -> Array:
    out = np.zeros(4)
    mujoco.mju_mat2Quat(out, R.ravel())
    return out


@pytest.mark.parametrize("read", ["file", "compiled"])
@pytest.mark.parametrize("name", [*FREE, *MESHES])
def test_a_model_with_free_and_ball_joints(name: str, read: str) -> None:
    """x, y, z and three rotations about x, y, z stand for a free joint inside, the rotations for a ball joint.

    MuJoCo's velocities are linear in the world and angular in the body; B takes our velocities to them.
    """
    peer = MuJoCo(MJCF[name])
    if name in MESHES:
        read = "compiled"
    robot = formats.read(MJCF[name]).robot if read == "file" else symoro.from_mujoco(peer.model)
    floating = robot.base.kind is BaseKind.FLOATING
    rng, m = np.random.default_rng(3), peer.model
    count = m.nv - 6 * floating
    q, qd = rng.uniform(-1, 1, count), np.zeros(m.nv)
    o = oracle(robot, robot.values.numbers(), free=floating)
    x = o.q(q)
    if floating:
        x[:7] = rng.normal(size=7)
        x[3:7] /= np.linalg.norm(x[3:7])
    B, qpos = np.eye(m.nv), m.qpos0.copy()
    at = -6 if floating else 0  # the place of our coordinate in q
    for j in range(m.njnt):
        kind, p, v = (int(a[j]) for a in (m.jnt_type, m.jnt_qposadr, m.jnt_dofadr))
        if kind == 0 and floating:
            qpos[p : p + 7] = [*x[:3], x[6], *x[3:6]]
            B[v : v + 3, v : v + 3] = pin.Quaternion(x[3:7]).matrix()
            at += 6
            continue
        if kind >= 2:
            qpos[p] = q[at]
            at += 1
            continue
        linear = 3 if kind == 0 else 0
        R = [about(axis, angle) for axis, angle in enumerate(q[at + linear : at + linear + 3])]
        first = m.body_quat[m.jnt_bodyid[j]]
        start = pin.Quaternion(first[0], *first[1:]).matrix() if kind == 0 else np.eye(3)
        if kind == 0:
            qpos[p : p + 3] = m.body_pos[m.jnt_bodyid[j]] + start @ q[at : at + 3]
            B[v : v + 3, v : v + 3] = start
        qpos[p + linear : p + linear + 4] = quaternion(start @ R[0] @ R[1] @ R[2])
        w = slice(v + linear, v + linear + 3)
        B[w, w] = np.column_stack([(R[1] @ R[2]).T[:, 0], R[2].T[:, 1], np.eye(3)[:, 2]])
        at += linear + 3
    peer.at(qpos, qd, qd)
    pin.forwardKinematics(o.model, o.data, x)
    numbers = robot.values.numbers()
    ours = {}
    for frame in robot.frames:
        pose = np.array([[evaluate(value, numbers) for value in row] for row in frame.pose])
        ours[frame.name] = (o.data.oMi[o.joint_of[frame.link]] * o.pose_in[frame.link]).homogeneous @ pose
    for frame_name, expected in peer.frames().items():
        if frame_name in ours:
            assert_close(ours[frame_name], expected, 1e-8)
    index = [*range(6 * floating), *o.velocity_index]
    A = np.triu(pin.crba(o.model, o.data, x))
    A = (A + np.triu(A, 1).T)[np.ix_(index, index)]
    expected = peer.inertia() - np.diag(m.dof_armature)
    assert_close(A, B.T @ expected @ B, 1e-8)
