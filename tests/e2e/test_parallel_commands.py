"""Commands of parallel robots: files, checks and inverse geometry as users type them."""

from __future__ import annotations

import json

import pytest

import symoro as library_of_symoro

HOME = "1,0,0,0,0,1,0,0,0,0,1,"


def test_a_parallel_robot_is_converted_to_a_file(symoro, tmp_path):
    done = symoro("convert", "delta", tmp_path / "delta.toml")
    assert done.status == 0
    assert not done.err
    assert library_of_symoro.load(tmp_path / "delta.toml") == library_of_symoro.load("delta")
    refused = symoro("convert", "delta", tmp_path / "delta.urdf")
    assert refused.status == 1
    assert "allowed: a .toml file" in refused.err
    assert symoro("convert", "delta", tmp_path / "other.toml", "--symbols", "geometry").status == 1


@pytest.mark.parametrize(
    ("home", "said"), [("[0, 0, -2]", "does not reach"), ("{alpha = 0.2, r = -0.6}", "does not meet the platform")]
)
def test_check_says_of_every_leg_that_it_does_not_carry_the_platform(symoro, tmp_path, home, said):
    symoro("convert", "delta", tmp_path / "delta.toml")
    text = (tmp_path / "delta.toml").read_text(encoding="utf-8").replace("home = [0, 0, -0.6]", f"home = {home}")
    (tmp_path / "wrong.toml").write_text(text, encoding="utf-8")
    done = symoro("check", tmp_path / "wrong.toml")
    assert done.status == 1
    assert sum(said in line for line in done.out.split("\n")) == 3


def test_branches_with_the_same_motors_share_a_row(symoro):
    data = json.loads(symoro("ik", "gough-stewart", "--pose", f"{HOME}1.1", "--json").out)
    assert [row["branches"] for row in data["solutions"]] == [[0, 1]]
    data = json.loads(symoro("ik", "delta", "--pose", f"{HOME}-0.6", "--json").out)
    assert [row["branches"] for row in data["solutions"]] == [[0, 2], [1, 3]]
    assert symoro("ik", "delta", "--pose", f"{HOME}-9").status == 1
