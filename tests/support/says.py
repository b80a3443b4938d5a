"""Findings by their codes and fields, those in fields of others too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from symoro.findings import Finding


def every(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, and those in their fields."""
    for finding in findings:
        yield finding
        values = (value if isinstance(value, list | tuple) else [value] for value in finding.fields.values())
        yield from every(x for value in values for x in value if isinstance(x, Finding))


def says(findings: Iterable[Finding], code: str, **fields: Any) -> bool:
    """Whether one of them has a code and these fields; numbers agree to half a percent."""
    return any(
        finding.code == code and all(_agree(finding.fields[name], value) for name, value in fields.items())
        for finding in every(findings)
    )


def codes(findings: Iterable[Finding]) -> list[str]:
    """The codes of findings."""
    return [finding.code for finding in findings]


def _agree(value: Any, wanted: Any) -> bool:
    return bool(value == (pytest.approx(wanted, rel=5e-3) if isinstance(wanted, float) else wanted))
