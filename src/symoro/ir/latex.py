"""Formulas of a program in LaTeX: an `align` environment with one line for each named variable."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import mul

from symoro.ir.expand import check_expandable
from symoro.ir.expr import COMPARISONS, ONE, Constant, Op
from symoro.ir.infix import shown
from symoro.ir.program import Instruction, Literal, Operand, Program

_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_STEMS = {
    **{word: rf"\{word}" for word in _GREEK.split()},
    "GAM": r"\Gamma",
    "qd": r"\dot{q}",
    "qdd": r"\ddot{q}",
    "QP": r"\dot{q}",
    "QDP": r"\ddot{q}",
}
_DERIVATIVE = re.compile(r"d([^\W_]+)_d([^\W_]+)")
_NAME = re.compile(r"([^\W\d_]+)(\d*)((?:_[^\W_]+)*)")


def latex(program: Program, *, expanded: bool = False, setup: bool = True, most: int = 5_000) -> str:
    """The equations of a program: a line for each named variable, and for each output element with another name.

    With `expanded`, every intermediate variable is written out and only the outputs have a line; it is an error if they
    have more than `most` operations. `setup=False` leaves out the equations that depend on parameters only.
    """
    if expanded:
        check_expandable(program, most)
    writer = _LatexWriter(_names(program), expanded)
    lines: list[str] = []
    for section in (program.setup, program.instructions):
        equations = [line for instruction in section for line in writer.lines(instruction)]
        lines += equations if setup or section is program.instructions else []
    lines += writer.outputs(program)
    return "\\begin{align}\n" + " \\\\\n".join(lines) + "\n\\end{align}\n"


Mark = Callable[[str, str], str]
"""From a name and its LaTeX form to the form that is written, for whoever wants to find the name again."""


def lines(program: Program, mark: Mark) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each equation with intermediate variables: the names that it defines, and its text with `&=` in it."""
    writer = _LatexWriter({name: mark(name, form) for name, form in _names(program).items()}, expanded=False)
    for instruction in (*program.setup, *program.instructions):
        for line in writer.lines(instruction):
            yield instruction.results, line
    for output in program.outputs:
        for name, element in zip(output.names, output.elements, strict=True):
            for line in writer.output(name, element):
                yield (name,), line


# names


def latex_name(name: str) -> str:
    """S2 is S_{2}, GAM1 is \\Gamma_{1}, dGAM1_dq2 a fraction; any other name is set upright."""
    derivative = _DERIVATIVE.fullmatch(name)
    if derivative:
        return rf"\frac{{\partial {latex_name(derivative[1])}}}{{\partial {latex_name(derivative[2])}}}"
    parts = _NAME.fullmatch(name)
    if not parts:
        return _upright(name)
    stem, digits, rest = parts.groups()
    head = _STEMS.get(stem) or (stem if len(stem) == 1 and stem.isascii() else rf"\mathrm{{{stem}}}")
    below = ",".join(filter(None, (digits, *rest.split("_"))))
    return f"{head}_{{{below}}}" if below else head


def _upright(name: str) -> str:
    escaped = re.sub(r"([#$%&_{}])", r"\\\1", name.replace("\\", "/"))
    return rf"\mathtt{{{escaped.replace('^', ' ').replace('~', ' ')}}}"


def _names(program: Program) -> dict[str, str]:
    """The LaTeX form of every name; all forms differ."""
    names = [v.name for v in (*program.input_variables(), *program.parameters)]
    names += [r for i in (*program.setup, *program.instructions) for r in i.results]
    names += [n for o in program.outputs for n in o.names]
    table: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        form = latex_name(name)
        table[name] = form if form not in taken else _upright(name)
        taken.add(table[name])
    return table


# expressions: each formula is built from those of its arguments, so that no recursion is deep

_SUM, _PRODUCT, _ATOM, _BASE = 1, 2, 3, 4  # how strongly a text binds; only a _BASE needs no parentheses when squared


