"""All columns of the regression: those of the regressor, of springs, of laws of friction, of coupled transmissions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from symoro.identification.friction import MEANING, column
from symoro.identification.motion_of_run import Moved
from symoro.identification.readers.columns import Array
from symoro.identification.subject import Subject
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

    @cached_property
    def _extra(self) -> tuple[tuple[str, str, int], ...]:
        """Name, letters and place of the motor (of springs: of the spring) for each column behind the regressor's."""
        motors = self.subject.motors
        found = [(f"K{joint.index}", "K", k) for k, (_, joint, _) in enumerate(self._springs)]
        for k, joint in enumerate(motors):
            found += [(self._named(term, joint.index), term, k) for term in self.friction]
        for k, joint in enumerate(motors):
            if self.coupled is not None and np.count_nonzero(self.coupled[k]) > 1:
                found += [(f"{letters}{joint.index}", letters, k) for letters in ("IAM", "FVM", "FSM")]
        return tuple(found)

    @staticmethod
    def _named(term: str, index: int) -> str:
        letters, at, speed = term.partition("@")
        return f"{letters}{index}{at}{speed}"

    @cached_property
    def _springs(self) -> tuple[tuple[int, Joint, float], ...]:
        return self.subject.springs if self.springs else ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        return (*self.subject.columns, *(name for name, _, _ in self._extra))

    @cached_property
    def filled(self) -> Array:
        """Which elements of the columns are not zero for every motion, (rows, columns)."""
        rows = len(self.subject.row_names)
        found = np.zeros((rows, len(self.names)), dtype=bool)
        own = len(self.subject.columns)
        found[:, :own] = self.subject.filled
        for place, (_, letters, k) in enumerate(self._extra, own):
            found[self._rows(letters, k), place] = True
        return found

    def _rows(self, letters: str, k: int) -> list[int]:
        """The rows in which a column is not zero."""
        if letters == "K":
            return [self.subject.springs[k][0]]
        matrix = self.coupled if letters in ("IAM", "FVM", "FSM") else self.turning
        motor_rows = self.subject.motor_rows
        if matrix is None:
            return [motor_rows[k]]
        return [row for j, row in enumerate(motor_rows) if matrix[k, j] != 0]

    def evaluate(self, motion: Moved, part: slice) -> Array:
        """The columns along a part of a motion, (samples, rows, columns)."""
        subject, own = self.subject, len(self.subject.columns)
        base = {name: x[part] for name, x in motion.base.items()}
        D = subject.evaluate(motion.q[part], motion.qd[part], motion.qdd[part], base)
        full = np.zeros((*D.shape[:2], len(self.names)))
        full[..., :own] = D
        places = [subject.moving.index(joint) for joint in subject.motors]
        v, a = motion.qd[part][:, places], motion.qdd[part][:, places]
        load = motion.torques[part][:, subject.motor_rows]
        for place, (_, letters, k) in enumerate(self._extra, own):
            if letters == "K":
                row, joint, rest = subject.springs[k]
                full[:, row, place] = motion.q[part][:, subject.variables.index(joint)] - rest  # (K10:69, 70)
            elif letters in ("IAM", "FVM", "FSM"):
                self._coupled(full[:, :, place], letters, k, v, a)
            else:
                self._friction(full[:, :, place], letters, k, v, load)
        return full

    def _friction(self, out: Array, term: str, k: int, v: Array, load: Array) -> None:
        """Nᵀ f(N q̇) of motor k (K13:7.31, 7.33)."""
        rows, largest = self.subject.motor_rows, self.largest[k] if self.largest else 1.0
        if self.turning is None:
            out[:, rows[k]] = column(term, v[:, k], load[:, k], largest)
            return
        n = self.turning[k]
        f = column(term, v @ n, load[:, k], largest)
        for j in np.flatnonzero(n):
            out[:, rows[j]] = n[j] * f

    def _coupled(self, out: Array, letters: str, k: int, v: Array, a: Array) -> None:
        """A rotor that turns with n q̇: n nᵀ q̈ without the diagonal, which IA of the joints has; FVM so, too."""
        assert self.coupled is not None
        n, rows = self.coupled[k], self.subject.motor_rows
        for j in np.flatnonzero(n):
            if letters == "FSM":
                out[:, rows[j]] = n[j] * np.sign(v @ n)
            else:
                x = a if letters == "IAM" else v
                out[:, rows[j]] = n[j] * (x @ n - n[j] * x[:, j])


def meaning(name: str) -> tuple[str, str] | None:
    """What a column of friction means and its unit; None for another one."""
    letters = name.partition("@")[0].rstrip("0123456789")
    return MEANING.get(letters)


def chosen_names(names: Sequence[str], terms: Sequence[str], every: Sequence[str]) -> list[str]:
    """The names without the columns of terms of friction that are not chosen."""

    def term(name: str) -> str:
        letters, at, speed = name.partition("@")
        return f"{letters.rstrip('0123456789')}{at}{speed}"

    return [name for name in names if term(name) in terms or term(name) not in every]
