"""The MJCF files of dm_control: poses, inertia matrix and inverse dynamics are those of MuJoCo."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.mujoco_coordinates import Coordinates
from support.mujoco_peer import Array, MuJoCo
from support.pinocchio_robot import Oracle, oracle
from support.robot_files import MJCF
from support.table_numbers import Table, table
from symoro import formats
from symoro.errors import FormatError
from symoro.formats import mjcf
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


def from_file(name: str) -> Robot:
    """The robot of a file; the dog of the walkers has its meshes in the folder of the other dog."""
    return formats.read(MJCF[name], folders=[MJCF["suite/dog.xml"].parent]).robot


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
    drives = [robot.drive(j.index) for j in robot.joints if j.variable]
    assert_close([evaluate(drive.FV, {}) for drive in drives], np.ravel(peer.model.dof_damping), 1e-12)
    assert_close([evaluate(drive.FS, {}) for drive in drives], peer.model.dof_frictionloss, 1e-12)


@pytest.mark.parametrize("name", PLAIN)
def test_a_file_with_hinges_and_slides(name: str) -> None:
    same(formats.read(MJCF[name]).robot, MuJoCo(MJCF[name]))


@pytest.mark.parametrize("name", PLAIN[:12])
def test_a_compiled_model_with_hinges_and_slides(name: str) -> None:
    peer = MuJoCo(MJCF[name])
    same(symoro.from_mujoco(peer.model), peer)


@pytest.mark.parametrize("read", ["file", "compiled"])
@pytest.mark.parametrize(
    "name", [*FREE, *(pytest.param(name, marks=pytest.mark.long) for name in MESHES[:-1]), MESHES[-1]]
)
def test_a_model_with_free_and_ball_joints_or_meshes(name: str, read: str) -> None:
    """Poses, matrix and torques; B takes our velocities to those of MuJoCo, and its forces to ours."""
    peer = MuJoCo(MJCF[name])
    robot = from_file(name) if read == "file" else symoro.from_mujoco(peer.model)
    floating = robot.base.kind is BaseKind.FLOATING
    rng, m = np.random.default_rng(3), peer.model
    o = oracle(robot, robot.values.numbers(), free=floating)
    q, v, a = rng.uniform(-1, 1, m.nv - 6 * floating), *(rng.uniform(-1, 1, m.nv) for _ in range(2))
    x = o.q(q)
    if floating:
        x[:7] = rng.normal(size=7)
        x[3:7] /= np.linalg.norm(x[3:7])
    index = [*range(6 * floating), *o.velocity_index]
    there = Coordinates(m, floating)
    qpos, B = there.at(q, x)
    peer.at(qpos, B @ v, B @ a + there.drift(q, x, v))
    ours = oracle_frames(robot, o, x)
    for frame_name, expected in peer.frames().items():
        if frame_name in ours:
            assert_close(ours[frame_name], expected, 1e-8)
    A = np.triu(pin.crba(o.model, o.data, x))
    A = (A + np.triu(A, 1).T)[np.ix_(index, index)]
    assert_close(A, B.T @ (peer.inertia() - np.diag(m.dof_armature)) @ B, 1e-8)
    rates, accelerations = np.zeros(o.model.nv), np.zeros(o.model.nv)
    rates[index], accelerations[index] = v, a
    forces = peer.data.qfrc_inverse - m.dof_armature * peer.data.qacc
    assert_close(pin.rnea(o.model, o.data, x, rates, accelerations)[index], B.T @ forces, 1e-8)


def oracle_frames(robot: Robot, o: Oracle, x: Array) -> dict[str, Array]:
    """The poses of the robot's named frames by Pinocchio."""
    pin.forwardKinematics(o.model, o.data, x)
    numbers, found = robot.values.numbers(), {}
    for frame in robot.frames:
        pose = np.array([[evaluate(value, numbers) for value in row] for row in frame.pose])
        found[frame.name] = (o.data.oMi[o.joint_of[frame.link]] * o.pose_in[frame.link]).homogeneous @ pose
    return found


