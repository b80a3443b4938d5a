"""Every command, its JSON, and the documentation's own examples."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import symoro as library_of_symoro
from symoro.cli.app import COMMANDS
from symoro.models.catalogue import entries
from symoro.robot import library
from symoro.robot.values import as_value

ROOT = Path(__file__).parents[2]


def test_list_has_every_robot_and_every_model(symoro):
    done = symoro("list")
    words = set(done.out.split())
    assert done.status == 0
    assert words >= set(library.names())
    assert words >= {entry.name for entry in entries()}


def test_list_of_one_kind(symoro):
    assert "inverse_dynamics" not in symoro("list", "--robots").out
    assert "puma560" not in symoro("list", "--models").out


def test_list_as_json(symoro):
    data = json.loads(symoro("list", "--json").out)
    assert [robot["name"] for robot in data["robots"]] == list(library.names())
    model = next(model for model in data["models"] if model["name"] == "inverse_dynamics")
    assert "idm" in model["aliases"]
    assert {"params", "method", "optimize"} <= {option["name"] for option in model["options"]}


def test_show_a_robot(symoro):
    done = symoro("show", "rx90")
    assert done.status == 0
    assert {"RL4", "XX6", "FX6", "Geometry", "forward_geometry"} <= set(done.out.split())
    data = json.loads(symoro("show", "rx90", "--json").out)
    assert data["joints"][3]["r"] == "RL4"
    assert data["links"][5]["XX"] == "XX6"
    assert data["models"]["inverse_dynamics"] is None


def test_show_equations(symoro):
    done = symoro("show", "planar2r", "idm", "-o", "optimize=false")
    model = library_of_symoro.inverse_dynamics("planar2r", optimize=False)
    lines = [line[2:] for line in done.out.splitlines() if not line.startswith("#")]
    assert lines == [f"{left} = {right}" for left, right in model.equations()]
    once = {name for instruction in model.program.setup for name in instruction.results}
    assert all(line.startswith("* ") for line in done.out.splitlines() if line[2:].split(" = ")[0] in once)


def test_a_joint_has_a_name_wherever_it_has_a_number(symoro):
    words = ["transform", "-o", "i=shoulder", "-o", "j=flange"]
    assert symoro("show", "puma560", *words).out == symoro("show", "puma560", "trm", "-o", "i=2", "-o", "j=6").out
    wrong = symoro("show", "puma560", "jacobian", "-o", "link=elbw")
    assert wrong.status == 2
    assert "'elbow'" in wrong.err


def test_list_explains_a_model(symoro):
    assert symoro("list", "idm").out.strip() == library_of_symoro.inverse_dynamics.__doc__
    assert symoro("list", "idn").status == 2


def test_variables_have_a_column_where_coordinates_are_functions(symoro, tmp_path):
    assert "variable" not in symoro("show", "rx90").out.split()
    robot = library_of_symoro.Robot.from_mdh([{"theta": "-2*q1"}, {"theta": "q2 - q1"}, {"theta": "3*q1"}], "geared")
    library_of_symoro.write(robot, tmp_path / "geared.toml")
    table = symoro("show", tmp_path / "geared.toml").out.splitlines()
    rows = [line.split()[-1] for line in table if line.startswith(("j", "1", "2"))]
    assert rows[:3] == ["variable", "q1", "q2"]
    assert "revolute, follows" in symoro("show", tmp_path / "geared.toml").out


def test_show_some_equations(symoro):
    done = symoro("show", "puma560", "transform", "-o", "i=0", "-o", "j=3", "--lines", "2")
    assert done.status == 0
    assert re.search(r"^# and \d+ more$", done.out, re.MULTILINE)
    data = json.loads(symoro("show", "puma560", "transform", "-o", "i=0", "-o", "j=3", "--lines", "2", "--json").out)
    assert len(data["equations"]) == 2
    assert data["outputs"] == {"T": [4, 4]}


def test_show_latex(symoro):
    assert "\\" in symoro("show", "planar2r", "forward_geometry", "--latex").out


def test_show_a_derivative(symoro, tmp_path):
    shown = json.loads(symoro("show", "four-bar", "idm", "--derivative", "q", "--json").out)
    assert (shown["model"], shown["outputs"]) == ("inverse_dynamics_by_q", {"dGAM_dq": [1, 1]})
    made = symoro("generate", "four-bar", "idm", "-t", "python", "-d", tmp_path / "slope", "--derivative", "q")
    assert made.status == 0
    (test,) = (tmp_path / "slope").glob("*_selftest.py")
    subprocess.run([sys.executable, test.name], cwd=test.parent, check=True)
    refused = symoro("show", "four-bar", "idm", "--derivative", "x")
    assert (refused.status, refused.out) == (2, "")
    assert "no derivative by 'x' (allowed, inputs and parameters: q, qd, qdd" in refused.err


def test_count_is_what_the_models_say(symoro):
    data = json.loads(symoro("count", "puma560", "idm", "--json").out)
    plain, best = (row["ops"] for row in data["counts"])
    model = library_of_symoro.inverse_dynamics("puma560", optimize=False)
    assert (plain["mul"], plain["add"]) == (model.ops.mul, model.ops.add)
    assert best["total"] <= plain["total"]


def test_count_beside_published_figures(symoro):
    done = symoro("count", "rx90-symmetric", "idm", "-o", "params=base", "--compare")
    assert "273 SYMORO+" in done.out
    assert "newton-euler, lean" in done.out
    data = json.loads(symoro("count", "rx90-symmetric", "idm", "--compare", "--json").out)["models"]
    assert [row["options"]["params"] for row in data] == ["standard", "base"]
    assert all(row["optimised"]["total"] < row["plain"]["total"] for row in data)
    assert [figure["total"] for row in data for figure in row["published"]] == [355, 273]


def test_a_long_search_says_what_it_does(symoro):
    done = symoro("count", "planar2r", "idm", "-o", "optimize=best")
    assert "two changes at a time" in done.err
    assert "algebraic passes, 1 of" in done.err


def test_count_of_every_model(symoro):
    done = symoro("count", "planar2r")
    robot = library_of_symoro.load("planar2r")
    assert done.status == 0
    for entry in entries():
        assert (entry.name in done.out.split()) == (entry.applies(robot) is None)
    assert "planar2r" in done.err


@pytest.mark.long
@pytest.mark.parametrize("words", [(), ("--compare",)])
def test_count_of_every_model_of_a_robot_with_several_tips(symoro, words):
    done = symoro("count", "four-bar", *words)
    assert done.status == 0
    assert {"inverse_dynamics", "cut_wrenches", "dynamic_regressor"} <= set(done.out.split())
    assert "jacobian_inverse is left out: four-bar has several tips: name the link (such as 2, 3)" in done.err
    assert "jacobian_inverse link=3" in symoro("count", "four-bar", "jinv", "-o", "link=3", *words).out


@pytest.mark.parametrize("words", [(), ("--compare",)])
def test_count_of_a_model_that_is_named_and_does_not_exist(symoro, words):
    done = symoro("count", "planar2r", "cut_wrenches", *words)
    assert (done.status, done.out) == (1, "")
    assert "the robot has no closed loops" in done.err


def test_check_says_that_loops_cannot_be_closed(symoro, tmp_path):
    robot, path = library_of_symoro.load("five-bar"), tmp_path / "short.toml"
    short = {name: as_value(0.01) for name in ("L1", "L2", "L3", "L4")}
    library_of_symoro.write(replace(robot, values={**robot.values, **short}), path)
    done = symoro("check", path)
    assert done.status == 0
    assert f"{path}: warning: no configuration was found that closes the loops (smallest gap 0." in done.out
    assert "closes" not in symoro("check", "five-bar", "orthoglide").out
    library_of_symoro.write(replace(robot, values={}), path, force=True)
    assert "closes" not in symoro("check", path).out


def test_convert_and_back(symoro, tmp_path):
    par, toml = tmp_path / "robot.par", tmp_path / "robot.toml"
    assert symoro("convert", "puma560", par).out == f"{par}\n"
    assert symoro("convert", par, toml).status == 0
    original, back = library_of_symoro.load("puma560"), library_of_symoro.load(toml)
    assert (back.joints, back.inertias) == (original.joints, original.inertias)


def test_convert_says_what_is_lost(symoro, tmp_path):
    done = symoro("convert", "puma560", tmp_path / "table.csv", "--json")
    assert "inertias" in json.loads(done.out)["lost"]
    assert "does not hold inertias" in done.err


def test_convert_does_not_overwrite(symoro, tmp_path):
    out = tmp_path / "robot.toml"
    out.write_text("precious", encoding="utf-8")
    assert symoro("convert", "scara", out).status == 1
    assert out.read_text(encoding="utf-8") == "precious"
    assert symoro("convert", "scara", out, "--force").status == 0


def test_check_of_good_robots(symoro):
    done = symoro("check", "puma560", "scara")
    assert (done.status, done.out) == (0, "puma560: ok (6R)\nscara: ok (3R 1P)\n")


def test_check_of_warnings(symoro):
    done = symoro("check", "rx90-k13", "--json")
    (found,) = json.loads(done.out)
    assert done.status == 0
    assert found["ok"]
    assert {problem["severity"] for problem in found["problems"]} == {"warning"}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples(symoro, name):
    done = symoro(name, "--help")
    assert done.status == 0
    assert f"symoro {name}" in done.out.partition("Examples:")[2]
    assert "--json" in done.out or name == "gui"


@pytest.mark.long
def test_the_examples_of_the_page_work(symoro, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    lines = [
        line for block in re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE) for line in block.split("\n")
    ]
    commands = [line for line in lines if line.startswith("symoro ")]
    assert {shlex.split(line)[1] for line in commands} == set(COMMANDS) - {"gui"}
    for line in commands:
        assert symoro(*shlex.split(line)[1:]).status == 0, line


@pytest.mark.parametrize("start", [["-m", "symoro"], ["-c", "from symoro.cli import main; main()"]])
def test_module_and_function_start_the_command_line(start):
    done = subprocess.run([sys.executable, *start, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"symoro {library_of_symoro.__version__}\n"


def test_tables_have_frames_on_a_terminal_only(symoro):
    assert "───" in on_terminal(100, "list", "--models")
    assert "───" not in symoro("list", "--models").out


@pytest.mark.parametrize("words", ["list", "show humanoid", "base puma560", "loop orthoglide --motors 0.1,0.2,0.3"])
def test_tables_fit_a_terminal_of_80_columns_and_cut_nothing_off(words):
    shown = on_terminal(80, *words.split())
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown


def on_terminal(columns, *words):
    """What a command prints on a terminal of this width."""
    pty = pytest.importorskip("pty")
    import os

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "symoro", *words]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment) as done:
        os.close(theirs)
        shown = os.read(ours, 100_000)
        while part := _read(ours):  # a terminal holds only a few kilobytes that nobody reads
            shown += part
    assert done.returncode == 0
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode("utf-8"))


def _read(terminal: int) -> bytes:
    """What a terminal has; nothing when its program has ended."""
    import os

    try:
        return os.read(terminal, 100_000)
    except OSError:
        return b""


def test_a_reader_that_stops_early_is_no_error():
    command = f"{shlex.quote(sys.executable)} -m symoro show humanoid | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr


def test_base_parameters_of_loops_and_wheels(symoro):
    loops = symoro("base", "four-bar", "--every-branch", "--json")
    assert len(json.loads(loops.out)["parameters"]) == 8
    wheels = json.loads(symoro("base", "diff-drive-2r", "--json").out)
    assert len(wheels["parameters"]) == 27
    assert any("rolling leaves 27" in note for note in wheels["notes"])
    branch = json.loads(symoro("base", "four-bar", "--json").out)["branch"]
    again = symoro("base", "four-bar", f"--guess={','.join(map(str, branch))}", "--json")
    assert len(json.loads(again.out)["parameters"]) == 8
    assert symoro("base", "four-bar", "--guess", "a,b").status == 2


def test_cache_is_shown_and_cleared(symoro, tmp_path, monkeypatch):
    library_of_symoro.inverse_dynamics("planar2r").compile()([0, 0], [0, 0], [0, 0])  # probes direct calls, too
    monkeypatch.setenv("SYMORO_CACHE", str(tmp_path / "kept"))
    library_of_symoro.inverse_dynamics("planar2r").compile()([0, 0], [0, 0], [0, 0])
    data = json.loads(symoro("cache", "--json").out)
    assert data["folder"] == str(tmp_path / "kept")
    assert data["entries"] == 1
    assert data["bytes"] == sum(path.stat().st_size for path in (tmp_path / "kept").iterdir())
    assert "1 entries" in symoro("cache").out
    assert "1 entries" in symoro("cache", "--clear").out
    assert json.loads(symoro("cache", "--json").out)["entries"] == 0
    monkeypatch.setenv("SYMORO_CACHE", "off")
    assert "switched off" in symoro("cache").out
    monkeypatch.setenv("SYMORO_CACHE", str(tmp_path / ("x" * 300)))
    assert "cannot be written" in symoro("cache").out
