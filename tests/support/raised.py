"""Errors by the codes of their findings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from symoro.errors import SymoroError
from symoro.findings import Finding


@contextmanager
def raised(
    code: str, error: type[SymoroError] | tuple[type[SymoroError], ...] = SymoroError
) -> Iterator[pytest.ExceptionInfo[SymoroError]]:
    """Assert that a block raises an error of some kind whose finding, or the reason in it, has a code."""
    with pytest.raises(error) as info:
        yield info
    finding = info.value.finding
    reason = finding.fields.get("reason")
    assert code in (finding.code, reason.code if isinstance(reason, Finding) else None)
