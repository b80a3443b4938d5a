"""Numbers of closed loops: families of closed configurations, and the regressor D_c = Gᵀ D_tr on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.identification.columns import Column
from symoro.models.identification.rank import rank_of
from symoro.models.identification.sampled_regressor import Branch, SampledRegressor
from symoro.models.loops.assembly import Assembler
from symoro.models.loops.closing import numeric_assembler
from symoro.models.loops.constraint import Loops
from symoro.symbols import Symbols

Array = NDArray[Any]

# walks along a branch: how many from a start, the length of a step (less near singular places), how much a walk turns,
# how far closing may move a step before it counts as a jump to another branch, and the part that is left out as narrow
_WAYS, _STRIDE, _CAREFUL, _WANDER, _JUMP, _NARROW = 24, 0.15, 3.0, 0.3, 0.05, 0.4
# a branch: the fewest configurations, the steps at first and where the rank is not clear, and the value that is clear
_FEWEST, _FIRST, _FURTHER, _WIDE = 20, 12, (24, 48, 96), 1e-3
# starts: how many are drawn in which widths, how many near zero and farther away are kept
_STARTS, _WIDTHS, _NEAREST, _FARTHER = 256, (1.0, 0.5, 0.2), 16, 24
# margins: at a singular place, and well away from one
_SINGULAR, _REGULAR = 1e-3, 1e-2


@dataclass(frozen=True)
class LoopSampling:
    """The equations of a robot's loops and its regressor, for any numbers of its parameters."""

    s: Symbols
    columns: Sequence[Column]

    @cached_property
    def loops(self) -> Loops:
        return Loops(self.s)

    @cached_property
    def regressor(self) -> SampledRegressor:
        return SampledRegressor(self.loops, self.columns)

    def branch(self, start: Array, numbers: Mapping[str, float], steps: int = _FIRST) -> Branch | None:
        """The branch of a configuration as far as some steps go."""
        return next(iter(self.branches(start[None], numbers, steps)), None)

    def branches(self, starts: Array, numbers: Mapping[str, float], steps: int = _FIRST) -> list[Branch]:
        """The branches of configurations; without those on which few configurations are found."""
        found = []
        for start, q in zip(starts, self.families(starts, numbers, steps), strict=True):
            if len(q) >= _FEWEST:
                D, G = self.regressor.rows(q, numbers)
                found.append(Branch(start, D, rank_of(D), int((np.abs(G).max(axis=(0, 2)) > 1e-9).sum())))
        return found

    def walked(self, branch: Branch, numbers: Mapping[str, float]) -> Branch:
        """The branch, walked further while its smallest singular values can still grow."""
        for steps in _FURTHER:
            if branch.rank.clear and branch.rank.kept > _WIDE:
                break
            branch = self.branch(branch.start, numbers, steps) or branch
        return branch

    def assembler(self, numbers: Mapping[str, float], every_joint: bool) -> Assembler:
        return numeric_assembler(self.s, self.loops.chosen, every_joint, numbers)

    def starts(self, numbers: Mapping[str, float], seed: int = 2) -> Array:
        """Closed configurations of different branches, none near a singular one: those nearest to zero, then others."""
        every = self.assembler(numbers, every_joint=True)
        wide = every.starts(np.zeros(0), np.random.default_rng(seed), _STARTS)
        q, closed = every.newton(wide * np.resize(_WIDTHS, (_STARTS, 1)))
        q = q[closed]
        q = q[_margin(self.assembler(numbers, every_joint=False), q) > _REGULAR]
        ordered = q[np.argsort(np.abs(q).sum(axis=1))]
        spread = np.linspace(_NEAREST, max(_NEAREST, len(ordered) - 1), _FARTHER).astype(int)
        return np.vstack([ordered[:_NEAREST], ordered[np.unique(spread[spread < len(ordered)])]])

    def near(self, q: Array, numbers: Mapping[str, float]) -> Array | None:
        """The closed configuration of other numbers next to one, or None."""
        found, closed = self.assembler(numbers, every_joint=True).newton(q[None])
        return found[0] if closed[0] and np.abs(found[0] - q).max() < 1.0 else None

    def families(self, starts: Array, numbers: Mapping[str, float], steps: int) -> list[Array]:
        """For each start, closed configurations all over its branch, where the passive joints follow the active ones.

        The walks go along the loops' tangents, whichever joints are active: they pass where a motor is at a dead
        point, and stay off the points where branches meet, at which the loops' rows lose rank.
        """
        rng = np.random.default_rng(3)
        every = self.assembler(numbers, every_joint=True)
        scale = np.array([1.0 if turning else 0.3 * min(1.0, every.reach) for turning in every.turning])
        q, origin = np.repeat(starts, _WAYS, axis=0), np.repeat(np.arange(len(starts)), _WAYS)
        way, width = rng.normal(size=q.shape), _margin(every, q)
        found, widths, origins = [q], [width], [origin]
        for _ in range(steps):
            along = _tangent(every, q, way, scale)
            ahead = q + scale * along * np.minimum(_STRIDE, _CAREFUL * width)[:, None]
            after, closed = every.newton(ahead, steps=5)
            margin = _margin(every, after)
            good = closed & (np.abs(_short(after - ahead)).max(axis=1) < _JUMP) & (margin > _SINGULAR)
            q, width = np.where(good[:, None], after, q), np.where(good, margin, width)
            way = np.where(good[:, None], along, 0.0) + np.where(good[:, None], _WANDER, 1.0) * rng.normal(size=q.shape)
            found.append(q[good])
            widths.append(width[good])
            origins.append(origin[good])
        reached, belongs = np.vstack(found), np.hstack(origins)
        narrowest = np.minimum(np.hstack(widths), _margin(self.assembler(numbers, every_joint=False), reached))
        return [_wide(reached[belongs == n], narrowest[belongs == n]) for n in range(len(starts))]


def _wide(q: Array, narrowest: Array) -> Array:
    """The configurations that are not near a singular one, as far as the branch has others."""
    wide: Array = q[narrowest >= max(_SINGULAR, min(_REGULAR, float(np.quantile(narrowest, _NARROW))))]
    return wide


def _tangent(assembler: Assembler, q: Array, way: Array, scale: Array) -> Array:
    """The direction that keeps the loops closed and is nearest to a way."""
    slope = assembler.gap(q).dE * scale
    along = way - (np.linalg.pinv(slope) @ (slope @ way[..., None]))[..., 0]
    direction: Array = along / np.linalg.norm(along, axis=1, keepdims=True)
    return direction


def _margin(assembler: Assembler, q: Array) -> Array:
    """How far configurations are from where the assembler's joints do not determine each other: 0 there, at most 1."""
    values = np.linalg.svd(assembler.gap(q).dE[:, :, list(assembler.passive)], compute_uv=False)
    margin: Array = values[:, -1] / values[:, 0]
    return margin


def _short(gap: Array) -> Array:
    """Angles by their shorter way; slides are far below a turn."""
    turned: Array = np.remainder(gap + np.pi, 2 * np.pi) - np.pi
    return turned
