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
        (tmp_path, "'no suffix' is not a format (allowed: .par, .toml, .csv)"),
        (tmp_path / "robot.doc", "'.doc' is not a format"),
    ]:
        with pytest.raises(FormatError, match=message.replace("(", r"\(").replace(")", r"\)")):
            read(path)
    with pytest.raises(UnknownRobot, match=r"no robot 'none.par' in the library and no such file"):
        load("none.par")
    with pytest.raises(FormatError, match="cannot be written"):
        write(load("planar2r"), tmp_path / "no" / "robot.toml")


def test_a_huge_file_is_refused(tmp_path):
    file = tmp_path / "huge.toml"
    file.write_bytes(b"#" * 9_000_000)
    with pytest.raises(FormatError, match="too large"):
        read(file)


def test_reading_imports_nothing_heavy():
    code = "import sys, symoro.formats; print(sorted({'numpy', 'sympy', 'scipy', 'llvmlite'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
