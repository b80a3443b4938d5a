"""Parallel robots on the page: their documents, their menus, and the legs that follow the platform."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.spatial.transform import Rotation

import symoro
from support.close import assert_close
from symoro.errors import SymoroError
from symoro.formats import toml
from symoro.models.parallel.mechanism import structure
from symoro.models.parallel.motions import joints_of_pose, legs_of_pose
from symoro.robot import library
from symoro.robot.values import evaluate, parse
from symoro.runtime import compile_program
from symoro.web.api import _library
from symoro.web.document import document_of, reading
from symoro.web.menus import platform_catalogue
from symoro.web.requests import Document
from symoro.web.tasks import run


def document(name: str) -> dict[str, Any]:
    return document_of(symoro.load(name))


def number(text: str, values: dict[str, float]) -> float:
    return float(evaluate(parse(text), values))


def matrix(rows: list[list[str]], values: dict[str, float]) -> np.ndarray:
    return np.array([[number(x, values) for x in row] for row in rows])


def frames(found: dict[str, Any], values: dict[str, float]) -> list[np.ndarray]:
    """The frames of all legs by Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r), with SciPy's rotations (K97 § 2)."""
    made = [np.eye(4)]
    for joint in found["joints"]:
        gamma, b, alpha, d, theta, r = (
            number(joint[name], values) for name in ("gamma", "b", "alpha", "d", "theta", "r")
        )
        T = made[joint["parent"]]
        for axis, angle, shift in (("z", gamma, (0, 0, b)), ("x", alpha, (d, 0, 0)), ("z", theta, (0, 0, r))):
            step = np.eye(4)
            step[:3, :3] = Rotation.from_euler(axis, angle).as_matrix()
            step[:3, 3] = shift  # along the axis of the rotation, so their order does not matter
            T = T @ step
        made.append(T)
    return made


@pytest.mark.parametrize("name", ["gough-stewart", "hexa", "planar-3rrr"])
def test_legs_follow_the_platform(name: str) -> None:
    robot, found = symoro.load(name), document(name)
    program = legs_of_pose(robot)
    values = {key: number(text, {}) for key, text in found["values"].items()}
    legs = compile_program(program, "numpy", values)
    independent = structure(robot).independent
    rng = np.random.default_rng(3)
    T = matrix(found["parallel"]["home"], values)
    move = np.where(np.isin(range(6), independent), rng.uniform(-0.1, 0.1, 6), 0.0)
    T[:3, 3] += move[:3]
    T[:3, :3] = Rotation.from_rotvec(move[3:]).as_matrix() @ T[:3, :3]
    QL, OK, E = legs(T)
    assert (OK > 0.5).all()
    assert np.abs(E).max() < 1e-9
    names = [joint["variable"] for joint in found["joints"] if joint["variable"]]
    placed = frames(found, values | dict(zip(names, QL, strict=True)))
    last, named = 0, {frame["name"]: frame for frame in found["frames"]}
    for i, leg in enumerate(found["parallel"]["legs"], 1):
        last += leg["joints"]
        frame = named.get(f"leg {i} {leg['end']}", {"link": last, "pose": None})
        end = placed[frame["link"]] @ (np.eye(4) if frame["pose"] is None else matrix(frame["pose"], values))
        assert_close(end[:3, 3], (T @ matrix(leg["pose"], values))[:3, 3], 1e-9)


def test_every_parallel_robot_of_the_library_is_on_the_page_and_read_back() -> None:
    shown = {row["robot"]["name"]: row["robot"] for row in _library() if row["robot"]["parallel"]}
    assert shown.keys() == set(library.parallel_names())
    for name, found in shown.items():
        robot, problems = reading(Document(**found))
        assert robot == symoro.load(name)
        assert not problems


def test_menus_of_platforms_have_their_own_inputs() -> None:
    rows = {row["name"]: row for row in platform_catalogue()}
    assert list(rows["inverse_dynamics"]["inputs"]) == ["T", "quat", "V", "VP", "wrench", "V0", "VP0"]
    assert rows["inverse_geometry"]["options"] == []
    models = json.loads(run("check", {"robot": document("3rps")})[0])["models"]
    assert models["inverse_dynamics"] is None
    assert "iterates" in models["forward_geometry"]


def test_models_of_a_platform_as_equations_and_code() -> None:
    asked = {"robot": document("planar-3rrr"), "model": "inverse_geometry", "options": {}}
    answer, program = run("model", asked)
    data = json.loads(answer)
    assert [output["name"] for output in data["outputs"]] == ["QL", "OK", "ERR"]
    files = json.loads(run("code", {**asked, "target": "c"}, program)[0])["files"]
    assert any(file["name"].endswith(".c") for file in files)


