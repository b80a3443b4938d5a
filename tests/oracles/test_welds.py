"""Welds of MJCF files and fixed joints that close loops of SDF files: accelerations are those of MuJoCo's bodies."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from scipy.optimize import root

import symoro
from support.close import assert_close
from symoro.formats import mjcf, sdf
from symoro.robot.robot import Robot

Array = np.ndarray
BODY = '<inertial pos="{}" mass="{}" diaginertia="0.02 0.03 0.025"/>'
LEG = """
<mujoco model="leg"><compiler angle="radian"/><option gravity="0.3 0 -9.81"><flag contact="disable"/></option>
<worldbody>
  <body name="trunk" pos="0 0 1.2" quat="0.9 0.1 0.3 0.2"><freejoint name="root"/>{trunk}
    <body name="thigh" pos="0.1 0.2 0"><joint name="hip" pos="0 0 0.1" axis="0.2 1 0" ref="0.4"/>{thigh}
      <body name="shin" pos="0 0.1 -0.4" euler="0.2 0 0.5"><joint name="knee" type="slide" axis="0 0.3 1"/>{shin}
        <body name="foot" pos="0 0 -0.4"><joint name="ankle" axis="1 0 0.4"/>{foot}
          <site name="sole" pos="0 0.1 -0.05" euler="0.3 0 0"/></body></body></body></body>
  <site name="ground" pos="0.4 0 0.1" euler="0 0.2 0"/>
</worldbody>
<actuator><motor joint="hip"/><motor joint="knee"/><motor joint="ankle"/></actuator>
<equality>{weld}</equality></mujoco>
""".replace("{trunk}", BODY.format("0 0.05 0.1", 6)).replace("{thigh}", BODY.format("0.02 0 -0.2", 2))
LEG = LEG.replace("{shin}", BODY.format("0 0.01 -0.2", 1)).replace("{foot}", BODY.format("0.05 0 0", 0.5))
BAR = """
<mujoco model="bar"><compiler angle="radian"/><option gravity="0 0 -9.81"><flag contact="disable"/></option><worldbody>
  <body name="crank"><joint name="a" axis="0 1 0"/>{crank}
    <body name="coupler" pos="0 0 0.2"><joint name="b" axis="0 1 0"/>{coupler}</body></body>
  <body name="rocker" pos="0.5 0 0"><joint name="c" axis="0 1 0"/>{rocker}
    <body name="tip" pos="0 0 0.2"><joint name="d" axis="0 1 0"/>{tip}</body></body>
</worldbody>
<actuator><motor joint="a"/></actuator>
<equality><weld body1="{one}" body2="{two}"/></equality></mujoco>
""".replace("{crank}", BODY.format("0 0 0.1", 1)).replace("{coupler}", BODY.format("0.25 0 0.03", 2))
BAR = BAR.replace("{rocker}", BODY.format("0 0.01 0.1", 1.5)).replace("{tip}", BODY.format("-0.1 0 0.02", 0.7))


class Welded:
    """MuJoCo's bodies with exact constraints: its own are soft, so that the equations are solved here."""

    def __init__(self, text: str) -> None:
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def rows(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The constraint's rows, and its error."""
        self.data.qpos[:], self.data.qvel[:] = q, v
        mujoco.mj_forward(self.model, self.data)
        assert self.data.ne == 6
        return self.data.efc_J[: 6 * self.model.nv].reshape(6, -1).copy(), self.data.efc_pos[:6].copy()

    def moved(self, q: Array, v: Array, step: float) -> Array:
        out = q.copy()
        mujoco.mj_integratePos(self.model, out, v, step)
        return out

    def accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        """M a + h = τ + Jᵀ λ and J a + J̇ v = 0."""
        m, h = self.model, 1e-4
        drift = sum(k * (self.rows(self.moved(q, v, s * h), v)[0] @ v) for s, k in _STENCIL) / (12 * h)
        J, error = self.rows(q, v)
        assert np.abs(error).max() < 1e-10
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, self.data, M)
        whole = np.block([[M, -J.T], [J, np.zeros((6, 6))]])
        return np.linalg.lstsq(whole, np.r_[tau - self.data.qfrc_bias, -drift], rcond=1e-12)[0][: m.nv]


_STENCIL = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))  # a difference of fourth order


def posed(peer: Welded, joints: Array) -> Array:
    """The position of the trunk for which the weld holds."""
    q0 = peer.model.qpos0

    def error(x: Array) -> Array:
        q = np.r_[x[:3], x[3:7] / np.linalg.norm(x[3:7]), joints]
        return np.r_[peer.rows(q, np.zeros(peer.model.nv))[1], x[3:7] @ x[3:7] - 1]

    found = root(error, q0[:7], tol=1e-14).x
    return np.r_[found[:3], found[3:7] / np.linalg.norm(found[3:7]), joints]


def reading(text: str, read: str) -> Robot:
    """The robot of a file, or of the model that MuJoCo compiles of it."""
    if read == "file":
        return mjcf.read_text(text, "robot").robot
    return symoro.from_mujoco(mujoco.MjModel.from_xml_string(text))


