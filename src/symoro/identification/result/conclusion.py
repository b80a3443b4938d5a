"""From a regression to a result: the estimate, fewer parameters, bodies that can exist, and warnings."""

from __future__ import annotations

from collections.abc import Iterator

from symoro.identification.diagnosis.constants import constants
from symoro.identification.diagnosis.delays import Delay, delays, late
from symoro.identification.diagnosis.outliers import outliers
from symoro.identification.diagnosis.suspicions import suspicions, untold
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.estimators.methods import BY_TRIANGLES
from symoro.identification.estimators.validation import Errors, errors
from symoro.identification.measurements.checks import named_first
from symoro.identification.names import letters_of
from symoro.identification.physical.consistency import Nonlinear, consistent, way_of
from symoro.identification.physical.consistent import Consistent
from symoro.identification.regression.essential import Dropped, essential
from symoro.identification.regression.regression import Regression
from symoro.identification.result.result import Identification
from symoro.identification.result.task import Task, task_of
from symoro.identification.result.uncertainty import spread_of, validated, widened
from symoro.identification.result.wanted import Wanted
from symoro.identification.rows.friction import CURVED
from symoro.identification.subject.described import expected_values
from symoro.identification.subject.platform_subject import PlatformSubject
from symoro.identification.subject.standard import without_a_place


def concluded(
    given: Regression, wanted: Wanted, estimate: Estimate | None = None, nonlinear: Nonlinear | None = None
) -> Identification:
    """The result of a regression.

    A method that simulates the robot gives its own `estimate`. Where parameters act nonlinearly, `nonlinear` says how
    parameters of bodies that can exist are fitted.
    """
    full = task_of(given, wanted)
    found = estimate or full.estimated()
    dropped = _dropped(full, found)
    task = full.without([one.name for one in dropped]) if dropped else full
    found = task.estimated() if dropped else found
    fit = errors(task.triangles, found.beta)
    made = _consistent(full, found, nonlinear)
    delayed = _delays(task, found)
    return Identification(
        subject=given.subject,
        method=wanted.method,
        estimate=found,
        triangles=task.triangles,
        terms=given.terms,
        how=given.how,
        rate=given.rate,
        error=fit,
        validation=validated(task),
        warnings=(*named_first(_of_data(task, found, fit, delayed)), *untold(found), *_without_a_place(task, made)),
        delays=delayed,
        law=given.law,
        laws=given.laws,
        rows=given.rows if wanted.payload is None else None,
        consistent=made,
        known=task.known | {name: x for name, x in given.about.items() if name not in given.triangles.names},
        spread=spread_of(task, found),
        payload=wanted.payload,
        dropped=dropped,
        about=given.about,
    )


def _dropped(full: Task, found: Estimate) -> tuple[Dropped, ...]:
    """The parameters that are not essential, where that is asked for; those of Stribeck's curves stay together."""
    if full.wanted.essential is None:
        return ()
    names = full.given.triangles.names if full.given.about else ()
    curved = [name for name in names if letters_of(name) in CURVED]
    return essential(full.triangles, full.wanted.essential, found.weighting, widened(full, found), curved)


def _consistent(full: Task, found: Estimate, nonlinear: Nonlinear | None) -> Consistent | None:
    """Parameters of bodies that can exist, where they are asked for."""
    given, wanted = full.given, full.wanted
    way = way_of(wanted.physical, nonlinear=nonlinear is not None)
    if way is None:
        return None
    linear = full.triangles.only([name for name in full.triangles.names if name not in given.about])
    return consistent(given.subject, linear, found, way, wanted.boxes, nonlinear)


def _delays(task: Task, found: Estimate) -> dict[str, Delay]:
    """The delay of each torque, where rows were kept and belong to instants."""
    how = task.given.how
    return {} if task.rows is None or how.model == "energy" else delays(task.rows, found, how)


def _of_data(task: Task, found: Estimate, fit: Errors, delayed: dict[str, Delay]) -> Iterator[str]:
    """Warnings about the measurements: those that they came with, and those that the fit gives."""
    given, t, payload = task.given, task.triangles, task.wanted.payload
    expected = {} if payload is not None else expected_values(given.subject)
    rate = given.rate if given.rows is None else None  # with rows, other readings of the data were compared
    yield from given.warnings
    yield from () if found.simulated else given.how.notes  # errors of positions do not bias simulated motions
    yield from found.notes
    yield from suspicions(t, found, fit, expected, rate)
    yield from late(delayed, given.how, t.joints, 1 / given.rate)
    if task.rows is not None and delayed and not isinstance(given.subject, PlatformSubject):
        yield from constants(task.rows, found, [joint.label for joint in given.subject.motors])
    if task.rows is not None and task.wanted.method in BY_TRIANGLES:  # they take all rows as they are
        yield from outliers(task.rows, found.beta)


def _without_a_place(task: Task, made: Consistent | None) -> Iterator[str]:
    """A warning about laws of friction that the drives of the robot of the result cannot describe."""
    subject = task.given.subject
    if isinstance(subject, PlatformSubject) or task.wanted.payload is not None:
        return
    friction = [name for name in task.triangles.names if name not in subject.inertial]
    if others := without_a_place(friction if made is None else made.others):
        yield f"the robot of the result has no place for {', '.join(others)}: its torques leave them out"
