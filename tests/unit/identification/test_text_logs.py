"""Text files as spreadsheets and loggers write them give the same columns; polars reads them as an oracle."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import polars
import pytest

import symoro
from support.raised import raised
from support.synthetic import fourier
from symoro.errors import DataError
from symoro.identification.read.table import read_table

T = np.arange(40) / 8
TABLE = np.column_stack([T, np.sin(T), np.cos(3 * T) * 1e-5, 250 * np.sin(T), 1e4 * np.cos(T)])
NAMES = ["t", "q1", "q2", "tau1", "tau2"]


def written(separator: str, comma: bool = False, end: str = "\n", quote: str = "", names: list[str] = NAMES) -> str:
    rows = [[f"{x:.17g}" for x in row] for row in TABLE]
    lines = [[f"{quote}{name}{quote}" for name in names], *rows]
    return end.join(separator.join(line).replace(".", "," if comma else ".") for line in lines) + end


BLANK = written(",").replace("\n", "\n\n")
TEXTS: dict[str, str | bytes] = {
    "semicolons and decimal commas": written(";", comma=True),
    "tabs and decimal commas": written("\t", comma=True),
    "semicolons and points": written(";"),
    "spaces": written(" "),
    "Windows": written(";", comma=True, end="\r\n"),
    "mark of order": b"\xef\xbb\xbf" + written(",").encode(),
    "mark of order, semicolons": b"\xef\xbb\xbf" + written(";", comma=True, end="\r\n").encode(),
    "UTF-16": written("\t", comma=True, end="\r\n").encode("utf-16"),
    "blank lines": BLANK,
    "quoted names": written(",", quote='"'),
    "quoted decimal commas": "\n".join(
        [",".join(NAMES), *(",".join(f'"{x:.17g}"'.replace(".", ",") for x in row) for row in TABLE)]
    ),
    "comments": "# recorded on a bench, 3 runs\n% second remark\n" + written(",") + "# end\n",
    "names in a comment": "# a remark\n# " + written(","),
    "separator line": "sep=;\r\n" + written(";", comma=True, end="\r\n"),
    "empty cells at the end": written(";", comma=True) + ";;;;\n;;;;\n",
}


@pytest.mark.parametrize("what", TEXTS)
def test_columns_are_those_that_were_written(what: str, tmp_path: Path) -> None:
    content = TEXTS[what]
    (tmp_path / "log.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    found = read_table(tmp_path / "log.csv")
    assert list(found) == NAMES
    assert np.array_equal(np.column_stack(list(found.values())), TABLE)


@pytest.mark.parametrize(("separator", "comma"), [(";", True), (";", False), ("\t", True), (",", False)])
def test_polars_reads_the_same(separator: str, comma: bool, tmp_path: Path) -> None:
    text = written(separator, comma)
    (tmp_path / "log.csv").write_text(text, encoding="utf-8")
    frame = polars.read_csv(BytesIO(text.encode()), separator=separator, decimal_comma=comma)
    found = read_table(tmp_path / "log.csv")
    assert list(found) == frame.columns
    assert np.array_equal(np.column_stack(list(found.values())), frame.cast(polars.Float64).to_numpy())


def log(names: list[str], factors: list[float], path: Path, **more: str) -> Path:
    """A recording of planar2r whose columns are divided by factors, with a line of units where one is given."""
    q, qd, qdd = fourier(400, 2, 5e-3, 3)
    tau = symoro.inverse_dynamics("planar2r").compile()(q, qd, qdd)
    table = np.column_stack([5e-3 * np.arange(400), q, tau]) / factors
    header = ";".join(names) + ("\n" + more["units"] if more else "")
    np.savetxt(path, table, delimiter=";", header=header, comments="", encoding="cp1252")
    return path


DEG = np.pi / 180
HEADINGS = {
    "brackets": (["t [ms]", "q1 [deg]", "q2 [deg]", "tau_1 (Nm)", "tau_2 (Nm)"], [1e-3, DEG, DEG, 1.0, 1.0]),
    "other spellings": (["Time (sec)", "q1 [°]", "q2 [rad]", "tau1 [N.m]", "tau2 [mNm]"], [1.0, DEG, 1.0, 1.0, 1e-3]),
    "an index": (["t", "joint1.position", "joint2.position", "tau1", "tau2 [N·m]"], [1.0] * 5),
}


@pytest.mark.parametrize("what", HEADINGS)
def test_units_in_names_are_converted(what: str, tmp_path: Path) -> None:
    names, factors = HEADINGS[what]
    plain = symoro.measurements("planar2r", log(NAMES, [1.0] * 5, tmp_path / "plain.csv")).runs[0]
    found = symoro.measurements("planar2r", log(names, factors, tmp_path / "log.csv")).runs[0]
    assert found.period == pytest.approx(plain.period, rel=1e-12)
    assert np.allclose(found["q"], plain["q"], rtol=1e-12, atol=1e-14)
    assert np.allclose(found["tau"], plain["tau"], rtol=1e-12, atol=1e-14)


def test_units_may_have_a_line_of_their_own(tmp_path: Path) -> None:
    plain = symoro.measurements("planar2r", log(NAMES, [1.0] * 5, tmp_path / "plain.csv")).runs[0]
    file = log(NAMES, [1e-3, DEG, DEG, 1.0, 1.0], tmp_path / "log.csv", units="[ms];[deg];[deg];[Nm];[Nm]")
    found = symoro.measurements("planar2r", file).runs[0]
    assert np.allclose(found["q"], plain["q"], rtol=1e-12, atol=1e-14)
    assert found.period == pytest.approx(plain.period, rel=1e-12)


def test_units_that_are_given_come_before_those_of_names(tmp_path: Path) -> None:
    names = ["t", "q1 [deg]", "q2 [deg]", "tau1 [mA]", "tau2 [mA]"]
    file = log(names, [1.0, DEG, DEG, 0.02, 0.02], tmp_path / "log.csv")
    plain = symoro.measurements("planar2r", log(NAMES, [1.0] * 5, tmp_path / "plain.csv")).runs[0]
    with raised("recordings.unit_of_column", DataError):
        symoro.measurements("planar2r", file)
    for units in ({"tau": 0.02}, {"tau": [0.02, 0.02], "q": "deg"}):
        found = symoro.measurements("planar2r", file, units=units).runs[0]
        assert np.allclose(found["q"], plain["q"], rtol=1e-12, atol=1e-14)
        assert np.allclose(found["tau"], plain["tau"], rtol=1e-12, atol=1e-12)
    columns = {"q": ["q1 [deg]", "q2"], "tau": ["tau1", "tau2 [mA]"]}
    found = symoro.measurements("planar2r", file, units={"tau": 0.02}, columns=columns).runs[0]
    assert np.allclose(found["q"], plain["q"], rtol=1e-12, atol=1e-14)