@pytest.mark.long
def test_these_are_all_files_with_joints_that_mujoco_compiles() -> None:
    """The 37 of 65 files, and what each of the others is."""
    found = []
    for name, path in MJCF.items():
        try:
            model = mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            continue
        found += [name] if model.njnt else []
    assert (len(MJCF), len(found)) == (65, 37)
    assert sorted(found) == sorted((*PLAIN, *FREE, *MESHES))


def test_a_mesh_outside_the_given_folders_is_not_opened() -> None:
    with pytest.raises(FormatError, match=r"mesh .* is not known: .*outside the folders that may be read"):
        formats.read(MJCF["locomotion/walkers/assets/dog_v2/dog.xml"])


SHAPE = '<geom type="capsule" fromto="0 0 0 .3 0 .1" size=".03" mass="1"/>'


def two_joints(equality: str, turn: str = "") -> str:
    bodies = (
        f'<body name="a" {turn}><joint name="j1" axis="0 1 1" ref="20"/>{SHAPE}'
        f'<body name="b" pos=".3 0 0"><joint name="j2" axis="0 1 0" ref="-10"/>{SHAPE}</body></body>'
    )
    return f"<mujoco><worldbody>{bodies}</worldbody><equality>{equality}</equality></mujoco>"


@pytest.mark.parametrize("read", ["file", "model"])
@pytest.mark.parametrize("polynomial", ["0.1 0 0 0 0", "0.1", "0.1 2", "0.1 2 0 0 0", "alone"])
def test_a_joint_of_an_equality_is_where_mujoco_holds_it(polynomial: str, read: str) -> None:
    other = "" if polynomial == "alone" else 'joint2="j1"'
    text = two_joints(f'<joint joint1="j2" {other} polycoef="{polynomial.replace("alone", "0.1 5")}"/>')
    model = mujoco.MjModel.from_xml_string(text)
    robot = symoro.from_mujoco(model) if read == "model" else mjcf.read_text(text, "two").robot
    a, (x0, y0), x = model.eq_data[0], model.qpos0, 0.7
    data = mujoco.MjData(model)
    data.qpos[:] = x, y0 + a[0] + (a[1] * (x - x0) if other else 0)
    mujoco.mj_forward(model, data)
    assert abs(data.efc_pos[0]) < 1e-12  # MuJoCo's equality holds there
    assert [joint.variable for joint in robot.joints if joint.variable] == ["q1"]
    T = symoro.forward_geometry(robot, link="b").compile("numpy")(np.array([x]))
    assert_close(T[:3, 3], data.body("b").xpos, 1e-12)
    assert_close(T[:3, :3].ravel(), data.body("b").xmat, 1e-12)


@pytest.mark.parametrize(
    "turn", ['quat="0 0 0 0"', 'axisangle="0 0 0 30"', 'xyaxes="0 0 0 0 1 0"', 'xyaxes="1 0 0 1 0 0"', 'zaxis="0 0 0"']
)
def test_what_is_no_rotation_is_refused_as_by_mujoco(turn: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"zero quaternion|too small"):
        mujoco.MjModel.from_xml_string(two_joints("", turn))
    (tmp_path / "arm.xml").write_text(two_joints("", turn), encoding="utf-8")
    with pytest.raises(FormatError) as error:
        symoro.load(tmp_path / "arm.xml")
    assert [problem.code for problem in error.value.problems] == ["mjcf.no_rotation"]


@pytest.mark.parametrize(("unit", "codes"), [("degree", []), ("radian", ["descriptions.degrees"])])
def test_only_radians_look_like_degrees(unit: str, codes: list[str], tmp_path: Path) -> None:
    text = two_joints("", 'euler="90 0 0"').replace("<worldbody>", f'<compiler angle="{unit}"/><worldbody>')
    text = text.replace(' ref="20"', "").replace(' ref="-10"', "")
    (tmp_path / "arm.xml").write_text(text, encoding="utf-8")
    assert [p.code for p in formats.read(tmp_path / "arm.xml").problems if p.severity == "warning"] == codes
