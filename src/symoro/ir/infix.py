"""Named statements and their text; equations and code are printed with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from operator import mul

from symoro.ir.expr import COMPARISONS, ONE, ZERO, Constant, Op
from symoro.ir.program import Instruction, Literal, Operand


@dataclass(frozen=True, slots=True)
class OperationTree:
    """An operation whose arguments are trees, names or numbers."""

    op: Op
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """A tree, a name or a number with its sign."""

    value: OperationTree | str | Constant
    negative: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """names = right side; only `solve` has several names."""

    names: tuple[str, ...]
    right: OperationTree
    instruction: Instruction


def statements(instructions: tuple[Instruction, ...]) -> Iterator[Statement]:
    """One statement for each named instruction; anonymous results are written out where they are used."""
    return _statements(instructions, {})


def _statements(instructions: tuple[Instruction, ...], pending: dict[str, OperationTree]) -> Iterator[Statement]:
    for instruction in instructions:
        tree = OperationTree(instruction.op, tuple(_term(a, pending) for a in instruction.args))
        if instruction.anonymous:
            pending[instruction.results[0]] = tree
        else:
            yield Statement(instruction.results, tree, instruction)


def trees(instructions: tuple[Instruction, ...], operands: tuple[Operand, ...]) -> list[Term]:
    """Operands that follow the instructions, with anonymous results written out."""
    pending: dict[str, OperationTree] = {}
    for _ in _statements(instructions, pending):
        pass
    return [_term(operand, pending) for operand in operands]


def _term(operand: Operand, pending: dict[str, OperationTree]) -> Term:
    if isinstance(operand, Literal):
        value = operand.value
        return Term(-value, True) if value.coefficient < 0 else Term(value)
    return Term(pending.get(operand.name, operand.name), operand.negative)


#: Numbers whose denominators divide it are written as fractions.
_FRACTIONS = 48


def operand_term(operand: Operand) -> Term:
    """An operand outside any statement."""
    return _term(operand, {})


def shown(value: Constant) -> str:
    """A number as people write it: 1/2 and 2/3 as fractions, 0.1157 as the decimal that it is."""
    number = value.coefficient
    if isinstance(number, float) or value.pi or _FRACTIONS % number.denominator == 0:
        return str(value)
    text = repr(float(number))
    return text if Fraction(text) == number else str(value)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language writes names, numbers, functions and squares.

    A function is a name, or a text with {0} and {1} in the places of its arguments.
    """

    name: Callable[[str], str] = str
    number: Callable[[Constant], str] = shown
    functions: Mapping[Op, str] = field(default_factory=dict)
    select: str = "select({0}, {1}, {2})"
    square: str | None = "{0}**2"
    times: str = "*"
    divide: str = "/"


PLAIN = Dialect()

_SUM, _PRODUCT, _ATOM = 1, 2, 3


def write(term: Term | OperationTree, dialect: Dialect = PLAIN) -> str:
    """The text of a term."""
    return _write(term if isinstance(term, Term) else Term(term), dialect, _SUM)


def _write(term: Term, d: Dialect, level: int) -> str:
    """The text of a term, in parentheses where its binding is weaker than `level`."""
    value = term.value
    if isinstance(value, OperationTree):
        text, binding = _tree(value, term.negative, d)
    else:
        text = d.name(value) if isinstance(value, str) else d.number(value)
        binding = _PRODUCT if isinstance(value, Constant) and ("/" in text or "*" in text) else _ATOM
        if term.negative:
            text, binding = f"-{text}", _SUM
    return f"({text})" if binding < level else text


def _tree(tree: OperationTree, negative: bool, d: Dialect) -> tuple[str, int]:
    sign = "-" if negative else ""
    if tree.op is Op.ADD:
        return _sum(tree, negative, d), _SUM
    if tree.op is Op.MUL:
        body, minus = _product(tree, d)
        return ("-" if minus != negative else "") + body, _SUM if minus != negative else _PRODUCT
    if tree.op is Op.DIV:
        top, bottom = tree.args
        minus = top.negative != (bottom.negative != negative)
        body = f"{_write(Term(top.value), d, _PRODUCT)}{d.divide}{_write(Term(bottom.value), d, _ATOM)}"
        return ("-" if minus else "") + body, _SUM if minus else _PRODUCT
    body = _call(tree, d)
    return sign + body, _SUM if negative else _ATOM


def _sum(tree: OperationTree, negative: bool, d: Dialect) -> str:
    """Nested sums are one line of terms."""
    terms: list[Term] = []
    pending = [Term(tree, negative)]
    while pending:
        term = pending.pop()
        if isinstance(term.value, OperationTree) and term.value.op is Op.ADD:
            pending += [Term(a.value, a.negative != term.negative) for a in reversed(term.value.args)]
        else:
            terms.append(term)
    terms = _like_terms(terms)
    if not terms:
        return d.number(ZERO)
    terms.sort(key=_minus)  # a sum begins with a positive term if it has one
    text = _write(terms[0], d, _SUM)
    for term in terms[1:]:
        part = _write(term, d, _SUM)
        text += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
    return text


