"""Files are written whole or not at all, and what cannot be written is an error of symoro with the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.errors import SymoroError
from symoro.saving import whole_file, write_table


def simulated() -> Any:
    return symoro.simulate("planar2r", duration=0.01, q0=[0.1, 0.2])


WRITERS: dict[str, Callable[[Path], Any]] = {
    "x.png": lambda path: symoro.load("planar2r").plot(to=path),
    "x.svg": lambda path: symoro.trajectory([0, 0], [1, 1], duration=1.0).plot(path),
    "run.svg": lambda path: simulated().plot(path),
    "run.csv": lambda path: simulated().to_csv(path),
    "run.html": lambda path: symoro.animate(simulated(), path),
    "run.gif": lambda path: symoro.animate(simulated(), path),
    "robot.toml": lambda path: symoro.write("planar2r", path),
    "workspace.png": lambda path: symoro.workspace("planar-3rrr", x=[0.0, 0.1]).draw(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_that_does_not_exist_is_an_error_with_the_reason(name: str, tmp_path: Path) -> None:
    path = tmp_path / "missing" / name
    with pytest.raises(SymoroError, match="cannot be written: No such file or directory"):
        WRITERS[name](path)
    (tmp_path / "file").write_text("kept")
    with pytest.raises(SymoroError, match="cannot be written: Not a directory"):
        WRITERS[name](tmp_path / "file" / name)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("file", "kept")]


def test_a_package_in_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    with raised("targets.cannot_be_written", SymoroError, reason="Not a directory"):
        symoro.gravity("planar2r").emit("c", tmp_path / "file" / "package")


def test_a_file_stays_as_it_was_where_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    write_table(path, {"a": [1.0, 2.0], "b": [3.0, 4.5]})
    assert path.read_text() == "a,b\n1,3\n2,4.5\n"
    with pytest.raises(ValueError, match="dimensions"):
        write_table(path, {"a": [1.0, 2.0], "b": [3.0]})
    with raised("files.not_written", SymoroError), whole_file(path) as new:
        new.with_name("elsewhere").rename(new)
    assert path.read_text() == "a,b\n1,3\n2,4.5\n"
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]
    with raised("files.not_written", SymoroError, reason="Is a directory"):
        write_table(tmp_path, {"a": np.zeros(2)})


def test_a_device_is_written_and_stays_a_device() -> None:
    write_table("/dev/null", {"a": [1.0]})
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("path", [None, 3, "a\0b"])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with raised("files.bad_path", SymoroError):
        write_table(path, {"a": [1.0]})
