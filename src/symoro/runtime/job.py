"""The job: the argument of compiled code, an array of 64-bit words. It is laid out here and nowhere else.

Its words are the number of states, the address of a counter of states that are taken, the address of the constants, for
each input its address and the elements between two states (0 where all states share it), and each output's address.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from symoro.ir.program import Program
from symoro.runtime.kernel import Array
from symoro.runtime.threads import together

#: Threads take this many states at a time.
CHUNK = 1024
_CODE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)  # other threads of Python run during a call


def words(program: Program) -> list[str]:
    """The names of the words, which are their names in the code, too."""
    inputs = [word for k in range(len(program.inputs)) for word in (f"in{k}", f"step{k}")]
    return ["n", "counter", "constants", *inputs, *(f"out{k}" for k in range(len(program.outputs)))]


def is_number(word: str) -> bool:
    """Is the word a number, and not an address?"""
    return word == "n" or word.startswith("step")


def run(
    address: int,
    n: int,
    constants: Array,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    threads: int = 1,
    owner: object = None,
) -> int:
    """Run code on a job, in as many threads as there is work for; its results combined by "or".

    A call may be interrupted (Ctrl-C) while other threads compute. They stop soon; what they use lives until then, with
    the `owner` of the code.
    """
    counter = ctypes.c_int64(0)
    job = _job(n, ctypes.addressof(counter), constants, inputs, outputs)
    code, place = _CODE(address), ctypes.addressof(job)

    def compute(_kept: object = (counter, job, constants, inputs, outputs, owner)) -> int:
        return int(code(place))

    try:
        return together(compute, min(threads, -(-n // CHUNK)))
    except BaseException:
        counter.value = n  # there are no more states to take
        raise


def _job(
    n: int, counter: int, constants: Array, inputs: Sequence[Array], outputs: Sequence[Array]
) -> ctypes.Array[ctypes.c_int64]:
    numbers = [n, counter, constants.ctypes.data]
    for array in inputs:
        numbers += [array.ctypes.data, array.strides[0] // array.itemsize if array.ndim > 1 else 0]
    numbers += [output.ctypes.data for output in outputs]
    return (ctypes.c_int64 * len(numbers))(*numbers)
