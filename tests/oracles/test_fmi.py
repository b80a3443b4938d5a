"""Units of FMI 3.0 and 2.0: fmpy finds no fault in them, and simulates the motion that SciPy integrates."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import fmpy
import fmpy.fmi2
import fmpy.fmi3
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from scipy.integrate import solve_ivp

import symoro
from support.raised import raised
from support.tools import needs_compiler
from symoro.errors import TargetError
from symoro.robot.joint import Limits
from symoro.robot.values import as_value
from symoro.solve.given import model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The direct model of a planar arm whose joints have limits, packed for both standards."""
    folder = tmp_path_factory.mktemp("fmi")
    symoro.direct_dynamics(limited()).emit("fmi", folder)
    built = subprocess.run([sys.executable, "build.py"], cwd=folder, check=True, capture_output=True, text=True)
    assert not built.stderr
    return folder


def limited() -> symoro.Robot:
    robot = symoro.load("planar2r")
    first = Limits(as_value("-3"), as_value("2.5"), effort=as_value(40))
    second = Limits(as_value("0.2"), as_value("2"), velocity=as_value(4))
    return replace(robot, joints=tuple(map(lambda j, x: replace(j, limits=x), robot.joints, (first, second))))


@pytest.fixture(scope="module", params=["", "_fmi2"])
def unit(request: pytest.FixtureRequest, folder: Path) -> Path:
    return folder / f"planar2r_direct_dynamics{request.param}.fmu"


@needs_compiler
def test_the_unit_is_valid(unit: Path) -> None:
    assert validate_fmu(str(unit)) == []


@needs_compiler
def test_variables_have_units_names_of_joints_and_limits(unit: Path) -> None:
    description = fmpy.read_model_description(str(unit))
    rows = {v.name: (v.unit, v.min, v.max, v.start) for v in description.modelVariables}
    assert rows["q1"] == ("rad", "-3.0", "2.5", "0.0")
    assert rows["q2"] == ("rad", "0.2", "2.0", "0.2")
    assert rows["qd2"] == ("rad/s", "-4.0", "4.0", "0.0")
    assert rows["tau1"] == ("N·m", "-40.0", "40.0", "0.0")
    assert rows["QDP1"][0] == "rad/s²"
    assert rows["M2"][0] == "kg"
    texts = {v.name: v.description for v in description.modelVariables}
    assert texts["QDP2"] == "acceleration of joint 2 (joint2)"
    torque = next(u for u in description.unitDefinitions if u.name == "N·m").baseUnit
    assert (torque.kg, torque.m, torque.s, torque.rad) == (1, 2, -2, 0)


@needs_compiler
def test_derivatives_along_directions_are_those_of_the_model(unit: Path, tmp_path: Path) -> None:
    description, new = fmpy.read_model_description(str(unit)), derivative_2 if "fmi2" in unit.name else derivative_3
    q, qd, tau, seed = [0.4, 0.3], [0.5, -0.2], [1.0, 2.0], np.array([0.3, -0.7, 0.2, 0.9, -0.4, 0.6])
    reference = {v.name: v.valueReference for v in description.modelVariables}
    knowns = [reference[name] for name in ("q1", "q2", "qd1", "qd2", "tau1", "tau2")]
    unknowns = [reference[name] for name in ("QDP1", "QDP2", "qd2")]
    found = new(description, fmpy.extract(str(unit), str(tmp_path)), knowns, [*q, *qd, *tau], unknowns, seed)
    model = symoro.direct_dynamics("planar2r")
    columns = [model.derivative(name).compile()(q, qd, tau) for name in ("q", "qd", "tau")]
    np.testing.assert_allclose(found, [*(np.hstack(columns) @ seed), seed[3]], rtol=1e-12)


def derivative_3(
    description: Any, path: str, knowns: list[int], values: list[float], unknowns: list[int], seed: Any
) -> Any:
    """The directional derivative by the functions of FMI 3.0."""
    name, token = description.modelExchange.modelIdentifier, description.instantiationToken
    instance = fmpy.fmi3.FMU3Model(guid=token, unzipDirectory=path, modelIdentifier=name)
    instance.instantiate()
    instance.enterInitializationMode()
    instance.setFloat64(knowns, values)
    instance.exitInitializationMode()
    found = instance.getDirectionalDerivative(unknowns, knowns, list(seed))
    instance.freeInstance()
    return found


def derivative_2(
    description: Any, path: str, knowns: list[int], values: list[float], unknowns: list[int], seed: Any
) -> Any:
    """The directional derivative by the functions of FMI 2.0."""
    name, guid = description.modelExchange.modelIdentifier, description.guid
    instance = fmpy.fmi2.FMU2Model(guid=guid, unzipDirectory=path, modelIdentifier=name)
    instance.instantiate()
    instance.setupExperiment()
    instance.enterInitializationMode()
    instance.setReal(knowns, values)
    instance.exitInitializationMode()
    found = instance.getDirectionalDerivative(unknowns, knowns, list(seed))
    instance.freeInstance()
    return found


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
