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
from symoro.findings import Finding
from symoro.models.geometric.inverse.branches import in_limits
from symoro.models.sampling import NOT_ZERO

Array = NDArray[Any]

#: A residual is zero below this, in units of the largest length (metres or radians).
CLOSED = 1e-13
#: Loops are open where a residual is above this, in the same units: a given configuration may be rounded.
OPEN = 1e-6
#: A home configuration may be rounded: its residuals are below this, in the same units.
ROUNDED = 1e-2
#: Compared axes point the same way where the cosine of their angle is above this: where residuals are zero it is 1, −1,
#: or 0 where other axes than those that are meant lie on each other.
SAME_WAY = 0.5
# Newton's method: the most steps, the longest one, and the length of a last one
MOST_STEPS, LONGEST_STEP, LAST_STEP = 60, 0.8, 1e-12
# the search for branches: starts of a round, the most rounds, those without any branch, and how often one is found
_STARTS, _ROUNDS, _VAIN_ROUNDS, _SEEN_OFTEN = 256, 40, 8, 2
# the search for one configuration begins with fewer starts, of different widths
_FEWER_STARTS, _WIDTHS = (32, 64, 128), (0.2, 0.5, 1.0)
_SAME, _SMALLEST_PART, _MOST_SINGULAR = 1e-6, 1e-4, 8
_WILD = 1e8  # a step of this length comes from a singular matrix
_LEAST_DAMPING = 1e-10  # beside the largest singular value


class Gap(NamedTuple):
    """The closure equations at n configurations: E (n, m), its derivatives (n, m, joints), and ALIGN (n, loops)."""

    E: Array
    dE: Array
    ALIGN: Array


