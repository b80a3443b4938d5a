"""A function that LLVM compiled, the calls of it that Python sees, and the two ways of such calls."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from support.pendulum import make
from symoro.runtime import Function, direct


@pytest.fixture(scope="module", params=["direct", "safe"])
def each_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """The tests of a module run twice: with direct calls, and behind the shut door."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "safe":
            patch.setenv(direct.VARIABLE, "0")
        yield


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
