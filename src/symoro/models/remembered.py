"""One decorator for work that is done once for the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

from symoro.robot.robot import Robot

Known = TypeVar("Known")


def remembered(work: Callable[..., Known]) -> Callable[..., Known]:
    """A function whose results are kept: the same arguments give the same result without the work.

    The first argument is a robot's symbols or a robot; the others must be hashable. Results for symbols are kept in
    `s.memory`, so that the trials of a search in one graph share them. Results for a robot outlive a model.
    """
    of_robot = lru_cache(maxsize=64)(work)

    @wraps(work)
    def once(subject: Any, *args: Any) -> Known:
        if isinstance(subject, Robot):
            return of_robot(subject, *args)
        key = (work, *args)
        if key not in subject.memory:
            subject.memory[key] = work(subject, *args)
        known: Known = subject.memory[key]
        return known

    return once
