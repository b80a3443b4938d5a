"""While an identification runs, linear algebra has one thread; then as many as before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import symoro
from symoro.errors import DataError
from symoro.identification import identify as module
from symoro.identification.one_thread import one_thread, thread_counts

COUNTS = thread_counts()
needs_openblas = pytest.mark.skipif(not COUNTS, reason="NumPy has no OpenBLAS beside it")


def numbers() -> list[int]:
    return [count.get() for count in COUNTS]


@pytest.fixture
def many() -> Iterator[list[int]]:
    """Two threads; a build may allow one alone."""
    before = numbers()
    for count in COUNTS:
        count.set(2)
    yield numbers()
    for count, number in zip(COUNTS, before, strict=True):
        count.set(number)


@needs_openblas
def test_threads_are_one_inside_and_as_many_as_before_outside(many: list[int]) -> None:
    with one_thread():
        assert numbers() == [1] * len(COUNTS)
        with one_thread():
            assert numbers() == [1] * len(COUNTS)
        assert numbers() == [1] * len(COUNTS)
    assert numbers() == many


@needs_openblas
def test_an_identification_has_one_thread_and_gives_them_back_after_an_error(
    many: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[int]] = []

    def laws_of(*_: object) -> None:
        seen.append(numbers())

    monkeypatch.setattr(module, "laws_of", laws_of)
    with pytest.raises(DataError):
        symoro.identify("planar2r", {"q": np.zeros((30, 2)), "tau": np.zeros((30, 2))})
    assert seen == [[1] * len(COUNTS)]
    assert numbers() == many
