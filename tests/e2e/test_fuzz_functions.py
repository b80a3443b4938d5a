"""Compiled functions called with anything: a symoro error, or the result that Pinocchio gives. 2,000 seeded calls."""

from __future__ import annotations

import array
import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.reference import Reference
from symoro.errors import SymoroError
from symoro.runtime import Function
from symoro.runtime.function import of_arrays

CASES, BATCHES = 2000, 20
ROBOT = symoro.load("planar2r")
INPUTS = {"q": (2,), "qd": (2,), "qdd": (2,), "wrench": (1, 6)}

#: What nobody should give as an array.
HOSTILE: list[Callable[[], Any]] = [
    lambda: None,
    lambda: "q",
    lambda: ["a", "b"],
    lambda: ["1", "2"],
    lambda: b"12",
    lambda: [1j, 0],
    lambda: np.array([1 + 1e-20j, 0]),
    lambda: np.array([1, 2], dtype=object),
    lambda: np.array([1, 2], dtype="datetime64[D]"),
    lambda: np.zeros(2, dtype=[("a", float)]),
    lambda: np.ma.masked_array([1.0, 2.0], [True, False]),
    lambda: [[1], [1, 2]],
    lambda: [10**400, 1],
    lambda: {"q": 1},
    lambda: {1, 2},
    lambda: object(),
    lambda: (x for x in (1, 2)),
    lambda: [Fraction(1, 3), 1],
    lambda: [Decimal("0.1"), 1],
    lambda: [None, None],
    lambda: 3,
    lambda: np.float64(3),
    list,
    lambda: [[]],
    lambda: np.zeros((2, 0)),
    lambda: np.zeros(3),
    lambda: np.zeros((3, 3)),
    lambda: np.zeros((2,) * 5),
    lambda: [np.nan, np.inf],
    lambda: np.array([1e308, -1e308]),
    lambda: np.longdouble("1e400") * np.ones(2),
]


class Own(np.ndarray):
    """A kind of array that somebody else has made."""


def fitting(shape: tuple[int, ...], random_: random.Random) -> Any:
    """An array that fits, in one of many forms."""
    batch = random_.choice([(), (), (), (3,), (1,), (2, 1), (2, 3), (0,)])
    rng = np.random.default_rng(random_.randrange(2**32))
    x = rng.uniform(-1, 1, (*batch, *shape))
    forms: list[Callable[[], Any]] = [
        lambda: x,
        lambda: x.tolist(),
        lambda: x.astype(np.float32),
        lambda: x.astype(">f8"),
        lambda: np.rint(3 * x).astype(np.int8),
        lambda: x > 0,
        lambda: np.asfortranarray(x),
        lambda: np.repeat(x, 2, axis=-1)[..., ::2],
        lambda: x[..., ::-1],
        lambda: x.view(Own),
        lambda: np.ma.masked_array(x, False),
        lambda: array.array("d", x) if x.ndim == 1 else memoryview(x),
        lambda: x.astype(np.longdouble),
    ]
    return random_.choice(forms)()


def arguments(random_: random.Random) -> tuple[list[Any], dict[str, Any]]:
    """Inputs by position and by name, mostly good ones."""
    good = [fitting(shape, random_) for shape in INPUTS.values()]
    good = good[: random_.choice([3, 3, 3, 4])]
    for k in range(len(good)):
        if random_.random() < 0.15:
            good[k] = random_.choice(HOSTILE)()
    names = list(INPUTS)[: len(good)]
    split = random_.choice([len(good), len(good), random_.randrange(len(good) + 1)])
    named = dict(zip(names[split:], good[split:], strict=True))
    if random_.random() < 0.1:
        named[random_.choice(["tau", "q", "wrench", "", "values_"])] = random_.choice(HOSTILE)()
    return good[:split] + [None] * (random_.random() < 0.05), named


def values(random_: random.Random) -> Any:
    """Values of parameters, mostly none."""
    if random_.random() < 0.5:
        return None
    if random_.random() < 0.1:
        return random_.choice(HOSTILE)()
    numbers: list[Callable[[], Any]] = [
        lambda: 2,
        lambda: 0.5,
        lambda: np.int64(3),
        lambda: np.float32(0.25),
        lambda: Fraction(1, 3),
        lambda: np.array(1.5),
        lambda: [0.5, 1.5, 2.5],
        lambda: np.linspace(1, 2, 3),
        lambda: np.ones((2, 1)),
        *HOSTILE,
    ]
    names = ["L1", "L2", "G2", "IA1", "FV2", "FS1"]  # with which Pinocchio's inertias stay possible
    found = {random_.choice(names): random_.choice(numbers[: 9 + 2 * (random_.random() < 0.3)])() for _ in range(2)}
    if random_.random() < 0.2:
        found[random_.choice(["L1", "M22", "", 3, None, ("M2",)])] = random_.choice(numbers)()  # type: ignore[index]
    return found


