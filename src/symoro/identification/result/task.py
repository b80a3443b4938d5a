"""The task of an estimator: the columns whose parameters are to be found, and the parameters that are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from symoro.errors import OptionError
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.estimators.methods import BY_TRIANGLES
from symoro.identification.estimators.robust import robust
from symoro.identification.regression.essential import without
from symoro.identification.regression.payload import payload_columns
from symoro.identification.regression.prior import prior_rows
from symoro.identification.regression.regression import Regression
from symoro.identification.result.wanted import Wanted
from symoro.identification.rows.rows import Rows
from symoro.identification.rows.triangles import Triangles
from symoro.identification.subject.described import described_values


@dataclass(frozen=True)
class Task:
    """A regression with what is asked of it; `triangles` have only the columns whose parameters are to be found."""

    given: Regression
    wanted: Wanted
    triangles: Triangles = field(repr=False)
    known: dict[str, float]

    @cached_property
    def rows(self) -> Rows | None:
        """The rows of these columns; None where rows were not kept, and for a payload, which has other columns."""
        if self.given.rows is None or self.wanted.payload is not None:
            return None
        return self.given.rows.less(self.known).only(self.triangles.names)

    def without(self, names: Sequence[str]) -> Task:
        """The task without some columns."""
        return replace(self, triangles=without(self.triangles, names))

    def estimated(self) -> Estimate:
        """The estimate by the method that is asked for, one that does not simulate."""
        if self.wanted.method != "irls":
            return BY_TRIANGLES[self.wanted.method](self.triangles)
        if self.rows is None:
            raise OptionError("robust least squares needs the rows: it cannot follow a stream")
        return robust(self.rows)


def task_of(given: Regression, wanted: Wanted) -> Task:
    """The task: without parameters that are known, with a prior, or with the columns of a payload."""
    t = given.triangles
    if wanted.payload is not None:
        values = described_values(given.subject, t.names)
        return Task(given, wanted, payload_columns(given.subject, t, wanted.payload, values), values)
    if wanted.prior is not None:
        t = replace(t, prior=prior_rows(given.subject, t.names, wanted.prior))
    known = _known(given, wanted)
    return Task(given, wanted, t.less(known) if known else t, known)


def _known(given: Regression, wanted: Wanted) -> dict[str, float]:
    """The parameters that are given by name; an error for one that the regression does not have."""
    known = {name: float(x) for name, x in (wanted.known or {}).items()}
    allowed = [name for name in given.triangles.names if name not in given.about]
    for name, x in known.items():
        if name not in allowed or not np.isfinite(x):
            raise OptionError(f"known: {name} = {x} is not allowed (allowed: numbers for {', '.join(allowed)})")
    return known
