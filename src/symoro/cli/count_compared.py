"""symoro count --compare: operations of each model, plain and optimised, and the counts that others have published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from symoro.cli import options as options_
from symoro.cli.output import Table, progress, show_json, show_table
from symoro.ir.expr import OpCount
from symoro.models import published
from symoro.models.entry import Entry
from symoro.robot.robot import Robot
from symoro.solve.given import model as make


@dataclass(frozen=True, slots=True)
class Compared:
    """The counts of one model with one choice of `params`."""

    model: str
    options: dict[str, Any]
    plain: OpCount
    optimised: OpCount
    formulation: str
    figures: tuple[published.PublishedCount, ...]

    @property
    def saved(self) -> str:
        """How many operations the optimised form saves, in percent."""
        total = self.plain.total
        return f"{100 * (total - self.optimised.total) / total:.0f} %" if total else ""


def show_comparison(robot: Robot, rows: list[Compared], as_json: bool) -> None:
    """Print the table, or its data as JSON."""
    if as_json:
        show_json({"robot": robot.name, "models": [_data(row) for row in rows]})
        return
    show_table(_table(robot, rows))
    _show_formulations(rows)


def compared(entry: Entry, robot: Robot, given: dict[str, str]) -> Iterator[Compared]:
    """A row for each choice of `params` that the model has, or for the one that is given."""
    options = options_.applicable(entry, robot, given)
    effort = options.pop("optimize", True)
    choices = next((option.choices for option in entry.all_options if option.name == "params"), ())
    sets = [options] if "params" in options or not choices else [{**options, "params": name} for name in choices]
    for one in sets:
        text = " ".join((entry.name, options_.described(one))).strip()
        with progress(f"{text} of {robot.name}", details=effort == "best"):
            plain = make(entry.name, robot, **one, optimize=False)
            optimised = make(entry.name, robot, **one, optimize=effort)
        figures = published.of(robot.name, entry.name, one.get("params", "standard"))
        yield Compared(entry.name, one, plain.ops, optimised.ops, optimised.formulation, tuple(figures))


def _table(robot: Robot, rows: list[Compared]) -> Table:
    right = ("M", "A", "plain", "M ", "A ", "optimised", "saved")
    cells = [
        (
            " ".join((row.model, options_.described(row.options))).strip(),
            *_numbers(row.plain),
            *_numbers(row.optimised),
            row.saved,
            _short(row.figures),
        )
        for row in rows
    ]
    return Table(f"Operations of {robot.title or robot.name}", ("model", *right, "published"), cells, frozenset(right))


def _numbers(ops: OpCount) -> tuple[str, str, str]:
    return str(ops.mul), str(ops.add), str(ops.total)


def _short(figures: tuple[published.PublishedCount, ...]) -> str:
    """Totals and sources for a column of the table; the whole figures follow below the table."""
    return ", ".join(f"{f.total} {f.source.partition(',')[0]}" for f in figures)


def _show_formulations(rows: list[Compared]) -> None:
    width = max((len(row.model) for row in rows), default=0)
    print("\nThe formulation with the fewest operations")
    for row in rows:
        print(f"{row.model:{width}}  {row.options.get('params', ''):8}  {row.formulation}")
    cited = [f"{f.model}, {f.params}: {f}" for row in rows for f in row.figures]
    if cited:
        print("\n".join(["\nPublished", *cited]))


def _data(row: Compared) -> dict[str, Any]:
    return {
        "model": row.model,
        "options": row.options,
        "plain": options_.counts(row.plain),
        "optimised": options_.counts(row.optimised),
        "formulation": row.formulation,
        "published": [{"M": f.M, "A": f.A, "total": f.total, "source": f.source, "note": f.note} for f in row.figures],
    }
