"""The parameters of a link and of its drive: inertia, drive, wrench."""

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
    """The drive of a joint: rotor inertia and friction (K13:7.26). With a coupling matrix they are those of the motor.

    IA is the rotor inertia, N² Jm as seen at the joint (K13:7.29), FV viscous and FS Coulomb friction. FA is the
    asymmetry of Coulomb friction (FS + FA forward, FS − FA backward), FO a constant offset, FST the static friction,
    which decreases with the velocity as exp(−BST |q̇|); FST = 0 means no static friction. VS is the velocity below which
    the sign of q̇ is smoothed.
    """

    IA: Value = ZERO
    FV: Value = ZERO
    FS: Value = ZERO
    FA: Value = ZERO
    FO: Value = ZERO
    FST: Value = ZERO
    BST: Value = ZERO
    VS: Value = ZERO

    @classmethod
    def symbolic(cls, index: int) -> Self:
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
