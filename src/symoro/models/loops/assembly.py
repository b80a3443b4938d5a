"""Closing loops by numbers: Newton's method from many starts at once, continuation, and all real branches.

A branch is one of the ways to assemble the loops for given positions of the active joints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import CannotClose

Array = NDArray[Any]

#: A residual is zero below this, in units of the largest length (metres or radians).
CLOSED = 1e-13
_MOST_STEPS, _LONGEST_STEP = 60, 0.8
_STARTS, _ROUNDS, _SEEN_OFTEN = 256, 40, 4
_SAME, _SMALLEST_PART, _MOST_SINGULAR = 1e-6, 1e-4, 32


class Gap(NamedTuple):
    """The closure equations at n configurations: E (n, m), its derivatives (n, m, joints), and ALIGN (n, loops)."""

    E: Array
    dE: Array
    ALIGN: Array


@dataclass(frozen=True)
class Assembler:
    """Finds configurations of the whole tree that close the loops, for given positions of the active joints.

    `gap` evaluates the closure equations; `active` and `passive` are indices into q; `turning` marks the revolute
    joints of q; `reach` bounds the passive prismatic joints of random starts; `names` are the joint variables.
    """

    gap: Callable[[Array], Gap]
    active: tuple[int, ...]
    passive: tuple[int, ...]
    turning: tuple[bool, ...]
    reach: float
    names: tuple[str, ...]

    # Newton

    def newton(self, q: Array, steps: int = _MOST_STEPS) -> tuple[Array, Array]:
        """Configurations (n, joints) after steps of Newton's method in the passive joints, and which of them close."""
        q = q.copy()
        passive = list(self.passive)
        for _ in range(steps):
            found = self.gap(q)
            step = _least_squares(found.dE[:, :, passive], -found.E)
            length = np.abs(step).max(axis=1, initial=0.0, keepdims=True)
            step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(length, 1e-300))
            q[:, passive] += np.where(np.isfinite(step), step, 0.0)
            if length.size and length.max() < 1e-15:
                break
        found = self.gap(q)
        size = np.abs(found.E).max(axis=1, initial=0.0)
        closed = (size < CLOSED * max(1.0, self.reach)) & (found.ALIGN > 0).all(axis=1)
        return self.wrapped(q), closed

    def wrapped(self, q: Array) -> Array:
        """q with its passive revolute joints between −π and π."""
        turning = [k for k in self.passive if self.turning[k]]
        q[:, turning] = _wrapped(q[:, turning])
        return q

    # branches

    def branches(self, active: ArrayLike, seed: int = 0) -> Array:
        """All branches that Newton's method finds from random starts, (branches, joints), in a fixed order.

        The search ends when every branch was found several times and a round of starts finds no new one.
        """
        rng = np.random.default_rng(seed)
        wanted = np.asarray(active, dtype=float)
        found: list[Array] = []
        hits: list[int] = []
        for _ in range(_ROUNDS):
            new = self._round(wanted, rng, found, hits)
            if found and not new and min(hits) >= _SEEN_OFTEN:
                break
        ordered = sorted(found, key=lambda q: tuple(np.round(q[list(self.passive)], 9)))
        return np.array(ordered).reshape(len(found), len(self.turning))

    def _round(self, active: Array, rng: np.random.Generator, found: list[Array], hits: list[int]) -> bool:
        q, closed = self.newton(self.starts(active, rng))
        self._require_isolated(q[closed], active)
        new = False
        for candidate in q[closed]:
            place = next((n for n, known in enumerate(found) if self._same(known, candidate)), None)
            if place is None:
                found.append(candidate)
                hits.append(1)
                new = True
            else:
                hits[place] += 1
        return new

    def _require_isolated(self, q: Array, active: Array) -> None:
        """Raise an error where passive joints can move while the active ones do not: branches are not points then."""
        values = np.linalg.svd(self.gap(q).dE[:, :, list(self.passive)], compute_uv=False)
        loose = q[(values[:, -1:] < 1e-6 * values[:, :1]).any(axis=1)]
        distinct = np.unique(np.round(loose[:, list(self.passive)], 3), axis=0)
        if len(distinct) > _MOST_SINGULAR:
            where = self._numbers(self.active, active)
            raise CannotClose(f"for {where} the loops close in infinitely many ways: passive joints are not fixed")

    def starts(self, active: Array, rng: np.random.Generator, count: int = _STARTS) -> Array:
        """Random configurations with these positions of the active joints."""
        q = np.empty((count, len(self.turning)))
        q[:, list(self.active)] = active
        for k in self.passive:
            q[:, k] = rng.uniform(-np.pi, np.pi, count) * (1.0 if self.turning[k] else self.reach / np.pi)
        return q

    def _same(self, a: Array, b: Array) -> bool:
        return bool(np.abs(self._difference(a, b)).max(initial=0.0) < _SAME * max(1.0, self.reach))

    def _difference(self, a: Array, b: Array) -> Array:
        """a − b of two configurations, angles between −π and π."""
        found: Array = a - b
        turning = list(self.turning)
        found[turning] = _wrapped(found[turning])
        return found

    # one configuration

    def assemble(self, active: ArrayLike, guess: ArrayLike | None = None, seed: int = 0) -> Array:
        """A closed configuration: from a guess by continuation, else the branch with the smallest passive angles."""
        wanted = np.asarray(active, dtype=float)
        if guess is None:
            found = self.branches(wanted, seed)
            if not len(found):
                raise CannotClose(self._failure(wanted))
            best: Array = found[int(np.abs(found[:, list(self.passive)]).sum(axis=1).argmin())]
            return best
        return self.follow(np.asarray(guess, dtype=float), wanted)

    def follow(self, start: Array, active: Array) -> Array:
        """From a configuration to new positions of the active joints, in steps that stay on its branch."""
        q, closed = self.newton(start[None])
        if not closed[0]:
            raise CannotClose(f"the configuration to start from does not close: {self._listed(start, self.active)}")
        here, begin = q[0], start[list(self.active)]
        reached, part = 0.0, 1.0
        while reached < 1.0:
            part = min(part, 1.0 - reached)
            ahead = self._step(here, begin + (reached + part) * (active - begin))
            if ahead is not None:
                here, reached, part = ahead, reached + part, part * 2
            elif (part := part / 2) < _SMALLEST_PART:
                where = begin + reached * (active - begin)
                message = self._failure(active)
                raise CannotClose(f"{message}; its branch ends near {self._numbers(self.active, where)}")
        return np.array(here)

    def _step(self, q: Array, active: Array) -> Array | None:
        """A step along the tangent, then Newton's method; None where it diverges or jumps to another branch."""
        found = self.gap(q[None])
        ahead = q.copy()
        move = active - q[list(self.active)]
        right = -found.dE[:, :, list(self.active)] @ move
        ahead[list(self.passive)] += _least_squares(found.dE[:, :, list(self.passive)], right)[0]
        ahead[list(self.active)] = active
        after, closed = self.newton(ahead[None], steps=8)
        jump = np.abs(self._difference(after[0], ahead)[list(self.passive)]).max(initial=0.0)
        near = jump < 0.1 + np.abs(move).max(initial=0.0) / 4
        reached: Array = after[0]
        return reached if closed[0] and near else None

    # messages

    def _failure(self, active: Array) -> str:
        q, _ = self.newton(self.starts(active, np.random.default_rng(1)))
        gap = np.abs(self.gap(q).E).max(axis=1, initial=0.0).min(initial=np.inf)
        return f"the loops cannot be closed for {self._numbers(self.active, active)} (smallest gap found: {gap:.3g})"

    def _listed(self, q: Array, places: Sequence[int]) -> str:
        return self._numbers(places, q[list(places)])

    def _numbers(self, places: Sequence[int], values: Array) -> str:
        return ", ".join(f"{self.names[k]} = {x:.6g}" for k, x in zip(places, values, strict=True))


def _wrapped(angles: Array) -> Array:
    """Angles between −π and π."""
    found: Array = np.remainder(angles + np.pi, 2 * np.pi) - np.pi
    return found


def _least_squares(A: Array, b: Array) -> Array:
    """The least-squares solution x of each system A x = b, of smallest norm where there are several."""
    if A.shape[1] == A.shape[2]:
        with np.errstate(all="ignore"):
            sign, size = np.linalg.slogdet(A)
        if (np.isfinite(size) & (sign != 0) & (size > -25 * A.shape[1])).all():
            exact: Array = np.linalg.solve(A, b[..., None])[..., 0]
            return exact
    return np.array((np.linalg.pinv(A, rcond=1e-12) @ b[..., None])[..., 0])
