"""Essential parameters: nothing significant is taken out, and what is taken out is listed with its cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from support.synthetic import fourier

COUNT, PERIOD = 3000, 2e-3


def recording(robot: str, noise: float) -> dict[str, Any]:
    joints = symoro.load(robot).joints
    size = [1.0 if joint.revolute else 0.3 for joint in joints]
    q, qd, qdd = (size * x for x in fourier(COUNT, len(joints), PERIOD, 3))
    tau = symoro.inverse_dynamics(robot).compile()(q, qd, qdd)
    tau = tau + noise * tau.std(axis=0) * np.random.default_rng(0).normal(size=tau.shape)
    return {"t": PERIOD * np.arange(COUNT), "q": q, "tau": tau}


@pytest.mark.parametrize("noise", [1e-4, 1e-2, 1e-1])
@pytest.mark.parametrize("robot", ["planar2r", "scara"])
def test_significant_parameters_stay(robot: str, noise: float) -> None:
    full = symoro.identify(robot, recording(robot, noise))
    few = symoro.identify(robot, recording(robot, noise), essential="sigma")
    assert {p.name for p in full} == {p.name for p in few} | {one.name for one in few.dropped}
    assert all(one.percent > 25 for one in few.dropped)
    assert full.rows is not None
    n = sum(len(block.y) for block in full.rows.blocks)
    assert few.error.total**2 < full.error.total**2 * (1 + 20 * len(few.dropped) / n)


def test_the_cost_of_each_is_that_of_least_squares_without_it() -> None:
    found = symoro.identify("scara", recording("scara", 0.1), method="ols", essential="sigma")
    full = symoro.identify("scara", recording("scara", 0.1), method="ols")
    assert full.rows is not None
    assert found.dropped
    W = np.concatenate([_wide(block.W, block.columns, len(full.rows.names)) for block in full.rows.blocks])
    y = np.concatenate([block.y for block in full.rows.blocks])
    names, before = list(full.rows.names), full.error.total
    for one in found.dropped:
        W = np.delete(W, names.index(one.name), axis=1)
        names.remove(one.name)
        left = np.linalg.norm(y - W @ np.linalg.lstsq(W, y, rcond=None)[0]) / np.linalg.norm(y)
        assert one.error == pytest.approx(left, rel=1e-9)
        assert one.cost == pytest.approx(left - before, abs=1e-12)
        before = left
    assert f"taken out as not essential: {found.dropped[0].name}" in str(found)


def _wide(W: Any, columns: Any, count: int) -> Any:
    found = np.zeros((len(W), count))
    found[:, columns] = W
    return found
