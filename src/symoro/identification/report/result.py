"""The result of an identification: parameters, text, pictures, reports, and the robot that has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.errors import DataError, SymoroError
from symoro.figures import new_figure, saved, svg_of
from symoro.findings import Finding, Place
from symoro.identification.arrays import Array, needed
from symoro.identification.estimate.estimate import Dropped, Errors, Estimate, errors
from symoro.identification.estimate.task import BY_TRIANGLES, Fit, spread_of, validated
from symoro.identification.process.checks import named_first
from symoro.identification.process.measurements import Measurements, Source, measured
from symoro.identification.process.processing import Processing, long_runs
from symoro.identification.regress.rows import RegressionRows, TriangularFactors, rows_of, triangles_of
from symoro.identification.regress.terms import FrictionLaw, Terms, meaning
from symoro.identification.report.suspicions import (
    Delay,
    constants,
    correlations,
    delays,
    late,
    misread,
    outliers,
    suspicions,
    unidentifiable,
)
from symoro.identification.subject.subject import (
    Subject,
    expected_values,
    nearest,
    nearest_in_groups,
    robot_with,
    with_entries,
    without_a_place,
)
from symoro.ir.meaning import Meaning
from symoro.lazy import lazy
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import as_value
from symoro.saving import path_of, whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symoro.identification.estimate.bodies import Consistent


# An identified parameter with its uncertainty and its meaning.


@dataclass(frozen=True)
class IdentifiedParameter:
    """A parameter: value and standard deviation, what it regroups, and what it means."""

    name: str
    value: float
    sigma: float
    """Standard deviation, with noise that is white after decimation; infinite where the parameter was left out."""
    spread: float | None
    """Standard deviation with residuals that are correlated in time, where the rows were kept."""
    regroups: str
    """The parameter in terms of standard parameters, and of those that the motion cannot tell apart from it."""
    unit: str
    text: str

    @property
    def percent(self) -> float:
        """σ in percent of the value."""
        if self.value == 0:
            return float("inf") if self.sigma else 0.0
        return 100 * self.sigma / abs(self.value)


def parameters_of(
    subject: Subject, estimate: Estimate, spread: Array | None, about: Mapping[str, float]
) -> tuple[IdentifiedParameter, ...]:
    """The parameters of an estimate; those in `about` were estimated as differences from the values there."""
    relations, meanings = subject.relations, subject.meanings
    parameters = []
    for k, name in enumerate(estimate.names):
        text, unit = _meaning(name, meanings)
        wide = None if spread is None else float(spread[k])
        regroups = relations.get(name, name) + _taken_over(estimate.regrouped.get(name, {}))
        value = float(estimate.beta[k]) + about.get(name, 0.0)
        parameters.append(IdentifiedParameter(name, value, float(estimate.sigma[k]), wide, regroups, unit, text))
    return tuple(parameters)


def _taken_over(others: Mapping[str, float]) -> str:
    """What a parameter took over, because the motion cannot tell them apart: + IA4 - 9.81*FO4."""
    text = ""
    for name, times in others.items():
        size = f"{abs(times):.6g}"
        text += f" {'+' if times > 0 else '-'} {'' if size == '1' else size + '*'}{name}"
    return text


def _meaning(name: str, meanings: Mapping[str, Meaning]) -> tuple[str, str]:
    if name in meanings:
        return meanings[name].text.partition(": ")[2], meanings[name].unit
    if name.startswith("K") and name[1:].isdigit():
        return f"stiffness of joint {name[1:]}", "N·m"
    return meaning(name) or (name, "")


# A result as lines of text.


def summary(r: Identification) -> Iterator[tuple[str, str, str]]:
    """What was done and how well it fits: for each line a key for programs, a name and a text."""
    yield "method", "method", r.method
    yield "data", "data", r.processing
    yield "friction", "friction", r.friction
    yield "relative_error", "relative error", str(r.error)
    if r.validation.blocks:
        name = f"cross-validation over {len(r.validation.blocks)} blocks of time"
        yield "cross_validation", name, str(r.validation)
    if r.dropped:
        yield "dropped", "taken out as not essential", ", ".join(map(str, r.dropped))
    if r.delays:
        listed = ", ".join(f"{name} {1e3 * d.value:.3g} ± {1e3 * d.sigma:.2g} ms" for name, d in r.delays.items())
        yield "delays", "torques earlier than motion by", listed
    yield "condition_number", "condition number", f"{r.estimate.condition:.4g} (columns of length 1)"
    if r.consistent is not None:
        yield "standard_parameters", "standard parameters", str(r.consistent)


COLUMNS = ("name", "value", "σ", "%σ", "unit", "regroups")
"""The columns of the table of parameters."""


def cells(p: IdentifiedParameter) -> tuple[str, ...]:
    """The texts of a parameter in these columns; the last one is empty where nothing is regrouped."""
    more = "" if p.regroups == p.name else p.regroups
    return p.name, f"{p.value:.6g}", f"{p.sigma:.3g}", f"{p.percent:.3g}", p.unit, more


def lines(r: Identification) -> Iterator[str]:
    """The summary, the table of parameters, and the warnings."""
    yield f"{len(r)} parameters of {r.subject.robot.title or r.subject.robot.name}"
    yield from (f"{name}: {text}" for _, name, text in summary(r))
    width = max((len(p.name) for p in r.parameters), default=4)
    for name, value, sigma, percent, unit, more in ((*COLUMNS[:-1], ""), *map(cells, r.parameters)):
        yield f"{name:<{width}}  {value:>12}  {sigma:>10}  {percent:>8}  {unit}{more and '  = '}{more}"
    yield from (f"warning: {warning}" for warning in r.warnings)


# Pictures of a result: torques and residuals of each joint over time.


def torques(residuals: Mapping[str, Any], title: str = "", to: str | Path | None = None) -> Figure:
    """A panel for each joint: measured torque, that of the model, and their difference."""
    figure = new_figure((7.2, 0.8 + 1.5 * len(residuals)))
    drawn = figure.subplots(len(residuals), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, rows) in zip(drawn, residuals.items(), strict=True):
        order = np.argsort(rows.t, kind="stable")
        t, measured, e = (x[order] for x in (rows.t, rows.measured, rows.residual))
        axes.plot(t, measured, ".", markersize=2, color="0.6", label="measured", rasterized=True)
        axes.plot(t, measured - e, ".", markersize=1.5, color="C0", label="model", rasterized=True)
        axes.plot(t, e, ".", markersize=1.5, color="C3", label="difference", rasterized=True)
        axes.set(ylabel=name)
        axes.grid(alpha=0.3)
    drawn[0].set_title(title, fontsize=8)
    drawn[0].legend(fontsize=7, ncols=3, loc="upper right")
    drawn[-1].set(xlabel="time (s)")
    return saved(figure, to)


# A report of a result: one file with tables and pictures, .html or .pdf.


_STYLE = (
    "body{font:15px sans-serif;max-width:60em;margin:2em auto;padding:0 1em}table{border-collapse:collapse}"
    "td,th{padding:2px 10px;text-align:left;border-bottom:1px solid #ddd}td.n{text-align:right}"
)
_LINES_OF_A_PAGE = 62


def require_report(path: Path) -> Path:
    """The path of a report; an error where its ending is not that of one."""
    if path.suffix.lower() not in (".html", ".pdf"):
        ending = repr(path.suffix) if path.suffix else Finding("recordings.no_ending")
        raise SymoroError("estimates.report", ending=ending, place=Place(str(path)))
    return path


def write_report(r: Identification, to: str | Path) -> Path:
    """Write the report of a result; the ending of the file says its format."""
    path = require_report(path_of(to))
    with whole_file(path) as new:
        if path.suffix.lower() == ".html":
            new.write_text(_html(r), encoding="utf-8")
        else:
            _pdf(r, new)
    return path


def _html(r: Identification) -> str:
    title = f"Identification of {escape(r.subject.robot.title or r.subject.robot.name)}"
    rows_of_summary = (f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for _, name, text in summary(r))
    head = "".join(f"<th>{name}</th>" for name in COLUMNS)
    rows = "".join(f"<tr>{_row(cells(p))}</tr>" for p in r.parameters)
    warnings = "".join(f"<li>{escape(str(warning))}</li>" for warning in r.warnings) or "<li>none</li>"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
        f"<h1>{title}</h1><table>{''.join(rows_of_summary)}</table><h2>Warnings</h2><ul>{warnings}</ul>"
        f"<h2>Parameters</h2><table><tr>{head}</tr>{rows}</table>{_picture(r)}</html>\n"
    )


def _row(texts: Sequence[str]) -> str:
    """Cells of a row; numbers are aligned to the right."""
    name, value, sigma, percent, unit, more = map(escape, texts)
    numbers = "".join(f"<td class=n>{x}</td>" for x in (value, sigma, percent))
    return f"<td>{name}</td>{numbers}<td>{unit}</td><td>{more}</td>"


def _picture(r: Identification) -> str:
    if r.rows is None:
        return ""
    drawn = svg_of(torques(r.residuals))
    return f"<h2>Torques</h2>{drawn[drawn.index('<svg') :]}"


def _pdf(r: Identification, path: Path) -> None:
    """Pages of text, then the picture."""
    new_figure((1, 1))  # says what to install where matplotlib is missing
    from matplotlib.backends.backend_pdf import PdfPages

    text = list(lines(r))
    with PdfPages(path, metadata={"CreationDate": None}) as pages:
        for first in range(0, len(text), _LINES_OF_A_PAGE):
            figure = new_figure((8.27, 11.69))
            page = "\n".join(line[:130] for line in text[first : first + _LINES_OF_A_PAGE])
            figure.text(0.05, 0.97, page.replace("$", r"\$"), family="monospace", fontsize=6.5, va="top")
            pages.savefig(figure)
        if r.rows is not None:
            pages.savefig(torques(r.residuals))


# The result of an identification: parameters with their uncertainty, errors, warnings, and the robot that has them.


_SAME_RATE = 0.01
"""Relative difference of two rates that count as one: decimation and borders are numbers of samples."""


@dataclass(frozen=True)
class Residuals:
    """Rows of one joint: times, measured torques, and what the model leaves of them."""

    t: Array = field(repr=False)
    measured: Array = field(repr=False)
    residual: Array = field(repr=False)
    run: Array = field(repr=False)


@dataclass(frozen=True, repr=False)
class Identification:
    """Parameters of a robot from measurements.

    `error` is the relative error on the data that was used, `validation` that of six-fold cross-validation over
    contiguous blocks of time. Both are stated with their band: `processing` says rate, cut-off and decimation.
    """

    subject: Subject
    method: str
    estimate: Estimate
    triangles: TriangularFactors
    terms: Terms
    how: Processing
    rate: float
    error: Errors
    validation: Errors
    warnings: tuple[Finding, ...] = ()
    law: FrictionLaw | None = None
    laws: dict[str, float] = field(default_factory=dict)
    """Error in cross-validation of each law of friction that was tried."""
    rows: RegressionRows | None = None
    """The rows of the regression, where they were kept."""
    consistent: Consistent | None = None
    known: dict[str, float] = field(default_factory=dict)
    """Parameters that were given and not identified."""
    spread: Array | None = None
    """σ of the parameters with residuals that are correlated in time."""
    delays: dict[str, Delay] = field(default_factory=dict)
    """How much earlier the torque of each joint is than the motion that it belongs to, as `delay` of identify."""
    payload: int | None = None
    """The link whose payload was identified, where the robot itself was known."""
    dropped: tuple[Dropped, ...] = ()
    """Parameters that are not essential, in the order in which they were taken out, with what each cost."""
    about: dict[str, float] = field(default_factory=dict)
    """Values of parameters that act nonlinearly: the estimate of such a parameter is the difference from its value."""

    @lazy
    def parameters(self) -> tuple[IdentifiedParameter, ...]:
        """Name, value, σ, σ in percent, and what each parameter regroups."""
        return parameters_of(self.subject, self.estimate, self.spread, self.about)

    def __getitem__(self, name: str) -> IdentifiedParameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise SymoroError("estimates.no_parameter", name=name, allowed=[p.name for p in self.parameters])

    def __len__(self) -> int:
        return len(self.parameters)

    def __iter__(self) -> Iterator[IdentifiedParameter]:
        return iter(self.parameters)

    @property
    def values(self) -> dict[str, float]:
        """All parameters of the model by name, with those that were given."""
        return {p.name: p.value for p in self.parameters} | self.known

    @property
    def processing(self) -> str:
        """Rate, cut-off, decimation, delay, and which rows were left out."""
        return self.how.describe(self.rate, self.subject.row_names)

    @property
    def friction(self) -> str:
        """The law of friction, and why it was chosen."""
        if self.law is None:
            return "as the robot describes it"
        if not self.laws:
            return str(self.law)
        listed = ", ".join(f"{name} {100 * x:.3g} %" for name, x in sorted(self.laws.items(), key=lambda item: item[1]))
        return f"{self.law}, which has the least error in cross-validation ({listed})"

    @property
    def correlations(self) -> Array:
        """The correlation of the errors of each pair of parameters."""
        return correlations(self.estimate)

    @lazy
    def residuals(self) -> dict[str, Residuals]:
        """The rows of each joint."""
        if self.rows is None:
            raise SymoroError("estimates.rows_of_stream" if self.payload is None else "estimates.rows_of_payload")
        residuals = {}
        beta = self._beta(self.rows.names)
        for k, name in enumerate(self.rows.joints):
            mine = [block for block in self.rows.blocks if block.joint == k]
            e = [block.y - block.W @ beta[block.columns] for block in mine]
            run = [np.full(len(block.y), block.run) for block in mine]
            t, y = [block.t for block in mine], [block.y for block in mine]
            residuals[name] = Residuals(*map(np.concatenate, (t, y, e, run)))
        return residuals

    def _beta(self, names: tuple[str, ...]) -> Array:
        """Factors of columns: parameters, or their differences from the values that the columns belong to."""
        values = self.values
        return np.array([values[name] - self.about.get(name, 0.0) if name in values else 0.0 for name in names])

    def validate(self, data: Measurements | Source, delay: float | None = None) -> Errors:
        """The errors on other measurements, in the same band; runs that are too short for it are left out.

        `data` is what `symoro.measurements` takes, or its result.
        """
        if self.payload is not None:
            raise SymoroError("estimates.validate_payload")
        data = data if isinstance(data, Measurements) else measured(self.subject, data)
        if data.subject.description != self.subject.description:
            other, robot = data.subject.description.name, self.subject.description.name
            raise DataError("measurements.of_other_robot", other=other, robot=robot)
        if abs(data.rate / self.rate - 1) > _SAME_RATE:
            raise DataError("measurements.rate_of_result", rate=data.rate, wanted=self.rate)
        how = self.how if delay is None else replace(self.how, delay=delay)
        t = triangles_of(rows_of(self.terms, long_runs(data, how).runs, how))
        return errors(t, self._beta(t.names))

    # the robot

    @lazy
    def standard(self) -> dict[str, float]:
        """Standard parameters: physically consistent ones where they were asked for, else near the description."""
        if self.subject.regroups_friction:
            return dict(self.robot.values.numbers())
        near = nearest_in_groups if self.subject.alike else nearest
        standard = self.consistent.standard if self.consistent is not None else near(self.subject, self._inertial)
        return dict(zip(self.subject.base.minimal.standard.values(), map(float, standard), strict=True))

    @property
    def _inertial(self) -> Array:
        return self._beta(self.subject.inertial)

    @lazy
    def robot(self) -> Robot:
        """The robot with the identified numbers, which every model takes. A warning names what it cannot have."""
        if self.subject.regroups_friction:
            return robot_with(self.subject, nearest_in_groups(self.subject, self._beta(self.subject.columns)), {})
        if self.payload is not None:
            body = {p.name.removesuffix("L"): p.value for p in self.parameters}
            return self.subject.description.attach(Inertia(**{n: as_value(x) for n, x in body.items()}), self.payload)
        others = {n: x for n, x in self.values.items() if n not in self.subject.inertial}
        if self.consistent is not None:
            others |= self.consistent.others
        written = robot_with(self.subject, np.array(list(self.standard.values())), others)
        return with_entries(written, self.consistent.added) if self.consistent is not None else written

    # tables, pictures, reports

    def columns(self) -> dict[str, list[Any]]:
        """The table of parameters, column by column."""
        names = ("name", "value", "sigma", "percent", "spread", "unit", "regroups")
        return {name: [getattr(p, name) for p in self.parameters] for name in names}

    def to_frame(self) -> Any:
        """The table of parameters as a data frame of polars."""
        return needed("polars", Finding("estimates.data_frame")).DataFrame(self.columns())

    def plot(self, to: str | Path | None = None) -> Figure:
        """Measured and modelled torques of each joint with the residuals, as a matplotlib figure; `to` is a file."""

        return torques(self.residuals, f"{self.subject.robot.name}: {self.processing}", to)

    def report(self, path: str | Path) -> Path:
        """Write a report with tables and pictures; the file ends in .html or .pdf."""

        return write_report(self, path)

    def __repr__(self) -> str:
        return (
            f"<Identification of {self.subject.robot.name} by {self.method}: {len(self)} parameters, "
            f"error {100 * self.error.total:.3g} %, in cross-validation {100 * self.validation.total:.3g} %>"
        )

    def __str__(self) -> str:

        return "\n".join(lines(self))


# From a fit to a result: how far the estimate can be trusted, other readings of the data, warnings.


def concluded(fit: Fit) -> Identification:
    """The result of a fit."""
    task, estimate, regression = fit.task, fit.estimate, fit.task.regression
    torques_late = _delays(fit)
    return Identification(
        subject=regression.subject,
        method=task.request.method,
        estimate=estimate,
        triangles=task.triangles,
        terms=regression.terms,
        how=regression.how,
        rate=regression.rate,
        error=fit.errors,
        validation=validated(task),
        warnings=(
            *named_first(_of_data(fit, torques_late)),
            *unidentifiable(estimate),
            *_without_a_place(fit),
        ),
        delays=torques_late,
        law=regression.law,
        laws=regression.laws,
        rows=regression.rows if task.request.payload is None else None,
        consistent=fit.consistent,
        known=task.known | {name: x for name, x in regression.about.items() if name not in regression.triangles.names},
        spread=spread_of(task, estimate),
        payload=task.request.payload,
        dropped=fit.dropped,
        about=regression.about,
    )


def _delays(fit: Fit) -> dict[str, Delay]:
    """The delay of each torque, where rows were kept and belong to instants."""
    how, rows = fit.task.regression.how, fit.task.rows
    return {} if rows is None or how.model == "energy" else delays(rows, fit.estimate, how)


def _of_data(fit: Fit, torques_late: dict[str, Delay]) -> Iterator[Finding]:
    """Warnings about the measurements: those that they came with, and those that the fit gives."""
    task, estimate, regression = fit.task, fit.estimate, fit.task.regression
    t, rows = task.triangles, task.rows
    of_payload = task.request.payload is not None
    rate = regression.rate if regression.rows is None else None  # with rows, other readings of the data are compared
    yield from regression.warnings
    yield from () if of_payload else misread(regression)
    yield from () if estimate.simulated else regression.how.notes  # errors of positions do not bias simulated motions
    yield from estimate.notes
    yield from suspicions(t, estimate, fit.errors, {} if of_payload else expected_values(regression.subject), rate)
    yield from late(torques_late, regression.how, t.joints, 1 / regression.rate)
    if rows is not None and torques_late and not regression.subject.regroups_friction:
        yield from constants(rows, estimate, [joint.label for joint in regression.subject.motors])
    if rows is not None and task.request.method in BY_TRIANGLES:  # they take all rows as they are
        yield from outliers(rows, estimate.beta)


def _without_a_place(fit: Fit) -> Iterator[Finding]:
    """A warning about laws of friction that the drives of the robot of the result cannot describe."""
    subject = fit.task.regression.subject
    if subject.regroups_friction or fit.task.request.payload is not None:
        return
    friction = [name for name in fit.task.triangles.names if name not in subject.inertial]
    if others := without_a_place(friction if fit.consistent is None else fit.consistent.others):
        yield Finding("estimates.no_place", names=others)
