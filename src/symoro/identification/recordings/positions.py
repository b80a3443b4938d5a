"""All positions of a robot from the measured ones: springs between two measured sides."""

from __future__ import annotations

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.subject.subject import Subject


def all_positions(subject: Subject, q: Array, qm: Array | None, where: str) -> Array:
    """The positions of all variables of the regressor, (samples, variables); of loops, the motors may be enough."""
    n = len(subject.variables)
    if _has_pairs(subject) and q.shape[1] < n:
        q = _in_pairs(subject, q, qm, where)
    if subject.robot.cuts and q.shape[1] == len(subject.motors) < n:
        return q  # `loop_runs` closes them
    if q.shape[1] != n:
        raise DataError(f"{where}: q has {q.shape[1]} columns, and {subject.robot.name} has {n} variables")
    return q


def _has_pairs(subject: Subject) -> bool:
    return any(joint.elastic and joint.actuated for joint in subject.given.joints)


def _in_pairs(subject: Subject, q: Array, qm: Array | None, where: str) -> Array:
    """The position of each motor and the deformation q − qm of its spring, in the order of the variables."""
    own = [joint for joint in subject.given.joints[: subject.given.link_count] if joint.variable]
    pairs = [joint for joint in own if joint.elastic and joint.actuated]
    if qm is None or qm.shape[1] not in (len(pairs), sum(joint.actuated for joint in own)):
        raise DataError(f"{where}: joints with a spring need both sides: q of the links and qm of the motors")
    sides = [joint for joint in own if joint.actuated] if qm.shape[1] > len(pairs) else pairs
    motor = {joint.index: qm[:, k] for k, joint in enumerate(sides)}
    columns = []
    for k, joint in enumerate(own):
        if joint in pairs:
            columns += [motor[joint.index], q[:, k] - motor[joint.index]]
        else:
            columns.append(q[:, k])
    return np.column_stack(columns)
