"""`load`, `read` and `write`: names, paths, endings."""

import subprocess
import sys
from pathlib import Path

import pytest

from symoro.errors import FormatError, UnknownRobot
from symoro.formats import load, read, write
from symoro.robot import library

DATA = Path(__file__).parents[2] / "data" / "opensymoro"


def test_a_name_of_the_library():
    assert load("puma560").name == "puma560"


def test_an_unknown_name_lists_close_ones():
    with pytest.raises(UnknownRobot, match="did you mean puma560") as caught:
        load("puma56")
    assert "in the library: " in str(caught.value)
    with pytest.raises(UnknownRobot):
        library.text("../puma560")


@pytest.mark.parametrize("ending", [".par", ".toml"])
def test_write_then_load(tmp_path, ending):
    robot = load("stanford")
    file = tmp_path / f"robot{ending.upper()}"
    write(robot, file)
    assert load(str(file)) == robot
    assert read(file).problems == ()


def test_notes_carry_warnings():
    assert "mu = 0 in an open robot" in load(DATA / "Stanford.par").notes[0]


def test_files_that_cannot_be_read(tmp_path):
    for path, message in [
        (tmp_path / "none.par", "No such file"),
        (tmp_path, "'no suffix' is not a format (allowed: .par, .toml, .csv"),
        (tmp_path / "robot.doc", "'.doc' is not a format"),
    ]:
        with pytest.raises(FormatError, match=message.replace("(", r"\(").replace(")", r"\)")):
            read(path)
    with pytest.raises(UnknownRobot, match=r"^none\.par: no such file$"):
        load("none.par")
    with pytest.raises(FormatError, match="cannot be written"):
        write(load("planar2r"), tmp_path / "no" / "robot.toml")


@pytest.mark.parametrize("name", [None, 3, b"planar2r", ["planar2r"]])
def test_what_is_neither_a_name_nor_a_path(name):
    with pytest.raises(UnknownRobot, match="is not a robot"):
        load(name)


@pytest.mark.parametrize("name", ["a" * 5000 + ".par", "a" * 5000, "a\0b.par", "a\0b", ""])
def test_names_that_no_file_can_have(name, tmp_path):
    with pytest.raises(UnknownRobot, match="no such file"):
        load(name)
    with pytest.raises(FormatError):
        write("planar2r", tmp_path / f"{name}.toml" if name else tmp_path)


def test_a_file_that_exists_is_overwritten_by_force_only(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(FormatError, match=r"arm\.toml: cannot be written: the file exists"):
        write("planar2r", file)
    with pytest.raises(FormatError):
        write("four-bar", file.with_suffix(".csv"))  # a table has no loops
    assert [path.name for path in tmp_path.iterdir()] == ["arm.toml"]
    assert file.read_text(encoding="utf-8") == "mine"
    write("planar2r", file, force=True)
    assert load(file) == load("planar2r")


def test_what_is_not_a_path_to_write():
    with pytest.raises(FormatError, match="3 is not the path of a file"):
        write("planar2r", 3)


def test_a_huge_file_is_refused(tmp_path):
    file = tmp_path / "huge.toml"
    file.write_bytes(b"#" * 9_000_000)
    with pytest.raises(FormatError, match="too large"):
        read(file)


def test_reading_imports_nothing_heavy():
    code = "import sys, symoro.formats; print(sorted({'numpy', 'sympy', 'scipy', 'llvmlite'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
