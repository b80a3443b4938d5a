"""The benchmarks can be started: what they take from the product is there, and so is every step that they leave out."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
#: These need CuPy and a device, and are run by hand.
ON_DEVICE = {"gpu.py", "gpu_arrays.py", "gpu_package.py"}
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py") if path.name not in ON_DEVICE)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_benchmark_is_imported(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    runpy.run_path(str(FOLDER / script), run_name="imported")


def test_the_steps_that_are_left_out_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    ablation = runpy.run_path(str(FOLDER / "ablation.py"), run_name="imported")
    missing = [
        (step, name)
        for step, parts in ablation["STEPS"].items()
        for owner, name, _ in parts
        if not hasattr(owner, name)
    ]
    assert not missing
