"""Arrays of numbers, names of columns, what an option may be, and libraries that only some tasks need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import SymoroError

# Arrays of numbers, names of columns, and libraries that only some tasks need.


# The type of arrays of numbers, of any shape.


Array = NDArray[Any]


# Libraries that only some tasks need, and the extra that installs them.


def needed(module: str, task: str, extra: str = "identify") -> Any:
    """A module that an extra installs; where it is missing, an error says what to install for which task."""
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        raise SymoroError(f"{task} needs {library}, which is not installed: pip install 'symoro[{extra}]'") from None


# Names of columns: letters, the number of a joint or link, and of a term of Stribeck's curve its speed: FST3@0.1.


_DIGITS = "0123456789"


def letters_of(name: str) -> str:
    """The letters alone: FST of FST3@0.1."""
    return name.partition("@")[0].rstrip(_DIGITS)


def term_of(name: str) -> str:
    """The name without its number: FST@0.1 of FST3@0.1."""
    _, at, speed = name.partition("@")
    return f"{letters_of(name)}{at}{speed}"


def number_of(name: str) -> int:
    """The number of the joint or link, 3 of FST3@0.1; 0 where there is none."""
    plain = name.partition("@")[0]
    return int(plain[len(letters_of(name)) :] or 0)


# What an option may be: a test with words for what is allowed, so that every wrong option ends in the same message.


Test = Callable[[Any], bool]
Allowed = Mapping[str, tuple[Test, str]]
"""Option: a test, and words for what is allowed."""


def require(options: Mapping[str, Any], allowed: Allowed, error: type[SymoroError]) -> None:
    """An error for the first option that is not allowed."""
    for name, given in options.items():
        test, words = allowed[name]
        if not test(given):
            raise error(f"{name} = {given!r:.60} is not allowed (allowed: {words})")


def is_flag(x: Any) -> bool:
    return isinstance(x, bool | np.bool_)


def is_text(x: Any) -> bool:
    return isinstance(x, str)


def is_number(x: Any) -> bool:
    """Whether it is one finite number."""
    if not isinstance(x, int | float | np.integer | np.floating) or is_flag(x):
        return False
    try:
        return isfinite(x)
    except OverflowError:  # a whole number beyond those of floats
        return False


def is_positive(x: Any) -> bool:
    return is_number(x) and x > 0


def are_numbers(x: Any) -> bool:
    """Whether it is a number or a row of finite numbers."""
    if isinstance(x, np.ndarray):
        return x.ndim <= 1 and bool(np.issubdtype(x.dtype, np.number) and np.isfinite(x).all())
    return is_number(x) or (isinstance(x, list | tuple) and len(x) > 0 and all(map(is_number, x)))


def is_whole(least: int, most: float = inf) -> Test:
    return lambda x: isinstance(x, int | np.integer) and not is_flag(x) and bool(least <= x <= most)


def one_of(*names: str) -> Test:
    return lambda x: isinstance(x, str) and x in names


def either(*tests: Test) -> Test:
    return lambda x: any(test(x) for test in tests)


def optional(*tests: Test) -> Test:
    return lambda x: x is None or any(test(x) for test in tests)
