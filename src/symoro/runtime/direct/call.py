"""Functions that Python calls without a detour (a vectorcall, PEP 590).

Such an object has two words behind its Python part: the address of the code that a call runs, and the address of the
context that the code reads, see `code`.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from symoro.errors import MissingParameter
from symoro.ir.program import Program
from symoro.runtime import recycled
from symoro.runtime.direct.code import BRANCHES_CONTEXT, CONTEXT, OUTPUTS, SLOTS, AnswerLayout, CallText, branches_text
from symoro.runtime.direct.objects import layout, slot_offsets
from symoro.runtime.function import Function, are_plain, as_array, compile_program, number_of_threads
from symoro.runtime.kernel import BoundKernel
from symoro.runtime.llvm_machine import LlvmBound, LlvmKernel, code
from symoro.runtime.outputs import may_be_filled, number_of_states, rows

_api = ctypes.pythonapi
# Numbers of CPython's stable interface: two slots and a flag of PyType_Spec, the kind and the flag of a member.
_TP_CALL, _TP_MEMBERS, _HAVE_VECTORCALL, _SSIZE, _READONLY = 50, 72, 1 << 11, 19, 1
#: The place of PyArray_New in the table of NumPy's C interface.
_PYARRAY_NEW = 93


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("function", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (
        *(("name", ctypes.c_char_p), ("basicsize", ctypes.c_int), ("itemsize", ctypes.c_int)),
        *(("flags", ctypes.c_uint), ("slots", ctypes.POINTER(_Slot))),
    )


class _Member(ctypes.Structure):
    _fields_ = (
        *(("name", ctypes.c_char_p), ("kind", ctypes.c_int), ("offset", ctypes.c_ssize_t)),
        *(("flags", ctypes.c_int), ("text", ctypes.c_char_p)),
    )


class _SignatureOfCalls:
    """What `inspect.signature` and editors show for a function: they cannot read it from machine code."""

    def __get__(self, function: Any, owner: Any) -> Any:
        if function is None:
            raise AttributeError("__signature__")
        from inspect import signature

        return signature(function._converted)


class DirectFunction(Function):
    """The Python part of a direct function. It holds all that its code reads, so that nothing is freed too early."""

    __signature__ = _SignatureOfCalls()

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._required = [i for i in self.program.inputs if not i.optional]
        self._other: tuple[dict[str, float], DirectFunction] | None = None
        self._install()

    def _install(self) -> None:
        """Write the two words behind the Python part."""
        self._by_python = self._converted  # with it the object is in a cycle, which the garbage collector sees
        self._kept, self._context = _context(self)
        place = id(self) + DirectFunction.__basicsize__
        ctypes.c_int64.from_address(place + 8).value = self._context.ctypes.data
        ctypes.c_int64.from_address(place).value = self._llvm.one.address("call")

    def __reduce__(self) -> tuple[Any, ...]:
        """It is compiled again, directly or not: the layout of the other process may not be known."""
        return compile_program, (self.program, "llvm", *self._arguments[2:], self.dtype.name)

    def _converted(self, *inputs: Any, values: Any = None, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """What the code does not take: the inputs of one state as arrays that it takes, else the general way."""
        one_thread = type(threads) is int and threads == 1
        if values is not None and are_plain(values) and values:
            more = ({} if out is None else {"out": out}) | ({} if one_thread else {"threads": threads})
            return self._with(values)(*inputs, **more, **named)
        if values is None and one_thread and self._default is not None:
            arrays = self._as_code_takes_them(inputs, named)
            if arrays is not None:
                return self(*arrays) if out is None else self(*arrays, out=out)
        if values is None and type(threads) is int and threads > 0 and not named:
            result = self._exact_batch(inputs, out, number_of_threads(threads))
            if result is not None:
                return result
        return super().__call__(*inputs, values=values, out=out, threads=threads, **named)

    def _exact_batch(self, inputs: tuple[Any, ...], out: Any, threads: int) -> Any:
        """A batch of exact arrays, shared by threads; None where the general way is needed.

        That way prepares for a tenth of a millisecond, in which the code of a small arm computes some thousand states.
        """
        bound, outputs = self._default, self.program.outputs
        if bound is None or len(outputs) != 1 or len(inputs) != len(self._required):
            return None
        n = number_of_states(self._required, inputs, self.dtype)
        if not n:
            return None
        result = recycled.empty((n, *outputs[0].shape), self.dtype) if out is None else out
        if not may_be_filled(result, (n, *outputs[0].shape), self.dtype, inputs):
            return None
        required = iter(inputs)
        arrays = [next(required) if not i.optional else self._optional[i.name] for i in self.program.inputs]
        flat = [rows(i, a) for i, a in zip(self.program.inputs, arrays, strict=True)]
        bound.fill(flat, [result.reshape(n, len(outputs[0].elements))], n, threads)
        self._note_rows()
        return result

    def _with(self, values: Mapping[str, float]) -> DirectFunction:
        """The function whose constants are those of these values; the code is the same. The last one is kept."""
        last = self._other
        if last is None or last[0] != values:
            bound = Function._bind(self, values)
            other = object.__new__(type(self))
            vars(other).update(vars(self), _default=bound, _other=None)
            other._install()
            other._bind({})
            last = dict(values), other
            self._other = last
        return last[1]

    def _as_code_takes_them(self, inputs: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any] | None:
        """One state as exact arrays; None if it is not one, or if the arguments were that already."""
        declared = self._required
        rest = [i.name for i in declared[len(inputs) :]]
        if len(inputs) > len(declared) or named.keys() != set(rest):
            return None
        arguments = [*inputs, *map(named.__getitem__, rest)]
        arrays = [as_array(i, x, self.dtype) for i, x in zip(declared, arguments, strict=True)]
        if any(a.shape != i.shape for a, i in zip(arrays, declared, strict=True)):
            return None
        exact = [a if a.flags.c_contiguous and a.flags.aligned else a.copy() for a in arrays]
        unchanged = not named and all(a is x for a, x in zip(exact, arguments, strict=True))
        return None if unchanged else exact

    @property
    def _llvm(self) -> LlvmKernel:
        return cast(LlvmKernel, self._kernel)

    def _bind(self, values: Any) -> BoundKernel | None:
        """From the time when the constants are known, calls need not go through the general way."""
        bound = super()._bind(values)
        if bound is not None and bound is self._default:
            self._context[CONTEXT.index("constants")] = cast(LlvmBound, bound).constants.ctypes.data
        return bound

    def _general(self, *call: Any) -> Any:
        result = super()._general(*call)
        self._note_rows()
        return result

    def _note_rows(self) -> None:
        """From the time when the code for many states is compiled, direct calls use it."""
        if "many" in vars(self._llvm):
            self._context[CONTEXT.index("rows")] = self._llvm.many.address("rows")


def _context(function: DirectFunction) -> tuple[list[Any], NDArray[np.int64]]:
    """The words that the code reads, and the objects whose addresses they are."""
    optional = [function._optional[i.name] for i in function.program.inputs if i.optional]
    words = known_addresses() | {
        "descriptor": id(function.dtype),
        "general": id(function._by_python),
        "result.type": id(function._result_type),
    }
    numbers = [words.get(word, 0) for word in CONTEXT]
    return optional, np.array([*numbers, *(a.ctypes.data for a in optional)], dtype=np.int64)


@cache
def known_addresses() -> dict[str, int]:
    """What is the same for every function of a process."""
    functions = {
        "vectorcall": "PyObject_Vectorcall",
        "take": "Py_IncRef",
        "release": "Py_DecRef",
        "save.thread": "PyEval_SaveThread",
        "restore.thread": "PyEval_RestoreThread",
    }
    addresses = {word: address(getattr(_api, name)) for word, name in functions.items()}
    return addresses | {"array.type": id(np.ndarray), "name.out": id(sys.intern("out")), "new.array": _new_array()}


def address(function: Any) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def _new_array() -> int:
    """The address of PyArray_New, from the table that NumPy has for extensions."""
    package = "numpy._core" if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else "numpy.core"
    capsule = import_module(f"{package}._multiarray_umath")._ARRAY_API
    pointer = _api.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return int(ctypes.c_int64.from_address(pointer(capsule, None) + 8 * _PYARRAY_NEW).value)


def direct_function(
    program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str
) -> Function | None:
    """A direct function; None where the layout of objects is not known."""
    of_process = layout()
    if of_process is None or of_process.function != DirectFunction.__basicsize__:
        return None
    make = partial(LlvmKernel, dtype=dtype, call=CallText(of_process))
    return _type()(program, make, defaults, known)


@cache
def _type() -> type[Function]:
    """`DirectFunction` with the two words behind it, which Python is told of."""
    offset = DirectFunction.__basicsize__
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _SSIZE, offset, _READONLY, None))
    vectorcall = ctypes.cast(_api.PyVectorcall_Call, ctypes.c_void_p)
    slots = (_Slot * 3)(_Slot(_TP_CALL, vectorcall), _Slot(_TP_MEMBERS, ctypes.cast(members, ctypes.c_void_p)))
    spec = _Spec(b"symoro.runtime.function.Function", offset + 16, 0, _HAVE_VECTORCALL, slots)
    new_type = _api.PyType_FromSpecWithBases
    new_type.restype, new_type.argtypes = ctypes.py_object, (ctypes.POINTER(_Spec), ctypes.py_object)
    kind: Any = new_type(ctypes.byref(spec), (DirectFunction,))
    kind.__doc__ = Function.__doc__
    kind._structures = (members, slots, spec)  # they must live as long as the type
    return cast(type[Function], kind)


# One state of a program with branches as a call that makes the whole answer.


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
