"""The catalogue of arms and loops: the branches of symoro are those of a search from many starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.arm_catalogue import CATALOGUE, LOOPS
from support.compared_branches import Record, compared_arm, compared_loop

#: Every run takes these at a few poses; the long tests take all, and the exhaustive ones as many poses as the page.
QUICK = ("ur5", "scara", "youbot", "general6r", "PRP-middle", "offset wrist", "ur5, calibrated")
QUICK_LOOPS = ("five-bar", "cylinder", "spherical four-bar")
#: Each position of the motors has 128 branches, which takes seconds.
LARGE = {"orthoglide": 10}
PAGE = Path(__file__).parents[2] / "docs" / "inverse-catalogue.md"


def holds(record: Record) -> None:
    assert record.generating == record.poses
    assert record.equal + record.continuum >= 0.95 * record.poses
    assert record.regular <= 1e-12


def sampled(names: dict[str, object], quick: tuple[str, ...]) -> list[object]:
    few = [pytest.param(name, 10, marks=() if name in quick else pytest.mark.long) for name in names]
    every = (pytest.mark.long, pytest.mark.exhaustive)
    few = [one for one in few if one.values[0] not in LARGE]
    return [*few, *(pytest.param(name, LARGE.get(name, 200), marks=every) for name in names)]


@pytest.mark.parametrize(("name", "poses"), sampled(CATALOGUE, QUICK))  # type: ignore[arg-type]
def test_the_branches_of_an_arm_are_those_of_a_search(name: str, poses: int) -> None:
    holds(compared_arm(CATALOGUE[name], poses, 1))


@pytest.mark.parametrize(("name", "poses"), sampled(LOOPS, QUICK_LOOPS))  # type: ignore[arg-type]
def test_the_ways_to_close_loops_are_those_of_a_search(name: str, poses: int) -> None:
    holds(compared_loop(LOOPS[name](), poses, 1))


def test_the_page_has_a_row_for_each_arm_and_loop() -> None:
    tables = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    rows = [line for table in tables for line in table.splitlines() if line.startswith("| ")]
    names = {row.split("|")[1].strip() for row in rows} - {"arm", "robot"}
    assert names == {*CATALOGUE, *LOOPS}
    assert len(CATALOGUE) >= 40
    assert len(LOOPS) >= 10
