"""The parameters of a payload alone: those of the robot are known, and only a link has changed (Khalil 2007)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symoro.errors import OptionError
from symoro.identification.estimators.estimate import independent_columns
from symoro.identification.rows.triangles import Key, Triangle, Triangles
from symoro.identification.subject.described import keys
from symoro.identification.subject.subject import Subject

ORDER = ("M", "MX", "MY", "MZ", "XX", "YY", "ZZ", "XY", "XZ", "YZ")
"""The parameters of a body, those that are told apart best first."""


def payload_columns(subject: Subject, t: Triangles, link: int, known: dict[str, float]) -> Triangles:
    """The regression for what a body on a link adds: y − W β = W K_link π, over the parameters that have an effect.

    Parameters that have no effect of their own are left out: their columns depend on those of earlier ones.
    """
    own = keys(subject)
    names = [name for name in ORDER if (name, link) in own]
    if not names:
        raise OptionError(f"link {link} has no inertial parameters in the description: it cannot carry a payload")
    missing = [name for name in t.names if name not in known]
    if missing:
        raise OptionError(f"a payload is identified with all other parameters known: {missing[0]} has no value")
    K = np.zeros((len(t.names), len(names)))
    for row, name in enumerate(t.names):
        if name in subject.inertial:
            line = subject.matrix[subject.inertial.index(name)]
            K[row] = [line[own.index((letters, link))] for letters in names]
    kept = independent_columns(t.stacked()[:-1, :-1] @ K)
    beta = np.array([known[name] for name in t.names])
    parts: dict[Key, Triangle] = {}
    for key, part in t.parts.items():
        W = part.R[:, :-1] @ K[part.columns][:, kept]
        y = part.R[:, -1] - part.R[:, :-1] @ beta[part.columns]
        parts[key] = Triangle(np.arange(len(kept)), np.column_stack([W, y]), part.count, part.norm)
    return replace(t, names=tuple(f"{names[k]}L" for k in kept), parts=parts, prior=None)
