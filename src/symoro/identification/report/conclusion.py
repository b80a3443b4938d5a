"""From a fit to a result: how far the estimate can be trusted, other readings of the data, warnings."""

from __future__ import annotations

from collections.abc import Iterator

from symoro.findings import Finding
from symoro.identification.estimate.methods import BY_TRIANGLES
from symoro.identification.estimate.task import Fit, spread_of, validated
from symoro.identification.process.checks import named_first
from symoro.identification.report.readings import misread
from symoro.identification.report.result import Identification
from symoro.identification.report.suspicions import Delay, constants, delays, late, outliers, suspicions, unidentifiable
from symoro.identification.subject.standard import without_a_place
from symoro.identification.subject.subject import expected_values


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
