"""Formulas and sentences of a derivation in LaTeX, from the plain text that people read on a screen.

A letter alone or with digits is a name (θ1, b3, Ak1); every longer word is text, and so is the article.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

_ATOM = re.compile(r"((?<!\d)[A-Za-zθρψΔ][A-Za-z0-9_'-]*)")
_NAME = re.compile(r"([A-Za-zθρψΔ])(k?\d*|_j)")
_FUNCTIONS = {"atan2": r"\operatorname{atan2}", "cos": r"\cos", "tan": r"\tan", "det": r"\det"}
_GREEK = {"θ": r"\theta", "ρ": r"\rho", "ψ": r"\psi", "Δ": r"\Delta"}
_SIGNS = {
    "±": r"\pm ", "∓": r"\mp ", "²": "^{2}", "³": "^{3}", "⁴": "^{4}", "−": "-", "·": r"\cdot ", "×": r"\times ",
    "…": r"\ldots ",
}  # fmt: skip
_PLAIN = re.compile(r"[\d\s,;:.()e-]*")
Part = tuple[bool, str]


def formula(text: str) -> str:
    """A formula for display, with the words between its parts upright."""
    return "".join(rf"\text{{{part}}}" if words else _math(part) for words, part in _parts(text))


def sentence(text: str) -> str:
    """A sentence with its formulas between dollar signs."""
    return "".join(part if words else f"${_math(part)}$" for words, part in _parts(text))


def _parts(text: str) -> Iterator[Part]:
    """The text as words (True) and formulas (False) in turn; punctuation beside words belongs to them."""
    pieces = _ATOM.split(text)
    atoms, between = pieces[1::2], pieces[::2]
    words = [_is_word(atom, gap, after) for atom, gap, after in zip(atoms, between[1:], [*atoms[1:], ""], strict=True)]
    tagged = _shared(between[0], False, bool(words) and words[0])
    for atom, gap, own, behind in zip(atoms, between[1:], words, [*words[1:], True], strict=True):
        tagged += [(own, atom), *_shared(gap, own, behind)]
    for is_text, group in groupby(filter(lambda part: part[1], tagged), lambda part: part[0]):
        yield is_text, "".join(part for _, part in group)


def _is_word(atom: str, gap: str, after: str) -> bool:
    """Whether an atom is no name and no function; `a` is an article before a word."""
    if atom in ("a", "A"):
        return gap == " " and len(after) > 1 and after.isalpha() and after not in _FUNCTIONS
    return atom not in _FUNCTIONS and not _NAME.fullmatch(atom)


def _shared(gap: str, before: bool, behind: bool) -> list[Part]:
    """What is between two atoms: the punctuation beside a word is text, all else a formula."""
    if before and behind and _PLAIN.fullmatch(gap):
        return [(True, gap)]
    first = re.match(r"[\s,;:.]*", gap) if before else None
    head = first[0] if first else ""
    last = re.search(r"[\s,;:.]*$", gap[len(head) :]) if behind else None
    tail = last[0] if last else ""
    return [(True, head), (False, gap[len(head) : len(gap) - len(tail)]), (True, tail)]


def _math(text: str) -> str:
    """A formula without words."""
    text = _rooted(_ATOM.sub(lambda atom: _name(atom[0]), text))
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    return text


def _name(atom: str) -> str:
    parts = _NAME.fullmatch(atom)
    if parts is None:
        return _FUNCTIONS.get(atom, atom)
    letter, below = parts[1], parts[2].strip("_")
    head = _GREEK.get(letter, letter)
    return f"{head}_{{{below}}}" if below else head if letter.isascii() else f"{head} "


def _rooted(text: str) -> str:
    r"""√(…) and √D as \sqrt{…}."""
    while "√" in text:
        head, _, rest = text.partition("√")
        inner, rest = _in_parentheses(rest) if rest.startswith("(") else (rest[0], rest[1:])
        text = rf"{head}\sqrt{{{inner}}}{rest}"
    return text


def _in_parentheses(text: str) -> tuple[str, str]:
    """What is between the first parenthesis and its partner, and what follows."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return text[1:place], text[place + 1 :]
    return text[1:], ""
