"""The tables of docs/theory/fewer-operations.md are those that `benchmarks/ablation.py` writes today."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from counts.budget import rows

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "theory" / "fewer-operations.md"


def part(name: str) -> str:
    """What stands on the page between the two marks of this name."""
    text = PAGE.read_text(encoding="utf-8")
    return text.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- end of {name} -->")[0].strip()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.fixture
def ablation(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return runpy.run_path(str(ROOT / "benchmarks" / "ablation.py"), run_name="imported")


def test_the_reached_counts_are_those_of_the_budget(ablation: dict[str, Any]) -> None:
    assert part("reached") == ablation["reached"]()


def test_what_is_saved_refers_to_the_counts_of_the_budget(ablation: dict[str, Any]) -> None:
    """The budget is counted by other tests: a count that falls makes the table of the steps old."""
    head, _, *lines = map(cells, part("ablation").splitlines())
    assert head[5:] == [f"− {step}" for step in ablation["STEPS"]]
    assert [line[:2] for line in lines] == [[robot, title] for robot, _, title in ablation["ROWS"]]
    budget = {(row.robot, row.model): row.total for row in rows() if row.params == "base"}
    found = {(robot, model): line[4] for (robot, model, _), line in zip(ablation["ROWS"], lines, strict=True)}
    compared = budget.keys() & found.keys()
    assert len(compared) > 15
    assert {key: found[key] for key in compared} == {key: f"**{budget[key]}**" for key in compared}


@pytest.mark.long
@pytest.mark.parametrize("chosen", [("rx90-symmetric", "inertia_matrix", "A"), ("stanford", "inertia_matrix", "A")])
def test_rows_that_are_made_again(ablation: dict[str, Any], chosen: tuple[str, str, str]) -> None:
    row = next(line for line in map(cells, part("ablation").splitlines()) if line[:2] == [chosen[0], chosen[2]])
    assert ablation["row"](*chosen) == row
