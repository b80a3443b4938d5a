"""A command that fails prints one line and returns status 1 or 2; it never prints a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

import symoro as library_of_symoro
from symoro.models import catalogue

USAGE = [
    ("frobnicate",),
    ("list", "--frobnicate"),
    ("show",),
    ("show", "puma56"),
    ("show", "puma560", "inverse_dynamic"),
    ("show", "puma560", "idm", "--lines", "0"),
    ("show", "puma560", "idm", "-o", "speed=9"),
    ("show", "puma560", "idm", "-o", "params=fewest"),
    ("show", "puma560", "idm", "-o", "optimize=perhaps"),
    ("show", "puma560", "transform"),
    ("show", "puma560", "transform", "-o", "i=0", "-o", "j=7"),
    ("show", "puma560", "transform", "-o", "i"),
    ("show", "puma560", "transform", "-o", "i=0", "-o", "i=1"),
    ("generate", "puma560", "idm", "--target", "fortran77", "--out", "x"),
    ("count", "puma560", "idm", "-o", "i=0"),
    ("loop", "four-bar", "--branches"),
    ("loop", "four-bar", "--guess", "0.3,0.397,1.255"),
    ("loop", "four-bar", "--motors", "left"),
    ("loop", "four-bar", "--motors", "nan"),
    ("loop", "four-bar", "--motors", "0.3,0.4"),
    ("loop", "four-bar", "--motors", "0.3", "--guess", "0.3"),
    ("loop", "four-bar", "--motors", "0.3", "--guess", "0.3,0.397,1.255", "--branches"),
    ("show", "four-bar", "idm", "-o", "at=0.3"),
    ("show", "planar2r", "idm", "--derivative", "zz"),
    ("generate", "planar2r", "idm", "--derivative", "zz"),
    ("show", "nowhere.par"),
    ("show", "five-bra.toml"),
    ("base", "four-bar", "--guess=1"),
    ("base", "planar2r", "--out", "x.xyz"),
    ("convert", "planar2r", "x.xyz"),
    ("convert", "planar2r", "x"),
    ("view", "planar2r", "--out", "x.xyz"),
    ("plan", "planar2r", "--from=0,0", "--to=1,1", "--duration=1", "--out", "x.xyz"),
    ("plan", "planar2r", "--from=0,0", "--to=1,1", "--velocity", "0"),
    ("base", "planar2r", "--branch", "1,0"),
    ("base", "five-bar-legs", "--branch", "1,0,0"),
    ("new", ".."),
    ("new", "."),
    ("new", "x.par"),
    ("new", "x.csv"),
    ("new", ".toml"),
    ("new", "folder/"),
]


@pytest.mark.parametrize("words", USAGE, ids=" ".join)
def test_bad_usage_is_status_2(symoro, words):
    done = symoro(*words)
    assert done.status == 2
    assert done.err.strip()
    assert not done.out
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("show", "puma56"), "puma560"),
        (("show", "puma560", "inverse_dynamic"), "inverse_dynamics"),
        (("show", "puma560", "idm", "-o", "params=fewest"), "allowed: standard"),
        (("show", "puma560", "transform", "-o", "i=0", "-o", "j=7"), "allowed: 0 to 6"),
        (("generate", "puma560", "idm", "--target", "basic"), "choose one of c, cpp, fortran"),
        (("ik", "five-bar"), "a frame with --link (as 2)"),
        (("show", "five-bar", "igm"), "a frame with -o link (as 2)"),
    ],
)
def test_errors_say_what_is_allowed(symoro, words, hint):
    assert hint in symoro(*words).err


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """rx90.par with a joint of a kind that does not exist."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "rx90.par"
    library_of_symoro.write(library_of_symoro.load("rx90"), file)
    lines = file.read_text(encoding="utf-8").splitlines()
    number = next(k for k, line in enumerate(lines) if line.lower().lstrip().startswith("sigma"))
    head, _, body = lines[number].partition("{")
    entries = body.rstrip(" }").split(",")
    entries[4] = "3"
    lines[number] = head + "{" + ",".join(entries) + "}"
    file.write_text("\n".join(lines), encoding="utf-8")
    return f"rx90.par:{number + 1}: joint 5: sigma = 3 is not a joint kind"


@pytest.mark.parametrize("words", [("show",), ("count",), ("generate", "idm"), ("convert", "out.toml")])
def test_a_wrong_file_is_status_1_with_its_line(symoro, broken, words):
    done = symoro(words[0], "rx90.par", *words[1:])
    assert done.status == 1
    assert done.err.startswith(broken)
    assert not done.out


def test_check_reports_every_file(symoro, broken):
    done = symoro("check", "rx90.par", "puma560", "nowhere.par", "nobody")
    assert done.status == 1
    assert done.out.startswith(broken)
    assert "puma560: ok (6R)" in done.out
    assert "nowhere.par: no such file\n" in done.out
    assert "'nobody' in the library and no such file" in done.out


@pytest.mark.parametrize("words", [("nowhere.par",), ("nobody",), ("puma560", "nowhere.par")], ids=" ".join)
def test_checking_what_does_not_exist_is_bad_usage(symoro, words):
    assert symoro("check", *words).status == 2


