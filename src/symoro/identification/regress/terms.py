"""The columns of a regression: those of the robot, and those of a law of friction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from symoro.identification.arrays import Array, letters_of, term_of
from symoro.identification.process.processing import Moved
from symoro.identification.subject.subject import Subject
from symoro.lazy import lazy
from symoro.robot.joint import Joint

# Laws of friction as columns: each is linear in its parameters, as a function of the speed of a motor.
#
# FV and FS are those of K97:20. Those with P and N belong to positive and negative speeds. √|q̇|, q̇|q̇| and q̇³ bend the
# viscous part; FST fades with the speed as Stribeck's curve does (K13:7.26); FL grows with the torque of the joint.


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
JUMPING = ("FS", "FSP", "FSN", "FA", "FST", "FL", "FSM", "FR", "FRP", "FRN")
"""Terms that jump, or are very steep, where a joint changes its direction."""
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
    contains_constant = {"FSP", "FSN"} <= {*LAWS[name]}  # (FSP − FSN) / 2
    constant = ("FO",) if offset and not contains_constant else ()
    return FrictionLaw(name, (*LAWS[name], *constant), speed)


def candidates(offset: bool) -> list[FrictionLaw]:
    """The laws among which cross-validation chooses."""
    plain = [law(name, offset) for name in LAWS if name not in ("stribeck", "none", "viscous", "coulomb")]
    return [*plain, *(law("stribeck", offset, speed) for speed in STRIBECK_SPEEDS)]


def term_names(laws: Sequence[FrictionLaw]) -> list[str]:
    """Every term of some laws once; those of Stribeck's curve carry their speed."""
    return list(dict.fromkeys(full_name(one, term) for one in laws for term in one.terms))


def is_dry(names: Sequence[str]) -> bool:
    """Whether a column jumps where a joint changes its direction."""
    return any(letters_of(name) in JUMPING for name in names)


def full_name(of: FrictionLaw, term: str) -> str:
    """FST@0.1 is the term of Stribeck's curve at a tenth of the largest speed."""
    return f"{term}@{of.speed:g}" if term == "FST" and of.speed is not None else term


def column(term: str, v: Array, load: Array, largest: float) -> Array:
    """The column of a term for the speeds of a motor."""
    if term.startswith("FST@"):
        fading = float(term.partition("@")[2]) * (largest or 1.0)
        return np.asarray(np.sign(v) * np.exp(-np.abs(v) / fading))
    return np.asarray(TERMS[term](v, load))


# All columns of the regression: those of the regressor, of springs, of laws of friction, of coupled transmissions.


