"""The number of operations never goes up: each figure of `budget.toml` was reached once and holds.

Where a model needs fewer now, run python tests/counts/budget.py, which writes lower figures and never higher ones.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from counts.budget import FILE, Row, lowered, rows
from symoro.ir.expr import OpCount
from symoro.models import published

ROWS = rows()
#: Counting their models takes most of a minute.
LARGE = {"humanoid"}


def marked(row: Row) -> object:
    """Rows without a goal and large robots are for the long tests."""
    quick = row.at_most and row.robot not in LARGE
    return pytest.param(row, id=row.name, marks=() if quick else pytest.mark.long)


@pytest.mark.parametrize("row", [marked(row) for row in ROWS])
def test_no_count_goes_up(row: Row) -> None:
    ops = row.count()
    assert ops.total <= row.total, f"{ops} is more than {row.M} M + {row.A} A + {row.D} D"


def test_every_goal_is_reached() -> None:
    assert all(row.met for row in ROWS), [row.name for row in ROWS if not row.met]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_is_below_what_others_published(row: Row) -> None:
    figures = published.of(row.robot, row.model, row.params)
    assert all(row.total < figure.total for figure in figures)
    assert all(str(figure.total) in row.published for figure in figures[:1])


def test_lower_figures_replace_those_of_their_row_only() -> None:
    row = ROWS[0]
    text = FILE.read_text(encoding="utf-8")
    changed = lowered(text, row, OpCount(mul=1, add=2))
    assert changed.count("\n") == text.count("\n") - bool(row.D)
    assert f'robot = "{row.robot}"\nmodel = "{row.model}"\nparams = "{row.params}"\nM = 1\nA = 2\n' in changed
    assert lowered(changed, replace(row, M=1, A=2), OpCount(mul=row.M, add=row.A, div=row.D)) == text