@dataclass(frozen=True)
class Assembler:
    """Finds configurations of the whole tree that close the loops, for given positions of the active joints.

    `gap` evaluates the closure equations; `active` and `passive` are indices into q; `turning` marks the revolute
    joints of q; `reach` bounds the passive prismatic joints of random starts; `names` are the joint variables;
    `limits` are the lowest and the highest position of each joint, infinite where there is none; `periods` are the
    changes of each variable that leave the configuration as it is, 2π for a plain revolute joint, 0 without one; `home`
    is a closed configuration on the branch that is taken where no guess says another one.
    """

    gap: Callable[[Array], Gap]
    active: tuple[int, ...]
    passive: tuple[int, ...]
    turning: tuple[bool, ...]
    reach: float
    names: tuple[str, ...]
    limits: tuple[tuple[float, float], ...]
    periods: tuple[float, ...]
    home: tuple[float, ...] | None = None

    # Newton

    def newton(self, q: Array, steps: int = MOST_STEPS, damped: bool = False) -> tuple[Array, Array]:
        """Configurations (n, joints) after steps of Newton's method in the passive joints, and which of them close.

        Damped steps reach families of configurations on which the equations are dependent, too.
        """
        q, moving = q.copy(), np.arange(len(q))
        passive = list(self.passive)
        for _ in range(steps if passive else 0):
            gap = self.gap(q[moving])
            step = (_damped if damped else _least_squares)(gap.dE[:, :, passive], -gap.E)
            length = np.abs(step).max(axis=1, keepdims=True)
            step *= np.minimum(1.0, LONGEST_STEP / np.maximum(length, 1e-300))
            q[moving[:, None], passive] += np.where(np.isfinite(step), step, 0.0)
            moving = moving[~(length[:, 0] < LAST_STEP)]
            if not len(moving):
                break
        return self.wrapped(q), self.closed(q)

    def closed(self, q: Array) -> Array:
        """Which of the configurations (n, joints) close the loops."""
        closed: Array = self.gap_sizes(q) < CLOSED * max(1.0, self.reach)
        return closed

    def gap_sizes(self, q: Array) -> Array:
        """The largest residual at each of the configurations; 1 or more where axes do not point the same way."""
        gap = self.gap(q)
        size, opposite = np.abs(gap.E).max(axis=1, initial=0.0), ~(gap.ALIGN > SAME_WAY).all(axis=1)
        sizes: Array = np.where(opposite, np.maximum(size, 1.0), size)
        return sizes

    def wrapped(self, q: Array) -> Array:
        """q with its passive revolute joints within half a period, −π to π, of 0."""
        turning = [k for k in self.passive if self.periods[k]]
        q[:, turning] = _wrapped(q[:, turning], np.array(self.periods)[turning])
        return q

    # branches

    def branches(self, active: ArrayLike, seed: int = 0) -> Array:
        """All branches that Newton's method finds from random starts, (branches, joints), in a fixed order.

        The search ends when every branch was found several times and a round of starts finds no new one. Branches
        outside the joint limits are among them (`within` leaves them out).
        """
        rng, wanted = np.random.default_rng(seed), np.asarray(active, dtype=float)
        branches, hits = np.empty((0, len(self.turning))), np.empty(0, dtype=int)
        for number in range(1, _ROUNDS + 1):
            known = len(branches)
            branches, hits = self._counted(branches, hits, self._round(self.starts(wanted, rng)))
            branches, _ = self._counted(branches, hits.copy(), self._round(self._mixed(branches, rng)))
            hits = np.append(hits, np.zeros(len(branches) - len(hits), dtype=int))
            enough = known == len(branches) and hits.min(initial=_SEEN_OFTEN) >= _SEEN_OFTEN
            if enough if len(branches) else number == _VAIN_ROUNDS:
                break
        return self.ordered(branches)

    def _mixed(self, branches: Array, rng: np.random.Generator) -> Array:
        """Starts from the branches found so far: one of them, with neighbouring passive joints of another one.

        The ways to assemble a robot with several legs are combinations of those of its legs.
        """
        count = _STARTS if len(branches) > 2 else 0
        one: Array
        one, other = branches[rng.integers(max(1, len(branches)), size=(2, count))]
        ends = np.sort(rng.integers(len(self.passive) + 1, size=(2, count)), axis=0)[..., None]
        places = np.arange(len(self.passive))
        passive = list(self.passive)
        one[:, passive] = np.where((places >= ends[0]) & (places < ends[1]), other[:, passive], one[:, passive])
        return one

    def ordered(self, branches: Array) -> Array:
        """Branches in the order of their passive joints."""
        return (
            branches[np.lexsort(np.round(branches[:, list(self.passive)], 9).T[::-1])] if self.passive else branches[:1]
        )

    def _round(self, starts: Array) -> Array:
        """The closed configurations that Newton's method reaches from these starts."""
        q, closed = self.newton(starts)
        self._require_isolated(q[closed], len(starts))
        reached: Array = q[closed]
        return reached

    def distinct(self, reached: Array) -> Array:
        """Configurations without those that are there twice."""
        return self._counted(reached[:0], np.empty(0, dtype=int), reached)[0]

    def _counted(self, branches: Array, hits: Array, reached: Array) -> tuple[Array, Array]:
        """The branches with those that are new among the reached ones, and how often each was found."""
        while len(reached):
            if not len(branches) or not (same := self._same(branches, reached[0])).any():
                branches, hits = np.vstack([branches, reached[:1]]), np.append(hits, 0)
                same = np.arange(len(branches)) == len(branches) - 1
            place = int(same.argmax())
            again = self._same(reached, branches[place])
            again[0] = True
            hits[place] += again.sum()
            reached = reached[~again]
        return branches, hits

    def _require_isolated(self, q: Array, starts: int) -> None:
        """Raise an error where passive joints can move while the active ones do not: branches are not points then."""
        values = np.linalg.svd(self.gap(q).dE[:, :, list(self.passive)], compute_uv=False)
        loose = q[(values[:, -1:] < NOT_ZERO * values[:, :1]).any(axis=1)]
        distinct = np.unique(np.round(loose[:, list(self.passive)], 3), axis=0)
        if len(distinct) > max(_MOST_SINGULAR, starts / 8):
            if self.active:
                raise CannotClose("loops.infinitely_at", where=self._listed(q[0], self.active))
            raise CannotClose("loops.infinitely")

    def starts(self, active: Array, rng: np.random.Generator, count: int = _STARTS) -> Array:
        """Random configurations with these positions of the active joints."""
        q = np.empty((count, len(self.turning)))
        q[:, list(self.active)] = active
        for k in self.passive:
            half = (self.periods[k] or 4 * np.pi) / 2
            low, high = (-half, half) if self.turning[k] else self._range(k)
            q[:, k] = rng.uniform(low, high, count)
        return q

    def _range(self, k: int) -> tuple[float, float]:
        """Between which positions a prismatic joint starts: its limits, where it has them."""
        low, high = self.limits[k]
        return max(low, min(-self.reach, high - self.reach)), min(high, max(self.reach, low + self.reach))

    def within(self, q: Array) -> Array:
        """The configurations (n, joints) whose passive joints are inside their limits, after whole turns."""
        q, passive = q.copy(), list(self.passive)
        low, high = np.array(self.limits).reshape(-1, 2)[passive].T
        periods, slack = np.array(self.periods)[passive], 1e-9 * max(1.0, self.reach)
        q[:, passive], inside = in_limits(q[:, passive], periods, low, high, slack)
        kept: Array = q[inside.all(axis=1)]
        return kept

    def _same(self, several: Array, one: Array) -> Array:
        size = np.abs(self.difference(several, one)).max(axis=-1, initial=0.0)
        same: Array = size < _SAME * max(1.0, self.reach)
        return same

    def difference(self, a: Array, b: Array) -> Array:
        """a − b of configurations, angles between −π and π."""
        differences: Array = a - b
        turning = [k for k, period in enumerate(self.periods) if period]
        differences[..., turning] = _wrapped(differences[..., turning], np.array(self.periods)[turning])
        return differences

    # one configuration

    def assemble(self, active: ArrayLike, guess: ArrayLike | None = None, seed: int = 0) -> Array:
        """A closed configuration: from a guess, or from home, by continuation, else one inside the limits.

        Without both it is the one nearest to zero among those that the first successful round of starts finds: all
        of them, as a rule, where there are few. Of several that are as near, such as mirror images, it is the first in
        the order of branches.
        """
        wanted = np.asarray(active, dtype=float)
        if guess is None and self.home is not None:
            guess = self._closed_home(np.array(self.home))
        if guess is not None:
            return self.follow(np.asarray(guess, dtype=float), wanted)
        rng, outside = np.random.default_rng(seed), 0
        for count in (*_FEWER_STARTS, *[_STARTS] * _VAIN_ROUNDS):
            starts = self.starts(wanted, rng, count)
            starts[:, [k for k in self.passive if self.turning[k]]] *= np.resize(_WIDTHS, (count, 1))
            reached = self._round(starts)
            inside = self.within(reached)
            outside += len(reached)
            if len(inside):
                size = np.abs(inside[:, list(self.passive)]).sum(axis=1)
                nearest: Array = self.ordered(inside[size <= size.min() + _SAME])[0]
                return nearest
        raise CannotClose(self._failure(wanted, outside > 0))

    def _closed_home(self, home: Array) -> Array:
        """Home, which may be rounded; an error where it is open by more."""
        if float(self.gap_sizes(home[None])[0]) > ROUNDED * max(1.0, self.reach):
            raise CannotClose("loops.open_home", where=self._listed(home, range(len(home))))
        return home

    def follow(self, start: Array, active: Array) -> Array:
        """From a configuration to new positions of the active joints, in steps that stay on its branch."""
        q, closed = self.newton(start[None])
        if not closed[0]:
            raise CannotClose("loops.open_start", where=self._listed(start, self.active))
        here, begin = q[0], start[list(self.active)]
        reached, part = 0.0, 1.0
        while reached < 1.0:
            part = min(part, 1.0 - reached)
            ahead = self._step(here, begin + (reached + part) * (active - begin))
            if ahead is not None:
                here, reached, part = ahead, reached + part, part * 2
            elif (part := part / 2) < _SMALLEST_PART:
                where = begin + reached * (active - begin)
                near = self._numbers(self.active, where)
                raise CannotClose("loops.branch_ends", reason=self._failure(active), where=near)
        return np.array(here)

    def _step(self, q: Array, active: Array) -> Array | None:
        """A step along the tangent, then Newton's method; None where it diverges or jumps to another branch."""
        gap = self.gap(q[None])
        ahead = q.copy()
        move = active - q[list(self.active)]
        right = -gap.dE[:, :, list(self.active)] @ move
        ahead[list(self.passive)] += _least_squares(gap.dE[:, :, list(self.passive)], right)[0]
        ahead[list(self.active)] = active
        after, closed = self.newton(ahead[None], steps=8)
        jump = np.abs(self.difference(after[0], ahead)[list(self.passive)]).max(initial=0.0)
        near = jump < 0.1 + np.abs(move).max(initial=0.0) / 4
        reached: Array = after[0]
        return reached if closed[0] and near else None

    def meeting(self, q: Array) -> list[int]:
        """The rows of a path (n, joints) at which branches meet, or before which they do: a dead point is there."""
        A = self.gap(q).dE[:, :, list(self.passive)] if len(q) > 1 else np.empty((0, 0, 0))
        if A.shape[1] != A.shape[2] or not A.shape[1]:
            return []
        values = np.linalg.svd(A, compute_uv=False)
        singular = values[:, -1] < NOT_ZERO * values[:, 0]
        regular = np.flatnonzero(~singular)
        sides = np.sign(np.linalg.det(A[regular]))
        passed = regular[1:][sides[1:] != sides[:-1]]
        return sorted({*map(int, passed), *(int(n) for n in np.flatnonzero(singular) if 0 < n < len(q) - 1)})

    # messages

    def _failure(self, active: Array, outside: bool = False) -> Finding:
        where = self._numbers(self.active, active)
        if outside:
            bounded = [k for k in self.passive if np.isfinite(self.limits[k]).any()]
            limits = [
                Finding("loops.limits", joint=self.names[k], low=low, high=high)
                for k in bounded
                for low, high in (map(float, self.limits[k]),)
            ]
            if where:
                return Finding("loops.outside_at", where=where, limits=limits)
            return Finding("loops.outside", limits=limits)
        q, _ = self.newton(self.starts(active, np.random.default_rng(1)))
        gap = float(self.gap_sizes(q).min(initial=np.inf))
        if self._closes_within_a_turn(active):
            return Finding("loops.many_turns", where=where, gap=gap)
        if where:
            return Finding("loops.cannot_close_at", where=where, gap=gap)
        return Finding("loops.cannot_close", gap=gap)

    def _closes_within_a_turn(self, active: Array) -> bool:
        """Whether the loops close at the same positions without whole turns: of large angles, sums lose digits."""
        turned, turning = active.copy(), [n for n, k in enumerate(self.active) if self.periods[k]]
        turned[turning] = _wrapped(active[turning], np.array([self.periods[self.active[n]] for n in turning]))
        changed = bool(np.any(turned != active))
        return changed and bool(self.newton(self.starts(turned, np.random.default_rng(1)))[1].any())

    def _listed(self, q: Array, places: Sequence[int]) -> str:
        return self._numbers(places, q[list(places)])

    def _numbers(self, places: Sequence[int], values: Array) -> str:
        return ", ".join(f"{self.names[k]} = {x:.6g}" for k, x in zip(places, values, strict=True))


