"""The snapshot of all models: two of one revision are equal, and a difference between two is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counts.snapshot import compare, write

KEY = 'planar2r inverse_dynamics {"params": "base"}'


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("snapshot") / "first.json"
    write(file, ["planar2r"])
    return file


def changed(snapshot: Path, path: Path, **fields: object) -> Path:
    """A copy of the snapshot in which the fields of one model are others."""
    found = json.loads(snapshot.read_text(encoding="utf-8"))
    found[KEY] |= fields
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


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
