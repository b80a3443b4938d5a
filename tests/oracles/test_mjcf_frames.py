"""Frames of MJCF around joints and shapes are those of MuJoCo; what the reader does not carry over, it says."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.mujoco_peer import MuJoCo

BOX = '<geom type="box" size=".1 .05 .03" pos=".05 .02 0"/>'
HEAVY = '<default><default class="heavy"><geom density="3000"/><joint armature=".3"/></default></default>'
TURNED = f"""<frame pos=".1 .2 0" euler="0 40 30"><joint name="j" axis="1 0 0" pos="0 .1 0"/>{BOX}</frame>"""
NESTED = f"""<frame pos=".1 .2 0" euler="0 40 30">
  <frame pos="0 .1 .3" quat=".9 .1 .2 .3" childclass="heavy">
    <joint name="i" type="slide" axis="1 0 0"/><joint name="j" axis="1 0 1" pos="0 .1 .2"/>{BOX}
  </frame>
  {BOX}<joint name="k" axis="0 1 1" pos=".1 .1 .2"/>
</frame>"""
CLASS = f'<frame childclass="heavy"><joint name="j" axis="1 0 0"/>{BOX}</frame>'


def written(folder: Path, inside: str, head: str = "", body: str = "") -> Path:
    path = folder / "arm.xml"
    path.write_text(
        f'<mujoco>{head}<worldbody><body name="a" pos=".1 0 .2" {body}>{inside}<body name="b" pos="0 0 .3">'
        f'<joint name="last" axis="0 1 0"/>{BOX}</body></body></worldbody></mujoco>'
    )
    return path


@pytest.mark.parametrize("inside", [TURNED, NESTED, CLASS])
def test_joints_and_shapes_inside_frames(inside: str, tmp_path: Path) -> None:
    path = written(tmp_path, inside, HEAVY)
    robot, peer = symoro.load(path), MuJoCo(path)
    q, qd, qdd = np.random.default_rng(0).uniform(-0.5, 0.5, size=(3, peer.model.nv))
    peer.at(q, qd, qdd)
    assert_close(
        symoro.inverse_dynamics(robot, optimize=False).compile("numpy")(q, qd, qdd), peer.data.qfrc_inverse, 1e-12
    )
    for name, pose in peer.frames().items():
        assert_close(symoro.forward_geometry(robot, name).compile("numpy")(q), pose, 1e-12)


JOINT = f'<joint name="j" axis="1 0 0"/>{BOX}'


@pytest.mark.parametrize(
    ("inside", "head", "body", "said"),
    [
        (JOINT, "", 'gravcomp="1"', "not carried over: gravcomp of body 'a'"),
        (BOX, "", 'mocap="true"', "not carried over: mocap of body 'a'"),
        (
            '<joint name="j" type="ball" springdamper=".3 .8"/>' + BOX,
            "",
            "",
            "not carried over: springdamper of joint 'j'",
        ),
        (f'<joint name="f" type="free" armature=".2"/>{BOX}', "", "", "at the floating joint 'f': armature"),
        (JOINT, '<option density="1.2" wind="1 0 0"/>', "", "not carried over: density, wind of <option>"),
        (
            JOINT,
            '<option><flag equality="disable" damper="disable" contact="disable"/></option>',
            "",
            "what damper, equality of <flag> switch off",
        ),
    ],
)
def test_what_is_not_carried_over_is_said(inside: str, head: str, body: str, said: str, tmp_path: Path) -> None:
    path = written(tmp_path, inside, head, body)
    notes = symoro.load(path).notes
    assert any(said in note for note in notes), notes
    if "<option>" in head + said:
        assert any(said in note for note in symoro.from_mujoco(mujoco.MjModel.from_xml_path(str(path))).notes)
