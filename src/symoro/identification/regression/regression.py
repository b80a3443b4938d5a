"""From measurements to a regression: columns, processing, rows, and the law of friction that the data chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.estimators.least_squares import weighted
from symoro.identification.estimators.validation import cross_validated, errors
from symoro.identification.measurements.long_runs import long_runs
from symoro.identification.measurements.measurements import Measurements
from symoro.identification.measurements.settings import AUTO, found_delay, is_dry, processing, speeds, unsettled
from symoro.identification.processing.processing import Processing
from symoro.identification.recordings.runs import Run
from symoro.identification.rows.friction import Law, candidates, full_name, law, term_names
from symoro.identification.rows.rows import Rows, rows_of
from symoro.identification.rows.terms import Terms, chosen_names
from symoro.identification.rows.triangles import Triangles, triangles_of
from symoro.identification.subject.subject import Subject

_RICH = "asymmetric-root"
"""The law of friction with which a delay is found."""
_AS_GOOD = 1.01
"""Error over the least one of a law of friction that is taken because it has fewer parameters."""


@dataclass(frozen=True)
class Regression:
    """Everything that an estimator needs."""

    subject: Subject
    terms: Terms
    how: Processing
    rate: float
    triangles: Triangles
    rows: Rows | None = None
    law: Law | None = None
    laws: dict[str, float] = field(default_factory=dict)
    """Error in cross-validation of each law of friction that was tried."""
    warnings: tuple[str, ...] = ()
    runs: tuple[Run, ...] = field(default=(), repr=False)
    """The runs that the rows belong to."""
    about: dict[str, float] = field(default_factory=dict)
    """Values of parameters that act nonlinearly: columns are slopes there, and estimates are differences from them."""


def laws_of(friction: str | None, offset: bool | None) -> list[Law] | None:
    """The laws of friction to try: one by its name, all with "auto", or None for that of the description."""
    if friction is None:
        return None
    if friction == AUTO:
        return candidates(offset is not False)
    return [one for one in candidates(bool(offset)) if one.name == friction] or [law(friction, bool(offset))]


def terms_of(data: Measurements, subject: Subject, laws: Sequence[Law] | None) -> Terms:
    """The columns: of the regressor, of all laws to try, and of transmissions that couple joints."""
    gears, own = data.transmission, bool(subject.robot.coupling)
    coupled = gears.turning if gears is not None and not own and _couples(gears.R) else None
    turning = gears.turning if gears is not None and own and laws is not None else None
    return Terms(subject, tuple(term_names(laws or [])), turning, coupled)


def _couples(R: Any) -> bool:
    return bool(np.count_nonzero(R - np.diag(np.diag(R))))


def regression(data: Measurements, subject: Subject, laws: Sequence[Law] | None, options: dict[str, Any]) -> Regression:
    """The regression of measurements; `options` are those of `settings.processing`."""
    terms = terms_of(data, subject, laws)
    how = processing(data, **options, dry=is_dry(terms.names))
    data = long_runs(data, how)
    places = [subject.moving.index(joint) for joint in subject.motors]
    largest = speeds(data, how)[places]
    terms = replace(terms, largest=tuple(map(float, largest)))
    if isinstance(options["delay"], str) and options["delay"] == AUTO:
        how = replace(how, delay=_delay(data, terms, how, laws))
    rows = rows_of(terms, data.runs, how)
    every = triangles_of(rows)
    _require_rows(every)
    found, tried = chosen_law(every, terms, laws)
    names = with_law(every.names, terms, found)
    rows, t = rows.only(names), every.only(names)
    warnings = (*data.warnings, *unsettled(data, how), *_said_of_delay(data, how))
    return Regression(subject, terms, how, data.rate, t, rows, found, tried, warnings, data.runs)


def _require_rows(t: Triangles) -> None:
    n, p = int(t.count().sum()), len(t.names)
    if n <= p:
        raise DataError(f"{n} rows are too few for {p} parameters: record longer, decimate less, or lower dead_zone")


def chosen_law(t: Triangles, terms: Terms, laws: Sequence[Law] | None) -> tuple[Law | None, dict[str, float]]:
    """The law with the least error in cross-validation, or one with fewer terms that is as good within 1 %."""
    if not laws:
        return None, {}
    if len(laws) == 1:
        return laws[0], {}
    tried = {}
    for one in laws:
        found = cross_validated(t.only(with_law(t.names, terms, one)), weighted)
        tried[str(one)] = found.total
    least = min(tried.values())
    good = [one for one in laws if tried[str(one)] <= _AS_GOOD * least]
    return min(good, key=lambda one: (len(one.terms), tried[str(one)])), tried


def with_law(names: Sequence[str], terms: Terms, chosen: Law | None) -> list[str]:
    """The columns that a law of friction needs."""
    if chosen is None:
        return list(names)
    return chosen_names(names, [full_name(chosen, term) for term in chosen.terms], terms.friction)


def _delay(data: Measurements, terms: Terms, how: Processing, laws: Sequence[Law] | None) -> float:
    """The delay with the least error, for a law of friction that is rich enough not to be taken for a delay.

    It is a multiple of half a sample: torques are held for a sample, and computing takes whole ones.
    """
    lean = replace(terms, friction=tuple(term_names([law(_RICH, offset=False)]))) if laws else terms

    def error(delay: float) -> float:
        t = triangles_of(rows_of(lean, data.runs, replace(how, delay=delay)))
        return errors(t, weighted(t).beta).total

    half = data.runs[0].period / 2
    return half * round(found_delay(data.runs[0].period, error) / half)


def _said_of_delay(data: Measurements, how: Processing) -> list[str]:
    """A delay of several samples is worth a word."""
    samples = how.delay / data.runs[0].period
    if abs(samples) < 2:
        return []
    word = "earlier" if samples > 0 else "later"
    return [f"torques are {1e3 * abs(how.delay):.3g} ms ({abs(samples):.1f} samples) {word} than positions"]
