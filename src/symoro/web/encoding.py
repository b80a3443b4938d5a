"""Answers as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any


def as_json(data: Any) -> bytes:
    """The bytes of an answer."""
    return json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _finite(data: Any) -> Any:
    """The data with null for numbers that JSON cannot say."""
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, list | tuple) else data
