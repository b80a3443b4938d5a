"""Every branch of an arm: the search over arrangements, the completeness check, and the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import InputError, ShapeError
from symoro.solve.general.arrangement import Loop, adjacent, arrangements, moved
from symoro.solve.general.backsubstitution import candidates
from symoro.solve.general.chain import loop_of, scaled, six_joints
from symoro.solve.general.continuum import one_of_each, self_motions
from symoro.solve.general.distinct import any_singular, distinct, partners
from symoro.solve.general.elimination import Equations, adjacent_polynomial, equations, polynomial
from symoro.solve.general.pencil import Polynomial, condition, pencil, roots
from symoro.solve.general.polish import CERTIFIED, Chain, newton
from symoro.solve.general.translations import translating

Array = NDArray[Any]
#: Turns of the angle of the eigenvalue problem: one of them keeps every root away from infinity.
_TURNS = (0.3, 1.7, 2.9, -1.1)
# condition numbers: one turn, and one arrangement, is enough below the first two; the pencil is singular above the
# third, and no other turn helps above the last
_GOOD_TURN, _GOOD, _SINGULAR, _HOPELESS = 1e4, 1e5, 1e10, 1e14
_FULL_RANK = 1e-9
# roots: near-double ones come out complex. Below the first imaginary part, they must belong to branches; up to the
# second, they are tried; up to the third for an arm that replaces the true one
_REAL, _TRIED, _TRIED_NEAR = 1e-3, 1e-2, 0.1
_MOST_ARRANGEMENTS, _STEPS, _SINGULAR_STEPS = 4, 25, 60
#: The arms that replace an exactly special one are so far from it, in radians and units of reach; the nearer ones only
#: where the number of branches is odd, so that one is lost or double.
_MOVED, _MOVED_LESS = (1e-5, -1e-5), (1e-6, -1e-6)
_AT_ZERO = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class GeneralBranches:
    """The branches q (n, joints) of a pose in their order, each with its error and the direction of its self-motion.

    `free` (n, joints) is zero for an isolated branch. A continuum is represented by one of its members.
    """

    q: Array
    error: Array
    free: Array

    @property
    def continuum(self) -> bool:
        """Whether the branches contain a continuous set."""
        return bool(self.free.any())


def solve(kinds: str, links: ArrayLike, pose: ArrayLike) -> GeneralBranches:
    """The positions q with pose = links[0] Z1 links[1] … Zn links[n], for one to six joints.

    `kinds` has a letter for each joint: R with Z = Rz(q), or P with Z = Tz(q). `links` is (n + 1, 4, 4).
    """
    chain, reach = scaled(*checked(kinds, links, pose))
    six = six_joints(chain)
    q, error = _branches(six)
    if six is not chain:
        n = len(kinds)
        q, error = newton(chain, q[np.abs(q[:, n:]).max(axis=1, initial=0.0) < _AT_ZERO, :n], _SINGULAR_STEPS)
        q, error = _certified(chain, q, error)
    free = self_motions(chain, q)
    kept = one_of_each(chain, q, free)
    kept = kept[np.lexsort(np.round(q[kept], 6).T[::-1])]
    unit = np.array([reach if kind == "P" else 1.0 for kind in kinds])
    return GeneralBranches(q[kept] * unit, error[kept], free[kept])


def checked(kinds: str, links: ArrayLike, pose: ArrayLike) -> tuple[str, Array, Array]:
    """The arguments as arrays, if they describe an arm and a pose."""
    F = np.asarray(links, dtype=float)
    if not 1 <= len(kinds) <= 6 or set(kinds) - set("RP") or kinds.count("P") > 3:
        raise InputError("positions.kinds", kinds=kinds)
    if F.shape != (len(kinds) + 1, 4, 4):
        raise ShapeError(
            "positions.array_shape", name="links", shape=str(F.shape), expected=f"({len(kinds) + 1}, 4, 4)"
        )
    if not np.isfinite(F).all():
        raise InputError("positions.elements", name="links")
    return kinds, F, checked_pose(pose)


def checked_pose(pose: ArrayLike) -> Array:
    """The pose as an array, if it is one."""
    T = np.ascontiguousarray(pose, dtype=float)
    if T.shape != (4, 4):
        raise ShapeError("positions.array_shape", name="pose", shape=str(T.shape), expected="(4, 4)")
    if not np.isfinite(T).all():
        raise InputError("positions.elements", name="pose")
    return T


def _branches(chain: Chain) -> tuple[Array, Array]:
    """The certified branches of a chain of six joints, no two alike."""
    loop = loop_of(chain)
    if loop.kinds.count("P") == 3:
        return _certified(chain, *newton(chain, translating(chain, loop), _SINGULAR_STEPS))
    parts, complete = _by_arrangements(chain, loop)
    known = _certified(chain, *_united(parts)) if parts else (np.empty((0, 6)), np.empty(0))
    return known if complete else _by_neighbours(chain, loop, known)


def _united(parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    return np.concatenate([q for q, _ in parts]), np.concatenate([e for _, e in parts])


def _certified(chain: Chain, q: Array, error: Array) -> tuple[Array, Array]:
    good = error <= CERTIFIED
    return distinct(chain, q[good], error[good])


def _by_arrangements(chain: Chain, loop: Loop) -> tuple[list[tuple[Array, Array]], bool]:
    """The branches from the best arrangements, one or more until they are complete; and whether they are."""
    parts: list[tuple[Array, Array]] = []
    for number, problem in enumerate(_ranked(loop), 1):
        if problem.condition > _SINGULAR or number > _MOST_ARRANGEMENTS:
            break
        q, real = problem.candidates()
        parts.append(newton(chain, q, _STEPS))
        if problem.condition < _GOOD or number > 1:
            count = len(_certified(chain, *_united(parts))[0])
            if count >= real and count % 2 == 0:
                return parts, True
    return parts, False


def _by_neighbours(chain: Chain, loop: Loop, known: tuple[Array, Array]) -> tuple[Array, Array]:
    """The known branches, and those that Newton's method reaches from the branches of arms near this one.

    The pencil of an arm with parallel or intersecting axes can be singular in every arrangement. A double branch is
    often complex on one side of such an arm and real on the other one.
    """
    for size in (*_MOVED, *_MOVED_LESS):
        if size in _MOVED_LESS and len(known[0]) % 2 == 0:
            break
        agreed = 0
        best = sorted(_ranked(moved(loop, size)), key=lambda problem: problem.condition)
        for problem in best[:_MOST_ARRANGEMENTS]:
            branches, real = _with_partners(chain, problem)
            known = _certified(chain, *_united([known, branches]))
            agreed += len(branches[0]) == len(known[0]) and len(branches[0]) >= real
            if agreed == 2:
                break
        if agreed == 2 and len(known[0]) and len(known[0]) % 2 == 0 and not any_singular(chain, known[0]):
            break
    return known


def _with_partners(chain: Chain, problem: _Problem) -> tuple[tuple[Array, Array], int]:
    """The certified branches that the candidates of a problem lead to, with their partners; and its real roots."""
    starts, real = problem.candidates(_TRIED_NEAR)
    certified = _certified(chain, *newton(chain, starts, _SINGULAR_STEPS))
    return _certified(chain, *_united([certified, newton(chain, partners(chain, certified[0]), _SINGULAR_STEPS)])), real


@dataclass(frozen=True, slots=True)
class _Problem:
    """The eigenvalue problem of an arrangement."""

    equations: Equations
    polynomial: Polynomial
    condition: float

    def candidates(self, tried: float = _TRIED) -> tuple[Array, int]:
        """Joint positions (n, 6), and how many of the roots are real or nearly so: a branch belongs to each of them."""
        x = roots(self.polynomial)
        real = int((np.abs(x.imag) <= _REAL * (1 + np.abs(x))).sum())
        near = np.abs(x.imag) <= tried * (1 + np.abs(x) ** 2)
        return candidates(self.equations, self.polynomial, x.real[near & (x.imag >= 0)]), real


def _ranked(loop: Loop) -> Iterator[_Problem]:
    """The problems of all arrangements: well-conditioned ones as they come, then the others, the best first."""
    others = []
    for arrangement in arrangements(loop):
        problem = _problem(arrangement)
        if problem is None:
            continue
        if problem.condition < _GOOD:
            yield problem
        else:
            others.append(problem)
    yield from sorted(others, key=lambda problem: problem.condition)


def _problem(arrangement: Loop) -> _Problem | None:
    """The problem with the best of the turns; None if the eliminated joints are not determined."""
    system = equations(arrangement)
    if system.rank_margin < _FULL_RANK:
        return None
    build = adjacent_polynomial if adjacent(arrangement) else polynomial
    best: _Problem | None = None
    for number, turn in enumerate(_TURNS, 1):
        coefficients = build(system, turn)
        value = condition(pencil(coefficients)[0])
        if best is None or value < best.condition:
            best = _Problem(system, coefficients, value)
        if value < _GOOD_TURN or (number == 2 and best.condition > _HOPELESS):
            break
    return best
