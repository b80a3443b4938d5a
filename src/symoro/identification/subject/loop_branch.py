"""One branch of closed loops: positions of all joints for those of the motors, without a jump to another branch.

Steps go along the tangent, with Newton's method behind each. A step that Newton's method has to correct by much is
halved; a branch ends where small steps fail, or where the loops come too near to a dead point. At a dead point the
motors do not determine the passive joints, and branches meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.assembly import Assembly, loop_geometry
from symoro.errors import CannotClose, DataError
from symoro.identification.arrays import Array
from symoro.identification.subject.straight_lines import ends_of_lines, same_side
from symoro.identification.subject.subject import Subject
from symoro.model import model
from symoro.models.loops.assembly import Assembler
from symoro.robot.robot import Robot

if TYPE_CHECKING:
    from symoro.runtime import Function

STEP = 0.15
"""Radians or metres of a motor in one step."""
_CORRECTION = 0.05
"""Radians or metres by which Newton's method may correct a step, or the tangent may miss the next sample."""
_DRAWN = 24
"""Positions of the motors among which the usual configuration is chosen."""
_WIDER = 10
"""Times as many where nothing closes between the limits."""
_FAR = 3.0
"""Condition over the least one, of configurations that are far from dead points."""
_STEADY = 1e-6
"""Change of ∂q/∂x along a step, of loops whose passive joints move evenly with the motors."""


@dataclass(frozen=True)
class LoopBranch:
    """The loops of a robot by numbers; configurations whose condition is above `limit` are not reached."""

    subject: Subject
    limit: float = np.inf

    @cached_property
    def assembly(self) -> Assembly:
        return _compiled(self.subject.robot)[0]

    @cached_property
    def _assembler(self) -> Assembler:
        return self.assembly.assembler()

    @cached_property
    def _kinematics(self) -> Function:
        return _compiled(self.subject.robot)[1]

    @property
    def reach(self) -> float:
        """The sum of all lengths of the robot."""
        return self._assembler.reach

    @cached_property
    def motors(self) -> list[int]:
        """The places of the motors in q."""
        return [self.subject.variables.index(joint) for joint in self.subject.motors]

    @cached_property
    def passive(self) -> list[int]:
        """The places of the joints that follow."""
        return [k for k in range(len(self.subject.variables)) if k not in self.motors]

    @property
    def periods(self) -> tuple[float, ...]:
        """A whole turn of each variable; 0 where it does not turn."""
        return self._assembler.periods

    @cached_property
    def steering(self) -> Array:
        """Which motors move passive joints: those that the closure equations depend on."""
        q = np.random.default_rng(0).normal(size=(8, len(self.subject.variables)))
        return np.asarray((np.abs(self._assembler.gap(q).dE[:, :, self.motors]) > 1e-12).any(axis=(0, 1)))

    # configurations

    def directions(self, q: Array) -> Array:
        """∂q/∂x, (samples, variables, motors)."""
        with np.errstate(all="ignore"):
            return np.asarray(self._kinematics(q, np.zeros((len(q), len(self.motors)))).G)

    def slopes(self, q: Array) -> Array:
        """∂E/∂q of the closure equations by the passive joints, (samples, equations, passive joints)."""
        return np.nan_to_num(self._assembler.gap(q).dE[:, :, self.passive])

    def conditions(self, q: Array) -> Array:
        """Condition numbers of the equations that give the passive joints, (samples,); infinite at a dead point."""
        return _condition(self.slopes(q))

    def dead_points(self, q: Array) -> Array:
        """The samples of a motion behind which the loops pass a dead point."""
        slopes = self.slopes(q)
        return np.flatnonzero(~same_side(slopes[:-1], slopes[1:]))

    def apart(self, a: Array, b: Array) -> Array:
        """The largest difference of two configurations, without whole turns."""
        return np.asarray(np.abs(self._assembler.difference(a, b)).max(axis=-1))

    def in_turns(self, a: Array, b: Array) -> tuple[Array, Array]:
        """a − b of configurations as a rest and whole turns."""
        periods = np.asarray(self.periods, dtype=float)
        turns = np.where(periods > 0, np.round((a - b) / np.where(periods > 0, periods, 1.0)) * periods, 0.0)
        return a - b - turns, turns

    def allowed(self, q: Array) -> bool:
        """Whether passive joints are inside the limits of the description."""
        return bool(np.isfinite(q).all()) and len(self._assembler.within(q[None])) == 1

    def given(self, guess: Any) -> Array:
        """The closed configuration that a user gives, which may be rounded; an error where it is none."""
        n, robot = len(self.subject.variables), self.subject.robot
        try:
            q = np.asarray(guess, dtype=float)
        except (TypeError, ValueError):
            q = np.zeros(0)
        if q.shape != (n,) or not np.isfinite(q).all():
            names = ", ".join(str(joint.variable) for joint in self.subject.variables)
            raise DataError(f"guess is not allowed (allowed: a closed configuration, {n} numbers for {names})")
        found, closed = self._assembler.newton(q[None])
        if not closed[0] or self.apart(found[0], q) > _CORRECTION:
            raise DataError(f"guess does not close the loops of {robot.name} (symoro.loop_geometry closes them)")
        return np.asarray(q + self._assembler.difference(found[0], q))

    # steps

    def stepped(self, q: Array, x: Array) -> Array:
        """The configurations after a step of the motors to x, (samples, variables); NaN where it leaves the branch."""
        ahead = q + np.einsum("tij,tj->ti", self.directions(q), x - q[:, self.motors])
        ahead[:, self.motors] = x
        with np.errstate(all="ignore"):
            reached, closed = self._assembler.newton(np.nan_to_num(ahead), steps=10)
            moved = self._assembler.difference(reached, ahead)
        near = closed & (np.abs(moved) < _CORRECTION).all(axis=1)  # NaN is not near
        found = np.where(near[:, None], ahead + moved, np.nan)
        before, behind = self.slopes(q[near]), self.slopes(found[near])
        regular = (_condition(behind) <= self.limit) & (same_side(before, behind) | ~np.isfinite(self.limit))
        found[near] = np.where(regular[:, None], found[near], np.nan)
        return found

    def reached(self, start: Array, x: Array) -> Array:
        """The configurations at the ends of straight lines of the motors from `start`; NaN where a branch ends."""
        begin = np.asarray(start, dtype=float)[..., self.motors]
        length = np.abs((x - begin)[:, self.steering]).max(axis=1, initial=0.0)
        return ends_of_lines(self.stepped, start, begin, x, length / STEP)

    def continuous(self, q: Array) -> bool:
        """Whether configurations along a motion follow each other as their tangents say, without a jump."""
        if not np.isfinite(q).all():
            return False
        ahead = np.einsum("tij,tj->ti", self.directions(q[:-1]), np.diff(q[:, self.motors], axis=0))
        return bool((np.abs(np.diff(q, axis=0) - ahead) < _CORRECTION + np.abs(ahead) / 2).all())


