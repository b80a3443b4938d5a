"""Fifty random robots of each parallel kind against Lagrange multipliers and against closed loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.close import assert_close
from support.free_robots import Array
from support.platform_kinds import Case, kind
from support.platforms import random_motion
from support.random_platforms import KINDS

QUICK = ("3rps", "planar-3rrr")


def _cases(count: int = 50, quick: int = 2, long: int = 4) -> list[Any]:
    found = []
    for name in KINDS:
        for seed in range(count):
            marks = [] if name in QUICK and seed < quick else [pytest.mark.long]
            if seed >= long:
                marks.append(pytest.mark.exhaustive)
            found.append(pytest.param(name, seed, marks=marks, id=f"{name}-{seed}"))
    return found


@pytest.mark.long
@pytest.mark.parametrize(("name", "seed"), _cases())
def test_dynamics_agree_with_multipliers_and_with_closed_loops(name: str, seed: int) -> None:
    models, case = kind(name), kind(name).case(seed)
    platform, rng, numbers = case.platform, np.random.default_rng(seed), case.numbers
    V, VP, u, ud = random_motion(platform, rng)
    tau = rng.normal(size=len(platform.robot.motors))
    GAM = models.inverse(platform.T, V, VP, values=numbers)
    found = models.direct(platform.T, V, tau, values=numbers)
    condition = _condition(platform)
    assert_close(GAM, platform.torques(u, ud), 1e-9)
    assert_close(found, platform.acceleration(u, tau), 1e-9, condition)
    of_loops = case.loops.values.numbers()
    qd, qdd = _driven(case, u), _driven(case, ud)
    assert_close(_on_driven(case, GAM), models.loop_model("inverse_dynamics")(case.q, qd, qdd, values=of_loops), 1e-9)
    other = models.loop_model("direct_dynamics")(case.q, qd, _on_driven(case, tau), values=of_loops)
    assert_close(_driven(case, platform.follow(u, found)), other, 1e-9, condition)


def _condition(platform: Any) -> float:
    """cond(A) of the direct model: that of the matrix on the motions which the legs allow."""
    n = len(platform.q)
    M, _ = platform.equations(np.zeros(n + 6))
    C, _ = platform.constraints(np.zeros(n + 6))
    _, values, right = np.linalg.svd(C)
    free = right[int((values > 1e-9).sum()) :]
    return float(np.linalg.cond(free @ M @ free.T))


def _driven(case: Case, u: Array) -> Array:
    """The motors of the robot with closed loops: those of the first leg where there are more than freedoms."""
    found = case.platform.motors().T @ u
    return found[:6] if len(found) > 6 else found


def _on_driven(case: Case, GAM: Array) -> Array:
    """Forces of all motors on the motors of the robot with closed loops."""
    if len(GAM) <= 6:
        return GAM
    S = np.array([case.platform.motors().T @ case.platform.velocities(e) for e in np.eye(6)]).T
    return np.linalg.solve(S[:6].T, S.T @ GAM)
