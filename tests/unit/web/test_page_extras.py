"""What links look like on the page, and branches by numbers of arms without a closed form."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.spatial.transform import Rotation

import symoro
from support.close import assert_close
from support.pinocchio_robot import oracle, pin
from symoro.bind.interface import robot_numbers
from symoro.errors import NotApplicable, SymoroError
from symoro.robot.robot import Robot
from symoro.runtime import compile_program
from symoro.web.document import document_of
from symoro.web.tasks import run

LINK = '<link name="base"><visual><origin rpy="0.1 0.2 0.3" xyz="1 2 3"/><geometry>{}</geometry></visual></link>'


def visual(geometry: str) -> dict[str, Any]:
    text = f'<robot name="one">{LINK.format(geometry)}</robot>'
    return dict(json.loads(run("read", {"name": "one.urdf", "text": text})[0])["visuals"][0])


def test_visuals_are_numbers_in_named_frames() -> None:
    found = visual('<box size="1 2 3"/>')
    assert (found["frame"], found["kind"], found["sizes"]) == ("base", "box", [1, 2, 3])
    pose = np.reshape(found["pose"], (3, 4))
    assert_close(pose[:, :3], Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix(), 1e-12)
    assert_close(pose[:, 3], [1, 2, 3], 1e-12)


@pytest.mark.parametrize("name", ["/etc/hostname", "package://a/../../etc/hostname", ""])
def test_the_file_of_a_mesh_is_a_name_only(name: str) -> None:
    assert visual(f'<mesh filename="{name}"/>')["mesh"] == name


def poses(robot: Robot) -> Callable[[Sequence[float]], np.ndarray]:
    """Pinocchio's pose of the last frame."""
    o = oracle(robot, robot_numbers(robot))
    place = o.model.njoints - 1

    def pose(q: Sequence[float]) -> np.ndarray:
        pin.forwardKinematics(o.model, o.data, o.q(np.array(q)))
        return np.asarray(o.data.oMi[place].homogeneous)[:3]

    return pose


def test_branches_by_numbers_reach_the_pose_by_pinocchio() -> None:
    robot = symoro.load("general6r")
    pose = poses(robot)
    T = pose([0.35, 0.62, 0.55, 0.4, -0.7, 0.25])
    asked = {"robot": document_of(robot), "pose": T.ravel().tolist()}
    found = json.loads(run("branches", asked)[0])
    assert found["status"] == "complete"
    assert len(found["q"]) >= 2
    for q in found["q"]:
        assert_close(pose(q), T, 1e-9)
    with pytest.raises(NotApplicable, match="no pose"):
        run("branches", asked | {"pose": [2.0] * 12})
    with pytest.raises(ValidationError):
        run("branches", asked | {"pose": [float("nan")] * 12})


@pytest.mark.parametrize("option", [None, pytest.param("3", marks=pytest.mark.long)])
def test_an_arm_of_seven_joints_is_given_its_arm_angle_or_a_joint(option: str | None) -> None:
    robot = symoro.load("kuka-iiwa")
    options = {} if option is None else {"redundant": option}
    answer, kept = run("model", {"robot": document_of(robot), "model": "inverse_geometry", "options": options})
    data = json.loads(answer)
    assert data["inverse"]["arm_angle"]
    assert data["inverse"]["given"] == ([{"joint": 3, "name": "q3"}] if option else [{"joint": None, "name": "psi"}])
    program = pickle.loads(kept).source.program
    pose = poses(robot)
    T = np.vstack([pose([0.35, 0.62, 0.55, 0.9, -0.7, 0.6, 0.25]), [0, 0, 0, 1]])
    found = compile_program(program, "numpy", robot_numbers(robot))(T, [0.4])
    good = found.q[found.valid > 0.5]
    assert len(good) == 8
    for q in good:
        assert_close(pose(q), T[:3], 1e-9)
        assert option is None or abs(q[2] - 0.4) < 1e-12


def test_branches_by_numbers_keep_given_joints() -> None:
    robot = symoro.load("panda")
    pose, q0 = poses(robot), [0.3, -0.4, 0.2, -1.9, 0.3, 1.7, 0.6]
    T = pose(q0)
    asked = {"robot": document_of(robot), "pose": T.ravel().tolist(), "given": {2: q0[1]}}
    found = np.array(json.loads(run("branches", asked)[0])["q"])
    assert np.abs(found - q0).max(axis=1).min() < 1e-7
    assert_close(found[:, 1], np.full(len(found), q0[1]), 1e-12)


@pytest.mark.parametrize("option", ["x", "99", "arm,3", "0", "1,2,3", "-1", ""])
def test_joints_that_cannot_be_given_are_refused_in_words(option: str) -> None:
    asked = {
        "robot": document_of(symoro.load("puma560")),
        "model": "inverse_geometry",
        "options": {"redundant": option},
    }
    if option in ("", "1,2,3"):  # nothing, or three joints of six: that is a model, too
        run("model", asked)
        return
    with pytest.raises(SymoroError, match="allowed"):
        run("model", asked)