def _condition(slopes: Array) -> Array:
    singular = np.linalg.svd(slopes, compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(singular[:, 0] / singular[:, -1], nan=np.inf))


@lru_cache(maxsize=8)
def _compiled(robot: Robot) -> tuple[Assembly, Function]:
    """What closes the loops, and their kinematics; those of the last robots are kept."""
    return loop_geometry(robot).compile(), model("loop_kinematics", robot).compile()


def usual_configuration(loops: LoopBranch, low: Array, high: Array, wider: bool = True) -> Array:
    """The closed configuration that is taken where nothing else chooses a branch; `CannotClose` where there is none.

    Of all branches at some positions of the motors between the limits, far from dead points, it is the one with the
    smallest passive joints. Branches on which passive joints move evenly with the motors go first: they are what
    parallelograms are built for. Exciting motions and recordings of the motors alone share this rule. Where nothing
    closes between the limits, sliders of loops may be anywhere, unless `wider` forbids it.
    """
    every = _closed_between(loops, low, high, _DRAWN)
    if wider and not len(every):
        slides = loops.steering & [joint.prismatic for joint in loops.subject.motors]
        low, high = (np.where(slides, side * loops.reach, x) for side, x in ((-1, low), (1, high)))
        every = _closed_between(loops, low, high, _WIDER * _DRAWN)
    if not len(every):
        raise CannotClose(f"the loops of {loops.subject.robot.name} do not close between the limits of its motors")
    condition = loops.conditions(every)
    far = every[condition <= _FAR * condition.min()]
    even = _moves_evenly(loops, far)
    far = far[even] if even.any() else far
    return np.asarray(far[int(np.linalg.norm(far[:, loops.passive], axis=1).argmin())])


def _closed_between(loops: LoopBranch, low: Array, high: Array, count: int) -> Array:
    """Closed configurations in the middle of the limits and at random positions between them."""
    parts = np.vstack([np.full(len(low), 0.5), np.random.default_rng(0).uniform(0.1, 0.9, (count - 1, len(low)))])
    return np.vstack([_ways(loops, low + part * (high - low)) for part in parts])


def _ways(loops: LoopBranch, x: Array) -> Array:
    """All ways to close the loops that are cheap to find, (ways, joints)."""
    try:
        return loops.assembly.branches(x) if loops.assembly.exact else loops.assembly(x)[None]
    except CannotClose:
        return np.zeros((0, len(loops.subject.variables)))


def _moves_evenly(loops: LoopBranch, q: Array) -> Array:
    """At which configurations passive joints have constant velocities while the motors have."""
    ahead = loops.stepped(q, q[:, loops.motors] + STEP * np.linspace(0.4, 1.0, len(loops.motors)))
    found = np.abs(loops.directions(np.nan_to_num(ahead)) - loops.directions(q)).max(axis=(1, 2))
    return np.asarray(np.isfinite(ahead).all(axis=1) & (found < _STEADY))
