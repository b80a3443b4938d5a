"""One state of a program with branches as a call that makes the whole answer, see `llvm_answer`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from symoro.errors import MissingParameter
from symoro.runtime.direct.call import DirectFunction, address, known_addresses
from symoro.runtime.direct.layout import layout, slot_offsets
from symoro.runtime.direct.llvm_answer import BRANCHES_CONTEXT, OUTPUTS, SLOTS, AnswerLayout, branches_text
from symoro.runtime.llvm_machine import LlvmBound, LlvmKernel, code

_api = ctypes.pythonapi
#: The flag of a method that takes its arguments as an array of objects, in CPython's stable interface.
_FASTCALL = 0x80


class _Method(ctypes.Structure):
    _fields_ = (
        *(("name", ctypes.c_char_p), ("function", ctypes.c_void_p)),
        *(("flags", ctypes.c_int), ("text", ctypes.c_char_p)),
    )


class _Context(np.ndarray[Any, Any]):
    """The words that the code reads. What they point to hangs on it, so that it lives as long as the function."""

    kept: tuple[Any, ...]


def direct_answer(
    function: Any, answer: type, complete: Any, unreachable: Any, nearly: float | None
) -> Callable[..., Any] | None:
    """A function of the arrays of one state that gives an `answer`, or None where the state is not a usual one.

    `complete` or `unreachable` is the status of the answer: whether branches exist. With `nearly`, a state where more
    branches have an error below it than exist is not a usual one. There is no such function where `function` is not a
    direct one, and for parameters without a number.
    """
    slots = slot_offsets(answer, SLOTS)
    if slots is None or not isinstance(function, DirectFunction) or function.dtype != np.float64:
        return None
    if tuple(output.name for output in function.program.outputs) != OUTPUTS:
        return None
    try:
        bound = cast(LlvmBound, function._bind({}))
    except MissingParameter:
        return None
    return _compiled(function, bound, AnswerLayout(slots, nearly), (answer, complete, unreachable))


def _compiled(
    function: DirectFunction, bound: LlvmBound, answer: AnswerLayout, objects: tuple[Any, Any, Any]
) -> Callable[..., Any]:
    kernel: LlvmKernel = bound.kernel
    key = "branches", kernel.digest, layout(), answer
    branches = code(key, ("branches",), lambda: branches_text(kernel.program, answer))
    optional = [function._optional[i.name] for i in function.program.inputs if i.optional]
    kind, complete, unreachable = objects
    words = known_addresses() | {
        "descriptor": id(function.dtype),
        "allocate": address(_api.PyType_GenericAlloc),
        "nothing": id(None),
        "answer.type": id(kind),
        "complete": id(complete),
        "unreachable": id(unreachable),
        "states": kernel.one.address("states"),
        "constants": bound.constants.ctypes.data,
    }
    numbers = [*(words[word] for word in BRANCHES_CONTEXT), *(array.ctypes.data for array in optional)]
    context = np.array(numbers, dtype=np.int64).view(_Context)
    context.kept = branches, function, bound, optional, objects
    new = _api.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    called: Callable[..., Any] = new(ctypes.addressof(_method(branches.address("branches"))), context, None)
    return called


@cache
def _method(code: int) -> _Method:
    """How Python sees the code. It is kept for ever: the garbage collector may free a function after all it holds."""
    return _Method(b"branches", code, _FASTCALL, None)
