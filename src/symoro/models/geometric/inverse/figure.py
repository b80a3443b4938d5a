"""A point with its frame's axes, and the quantities of them that displacements change linearly.

Let p be a point and a a direction. The quantities p, a, p·p, p·a and p×a of a displaced point and direction are linear
in those before (Raghavan and Roth, J. Mech. Des. 115, 1993). Products of them along a chain are therefore of the first
degree in the sine and cosine of each joint angle, however many joints there are. The scalars can be arrays of numbers,
expressions or polynomials: whatever can be added and multiplied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

Scalar = Any
Triple = tuple[Scalar, Scalar, Scalar]
X, Z = 0, 2
#: The quantities with three components and those with one.
VECTORS, SCALARS = ("p", "a", "s", "h"), ("pp", "pa")


@dataclass(frozen=True, slots=True)
class Figure:
    """p a point, a and s the z and x axes of its frame (K97:1a), h = p×a, pp = p·p, pa = p·a."""

    p: Triple = (0, 0, 0)
    a: Triple = (0, 0, 1)
    s: Triple = (1, 0, 0)
    h: Triple = (0, 0, 0)
    pp: Scalar = 0
    pa: Scalar = 0

    def turned(self, axis: int, cosine: Scalar, sine: Scalar) -> Figure:
        """After a rotation about the x or z axis by the angle of this cosine and sine."""
        p, a, s, h = (_turned(v, axis, cosine, sine) for v in (self.p, self.a, self.s, self.h))
        return replace(self, p=p, a=a, s=s, h=h)

    def shifted(self, axis: int, t: Scalar) -> Figure:
        """After a translation by t along a coordinate axis: p + t, p·p + 2 t·p + t·t, p·a + t·a, p×a + t×a."""
        p, h = list(self.p), list(self.h)
        j, k = (axis + 1) % 3, (axis + 2) % 3
        p[axis] = p[axis] + t
        h[j], h[k] = h[j] - t * self.a[k], h[k] + t * self.a[j]
        pp = self.pp + 2 * (t * self.p[axis]) + t * t
        return replace(self, p=tuple(p), h=tuple(h), pp=pp, pa=self.pa + t * self.a[axis])

    def displaced(self, rows: Sequence[Sequence[Scalar]], t: Sequence[Scalar]) -> Figure:
        """After a rotation by a matrix, then a translation."""
        p, a, s, h = (_product(rows, v) for v in (self.p, self.a, self.s, self.h))
        figure = replace(self, p=p, a=a, s=s, h=h)
        for axis, along in enumerate(t):
            figure = figure.shifted(axis, along)
        return figure

    def element(self, name: str) -> Scalar:
        """A component by its name: "pz", "ax", "pp" …"""
        if name in SCALARS:
            return getattr(self, name)
        return getattr(self, name[0])["xyz".index(name[1])]


def _turned(v: Triple, axis: int, c: Scalar, s: Scalar) -> Triple:
    x, y, z = v
    if axis == X:
        return x, c * y - s * z, s * y + c * z
    return c * x - s * y, s * x + c * y, z


def _product(rows: Sequence[Sequence[Scalar]], v: Triple) -> Triple:
    a, b, c = (row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in rows)
    return a, b, c
