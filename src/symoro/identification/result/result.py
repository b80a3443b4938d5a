"""The result of an identification: parameters with their uncertainty, errors, warnings, and the robot that has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.errors import DataError, SymoroError
from symoro.identification.arrays import Array
from symoro.identification.diagnosis.delays import Delay
from symoro.identification.diagnosis.suspicions import correlations
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.estimators.validation import Errors, errors
from symoro.identification.extras import needed
from symoro.identification.measurements.long_runs import long_runs
from symoro.identification.measurements.measurements import Measurements, Source, measurements
from symoro.identification.physical.consistent import Consistent
from symoro.identification.processing.processing import Processing
from symoro.identification.regression.essential import Dropped
from symoro.identification.result.parameter import Parameter, parameters_of
from symoro.identification.rows.friction import Law
from symoro.identification.rows.rows import Rows, rows_of
from symoro.identification.rows.terms import Terms
from symoro.identification.rows.triangles import Triangles, triangles_of
from symoro.identification.subject.platform_subject import PlatformSubject
from symoro.identification.subject.standard import nearest, robot_with, with_entries
from symoro.identification.subject.subject import Subject
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    triangles: Triangles
    terms: Terms
    how: Processing
    rate: float
    error: Errors
    validation: Errors
    warnings: tuple[str, ...] = ()
    law: Law | None = None
    laws: dict[str, float] = field(default_factory=dict)
    """Error in cross-validation of each law of friction that was tried."""
    rows: Rows | None = None
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

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Name, value, σ, σ in percent, and what each parameter regroups."""
        return parameters_of(self.subject, self.estimate, self.spread, self.about)

    def __getitem__(self, name: str) -> Parameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        listed = ", ".join(p.name for p in self.parameters)
        raise SymoroError(f"no parameter is called {name!r} (allowed: {listed})")

    def __len__(self) -> int:
        return len(self.parameters)

    def __iter__(self) -> Iterator[Parameter]:
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

    @cached_property
    def residuals(self) -> dict[str, Residuals]:
        """The rows of each joint."""
        if self.rows is None:
            why = "the data was read as a stream" if self.payload is None else "a payload has no rows of its own"
            raise SymoroError(f"the rows were not kept: {why}")
        found = {}
        beta = self._beta(self.rows.names)
        for k, name in enumerate(self.rows.joints):
            mine = [block for block in self.rows.blocks if block.joint == k]
            e = [block.y - block.W @ beta[block.columns] for block in mine]
            run = [np.full(len(block.y), block.run) for block in mine]
            t, y = [block.t for block in mine], [block.y for block in mine]
            found[name] = Residuals(*map(np.concatenate, (t, y, e, run)))
        return found

    def _beta(self, names: tuple[str, ...]) -> Array:
        """Factors of columns: parameters, or their differences from the values that the columns belong to."""
        values = self.values
        return np.array([values[name] - self.about.get(name, 0.0) if name in values else 0.0 for name in names])

    def validate(self, data: Measurements | Source, delay: float | None = None) -> Errors:
        """The errors on other measurements, in the same band; runs that are too short for it are left out.

        `data` is what `symoro.measurements` takes, or its result.
        """
        if self.payload is not None:
            raise SymoroError("validate is for robots: identify the robot of the result, r.robot, with other data")
        data = data if isinstance(data, Measurements) else measurements(self.subject, data)
        if data.subject.given != self.subject.given:
            raise DataError(
                f"the measurements are those of {data.subject.given.name}, not of {self.subject.given.name}"
            )
        if abs(data.rate / self.rate - 1) > _SAME_RATE:
            raise DataError(f"the rate is {data.rate:.6g} Hz (allowed: that of the result, {self.rate:.6g} Hz)")
        how = self.how if delay is None else replace(self.how, delay=delay)
        t = triangles_of(rows_of(self.terms, long_runs(data, how).runs, how))
        return errors(t, self._beta(t.names))

    # the robot

    @cached_property
    def standard(self) -> dict[str, float]:
        """Standard parameters: physically consistent ones where they were asked for, else near the description."""
        if isinstance(self.subject, PlatformSubject):
            return dict(self.robot.values.numbers())
        found = self.consistent.standard if self.consistent is not None else nearest(self.subject, self._inertial)
        return dict(zip(self.subject.base.minimal.standard.values(), map(float, found), strict=True))

    @property
    def _inertial(self) -> Array:
        return self._beta(self.subject.inertial)

    @cached_property
    def robot(self) -> Robot:
        """The robot with the identified numbers, which every model takes. A warning names what it cannot have."""
        if isinstance(self.subject, PlatformSubject):
            return self.subject.robot_with(self.values)
        if self.payload is not None:
            body = {p.name.removesuffix("L"): p.value for p in self.parameters}
            return self.subject.given.attach(Inertia(**{n: as_value(x) for n, x in body.items()}), self.payload)
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
        return needed("polars", "a data frame").DataFrame(self.columns())

    def plot(self, to: str | Path | None = None) -> Figure:
        """Measured and modelled torques of each joint with the residuals, as a matplotlib figure; `to` is a file."""
        from symoro.identification.result.pictures import torques

        return torques(self.residuals, f"{self.subject.robot.name}: {self.processing}", to)

    def report(self, path: str | Path) -> Path:
        """Write a report with tables and pictures; the file ends in .html or .pdf."""
        from symoro.identification.result.report import write_report

        return write_report(self, path)

    def __repr__(self) -> str:
        return (
            f"<Identification of {self.subject.robot.name} by {self.method}: {len(self)} parameters, "
            f"error {100 * self.error.total:.3g} %, in cross-validation {100 * self.validation.total:.3g} %>"
        )

    def __str__(self) -> str:
        from symoro.identification.result.text import lines

        return "\n".join(lines(self))
