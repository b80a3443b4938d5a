"""symoro ik and symoro loop: joint positions for a pose, and configurations that close loops."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import symoro as library_of_symoro
from symoro.robot.values import as_value


def test_joints_have_names_in_inverse_geometry(symoro):
    at = ["--at", "0.1,0.2,0.3,-1.4,0.5,0.6,0.7"]
    name = library_of_symoro.load("panda").joint(3).name
    by_number = symoro("ik", "panda", *at, "--given", "3=0.3", "--link", "7")
    last = library_of_symoro.load("panda").joint(7).name
    assert by_number.status == 0
    assert symoro("ik", "panda", *at, "--given", f"{name}=0.3", "--link", last).out == by_number.out
    for given, said in (("3=nan", "is not joint=position"), (f"3=0.3,{name}=0.4", "has a joint twice")):
        wrong = symoro("ik", "panda", *at, "--given", given)
        assert wrong.status == 2
        assert said in " ".join(wrong.err.split())
    for words in (["--given", "elbw=0.3"], ["--given", "3=0.3", "--link", "flnge"]):
        wrong = symoro("ik", "panda", *at, *words)
        assert wrong.status == 2
        assert name in wrong.err


def test_a_frame_inside_an_arm_and_limits(symoro, tmp_path):
    path = tmp_path / "three.toml"
    row = "[[joints]]\nd = 0.5\nlimits = {lower = -1, upper = 1}\n"
    path.write_text(f'format = 1\nname = "three"\n{3 * row}', encoding="utf-8")
    inner = symoro("ik", str(path), "--link", "2", "--at", "0.3,0.4", "--limits", "--json")
    assert json.loads(inner.out)["solutions"] == [{"q1": pytest.approx(0.3), "q2": pytest.approx(0.4)}]
    outside = symoro("ik", str(path), "--link", "2", "--at", "0.3,1.4", "--limits")
    assert outside.status == 1
    assert "every solution is outside the joint limits" in outside.err


def test_a_pose_without_a_branch_says_what_to_do(symoro):
    far = symoro("ik", "planar3r", "--pose", "1,0,0,9,0,1,0,0,0,0,1,0")
    assert far.status == 1
    assert "is unreachable (the nearest pose that was found is" in " ".join(far.err.split())
    stretched = symoro("ik", "planar3r", "--pose", "1,0,0,1,0,2,0,0,0,0,1,0")
    assert stretched.status == 1
    assert "--nearest-rotation takes the nearest" in " ".join(stretched.err.split())
    rounded = symoro("ik", "planar3r", "--pose", "0.70710678,-0.70710678,0,1,0.70710678,0.70710678,0,0,0,0,1,0")
    assert rounded.status == 1
    assert "is 3e-09 from a rotation: --nearest-rotation takes the nearest" in " ".join(rounded.err.split())
    assert json.loads(symoro("ik", "planar3r", "--pose", "1,0,0,1,0,2,0,0,0,0,1,0", "--json").out)["distance"] is None
    platform = symoro("ik", "delta", "--at", "1,2,3")
    assert platform.status == 2
    assert "is a parallel robot: give --pose" in " ".join(platform.err.split())


def test_inverse_geometry_is_written_in_a_language(symoro, tmp_path):
    folder = tmp_path / "ik"
    made = symoro("generate", "planar2r", "inverse_geometry", "-t", "javascript", "--out", folder, "--json")
    assert made.status == 0
    assert json.loads(made.out)["model"] == "inverse_geometry"
    general = ["generate", "planar2r", "inverse_geometry", "-o", "method=general", "-t", "rust"]
    assert symoro(*general, "--out", tmp_path / "general").status == 0
    assert "planar2r_inverse_geometry_branches" in (tmp_path / "general" / "lib.rs").read_text()
    given = [*general, "-o", "redundant=2", "--out", tmp_path / "given"]
    assert symoro(*given).status == 0
    assert "pub fn planar2r_inverse_geometry_at(" in (tmp_path / "given" / "lib.rs").read_text()
    wrong = {
        "--option colour: inverse_geometry does not have it": ["inverse_geometry", "-o", "colour=red"],
        "give it alone": ["inverse_geometry", "jacobian"],
        "each branch is certified": ["inverse_geometry", "--precision", "float"],
        "which iterates: choose one of": ["inverse_geometry", "-o", "method=general", "-t", "maple"],
        "-o method = 'magic' is not allowed (allowed: auto, paul": ["inverse_geometry", "-o", "method=magic"],
        "has no joint": ["inverse_geometry", "-o", "redundant=nobody"],
    }
    for message, words in wrong.items():
        refused = symoro("generate", "ur5", *words, "--out", tmp_path / "wrong")
        assert refused.status in (1, 2)
        assert message in " ".join(refused.err.split())
        assert not (tmp_path / "wrong").exists()


def test_ik_finds_joint_positions(symoro):
    done = symoro("ik", "scara", "--at", "0.1,0.2,0.3,-0.1")
    assert done.status == 0
    assert "2 solutions" in done.out
    data = json.loads(symoro("ik", "scara", "--at", "0.1,0.2,0.3,-0.1", "--nearest", "0,0,0,0", "--json").out)
    assert data["status"] == "complete"
    assert data["solutions"][0] == pytest.approx({"q1": 0.1, "q2": 0.2, "q3": 0.3, "q4": -0.1})


def test_ik_takes_a_pose_and_given_joints(symoro):
    pose = "1,0,0,0.4,0,1,0,0.2,0,0,1,-0.1"
    found = [json.loads(symoro("ik", "scara", "--pose", p, "--json").out) for p in (pose, pose + ",0,0,0,1")]
    assert found[0] == found[1]
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    done = symoro("ik", "kuka-lwr", "--given", "3=0.3", "--at", ",".join(map(str, q)), "--json")
    assert any(list(row.values()) == pytest.approx(q) for row in json.loads(done.out)["solutions"])


def test_ik_takes_a_point_where_the_task_is_a_position(symoro):
    """The wrist of the PUMA: the position of frame 4 does not depend on joint 4, which is given."""
    q = [0.3, -0.4, 0.5]
    wrist = library_of_symoro.forward_geometry("puma560", link=4).compile("numpy")([*q, 0.0, 0.0, 0.0])[:3, 3]
    point = ",".join(f"{x:.12f}" for x in wrist)
    done = symoro("ik", "puma560", "--link", "4", "--given", "4=0", "--pose", point, "--json")
    found = json.loads(done.out)
    assert found["task"] == "position"
    assert any(list(row.values()) == pytest.approx([*q, 0.0], abs=1e-6) for row in found["solutions"])
    far = symoro("ik", "puma560", "--link", "4", "--given", "4=0", "--pose", "9,0,0")
    assert far.status == 1
    assert "is unreachable" in far.err


def test_ik_shows_the_derivation(symoro):
    done = symoro("ik", "ur5")
    assert "1. q1: type 2, 2 roots" in done.out
    assert len(json.loads(symoro("ik", "ur5", "--json").out)["steps"]) == 5


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        (("ik", "scara", "--pose", "1,0,0,9,0,1,0,0,0,0,1,0"), 1, "the pose is unreachable"),
        (("ik", "scara", "--pose", "1,0,0,9,0,1"), 2, "12 or 16"),
        (("ik", "scara", "--pose", "0.3,0.4"), 1, "the task position fixes 3 at most"),
        (("ik", "delta", "--pose", "0,0,-0.5"), 2, "3 numbers (allowed: 12 or 16)"),
        (("ik", "scara", "--given", "3"), 2, "joint=position"),
        (("ik", "scara", "--link=--5"), 2, "--5"),
        (("ik", "scara", "--link", "²"), 2, "²"),
        (("ik", "kuka-iiwa"), 1, "7 joints are unknown"),
    ],
)
def test_ik_says_what_is_wrong(symoro, words, status, why):
    done = symoro(*words)
    assert done.status == status
    assert why in done.err


def test_motors_have_names(symoro):
    named = symoro("loop", "five-bar", "--motors", "right crank=1,q1=2")
    assert named.status == 0
    assert named.out == symoro("loop", "five-bar", "--motors", "2,1").out
    wrong = symoro("loop", "five-bar", "--motors", "q1=2,q2=1")
    assert wrong.status == 2
    assert "right crank or q3" in wrong.err.replace("\n", " ")


def test_loop_geometry_is_that_of_python(symoro, tmp_path):
    procedure = library_of_symoro.loop_geometry("four-bar")
    shown = symoro("show", "four-bar", "loop_geometry").out.splitlines()
    assert [line[2:] for line in shown if line[0] != "#"] == [f"{a} = {b}" for a, b in procedure.equations()]
    counted = json.loads(symoro("count", "four-bar", "loop_geometry", "--json").out)["counts"]
    assert counted[1]["ops"]["total"] == procedure.ops.total
    ours, theirs = tmp_path / "command", tmp_path / "python"
    assert symoro("generate", "four-bar", "loop_geometry", "--out", ours).status == 0
    procedure.emit("c", theirs)
    assert {path.name: path.read_text() for path in ours.iterdir()} == {
        path.name: path.read_text() for path in theirs.iterdir()
    }


def test_loop_closes_a_robot(symoro):
    f = library_of_symoro.loop_geometry("four-bar").compile()
    done = symoro("loop", "four-bar", "--motors", "0.3")
    assert done.status == 0
    assert {"1", "configuration", "q4", "residual", "condition", f"{f(0.3)[1]:.6f}"} <= set(done.out.split())
    data = json.loads(symoro("loop", "four-bar", "--motors=-0.3", "--branches", "--json").out)
    assert data["joints"] == ["q1", "q2", "q3"]
    for found, q in zip(data["configurations"], f.branches(-0.3), strict=True):
        assert [found["q"][name] for name in data["joints"]] == pytest.approx(q, abs=1e-9)
        assert found["residual"] < 1e-12
        assert found["condition"] > 1


def test_loop_follows_a_branch(symoro):
    f = library_of_symoro.loop_geometry("four-bar").compile()
    for q in f.branches(0.3):
        near = ",".join(f"{x:.4f}" for x in q)
        data = json.loads(symoro("loop", "four-bar", "--motors", "1", f"--guess={near}", "--json").out)
        (found,) = data["configurations"]
        assert list(found["q"].values())[:3] == pytest.approx(f(1.0, guess=q), abs=1e-9)


def test_loop_shows_the_mobility(symoro):
    assert "rank 2, mobility 1" in symoro("loop", "four-bar").out
    assert json.loads(symoro("loop", "akr3000", "--json").out)["mobility"] == 6


def test_loop_that_cannot_be_closed(symoro, tmp_path):
    robot = library_of_symoro.load("five-bar")
    short = replace(robot, values={**robot.values, "L2": as_value(0.1), "L4": as_value(0.1)})
    library_of_symoro.write(short, tmp_path / "short.toml")
    for words in ((), ("--branches",)):
        done = symoro("loop", tmp_path / "short.toml", "--motors", "3.1,0", *words)
        assert (done.status, done.out) == (1, "")
        assert "loops" in done.err
    assert symoro("loop", "rx90", "--motors", "1").status == 1


@pytest.mark.parametrize("name", ["inverse_geometry", "igm", "ik"])
def test_the_inverse_model_is_listed_under_each_of_its_names(symoro, name):
    done = symoro("list", name)
    assert done.status == 0
    assert done.out.startswith("Inverse geometric model. Also called igm, ik.")
    assert "redundant" in done.out


def test_what_closes_loops_is_listed(symoro):
    assert symoro("list", "loop_geometry").out.startswith("Configurations that close the loops.")
    assert json.loads(symoro("list", "loop_geometry", "--json").out)["inputs"] == ["qa"]


@pytest.mark.parametrize("name", ["inverse_geometry", "igm", "ik"])
def test_the_inverse_model_is_double_under_each_of_its_names(symoro, tmp_path, name):
    done = symoro("generate", "planar2r", name, "-p", "float", "--out", tmp_path / "written")
    assert done.status == 2
    assert "each branch is certified" in done.err


def test_the_inverse_model_is_shown_and_counted_as_others(symoro):
    shown = json.loads(symoro("show", "planar2r", "inverse_geometry", "--json").out)
    (counted,) = json.loads(symoro("count", "planar2r", "ik", "--json").out)["counts"]
    assert shown["model"] == counted["model"] == "inverse_geometry"
    assert shown["inputs"]["T"] == [4, 4]
    assert counted["form"] == "paul"
    assert counted["ops"]["total"] > 0


def test_the_branches_of_the_general_method_are_said_to_be_no_equations(symoro):
    done = symoro("count", "general6r", "ik")
    assert done.status == 0
    assert "the branches are found by numbers" in done.err
    assert "legs" in symoro("count", "delta", "ik").out


def test_an_option_that_the_inverse_model_does_not_have_is_named(symoro):
    done = symoro("show", "ur5", "ik", "-o", "params=base")
    assert done.status == 2
    assert "--option params" in done.err
    assert "allowed: method, link, task, redundant" in done.err
