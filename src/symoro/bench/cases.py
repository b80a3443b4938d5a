"""What is compared: models of a robot, with states, as calls of symoro."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.bench.timing import Call, call
from symoro.errors import ModelError
from symoro.ir.program import Input
from symoro.model import Model
from symoro.models.catalogue import find
from symoro.models.parallel.platform import home
from symoro.robot.robot import Robot
from symoro.solve.given import model

Array = NDArray[np.float64]

#: Bytes of the results of a batch at most.
_MEMORY = 2**28
#: The models that other libraries have, too.
MODELS = ("inverse_dynamics", "direct_dynamics", "inertia_matrix", "dynamic_regressor", "jacobian")


@dataclass(frozen=True, slots=True)
class BenchCase:
    """A model and random states (n, joints) for it, one array for each input."""

    name: str
    model: Model
    states: tuple[Array, ...]

    def calls(self) -> tuple[dict[str, Call], dict[str, Call]]:
        """Calls with one state and with all states."""
        f, n = self.model.compile(), len(self.states[0])
        one = tuple(np.ascontiguousarray(x[0]) for x in self.states)
        out, results = f(*one), f(*self.states)
        single, batch = {"call": call(f, *one)}, {"batch": call(f, *self.states, states=n)}
        if isinstance(out, np.ndarray):
            single["call out="] = call(f, *one, out=out)
            batch["batch out="] = call(f, *self.states, states=n, out=results)
        return single, batch

    def in_threads(self, threads: int) -> dict[str, Call]:
        """Calls with all states, in one thread and in several."""
        f, n = self.model.compile(), len(self.states[0])
        out = f(*self.states)
        options: dict[str, Any] = {"out": out} if isinstance(out, np.ndarray) else {}
        numbers = (1, threads) if threads > 1 else ()
        return {f"batch threads={k}": call(f, *self.states, states=n, threads=k, **options) for k in numbers}


def plain(robot: Robot) -> Robot:
    """The robot without what other libraries do not have: drives and wrenches.

    Elastic joints keep their drives, because the motion of their motors depends on them. Platforms stay as they are.
    """
    needed = robot.platforms or any(joint.elastic for joint in robot.joints)
    return robot if needed else replace(robot, drives=(), wrenches=())


def cases(robot: Robot, names: list[str], n: int) -> list[BenchCase]:
    """The models of these names that the robot has, each with n states, or fewer if the results are large.

    A robot whose joints are all fixed has nothing to compute in most of them.
    """
    rows = []
    for name in names:
        entry = find(name)
        if entry.reason(robot) is not None:
            continue
        options = {o.name: robot.link_count for o in entry.of(robot).all_options if o.required and o.name == "link"}
        built = model(entry.name, robot, **options)
        size = 8 * sum(len(o.elements) for o in built.program.outputs)
        if not size:
            continue  # no joint moves
        rows.append(BenchCase(entry.name, built, _states(built, max(1, min(n, _MEMORY // size)))))
    return rows


def _states(built: Model, n: int) -> tuple[Array, ...]:
    """Random numbers, where loops are closed; a platform is at rest at home, because legs do not reach every pose."""
    rng, assembled = np.random.default_rng(0), {} if built.robot.platforms else built.source.inputs

    def states(array: Input) -> Array:
        if array.name in assembled:
            return np.resize(assembled[array.name], (n, *array.shape))
        if built.robot.platforms:
            return np.tile(home(built.robot), (n, 1, 1)) if array.name == "T" else np.zeros((n, *array.shape))
        return rng.uniform(-1, 1, (n, *array.shape))

    return tuple(states(array) for array in built.program.inputs if not array.optional)


def require_equal(case: BenchCase, theirs: Array, library: str) -> None:
    """A comparison is fair only if both compute the same."""
    ours = case.model.compile()(*(x[0] for x in case.states))
    error = np.abs(ours - theirs).max() / (1 + np.abs(theirs).max())
    if not error < 1e-8:
        raise ModelError("bench.differs", model=case.name, robot=case.model.robot.name, library=library, distance=error)
