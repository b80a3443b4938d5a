"""Mutations of the files that come with symoro and its tests: texts that a reader must read, or refuse by an error."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

from symoro.errors import FormatError
from symoro.formats import dh, load, par, toml
from symoro.robot import library

DATA = Path(__file__).parents[1] / "data" / "opensymoro"

HOSTILE = [
    *("__import__('os').system('touch evaluated')", "open('evaluated', 'w')", "exec('1')", "lambda: 0", "eval(a)"),
    *("9" * 5000, "1e999999999", "9^9^9^9^9", "1/0", "-1e-400", "nan", "inf", "0x" + "f" * 5000, "1e308*1e308"),
    *("(" * 3000, ")" * 50, "-" * 5000, "+".join("a" * 3000), "sqrt(" * 100, "^".join("2" * 500), "[" * 3000),
    *("{", "}", "{}", "{{", "[[joints]]", "[values]", "[", "]]", '"""', "'", "(*", "*)", "(*" * 2000, "=", "= =", ","),
    *("\x00", "\ufeff", "\u2028", "\u00e9", "\r", "\t", "\n", "\\u0000", "\\", "\ud800", "# comment", "(* symoro:\n"),
    *("NF = 1000000000\n", "NL = -1\n", "sigma = {9,9}\n", "ant = {1,2,3}\n", "Type = 7\n", "is_floating = maybe\n"),
    *("parent = 99999999999\n", "parent = -1\n", "kind = 'x'\n", "joints = 1\n", "a.b.c = 1\n", "q1 = 'q1'\n"),
    *("true", "1979-05-27", "-0", "0", "q1", "pi", "th1", "variable = 'th1'\n", "symbolic", "limits = {lower = 'x'}\n"),
]


def mutated(text: str, random_: random.Random) -> str:
    """The text after one to four random mutations."""
    for _ in range(random_.choice([1, 1, 2, 4])):
        text = random_.choice(MUTATIONS)(text, random_)
    return text


def _span(text: str, random_: random.Random) -> tuple[int, int]:
    start = random_.randrange(len(text) + 1)
    return start, min(len(text), start + random_.choice([0, 1, 1, 2, 5, 20, 200]))


def _delete(text: str, random_: random.Random) -> str:
    start, end = _span(text, random_)
    return text[:start] + text[end:]


def _insert(text: str, random_: random.Random) -> str:
    start, end = _span(text, random_)
    return text[:start] + random_.choice(HOSTILE) + text[random_.choice([start, end]) :]


def _repeat(text: str, random_: random.Random) -> str:
    start, end = _span(text, random_)
    return text[:end] + text[start:end] * random_.choice([1, 3, 50]) + text[end:]


def _swap_lines(text: str, random_: random.Random) -> str:
    lines = text.split("\n")
    i, j = random_.randrange(len(lines)), random_.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)


def _change_character(text: str, random_: random.Random) -> str:
    place = random_.randrange(len(text) + 1)
    return text[:place] + chr(random_.choice([random_.randrange(128), random_.randrange(0x3000)])) + text[place + 1 :]


def _change_item(text: str, random_: random.Random) -> str:
    """One item of a list, or one value, becomes another."""
    places = [place for place, char in enumerate(text) if char in ",={"]
    if not places:
        return text
    place = random_.choice(places) + 1
    end = min(found for char in ",}\n" if (found := (text + ",}\n").find(char, place)) >= 0)
    return text[:place] + random_.choice(HOSTILE) + text[end:]


def _truncate(text: str, random_: random.Random) -> str:
    return text[: random_.randrange(len(text) + 1)]


MUTATIONS = [_delete, _insert, _insert, _repeat, _swap_lines, _change_character, _change_item, _change_item, _truncate]


def sources() -> list[tuple[object, str]]:
    """Readers and texts: the files of all formats, and the library written as `.par` and, if it can be, as `.csv`."""
    found: list[tuple[object, str]] = [(par, file.read_text()) for file in sorted(DATA.glob("*.par"))]
    for name in library.names():
        found.append((toml, library.text(name)))
        found.append((par, par.write_text(load(name))))
        with suppress(FormatError):
            found.append((dh, dh.write_text(load(name))))
    return found
