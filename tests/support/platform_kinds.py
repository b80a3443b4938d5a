"""The models of one kind of parallel robots, made once, and random robots of the kind at poses that they reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count

import numpy as np

from support.free_robots import Array
from support.platform_loops import Loops
from support.platforms import Platform
from support.random_platforms import random_platform
from symoro.bind.interface import inputs
from symoro.ir.evaluate import evaluate as run
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Program, Variable
from symoro.models.parallel.mechanism import bound_legs, structure
from symoro.models.parallel.platform import PoseSymbols, moved
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate
from symoro.runtime import Function
from symoro.solve.given import model

Numbers = Mapping[str, float]
#: Poses nearer to a singularity are not taken: both formulations lose digits there.
_WORST = 1e3


@dataclass(frozen=True, eq=False)
class Case:
    """A random robot at a pose: the model with Lagrange multipliers, and the robot with closed loops and its q."""

    platform: Platform
    loops: Robot
    q: Array

    @property
    def numbers(self) -> dict[str, float]:
        return self.platform.numbers


@dataclass(frozen=True, eq=False)
class Kind:
    """The symbols of a kind, with the numbers of a first robot."""

    name: str

    @cached_property
    def robot(self) -> Robot:
        return random_platform(self.name, np.random.default_rng(0))

    @cached_property
    def _letters(self) -> PoseSymbols:
        return PoseSymbols(self.robot, Graph())

    @cached_property
    def _legs(self) -> tuple[Program, Program]:
        """Programs of T: the joints of all legs, and constraints with their residual."""
        legs = bound_legs(self._letters, structure(self.robot))
        rows = [x for leg in legs for row in leg.constraints for x in row]
        errors = [x for leg in legs if leg.free for x in leg.excess(leg.residual)]
        return self._program([leg.s.q[j] for leg in legs for j in leg.s.variables]), self._program([*rows, *errors])

    def _program(self, elements: Sequence[Expr]) -> Program:
        letters = self._letters
        results = [Result("X", (len(elements),), tuple(elements), ())]
        return extract(letters.graph, inputs(letters, ["T"]), map(Variable, letters.parameter_names), results)

    def _value(self, program: Program, T: Array, numbers: Numbers) -> Array:
        known = {p.name: numbers[p.name] for p in program.parameters}
        return run(program, {"T": T}, known)["X"]

    def _reached(self, robot: Robot, T: Array, numbers: Numbers) -> Array:
        """The pose near T that the constraints allow, by Newton's method."""
        _, program = self._legs
        rows = sum(program.outputs[0].shape) // 7
        for _ in range(30 if rows else 0):
            found = self._value(program, T, numbers)
            if not np.isfinite(found).all():
                return np.full((4, 4), np.nan)
            C, e = found[: 6 * rows].reshape(rows, 6), found[6 * rows :]
            T = moved(T, -np.linalg.lstsq(C, e, rcond=1e-9)[0])
        return T

    def case(self, seed: int) -> Case:
        """The random robot of this seed, at a pose near home; drawn again where legs do not reach or are singular."""
        for attempt in count():
            rng = np.random.default_rng([seed, attempt])
            robot = random_platform(self.name, rng)
            numbers = robot.values.numbers()
            home = np.array([[evaluate(x, numbers) for x in row] for row in robot.home])
            step = 0.15 * np.r_[0.3, 0.3, 0.3, 1, 1, 1] * rng.uniform(-1, 1, 6)
            if structure(self.robot).fixed is not None:  # the models are those of platforms that translate, for example
                step[list(structure(self.robot).dependent)] = 0
            T = self._reached(robot, moved(home, step), numbers)
            q = self._value(self._legs[0], T, numbers)
            if np.isfinite(q).all() and np.isfinite(T).all() and _regular(platform := Platform(robot, T, q)):
                loops = Loops(robot, symbols=True)
                return Case(platform, loops.closed(), loops.configuration(q, T))
        raise AssertionError

    @cached_property
    def inverse(self) -> Function:
        return model("inverse_dynamics", self.robot, optimize=False).compile("numpy")

    @cached_property
    def direct(self) -> Function:
        return model("direct_dynamics", self.robot, optimize=False).compile("numpy")

    def loop_model(self, name: str) -> Function:
        """A model of the robot with closed loops; its independent equations are those of the first random robot."""
        return _loop_model(self.name, name)


def _regular(platform: Platform) -> bool:
    """Whether legs meet the platform, and motors and constraints hold it well."""
    if platform.closure() > 1e-11:
        return False
    n = len(platform.q)
    C, _ = platform.constraints(np.zeros(n + 6))
    passive = [k for k, x in enumerate(platform.motors().sum(1)) if not x]
    values = np.linalg.svd(C[:, passive], compute_uv=False)
    values = values[values > 1e-9]
    return bool(values[0] / values[-1] < _WORST)


@cache
def kind(name: str) -> Kind:
    return Kind(name)


@cache
def _loop_model(name: str, row: str) -> Function:
    first = kind(name).case(0)
    return model(row, first.loops, optimize=False, at=tuple(first.q)).compile("numpy")
