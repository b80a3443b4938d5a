"""Streams of several files: other rates, short files and jumps are named; closed loops follow one branch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised
from support.says import says
from support.synthetic import fourier
from symoro.errors import DataError
from symoro.findings import Finding, Place

COUNT, PERIOD = 25_000, 1e-3
BAND: dict[str, Any] = {"cutoff": 30.0, "decimation": 10}
TRUE = symoro.base_parameters("planar2r", friction=True).numbers
Table = dict[str, np.ndarray]


def table(seed: int, count: int = COUNT) -> Table:
    q, qd, qdd = fourier(count, 2, PERIOD, seed)
    tau = symoro.inverse_dynamics("planar2r").compile()(q, qd, qdd)
    tau = tau + np.random.default_rng(seed).normal(size=tau.shape) * 0.05
    return {"t": PERIOD * np.arange(count), "q1": q[:, 0], "q2": q[:, 1], "tau1": tau[:, 0], "tau2": tau[:, 1]}


def npy(path: Path, columns: Table) -> Path:
    np.save(path, np.rec.fromarrays(list(columns.values()), names=list(columns)))
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("stream")
    return [npy(folder / f"{seed}.npy", table(seed)) for seed in (1, 2)]


def warnings_of(robot: str, files: list[Path]) -> tuple[Finding, ...]:
    r = symoro.identify(robot, files, stream=True, **BAND)
    assert all(abs(p.value - TRUE[p.name]) < 4.5 * p.sigma for p in r)
    return r.warnings


def test_good_files_give_the_parameters_without_a_warning(files: list[Path]) -> None:
    assert warnings_of("planar2r", files) == ()


def test_a_short_file_is_left_out_and_named_and_does_not_choose_the_band(files: list[Path], tmp_path: Path) -> None:
    short, none = npy(tmp_path / "short.npy", table(3, 150)), npy(tmp_path / "none.npy", table(3, 1))
    warnings = warnings_of("planar2r", [short, *files, none])
    for file in (short, none):
        assert Finding("estimates.short_file", place=Place(str(file))) in warnings


def test_a_position_that_jumps_far_behind_the_first_samples_is_named(files: list[Path], tmp_path: Path) -> None:
    wrapped = table(4, 100_000)
    wrapped["q2"][90_000:] += 2 * np.pi
    warnings = warnings_of("planar2r", [npy(tmp_path / "wrapped.npy", wrapped), *files])
    assert says(warnings, "estimates.pieces_left_out", reason=Finding("estimates.jumps"))


def test_another_unit_in_the_second_file_is_named(files: list[Path], tmp_path: Path) -> None:
    other = table(5, 20_000)
    degrees = npy(tmp_path / "degrees.npy", other | {"q1": np.degrees(other["q1"])})
    r = symoro.identify("planar2r", [files[0], degrees], stream=True, **BAND)
    assert [w.code for w in r.warnings if w.file == str(degrees)] == ["measurements.in_degrees"]


def test_another_rate_in_the_second_file_is_an_error(files: list[Path], tmp_path: Path) -> None:
    other = table(5)
    slow = npy(tmp_path / "slow.npy", {name: x[::2] for name, x in other.items()})
    with raised("recordings.rates_of_files", DataError):
        symoro.identify("planar2r", [files[0], slow], stream=True, **BAND)


def crank(t: np.ndarray, branch: int) -> Table:
    """A four-bar whose crank turns all the way, on one of its branches, by the law of cosines."""
    x = 2.5 * t + 1.2 * np.sin(1.3 * t) + 0.2 * np.sin(5.3 * t)
    xd = 2.5 + 1.56 * np.cos(1.3 * t) + 1.06 * np.cos(5.3 * t)
    xdd = -2.028 * np.sin(1.3 * t) - 5.618 * np.sin(5.3 * t)
    to_pivot = 0.45 - 0.2 * np.exp(1j * x)
    d = np.abs(to_pivot)
    angle = np.arccos((0.5**2 + d**2 - 0.4**2) / (2 * 0.5 * d))
    coupler = np.unwrap(np.angle(to_pivot)) + (angle if branch == 0 else -angle)
    rocker = np.unwrap(np.angle(0.5 * np.exp(1j * coupler) - to_pivot))
    q = np.column_stack([x, coupler - x, rocker])
    tau = symoro.inverse_dynamics("four-bar").compile()(q, xd[:, None], xdd[:, None])[:, 0]
    return {"t": t, "q1": x, "tau1": tau + np.random.default_rng(0).normal(size=len(t)) * 0.002 * tau.std()}


@pytest.mark.parametrize("branch", [0, 1])
def test_motors_alone_of_closed_loops_follow_one_branch_in_all_files(branch: int, tmp_path: Path) -> None:
    """The crank of the second file begins 30 turns later."""
    t = 2e-3 * np.arange(25_000)
    files = [npy(tmp_path / f"{k}.npy", crank(t + 75.0 * k, branch)) for k in (0, 1)]
    r = symoro.identify("four-bar", files, stream=True, **BAND)
    base = symoro.base_parameters("four-bar", friction=True, every_branch=True)
    told = [p for p in r if np.isfinite(p.sigma) and p.regroups == base.relations.get(p.name, p.name)]
    assert r.error.total < 0.02
    assert len(told) > 3
    assert all(abs(p.value - base.numbers[p.name]) < 4.5 * p.sigma for p in told)