@dataclass(frozen=True, slots=True)
class _Piece:
    """A formula without its sign.

    A sum keeps its terms, so that a minus sign can change the sign of each. A product keeps its number and its other
    factors, each as (its text as a factor, its text as a base, exponent), so that a longer product can put the number
    first and make one power of equal factors.
    """

    text: str
    binding: int
    terms: tuple[tuple[bool, str], ...] = ()
    number: Constant | None = None
    factors: tuple[tuple[str, str, int], ...] = ()

    def at(self, level: int) -> str:
        return self.text if self.binding >= level else rf"\left({self.text}\right)"


Signed = tuple[bool, _Piece]

_FUNCTIONS = {
    Op.SIN: r"\sin",
    Op.COS: r"\cos",
    Op.TAN: r"\tan",
    Op.ASIN: r"\arcsin",
    Op.ACOS: r"\arccos",
    Op.ATAN2: r"\operatorname{atan2}",
    Op.EXP: r"\exp",
    Op.SIGN: r"\operatorname{sign}",
    Op.MIN: r"\min",
    Op.MAX: r"\max",
}
_SIGNS = {"<=": r"\leq", "==": "="}  # of comparisons, where LaTeX does not write them as programs do


@dataclass(slots=True)
class _LatexWriter:
    """Writes the lines; it keeps the formula of every result that has no line of its own."""

    names: dict[str, str]
    expanded: bool
    pieces: dict[str, Signed] = field(default_factory=dict)

    def lines(self, instruction: Instruction) -> list[str]:
        """The line of a named instruction, none for one that is written out where it is used."""
        args = [self.operand(a) for a in instruction.args]
        if instruction.op is Op.SOLVE:
            return self.solve(instruction, args)
        value = _apply(instruction.op, args)
        if self.expanded or instruction.anonymous:
            self.pieces[instruction.results[0]] = value
            return []
        return [f"{self.names[instruction.results[0]]} &= {_text(value)}"]

    def operand(self, operand: Operand) -> Signed:
        if isinstance(operand, Literal):
            negative = operand.value.coefficient < 0
            return negative, _number(-operand.value if negative else operand.value)
        if operand.name in self.pieces:
            negative, piece = self.pieces[operand.name]
            return negative != operand.negative, piece
        form = self.names[operand.name]
        return operand.negative, _Piece(form, _BASE if r"\frac" not in form else _ATOM)

    def solve(self, instruction: Instruction, args: list[Signed]) -> list[str]:
        """x = A^{-1} b; written out, an element of it."""
        n = len(instruction.results)
        rows = [[_text(a) for a in args[n * i : n * i + n]] for i in range(n)]
        right = f"{_matrix(rows)}^{{-1}} {_matrix([[_text(b)] for b in args[n * n :]])}"
        if not self.expanded:
            return [f"{_matrix([[self.names[r]] for r in instruction.results])} &= {right}"]
        for i, name in enumerate(instruction.results):
            self.pieces[name] = False, _Piece(rf"\left({right}\right)_{{{i + 1}}}", _ATOM)
        return []

    def outputs(self, program: Program) -> list[str]:
        """A line for each element that is not a variable of its own name."""
        elements = [pair for o in program.outputs for pair in zip(o.names, o.elements, strict=True)]
        return [line for name, element in elements for line in self.output(name, element)]

    def output(self, name: str, element: Operand) -> list[str]:
        left, right = self.names[name], _text(self.operand(element))
        return [f"{left} &= {right}"] if left != right else []


def _apply(op: Op, args: list[Signed]) -> Signed:
    """An operation on formulas."""
    if op is Op.ADD:
        return False, _sum(args)
    if op is Op.MUL:
        return _product(args)
    if op is Op.DIV:
        (minus, top), (flip, bottom) = args
        return minus != flip, _Piece(rf"\frac{{{top.text}}}{{{bottom.text}}}", _ATOM)
    texts = list(map(_text, args))
    if op is Op.SQRT:
        return False, _Piece(rf"\sqrt{{{texts[0]}}}", _ATOM)
    if op is Op.ABS:
        return False, _Piece(rf"\left|{texts[0]}\right|", _ATOM)
    if op is Op.SELECT:
        cases = rf"{texts[1]} & {texts[0]} \ne 0 \\ {texts[2]} & \text{{otherwise}}"
        return False, _Piece(rf"\begin{{cases}} {cases} \end{{cases}}", _SUM)
    if op in COMPARISONS:  # Iverson's bracket: 1 where it holds, else 0
        sign = COMPARISONS[op].sign
        return False, _Piece(rf"\left[{texts[0]} {_SIGNS.get(sign, sign)} {texts[1]}\right]", _ATOM)
    return False, _Piece(rf"{_FUNCTIONS[op]}\left({', '.join(texts)}\right)", _ATOM)