def test_a_parallel_robot_is_saved_and_dropped_again() -> None:
    given = document("delta-parallelogram")
    text = run("write", {"robot": given, "suffix": ".toml"})[0].decode()
    again = json.loads(run("read", {"name": "delta-parallelogram.toml", "text": text})[0])
    assert again["robot"] == given
    with pytest.raises(SymoroError, match=r"allowed: a \.toml file"):
        run("write", {"robot": given, "suffix": ".urdf"})


def edited(name: str, path: str, text: Any) -> dict[str, Any]:
    """A document with another text in a cell; joints and legs count from 1."""
    given: Any = document(name)
    at, before = given, ""
    *way, last = path.split(".")
    for key in way:
        at = at[int(key) - (before in ("joints", "legs"))] if isinstance(at, list) else at[key]
        before = key
    at[int(last) if isinstance(at, list) else last] = text
    return given


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("joints.3.alpha", "pi +", "a value is missing"),
        ("joints.8.inertia.XX", "1/0", "division by 0"),
        ("joints.14.theta", "0.3", "variable"),
        ("joints.3.parent", 99, "antecedent"),
        ("parallel.inertia.M", "2 *", "a value is missing"),
        ("parallel.inertia.M", "-3", "negative"),
        ("parallel.home.2.3", "H", "symbols without numbers"),
        ("parallel.home.0.3", "1 +", "a value is missing"),
        ("parallel.legs.2.pose.0.3", "cos(", "a value is missing"),
        ("parallel.legs.4.kind", "fixed", ""),
        ("parallel.legs.4.end", 9, "no frame 9"),
        ("values.M2_5", "2..3", ""),
        ("gravity.2", "G3 -", "a value is missing"),
    ],
)
def test_a_problem_of_a_parallel_robot_is_at_its_cell(path: str, text: Any, said: str) -> None:
    found = json.loads(run("check", {"robot": edited("gough-stewart", path, text)})[0])["problems"]
    at = [p["message"] for p in found if path.startswith(p["path"]) and p["path"].count(".")]
    assert any(said in message for message in at) or (not said and not found), found


def test_an_edit_changes_the_models_as_the_same_file_does() -> None:
    given = edited("gough-stewart", "joints.3.alpha", "pi/2 + 0.1")
    robot, _ = reading(Document(**given))
    slider = 'kind = "prismatic"\nalpha = "pi/2'
    text = library.text("gough-stewart").replace(slider, f"{slider} + 0.1")
    alike = toml.read_text(text, "gough-stewart").robot
    T = np.eye(4)
    T[:3, 3] = 0.02, -0.01, 1.08
    of_leg = slice(0, 3)
    q, other = (np.asarray(compile_program(joints_of_pose(r))(T)) for r in (robot, alike))
    assert_close(q[of_leg], other[of_leg], 1e-12)
    assert np.abs(q[3:6] - other[3:6]).max() > 1e-3  # the other legs were not edited


@pytest.mark.parametrize(
    "wrong",
    [
        {"legs": []},
        {"text": "x"},
        {"home": [["1"] * 4] * 300},
        {"legs": [{"pose": [], "joints": -1}]},
    ],
)
def test_a_part_that_is_no_parallel_robot_is_refused(wrong: dict[str, Any]) -> None:
    given = document("delta")
    given["parallel"] = given["parallel"] | wrong
    with pytest.raises((SymoroError, ValidationError)):
        run("platform", {"robot": given})


def test_the_structure_says_what_is_wrong_with_the_home_pose() -> None:
    given = document("planar-3rrr")
    regular = json.loads(run("structure", {"robot": given})[0])
    assert regular["problems"] == []
    given["parallel"]["home"][1][3] = str(-0.25 + 1e-10)  # the first leg is nearly stretched
    near = json.loads(run("structure", {"robot": given})[0])
    assert near["mobility"] == regular["mobility"]
    assert ["a singularity of leg 1" in message for message in near["problems"]] == [True]


@pytest.mark.parametrize("given", ["joints", "motors"])
def test_the_page_has_the_same_models_whatever_is_given(given: str) -> None:
    """It moves a platform by its pose, and loops by all joints."""
    for name in ("five-bar", "five-bar-legs"):
        documents = [document_of(symoro.load(name).taking(one)) for one in (None, given)]
        usual, other = (json.loads(run("check", {"robot": one})[0])["models"] for one in documents)
        assert other == usual
    assert json.loads(run("loops", {"robot": document_of(symoro.load("five-bar").taking(given))})[0])["start"]
