"""Parallel robots: the true parameters from motors or poses, with torques of the inverse dynamic model.

The motions of the platform, their velocities and accelerations are SciPy's.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation, RotationSpline

import symoro
from support.raised import raised
from support.samples import named
from support.says import says
from support.synthetic import fourier
from symoro.errors import DataError, NotApplicable, SymoroError
from symoro.identification.regress import rows
from symoro.robot.values import as_value, evaluate

Array = NDArray[np.float64]
PERIOD, COUNT = 2e-3, 6000
SIZES = {
    "gough-stewart": [0.12, 0.12, 0.12, 0.2, 0.2, 0.2],
    "planar-3rrr": [0.05, 0.05, 0.0, 0.0, 0.0, 0.3],
    "delta": [0.1, 0.1, 0.1, 0.0, 0.0, 0.0],
}
LARGE = ("gough-stewart", "delta")


def motion(name: str, seed: int = 2) -> tuple[Array, Array, Array]:
    """T, V and VP of the platform about its home pose."""
    robot = symoro.load(name)
    at = np.array([[float(str(x)) if not hasattr(x, "value") else float(x.value) for x in row] for row in robot.home])
    x, _, _ = fourier(COUNT, 6, PERIOD, seed, 1.0)
    x = x * SIZES[name] / 2
    t = PERIOD * np.arange(COUNT)
    line = make_interp_spline(t, at[:3, 3] + x[:, :3], k=5)
    turn = RotationSpline(t, Rotation.from_matrix(at[:3, :3]) * Rotation.from_rotvec(x[:, 3:]))
    T = np.tile(np.eye(4), (COUNT, 1, 1))
    T[:, :3, :3], T[:, :3, 3] = turn(t).as_matrix(), line(t)
    w, wd = (np.einsum("tij,tj->ti", T[:, :3, :3], turn(t, order)) for order in (1, 2))
    return T, np.hstack([line(t, 1), w]), np.hstack([line(t, 2), wd])


@cache
def data_of(name: str) -> dict[str, Any]:
    """Poses and torques of the motors, with noise of 1 %."""
    T, V, VP = motion(name)
    tau = symoro.inverse_dynamics(name, optimize=False).compile()(T, V, VP)
    noise = np.random.default_rng(0).normal(size=tau.shape) * 0.01 * tau.std(axis=0)
    pose = np.hstack([T[:, :3, 3], Rotation.from_matrix(T[:, :3, :3]).as_quat()])
    return {"t": PERIOD * np.arange(COUNT), "pose": pose, "tau": tau + noise}


@pytest.mark.long
@pytest.mark.parametrize("name", named(SIZES, LARGE))
def test_the_true_parameters_of_legs_alike_are_found(name: str) -> None:
    data = data_of(name)
    r = symoro.identify(name, data, alike=True)
    true = symoro.base_parameters(name, friction=True, alike=True).numbers
    away = np.array([(p.value - true[p.name]) / p.sigma for p in r if np.isfinite(p.sigma)])
    assert np.abs(away).max() < 4.5
    assert len(away) >= 10
    T, V, VP = motion(name, seed=7)
    expected = symoro.inverse_dynamics(name, optimize=False).compile()(T, V, VP)
    found = symoro.inverse_dynamics(r.robot, optimize=False).compile()(T, V, VP)
    assert np.linalg.norm(found - expected) < 0.01 * np.linalg.norm(expected)


@pytest.mark.long
def test_the_robot_of_a_result_has_numbers_where_its_description_has_them() -> None:
    robot = symoro.load("planar-3rrr")
    known = robot.values.numbers()
    inertias, drives = (
        tuple(replace(table, **{n: as_value(evaluate(x, known)) for n, x in table.items()}) for table in tables)
        for tables in (robot.inertias, robot.drives)
    )
    plain, data = replace(robot, inertias=inertias, drives=drives), data_of("planar-3rrr")
    found, expected = (symoro.identify(one, data, alike=True).robot for one in (plain, robot))
    T, V, VP = motion("planar-3rrr", seed=7)
    GAM = symoro.inverse_dynamics(expected, optimize=False).compile()(T, V, VP)
    error = symoro.inverse_dynamics(found, optimize=False).compile()(T, V, VP) - GAM
    assert np.linalg.norm(error) < 1e-3 * np.linalg.norm(GAM)


def test_positions_of_motors_are_as_good_as_poses_and_wrong_ones_are_named() -> None:
    data = data_of("planar-3rrr")
    by_pose = symoro.identify("planar-3rrr", data, alike=True)
    read = symoro.measurements("planar-3rrr", data)
    motors = {"t": data["t"], "q": read.runs[0]["q"], "tau": data["tau"]}
    assert symoro.identify("planar-3rrr", motors, alike=True).estimate.beta == pytest.approx(
        by_pose.estimate.beta, rel=1e-9
    )
    with raised("recordings.platform_is_lost", DataError):
        symoro.identify("planar-3rrr", motors | {"q": 50 * motors["q"]})
    with raised("recordings.legs_do_not_reach", DataError):
        symoro.identify("planar-3rrr", data | {"pose": data["pose"] + [9.0, 0, 0, 0, 0, 0, 0]})
    broken = data["pose"].copy()
    broken[3000] = np.nan
    read = symoro.measurements("planar-3rrr", data | {"pose": broken})
    assert says(read.warnings, "recordings.gaps_filled", missing=1, gaps=1)
    assert read.runs[0]["pose"][3000] == pytest.approx(data["pose"][3000], abs=1e-6)
    with raised("recordings.no_pose", DataError):
        symoro.identify("planar-3rrr", data | {"pose": 0 * data["pose"]})
    with raised("recordings.width", DataError):
        symoro.identify("planar-3rrr", data | {"pose": data["pose"][:, :6]})


def test_a_stream_reads_poses_and_units_of_poses_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = data_of("planar-3rrr")
    whole = symoro.identify("planar-3rrr", data, friction="viscous-coulomb", decimation=20)
    in_millimetres = data["pose"] * ([1000.0] * 3 + [1.0] * 4)
    in_millimetres[2000:, 3:] *= -1.0  # the same orientations
    columns = {
        "t": data["t"],
        **{f"pose{k}": x for k, x in enumerate(in_millimetres.T, 1)},
        **{f"tau{k}": x for k, x in enumerate(data["tau"].T, 1)},
    }
    file = tmp_path / "poses.npy"
    np.save(file, np.rec.fromarrays(list(columns.values()), names=list(columns)))
    monkeypatch.setattr(rows, "_PIECE", 2000)
    how = {"friction": "viscous-coulomb", "decimation": 20, "units": {"pose": [1e-3] * 3 + [1.0] * 4}}
    r = symoro.identify("planar-3rrr", file, stream=True, **how)
    assert r.error.total < 0.02
    assert all(abs(r[p.name].value - p.value) < 2 * p.sigma for p in whole if np.isfinite(p.sigma))


@pytest.mark.parametrize(
    "options",
    [
        {"physical": True},
        {"method": "iv"},
        {"model": "energy"},
        {"payload": 1},
        {"stream": True},
        {"friction": "root", "model": "filtered"},
    ],
)
def test_what_does_not_exist_for_parallel_robots_is_said(options: dict[str, Any]) -> None:
    with pytest.raises(SymoroError) as error:
        symoro.identify("planar-3rrr", {"t": [0.0], "q": [[0.0] * 3], "tau": [[0.0] * 3]}, **options)
    codes = "methods_of_legs", "not_for_legs", "filtered_of_legs"
    assert error.value.finding.code in [f"estimates.{code}" for code in codes]


def test_legs_alike_are_those_of_parallel_robots() -> None:
    with raised("estimates.alike_without_legs", NotApplicable):
        symoro.identify("planar2r", {}, alike=True)