def _text(value: Signed) -> str:
    minus, piece = value
    if minus and piece.terms:
        return _line([(not negative, text) for negative, text in piece.terms])
    return f"-{piece.at(_PRODUCT)}" if minus else piece.text


def _sum(args: Iterable[Signed]) -> _Piece:
    terms: list[tuple[bool, str]] = []
    for minus, piece in args:
        inner = piece.terms or ((False, piece.at(_PRODUCT)),)
        terms += [(minus != negative, text) for negative, text in inner]
    kept = _like_terms(terms)
    return _Piece(_line(kept), _SUM, tuple(kept)) if kept else _Piece("0", _BASE)


def _like_terms(terms: list[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """The terms with x + x as 2 x and without x - x."""
    counts: dict[str, int] = {}
    for negative, text in terms:
        counts[text] = counts.get(text, 0) + (-1 if negative else 1)
    if len(counts) == len(terms):
        return terms
    return [(n < 0, _times(abs(n), text)) for text, n in counts.items() if n]


def _times(n: int, text: str) -> str:
    if n == 1:
        return text
    return rf"{n} \cdot {text}" if text[0].isdigit() else rf"{n}\, {text}"


def _line(terms: Iterable[tuple[bool, str]]) -> str:
    """The terms as one text; a positive term comes first if there is one."""
    (negative, text), *rest = sorted(terms, key=lambda term: term[0])
    return ("-" if negative else "") + text + "".join(f" {'-' if n else '+'} {t}" for n, t in rest)


def _product(args: list[Signed]) -> Signed:
    """The factors of both: the product of their numbers first, then powers."""
    (minus, a), (flip, b) = args
    numbers = [piece.number for piece in (a, b) if piece.number is not None]
    number = reduce(mul, numbers) if numbers else None
    exponents: dict[tuple[str, str], int] = {}
    for text, base, exponent in (*_factors(a), *_factors(b)):
        exponents[text, base] = exponents.get((text, base), 0) + exponent
    factors = tuple((text, base, exponent) for (text, base), exponent in exponents.items())
    if number in (None, ONE):
        number = None
    return minus != flip, _written(number, factors)


def _factors(piece: _Piece) -> tuple[tuple[str, str, int], ...]:
    if piece.factors or piece.number is not None:
        return piece.factors
    return ((piece.at(_PRODUCT), piece.at(_BASE), 1),)


def _written(number: Constant | None, factors: tuple[tuple[str, str, int], ...]) -> _Piece:
    texts = [text if exponent == 1 else f"{base}^{{{exponent}}}" for text, base, exponent in factors]
    if number is not None:
        texts.insert(0, _number(number).text)
    line = texts[0] if texts else "1"
    for text in texts[1:]:
        line += (r" \cdot " if text[0].isdigit() else r"\, ") + text
    alone = len(texts) == 1 and factors and factors[0][2] > 1
    return _Piece(line, _ATOM if alone else _PRODUCT, number=number, factors=factors)


def _number(value: Constant) -> _Piece:
    number = value.coefficient
    if isinstance(number, float) or (number.denominator != 1 and "/" not in shown(value)):
        mantissa, _, exponent = repr(float(value)).partition("e")
        text = rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa
        return _Piece(text, _PRODUCT if exponent else _BASE, number=value)
    p, q = number.numerator, number.denominator
    top = str(p) if not value.pi else r"\pi" if p == 1 else rf"{p}\pi"
    if q != 1:
        return _Piece(rf"\frac{{{top}}}{{{q}}}", _ATOM, number=value)
    return _Piece(top, _PRODUCT if value.pi and p != 1 else _BASE, number=value)


def _matrix(rows: list[list[str]]) -> str:
    return r"\begin{bmatrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{bmatrix}"
