"""symoro count: the operations of models, in the plain form of the papers and optimised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeVar

import typer

from symoro.cli import completion
from symoro.cli import options as options_
from symoro.cli.arguments import Branch, Given, Json, Options, RobotName, robot_of
from symoro.cli.making import INVERSE, INVERSE_NAMES, PROCEDURES, STEP, shown_inverse
from symoro.cli.output import Table, note, progress, show_json, show_table
from symoro.errors import NotApplicable, OptionError
from symoro.findings import Finding
from symoro.ir.expr import OpCount
from symoro.models import published
from symoro.models.catalogue import entries, find
from symoro.models.entry import Entry
from symoro.robot.robot import Robot
from symoro.solve.given import model as make

ModelNames = Annotated[
    list[str] | None,
    typer.Argument(metavar="MODEL", help="Names of models; default: all.", autocompletion=completion.models),
]
_HEADS = {"mul": "M", "add": "A", "div": "D", "sqrt": "sqrt", "trig": "trig", "other": "other", "total": "total"}


Compare = Annotated[
    bool, typer.Option("--compare", help="Show published counts, and the formulation with the fewest operations.")
]


def command(
    robot: RobotName,
    model: ModelNames = None,
    option: Options = None,
    compare: Compare = False,
    branch: Branch = None,
    given: Given = None,
    json: Json = False,
) -> None:
    """Count the operations of models: of the plain form in the papers, and of the optimised form.

    M is multiplications, A additions, D divisions; total is M + A + D. Operations that depend on parameters only are
    done once (column once) and not counted. An option is given to every model that has it. A frame that is required and
    not given is the base or the last link.

    Examples:

      symoro count puma560

      symoro count rx90 inverse_dynamics transform -o i=0 -o j=3 --json

      symoro count puma560 --compare

      symoro count puma560 idm -o params=base -o optimize=best
    """
    described = robot_of(robot, branch, given)
    options = options_.pairs(option or ())
    if model and {*model} & {*INVERSE_NAMES}:
        if not {*model} <= {*INVERSE_NAMES}:
            raise OptionError("commands.package", model=INVERSE)
        _show_counts(described, [_count_inverse(described, option or ())], json)
        return
    chosen = [find(STEP.get(name, name), PROCEDURES) for name in model] if model else [*entries()]
    _require_known(chosen, options)
    if compare:
        _show_comparison(described, _rows(chosen, described, bool(model), partial(_compared, texts=options)), json)
        return
    _show_counts(described, _rows(chosen, described, bool(model), partial(_count, texts=options)), json)


Row = tuple[str, str, str, OpCount, OpCount]
"""Model, options, form, operations of one call, operations of the setup."""
Counted = TypeVar("Counted")


def _rows(
    chosen: list[Entry], robot: Robot, named: bool, of: Callable[[Entry, Robot], Iterable[Counted]]
) -> list[Counted]:
    """The rows of each model. A model that does not exist for the robot is left out, unless the user named it."""
    rows: list[Counted] = []
    for entry in chosen:
        reason = None if named else entry.reason(robot)
        try:
            rows += of(entry, robot) if reason is None else ()
        except NotApplicable as error:  # found while building, for example that a link must be given
            if named:
                raise
            reason = error.finding
        if reason is not None:
            note(Finding("commands.left_out", model=entry.name, reason=reason))
    return rows


def _require_known(chosen: list[Entry], texts: dict[str, str]) -> None:
    known = {option.name for entry in chosen for option in entry.all_options}
    for name in texts:
        if name not in known:
            which = Finding("commands.none_of_models")
            raise OptionError("commands.no_option", option="--option", name=name, which=which, allowed=sorted(known))


def _count(entry: Entry, robot: Robot, texts: dict[str, str]) -> list[Row]:
    options = options_.applicable(entry, robot, texts)
    rows = []
    effort = options.pop("optimize", True)
    for form, optimize in (("plain", False), ("optimised", effort)):
        with progress(f"{entry.name} of {robot.name}, {form}", details=optimize == "best"):
            model = make(entry.name, robot, **options, optimize=optimize)
        rows.append((entry.name, options_.described(options), form, model.ops, model.setup_ops))
    return rows


def _count_inverse(robot: Robot, option: Sequence[str]) -> Row:
    with progress(f"{INVERSE} of {robot.name}"):
        inverse = shown_inverse(robot, option)
    way = getattr(inverse.driver, "method", "legs")
    return INVERSE, options_.described(options_.pairs(option)), way, inverse.ops, inverse.setup_ops


def _show_counts(robot: Robot, rows: list[Row], json: bool) -> None:
    if json:
        show_json({"robot": robot.name, "counts": [_data(row) for row in rows]})
    else:
        show_table(_table(robot, rows))


def _data(row: Row) -> dict[str, Any]:
    name, options, form, ops, setup = row
    return {
        "model": name,
        "options": options,
        "form": form,
        "ops": options_.counts(ops),
        "setup_ops": options_.counts(setup),
    }


def _table(robot: Robot, rows: list[Row]) -> Table:
    """The table of the counts; a kind of operation that no model needs has no column."""
    kinds = {n: head for n, head in _HEADS.items() if n in ("mul", "add") or any(getattr(r[3], n) for r in rows)}
    heads = (*kinds.values(), "once")
    cells = [
        (" ".join((name, options)).strip(), form, *(str(getattr(ops, n)) for n in kinds), str(setup.total))
        for name, options, form, ops, setup in rows
    ]
    return Table(f"Operations of {robot.title or robot.name}", ("model", "form", *heads), cells, frozenset(heads))


# --compare: plain and optimised counts, and those that others have published


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


def _show_comparison(robot: Robot, rows: list[Compared], as_json: bool) -> None:
    """Print the table, or its data as JSON."""
    if as_json:
        show_json({"robot": robot.name, "models": [_compared_data(row) for row in rows]})
        return
    show_table(_comparison_table(robot, rows))
    _show_formulations(rows)


def _compared(entry: Entry, robot: Robot, texts: dict[str, str]) -> Iterator[Compared]:
    """A row for each choice of `params` that the model has, or for the one that is given."""
    options = options_.applicable(entry, robot, texts)
    effort = options.pop("optimize", True)
    choices = next((option.choices for option in entry.all_options if option.name == "params"), [])
    sets = [options] if "params" in options or not choices else [{**options, "params": name} for name in choices]
    for one in sets:
        text = " ".join((entry.name, options_.described(one))).strip()
        with progress(f"{text} of {robot.name}", details=effort == "best"):
            plain = make(entry.name, robot, **one, optimize=False)
            optimised = make(entry.name, robot, **one, optimize=effort)
        figures = published.of(robot.name, entry.name, one.get("params", "standard"))
        yield Compared(entry.name, one, plain.ops, optimised.ops, optimised.formulation, tuple(figures))


def _comparison_table(robot: Robot, rows: list[Compared]) -> Table:
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


def _compared_data(row: Compared) -> dict[str, Any]:
    return {
        "model": row.model,
        "options": row.options,
        "plain": options_.counts(row.plain),
        "optimised": options_.counts(row.optimised),
        "formulation": row.formulation,
        "published": [{"M": f.M, "A": f.A, "total": f.total, "source": f.source, "note": f.note} for f in row.figures],
    }
