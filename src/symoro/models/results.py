"""What an algorithm returns, work that is done once, and what a long search says while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, TypeVar

from symoro.bind.symbols import BASE_ACCELERATION, BASE_VELOCITY, Symbols
from symoro.findings import Finding
from symoro.ir.expr import Expr
from symoro.ir.extract import Draft, Result
from symoro.ir.linalg import Matrix
from symoro.ir.program import Program
from symoro.robot.robot import Robot

# What a long search says while it runs: nothing, unless somebody listens.


Listener = Callable[[str | Finding], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def reporting(listener: Listener) -> Iterator[None]:
    """Have `listener` called with a line of text, or a finding, at every step of a search that is run inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def say(text: str | Finding) -> None:
    """Tell whoever listens."""
    if (listener := _listener.get()) is not None:
        listener(text)


# One decorator for work that is done once for the same arguments.


Remembered = TypeVar("Remembered")


def remembered(work: Callable[..., Remembered]) -> Callable[..., Remembered]:
    """A function whose results are kept: the same arguments give the same result without the work.

    The first argument is a robot's symbols or a robot; the others must be hashable. Results for symbols are kept in
    `s.memory`, so that the trials of a search in one graph share them. Results for a robot outlive a model.
    """
    of_robot = lru_cache(maxsize=64)(work)

    @wraps(work)
    def once(subject: Any, *args: Any) -> Remembered:
        if isinstance(subject, Robot):
            return of_robot(subject, *args)
        key = (work, *args)
        if key not in subject.memory:
            subject.memory[key] = work(subject, *args)
        known: Remembered = subject.memory[key]
        return known

    return once


# What an algorithm returns: named arrays of expressions.


@dataclass(frozen=True, slots=True)
class Sketch:
    """A program that is not written yet, and the formulation that it comes from."""

    draft: Draft
    formulation: str

    def written(self) -> Candidate:
        return Candidate(self.draft.write(), self.formulation)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program and the formulation that it comes from."""

    program: Program
    formulation: str


def by_joint(s: Symbols, name: str, values: Mapping[int, Expr], joints: Sequence[int] | None = None) -> Result:
    """A vector with an element for each variable, or for each of these joints: GAM1, GAM2 …"""
    joints = s.variables if joints is None else joints
    elements = tuple(values[j] for j in joints)
    names = tuple(f"{name}{s.label[j]}" for j in joints)
    for x, j in zip(elements, joints, strict=True):
        s.name_scalar(f"{name}{j}", j, x)
    return Result(name, (len(elements),), elements, names)


def by_number(s: Symbols, name: str, values: Iterable[Expr]) -> Result:
    """A vector whose elements are numbered: H1, H2 …"""
    elements = tuple(values)
    names = tuple(f"{name}{n}" for n in range(1, len(elements) + 1))
    for x, n in zip(elements, names, strict=True):
        s.graph.name(x, n)
    return Result(name, (len(elements),), elements, names)


def base_motion(name: str, elements: Iterable[Expr]) -> Result:
    """V0 or VP0: velocity or acceleration [linear; angular] of the base."""
    return Result(name, (6,), tuple(elements), BASE_VELOCITY if name == "V0" else BASE_ACCELERATION)


def matrix(s: Symbols, name: str, rows: Matrix, labels: Sequence[Sequence[int]] | None = None) -> Result:
    """A matrix; its elements are named by row and column (or by `labels`): T12, A1_10."""
    height, width = rows.shape
    row_labels, column_labels = labels or (range(1, height + 1), range(1, width + 1))
    wide = max((*row_labels, *column_labels), default=0) > 9
    names = tuple(f"{name}{i}{'_' if wide else ''}{k}" for i in row_labels for k in column_labels)
    elements = tuple(x for row in rows for x in row)
    for x, n in zip(elements, names, strict=True):
        s.graph.name(x, n)
    return Result(name, (height, width), elements, names)
