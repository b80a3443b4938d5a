"""A function that LLVM compiled, and the calls of it that Python sees."""

from __future__ import annotations

import numpy as np
import pytest

from support.pendulum import make
from symoro.runtime import Function


@pytest.fixture
def f() -> Function:
    return make()


@pytest.fixture
def general(f: Function) -> list[tuple]:
    """The calls that went the general way, after a first call, which always does."""
    calls: list[tuple] = []
    way = f._general
    f(np.zeros((70, 3)), np.zeros(3))
    vars(f)["_general"] = lambda *given: calls.append(given) or way(*given)
    return calls