@dataclass(frozen=True)
class Terms:
    """The columns of a regression by name.

    `turning` says how the motors turn with the joints, 1 with their own: friction acts at the motor's speed, N q̇, on
    the joints that move it, by Nᵀ. `coupled` are motors with a transmission over several joints: their rotors and
    friction get the columns IAM, FVM, FSM.
    """

    subject: Subject
    friction: tuple[str, ...] = ()
    """Terms of friction, for each motor."""
    turning: Array | None = field(default=None, repr=False)
    coupled: Array | None = field(default=None, repr=False)
    largest: tuple[float, ...] = ()
    """The largest speed of each motor."""
    springs: bool = True
    curves: tuple[StribeckCurve, ...] = ()
    """Stribeck's curve of each motor, where its speed is a parameter; the columns are the slopes of the curve."""

    @lazy
    def _extra(self) -> tuple[tuple[str, str, int], ...]:
        """Name, letters and place of the motor (of springs: of the spring) for each column behind the regressor's."""
        motors = self.subject.motors
        extra = [(f"K{joint.index}", "K", k) for k, (_, joint, _) in enumerate(self._springs)]
        for k, joint in enumerate(motors):
            extra += [(self._named(term, joint.index), term, k) for term in self.friction]
        for k, joint in enumerate(motors):
            if self.coupled is not None and np.count_nonzero(self.coupled[k]) > 1:
                extra += [(f"{letters}{joint.index}", letters, k) for letters in ("IAM", "FVM", "FSM")]
        return tuple(extra)

    @staticmethod
    def _named(term: str, index: int) -> str:
        letters, at, speed = term.partition("@")
        return f"{letters}{index}{at}{speed}"

    @lazy
    def _springs(self) -> tuple[tuple[int, Joint, float], ...]:
        return self.subject.springs if self.springs else ()

    @lazy
    def names(self) -> tuple[str, ...]:
        return (*self.subject.columns, *(name for name, _, _ in self._extra))

    def by_name(self, beta: Array) -> dict[str, float]:
        """The parameters of all columns by name."""
        return dict(zip(self.names, map(float, beta), strict=True))

    @lazy
    def filled(self) -> Array:
        """Which elements of the columns are not zero for every motion, (rows, columns)."""
        rows = len(self.subject.row_names)
        filled = np.zeros((rows, len(self.names)), dtype=bool)
        count = len(self.subject.columns)
        filled[:, :count] = self.subject.filled
        for place, (_, letters, k) in enumerate(self._extra, count):
            filled[self._rows(letters, k), place] = True
        return filled

    def _rows(self, letters: str, k: int) -> list[int]:
        """The rows in which a column is not zero."""
        if letters == "K":
            return [self.subject.springs[k][0]]
        matrix = self.coupled if letters in ("IAM", "FVM", "FSM") else self.turning
        motor_rows = self.subject.motor_rows
        if matrix is None:
            return [motor_rows[k]]
        return [row for j, row in enumerate(motor_rows) if matrix[k, j] != 0]

    @lazy
    def places(self) -> list[Array]:
        """For each row the columns that are not zero for every motion."""
        return [np.flatnonzero(filled) for filled in self.filled]

    def evaluate(self, motion: Moved, part: slice) -> Array:
        """The columns along a part of a motion, (samples, rows, columns)."""
        base = {name: x[part] for name, x in motion.base.items()}
        full = self._wide(self.subject.evaluate(motion.q[part], motion.qd[part], motion.qdd[part], base))
        self._add_rotors(full, motion.qdd[part])
        self._add_others(full, motion, part)
        return full

    def momenta(self, motion: Moved, part: slice) -> Array:
        """D1 of F Γ = (F′ D1 + F D2) K: what is derived by time (K97:42)."""
        full = self._wide(self.subject.filtered(motion.q[part], motion.qd[part]).D1)
        self._add_rotors(full, motion.qd[part])
        return full

    def without_acceleration(self, motion: Moved, part: slice) -> Array:
        """D2 of F Γ = (F′ D1 + F D2) K (K97:43)."""
        full = self._wide(self.subject.filtered(motion.q[part], motion.qd[part]).D2)
        self._add_others(full, motion, part)
        return full

    def energies(self, motion: Moved, part: slice) -> tuple[Array, Array]:
        """The energy of each parameter and the power that it takes, (samples, columns) (K97:47-54)."""
        count, v = len(self.subject.columns), motion.speeds[part]
        stored, taken = np.zeros((2, len(v), len(self.names)))
        base = {name: x[part] for name, x in motion.base.items()}
        h, hf = self.subject.energies(motion.q[part], motion.qd[part], base)
        stored[:, : h.shape[1]], taken[:, h.shape[1] : count] = h, hf
        rows = np.zeros((*v.shape, len(self.names)))
        self._add_rotors(rows, motion.qd[part])
        stored += np.einsum("tr,trp->tp", v, rows) / 2
        rows[:] = 0.0
        self._add_others(rows, motion, part)
        return stored, taken + np.einsum("tr,trp->tp", v, rows)

    def _wide(self, D: Array) -> Array:
        """The columns of the regressor, with room for those behind them."""
        full = np.zeros((*D.shape[:2], len(self.names)))
        full[..., : D.shape[2]] = D
        return full

    def _motors(self, x: Array) -> Array:
        """The columns of the motors among those of the moving joints."""
        return x[:, [self.subject.moving.index(joint) for joint in self.subject.motors]]

    def _add_rotors(self, full: Array, x: Array) -> None:
        """IAM of motors that couple joints: n nᵀ x for accelerations x, or for velocities."""
        for place, (_, letters, k) in enumerate(self._extra, len(self.subject.columns)):
            if letters == "IAM":
                self._coupled(full[:, :, place], letters, k, self._motors(x))

    def _add_others(self, full: Array, motion: Moved, part: slice) -> None:
        """Springs and friction."""
        subject, v = self.subject, self._motors(motion.qd[part])
        load = motion.torques[part][:, subject.motor_rows]
        for place, (_, letters, k) in enumerate(self._extra, len(subject.columns)):
            if letters == "K":
                row, joint, rest = subject.springs[k]
                full[:, row, place] = motion.q[part][:, subject.variables.index(joint)] - rest  # (K10:69, 70)
            elif letters in ("FVM", "FSM"):
                self._coupled(full[:, :, place], letters, k, v)
            elif letters != "IAM":
                self._friction(full[:, :, place], letters, k, v, load)

    def _friction(self, out: Array, term: str, k: int, v: Array, load: Array) -> None:
        """Nᵀ f(N q̇) of motor k (K13:7.31, 7.33)."""
        rows = self.subject.motor_rows
        n = np.eye(len(rows))[k] if self.turning is None else self.turning[k]
        f = self._law(term, k, v @ n, load[:, k])
        for j in np.flatnonzero(n):
            out[:, rows[j]] = n[j] * f

    def _law(self, term: str, k: int, v: Array, load: Array) -> Array:
        """A term of friction for the speeds of motor k."""
        if self.curves and term in CURVED:
            return self.curves[k].column(term, v)
        return column(term, v, load, self.largest[k] if self.largest else 1.0)

    def _coupled(self, out: Array, letters: str, k: int, x: Array) -> None:
        """A rotor that turns with n q̇: n nᵀ x without the diagonal, which IA of the joints has; FVM so, too."""
        assert self.coupled is not None
        n, rows = self.coupled[k], self.subject.motor_rows
        for j in np.flatnonzero(n):
            out[:, rows[j]] = n[j] * (np.sign(x @ n) if letters == "FSM" else x @ n - n[j] * x[:, j])


def meaning(name: str) -> tuple[str, str] | None:
    """What a column of friction means and its unit; None for another one."""
    return MEANING.get(letters_of(name) + name.partition("@")[1])


def chosen_names(names: Sequence[str], terms: Sequence[str], every: Sequence[str]) -> list[str]:
    """The names without the columns of terms of friction that are not chosen."""
    return [name for name in names if term_of(name) in terms or term_of(name) not in every]
