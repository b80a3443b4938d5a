"""Functions that Python calls directly: the only place where symoro writes into Python objects, behind one door.

The code of such a function reads NumPy arrays where they lie in memory and makes new ones. It is several times faster
for one state than a call that goes through Python, and it depends on how this Python and this NumPy lay out objects.
The door is therefore shut where the layout is not the known one, where a call on a small program gives a wrong value
or a wrong number of references (`probe`), and where the environment says SYMORO_DIRECT=0. Callers then take the safe
way, which gives the same results.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from typing import Any

from symoro.ir.program import Program
from symoro.runtime.direct.answer import direct_answer
from symoro.runtime.direct.call import direct_function
from symoro.runtime.direct.probe import answers_are_right, calls_are_right
from symoro.runtime.function import Function

#: The variable of the environment that shuts the door. It is read for each function, so that tests can shut it, too.
VARIABLE = "SYMORO_DIRECT"


def function(
    program: Program, defaults: Mapping[str, float], known: Collection[str], dtype: str = "float64"
) -> Function | None:
    """A function that Python calls directly; None where the door is shut."""
    return direct_function(program, defaults, known, dtype) if _is_open() and calls_are_right() else None


def answering(
    function: Any, answer: type, complete: Any, unreachable: Any, nearly: float | None
) -> Callable[..., Any] | None:
    """A function that makes the whole answer to one state of a program with branches; None where the door is shut.

    See `direct_answer` for its arguments. It gives None for a state that is not a usual one.
    """
    open_ = _is_open() and answers_are_right()
    return direct_answer(function, answer, complete, unreachable, nearly) if open_ else None


def _is_open() -> bool:
    return os.environ.get(VARIABLE) != "0"
