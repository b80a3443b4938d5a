"""Laws of friction as columns: each is linear in its parameters, as a function of the speed of a motor.

FV and FS are those of K97:20. Those with P and N belong to positive and negative speeds. √|q̇|, q̇|q̇| and q̇³ bend the
viscous part; FST fades with the speed as Stribeck's curve does (K13:7.26); FL grows with the torque of the joint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from symoro.identification.arrays import Array

Term = Callable[[Array, Array], Array]
"""A column as a function of the speed of a motor and of the torque of its joint."""

TERMS: dict[str, Term] = {
    "FV": lambda v, load: v,
    "FS": lambda v, load: np.sign(v),
    "FO": lambda v, load: np.ones_like(v),
    "FVP": lambda v, load: np.maximum(v, 0.0),
    "FVN": lambda v, load: np.minimum(v, 0.0),
    "FSP": lambda v, load: (v > 0).astype(float),
    "FSN": lambda v, load: -(v < 0).astype(float),
    "FR": lambda v, load: np.sign(v) * np.sqrt(np.abs(v)),
    "FRP": lambda v, load: np.sqrt(np.maximum(v, 0.0)),
    "FRN": lambda v, load: -np.sqrt(np.maximum(-v, 0.0)),
    "FQ": lambda v, load: v * np.abs(v),
    "FC": lambda v, load: v**3,
    "FL": lambda v, load: np.sign(v) * np.abs(load),
}
MEANING = {
    "FV": ("viscous friction", "N·m·s"),
    "FS": ("Coulomb friction", "N·m"),
    "FO": ("constant torque", "N·m"),
    "FVP": ("viscous friction, forward", "N·m·s"),
    "FVN": ("viscous friction, backward", "N·m·s"),
    "FSP": ("Coulomb friction, forward", "N·m"),
    "FSN": ("Coulomb friction, backward", "N·m"),
    "FR": ("friction that grows with the root of the speed", "N·m·s^½"),
    "FRP": ("the same, forward", "N·m·s^½"),
    "FRN": ("the same, backward", "N·m·s^½"),
    "FQ": ("friction that grows with the square of the speed", "N·m·s²"),
    "FC": ("friction that grows with the third power of the speed", "N·m·s³"),
    "FL": ("friction that grows with the torque", "1"),
    "FST": ("static friction, which fades with the speed (Stribeck)", "N·m"),
    "FST@": ("friction that fades with the speed (Stribeck)", "N·m"),
    "BST": ("how fast static friction fades with the speed (Stribeck)", "s"),
    "IAM": ("rotor inertia that couples joints", "kg·m²"),
    "FVM": ("viscous friction of a motor that couples joints", "N·m·s"),
    "FSM": ("Coulomb friction of a motor that couples joints", "N·m"),
}
"""What a letter means, and its unit at a revolute joint."""


@dataclass(frozen=True)
class StribeckCurve:
    """Stribeck's curve of a motor: sign(q̇) (FS + (FST − FS) exp(−BST |q̇|)) (K13:7.26), about which it is linear."""

    BST: float
    height: float
    """FST − FS."""

    def column(self, term: str, v: Array) -> Array:
        """The slope of the friction by FS, FST or BST."""
        fading = np.exp(-self.BST * np.abs(v))
        if term == "BST":
            return np.asarray(-self.height * v * fading)
        return np.asarray(np.sign(v) * (fading if term == "FST" else 1 - fading))


CURVED = ("FS", "FST", "BST")
"""The terms of Stribeck's curve."""
LAWS: dict[str, tuple[str, ...]] = {
    "none": (),
    "viscous": ("FV",),
    "coulomb": ("FS",),
    "viscous-coulomb": ("FV", "FS"),
    "asymmetric": ("FVP", "FVN", "FSP", "FSN"),
    "root": ("FV", "FS", "FR"),
    "asymmetric-root": ("FVP", "FVN", "FSP", "FSN", "FRP", "FRN"),
    "quadratic": ("FV", "FS", "FQ"),
    "cubic": ("FV", "FS", "FC"),
    "stribeck": ("FV", "FS", "FST"),
    "load": ("FV", "FS", "FL"),
}
"""Names of laws: their terms."""
SYMMETRIC_OFFSET = ("viscous", "coulomb", "viscous-coulomb", "root", "quadratic", "cubic", "stribeck", "load", "none")
"""Laws beside which a constant torque is a parameter of its own; the others contain it."""
STRIBECK_SPEEDS = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Speeds of Stribeck's curve that are tried, as parts of the largest speed of each motor."""


@dataclass(frozen=True)
class FrictionLaw:
    """A law with its terms, among them a constant torque where one is wanted; `speed` is that of Stribeck's curve."""

    name: str
    terms: tuple[str, ...]
    speed: float | None = None

    def __str__(self) -> str:
        return self.name if self.speed is None else f"{self.name} ({self.speed:g} of the largest speed)"


def law(name: str, offset: bool, speed: float | None = None) -> FrictionLaw:
    """The law of a name; a constant torque is added where it is wanted and the law does not contain it."""
    constant = ("FO",) if offset and name in SYMMETRIC_OFFSET else ()
    return FrictionLaw(name, (*LAWS[name], *constant), speed)


def candidates(offset: bool) -> list[FrictionLaw]:
    """The laws among which cross-validation chooses."""
    plain = [law(name, offset) for name in LAWS if name not in ("stribeck", "none", "viscous", "coulomb")]
    return [*plain, *(law("stribeck", offset, speed) for speed in STRIBECK_SPEEDS)]


def term_names(laws: Sequence[FrictionLaw]) -> list[str]:
    """Every term of some laws once; those of Stribeck's curve carry their speed."""
    return list(dict.fromkeys(full_name(one, term) for one in laws for term in one.terms))


def full_name(of: FrictionLaw, term: str) -> str:
    """FST@0.1 is the term of Stribeck's curve at a tenth of the largest speed."""
    return f"{term}@{of.speed:g}" if term == "FST" and of.speed is not None else term


def column(term: str, v: Array, load: Array, largest: float) -> Array:
    """The column of a term for the speeds of a motor."""
    if term.startswith("FST@"):
        fading = float(term.partition("@")[2]) * (largest or 1.0)
        return np.asarray(np.sign(v) * np.exp(-np.abs(v) / fading))
    return np.asarray(TERMS[term](v, load))
