"""Models that are attached to other models of MJCF files are those that MuJoCo compiles."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.mujoco_peer import MuJoCo
from symoro.errors import FormatError
from symoro.formats import read
from symoro.robot.values import evaluate

HAND = """<mujoco><compiler angle="radian" meshdir="parts"/>
<default><geom density="500"/><default class="heavy"><geom density="4000"/></default></default>
<asset><mesh name="tip" file="tip.obj"/></asset>
<worldbody><body name="palm" pos="0 0 .1" euler=".2 0 .4"><joint name="turn" axis="0 0 1"/><geom size=".05"/>
<body name="left" pos=".1 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".02" class="heavy"/></body>
<body name="right" pos="-.1 0 0"><joint name="back" type="slide" axis="1 0 0"/>
<geom type="mesh" mesh="tip"/></body></body></worldbody>
<equality><joint joint1="back" joint2="slide" polycoef="0 -1 0 0 0"/></equality></mujoco>"""
ARM = """<mujoco><compiler angle="radian"/><asset><model name="hand" file="hand/hand.xml"/></asset>
<default><geom density="2000"/></default>
<worldbody><body name="base"><joint axis="0 1 0"/><geom size=".1" pos=".1 0 0"/>
<body name="palm" pos=".3 0 0"><joint name="slide" axis="0 1 0"/><geom size=".1"/>
<frame pos=".2 0 .1" euler="0 .3 0"><attach model="hand" {body} prefix="h_"/></frame></body></body>
</worldbody></mujoco>"""
TIP = """v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"""


def written(folder: Path, arm: str) -> Path:
    (folder / "hand" / "parts").mkdir(parents=True)
    (folder / "hand" / "hand.xml").write_text(HAND, encoding="utf-8")
    (folder / "hand" / "parts" / "tip.obj").write_text(TIP, encoding="utf-8")
    (folder / "arm.xml").write_text(arm, encoding="utf-8")
    return folder / "arm.xml"


@pytest.mark.parametrize("body", ['body="palm"', ""])
def test_an_attached_model_is_the_one_of_mujoco(body: str, tmp_path: Path) -> None:
    path = written(tmp_path, ARM.format(body=body))
    robot, peer = symoro.load(path), MuJoCo(path)
    assert [joint.name for joint in robot.joints] == ["base_joint", "slide", "h_turn", "h_slide", "h_back"]
    q, qd, qdd = np.random.default_rng(0).uniform(-0.5, 0.5, size=(3, 4))
    both = [np.append(x, -x[3]) for x in (q, qd, qdd)]
    peer.at(*both)
    expected = peer.data.qfrc_inverse[:4] - [0, 0, 0, peer.data.qfrc_inverse[4]]
    assert_close(symoro.inverse_dynamics(robot, optimize=False).compile("numpy")(q, qd, qdd), expected, 1e-12)
    for name, pose in peer.frames().items():
        assert_close(symoro.forward_geometry(robot, name).compile("numpy")(q), pose, 1e-12)


def test_a_model_without_classes_has_none_of_those_of_the_model_around_it(tmp_path: Path) -> None:
    path = written(tmp_path, ARM.format(body='body="palm"'))
    hand = re.sub("<default>.*</default>", "", HAND).replace(' class="heavy"', "")
    (tmp_path / "hand" / "hand.xml").write_text(hand, encoding="utf-8")
    arm = path.read_text(encoding="utf-8").replace('density="2000"/>', 'density="2000"/><mesh scale="2 2 2"/>')
    path.write_text(arm, encoding="utf-8")
    robot, model = symoro.load(path), MuJoCo(path).model
    masses = [evaluate(robot.inertia(j).M, {}) for j in range(1, 6)]
    assert_close(masses, [model.body_mass[model.jnt_bodyid[j]] for j in range(5)], 1e-12)


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ('model="hand"', 'model="foot"', "mjcf.no_model"),
        ('body="palm"', 'body="thumb"', "mjcf.no_body"),
        ('angle="radian"', 'angle="degree"', "mjcf.compiler"),
        ("hand/hand.xml", "arm.xml", "mjcf.attached_in_circle"),
        ("hand/hand.xml", "../outside.xml", "files.key"),
    ],
)
def test_what_cannot_be_attached_is_said(before: str, after: str, code: str, tmp_path: Path) -> None:
    path = written(tmp_path, ARM.format(body='body="palm"').replace(before, after))
    with pytest.raises(FormatError) as error:
        read(path)
    assert code in {problem.code for problem in error.value.problems}
