"""What tells a model from the others of its robot: the options that differ from their defaults, and folded numbers.

It is in the name of the generated code, so that two models can be used side by side.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from symoro.models.entry import Entry


def distinguishing(entry: Entry, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options whose values are not the defaults of the row, in the order of the row."""
    rows = [option for option in entry.all_options if option.name in options]
    return {o.name: options[o.name] for o in rows if _plain(options[o.name]) != _plain(o.default)}


def _plain(value: Any) -> Any:
    """The value with one spelling: optimize="fast" is optimize=True."""
    return True if value == "fast" else value


def as_name(options: Mapping[str, Any], numbers: Mapping[str, str]) -> str:
    """The options and numbers as the end of a name: link3, params_base, at_5f2c10 …; empty without any."""
    parts = [f"{name}{_word(value)}" for name, value in options.items()]
    if numbers:
        parts.append(f"numbers_{_digest(sorted(numbers.items()))}")
    return "_".join(parts)


def _word(value: Any) -> str:
    """A number as it is; a text, or a flag, after an underscore; a list by a short digest."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, tuple):
        return f"_{_digest(value)}"
    text = str(value).lower() if value is None or isinstance(value, bool) else str(value)
    return "_" + re.sub(r"[^A-Za-z0-9_]", lambda found: "_" if found[0] == "-" else f"u{ord(found[0]):04X}", text)


def _digest(value: object) -> str:
    return sha256(repr(value).encode()).hexdigest()[:6]


def as_text(options: Mapping[str, Any], numbers: Mapping[str, str]) -> str:
    """The options and numbers for people: link 3, params base, M3 = 5."""
    shown = {name: ", ".join(map(str, v)) if isinstance(v, tuple) else v for name, v in options.items()}
    few = [f"{name} = {text}" for name, text in numbers.items()] if len(numbers) < 5 else [f"{len(numbers)} numbers"]
    return ", ".join([*(f"{name} {value}" for name, value in shown.items()), *few])
