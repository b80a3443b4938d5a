"""The files of a package are written all or none, and no file of a user is overwritten."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import symoro
from support.raised import raised
from symoro.emit.files import MANIFEST, write_files
from symoro.errors import TargetError

FILES = {"a.c": "int a;\n", "README.md": "# a\n"}


@contextmanager
def nothing_written(code: str) -> Iterator[None]:
    """The error of a folder with a file that may not be replaced, and why."""
    with raised("targets.nothing_written", TargetError) as error:
        yield
    assert [problem.code for problem in error.value.finding.fields["problems"]] == [code]


def content(folder: Path) -> dict[str, str]:
    """Every file below a folder with its text."""
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_files_and_their_manifest(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "package"
    assert write_files(folder, FILES, "a") == [folder / "a.c", folder / "README.md"]
    found = content(folder)
    listed = json.loads(found.pop(MANIFEST))["files"]
    assert found == FILES
    assert {name: entry["model"] for name, entry in listed.items()} == {"a.c": "a", "README.md": "a"}


def test_the_same_model_is_written_again(tmp_path: Path) -> None:
    write_files(tmp_path, FILES, "a")
    write_files(tmp_path, FILES | {"a.c": "int b;\n"}, "a")
    assert (tmp_path / "a.c").read_text() == "int b;\n"


def test_models_with_other_files_share_a_folder(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "a = 1\n"}, "a")
    write_files(tmp_path, {"b.py": "b = 1\n"}, "b")
    write_files(tmp_path, {"a.py": "a = 2\n"}, "a")
    assert content(tmp_path).keys() == {"a.py", "b.py", MANIFEST}


@pytest.mark.parametrize("force", [False, True])
def test_a_file_of_a_user_is_never_overwritten(tmp_path: Path, force: bool) -> None:
    (tmp_path / "README.md").write_text("mine\n")
    with nothing_written("targets.not_ours"):
        write_files(tmp_path, FILES, "a", force)
    assert content(tmp_path) == {"README.md": "mine\n"}


@pytest.mark.parametrize("force", [False, True])
def test_a_link_or_a_folder_in_the_place_of_a_file_is_never_replaced(tmp_path: Path, force: bool) -> None:
    target, folder = tmp_path / "mine", tmp_path / "package"
    target.write_text("mine\n")
    write_files(folder, FILES, "a")
    (folder / "a.c").unlink()
    os.symlink(target, folder / "a.c")
    with nothing_written("targets.not_ours"):
        write_files(folder, FILES, "a", force)
    (folder / "a.c").unlink()
    (folder / "a.c").mkdir()
    with nothing_written("targets.not_ours"):
        write_files(folder, FILES, "a", force)
    assert target.read_text() == "mine\n"


def test_a_changed_file_is_overwritten_by_force_only(tmp_path: Path) -> None:
    write_files(tmp_path, FILES, "a")
    (tmp_path / "a.c").write_text("int mine;\n")
    before = content(tmp_path)
    with nothing_written("targets.changed"):
        write_files(tmp_path, FILES, "a")
    assert content(tmp_path) == before
    write_files(tmp_path, FILES, "a", force=True)
    assert (tmp_path / "a.c").read_text() == FILES["a.c"]


def test_a_file_of_another_model_is_overwritten_by_force_only(tmp_path: Path) -> None:
    write_files(tmp_path, FILES, "a")
    with nothing_written("targets.of_another"):
        write_files(tmp_path, {"README.md": "# b\n"}, "b")
    write_files(tmp_path, {"README.md": "# b\n"}, "b", force=True)
    assert (tmp_path / "README.md").read_text() == "# b\n"


def test_a_file_named_as_the_manifest_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text("mine\n")
    with raised("targets.no_manifest", TargetError):
        write_files(tmp_path, FILES, "a")
    assert content(tmp_path) == {MANIFEST: "mine\n"}


def test_a_move_that_fails_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, FILES, "a")
    before, replace, calls = content(tmp_path), os.replace, []

    def failing(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == 4:
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with raised("targets.cannot_be_written", TargetError) as error:
        write_files(tmp_path, {"a.c": "1", "README.md": "2", "new.c": "3"}, "a")
    assert "No space left on device" in error.value.finding.fields["reason"]
    assert content(tmp_path) == before
    monkeypatch.undo()


def test_a_folder_that_could_not_be_filled_is_removed(tmp_path: Path) -> None:
    with raised("targets.cannot_be_written", TargetError):
        write_files(tmp_path / "new" / "package", {"a/b.c": "no such folder"}, "a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["file/inside", "a\0b", "x" * 300, "/proc/none"])
def test_impossible_folders(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("mine\n")
    with raised("targets.cannot_be_written", TargetError):
        write_files(tmp_path / folder, FILES, "a")
    assert content(tmp_path) == {"file": "mine\n"}


@pytest.mark.parametrize("folder", [None, 3, b"bytes"])
def test_what_is_not_a_folder(folder: object) -> None:
    with raised("targets.no_folder", TargetError):
        write_files(folder, FILES, "a")  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ["c", "cpp", "julia"])
def test_the_readme_of_a_step_names_what_repeats_it(target: str, tmp_path: Path) -> None:
    for model in (symoro.forward_geometry("five-bar-legs"), symoro.loop_geometry("four-bar")):
        model.emit(target, tmp_path / model.robot.name)
        text = (tmp_path / model.robot.name / "README.md").read_text()
        assert "_solve`, which repeats it until it converges" in text
