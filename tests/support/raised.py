"""Errors by the codes of their findings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from symoro.errors import SymoroError


@contextmanager
def raised(
    code: str, error: type[SymoroError] | tuple[type[SymoroError], ...] = SymoroError
) -> Iterator[pytest.ExceptionInfo[SymoroError]]:
    """Assert that a block raises an error of some kind whose finding has a code."""
    with pytest.raises(error) as info:
        yield info
    assert info.value.finding.code == code