def test_a_missing_file_is_called_missing(symoro):
    assert symoro("show", "five-bra.toml").err == "five-bra.toml: no such file\n"
    assert "did you mean five-bar" in symoro("show", "five-bra").err


@pytest.mark.parametrize("words", [("show", "ur5"), ("count", "ur5"), ("generate", "ur5"), ("list",)], ids=" ".join)
def test_functions_that_take_the_place_of_a_model_are_among_what_exists(symoro, words):
    done = symoro(*words, "fooo")
    assert done.status == 2
    assert "inverse_geometry, loop_geometry)" in done.err
    assert "did you mean inverse_geometry" in symoro(*words, "inverse_geometri").err


def test_a_report_does_not_offer_what_it_cannot_show(symoro):
    done = symoro("report", "ur5", "fooo")
    assert done.status == 2
    assert "loop_geometry" not in done.err


@pytest.mark.parametrize("words", [("count",), ("generate",)], ids=" ".join)
def test_inverse_geometry_goes_alone(symoro, words):
    done = symoro(*words, "ur5", "ik", "idm")
    assert done.status == 2
    assert "give it alone" in done.err


def test_numbers_of_a_pose_are_counted_before_the_derivation(symoro):
    done = symoro("ik", "puma560", "--pose", "1,2,3,4")
    assert done.status == 2
    assert "4 numbers (allowed: 2, 3, 12 or 16)" in done.err
    assert "inverse geometry of" not in done.err


def test_problems_as_json(symoro, broken):
    (found,) = json.loads(symoro("check", "rx90.par", "--json").out)
    assert not found["ok"]
    problem = found["problems"][0]
    assert (problem["file"], problem["joint"], problem["severity"]) == ("rx90.par", 5, "error")
    shown = json.loads(symoro("show", "rx90.par", "--json").out)
    assert shown["problems"][0] == problem


def test_a_folder_that_cannot_be_written(symoro, tmp_path):
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    done = symoro("generate", "planar2r", "idm", "--out", tmp_path / "taken")
    assert done.status == 1
    assert "taken" in done.err


def test_generate_keeps_the_files_of_a_user(symoro, tmp_path):
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    for words in ((), ("--force",)):
        done = symoro("generate", "planar2r", "idm", "--out", tmp_path, *words)
        assert (done.status, done.out) == (1, "")
        assert "README.md exists and was not made by symoro" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_generate_writes_each_model_into_a_folder_of_its_own(symoro, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in ((), ("-o", "params=base")):
        assert symoro("generate", "planar2r", "idm", *words).status == 0
        assert symoro("generate", "planar2r", "idm", *words).status == 0  # again: the files are symoro's own
    assert {path.name for path in tmp_path.iterdir()} == {
        "planar2r_inverse_dynamics",
        "planar2r_inverse_dynamics_params_base",
    }
    source = tmp_path / "planar2r_inverse_dynamics" / "main.c"
    source.write_text("/* mine */", encoding="utf-8")
    assert symoro("generate", "planar2r", "idm").status == 1
    assert source.read_text(encoding="utf-8") == "/* mine */"
    assert symoro("generate", "planar2r", "idm", "--force").status == 0
    assert source.read_text(encoding="utf-8") != "/* mine */"


def test_the_name_of_a_robot_does_not_choose_a_place(symoro, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    text = 'format = 1\nname = "../../x"\n[[joints]]\ninertia = "symbolic"\n'
    (tmp_path / "here" / "x.toml").write_text(text, encoding="utf-8")
    assert symoro("generate", "x.toml", "idm").status == 0
    assert {path.name for path in tmp_path.iterdir()} == {"here"}
    assert len(list((tmp_path / "here").iterdir())) == 2


@pytest.mark.parametrize("words", [("convert", "planar2r"), ("base", "planar2r", "--out"), ("new",)], ids=" ".join)
def test_a_description_that_exists_is_kept(symoro, tmp_path, words):
    file = tmp_path / "mine.toml"
    file.write_text("mine", encoding="utf-8")
    done = symoro(*words, file)
    assert done.status == 1
    assert "exists" in done.err
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_model_that_does_not_exist_for_a_robot(symoro, monkeypatch):
    rows = [
        replace(row, applies=lambda robot: "it is too small") if row.name == "transform" else row
        for row in catalogue.rows("geometric")
    ]
    of_package = catalogue.rows
    monkeypatch.setattr(catalogue, "rows", lambda package: rows if package == "geometric" else of_package(package))
    done = symoro("show", "planar2r", "transform", "-o", "i=0", "-o", "j=2")
    assert done.status == 1
    assert done.err.endswith("transform of planar2r: it is too small\n")
    counted = symoro("count", "planar2r")
    assert counted.status == 0
    assert "transform is left out: it is too small" in counted.err


def test_a_terminal_without_greek_letters():
    environment = {"PYTHONIOENCODING": "ascii", "PATH": "", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    done = subprocess.run([sys.executable, "-m", "symoro", "list"], capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
