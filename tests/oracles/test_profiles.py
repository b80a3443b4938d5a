"""Profiles of synchronised joints: times and values of K13's closed forms, limits, and an optimiser that knows none."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog

import symoro
from support.close import assert_close
from support.raised import raised
from support.samples import some
from symoro.motion.profiles import KINDS, Rates, fastest
from symoro.motion.trajectory import Trajectory

CONTINUITY = {"linear": 0, "cubic": 1, "bang-bang": 1, "trapezoid": 1, "septic": 3}
"""How many derivatives are continuous; 2 for the others."""


def random_move(seed: int, profile: str) -> tuple[Trajectory, dict[str, Any]]:
    """A move of one to seven joints, some of which stand still, with limits that a random choice of them reaches."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    D = rng.normal(size=n) * rng.choice([0, 1, 1, 1], size=n)
    D[rng.integers(n)] = rng.normal()
    given: dict[str, Any] = {"velocity": 10 ** rng.uniform(-1, 1, n)}
    if "A" in KINDS[profile].keeps:
        given["acceleration"] = 10 ** rng.uniform(-1, 1, n)
    if "J" in KINDS[profile].keeps:
        given["jerk"] = 10 ** rng.uniform(-0.5, 2, n)
    q0 = rng.normal(size=n)
    return symoro.trajectory(q0, q0 + D, profile, **given), {"q0": q0, "D": D, **given}


def shortest(profile: str, D: Any, velocity: Any, acceleration: Any) -> float:
    """t_f of Table 8.1 and of K13:8.14, 8.22, 8.32-8.35, 8.45-8.47, as printed."""
    d, kv, ka = np.abs(D[D != 0]), velocity[D != 0], acceleration[D != 0]
    match profile:
        case "linear":
            return float(np.max(d / kv))
        case "cubic":
            return float(np.max(np.maximum(3 * d / (2 * kv), np.sqrt(6 * d / ka))))
        case "quintic":
            return float(np.max(np.maximum(15 * d / (8 * kv), np.sqrt(10 * d / (sqrt(3) * ka)))))
        case "bang-bang":
            return float(np.max(np.maximum(2 * d / kv, 2 * np.sqrt(d / ka))))
    reach = 1.0 if profile == "trapezoid" else 2 / 3
    kv = np.minimum(kv, np.sqrt(reach * d * ka))
    lam = np.min(kv * d[0] / (kv[0] * d))
    nu = np.min(ka * d[0] / (ka[0] * d))
    tau = lam * kv[0] / (nu * ka[0]) / reach
    return float(tau + d[0] / (lam * kv[0]))


