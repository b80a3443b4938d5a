"""Damaged logs end in a result with a warning, or in an error of symoro; never in another exception."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.synthetic import fourier
from symoro.errors import SymoroError

ROBOT, COUNT, PERIOD = "planar2r", 1200, 5e-3
NAMES = ["t", "q1", "q2", "tau1", "tau2"]
DAMAGES = ("column", "nan", "unit", "constant", "time", "empty", "one sample", "text", "short", "infinite", "sign",
           "exchanged", "rate", "jump", "stuck", "late", "twice", "shuffled", "comma", "heading")  # fmt: skip


def table() -> np.ndarray:
    q, qd, qdd = fourier(COUNT, 2, PERIOD, 4)
    tau = symoro.inverse_dynamics(ROBOT).compile()(q, qd, qdd)
    return np.column_stack([PERIOD * np.arange(COUNT), q, tau])


def damaged(kind: str, rng: np.random.Generator) -> tuple[list[str], Any]:
    """Names and rows of a log with one damage."""
    names, rows = list(NAMES), table()
    column = int(rng.integers(1, 5))
    if kind == "column":
        gone = int(rng.integers(0, 5))
        return names[:gone] + names[gone + 1 :], np.delete(rows, gone, axis=1)
    if kind == "nan":
        rows[rng.random(COUNT) < rng.choice([0.001, 0.1, 0.9, 1.0]), column] = np.nan
        rows[rng.integers(0, COUNT), column] = np.nan
    elif kind == "infinite":
        rows[rng.integers(0, COUNT, 5), column] = rng.choice([np.inf, -np.inf])
    elif kind == "unit":
        rows[:, column] *= rng.choice([1e-3, 1e3, 57.3, -1e3, 1e6])
    elif kind == "constant":
        rows[:, column] = rng.normal()
    elif kind == "time":
        rows[:, 0] = [rng.permutation(rows[:, 0]), rows[::-1, 0], 0 * rows[:, 0], rows[:, 0] % 1.0][rng.integers(0, 4)]
    elif kind == "empty":
        rows = rows[:0]
    elif kind == "one sample":
        rows = rows[:1]
    elif kind == "sign":
        rows[:, [column] if rng.random() < 0.5 else [1, 2] if column < 3 else [3, 4]] *= -1
    elif kind == "exchanged":
        a = int(rng.choice([1, 3]))
        rows[:, [a, a + 1]] = rows[:, [a + 1, a]]
    elif kind == "rate":
        rows[:, 0] *= rng.choice([0.5, 2.0, 1e3, 1e-3])
    elif kind == "jump":
        rows[int(rng.integers(300, 900)) :, int(rng.integers(1, 3))] += rng.choice([2 * np.pi, -2 * np.pi, 0.5])
    elif kind == "stuck":
        first = int(rng.integers(100, 800))
        rows[first : first + 250, column] = rows[first, column]
    elif kind == "late":
        rows[8:, column] = rows[:-8, column].copy()
    elif kind == "twice":
        rows = np.repeat(rows, rng.integers(1, 3, COUNT), axis=0)
    elif kind == "shuffled":
        rows = rows[rng.permutation(COUNT)]
    elif kind == "heading":
        names[column] += str(rng.choice([" [deg]", " [mA]", " (Nm)", " [x"]))
    elif kind == "short":
        rows = rows[: int(rng.integers(2, 60))]
    return names, rows


ERRORS: dict[str, tuple[str, ...]] = {
    "column": ("recordings.no_column_of_joint", "recordings.no_time"),
    "nan": ("recordings.channel_without_numbers",),
    "time": ("recordings.times_of_other_rows", "recordings.times_decrease"),
    "empty": ("recordings.no_samples",),
    "one sample": ("recordings.too_few_samples",),
    "text": ("recordings.cells", "recordings.cells_with_commas"),
    "short": ("recordings.too_few_samples",),
    "comma": ("recordings.cells_with_commas",),
    "heading": ("recordings.unit_of_column", "recordings.no_column_of_joint"),
}
"""The errors in which each damage may end; a log with another one gives a result with a warning."""


def warned(kind: str, found: Any) -> bool:
    """Whether the result says something; a short log or a log without a time may be good, and so may a heading."""
    return bool(found.warnings) or kind in ("short", "column", "comma", "heading")


@pytest.mark.parametrize("seed", range(len(DAMAGES)))
def test_a_damaged_log_ends_in_a_warning_or_in_an_error(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    kind = DAMAGES[seed % len(DAMAGES)]
    names, rows = damaged(kind, rng)
    path = tmp_path / "log.csv"
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="")
    if kind == "text":
        text = path.read_text(encoding="utf-8").splitlines()
        text[int(rng.integers(0, 900))] = str(rng.choice(["error", "1,2", ",,,,,,,,", "\x00", "a,b,c,d,e"]))
        path.write_text("\n".join(text), encoding="utf-8")
    if kind == "comma":
        text = path.read_text(encoding="utf-8").replace(",", str(rng.choice([";", "\t", ","]))).replace(".", ",")
        path.write_bytes(rng.choice([b"", b"\xef\xbb\xbf"]) + text.replace("\n", "\r\n").encode())
    options = {"rate": 200.0} if rng.random() < 0.5 else {}
    found = result_or_error(path, friction=rng.choice([None, "asymmetric"]), **options)
    if isinstance(found, SymoroError):
        assert found.finding.code in ERRORS.get(kind, ()), kind
    else:
        assert np.isfinite(found.estimate.beta).all()
        assert warned(kind, found), kind


def result_or_error(path: Path, **options: Any) -> symoro.Identification | SymoroError:
    try:
        return symoro.identify(ROBOT, path, **options)
    except SymoroError as error:
        return error


@pytest.mark.long
def test_500_damaged_logs(tmp_path: Path) -> None:
    for seed in range(500):
        test_a_damaged_log_ends_in_a_warning_or_in_an_error(seed, tmp_path)