def _wrapped(angles: Array, periods: Array) -> Array:
    """Angles within half a period of 0."""
    wrapped: Array = np.remainder(angles + periods / 2, periods) - periods / 2
    return wrapped


def _least_squares(A: Array, b: Array) -> Array:
    """The least-squares solution x of each system A x = b, of smallest norm where there are several."""
    if A.shape[1] != A.shape[2]:
        return _by_pseudoinverse(A, b)
    try:
        with np.errstate(all="ignore"):
            x: Array = np.linalg.solve(A, b[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return _by_pseudoinverse(A, b)
    wild = ~(np.abs(x).max(axis=1, initial=0.0) < _WILD)
    x[wild] = _by_pseudoinverse(A[wild], b[wild])
    return x


def _by_pseudoinverse(A: Array, b: Array) -> Array:
    finite = np.isfinite(A).all(axis=(1, 2))
    x = np.full((len(A), A.shape[2]), np.nan)
    x[finite] = (np.linalg.pinv(A[finite], rcond=1e-12) @ b[finite][..., None])[..., 0]
    return x


def _damped(A: Array, b: Array) -> Array:
    """The step of Levenberg and Marquardt, (AᵀA + μ 1) x = Aᵀ b, with μ = b².

    On a family of solutions a singular value of A is zero. Near the family that value, and what b has in its direction,
    are as small as the square of the distance. So a step of Newton's method goes far along the family, and ends where
    the family is singular. A damped step does not, and converges as fast. The least μ keeps rounding errors small.
    """
    finite = np.isfinite(A).all(axis=(1, 2)) & np.isfinite(b).all(axis=1)
    x = np.full((len(A), A.shape[2]), np.nan)
    left, values, right = np.linalg.svd(A[finite], full_matrices=False)
    along = (left.swapaxes(1, 2) @ b[finite][..., None])[..., 0]
    damping = (b[finite] ** 2).sum(axis=1, keepdims=True) + (_LEAST_DAMPING * values[:, :1]) ** 2
    with np.errstate(all="ignore"):
        x[finite] = (right.swapaxes(1, 2) @ (values / (values**2 + damping) * along)[..., None])[..., 0]
    return x
