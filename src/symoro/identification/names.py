"""Names of columns: letters, the number of a joint or link, and of a term of Stribeck's curve its speed: FST3@0.1."""

from __future__ import annotations

_DIGITS = "0123456789"


def letters_of(name: str) -> str:
    """The letters alone: FST of FST3@0.1."""
    return name.partition("@")[0].rstrip(_DIGITS)


def term_of(name: str) -> str:
    """The name without its number: FST@0.1 of FST3@0.1."""
    _, at, speed = name.partition("@")
    return f"{letters_of(name)}{at}{speed}"


def number_of(name: str) -> int:
    """The number of the joint or link, 3 of FST3@0.1; 0 where there is none."""
    plain = name.partition("@")[0]
    return int(plain[len(letters_of(name)) :] or 0)
