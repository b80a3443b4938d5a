"""The parameters of a link and of its drive: inertia, drive, wrench."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Self

from symoro.errors import RobotError
from symoro.robot.values import ZERO, Symbol, Value, as_value, is_zero, to_text

ValueLike = int | float | Fraction | str | Value
"""What a value is made from: a number, or text such as "D3"."""


class _Table:
    """Values under the names of the papers."""

    __slots__ = ()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the entries, in order."""
        return tuple(field.name for field in fields(_as_dataclass(cls)))

    @classmethod
    def symbolic(cls, index: int | str) -> Self:
        """All entries as symbols that carry the link's number: XX3, XY3 …; P is that of a platform."""
        return cls(*(Symbol(f"{name}{index}") for name in cls.names()))

    def items(self) -> Iterator[tuple[str, Value]]:
        """Name and value of each entry, in order."""
        return ((name, getattr(self, name)) for name in self.names())

    @property
    def is_zero(self) -> bool:
        return all(is_zero(value) for _, value in self.items())


def _as_dataclass(cls: type[_Table]) -> Any:
    return cls


@dataclass(frozen=True, slots=True)
class Inertia(_Table):
    """The ten inertial parameters of a link, about the origin of the link's frame (not the centre of mass).

    XX … ZZ is the inertia tensor, MX MY MZ the mass times the centre of mass, M the mass.
    """

    XX: Value = ZERO
    XY: Value = ZERO
    XZ: Value = ZERO
    YY: Value = ZERO
    YZ: Value = ZERO
    ZZ: Value = ZERO
    MX: Value = ZERO
    MY: Value = ZERO
    MZ: Value = ZERO
    M: Value = ZERO

    @classmethod
    def from_com(cls, mass: ValueLike, com: Sequence[ValueLike], tensor: Sequence[Sequence[ValueLike]]) -> Self:
        """The parameters of a body from its mass, its centre of mass, and its inertia tensor at the centre of mass.

        `com` is in the link's frame, and the axes of `tensor` are parallel to those of that frame. The tensor is three
        rows of three values; its element 12 is −∫ x y dm. Numbers give exact numbers, symbols expressions.
        """
        from symoro.robot.arithmetic import minus, plus, times  # most robots give XX … M

        M, (x, y, z), J = as_value(mass), _point(com), _tensor(tensor)
        xx, yy, zz = (times(M, times(c, c)) for c in (x, y, z))
        return cls(
            XX=plus(J[0][0], plus(yy, zz)),
            XY=minus(J[0][1], times(M, times(x, y))),
            XZ=minus(J[0][2], times(M, times(x, z))),
            YY=plus(J[1][1], plus(xx, zz)),
            YZ=minus(J[1][2], times(M, times(y, z))),
            ZZ=plus(J[2][2], plus(xx, yy)),
            MX=times(M, x),
            MY=times(M, y),
            MZ=times(M, z),
            M=M,
        )

    @classmethod
    def from_origin(cls, mass: ValueLike, com: Sequence[ValueLike], tensor: Sequence[Sequence[ValueLike]]) -> Self:
        """As `from_com`, but the tensor is about the origin of the link's frame."""
        from symoro.robot.arithmetic import times

        M, (x, y, z), J = as_value(mass), _point(com), _tensor(tensor)
        return cls(J[0][0], J[0][1], J[0][2], J[1][1], J[1][2], J[2][2], times(M, x), times(M, y), times(M, z), M)


def _point(point: Sequence[ValueLike]) -> tuple[Value, ...]:
    if isinstance(point, str) or len(point) != 3:
        raise RobotError("rows.com", com=repr(point))
    return tuple(map(as_value, point))


def _tensor(tensor: Sequence[Sequence[ValueLike]]) -> tuple[tuple[Value, ...], ...]:
    try:
        shape = [len(row) for row in tensor]
    except TypeError:  # a row that is a number
        shape = []
    if shape != [3, 3, 3]:
        raise RobotError("rows.tensor")
    rows = tuple(tuple(map(as_value, row)) for row in tensor)
    for i, k in ((0, 1), (0, 2), (1, 2)):
        if rows[i][k] != rows[k][i]:
            raise RobotError(
                "rows.tensor_symmetry",
                entry="xyz"[i] + "xyz"[k],
                first=to_text(rows[i][k]),
                row=i + 1,
                second=to_text(rows[k][i]),
                other=k + 1,
            )
    return rows


@dataclass(frozen=True, slots=True)
class Drive(_Table):
    """The drive of a joint: rotor inertia and friction (K13:7.26). With a coupling matrix they are those of the motor.

    IA is the rotor inertia, N² Jm as seen at the joint (K13:7.29), FV viscous and FS Coulomb friction. FA is the
    asymmetry of Coulomb friction (FS + FA forward, FS − FA backward), FO a constant offset, FST the static friction,
    which decreases with the velocity as exp(−BST |q̇|); FST = 0 means no static friction. VS is the velocity below which
    the sign of q̇ is smoothed. N is the reduction, the turns of the motor for a turn of the joint; 0, the default, means
    that it is not given. Without a coupling matrix, the torque of the motor is that of the joint divided by N.
    """

    IA: Value = ZERO
    FV: Value = ZERO
    FS: Value = ZERO
    FA: Value = ZERO
    FO: Value = ZERO
    FST: Value = ZERO
    BST: Value = ZERO
    VS: Value = ZERO
    N: Value = ZERO

    @classmethod
    def symbolic(cls, index: int | str) -> Self:
        """Rotor inertia, viscous and Coulomb friction as symbols: IA3, FV3, FS3."""
        return cls(*(Symbol(f"{name}{index}") for name in ("IA", "FV", "FS")))


@dataclass(frozen=True, slots=True)
class Wrench(_Table):
    """The force and the moment of a link on its environment, in the link's frame; the moment is about its origin."""

    FX: Value = ZERO
    FY: Value = ZERO
    FZ: Value = ZERO
    CX: Value = ZERO
    CY: Value = ZERO
    CZ: Value = ZERO
