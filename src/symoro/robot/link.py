"""What a link and its drive carry: inertial parameters, drive parameters, a wrench."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Self

from symoro.robot.values import ZERO, Symbol, Value, is_zero


class _Table:
    """Values under the names of the papers."""

    __slots__ = ()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the entries, in order."""
        return tuple(field.name for field in fields(_as_dataclass(cls)))

    @classmethod
    def symbolic(cls, index: int) -> Self:
        """All entries as symbols that carry the link's number: XX3, XY3 …"""
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


@dataclass(frozen=True, slots=True)
class Drive(_Table):
    """The drive of a joint: rotor inertia seen at the joint, viscous and Coulomb friction."""

    IA: Value = ZERO
    FV: Value = ZERO
    FS: Value = ZERO


@dataclass(frozen=True, slots=True)
class Wrench(_Table):
    """The force and the moment that a link exerts on its environment, at the origin of and along the link's frame."""

    FX: Value = ZERO
    FY: Value = ZERO
    FZ: Value = ZERO
    CX: Value = ZERO
    CY: Value = ZERO
    CZ: Value = ZERO
