"""symoro new: templates and copies that users begin with."""

from __future__ import annotations

import json
import re

import pytest

import symoro as library_of_symoro


@pytest.mark.parametrize("joints", [1, 2, 7])
def test_new_writes_a_robot_that_works(symoro, tmp_path, monkeypatch, joints):
    monkeypatch.chdir(tmp_path)
    done = symoro("new", "arm", "--joints", joints)
    assert (done.status, done.out) == (0, "arm.toml\n")
    assert symoro("check", "arm.toml").status == 0
    assert symoro("show", "arm.toml", "inverse_dynamics").status == 0
    robot = library_of_symoro.load("arm.toml")
    assert (robot.name, len(robot.joints), robot.notes) == ("arm", joints, ())


def test_new_without_its_comments_is_all_that_it_explains(symoro, tmp_path):
    """The commented keys of the template are right: with them, the robot is read too."""
    path = tmp_path / "arm.toml"
    assert symoro("new", path).status == 0
    text = path.read_text(encoding="utf-8")
    keys = re.compile(r"^# (\[+\w+\]+|(kind|inertia|drive|wrench|limits|name|link|pose) =)", re.MULTILINE)
    whole = keys.sub(r"\1", text)
    assert len(keys.findall(text)) == 11
    whole = whole.replace('inertia = "symbolic"\ndrive', "drive", 1)  # the other way to give the inertia
    path.write_text(whole, encoding="utf-8")
    robot = library_of_symoro.load(path)
    assert robot.base.kind.value == "floating"
    assert robot.frames[0].name == "tool"


def test_new_copies_a_robot(symoro, tmp_path):
    path = tmp_path / "mine.toml"
    data = json.loads(symoro("new", tmp_path / "mine", "--from", "puma560", "--json").out)
    assert data == {"robot": "mine", "file": str(path)}
    copy, original = library_of_symoro.load(path), library_of_symoro.load("puma560")
    assert copy.name == "mine"
    assert copy.joints == original.joints
    assert copy.inertias == original.inertias


def test_new_overwrites_no_file(symoro, tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text("mine", encoding="utf-8")
    for words in (("new", path), ("new", tmp_path / "arm", "--from", "rx90")):
        done = symoro(*words)
        assert done.status == 1
        assert f"{path} exists" in done.err
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    "words", [("--joints", 0), ("--joints", 5000), ("--joints", 2, "--from", "rx90"), ("--from", "no-such-robot")]
)
def test_new_with_wrong_words(symoro, tmp_path, words):
    assert symoro("new", tmp_path / "arm", *words).status == 2
    assert not list(tmp_path.iterdir())


def test_new_in_a_folder_that_does_not_exist(symoro, tmp_path):
    done = symoro("new", tmp_path / "no" / "arm")
    assert done.status == 1
    assert "cannot be written" in done.err
