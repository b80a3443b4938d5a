"""What iterates has the surface of a model, whatever its driver does with the compiled programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import symoro
from symoro.procedure import Procedure


def reaching(robot: str, joint: int) -> Procedure[Any]:
    """Newton's method for the height of a tip as a function of one joint."""
    geometry = symoro.forward_geometry(robot)

    def make(compiled: Any) -> Any:
        def solve(y: float, q: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            q = q.copy()
            for _ in range(20):
                q[joint] -= (compiled["pose"](q)[1, 3] - y) / compiled["slope"](q)[1, 3, joint]
            return q

        return solve

    return Procedure(
        robot=geometry.robot,
        name="reaching",
        title="Reach a height",
        citation="",
        driver="newton",
        inputs={"y": (), "q": geometry.inputs["q"]},
        outputs={"q": geometry.inputs["q"]},
        shown=geometry,
        step=geometry.derivative("q"),
        programs={"pose": geometry, "slope": geometry.derivative("q")},
        make=make,
    )


def test_a_driver_of_any_kind_gets_its_programs_compiled() -> None:
    procedure = reaching("planar3r", 1)
    q = procedure.compile("numpy")(0.5, np.array([0.1, 0.2, 0.0]))
    assert abs(procedure.shown.compile("numpy")(q)[1, 3] - 0.5) < 1e-12


def test_one_reads_the_equations_and_counts_and_writes_the_step(tmp_path: Path) -> None:
    procedure = reaching("planar3r", 1)
    assert procedure.equations() == procedure.shown.equations()
    assert procedure.latex() == procedure.shown.latex()
    assert procedure.to_sympy() == procedure.shown.to_sympy()
    assert (procedure.ops, procedure.setup_ops) == (procedure.step.ops, procedure.step.setup_ops)
    assert any("by_q" in path.name for path in procedure.emit("c", tmp_path))


def test_loop_geometry_is_a_procedure() -> None:
    procedure = symoro.loop_geometry("four-bar")
    assert isinstance(procedure, symoro.Procedure)
    assert procedure.closure is procedure.shown
    assert (procedure.closure.name, procedure.step.name) == ("loop_closure", "loop_step")