@pytest.mark.parametrize("profile", ["linear", "cubic", "quintic", "bang-bang", "trapezoid", "polynomial-acceleration"])
@pytest.mark.parametrize("seed", range(10))
def test_the_shortest_time_is_that_of_the_textbook(profile: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    D, kv, ka = rng.normal(size=4), 10 ** rng.uniform(-1, 1, 4), 10 ** rng.uniform(-1, 1, 4)
    D[3] *= seed % 2
    limits = {"velocity": kv} if profile == "linear" else {"velocity": kv, "acceleration": ka}
    found = symoro.trajectory(np.zeros(4), D, profile, **limits)
    assert_close(found.duration, shortest(profile, D, kv, ka), 1e-14)


@pytest.mark.parametrize("seed", some(45, 1000))
def test_random_moves_keep_their_limits_and_their_line(seed: int) -> None:
    profile = list(KINDS)[seed % len(KINDS)]
    t, given = random_move(seed, profile)
    time = np.sort(np.concatenate([t.times(4001), np.random.default_rng(seed).uniform(0, t.duration, 1000)]))
    q, qd, qdd = t(time)
    shares = [np.abs(qd).max(axis=0) / given["velocity"]]
    if "acceleration" in given:
        shares.append(np.abs(qdd).max(axis=0) / given["acceleration"])
    assert max(float(share.max()) for share in shares) <= 1 + 1e-9
    line = (q - given["q0"])[:, :, None] * given["D"][None, None, :]
    assert_close(line, np.swapaxes(line, 1, 2), 1e-14)
    assert (q[0] == given["q0"]).all()
    assert (q[-1] == given["q0"] + given["D"]).all()


@pytest.mark.parametrize("profile", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_some_limit_is_reached(profile: str, seed: int) -> None:
    """A motion that reaches no limit could be faster."""
    t, given = random_move(seed, profile)
    time = t.times(200001)
    _, qd, qdd = t(time)
    jerk = np.diff(qdd, axis=0) / np.diff(time)[:, None]
    shares = [np.abs(qd).max(axis=0) / given["velocity"]]
    shares += [np.abs(qdd).max(axis=0) / given["acceleration"]] if "acceleration" in given else []
    shares += [np.abs(jerk).max(axis=0) / given["jerk"]] if "jerk" in given else []
    assert_close(max(float(share.max()) for share in shares), 1.0, 1e-4)


@pytest.mark.parametrize("profile", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_velocities_and_accelerations_are_derivatives(profile: str, seed: int) -> None:
    """SciPy integrates jerk, acceleration and velocity over each smooth piece."""
    V, A, J = 10 ** np.random.default_rng(seed).uniform(-0.5, 0.5, 3)
    keeps = KINDS[profile].keeps
    r = fastest(profile, Rates(V, A if "A" in keeps else np.inf, J if "J" in keeps else np.inf))
    end = r.duration
    edges = sorted({*r.starts, end / 2, *(end - start for start in r.starts)})
    position = 0.0
    for a, b in pairwise(edges):
        inner = (a + 1e-12 * end, b - 1e-12 * end)
        gained = [quad(lambda t, k=k: r(t)[k], a, b, epsabs=1e-13)[0] for k in (2, 3, 4)]
        position += gained[0]
        for k, gain in ((2, gained[1]), (3, gained[2])):
            assert_close(gain, r(inner[1])[k] - r(inner[0])[k], 1e-9)
    assert_close(position, 1.0, 1e-13)


@pytest.mark.parametrize("profile", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_continuity(profile: str, seed: int) -> None:
    """The jump between neighbouring times goes to 0 with their distance, for the derivatives that are continuous."""
    t, _ = random_move(seed, profile)
    order = CONTINUITY.get(profile, 2)

    def jump(derivative: int, count: int) -> float:
        padded = np.concatenate([[-1e-9], t.times(count), [t.duration + 1e-9]])
        x = t(padded)[derivative]
        return float(np.abs(np.diff(x, axis=0)).max()) / (1e-300 + float(np.abs(x).max()))

    for derivative in range(min(order, 2) + 1):
        assert jump(derivative, 200001) < 0.01
    if order < 2:
        assert jump(order + 1, 200001) > 0.4


@pytest.mark.parametrize("seed", some(3, 30))
def test_an_optimiser_finds_no_faster_motion_with_limited_jerk(seed: int) -> None:
    """A linear program over a constant jerk in each of 300 intervals: feasible a little above the time, not below."""
    rng = np.random.default_rng(seed)
    V, A, J = 10 ** rng.uniform(-0.7, 0.7, 3)
    least = symoro.trajectory([0.0], [1.0], "jerk-limited", velocity=V, acceleration=A, jerk=J).duration
    assert _feasible(1.02 * least, V, A, J)
    assert not _feasible(0.99 * least, V, A, J)


def _feasible(duration: float, V: float, A: float, J: float, count: int = 300) -> bool:
    h = duration / count
    past = np.tril(np.ones((count, count)))
    since = np.arange(count)[:, None] - np.arange(count)[None, :]
    acceleration = h * past
    velocity = past * h**2 * (since + 0.5)
    position = past * h**3 * ((since + 1) ** 3 - since**3) / 6
    rows = np.vstack([acceleration, -acceleration, velocity, -velocity])
    right = np.concatenate([np.full(2 * count, A), np.full(2 * count, V)])
    ends = np.vstack([acceleration[-1], velocity[-1], position[-1]])
    found = linprog(np.zeros(count), rows, right, ends, [0, 0, 1], bounds=(-J, J), method="highs")
    return bool(found.status == 0)


@pytest.mark.parametrize("profile", KINDS)
def test_a_longer_duration_is_kept_and_a_shorter_one_is_refused(profile: str) -> None:
    t, given = random_move(3, profile)
    limits = {name: x for name, x in given.items() if name not in ("q0", "D")}
    q1 = given["q0"] + given["D"]
    longer = symoro.trajectory(given["q0"], q1, profile, duration=1.7 * t.duration, **limits)
    assert longer.duration == 1.7 * t.duration
    fraction = np.linspace(0, 1, 101)
    slow, fast = longer(fraction * longer.duration), t(fraction * t.duration)
    assert_close(slow.q, fast.q, 1e-13)
    assert_close(slow.qd * 1.7, fast.qd, 1e-12)
    with raised("trajectories.too_short"):
        symoro.trajectory(given["q0"], q1, profile, duration=0.9 * t.duration, **limits)
