"""Threads and forks: what is computed once, and the job that threads share."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from symoro.ir.program import Program
from symoro.runtime.kernel import Array

# What is computed once, whichever thread asks first, and what a fork needs while other threads compute it.
#
# A forked process has no thread but the one that forked. A lock that another thread holds at that time stays locked in
# it for ever. A fork therefore waits for the locks that guard code in the making.


T = TypeVar("T")
#: Held by the thread that makes code or constants, so that others take what it has computed.
MAKING = threading.RLock()
#: Held by the thread that parses Python, as NumPy does to read the header of a file. In Python 3.11 two threads that
#: parse at once may end in a SystemError: they share one counter of the recursion depth.
PARSING = threading.Lock()

_waited_for: list[AbstractContextManager[object]] = [MAKING, PARSING]
_taken = ExitStack()


def wait_for(lock: AbstractContextManager[object]) -> None:
    """Forks wait for this lock, too. Who takes several locks takes them in the order in which they are named here."""
    _waited_for.append(lock)


def _take() -> None:
    global _taken
    taken = ExitStack()
    for lock in tuple(_waited_for):
        taken.enter_context(lock)
    _taken = taken


def _release() -> None:
    _taken.close()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(before=_take, after_in_parent=_release, after_in_child=_release)


class Once(Generic[T]):
    """A property that is computed at its first use and kept. Other threads wait for it, and so does a fork.

    Python finds what is kept without asking the property.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, owner: Any, kind: type) -> T:
        with MAKING:
            kept = vars(owner)
            if self._name not in kept:
                kept[self._name] = self._make(owner)
            value: T = kept[self._name]
            return value


# Threads that run compiled code beside the caller; they wait between calls, because starting a thread takes long.


Task = tuple[Callable[[], int], "SimpleQueue[int | BaseException]"]

_lock = threading.Lock()
_tasks: SimpleQueue[Task] = SimpleQueue()
_workers = 0


def together(call: Callable[[], int], count: int) -> int:
    """Run `call` in this thread and in `count - 1` others; all results combined by "or"."""
    if count < 2:
        return call()
    _start(count - 1)
    done: SimpleQueue[int | BaseException] = SimpleQueue()
    for _ in range(count - 1):
        _tasks.put((call, done))
    results = [call(), *(done.get() for _ in range(count - 1))]
    combined = 0
    for result in results:
        if isinstance(result, BaseException):
            raise result
        combined |= result
    return combined


def _start(count: int) -> None:
    """See that there are this many workers."""
    global _workers
    with _lock:
        while _workers < count:
            threading.Thread(target=_work, args=(_tasks,), daemon=True, name="symoro").start()
            _workers += 1


def _work(tasks: SimpleQueue[Task]) -> None:
    while True:
        _answer(*tasks.get())  # nothing of a task is kept while the next one is waited for


def _answer(call: Callable[[], int], done: SimpleQueue[int | BaseException]) -> None:
    try:
        done.put(call())
    except BaseException as error:  # the caller waits for an answer
        done.put(error)


def _forget() -> None:
    """A child process has none of its parent's threads."""
    global _lock, _tasks, _workers
    _lock, _tasks, _workers = threading.Lock(), SimpleQueue(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# The job: the argument of compiled code, an array of 64-bit words. It is laid out here and nowhere else.
#
# Its words are the number of states, the address of a counter of states that are taken, the address of the constants,
# for each input its address and the elements between two states (0 where all states share it), and the address of
# each output.


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
