"""One state of a program with branches as a call that makes the whole answer, see `llvm_call`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from symoro.errors import MissingParameter
from symoro.runtime.call import address, function_type, known_addresses
from symoro.runtime.llvm_call import BRANCHES_CONTEXT, LAYOUT, OUTPUTS, SLOTS, Answer, branches_text
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


def answering(
    function: Any, answer: type, complete: Any, unreachable: Any, nearly: float | None
) -> Callable[..., Any] | None:
    """A function of the arrays of one state that gives an `answer`, or None where the state is not a usual one.

    `complete` or `unreachable` is the status of the answer: whether branches exist. With `nearly`, a state where more
    branches have an error below it than exist is not a usual one. There is no such function for another backend than
    LLVM, for parameters without a number, and where the layout of objects is not known.
    """
    slots = _offsets(answer)
    if LAYOUT is None or slots is None or type(function) is not function_type():
        return None
    if tuple(output.name for output in function.program.outputs) != OUTPUTS or function.dtype != np.float64:
        return None
    try:
        bound = cast(LlvmBound, function._bind({}))
    except MissingParameter:
        return None
    return _made(function, bound, Answer(slots, nearly), (answer, complete, unreachable))


def _made(function: Any, bound: LlvmBound, answer: Answer, objects: tuple[Any, Any, Any]) -> Callable[..., Any]:
    kernel: LlvmKernel = bound.kernel
    key = "branches", kernel.digest, LAYOUT, answer
    made = code(key, ("branches",), lambda: branches_text(kernel.program, answer))
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
    context.kept = made, function, bound, optional, objects
    new = _api.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    found: Callable[..., Any] = new(ctypes.addressof(_method(made.address("branches"))), context, None)
    return found


@cache
def _method(code: int) -> _Method:
    """How Python sees the code. It is kept for ever: the garbage collector may free a function after all it holds."""
    return _Method(b"branches", code, _FASTCALL, None)


def _offsets(answer: type) -> tuple[int, ...] | None:
    """Where the slots lie in an object, in bytes: marks are put into them and looked for. None if one is not found."""
    sample: Any = object.__new__(answer)
    marks = [object() for _ in SLOTS]
    for name, mark in zip(SLOTS, marks, strict=True):
        object.__setattr__(sample, name, mark)
    size = ctypes.sizeof(ctypes.c_void_p)
    words = {ctypes.c_void_p.from_address(id(sample) + at).value: at for at in range(0, answer.__basicsize__, size)}
    found = tuple(words[id(mark)] for mark in marks if id(mark) in words)
    return found if len(found) == len(SLOTS) else None
