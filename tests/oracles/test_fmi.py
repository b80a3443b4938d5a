"""Units of FMI 3.0: fmpy finds no fault in them, and simulates the motion that SciPy integrates."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from scipy.integrate import solve_ivp

import symoro
from support.raised import raised
from support.tools import needs_compiler
from symoro.errors import TargetError
from symoro.solve.given import model


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The direct model of a planar arm, packed."""
    folder = tmp_path_factory.mktemp("fmi")
    symoro.direct_dynamics("planar2r").emit("fmi", folder)
    built = subprocess.run([sys.executable, "build.py"], cwd=folder, check=True, capture_output=True, text=True)
    assert not built.stderr
    return folder / "planar2r_direct_dynamics.fmu"


@needs_compiler
def test_the_unit_is_valid(unit: Path) -> None:
    assert validate_fmu(str(unit)) == []


@needs_compiler
@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_the_unit_moves_as_scipy_integrates(unit: Path, kind: str) -> None:
    """Started at rest, with torques, another mass and no dry friction, whose jump fixed steps do not see."""
    values = {"M2": 1.5, "FS1": 0.0, "FS2": 0.0}
    f = symoro.direct_dynamics("planar2r").compile()
    torque = np.array([0.3, -0.2])

    def slope(_: float, state: np.ndarray) -> np.ndarray:
        return np.concatenate([state[2:], f(state[:2], state[2:], torque, values=values)])

    times = np.linspace(0, 0.5, 6)
    wanted = solve_ivp(slope, (0, 0.5), [0.4, 0.3, 0, 0], t_eval=times, rtol=1e-11, atol=1e-11).y
    start = {"q1": 0.4, "q2": 0.3, "tau1": torque[0], "tau2": torque[1], **values}
    found = fmpy.simulate_fmu(
        str(unit),
        stop_time=0.5,
        output_interval=0.1,
        relative_tolerance=1e-10,
        start_values=start,
        fmi_type=kind,
        output=["q1", "q2", "qd1", "qd2", "QDP1"],
    )
    np.testing.assert_allclose(found["time"], times, atol=1e-12)
    for k, name in enumerate(("q1", "q2", "qd1", "qd2")):
        np.testing.assert_allclose(found[name], wanted[k], atol=1e-6)
    last = slope(0, wanted[:, -1])
    np.testing.assert_allclose(found["QDP1"][-1], last[2], atol=1e-5)


@pytest.mark.parametrize(("name", "robot"), [("inverse_dynamics", "planar2r"), ("direct_dynamics", "satellite")])
def test_other_models_are_refused(name: str, robot: str, tmp_path: Path) -> None:
    with raised("targets.no_motion", TargetError):
        model(name, robot).emit("fmi", tmp_path / "new")
    assert not (tmp_path / "new").exists()
