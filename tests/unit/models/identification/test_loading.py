"""Models of trees do not load what only loops, wheels or identification need."""

from __future__ import annotations

import subprocess
import sys

import pytest

PACKAGE = "symoro.models.identification"
NUMERIC = tuple(f"base.{name}" for name in ("dependence", "geometry", "rank", "recognition", "sampled_regressor"))
CONSTRAINED = tuple(f"base.{name}" for name in ("loops", "loop_search", "wheels", "constraint_regrouping"))
SEARCH = (*NUMERIC, *CONSTRAINED, "regressors")


@pytest.mark.parametrize(
    ("work", "absent"),
    [
        ("symoro.inverse_dynamics('planar2r')", ("",)),
        ("symoro.inverse_dynamics('planar2r', params='base')", SEARCH),
        ("symoro.base_parameters('planar2r')", SEARCH),
        ("symoro.inverse_dynamics('four-bar', params='base')", (*NUMERIC, "regressors")),
    ],
)
def test_what_is_not_loaded(work: str, absent: tuple[str, ...]) -> None:
    text = f"import sys, symoro; {work}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout.split()
    for part in absent:
        assert [name for name in loaded if name.startswith(f"{PACKAGE}.{part}")] == []
