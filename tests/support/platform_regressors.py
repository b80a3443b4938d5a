"""What a regressor of parallel robots must do: columns give the torques, the rank is that of the base parameters."""

from __future__ import annotations

import numpy as np

import symoro
from support.close import assert_close
from symoro.models.parallel.motions import random_motions
from symoro.robot.robot import Robot
from symoro.solve.given import model as make


def require_columns(robot: Robot) -> None:
    """Γ = D K with all parameters, and with the base parameters, whose number is the rank of D."""
    T, V, VP = random_motions(robot, 24)
    numbers = robot.values.numbers()
    GAM = make("inverse_dynamics", robot, optimize=False).compile("numpy")(T, V, VP)
    standard = make("dynamic_regressor", robot, optimize=False)
    D = standard.compile("numpy")(T, V, VP)
    assert_close(D @ np.array([numbers[column] for column in standard.columns]), GAM, 1e-9)
    base = symoro.base_parameters(robot, friction=True)
    rows, length = D.reshape(-1, D.shape[-1]), np.linalg.norm(D, axis=(0, 1))
    values = np.linalg.svd(rows[:, length > 1e-9] / length[length > 1e-9], compute_uv=False)
    assert values[len(base) - 1] > 1e-8
    assert values[len(base)] < 1e-12
    regrouped = make("dynamic_regressor", robot, params="base", optimize=False)
    kept = [regrouped.columns.index(column) for column in base.parameters]
    K = np.array([base.numbers[column] for column in base.parameters])
    assert_close(regrouped.compile("numpy")(T, V, VP)[..., kept] @ K, GAM, 1e-7)
