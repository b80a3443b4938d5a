"""Reads the text of a value; a parser by recursive descent.

    sum     = product { ("+" | "-") product }
    product = unary { ("*" | "/") unary }
    unary   = ("-" | "+") unary | power
    power   = primary [ ("^" | "**") unary ]
    primary = number | name | function "(" sum { "," sum } ")" | "(" sum ")"

A sum is taken from left to right; in halves if that would be too deep. A sign before a literal number and a quotient of
two literal numbers are numbers: "-1/3" is one number, "-(1)/(3)" is an expression. So every value has a text that reads
back as the same value.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from symoro.errors import ValueSyntaxError
from symoro.robot._nodes import FUNCTIONS, MAX_DEPTH, PI, PI_NAMES, Apply, Number, Symbol, Value, is_name

MAX_LENGTH = 10_000
MAX_NESTING = MAX_DEPTH + 2
MAX_EXPONENT = 400

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>\*\*|[-+*/^(),]))",
    re.ASCII,
)
_SYNTAX = f" (allowed: numbers, names, + - * / ^ **, parentheses, pi, {', '.join(FUNCTIONS)})"


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


class _Operand(NamedTuple):
    """A value, and whether it is a literal number without parentheses."""

    value: Value
    literal: bool = False


class _Term(NamedTuple):
    """A term of a sum with its sign; the sign of the first one is +."""

    sign: str
    value: Value


def _depth(terms: list[_Term]) -> int:
    """How deep a sum is whose terms are added one after another."""
    depth = terms[0].value.depth
    for term in terms[1:]:
        depth = 1 + max(depth, term.value.depth)
    return depth


def parse(text: str) -> Value:
    """The value of a text such as "q2 + pi/2"; `ValueSyntaxError` says where the text is wrong."""
    if len(text) > MAX_LENGTH:
        raise ValueSyntaxError(f"a value is {len(text)} characters long (at most {MAX_LENGTH})")
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.position = 0
        self.open = {"(": 0, "^": 0}

    def _tokens(self) -> list[_Token]:
        tokens, place, end = [], 0, len(self.text.rstrip())
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None or match.lastgroup is None:
                column = place + len(self.text[place:]) - len(self.text[place:].lstrip())
                raise self.error(f"{self.text[column]!r} is not allowed", column)
            tokens.append(_Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
            place = match.end()
        tokens.append(_Token("end", "", end))
        return tokens

    def error(self, message: str, column: int, allowed: str = _SYNTAX) -> ValueSyntaxError:
        shown = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        return ValueSyntaxError(f"{shown!r}, column {column + 1}: {message}{allowed}")

    @property
    def next(self) -> _Token:
        return self.tokens[self.position]

    def take(self, *texts: str) -> str | None:
        """Consume the next token and return its text, if it is one of these signs; else return None."""
        token = self.next
        if token.kind != "sign" or token.text not in texts:
            return None
        self.position += 1
        return token.text

    def apply(self, function: str, *arguments: Value, column: int) -> Value:
        try:
            return Apply(function, arguments)
        except ValueSyntaxError as error:
            raise self.error(str(error), column, allowed="") from error

    def whole(self) -> Value:
        if self.next.kind == "end":
            raise self.error("there is no value", 0)
        value = self.sum()
        if self.next.kind != "end":
            raise self.error(f"an operator was expected, not {self.next.text!r}", self.next.column)
        return value

    def sum(self) -> Value:
        terms, column = [_Term("+", self.product())], self.next.column
        while sign := self.take("+", "-"):
            terms.append(_Term(sign, self.product()))
        if _depth(terms) > MAX_DEPTH:
            return self._balanced(terms, column)
        value = terms[0].value
        for term in terms[1:]:
            value = self.apply(term.sign, value, term.value, column=column)
        return value

    def _balanced(self, terms: list[_Term], column: int) -> Value:
        """A long sum as a sum of two halves, so that it is not deep: a - b + c is a - (b - c)."""
        if len(terms) == 1:
            return terms[0].value
        first, second = terms[: (len(terms) + 1) // 2], terms[(len(terms) + 1) // 2 :]
        sign = second[0].sign
        second = [_Term("+" if term.sign == sign else "-", term.value) for term in second]
        return self.apply(sign, self._balanced(first, column), self._balanced(second, column), column=column)

    def product(self) -> Value:
        left, column = self.unary(), self.next.column
        while sign := self.take("*", "/"):
            left = self._times(sign, left, self.unary(), column)
            column = self.next.column
        return left.value

    def _times(self, sign: str, left: _Operand, right: _Operand, column: int) -> _Operand:
        a, b = left.value, right.value
        literals = sign == "/" and left.literal and right.literal
        if literals and isinstance(a, Number) and isinstance(b, Number) and b.value != 0:
            return _Operand(self._number(a.value / b.value, column))
        return _Operand(self.apply(sign, left.value, right.value, column=column))

    def unary(self) -> _Operand:
        """A loop reads the signs, so that many signs need no deep stack."""
        column, negative = self.next.column, 0
        while sign := self.take("-", "+"):
            negative += sign == "-"
        operand = self.power()
        if negative and operand.literal and isinstance(operand.value, Number):
            negative -= 1
            operand = _Operand(Number(-operand.value.value), literal=negative == 0)
        for _ in range(negative):
            operand = _Operand(self.apply("neg", operand.value, column=column))
        return operand

    def power(self) -> _Operand:
        base, column = self.primary(), self.next.column
        if not self.take("^", "**"):
            return base
        self._enter("^", column)
        exponent = self.unary()
        self.open["^"] -= 1
        return _Operand(self.apply("^", base.value, exponent.value, column=column))

    def primary(self) -> _Operand:
        token = self.next
        self.position += token.kind != "end"
        if token.kind == "number":
            return _Operand(self._literal(token), literal=True)
        if token.kind == "name":
            return _Operand(self._named(token))
        if token.text == "(":
            return _Operand(self._arguments(token)[0])
        raise self.error(
            f"a value was expected, not {token.text!r}" if token.text else "a value is missing", token.column
        )

    def _enter(self, sign: str, column: int) -> None:
        self.open[sign] += 1
        if self.open[sign] > MAX_NESTING:
            raise self.error(f"nested more than {MAX_DEPTH} levels deep", column, "")

    def _arguments(self, opening: _Token, count: int = 1) -> list[Value]:
        """The values between parentheses, after the opening parenthesis."""
        self._enter("(", opening.column)
        values = [self.sum()]
        while len(values) < count and self.take(","):
            values.append(self.sum())
        if not self.take(")"):
            raise self.error("')' was expected", self.next.column)
        self.open["("] -= 1
        return values

    def _named(self, token: _Token) -> Value:
        opening = self.next
        if self.take("("):
            arguments = self._arguments(opening, count=MAX_NESTING)
            if token.text not in FUNCTIONS:
                raise self.error(f"unknown function {token.text!r}", token.column)
            return self.apply(token.text, *arguments, column=token.column)
        if token.text in PI_NAMES:
            return PI
        if not is_name(token.text):
            raise self.error("a name is too long (at most 100 characters)", token.column, "")
        return Symbol(token.text)

    def _literal(self, token: _Token) -> Value:
        mantissa, _, exponent = token.text.lower().partition("e")
        if len(mantissa) > 1000 or len(exponent) > 8 or abs(int(exponent or 0)) > MAX_EXPONENT:
            raise self.error(f"a number has too many digits or an exponent beyond {MAX_EXPONENT}", token.column, "")
        return self._number(Fraction(token.text), token.column)

    def _number(self, value: Fraction, column: int) -> Number:
        try:
            return Number(value)
        except ValueSyntaxError as error:
            raise self.error(str(error), column, allowed="") from error
