"""symoro bench measures what it says."""

from __future__ import annotations

import json
import sys

import pytest

from symoro.bench.timing import best_times, call


def test_every_call_is_measured_beside_the_libraries(symoro):
    words = (
        "--states",
        "300",
        "--rounds",
        "1",
        "--threads",
        "2",
        "--against",
        "pinocchio",
        "--against",
        "casadi",
        "--json",
    )
    data = json.loads(symoro("bench", "planar3r", *words).out)
    rows = {(r["model"], r["library"], r["call"]): r for r in data["times"]}
    for model in ("inverse_dynamics", "direct_dynamics", "inertia_matrix", "dynamic_regressor", "jacobian"):
        for kind in ("call", "call out=", "batch", "batch out=", "batch threads=2"):
            assert rows[model, "symoro", kind]["nanoseconds"] > 0
        for library in ("pinocchio", "casadi"):
            for kind in ("call", "batch"):
                row = rows[model, library, kind]
                ratio = row["nanoseconds"] / rows[model, "symoro", kind]["nanoseconds"]
                assert abs(row["ratio"] / ratio - 1) < 1e-9


def test_a_robot_that_a_library_does_not_take_is_measured_alone(symoro):
    done = symoro("bench", "four-bar", "inverse_dynamics", "--against", "pinocchio", "--states", "50", "--rounds", "1")
    assert done.status == 0
    assert "symoro" in done.out
    assert "pinocchio" not in done.out
    assert "pinocchio is left out: only trees of rigid joints on a fixed base" in done.err


@pytest.mark.parametrize(("robot", "model"), [("flexible-joints", "direct_dynamics"), ("planar-3rrr", "jacobian")])
def test_elastic_joints_and_platforms_are_measured(symoro, robot, model):
    done = symoro("bench", robot, model, "--states", "20", "--rounds", "1", "--against", "pinocchio", "--json")
    assert {row["library"] for row in json.loads(done.out)["times"]} == {"symoro"}
    assert f"{model}: pinocchio is left out" in done.err


@pytest.mark.parametrize("library", ["pinocchio", "mujoco", "casadi", "frax"])
def test_a_library_that_is_missing_is_named(symoro, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    done = symoro("bench", "planar2r", "inverse_dynamics", "--against", library)
    assert done.status == 1
    assert f"{library} is not installed: pip install" in done.err


def test_a_library_that_is_missing_does_not_stop_the_others(symoro, monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    words = ("inverse_dynamics", "--states", "50", "--rounds", "1", "--json", "--against", "pinocchio", "casadi")
    done = symoro("bench", "planar2r", *words)
    data = json.loads(done.out)
    assert {row["library"] for row in data["times"]} == {"symoro", "casadi"}
    assert data["missing"] == {"pinocchio": "pinocchio is not installed: pip install pin"}
    assert "pinocchio is not installed: pip install pin; the others are measured" in done.err


def test_a_library_that_cannot_be_imported_does_not_stop_the_others(symoro, monkeypatch):
    """As one whose own libraries are missing."""
    monkeypatch.setitem(sys.modules, "symoro.bench.mujoco_peer", None)
    words = ("inverse_dynamics", "--states", "50", "--rounds", "1", "--json", "--against", "casadi", "mujoco")
    done = symoro("bench", "planar2r", *words)
    assert {row["library"] for row in json.loads(done.out)["times"]} == {"symoro", "casadi"}
    assert "mujoco is left out: it cannot be imported" in done.err


@pytest.mark.parametrize("library", ["mujoco", pytest.param("frax", marks=pytest.mark.long)])
def test_other_libraries_compute_the_same(symoro, library):
    """The command stops where a result differs by more than 1e-8; several words may follow --against."""
    words = ("inverse_dynamics", "direct_dynamics", "inertia_matrix", "jacobian", "--states", "50", "--rounds", "1")
    done = symoro("bench", "panda", *words, "--json", "--against", "casadi", library)
    rows = {(r["model"], r["library"]) for r in json.loads(done.out)["times"]}
    for model in words[:3]:
        assert {(model, "symoro"), (model, "casadi"), (model, library)} <= rows
    assert ("jacobian", library) not in rows
    assert f"jacobian: {library} is left out: it has no jacobian" in done.err


def test_a_robot_that_does_not_move_has_nothing_to_measure(symoro, tmp_path):
    (tmp_path / "still.toml").write_text('format = 1\n[[joints]]\nkind = "fixed"\ninertia = {M = 2}\n')
    done = symoro("bench", str(tmp_path / "still.toml"), "idm", "ddm", "--states", "10", "--rounds", "1")
    assert done.status == 0
    assert "the robot has none of these models" in done.err


def test_unknown_libraries_are_named(symoro):
    done = symoro("bench", "planar2r", "--against", "abacus")
    assert done.status == 2
    assert "no library abacus to compare with: choose one of pinocchio, mujoco, casadi, frax" in done.err


def test_short_calls_are_repeated_and_the_best_counts():
    calls = []
    found = best_times({"a": call(calls.append, 1, states=10)}, rounds=3)
    assert len(calls) > 1000
    assert 0 < found["a"] < 1e4
