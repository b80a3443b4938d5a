"""Files in pieces: the parameters are those of the whole, by threads and by Dask alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars
import pytest

import symoro
from support.raised import raised
from support.says import says
from support.synthetic import fourier

COUNT, PERIOD = 45_000, 1e-3
BAND = {"cutoff": 30.0, "decimation": 5}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    q, qd, qdd = fourier(COUNT, 2, PERIOD, 1)
    tau = symoro.inverse_dynamics("planar2r").compile()(q, qd, qdd)
    tau = tau + np.random.default_rng(0).normal(size=tau.shape) * 0.05
    names = ["t", "q1", "q2", "tau1", "tau2"]
    table = np.rec.fromarrays([PERIOD * np.arange(COUNT), *q.T, *tau.T], names=names)
    path = tmp_path_factory.mktemp("logs") / "log.npy"
    np.save(path, table)
    polars.DataFrame({name: table[name] for name in names}).write_parquet(path.with_suffix(".parquet"))
    return path


def test_pieces_give_the_parameters_of_the_whole(log: Path) -> None:
    whole = symoro.identify("planar2r", log, **BAND)
    pieces = symoro.identify("planar2r", log, stream=True, **BAND)
    table = symoro.identify("planar2r", log.with_suffix(".parquet"), stream=True, workers=1, **BAND)
    assert all(abs(pieces[p.name].value - p.value) < 1.5 * p.sigma for p in whole)
    assert all(pieces[p.name].sigma == pytest.approx(p.sigma, rel=0.1) for p in whole)
    assert table.estimate.beta == pytest.approx(pieces.estimate.beta, rel=1e-9)
    assert pieces.validation.total == pytest.approx(whole.validation.total, rel=0.1)  # the filters differ


def test_what_needs_rows_says_so(log: Path) -> None:
    found = symoro.identify("planar2r", log, stream=True, **BAND)
    with raised("estimates.rows_of_stream"):
        found.plot()
    cases = [({"method": "irls"}, "method_needs_rows"), ({"method": "iv"}, "one_run_of_a_tree")]
    for options, code in cases:
        with raised(f"estimates.{code}"):
            symoro.identify("planar2r", log, stream=True, **BAND, **options)
    with raised("options.value"):
        symoro.identify("planar2r", log, stream=True, workers=0, **BAND)
    with raised("recordings.not_in_parts"):
        symoro.identify("planar2r", __file__, stream=True)


def test_pieces_with_gaps_are_left_out(log: Path, tmp_path: Path) -> None:
    table = np.load(log)
    table["q1"][30_000] = np.nan
    np.save(tmp_path / "gap.npy", table)
    found = symoro.identify("planar2r", tmp_path / "gap.npy", stream=True, **BAND)
    assert says(found.warnings, "estimates.pieces_left_out", count=1, pieces=3)
    assert says(found.warnings, "estimates.gaps")


@pytest.mark.long
def test_dask_gives_the_same_parameters(log: Path) -> None:
    threads = symoro.identify("planar2r", log, stream=True, **BAND)
    cluster = symoro.identify("planar2r", log, scheduler="local", workers=2, **BAND)
    assert cluster.estimate.beta == pytest.approx(threads.estimate.beta, rel=1e-9)
    with raised("estimates.no_scheduler"):
        symoro.identify("planar2r", log, scheduler="tcp://127.0.0.1:1", **BAND)
