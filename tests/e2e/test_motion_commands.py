"""plan and simulate as users type them."""

from __future__ import annotations

import json

import numpy as np
import pytest


def test_plan_says_the_shortest_time(symoro):
    done = symoro("plan", "planar2r", "--from", "0,0", "--to", "1,0.5", "-p", "linear", "--velocity", "2", "--json")
    found = json.loads(done.out)
    assert done.status == 0
    assert found["duration"] == 0.5
    assert found["joints"] == ["joint1", "joint2"]
    assert found["rows"]["q joint1"][-1] == 1.0


def test_plan_takes_names_and_writes_a_table(symoro, tmp_path):
    path = tmp_path / "move.csv"
    words = ("plan", "planar2r", "--from", "0,0", "--to", "joint2=0.5,q1=1", "--duration", "2", "--out", path)
    done = symoro(*words)
    assert done.status == 0
    assert str(path) in done.out
    table = np.genfromtxt(path, delimiter=",", names=True)
    assert (table["t"][-1], table["q_joint1"][-1], table["q_joint2"][-1]) == (2.0, 1.0, 0.5)
    assert symoro(*words).status == 1
    assert symoro(*words, "--force").status == 0


def test_plan_with_limits_of_torque(symoro):
    done = symoro("plan", "planar2r", "--from", "0,0", "--to", "1,0.5", "--effort", "40,15", "--json")
    assert 0.28 < json.loads(done.out)["duration"] < 0.3


def test_plans_that_fail_say_why(symoro):
    start = ("plan", "planar2r", "--from", "0,0", "--to", "1,0.5")
    for words, message, status in (
        ((), "neither a duration nor a limit", 1),
        (("--velocity", "0"), "joint joint1: --velocity = 0 is not allowed", 2),
        (("--velocity", "2", "--duration", "0.1"), "by velocity 2 of joint joint1", 1),
        (("--velocity", "fast"), "--velocity = 'fast' is not allowed (allowed: X or X1,X2,…)", 2),
        (("--profile", "cube", "--duration", "1"), "--profile = 'cube' is not allowed (allowed: linear, cubic", 2),
    ):
        done = symoro(*start, *words)
        assert done.status == status
        assert message in done.err


def test_simulate_begins_with_a_scenario_of_its_own(symoro, tmp_path):
    path = tmp_path / "scenario.toml"
    assert symoro("simulate", path, "--new").out == f"{path}\n"
    assert symoro("simulate", path, "--new").status == 1
    done = symoro("simulate", path, "--json", "--out", tmp_path / "run.csv")
    found = json.loads(done.out)
    assert done.status == 0
    assert (found["time"], found["rows"], found["stopped"]) == (1.5, 1501, "")
    assert abs(found["largest_error"]["joint1"] - 0.05) < 1e-9
    assert (tmp_path / "run.csv").exists()
    assert "largest torque" in symoro("simulate", path).out


def test_scenarios_that_fail_say_why(symoro, tmp_path):
    path = tmp_path / "scenario.toml"
    for text, message in (
        ("", "there is no robot"),
        ("robot = 'planar2r'\nworld = 1", "world is not a part of a scenario"),
        ("robot = ", "scenario.toml: Invalid value"),
        ("robot = 'planar2r'\ntrajectory = 3", "trajectory is not a table"),
        ("robot = 'planar2r'\n[controller]\nname = 'magic'", "name = 'magic' is not allowed"),
        ("robot = 'planar2r'\n[controller]\nname = 'pid'\nspeed = 3", "controller: there is no entry speed"),
        ("robot = 'planar2r'\n[trajectory]\nq0 = [0, 0]", "trajectory: q1 is missing"),
        ("robot = 'planar2r'\n[simulation]\nduration = -1", "duration = -1 is not allowed"),
    ):
        path.write_text(text, encoding="utf-8")
        done = symoro("simulate", path)
        assert done.status == 1, text
        assert message in done.err


def test_a_missing_scenario_is_bad_usage(symoro):
    done = symoro("simulate", "nothing.toml")
    assert done.status == 2
    assert "nothing.toml: no such file" in done.err


def test_a_simulation_that_diverges_fails(symoro, tmp_path):
    path = tmp_path / "scenario.toml"
    path.write_text(
        "robot = 'planar2r'\n[controller]\nname = 'pd_gravity'\nKP = 1e6\nKD = 1e5\n"
        "[simulation]\nduration = 1.0\nperiod = 0.01\nq0 = [0.1, 0.1]\nqd0 = [1.0, 1.0]\n",
        encoding="utf-8",
    )
    done = symoro("simulate", path)
    assert done.status == 1
    assert "the simulation diverged at t = " in done.err


