"""The snapshot of all models: two of one revision are equal, and a difference between two is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counts.snapshot import answers, compare, different, write

KEY = 'planar2r inverse_dynamics {"params": "base"}'
ANSWER = "planar2r inverse_geometry auto"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("snapshot") / "first.json"
    write(file, ["planar2r"])
    return file


def changed(snapshot: Path, path: Path, key: str = KEY, **fields: object) -> Path:
    """A copy of the snapshot in which the fields of one model are others."""
    found = json.loads(snapshot.read_text(encoding="utf-8"))
    found[key] |= fields
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


@pytest.mark.long
def test_two_snapshots_of_one_revision_are_equal(
    snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = tmp_path / "second.json"
    assert write(second, ["planar2r"]) == 0
    assert len(json.loads(second.read_text(encoding="utf-8"))) > 50
    assert compare(snapshot, second) == 0
    assert capsys.readouterr().out.endswith("models compared, 0 differ\n")


def test_a_changed_count_is_found(snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(snapshot, changed(snapshot, tmp_path / "other.json", ops=[1, 2, 0, 0])) == 1
    out = capsys.readouterr().out
    assert f"{KEY}\n    ops: [" in out
    assert "] -> [1, 2, 0, 0]\n" in out
    assert out.endswith(", 1 differ\n")


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({"GAM": [0.0, 1.0, 2.0, 3.0]}, "GAM: differs by"),
        ({"GAM": [0.0, float("nan"), 2.0, 3.0]}, "GAM: another shape, or other elements that are not finite"),
        ({"GAM": [0.0]}, "GAM: another shape"),
        ({}, "GAM: another shape"),
    ],
)
def test_changed_outputs_are_found(
    outputs: dict[str, list[float]], message: str, snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(snapshot, changed(snapshot, tmp_path / "other.json", outputs=outputs)) == 1
    assert message in capsys.readouterr().out


def test_a_model_that_is_missing_is_found(snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(snapshot.read_text(encoding="utf-8"))
    del found[KEY]
    other = tmp_path / "other.json"
    other.write_text(json.dumps(found), encoding="utf-8")
    assert compare(snapshot, other) == 1
    assert f"only in {snapshot}: {KEY}" in capsys.readouterr().out


def test_answers_and_refusals_are_there(snapshot: Path) -> None:
    found = json.loads(snapshot.read_text(encoding="utf-8"))
    assert found[ANSWER]["method"] == "paul"
    assert found[ANSWER]["status"] == ["complete"] * 3 + ["unreachable", "invalid"]
    assert len(found[ANSWER]["outputs"]["q"]) == 5 * 1 * 2
    assert found["planar2r loop_closure is refused"]["error"]
    assert "no three neighbouring axes meet" in found["planar2r inverse_geometry pieper"]["error"]


def test_a_changed_answer_is_found(snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = ["complete"] * 4 + ["invalid"]
    assert compare(snapshot, changed(snapshot, tmp_path / "other.json", ANSWER, status=status)) == 1
    assert f"{ANSWER}\n    status: [" in capsys.readouterr().out
    near = {"status": ["complete"] * 3, "outputs": {"q": [0.0]}}
    assert compare(snapshot, changed(snapshot, tmp_path / "other.json", ANSWER, near=near)) == 1
    assert "near: q: another shape" in capsys.readouterr().out


def test_answers_of_loops_and_platforms_do_not_depend_on_the_run() -> None:
    for robot in ("four-bar", "planar-3rrr"):
        first = answers(robot)
        assert len(first) >= 3
        assert all(different(first[key], other) == [] for key, other in answers(robot).items())
