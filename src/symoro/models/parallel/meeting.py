"""Whether legs and platform meet at their attachments, by numbers: the poses that close all legs, by Newton's method.

The joints of the legs are unknowns beside the pose. So nothing depends on branches of the legs, and a leg may be
stretched, where its joints are no functions of the pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.parallel.numbers import moved
from symoro.models.parallel.spheres import distinct
from symoro.models.parallel.still_leg import StillLeg
from symoro.robot.parallel import AttachmentKind

Array = NDArray[Any]
#: How far leg and platform may be apart where they meet.
MET = 1e-10
_SHUT = 1e-14


def gap(leg: StillLeg, T: Array, B: Array) -> tuple[Array, Array]:
    """How far the platform at T is from the end B of a leg, and the rows [l, a, c] of its rate.

    The rate is l·(v_A − v_B) + a·ω_A − c·ω_B, of the attachment's frame A on the platform and of the leg's end.
    """
    A = T @ leg.A
    d = A[..., :3, 3] - B[..., :3, 3]
    of_A, of_B = np.swapaxes(A[..., :3, :3], -1, -2), np.swapaxes(B[..., :3, :3], -1, -2)  # rows are axes
    z_A, z_B = of_A[..., 2, :], of_B[..., 2, :]
    point = d, _rows(np.broadcast_to(np.eye(3), of_B.shape))
    match leg.kind:
        case AttachmentKind.SPHERICAL:
            return point
        case AttachmentKind.UNIVERSAL:
            across = np.cross(z_B, z_A)[..., None, :]
            return _joined(point, (-_dot(z_B, z_A)[..., None], _turns(across)))
        case AttachmentKind.REVOLUTE:
            across = np.cross(z_B, z_A)[..., None, :]
            return _joined(point, (_dot(of_B[..., :2, :], across), _turns(of_B[..., :2, :])))
    turned = np.cross(of_B, of_A).sum(-2)[..., None, :] / 2  # the axis of the rotation from B to A times sin(angle)
    alike = _dot(of_B, turned), _turns(of_B)
    if leg.kind is AttachmentKind.FIXED:
        return _joined(point, alike)
    x = of_B[..., :2, :]
    return _joined((_dot(x, d[..., None, :]), _rows(x, c=-np.cross(x, d[..., None, :]))), alike)


def aligned(leg: StillLeg, T: Array, B: Array) -> Array:
    """Whether axes that are parallel at the attachment point into the same direction."""
    A = (T @ leg.A)[..., :3, :3]
    cosines = (A * B[..., :3, :3]).sum(-2)
    match leg.kind:
        case AttachmentKind.SPHERICAL | AttachmentKind.UNIVERSAL:
            return np.ones(T.shape[:-2], dtype=bool)
        case AttachmentKind.REVOLUTE:
            found: Array = cosines[..., 2] > 0
            return found
    return np.asarray((cosines > 0).all(-1))


def _dot(a: Array, b: Array) -> Array:
    found: Array = (a * b).sum(-1)
    return found


def _rows(l: Array, a: Array | float = 0.0, c: Array | float = 0.0) -> Array:
    """[l, a, c]."""
    return np.concatenate([l, np.broadcast_to(a, l.shape), np.broadcast_to(c, l.shape)], axis=-1)


def _turns(axes: Array) -> Array:
    return _rows(np.zeros_like(axes), axes, axes)


def _joined(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
    return np.concatenate([first[0], second[0]], axis=-1), np.concatenate([first[1], second[1]], axis=-2)


# Newton's method


def closed(legs: Sequence[StillLeg], T: Array, y: Sequence[Array], steps: int = 30) -> tuple[Array, list[Array], Array]:
    """Poses T (n, 4, 4) and freedoms y of the legs that close all legs, and how far they are apart in the end (n)."""
    y = list(y)
    for _ in range(steps):
        ends = [leg.at(x) for leg, x in zip(legs, y, strict=True)]
        parts = [gap(leg, T, B) for leg, (B, _) in zip(legs, ends, strict=True)]
        g = np.concatenate([part[0] for part in parts], axis=-1)
        if np.abs(g).max(initial=0.0) < _SHUT:
            break
        step = _damped(_table(legs, T, ends, [part[1] for part in parts]), g)
        T = moved(T, step[:, :6])
        cuts = np.cumsum([6, *(leg.freedoms for leg in legs)])
        y = [x + step[:, a:b] for x, a, b in zip(y, cuts, cuts[1:], strict=False)]
    return T, y, apart(legs, T, y)


def apart(legs: Sequence[StillLeg], T: Array, y: Sequence[Array]) -> Array:
    """How far legs and platform are apart (n); infinite where axes point into opposite directions."""
    worst = np.zeros(len(T))
    for leg, x in zip(legs, y, strict=True):
        B, _ = leg.at(x)
        missing = np.abs(gap(leg, T, B)[0]).max(-1)
        worst = np.maximum(worst, np.where(aligned(leg, T, B), missing, np.inf))
    return np.where(np.isfinite(worst), worst, np.inf)


def joints_for(leg: StillLeg, T: Array, rng: np.random.Generator, length: float, starts: int = 48) -> Array:
    """Freedoms y (n, freedoms) of one leg that bring its end to the platform at T, or as near as was found."""
    n = len(T)
    every = np.repeat(T, starts, axis=0)
    y = leg.any(rng, len(every), length)
    for _ in range(40 if leg.freedoms else 0):
        B, J = leg.at(y)
        g, rows = gap(leg, every, B)
        met = (np.abs(g).max(-1) < _SHUT) & aligned(leg, every, B)
        if met.reshape(n, starts).any(-1).all():
            break
        y = y + _damped(_of_leg(rows, J), g)
    far = apart([leg], every, [y]).reshape(n, starts)
    found: Array = y.reshape(n, starts, -1)[np.arange(n), far.argmin(-1)]
    return found


def searched(legs: Sequence[StillLeg], T: Array, rng: np.random.Generator, length: float) -> Array:
    """The poses that close all legs, from these poses (n, 4, 4) and arbitrary joints of the legs."""
    y = [leg.any(rng, len(T), length) for leg in legs]
    T, _, far = closed(legs, T, y, 60)
    return distinct(T[far <= MET * max(1.0, length)])


def _table(legs: Sequence[StillLeg], T: Array, ends: Sequence[tuple[Array, Array]], rows: Sequence[Array]) -> Array:
    """The rates of all gaps for [v; ω] of the platform and the freedoms of all legs."""
    total = sum(leg.freedoms for leg in legs)
    parts, first = [], 6
    for leg, (_, J), row in zip(legs, ends, rows, strict=True):
        P = (T[:, :3, :3] @ leg.A[:3, 3])[:, None, :]
        table = np.zeros((*row.shape[:-1], 6 + total))
        table[..., :3], table[..., 3:6] = row[..., :3], np.cross(P, row[..., :3]) + row[..., 3:6]
        table[..., first : first + leg.freedoms] = _of_leg(row, J)
        first += leg.freedoms
        parts.append(table)
    return np.concatenate(parts, axis=-2)


def _of_leg(rows: Array, J: Array) -> Array:
    """The rates of a leg's gaps for its freedoms."""
    found: Array = -(rows[..., :3] @ J[..., :3, :] + rows[..., 6:] @ J[..., 3:, :])
    return found


def _damped(A: Array, g: Array) -> Array:
    """A step of Levenberg's and Marquardt's method, damped by |g|² (J. Fan, Y. Yuan, Computing 2005)."""
    B = np.swapaxes(A, -1, -2)
    damping = np.clip((g * g).sum(-1), 1e-14, 1.0)[:, None, None]
    found: Array = -np.linalg.solve(B @ A + damping * np.eye(A.shape[-1]), B @ g[..., None])[..., 0]
    return found
