"""What closed loops regroup on one branch: the relations of models, then a search by numbers for further ones.

In special geometries such as parallelograms the regressor D_c = Gᵀ D_tr has less rank than the relations of models
leave columns. The search draws closed configurations, walks over the branch of each, and samples the regressor there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

from symoro.bind.symbols import Symbols
from symoro.errors import CannotClose, ModelError, ParameterError, ShapeError
from symoro.findings import Finding
from symoro.lazy import lazy
from symoro.models.families import constraint_of
from symoro.models.identification.base.constraint_regrouping import (
    OF_MODELS,
    ConstraintRegrouping,
    RegroupingWithNotes,
    kept_note,
    loop_notes,
    reason_of,
)
from symoro.models.identification.base.dependence import DependenceSearch
from symoro.models.identification.base.model_parameters import model_elimination
from symoro.models.identification.base.rank import rank_of
from symoro.models.identification.base.sampled_regressor import ConfigurationFamily, SampledRegressor
from symoro.models.identification.base.tree import BaseSet, eliminated_further, kept_order
from symoro.models.identification.columns import Column
from symoro.models.loops.assembly import Assembler
from symoro.models.loops.closing import numeric_assembler
from symoro.models.loops.constraint import Loops
from symoro.models.sampling import numbers_of

Array = NDArray[Any]

# walks along a branch: how many from a start, the length of a step (less near singular places), how much a walk turns,
# how far closing may move a step before it counts as a jump to another branch, and the part that is left out as narrow
_WAYS, _STRIDE, _CAREFUL, _WANDER, _JUMP, _NARROW = 24, 0.15, 3.0, 0.3, 0.05, 0.4
# a branch: the fewest configurations, the steps at first and where the rank is not clear, and the value that is clear
_FEWEST, _FIRST, _FURTHER, _WIDE = 20, 12, (24, 48, 96), 1e-3
# starts: how many are drawn in which widths, how many near zero and farther away are kept
_STARTS, _WIDTHS, _NEAREST, _FARTHER = 256, (1.0, 0.5, 0.2), 16, 24
# the length of a direction in which nothing moves, up to rounding
_STILL = 1e-9
# margins: at a singular place, and well away from one
_SINGULAR, _REGULAR = 1e-3, 1e-2


def of_loops(s: Symbols, tree: BaseSet, guess: Sequence[float] | None) -> RegroupingWithNotes:
    """The regrouping by the loops with notes; None with the reason if it cannot be found."""
    if not constraint_of(s).left:
        return None, (Finding("regressors.nothing_moves"),)
    if guess is not None and len(guess) != len(s.variables):
        raise ShapeError("regressors.guess_size", count=len(guess), robot=s.robot.name, variables=len(s.variables))
    try:
        regrouping = loop_regrouping(s, tree, guess)
    except (ModelError, ParameterError, CannotClose, LinAlgError) as error:
        return None, (kept_note(OF_MODELS, reason_of(error)),)
    if regrouping is None and guess is not None:
        raise CannotClose("regressors.guess_open", robot=s.robot.name)
    if regrouping is None:
        return None, (kept_note(OF_MODELS, Finding("regressors.no_family")),)
    if not regrouping.rank.clear:
        return None, (kept_note(OF_MODELS, Finding("regressors.undecided_rank", rank=regrouping.rank.finding)),)
    return regrouping, tuple(loop_notes(regrouping, bool(s.robot.base.wheels)))


def loop_regrouping(s: Symbols, tree: BaseSet, guess: Sequence[float] | None = None) -> ConstraintRegrouping | None:
    """The base parameters on the branch of `guess`, or on the branch of lowest rank; None if no branch is found."""
    if guess is not None:
        s = replace(s, at=tuple(map(float, guess)))
    sampling, numbers = LoopSampling(s, tree.columns(s)), numbers_of(s)
    starts = sampling.starts(numbers) if guess is None else _closed(sampling, np.array(guess, float), numbers)
    branches = sampling.branches(starts, numbers) if len(starts) else []
    if not branches:
        return None
    best = min(branches, key=lambda b: (not b.rank.clear, -b.moving, b.rank.rank))
    best = sampling.walked(best, numbers)
    keys, known = [*tree.base], model_elimination(s, tree)
    kept = [k for k in kept_order(keys) if keys[k] not in known]
    extra = DependenceSearch(s.robot, sampling, keys, kept, best, numbers).dependencies()
    result = eliminated_further(s, tree, [known, extra.rows])
    ranks = tuple(sorted({b.rank.rank for b in (*branches, best) if b.rank.clear}))
    start = tuple(map(float, best.start))
    return ConstraintRegrouping(
        result, tree, tuple(known), tuple(extra.rows), extra.numeric, extra.general, best.rank, start, ranks
    )


def _closed(sampling: LoopSampling, q: Array, numbers: Mapping[str, float]) -> Array:
    near = sampling.near(q, numbers)
    return np.zeros((0, len(q))) if near is None else near[None]


@dataclass(frozen=True)
class LoopSampling:
    """Samples the regressor of a robot with loops at closed configurations, for any numbers of its parameters."""

    s: Symbols
    columns: Sequence[Column]

    @lazy
    def loops(self) -> Loops:
        return Loops(self.s)

    @lazy
    def regressor(self) -> SampledRegressor:
        return SampledRegressor(constraint_of(self.s), self.columns)

    def branch(self, start: Array, numbers: Mapping[str, float], steps: int = _FIRST) -> ConfigurationFamily | None:
        """The branch of a closed configuration, as far as a number of steps reaches."""
        return next(iter(self.branches(start[None], numbers, steps)), None)

    def branches(self, starts: Array, numbers: Mapping[str, float], steps: int = _FIRST) -> list[ConfigurationFamily]:
        """The branch of each closed configuration; branches on which few configurations are found are left out."""
        branches = []
        for start, q in zip(starts, self.families(starts, numbers, steps), strict=True):
            if len(q) >= _FEWEST:
                D, G = self.regressor.rows(q, numbers)
                branches.append(
                    ConfigurationFamily(start, D, rank_of(D), int((np.abs(G).max(axis=(0, 2)) > 1e-9).sum()))
                )
        return branches

    def walked(self, branch: ConfigurationFamily, numbers: Mapping[str, float]) -> ConfigurationFamily:
        """The branch after longer walks, as long as its rank is not clear or its smallest singular value is small."""
        for steps in _FURTHER:
            if branch.rank.clear and branch.rank.kept > _WIDE:
                break
            branch = self.branch(branch.start, numbers, steps) or branch
        return branch

    def assembler(self, numbers: Mapping[str, float], every_joint: bool) -> Assembler:
        return numeric_assembler(self.s, self.loops.chosen, every_joint, numbers)

    def starts(self, numbers: Mapping[str, float], seed: int = 2) -> Array:
        """Closed configurations of different branches, away from singular ones: those nearest to zero, then others."""
        every = self.assembler(numbers, every_joint=True)
        wide = every.starts(np.zeros(0), np.random.default_rng(seed), _STARTS)
        q, closed = every.newton(wide * np.resize(_WIDTHS, (_STARTS, 1)))
        q = q[closed]
        q = q[_margin(self.assembler(numbers, every_joint=False), q) > _REGULAR]
        ordered = q[np.argsort(np.abs(q).sum(axis=1))]
        spread = np.linspace(_NEAREST, max(_NEAREST, len(ordered) - 1), _FARTHER).astype(int)
        return np.vstack([ordered[:_NEAREST], ordered[np.unique(spread[spread < len(ordered)])]])

    def near(self, q: Array, numbers: Mapping[str, float]) -> Array | None:
        """The closed configuration next to q for other numbers of the parameters; None if there is none."""
        every = self.assembler(numbers, every_joint=True)
        corrected, closed = every.newton(q[None])
        return corrected[0] if closed[0] and np.abs(every.difference(corrected[0], q)).max() < 1.0 else None

    def families(self, starts: Array, numbers: Mapping[str, float], steps: int) -> list[Array]:
        """For each start: closed configurations all over its branch, at which the motors determine the passive joints.

        The walks follow the tangents of the loops and do not depend on which joints are active. So they pass the dead
        points of motors. They avoid the points where branches meet: there the rows of the loops lose rank.
        """
        rng = np.random.default_rng(3)
        every = self.assembler(numbers, every_joint=True)
        scale = np.array([1.0 if turning else 0.3 * min(1.0, every.reach) for turning in every.turning])
        q, origin = np.repeat(starts, _WAYS, axis=0), np.repeat(np.arange(len(starts)), _WAYS)
        way, width = rng.normal(size=q.shape), _margin(every, q)
        walked, widths, origins = [q], [width], [origin]
        for _ in range(steps):
            along = _tangent(every, q, way, scale)
            ahead = q + scale * along * np.minimum(_STRIDE, _CAREFUL * width)[:, None]
            after, closed = every.newton(ahead, steps=5)
            margin = _margin(every, after)
            good = closed & (np.abs(_short(after - ahead)).max(axis=1) < _JUMP) & (margin > _SINGULAR)
            q, width = np.where(good[:, None], after, q), np.where(good, margin, width)
            way = np.where(good[:, None], along, 0.0) + np.where(good[:, None], _WANDER, 1.0) * rng.normal(size=q.shape)
            walked.append(q[good])
            widths.append(width[good])
            origins.append(origin[good])
        reached, belongs = np.vstack(walked), np.hstack(origins)
        narrowest = np.minimum(np.hstack(widths), _margin(self.assembler(numbers, every_joint=False), reached))
        return [_wide(reached[belongs == n], narrowest[belongs == n]) for n in range(len(starts))]


def _wide(q: Array, narrowest: Array) -> Array:
    """The configurations that are not near a singular one; if most are near, the better part of them."""
    wide: Array = q[narrowest >= max(_SINGULAR, min(_REGULAR, float(np.quantile(narrowest, _NARROW))))]
    return wide


def _tangent(assembler: Assembler, q: Array, way: Array, scale: Array) -> Array:
    """The unit direction nearest to `way` that keeps the loops closed; 0 where nothing can move."""
    slope = assembler.gap(q).dE * scale
    along = way - (np.linalg.pinv(slope) @ (slope @ way[..., None]))[..., 0]
    direction: Array = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), _STILL)
    return direction


def _margin(assembler: Assembler, q: Array) -> Array:
    """The distance of configurations from singular ones of the assembler's passive joints: 0 (singular) to 1."""
    values = np.linalg.svd(assembler.gap(q).dE[:, :, list(assembler.passive)], compute_uv=False)
    margin: Array = values[:, -1] / values[:, 0]
    return margin


def _short(gap: Array) -> Array:
    """Differences of angles by the shorter way round; differences of lengths are small and do not change."""
    turned: Array = np.remainder(gap + np.pi, 2 * np.pi) - np.pi
    return turned
