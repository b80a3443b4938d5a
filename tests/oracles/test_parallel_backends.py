"""Models of parallel robots by JAX and CasADi give what NumPy and LLVM give."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import jax
import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.platforms import Platform, joint_positions, random_motion, reachable_pose
from symoro.errors import ModelError
from symoro.model import Model
from symoro.models.catalogue import entries
from symoro.robot import library
from symoro.solve.given import model

LONG = pytest.mark.long
PLATFORMS = [entry.name for entry in entries() if entry.of_kind("platform").methods]
DYNAMICS = ("inverse_dynamics", "direct_dynamics")
#: JAX compiles two arms in minutes.
ROBOTS = [name for name in library.parallel_names() if name != "cooperating-arms"]


def by_both(made: Model, given: dict[str, Any]) -> list[Any]:
    """The outputs by NumPy, which are those by LLVM."""
    every = [made.compile(backend)(**given) for backend in ("numpy", "llvm")]
    first, second = ([x] if len(made.outputs) == 1 else list(x) for x in every)
    for x, y in zip(first, second, strict=True):
        assert_close(y, x, 1e-11)
    return first


@pytest.fixture(scope="module")
def apart() -> Iterator[ProcessPoolExecutor]:
    """A process of its own: JAX brings another LLVM, beside which ours has aborted in long runs of tests."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield pool


def compare(apart: ProcessPoolExecutor, name: str, robot: str, backends: tuple[str, ...]) -> bool:
    """Whether the robot has the model, whose outputs are the same by all backends."""
    return apart.submit(_compared, name, robot, backends).result()


def _compared(name: str, robot: str, backends: tuple[str, ...]) -> bool:
    with jax.enable_x64(True):
        return _same(name, robot, backends)


def _same(name: str, robot: str, backends: tuple[str, ...]) -> bool:
    described = symoro.load(robot)
    assert described.platforms
    try:
        made = model(name, described, optimize=False)
    except ModelError:  # what iterates, and forces that rigid bodies do not determine
        return False
    rng = np.random.default_rng(0)
    T = reachable_pose(described, rng, far=0.1)
    V, VP, *_ = random_motion(Platform(described, T, joint_positions(described, T)), rng)
    motion = {"T": T, "V": V, "VP": VP}
    given = {n: motion.get(n, rng.uniform(-1, 1, shape)) for n, shape in made.inputs.items()}
    wanted = by_both(made, given)
    for backend in backends:
        found = made.compile(backend)(**given)
        if backend == "casadi":
            arrays = [found[output] for output in made.outputs]
        else:
            arrays = [found] if len(wanted) == 1 else list(found)
        for x, y in zip(arrays, wanted, strict=True):
            assert_close(np.asarray(x, float).reshape(y.shape), y, 1e-10)
    return True


@pytest.mark.parametrize("name", ["inverse_dynamics", pytest.param("direct_dynamics", marks=LONG)])
@pytest.mark.parametrize("robot", ["3rps", *(pytest.param(n, marks=LONG) for n in ROBOTS if n != "3rps")])
def test_dynamics_of_every_robot(apart: ProcessPoolExecutor, robot: str, name: str) -> None:
    assert compare(apart, name, robot, ("jax", "casadi"))


@pytest.mark.long
def test_every_model_of_a_robot(apart: ProcessPoolExecutor) -> None:
    assert sum(compare(apart, name, "3rps", ("jax", "casadi")) for name in PLATFORMS) >= 11


@pytest.mark.long
@pytest.mark.parametrize("name", DYNAMICS)
def test_two_arms_by_casadi(apart: ProcessPoolExecutor, name: str) -> None:
    assert compare(apart, name, "cooperating-arms", ("casadi",))
