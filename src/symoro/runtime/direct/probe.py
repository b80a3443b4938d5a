"""Calls of small programs, whose values and numbers of references show whether direct calls are right.

Nothing here raises an error: whatever is not as expected means that they are not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Input, Program, Variable
from symoro.runtime.direct.answer import direct_answer
from symoro.runtime.direct.call import direct_function
from symoro.runtime.direct.llvm_answer import OUTPUTS, SLOTS

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
