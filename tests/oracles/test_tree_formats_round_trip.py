"""A robot that is written as URDF, MJCF, SDF, TOML or .par and read again has the same models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.random_robots import random_robot
from support.robot_files import URDF, urdf_files
from support.table_numbers import table
from symoro import formats
from symoro.bind.symbols import Symbols
from symoro.errors import FormatError
from symoro.formats import mjcf, par, sdf, toml, urdf
from symoro.ir.graph import Graph
from symoro.models.loops.closing import closed_configurations
from symoro.models.loops.constraint import Loops
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

FORMATS: dict[str, Any] = {"urdf": urdf, "mjcf": mjcf, "sdf": sdf, "toml": toml, "par": par}


def assert_same(first: Robot, second: Robot, tolerance: float, bodies: bool = True) -> None:
    """The same joints by name, and the same frames; with the same bodies, the same torques and matrices."""
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
    if names and bodies:
        assert_close(b.torques(x, xd, xdd)[there], a.torques(q, qd, qdd), tolerance)
        assert_close(b.inertia(x)[np.ix_(there, there)], a.inertia(q), tolerance)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", urdf_files(quick=6))
def test_files_written_and_read_again(name: str, form: str) -> None:
    robot = formats.read(URDF[name]).robot
    again = FORMATS[form].read_text(FORMATS[form].write_text(robot), robot.name).robot
    assert_same(robot, again, 1e-12, bodies=form != "mjcf" or name not in UNEVEN)


#: Files with moments that no body has: what is written for MuJoCo lets it change these, which `lost` says.
UNEVEN = ("romeo_description/urdf/romeo_laas_small.urdf", "romeo_description/urdf/romeo_small.urdf")


@pytest.mark.parametrize("name", urdf_files(quick=6))
def test_mujoco_reads_what_is_written(name: str, tmp_path: Path) -> None:
    """Links without mass or moments, and moments that no body has, are listed and do not stop it."""
    robot, path = formats.read(URDF[name]).robot, tmp_path / "robot.xml"
    formats.write(robot, path)
    model = mujoco.MjModel.from_xml_path(str(path))
    again = formats.read(path).robot
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    there = [model.jnt_dofadr[model.joint(joint.name).id] for joint in again.joints if joint.variable]
    if there and model.neq == 0:  # MuJoCo has a coordinate for each joint that follows another one, too
        armatures = np.diag(model.dof_armature[there])
        assert_close(M[np.ix_(there, there)], table(again).inertia(np.zeros(len(there))) + armatures, 1e-9)
    assert any("balanceinertia" in what for what in formats.lost(robot, path)) == ("balanceinertia" in path.read_text())
    if name in UNEVEN:
        assert any("A + B < C" in what for what in formats.lost(robot, path))


def two_joints(names: tuple[str, str] = ("a", "b"), **inertia: float) -> Robot:
    """An arm whose first link has this inertia."""
    rows = [
        {"name": names[0], "inertia": inertia},
        {"name": names[1], "d": 0.3, "inertia": {"M": 1, "XX": 1, "YY": 1, "ZZ": 1}},
    ]
    return symoro.Robot.from_mdh(rows, gravity=(0, 0, -9.81))


@pytest.mark.parametrize(
    "inertia", [{"M": 1e-20, "XX": 1e-22, "YY": 1e-22, "ZZ": 1e-22}, {"M": 1, "XX": 1, "YY": 1, "ZZ": 1e-16}, {"ZZ": 1}]
)
def test_mujoco_reads_very_light_links(inertia: dict[str, float], tmp_path: Path) -> None:
    robot, path = two_joints(**inertia), tmp_path / "robot.xml"
    formats.write(robot, path)
    mujoco.MjModel.from_xml_path(str(path))
    assert any("boundmass" in what for what in formats.lost(robot, path))


@pytest.mark.parametrize("inertia", [{"M": 1, "XX": 1, "YY": 1, "ZZ": 5}, {"M": -1, "XX": 1, "YY": 1, "ZZ": 1}])
def test_bodies_that_tools_refuse_in_sdf_are_said(inertia: dict[str, float], tmp_path: Path) -> None:
    assert any("no body has" in what for what in formats.lost(two_joints(**inertia), tmp_path / "robot.sdf"))
    even = formats.lost(two_joints(M=1, XX=1, YY=1, ZZ=1), tmp_path / "robot.sdf")
    assert not any("no body has" in what for what in even)


@pytest.mark.parametrize("form", FORMATS)
def test_names_with_characters_of_xml(form: str) -> None:
    robot = two_joints(("x\"<&>'", "ü y"), M=1, ZZ=1)
    again = FORMATS[form].read_text(FORMATS[form].write_text(robot), robot.name).robot
    assert [joint.name for joint in again.joints] == [joint.name for joint in robot.joints]


@pytest.mark.parametrize("name", ["world", "a::b", "__model__"])
def test_names_that_sdf_keeps_for_itself_are_refused(name: str) -> None:
    with pytest.raises(FormatError) as error:
        sdf.write_text(two_joints((name, "b"), M=1, ZZ=1))
    assert [problem.code for problem in error.value.problems] == ["sdf.names"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seed", range(6))
def test_random_trees_written_and_read_again(seed: int, form: str) -> None:
    upright = tuple(as_value(x) for x in (0, 0, -9.81))
    robot = replace(random_robot(seed, structure="tree", kinds="prismatic"), gravity=upright)
    text = FORMATS[form].write_text(robot)
    assert_same(robot, FORMATS[form].read_text(text, robot.name).robot, 1e-12)


LOOPS = ("akr3000", "five-bar", "four-bar", "orthoglide", "slider-crank", "sr400", "test-loop", "two-loops")
LARGE = ("akr3000", "five-bar", "orthoglide", "slider-crank", "sr400", "two-loops")


def closed_motion(robot: Robot, guess: dict[str, float]) -> tuple[dict[str, float], Any, Any]:
    """A closed configuration by the names of joints, near a guess; functions of named motions: torques, positions."""
    tree = [joint.name for joint in robot.joints[: robot.link_count] if joint.variable]
    active = [joint.name for joint in robot.joints[: robot.link_count] if joint.variable and joint.actuated]
    q = symoro.loop_geometry(robot).compile()([guess[n] for n in active], guess=[guess[n] for n in tree])
    inverse = symoro.inverse_dynamics(robot, optimize=False).compile()

    def torques(qd: dict[str, float], qdd: dict[str, float]) -> dict[str, float]:
        found = inverse(q, [qd[n] for n in active], [qdd[n] for n in active])
        return dict(zip(active, found, strict=True))

    return dict(zip(tree, q, strict=True)), torques, active


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.long if n in LARGE else ()) for n in LOOPS])
def test_loops_written_as_mjcf_and_read_again(name: str) -> None:
    """A hinge that closes a loop is written as two points that its links have in common."""
    robot = symoro.load(name)
    again = mjcf.read_text(mjcf.write_text(robot), name).robot
    assert len(again.cuts) == len(robot.cuts)
    s = Symbols(robot, Graph())
    every = closed_configurations(s, Loops(s).every, count=4)
    assert every is not None
    condition = symoro.loop_geometry(robot).compile().closure(np.asarray(every, dtype=float)).condition
    closed = every[int(np.argmin(condition))]  # not at a dead point
    names = [joint.name for joint in robot.joints[: robot.link_count] if joint.variable]
    q, torques, active = closed_motion(robot, dict(zip(names, np.asarray(closed, dtype=float), strict=False)))
    x, others, _ = closed_motion(again, q)
    rng = np.random.default_rng(3)
    qd, qdd = (dict(zip(active, rng.uniform(-1, 1, len(active)), strict=True)) for _ in range(2))
    expected, found = torques(qd, qdd), others(qd, qdd)
    assert_close([x[n] for n in names], [q[n] for n in names], 1e-10)
    assert_close([found[n] for n in active], [expected[n] for n in active], 1e-10)
    model = symoro.to_mujoco(robot)
    data = mujoco.MjData(model)
    for joint, position in q.items():
        data.qpos[model.joint(joint).qposadr[0]] = position
    mujoco.mj_forward(model, data)
    assert data.ne == 6 * len(robot.cuts)
    assert_close(data.efc_pos[: data.ne], np.zeros(data.ne), 1e-9)  # its loops are closed where ours are
