"""Functions that Python calls directly: the only place where symoro writes into Python objects, behind one door.

The code of such a function reads NumPy arrays where they lie in memory and makes new ones. It is several times faster
for one state than a call that goes through Python, and it depends on how this Python and this NumPy lay out objects.
The door is therefore shut where the layout is not the known one, where a call on a small program gives a wrong value
or a wrong number of references, and where the environment says SYMORO_DIRECT=0. Functions then take the safe way,
which gives the same results.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Input, Program, Variable
from symoro.runtime.direct.call import direct_answer, direct_function
from symoro.runtime.direct.code import OUTPUTS, SLOTS
from symoro.runtime.function import Function
from symoro.runtime.llvm_machine import LlvmKernel

#: The variable of the environment that shuts the door. It is read for each function, so that tests can shut it, too.
VARIABLE = "SYMORO_DIRECT"


def function(program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str) -> Function:
    """The program as a function of NumPy arrays, the backend `llvm`: called directly where that is safe."""
    called = called_directly(program, defaults, known, dtype)
    return called or Function(program, partial(LlvmKernel, dtype=dtype), defaults, known)


def called_directly(
    program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str = "float64"
) -> Function | None:
    """A function that Python calls directly; None where the door is shut."""
    return direct_function(program, defaults, known, dtype) if _is_open() and calls_are_right() else None


def answering(
    function: Any, answer: type, complete: Any, unreachable: Any, nearly: float | None
) -> Callable[..., Any] | None:
    """A function that makes the whole answer to one state of a program with branches; None where the door is shut.

    See `direct_answer` for its arguments. It gives None for a state that is not a usual one.
    """
    open_ = _is_open() and answers_are_right()
    return direct_answer(function, answer, complete, unreachable, nearly) if open_ else None


def _is_open() -> bool:
    return os.environ.get(VARIABLE) != "0"


# Calls of small programs, whose values and numbers of references show whether direct calls are right.
#
# Nothing here raises an error: whatever is not as expected means that they are not.


_X = np.array([1.5, -2.0])


@cache
def calls_are_right() -> bool:
    """Whether functions of one output and of two give new arrays, fill those of `out=`, and keep no reference."""
    return _without_error(lambda: _one_output_is_right() and _two_outputs_are_right())


@cache
def answers_are_right() -> bool:
    """Whether an answer has the right numbers in its slots, and owns them alone."""
    return _without_error(_answer_is_right)


def _without_error(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except Exception:
        return False


def _one_output_is_right() -> bool:
    f, x, out, fresh = direct_function(_program(1), {}, (), "float64"), _X.copy(), np.empty(2), np.empty(2)
    if f is None:
        return False
    f(x)  # the first call goes the general way, which computes the constants
    before = sys.getrefcount(x), sys.getrefcount(out)
    for _ in range(3):
        result, same = f(x), f(x, out=out)
        right = same is out and _is_new(result, _X**2) and np.array_equal(out, _X**2)
        if not right or sys.getrefcount(result) != sys.getrefcount(fresh):
            return False
        del result, same
    return (sys.getrefcount(x), sys.getrefcount(out)) == before


def _two_outputs_are_right() -> bool:
    f, x, fresh, pair = direct_function(_program(2), {}, (), "float64"), _X.copy(), np.empty(2), (_X, _X)
    if f is None:
        return False
    f(x)
    before, holder = sys.getrefcount(x), [fresh]  # an array that two objects hold
    for _ in range(3):
        result = f(x)
        right = _is_new(result[0], _X**2) and _is_new(result[1], np.array(-3.0))
        if not right or sys.getrefcount(result) != sys.getrefcount(pair):
            return False
        squares = result[0]
        if sys.getrefcount(squares) != sys.getrefcount(fresh):
            return False
        del result, squares
    return holder[0] is fresh and sys.getrefcount(x) == before


def _is_new(array: Any, expected: Any) -> bool:
    """Is it an array of its own, with these values?"""
    wanted = np.asarray(expected)
    whole = type(array) is np.ndarray and bool(array.flags.owndata)
    return whole and array.dtype == wanted.dtype and np.array_equal(array, wanted)


def _program(outputs: int) -> Program:
    """SQUARES: those of two numbers; PRODUCT: theirs."""
    g, array = Graph(), Input("x", (2,), (Variable("x0"), Variable("x1")))
    a, b = g.symbol("x0"), g.symbol("x1")
    results = [Result("SQUARES", (2,), (a * a, b * b), ("A", "B")), Result("PRODUCT", (), (a * b,), ("C",))]
    return extract(g, [array], (), results[:outputs])


class _Answer:
    """An answer as that of inverse geometry."""

    __slots__ = SLOTS
    q: Any
    valid: Any
    free: Any
    distance: Any
    status: Any
    poses: Any


def _answer_is_right() -> bool:
    f, x, status, other = direct_function(_branches(), {}, (), "float64"), _X.copy(), object(), object()
    if f is None:
        return False
    f(x)
    call = direct_answer(f, _Answer, status, other, None)
    if call is None:
        return False
    before = sys.getrefcount(x), sys.getrefcount(status), sys.getrefcount(other)
    for _ in range(3):
        answer = call(x)
        if not _has(answer, status) or sys.getrefcount(status) != before[1] + 1:
            return False
        del answer
    return (sys.getrefcount(x), sys.getrefcount(status), sys.getrefcount(other)) == before


def _has(answer: Any, status: object) -> bool:
    """Has it what `_branches` gives?"""
    return (
        type(answer) is _Answer
        and _is_new(answer.q, [[1.5, -2.0]])
        and _is_new(answer.valid, [True])
        and _is_new(answer.free, [False, False])
        and _is_new(answer.distance, np.array(0.25))
        and answer.status is status
        and answer.poses is None
    )


def _branches() -> Program:
    """One branch, which exists: its numbers are the two of the input."""
    g, array = Graph(), Input("x", (2,), (Variable("x0"), Variable("x1")))
    q = g.symbol("x0"), g.symbol("x1")
    one, zero, error = g.constant(1), g.constant(0), g.constant(Fraction(1, 4))
    elements = {"q": q, "valid": (one,), "free": (zero, zero), "error": (error,), "state": (one, one, zero, error)}
    shapes = {"q": (1, 2), "valid": (1,), "free": (1, 2), "error": (1,), "state": (4,)}
    names = {name: tuple(f"{name}{k}" for k in range(len(elements[name]))) for name in OUTPUTS}
    return extract(g, [array], (), [Result(name, shapes[name], elements[name], names[name]) for name in OUTPUTS])
