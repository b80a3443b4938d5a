"""What links look like on the page, and branches by numbers of arms without a closed form."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.spatial.transform import Rotation

import symoro
from support.close import assert_close
from support.pinocchio_robot import oracle, pin
from symoro.errors import NotApplicable
from symoro.interface import robot_numbers
from symoro.web.document import document_of
from symoro.web.tasks import TASKS

LINK = '<link name="base"><visual><origin rpy="0.1 0.2 0.3" xyz="1 2 3"/><geometry>{}</geometry></visual></link>'


def visual(geometry: str) -> dict[str, Any]:
    text = f'<robot name="one">{LINK.format(geometry)}</robot>'
    return dict(json.loads(bytes(TASKS["read"]({"name": "one.urdf", "text": text})))["visuals"][0])


def test_visuals_are_numbers_in_named_frames() -> None:
    found = visual('<box size="1 2 3"/>')
    assert (found["frame"], found["kind"], found["sizes"]) == ("base", "box", [1, 2, 3])
    pose = np.reshape(found["pose"], (3, 4))
    assert_close(pose[:, :3], Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix(), 1e-12)
    assert_close(pose[:, 3], [1, 2, 3], 1e-12)


@pytest.mark.parametrize("name", ["/etc/hostname", "package://a/../../etc/hostname", ""])
def test_the_file_of_a_mesh_is_a_name_only(name: str) -> None:
    assert visual(f'<mesh filename="{name}"/>')["mesh"] == name


def test_branches_by_numbers_reach_the_pose_by_pinocchio() -> None:
    robot = symoro.load("general6r")
    o = oracle(robot, robot_numbers(robot))
    place = o.model.njoints - 1

    def pose(q: list[float]) -> np.ndarray:
        pin.forwardKinematics(o.model, o.data, o.q(np.array(q)))
        return np.asarray(o.data.oMi[place].homogeneous)[:3]

    T = pose([0.35, 0.62, 0.55, 0.4, -0.7, 0.25])
    asked = {"robot": document_of(robot), "pose": T.ravel().tolist()}
    found = json.loads(bytes(TASKS["branches"](asked)))
    assert found["status"] == "complete"
    assert len(found["q"]) >= 2
    for q in found["q"]:
        assert_close(pose(q), T, 1e-9)
    with pytest.raises(NotApplicable, match="no pose"):
        TASKS["branches"](asked | {"pose": [2.0] * 12})
    with pytest.raises(ValidationError):
        TASKS["branches"](asked | {"pose": [float("nan")] * 12})