@pytest.mark.parametrize("read", ["file", "compiled"])
@pytest.mark.parametrize(
    "weld",
    [
        '<weld body1="foot"/>',
        '<weld name="stand" body1="foot" relpose="0.1 0.2 -0.1 0.9 0.1 -0.3 0.2"/>',
        '<weld site1="sole" site2="ground"/>',
        '<weld site1="ground" site2="sole"/>',
    ],
)
def test_a_foot_that_is_welded_to_the_ground(weld: str, read: str) -> None:
    """The free joint is the cut: the leg hangs on the ground, and its joints turn round."""
    robot, peer = reading(LEG.format(weld=weld), read), Welded(LEG.format(weld=weld))
    assert [joint.name for joint in robot.joints] == ["hip", "knee", "ankle"]
    assert (robot.cuts, robot.base.kind.value) == ((), "fixed")
    rng = np.random.default_rng(4)
    q, qd, tau = rng.uniform(-0.4, 0.4, 3), rng.uniform(-1, 1, 3), rng.uniform(-5, 5, 3)
    x = posed(peer, q)
    J, _ = peer.rows(x, np.zeros(9))
    v = np.r_[-np.linalg.solve(J[:, :6], J[:, 6:] @ qd), qd]
    expected = peer.accelerations(x, v, np.r_[np.zeros(6), tau])[6:]
    found = symoro.direct_dynamics(robot, optimize=False).compile()(q, qd, tau)
    assert_close(found, expected, 1e-8)
    for name in ("trunk", "thigh", "shin", "foot"):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = peer.data.body(name).xmat.reshape(3, 3), peer.data.body(name).xpos
        assert_close(symoro.forward_geometry(robot, link=name).compile()(q), pose, 1e-8)


def closed(a: float) -> Array:
    """Positions of the four bars: crank 0.2, coupler 0.5, rocker 0.2, ground 0.5."""

    def error(x: Array) -> Array:
        b, c = x
        tip = [0.2 * np.sin(a) + 0.5 * np.cos(a + b), 0.2 * np.cos(a) - 0.5 * np.sin(a + b)]
        return np.subtract(tip, [0.5 + 0.2 * np.sin(c), 0.2 * np.cos(c)])

    b, c = root(error, [-a, a], tol=1e-14).x
    return np.array([a, b, c, a + b - c])


def assert_moves_like(robot: Robot, peer: Welded) -> None:
    a, ad, tau = 0.3, 0.7, 1.1
    q = closed(a)
    J, _ = peer.rows(q, np.zeros(4))
    G = np.linalg.svd(J)[2][-1]
    v = G / G[0] * ad
    expected = peer.accelerations(q, v, np.array([tau, 0, 0, 0]))[0]
    inside = {"a": q[0], "b": q[1], "c": q[2], "d": q[3]}
    start = [inside[joint.name] for joint in robot.joints[: robot.link_count] if joint.variable]
    closed_q = symoro.loop_geometry(robot).compile()([a], guess=start)
    found = symoro.direct_dynamics(robot, optimize=False).compile()(closed_q, [ad], [tau])
    assert_close(found, [expected], 1e-8)


@pytest.mark.parametrize(("one", "two"), [("tip", "coupler"), ("coupler", "tip")])
def test_a_loop_that_a_weld_closes(one: str, two: str) -> None:
    text = BAR.format(one=one, two=two)
    read = mjcf.read_text(text, "bar")
    assert len(read.robot.cuts) == 1
    assert any("the loop is cut at joint" in str(problem) for problem in read.problems)
    assert_moves_like(read.robot, Welded(text))
    assert_moves_like(reading(text, "compiled"), Welded(text))


def test_what_the_cut_joint_loses_is_listed() -> None:
    text = BAR.format(one="tip", two="coupler")
    for name in "bcd":
        text = text.replace(f'name="{name}"', f'name="{name}" damping="0.1" range="-2 2"')
    problems = [str(problem) for problem in mjcf.read_text(text, "bar").problems]
    assert any("not carried over at the cut joint" in text and "damping, limits" in text for text in problems)


def test_a_weld_of_links_that_are_one_body_is_without_effect() -> None:
    text = BAR.format(one="tip", two="tip")
    read = mjcf.read_text(text, "bar")
    assert read.robot.cuts == ()
    assert any("without effect" in str(problem) for problem in read.problems)


def test_a_weld_that_locks_one_joint_fixes_it() -> None:
    read = mjcf.read_text(BAR.format(one="crank", two="world"), "bar")
    assert [joint.name for joint in read.robot.joints] == ["b", "c", "d"]
    assert read.robot.cuts == ()


def test_a_fixed_joint_closes_a_loop_of_an_sdf_file() -> None:
    text = sdf.write_text(mjcf.read_text(BAR.format(one="tip", two="tip"), "bar").robot)
    closing = '<joint name="weld" type="fixed"><parent>coupler</parent><child>tip</child></joint></model>'
    robot = sdf.read_text(text.replace("</model>", closing), "bar").robot
    passive = [replace(joint, actuated=joint.name == "a") for joint in robot.joints]
    assert_moves_like(replace(robot, joints=tuple(passive)), Welded(BAR.format(one="tip", two="coupler")))
