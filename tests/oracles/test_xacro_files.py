"""The xacro files of rtb-data: our expander and reader give the robot that xacro and Pinocchio give."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xacrodoc

from support.close import assert_close
from support.pinocchio_urdf import peer
from support.robot_files import XACRO, packages
from support.table_numbers import table
from support.urdf_models import assert_models_are
from symoro import formats
from symoro.errors import FormatError

NO_ROBOT = "there is no <link>"
#: Files that the usual expander refuses, too: packages that are not there, and a property without the prefix of xacro.
FAIL = {
    "xacro/clearpath_ridgeback_description/urdf/accessories/sick_lms1xx_mount.urdf.xacro": "package 'lms1xx'",
    "xacro/clearpath_ridgeback_description/urdf/accessories/sick_s300_mount.urdf.xacro": "package 'lms1xx'",
    "xacro/kuka_description/kuka_kr210/urdf/kr210l150.xacro": "'deg' is not defined",
}


def expanded(path: Path) -> str:
    """The URDF text that the usual expander makes of a file."""
    xacrodoc.packages.update_package_cache(packages())
    return str(xacrodoc.XacroDoc.from_file(path, walk_up=False, resolve_packages=False).to_urdf_string())


#: Files with macros only, beside those whose names say so.
MACROS = (
    "xacro/clearpath_ridgeback_description/urdf/accessories/hokuyo_ust-10lx_mount.urdf.xacro",
    "xacro/clearpath_ridgeback_description/urdf/accessories/microstrain_imu.urdf.xacro",
    "xacro/qut_frankie_description/robots/frankieOmni_arm.xacro",
    "xacro/qut_frankie_description/robots/frankie_arm.xacro",
    "xacro/qut_frankie_description/robots/hand.xacro",
    "xacro/qut_frankie_description/robots/panda_arm.xacro",
)
OTHERS = [name for name in XACRO if name in MACROS or "macro" in name or "common_" in name]
ROBOTS = [name for name in XACRO if name not in FAIL and name not in OTHERS]


def test_how_many_files_are_robots() -> None:
    read = []
    for name, path in XACRO.items():
        try:
            formats.read(path, packages=packages())
            read.append(name)
        except FormatError as error:
            assert NO_ROBOT in str(error) or any(text in str(error) for text in FAIL.values())  # noqa: PT017
    assert (len(XACRO), len(read)) == (60, 36)
    assert read == ROBOTS  # each is compared with Pinocchio below


@pytest.mark.parametrize("name", ROBOTS)
def test_a_file_is_the_robot_of_the_usual_expander(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(XACRO[name].parent)  # the usual expander takes names of files from the current folder
    text = expanded(XACRO[name])
    (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
    robot = formats.read(XACRO[name], packages=packages()).robot
    ours, theirs = table(robot), peer(tmp_path / "robot.urdf", robot)
    q, qd, qdd = (np.random.default_rng(k).uniform(-1.5, 1.5, ours.G.shape[1]) for k in range(3))
    frames, expected = ours.frames(q), theirs.frames(q)
    assert frames.keys() == expected.keys()
    for link, pose in expected.items():
        assert_close(frames[link], pose, 1e-9)
    assert_close(ours.torques(q, qd, qdd), theirs.torques(q, qd, qdd), 1e-9)
    assert_close(ours.inertia(q), theirs.inertia(q), 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("name", ROBOTS)
def test_the_models_of_a_file_are_pinocchios_too(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(XACRO[name].parent)
    text = expanded(XACRO[name])
    (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
    robot = replace(formats.read(XACRO[name], packages=packages()).robot, drives=())
    assert_models_are(robot, peer(tmp_path / "robot.urdf", robot))


@pytest.mark.parametrize("name", FAIL)
def test_a_file_that_cannot_be_expanded_says_why(name: str) -> None:
    with pytest.raises(FormatError, match=FAIL[name]):
        formats.read(XACRO[name], packages=packages())
