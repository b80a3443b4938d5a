"""Inertial parameters of bodies that are fixed on each other."""

from __future__ import annotations

from symoro.robot.arithmetic import minus, plus, product, times, total
from symoro.robot.base import Pose
from symoro.robot.link import Inertia
from symoro.robot.values import Value


def joined(a: Inertia, b: Inertia) -> Inertia:
    """Two bodies in one frame as one body."""
    return Inertia(**{name: plus(value, getattr(b, name)) for name, value in a.items()})


def placed(body: Inertia, pose: Pose) -> Inertia:
    """A body of a frame, seen from the frame in which that frame has this pose (K97:28-29)."""
    R, P = tuple(row[:3] for row in pose[:3]), tuple(row[3] for row in pose[:3])
    here = tuple(x for (x,) in product(R, [(body.MX,), (body.MY,), (body.MZ,)]))
    there = tuple(plus(a, times(p, body.M)) for a, p in zip(here, P, strict=True))
    tensor = ((body.XX, body.XY, body.XZ), (body.XY, body.YY, body.YZ), (body.XZ, body.YZ, body.ZZ))
    J = product(product(R, tensor), tuple(zip(*R, strict=True)))

    def moment(a: int) -> Value:
        b, c = (a + 1) % 3, (a + 2) % 3
        return total((J[a][a], *(times(P[k], plus(here[k], there[k])) for k in (b, c))))

    def mixed(a: int, b: int) -> Value:
        return minus(minus(J[a][b], times(P[a], there[b])), times(P[b], here[a]))

    MX, MY, MZ = there
    return Inertia(moment(0), mixed(0, 1), mixed(0, 2), moment(1), mixed(1, 2), moment(2), MX, MY, MZ, body.M)
