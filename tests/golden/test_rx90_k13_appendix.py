"""The plain inverse dynamics of the RX-90 is the listing that SYMORO+ printed for it in K13's appendix."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import symoro

LISTING = Path(__file__).with_name("rx90_k13_appendix.txt")


def printed() -> list[tuple[str, str]]:
    lines = [line for line in LISTING.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return [(left.strip(), right.strip()) for left, right in (line.split("=", 1) for line in lines)]


@pytest.fixture(scope="module")
def plain() -> symoro.Model:
    return symoro.inverse_dynamics(symoro.load("rx90-k13"), optimize=False)


@pytest.fixture(scope="module")
def values(plain: symoro.Model) -> dict[str, float]:
    """Every variable of the generated model at a random state, by running its equations as they are printed."""
    rng = np.random.default_rng(1)
    state = {v.name: float(rng.normal()) for v in (*plain.program.input_variables(), *plain.program.parameters)}
    for name, right in plain.equations():
        state[name] = eval(right, {"sin": math.sin, "cos": math.cos}, state)
    return state


def test_it_has_the_same_variables(plain: symoro.Model) -> None:
    angles = {f"{letter}{j}" for letter in "SC" for j in range(2, 7)}
    assert {name for name, _ in plain.equations()} - angles == {name for name, _ in printed()}


def test_it_merges_no_angles(plain: symoro.Model) -> None:
    assert not {"S23", "C23"} & {name for name, _ in plain.equations()}


@pytest.mark.parametrize(("name", "right"), printed())
def test_each_printed_line_holds(name: str, right: str, values: dict[str, float]) -> None:
    assert eval(right, {}, values) == pytest.approx(values[name], rel=1e-12, abs=1e-12)


def test_it_counts_no_more_than_printed(plain: symoro.Model) -> None:
    assert plain.ops.mul <= 160
    assert plain.ops.add <= 113


def test_what_is_constant_is_done_once(plain: symoro.Model) -> None:
    assert {i.results[0] for i in plain.program.setup} == {f"PIS2{j}" for j in range(2, 7)}
