"""Formulas of `ir.latex` as MathML, which browsers show without any library: for pages that stand alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

_TOKEN = re.compile(r"\\begin\{\w+\}|\\end\{\w+\}|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\S")
_SIGNS = {"-": "−", r"\cdot": "⋅", r"\le": "≤", r"\ne": "≠", r"\{": "{", r"\}": "}"}
_FUNCTIONS = {r"\sin", r"\cos", r"\tan", r"\arcsin", r"\arccos", r"\exp", r"\min", r"\max"}
_ENTITIES = {r"\partial": "part"}
_TEXTS = {r"\mathrm": "mi", r"\mathtt": "mtext", r"\operatorname": "mi", r"\text": "mtext"}
_OVER = {r"\dot": "˙", r"\ddot": "¨"}
_TABLES = {r"\begin{bmatrix}": ("[", "]"), r"\begin{cases}": ("{", "")}
_ENDS = ("}", "&", r"\\", r"\right")


def mathml(tex: str) -> str:
    """The `math` element of one formula."""
    return f"<math>{_TexReader(tex).row()}</math>"


class _TexReader:
    """Reads the tokens of a formula from left to right."""

    def __init__(self, tex: str) -> None:
        self.tex, self.at = tex, 0

    def peek(self) -> str:
        token = _TOKEN.search(self.tex, self.at)
        return token.group() if token else ""

    def take(self) -> str:
        token = _TOKEN.search(self.tex, self.at)
        if not token:
            raise ValueError(f"the formula ends too early: {self.tex}")
        self.at = token.end()
        return token.group()

    def row(self) -> str:
        parts = []
        while (token := self.peek()) and token not in _ENDS and not token.startswith(r"\end"):
            parts.append(self.scripted())
        return f"<mrow>{''.join(parts)}</mrow>" if len(parts) != 1 else parts[0]

    def scripted(self) -> str:
        """An atom with what stands below and above it."""
        base, scripts = self.atom(), {}
        while self.peek() in ("_", "^"):
            sign = self.take()
            scripts[sign] = self.atom()
        if len(scripts) == 2:
            return f"<msubsup>{base}{scripts['_']}{scripts['^']}</msubsup>"
        return f"<msub>{base}{scripts['_']}</msub>" if "_" in scripts else _power(base, scripts.get("^"))

    def atom(self) -> str:
        token = self.take()
        special: dict[str, Callable[[], str]] = {
            "{": self.group,
            r"\frac": lambda: f"<mfrac>{self.atom()}{self.atom()}</mfrac>",
            r"\sqrt": lambda: f"<msqrt>{self.atom()}</msqrt>",
            r"\left": self.fenced,
            r"\,": lambda: '<mspace width="0.17em"></mspace>',
        }
        if token in special:
            return special[token]()
        if token in _TEXTS:
            return self.words(_TEXTS[token])
        if token in _OVER:
            return f'<mover accent="true">{self.atom()}<mo>{_OVER[token]}</mo></mover>'
        return self.table(*_TABLES[token]) if token in _TABLES else _single(token)

    def group(self) -> str:
        inside = self.row()
        self.take()
        return inside

    def fenced(self) -> str:
        left, inside = self.take(), self.row()
        self.take()
        return f"<mrow>{_fence(left)}{inside}{_fence(self.take())}</mrow>"

    def words(self, tag: str) -> str:
        """The text between braces, as it stands."""
        braces = re.compile(r"\{((?:\\.|[^{}])*)\}").match(self.tex, self.at)
        if not braces:
            raise ValueError(f"a text without braces: {self.tex}")
        self.at = braces.end()
        text = escape(re.sub(r"\\(.)", r"\1", braces[1]))
        return f'<{tag} mathvariant="normal">{text}</{tag}>'

    def table(self, left: str, right: str) -> str:
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(f"<mtd>{self.row()}</mtd>")
            token = self.take()
            if token.startswith(r"\end"):
                break
            if token == r"\\":
                rows.append([])
        inside = "".join(f"<mtr>{''.join(row)}</mtr>" for row in rows)
        return f"<mrow>{_fence(left)}<mtable>{inside}</mtable>{_fence(right)}</mrow>"


def _power(base: str, exponent: str | None) -> str:
    return base if exponent is None else f"<msup>{base}{exponent}</msup>"


def _fence(sign: str) -> str:
    return f'<mo stretchy="true">{escape(sign)}</mo>' if sign else ""


def _single(token: str) -> str:
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if token in _FUNCTIONS or token.isalpha():
        return f"<mi>{token.lstrip(chr(92))}</mi>"
    if token in _SIGNS or not token.startswith("\\"):
        return f"<mo>{escape(_SIGNS.get(token, token))}</mo>"
    letter = unescape(f"&{_ENTITIES.get(token, token[1:])};")
    if letter.startswith("&"):
        raise ValueError(f"{token} is no command of these formulas")
    return f"<mi>{letter}</mi>"