def _like_terms(terms: list[Term]) -> list[Term]:
    """The terms with x + x as 2*x and without x - x; the order of the first ones stays."""
    multiples: dict[Hashable, tuple[Term, int]] = {}
    for term in terms:
        key = _without_order(term)
        first, times = multiples.get(key, (term, 0))
        multiples[key] = first, times + (1 if _minus(term) == _minus(first) else -1)
    if len(multiples) == len(terms):
        return terms
    return [_multiple(term, times) for term, times in multiples.values() if times]


def _without_order(term: Term) -> Hashable:
    """What two terms have in common that differ in sign and in the order of factors only."""
    if isinstance(term.value, OperationTree) and term.value.op is Op.MUL:
        return frozenset(Counter(factor.value for factor in _factors(term.value, PLAIN)[0]).items())
    return term.value


def _multiple(term: Term, times: int) -> Term:
    if abs(times) == 1:
        return Term(term.value, term.negative != (times < 0))
    number = Term(Constant(Fraction(abs(times))))
    return Term(OperationTree(Op.MUL, (number, Term(term.value))), term.negative != (times < 0))


def _minus(term: Term) -> bool:
    """Whether the text of a term begins with a minus sign."""
    if isinstance(term.value, OperationTree) and term.value.op is Op.MUL:
        return term.negative != _factors(term.value, PLAIN)[1]
    if isinstance(term.value, OperationTree) and term.value.op is Op.DIV:
        top, bottom = term.value.args
        return term.negative != (top.negative != bottom.negative)
    return term.negative


def _product(tree: OperationTree, d: Dialect) -> tuple[str, bool]:
    """A product and whether it is negative; signs of the factors come out in front."""
    factors, minus = _factors(tree, d)
    if len(factors) == 1:
        return _alone(factors[0], d), minus
    below = [f.value.args[1] for f in factors if _is_reciprocal(f)]  # type: ignore[union-attr]
    above = [f for f in factors if not _is_reciprocal(f)] or [Term(ONE)]
    text = d.times.join(_write(f, d, _PRODUCT) for f in above)  # a*(1/b) is written a/b
    return text + "".join(f"{d.divide}{_write(b, d, _ATOM)}" for b in below), minus


def _is_reciprocal(factor: Term) -> bool:
    value = factor.value
    return isinstance(value, OperationTree) and value.op is Op.DIV and value.args[0].value == ONE


def _alone(factor: Term, d: Dialect) -> str:
    """The only factor of a product: a square, or what is left when numbers make 1."""
    value = factor.value
    if d.square and isinstance(value, OperationTree) and value.op is Op.MUL:
        return d.square.format(_write(value.args[0], d, _ATOM))
    return _write(factor, d, _PRODUCT)


def _factors(tree: OperationTree, d: Dialect) -> tuple[list[Term], bool]:
    """The factors of nested products without signs, and whether the product is negative; a square is one factor.

    A number comes first. Equal factors are a square wherever they stand: b*a*b is b**2*a.
    """
    factors: list[Term] = []
    minus = False
    pending = [Term(tree)]
    while pending:
        value = pending.pop().value
        if isinstance(value, OperationTree) and value.op is Op.DIV:
            top, bottom = value.args
            minus ^= top.negative != bottom.negative
            factors.append(Term(OperationTree(Op.DIV, (Term(top.value), Term(bottom.value)))))
            continue
        if not isinstance(value, OperationTree) or value.op is not Op.MUL:
            factors.append(Term(value))
            continue
        a, b = value.args
        minus ^= a.negative != b.negative
        if d.square and a.value == b.value:
            factors.append(Term(OperationTree(Op.MUL, (Term(a.value), Term(b.value)))))
        else:
            pending += [b, a]
    return _in_order(factors, squares=d.square is not None), minus


def _in_order(factors: list[Term], squares: bool) -> list[Term]:
    numbers = [f.value for f in factors if isinstance(f.value, Constant)]
    number = [Term(reduce(mul, numbers))] if numbers else []
    if len(numbers) > 1 and number[0].value == ONE:
        number = []
    counts = Counter(f for f in factors if not isinstance(f.value, Constant))
    if not squares:
        return number + [factor for factor, times in counts.items() for _ in range(times)]
    return number + [power for factor, times in counts.items() for power in _powers(factor, times)]


def _powers(factor: Term, times: int) -> list[Term]:
    square = Term(OperationTree(Op.MUL, (factor, factor)))
    return [square] * (times // 2) + [factor] * (times % 2)


def _call(tree: OperationTree, d: Dialect) -> str:
    args = [_write(a, d, _SUM) for a in tree.args]
    if tree.op is Op.SELECT:
        return d.select.format(*args)
    function: str = d.functions.get(tree.op, tree.op.value)
    if "{0}" in function:
        return function.format(*args)
    if tree.op in COMPARISONS:
        return f"({args[0]} {COMPARISONS[tree.op].sign} {args[1]})"
    return f"{function}({', '.join(args)})"
