"""Every geometric and kinematic model, and the models of tasks, become C, Python, LaTeX and a compiled function."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.kinematics import run
from symoro.model import Model

MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "transform": ("rx90", {"i": 0, "j": 6}),
    "fast transform": ("rx90", {"i": 0, "j": 6, "fast": True}),
    "forward_geometry": ("two-arm", {}),
    "jacobian": ("rx90", {"link": 6}),
    "jacobian_determinant": ("rx90", {}),
    "jacobian_inverse": ("rx90", {}),
    "velocities": ("scara", {}),
    "accelerations": ("scara", {"link": 4}),
    "jdot_qdot": ("scara", {"link": 4, "frame": 0}),
    "loop_closure": ("five-bar", {}),
    "loop_step": ("five-bar", {}),
    "loop_kinematics": ("five-bar", {}),
    "analytical_jacobian": ("planar2r", {"link": 2, "angles": "quaternion"}),
    "manipulability": ("kuka-iiwa", {"task": "position"}),
    "centre_of_mass": ("two-arm", {}),
    "centre_of_mass_jacobian": ("scara", {}),
    "centroidal_momentum": ("scara", {}),
    "centroidal_momentum_matrix": ("scara", {}),
    "operational_dynamics": ("planar2r", {"frame": 1, "task": "position"}),
    "payload_torques": ("puma560", {}),
}


def made(name: str) -> Model:
    robot, options = MODELS[name]
    found: Model = getattr(symoro, name.removeprefix("fast "))(robot, **options)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_compiled(name: str) -> None:
    model = made(name)
    rng = np.random.default_rng(0)
    given = {n: rng.normal(size=shape) for n, shape in model.inputs.items()}
    got = model.compile()(*given.values())
    wanted = run(model, **given)
    for n, value in zip(wanted, got if len(wanted) > 1 else [got], strict=True):
        assert_close(value, wanted[n], 1e-13)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("target", ["c", "python"])
def test_emitted(name: str, target: str, tmp_path: Path) -> None:
    paths = made(name).emit(target, tmp_path)
    assert paths
    assert all(path.stat().st_size for path in paths)


@pytest.mark.parametrize("name", MODELS)
def test_latex(name: str) -> None:
    model = made(name)
    assert "align" in model.latex()
    assert "align" in model.latex(expanded=True)
