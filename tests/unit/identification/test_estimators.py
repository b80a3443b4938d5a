"""Estimators against SciPy and NumPy on the rows themselves; results against robots with known parameters."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.linalg import lstsq
from scipy.optimize import least_squares

import symoro
from support.elastic_run import elastic_run
from support.says import says
from support.synthetic import fourier, run_of
from symoro.identification.estimate.estimate import ordinary, robust, total, weighted
from symoro.identification.process.processing import Processing
from symoro.identification.regress.rows import RegressionRows, rows_of, triangles_of


@pytest.fixture(scope="module")
def rows() -> RegressionRows:
    terms, run, _ = run_of("scara", count=800)
    rng = np.random.default_rng(1)
    noisy = run.with_channels(tau=run["tau"] + rng.normal(size=run["tau"].shape) * [1.0, 0.5, 0.05, 2.0])
    return rows_of(terms, [noisy], Processing(None, 2, dead_zone=(0.2,)))


def test_ordinary_least_squares_is_that_of_scipy(rows: RegressionRows) -> None:
    """σ is that of residuals which differ from joint to joint (White 1980)."""
    W, y, joint = rows.dense()
    found = ordinary(triangles_of(rows))
    beta, *_ = lstsq(W, y)
    free = 1 - W.shape[1] / len(y)
    variance = np.array([np.mean((y - W @ beta)[joint == j] ** 2) / free for j in range(len(rows.joints))])
    inverse = np.linalg.inv(W.T @ W)
    C = inverse @ (W.T * variance[joint]) @ W @ inverse / rows.power
    assert found.beta == pytest.approx(beta, rel=1e-8, abs=1e-10)
    assert found.sigma == pytest.approx(np.sqrt(np.diag(C)), rel=1e-8)


def test_weighted_least_squares_is_that_of_scipy(rows: RegressionRows) -> None:
    W, y, joint = rows.dense()
    first = ordinary(triangles_of(rows)).deviations
    beta = lstsq(W / first[joint, None], y / first[joint])[0]
    assert weighted(triangles_of(rows)).beta == pytest.approx(beta, rel=1e-8, abs=1e-10)


def test_robust_least_squares_is_that_of_scipy_for_its_scales(rows: RegressionRows) -> None:
    W, y, joint = rows.dense()
    bad = y.copy()
    bad[::37] += 40.0
    spoiled = RegressionRows(rows.names, rows.joints, _with(rows, bad), rows.power)
    found = robust(spoiled)
    scale = found.deviations[joint] * 1.345
    peer = least_squares(
        lambda b: (W @ b - bad) / scale, found.beta, lambda b: W / scale[:, None], loss="huber", xtol=1e-15
    )
    assert found.beta == pytest.approx(peer.x, rel=1e-4, abs=1e-5)
    clean = ordinary(triangles_of(rows)).beta
    spoiled_plain = ordinary(triangles_of(spoiled)).beta
    assert np.linalg.norm(found.beta - clean) < 0.2 * np.linalg.norm(spoiled_plain - clean)


def _with(rows: RegressionRows, y: np.ndarray) -> tuple[object, ...]:
    from dataclasses import replace

    parts = np.split(y, np.cumsum([len(block.y) for block in rows.blocks])[:-1])
    return tuple(replace(block, y=part) for block, part in zip(rows.blocks, parts, strict=True))


def test_total_least_squares_is_that_of_the_singular_values_of_all_rows(rows: RegressionRows) -> None:
    W, y, _ = rows.dense()
    whole = np.column_stack([W, y])
    scale = np.linalg.norm(whole, axis=0)
    v = np.linalg.svd(whole / scale, full_matrices=False)[2][-1]
    beta = -v[:-1] / v[-1] * scale[-1] / scale[:-1]
    assert total(triangles_of(rows)).beta == pytest.approx(beta, rel=1e-6, abs=1e-8)


def scara_data(robot: symoro.Robot, noise: float = 0.05) -> dict[str, object]:
    q, qd, qdd = fourier(4000, 4, 2e-3, 5)
    tau = symoro.inverse_dynamics(robot).compile()(q, qd, qdd)
    return {"t": 2e-3 * np.arange(4000), "q": q, "tau": tau + np.random.default_rng(2).normal(size=tau.shape) * noise}


def test_the_result_has_a_robot_tables_pictures_and_reports(tmp_path: Path) -> None:
    robot = symoro.load("scara")
    r = symoro.identify(robot, scara_data(robot), physical=True)
    q, qd, qdd = fourier(50, 4, 2e-2, 9)
    expected = symoro.inverse_dynamics(robot).compile()(q, qd, qdd)
    found = symoro.inverse_dynamics(r.robot).compile()(q, qd, qdd)
    assert np.linalg.norm(found - expected) < 0.02 * np.linalg.norm(expected)
    assert r.to_frame()["name"].to_list() == [p.name for p in r]
    assert set(r.residuals) == {joint.name for joint in robot.joints}
    assert np.abs(np.diag(r.correlations) - 1).max() < 1e-9
    for name in ("a.html", "a.pdf"):
        assert r.report(tmp_path / name).stat().st_size > 5000
    r.plot(tmp_path / "a.svg")
    assert "ZZR1" in str(r)
    mujoco.MjModel.from_xml_path(str(symoro.write(r.robot, tmp_path / "a.xml") or tmp_path / "a.xml"))


def test_same_input_gives_same_numbers() -> None:
    data = scara_data(symoro.load("scara"))
    first, second = (symoro.identify("scara", data).estimate for _ in range(2))
    assert first.beta.tobytes() == second.beta.tobytes()
    assert first.covariance.tobytes() == second.covariance.tobytes()


def test_a_payload_alone_is_found() -> None:
    robot = symoro.load("scara")
    body = symoro.Inertia.from_com(2.5, (0.02, -0.03, 0.05), [[0.02, 0, 0], [0, 0.03, 0], [0, 0, 0.01]])
    r = symoro.identify(robot, scara_data(robot.attach(body, 4)), payload=4)
    assert abs(r["ML"].value - 2.5) < 5 * r["ML"].sigma < 0.1
    assert r.robot.inertia(4) != robot.inertia(4)


def test_known_parameters_and_a_prior_lower_the_deviations() -> None:
    robot = symoro.load("scara")
    data = scara_data(robot, noise=2.0)
    plain = symoro.identify(robot, data)
    kept = symoro.identify(robot, data, known={"FV1": plain["FV1"].value})
    with_prior = symoro.identify(robot, data, prior=0.1)
    assert [p.name for p in kept] == [p.name for p in plain if p.name != "FV1"]
    assert all(with_prior[p.name].sigma <= 1.001 * p.sigma for p in plain)


def test_a_motion_that_says_too_little_names_what_cannot_be_told_apart() -> None:
    robot = symoro.load("scara")
    q, qd, qdd = fourier(4000, 4, 2e-3, 5)
    q, qd, qdd = q * [1, 0, 0, 1], qd * [1, 0, 0, 1], qdd * [1, 0, 0, 1]
    tau = symoro.inverse_dynamics(robot).compile()(q, qd, qdd)
    r = symoro.identify(robot, {"t": 2e-3 * np.arange(4000), "q": q, "tau": tau})
    assert says(r.warnings, "estimates.together")
    assert np.isinf(r["FV2"].sigma)


@pytest.mark.long
def test_an_elastic_arm_gives_its_stiffness_from_both_sides() -> None:
    robot = symoro.load("flexible-joints")
    r = symoro.identify(robot, elastic_run(robot), delay=5e-4, cutoff=100.0, decimation=2)
    assert [r["K2"].value, r["K4"].value] == pytest.approx([500.0, 200.0], rel=1e-3)
    assert r["MX2"].value == pytest.approx(0.2, rel=1e-3)
