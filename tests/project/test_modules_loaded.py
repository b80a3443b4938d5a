"""A small model loads what it needs and no more."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: The equations of loops, which the table of constraints has; what closes loops by numbers is beside them.
EQUATIONS = {"symoro.models.loops.constraint", "symoro.models.loops.equations"}
PROGRAM = """
import sys
import symoro
{code}
print("\\n".join(sorted(sys.modules)))
"""


def loaded(code: str) -> set[str]:
    """The modules that a fresh interpreter has after running some code."""
    run = subprocess.run([sys.executable, "-c", PROGRAM.format(code=code)], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_symoro_loads_errors_and_findings_alone() -> None:
    modules = loaded("")
    assert {name for name in modules if name.startswith("symoro")} == {"symoro", "symoro.errors", "symoro.findings"}
    assert "dataclasses" not in modules  # it would take half of the time


def test_the_papers_inverse_model_of_a_small_arm() -> None:
    modules = loaded("symoro.inverse_dynamics('planar2r', optimize=False)")
    ours = {name for name in modules if name.startswith("symoro")}
    for part in ("models.identification", "models.parallel.", "models.search", "ir.passes", "emit", "runtime"):
        assert not any(name.startswith(f"symoro.{part}") for name in ours), part
    assert {name for name in ours if name.startswith("symoro.solve.")} == {"symoro.solve.given"}
    assert not {name for name in ours if name.startswith("symoro.models.loops.")} - EQUATIONS
    assert not modules & {"numpy", "scipy", "sympy", "llvmlite", "jinja2", "typer"}


@pytest.mark.parametrize("params", ["standard", "base"])
def test_a_tree_does_not_load_what_closes_loops(params: str) -> None:
    modules = loaded(f"symoro.inverse_dynamics('planar2r', params='{params}')")
    others = ("symoro.models.loops.", "symoro.models.identification.base.sampled_regressor")
    assert not {name for name in modules if name.startswith(others)} - EQUATIONS
