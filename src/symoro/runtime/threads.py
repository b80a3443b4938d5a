"""Threads that run compiled code beside the caller; they wait between calls, because starting a thread takes long."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

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
