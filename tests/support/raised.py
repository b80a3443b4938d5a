"""Errors by the codes of their findings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from support.says import every, says
from symoro.errors import SymoroError


@contextmanager
def raised(
    code: str, error: type[Exception] | tuple[type[Exception], ...] = SymoroError, /, **fields: Any
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """Assert that a block raises an error of some kind whose finding has a code and fields, or one in its fields."""
    with pytest.raises(error) as info:
        yield info
    finding = info.value.finding
    assert says([finding], code, **fields), [f"{one.code} {dict(one.fields)}" for one in every([finding])]
