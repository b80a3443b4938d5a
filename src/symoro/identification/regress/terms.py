"""All columns of the regression: those of the regressor, of springs, of laws of friction, of coupled transmissions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from symoro.identification.arrays import Array, letters_of, term_of
from symoro.identification.process.processing import Moved
from symoro.identification.regress.friction import CURVED, MEANING, StribeckCurve, column
from symoro.identification.subject.subject import Subject
from symoro.lazy import lazy
from symoro.robot.joint import Joint


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
