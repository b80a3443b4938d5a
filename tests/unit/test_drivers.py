"""What iterates is a model with a driver, whatever the driver does with the compiled programs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from symoro.ir.program import Program
from symoro.model import Driver, Model


@dataclass(frozen=True)
class Reaching(Driver):
    """Newton's method for the height of a tip as a function of one joint."""

    joint: int
    step: Model

    def inputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        return {"y": (), "q": of.program.inputs[0].shape}

    def outputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        return {"q": of.program.inputs[0].shape}

    def counted(self, of: Model) -> Program:
        return self.step.program

    def compile(self, of: Model, backend: str) -> Any:
        pose, slope = replace(of, driver=None).compile(backend), self.step.compile(backend)

        def solve(y: float, q: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            q = q.copy()
            for _ in range(20):
                q[self.joint] -= (pose(q)[1, 3] - y) / slope(q)[1, 3, self.joint]
            return q

        return solve

    def emit(self, of: Model, target: str, directory: str | Path, force: bool, precision: str) -> list[Path]:
        return self.step.emit(target, directory, force, precision)


def reaching(robot: str, joint: int) -> Model:
    geometry = symoro.forward_geometry(robot)
    return replace(geometry, name="reaching", driver=Reaching(joint, geometry.derivative("q")))


def test_a_driver_of_any_kind_gets_its_programs_compiled() -> None:
    model = reaching("planar3r", 1)
    q = model.compile("numpy")(0.5, np.array([0.1, 0.2, 0.0]))
    assert abs(symoro.forward_geometry("planar3r").compile("numpy")(q)[1, 3] - 0.5) < 1e-12


def test_one_reads_the_equations_and_counts_and_writes_the_step(tmp_path: Path) -> None:
    model, shown = reaching("planar3r", 1), symoro.forward_geometry("planar3r")
    assert model.equations() == shown.equations()
    assert model.latex() == shown.latex()
    assert model.to_sympy() == shown.to_sympy()
    assert (model.ops, model.setup_ops) == (model.step.ops, model.step.setup_ops)
    assert (list(model.inputs), list(model.outputs)) == (["y", "q"], ["q"])
    assert any("by_q" in path.name for path in model.emit("c", tmp_path))


def test_loop_geometry_is_a_model_with_a_driver() -> None:
    model = symoro.loop_geometry("four-bar")
    assert isinstance(model, symoro.Model)
    assert (model.closure.name, model.step.name) == ("loop_closure", "loop_step")
    assert model.equations() == model.closure.equations()
    with pytest.raises(AttributeError, match="has no attribute 'speed'"):
        model.speed  # noqa: B018
