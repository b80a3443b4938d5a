"""Parses the expressions of xacro files into tuples: ("+", a, b), ("call", "sin", a), ("if", test, yes, no) …"""

from __future__ import annotations

import re
from typing import Any

MAX_TEXT = 2000
_MAX_DEPTH = 60
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])|(?P<text>'[^'\\]*'|\"[^\"\\]*\")"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>\*\*|//|[=!<>]=|[-+*/%<>()\[\]{},.:]))"
)
_WORDS = ("and", "or", "not", "in", "if", "else", "is", "lambda", "for")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")

Node = tuple[Any, ...]
"""The name of an operation, and its operands."""


class ExpressionError(Exception):
    """An expression cannot be read or evaluated."""


def parsed(text: str) -> Node:
    """The tree of an expression."""
    if len(text) > MAX_TEXT:
        raise ExpressionError(f"an expression has {len(text)} characters (at most {MAX_TEXT})")
    parser = _Parser(text)
    tree = parser.condition()
    if parser.now:
        raise parser.error()
    return tree


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.place, self.depth = text, 0, 0
        self.kind, self.now = "", ""
        self.step()

    def error(self) -> ExpressionError:
        return ExpressionError(f"{self.text[:80]!r} is not an expression: {self.now or 'it'!r} at {self.place}")

    def step(self) -> str:
        """The token that was read; the next one is read."""
        before = self.now
        match = _TOKEN.match(self.text, self.place)
        if match is None:
            if self.text[self.place :].strip():
                raise ExpressionError(f"{self.text[:80]!r} is not an expression: {self.text[self.place :][:10]!r}")
            self.kind, self.now = "", ""
        else:
            self.kind, self.now, self.place = str(match.lastgroup), match[0].strip(), match.end()
        return before

    def takes(self, *tokens: str) -> str | None:
        """The token, if it is one of these."""
        return self.step() if self.kind in ("sign", "name") and self.now in tokens else None

    def expects(self, token: str) -> None:
        if not self.takes(token):
            raise self.error()

    def condition(self) -> Node:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ExpressionError(f"an expression is more than {_MAX_DEPTH} levels deep")
        found = self.either()
        if self.takes("if"):
            test = self.either()
            self.expects("else")
            found = ("if", test, found, self.condition())
        self.depth -= 1
        return found

    def either(self) -> Node:
        found = self.both()
        while self.takes("or"):
            found = ("or", found, self.both())
        return found

    def both(self) -> Node:
        found = self.negation()
        while self.takes("and"):
            found = ("and", found, self.negation())
        return found

    def negation(self) -> Node:
        count = 0
        while self.takes("not"):
            count += 1
        found = self.comparison()
        return found if not count else ("not", found) if count % 2 else ("not", ("not", found))

    def comparison(self) -> Node:
        first, rest = self.sum(), []
        while sign := self.takes(*_COMPARISONS, "in", "not"):
            if sign == "not":
                self.expects("in")
                sign = "not in"
            rest.append((sign, self.sum()))
        return ("compare", first, *rest) if rest else first

    def sum(self) -> Node:
        found = self.product()
        while sign := self.takes("+", "-"):
            found = (sign, found, self.product())
        return found

    def product(self) -> Node:
        found = self.signed()
        while sign := self.takes("*", "/", "//", "%"):
            found = (sign, found, self.signed())
        return found

    def signed(self) -> Node:
        signs = []
        while sign := self.takes("-", "+"):
            signs.append(sign)
        found = self.power()
        return ("neg", found) if signs.count("-") % 2 else ("pos", found) if signs else found

    def power(self) -> Node:
        base = self.part()
        if not self.takes("**"):
            return base
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ExpressionError(f"an expression is more than {_MAX_DEPTH} levels deep")
        found = ("**", base, self.signed())
        self.depth -= 1
        return found

    def part(self) -> Node:
        """An atom with what follows it: [index], .entry, (arguments)."""
        found = self.atom()
        while sign := self.takes("[", ".", "("):
            if sign == "[":
                found = ("index", found, self.condition())
                self.expects("]")
            elif sign == ".":
                if self.kind != "name":
                    raise self.error()
                found = ("entry", found, self.step())
            else:
                found = ("call", self.function(found), *self.items(")"))
        return found

    def function(self, node: Node) -> str:
        """The name of a function: sin, math.sin or xacro.load_yaml."""
        if node[0] == "name":
            return str(node[1])
        if node[0] == "entry" and node[1] in (("name", "math"), ("name", "xacro")):
            return str(node[2])
        raise self.error()

    def items(self, end: str) -> list[Node]:
        found: list[Node] = []
        while not self.takes(end):
            found.append(self.condition())
            if not self.takes(","):
                self.expects(end)
                break
        return found

    def atom(self) -> Node:
        kind = self.kind
        if kind == "number":
            return "constant", _number(self.step())
        if kind == "text":
            return "constant", self.step()[1:-1]
        if kind == "name" and self.now not in _WORDS:
            return "name", self.step()
        if self.takes("("):
            found = self.condition()
            if self.takes(","):
                return ("list", found, *self.items(")"))
            self.expects(")")
            return found
        if self.takes("["):
            return ("list", *self.items("]"))
        if self.takes("{"):
            return ("dict", *self.pairs())
        raise self.error()

    def pairs(self) -> list[tuple[Node, Node]]:
        found = []
        while not self.takes("}"):
            key = self.condition()
            self.expects(":")
            found.append((key, self.condition()))
            if not self.takes(","):
                self.expects("}")
                break
        return found


def _number(text: str) -> int | float:
    return int(text) if text.isdigit() and len(text) < 500 else float(text)