PLATFORM = """\
robot = "3rps"

[task_trajectory]
q0 = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.9], [0, 0, 0, 1]]
target = [0, 0, 1.0]
duration = 0.1

[controller]
name = "pid"
form = "prefilter"
frequency = 150
"""


@pytest.mark.long
def test_a_platform_under_control_and_a_warning_of_slow_sampling(symoro, tmp_path):
    scenario = tmp_path / "platform.toml"
    scenario.write_text(PLATFORM)
    run = symoro("simulate", scenario, "--out", tmp_path / "run.csv", "--json")
    assert run.status == 0
    assert "warning: a period of 0.001 s is long for errors of 150 rad/s" in run.err
    assert list(json.loads(run.out)["q"]) == ["q2_1", "q2_2", "q2_3"]
    names = (tmp_path / "run.csv").read_text().splitlines()[0].split(",")
    parts = [f"platform_position_{k}" for k in (1, 2, 3)] + [f"platform_quat_{k}" for k in (1, 2, 3, 4)]
    assert names[:8] == ["t", *parts]
    scenario.write_text(PLATFORM.replace("[0, 0, 1.0]", "[0.1, 0, 1.0]"))
    refused = symoro("simulate", scenario)
    assert refused.status == 1
    assert "the legs of 3rps do not reach or do not allow the pose at s = 0.005" in refused.err


SCENARIO = """
robot = "planar2r"
[trajectory]
q0 = [0, 0]
q1 = [1.2, -1.0]
via = [[0.9, 0.5], [-0.6, 1.0], [0.7, -0.8], [-0.5, 0.3]]
velocity = 4.0
acceleration = 12.0
[controller]
name = "computed_torque"
frequency = 20.0
[simulation]
period = 0.001
"""


def test_identify_takes_the_controller_of_a_scenario(symoro, tmp_path):
    path, run = tmp_path / "scenario.toml", tmp_path / "run.csv"
    path.write_text(SCENARIO, encoding="utf-8")
    assert symoro("simulate", path, "--out", run).status == 0
    words = ("identify", "planar2r", run, "--method", "didim", "--delay", "0.0005")
    found = json.loads(symoro(*words, "--controller", path, "--json").out)
    values = {p["name"]: p["value"] for p in found["parameters"]}
    assert found["error"] < 1e-4
    assert all(key.isidentifier() for key in found)
    assert abs(values["FV1"] - 0.1) < 5e-4  # of the description
    for more, message, status in (
        (("--controller", tmp_path / "nothing.toml"), "no such file", 2),
        ((), "needs one", 2),
        (("--controller", run), "run.csv", 1),
    ):
        done = symoro(*words, *more)
        assert done.status == status
        assert message in done.err
    done = symoro("identify", "planar2r", run, "--controller", path)
    assert done.status == 2
    assert "does not simulate" in done.err


def test_a_run_that_begins_away_from_its_reference_is_named(symoro, tmp_path):
    path, run = tmp_path / "scenario.toml", tmp_path / "run.csv"
    path.write_text(SCENARIO + "q0 = [0.2, 0.0]\n", encoding="utf-8")
    assert symoro("simulate", path, "--out", run).status == 0
    done = symoro("identify", "planar2r", run, "--method", "didim", "--controller", path)
    assert "joint joint1 begins 0.2 away from its reference" in done.err


def test_the_workspace_of_an_arm(symoro, tmp_path):
    """The points of a square that two links of 0.5 m reach; the table has a row for each."""
    axes = ("--x=-0.9,0.9,4", "--y=-0.9,0.9,4")
    done = symoro("workspace", "planar2r", "--link", "tip", *axes, "--out", tmp_path / "reach.csv", "--json")
    assert done.status == 0, done.err
    data = json.loads(done.out)
    edge = [False, True, True, False]
    assert data["reachable"] == [edge, [True] * 4, [True] * 4, edge]
    assert data["ended"] == {"the arm does not reach": 4}
    assert list(data["worst"]) == ["Jacobian matrix"]
    table = (tmp_path / "reach.csv").read_text(encoding="utf-8").splitlines()
    assert table[0] == "x,y,reachable,ended,condition"
    assert len(table) == 17
    wrong = symoro("workspace", "planar2r", "--link", "hand", *axes)
    assert wrong.status == 2
    assert "hand" in wrong.err
