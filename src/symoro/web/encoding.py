"""Answers as JSON, in the language of the request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from symoro.findings import Finding, Language, Part, Sentence, text_of


def language_of(accepted: str) -> Language:
    """The language that the header accept-language of a request asks for."""
    return "fr" if accepted.lower().startswith("fr") else "en"


def as_json(data: Any, language: Language = "en") -> bytes:
    """The bytes of an answer; findings in it are sentences of a language."""
    return json.dumps(_plain(data, language), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _plain(data: Any, language: Language) -> Any:
    """The data with null for numbers that JSON cannot say, and with texts for findings."""
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, Finding | Part | Sentence):
        return text_of(data, language)
    if isinstance(data, Mapping):
        return {key: _plain(value, language) for key, value in data.items()}
    return [_plain(value, language) for value in data] if isinstance(data, list | tuple) else data