def into(random_: random.Random, positional: list[Any], found: np.ndarray[Any, Any]) -> Any:
    """An array for `out`: most have the shape of the result, in one of many forms."""
    shape = random_.choice([found.shape] * 9 + [(*found.shape, 1), (3,)])
    new = np.full(shape, 7.0)
    given = [x for x in positional if isinstance(x, np.ndarray) and x.shape == shape and x.flags.writeable]
    forms: list[Callable[[], Any]] = [
        lambda: new,
        lambda: new.astype(np.float32),
        lambda: new.astype(">f8"),
        lambda: new.astype(np.float16),
        lambda: new.astype(complex),
        lambda: new.astype(int),
        lambda: new.astype("U9"),
        lambda: np.asfortranarray(new),
        lambda: np.repeat(new, 2, axis=-1)[..., ::2],
        lambda: new[::-1],
        lambda: new.view(Own),
        lambda: np.broadcast_to(new, shape),  # read-only
        lambda: new.tolist(),
        *[lambda: random_.choice(given)] * 3 * bool(given),  # on an input
    ]
    return random_.choice(forms)()


def as_numbers(value: Any) -> np.ndarray[Any, Any]:
    return np.asarray(float(value) if isinstance(value, Fraction) else value, dtype=np.float64)


def assert_right(found: Any, positional: list[Any], named: dict[str, Any], given: Any) -> bool:
    """Compare every row of a result with Pinocchio; whether there was a row of finite numbers."""
    inputs = dict(zip(INPUTS, positional, strict=False)) | named
    arrays = {name: np.asarray(x, dtype=np.float64) for name, x in inputs.items()}
    numbers = {name: as_numbers(x) for name, x in (given or {}).items()}
    leading = [x.shape[: x.ndim - len(INPUTS[name])] for name, x in arrays.items()]
    batch = np.broadcast_shapes(*leading, *(x.shape for x in numbers.values()))
    assert found.shape == (*batch, 2)
    full = {name: np.broadcast_to(x, (*batch, *INPUTS[name])) for name, x in arrays.items()}
    values_ = {name: np.broadcast_to(x, batch) for name, x in numbers.items()}
    if not all(np.isfinite(x).all() and (abs(x) < 1e9).all() for x in (*full.values(), *values_.values())):
        return False
    for place in np.ndindex(*batch):
        state = {"wrench": np.zeros((1, 6))} | {name: x[place] for name, x in full.items()}
        robot = ROBOT.with_values({name: float(x[place]) for name, x in values_.items()})
        torques = Reference(robot, state).torques(state["qdd"])
        assert_close(found[place].real, torques, max(1e-9, 4 * float(np.finfo(found.dtype).eps)))
    return bool(batch == () or np.prod(batch))


def batches() -> list[Any]:
    """The first batch is in every run, the others are long."""
    return [pytest.param(batch, marks=pytest.mark.long if batch else ()) for batch in range(BATCHES)]


@pytest.fixture(scope="module")
def functions() -> list[Function]:
    model = symoro.inverse_dynamics(ROBOT)
    return [model.compile(backend) for backend in of_arrays()]


@pytest.mark.parametrize("batch", batches())
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # by NumPy, in the comparison
def test_calls_with_anything(functions: list[Function], batch: int) -> None:
    random_, of_outputs, outcomes = random.Random(batch), random.Random(-batch), Counter[str]()
    for case in range(CASES // BATCHES):
        positional, named = arguments(random_)
        given = values(random_)
        f = functions[case % len(functions)]
        try:
            found = f(*positional, values=given, **named)
            as_given = [x.copy() if isinstance(x, np.ndarray) else x for x in positional]
            outcomes["right" if assert_right(found, positional, named, given) else "empty or not finite"] += 1
            out = into(of_outputs, positional, found)
            again = f(*positional, values=given, out=out, threads=1 + case % 3, **named)
            assert again is out
            outcomes["written"] += assert_right(again, as_given, named, given)
        except SymoroError as error:
            outcomes["error" if str(error) else "an error that says nothing"] += 1
    assert outcomes.keys() <= {"error", "right", "empty or not finite", "written"}
    assert outcomes["error"] > 20
    assert outcomes["right"] > 20
    assert outcomes["written"] > 5


def anything(random_: random.Random) -> Any:
    return random_.choice([*HOSTILE, lambda: 1e9, lambda: [0.3, 0.397, 1.255]])()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 5))])
@pytest.mark.filterwarnings("ignore::symoro.errors.LoopWarning")
def test_closing_loops_with_anything(seed: int) -> None:
    closing, random_, outcomes = symoro.loop_geometry("four-bar").compile(), random.Random(seed), Counter[str]()
    for _ in range(60):
        qa = random_.choice([0.3, [0.3], [[0.3], [0.4]], anything(random_), anything(random_)])
        guess = random_.choice([None, [0.3, 0.397, 1.255], anything(random_)])
        numbers = random_.choice([None, {}, {"L1": 0.31}, {"L1": anything(random_)}])
        try:
            q = closing(qa, guess, values=numbers)
        except SymoroError as error:
            outcomes["error" if str(error) else "an error that says nothing"] += 1
        else:
            assert np.abs(closing.gap(q, values=numbers)).max(initial=0) < 1e-9
            outcomes["closed"] += 1
    assert outcomes.keys() == {"error", "closed"}
