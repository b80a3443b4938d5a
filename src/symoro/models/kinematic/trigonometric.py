"""The factors of sums of products of sines, cosines and lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from symoro.ir.expr import Constant, Expr, Node, Op
from symoro.ir.extract import reachable
from symoro.ir.graph import Graph

# Sums of products in which sines and cosines of two angles become those of the sum or the difference.


Angle = tuple[tuple[int, int], ...]
"""A sum of angles: the number of each angle and its coefficient."""


@dataclass(frozen=True, slots=True, order=True)
class Trig:
    """The sine or the cosine of a sum of angles."""

    sine: bool
    angle: Angle


Atom = int | Trig
Product = frozenset[tuple[Atom, int]]
"""Atoms with their powers."""
Sum = dict[Product, Fraction]


def merge(terms: Sum) -> Sum:
    """Replace S2*C3 + C2*S3 by S23, C2*C3 − S2*S3 by C23 and so on, until no two terms match."""
    terms = dict(terms)
    while True:
        pair = _first_match(terms)
        if pair is None:
            return terms
        first, second, product, sign = pair
        number = terms.pop(first)
        del terms[second]
        terms[product] = terms.get(product, Fraction(0)) + sign * number
        if not terms[product]:
            del terms[product]


def _first_match(terms: Sum) -> tuple[Product, Product, Product, int] | None:
    ordered = sorted(terms, key=lambda product: str(sorted(product, key=str)))
    for first, second in combinations(ordered, 2):
        if abs(terms[first]) == abs(terms[second]):
            merged = _merge_pair(first, second, terms[first] == terms[second])
            if merged is not None:
                return first, second, *merged
    return None


def _merge_pair(first: Product, second: Product, same: bool) -> tuple[Product, int] | None:
    """The product that replaces two terms, and its sign relative to the first one."""
    common = first & second
    left, right = _pair(first - common), _pair(second - common)
    if left is None or right is None or {Trig(not t.sine, t.angle) for t in left} != set(right):
        return None
    (p, a), (q, b) = (left[0].sine, left[0].angle), (left[1].sine, left[1].angle)
    if a == b:
        return None
    if p == q:  # C C ∓ S S
        cosine, _ = _normal(False, a, b, -1 if same else 1)
        return _times(common, cosine), -1 if p and not same else 1
    if q:  # the sine first
        a, b = b, a
    trig, sign = _normal(True, a, b, 1 if same else -1)  # S_a C_b ± C_a S_b
    return _times(common, trig), sign


def _pair(product: Product) -> tuple[Trig, Trig] | None:
    """The two sines or cosines of a product that has no other factor; None for other products."""
    items = sorted(product, key=str)
    if len(items) != 2 or any(power != 1 or not isinstance(atom, Trig) for atom, power in items):
        return None
    (first, _), (second, _) = items
    return (first, second) if isinstance(first, Trig) and isinstance(second, Trig) else None


def _normal(sine: bool, a: Angle, b: Angle, sign: int) -> tuple[Trig, int]:
    """The sine or cosine of a ± b, with a positive coefficient for its first angle, and the sign in front."""
    times = dict(a)
    for k, n in b:
        times[k] = times.get(k, 0) + sign * n
    angle = tuple(sorted((k, n) for k, n in times.items() if n))
    if angle and angle[0][1] < 0:
        return Trig(sine, tuple((k, -n) for k, n in angle)), -1 if sine else 1
    return Trig(sine, angle), 1


def _times(common: Product, trig: Trig) -> Product:
    powers = dict(common)
    powers[trig] = powers.get(trig, 0) + 1
    return frozenset(powers.items())


# Polynomials in sines and cosines: from expressions, reduced by s² + c² = 1, factored, and back to expressions.
#
# Sines and cosines of sums of angles are expanded before factoring, and merged again in each factor.


#: Polynomials with more terms than these are not computed, or not factored.
MOST_TERMS, MOST_TERMS_TO_FACTOR = 4000, 700

Polynomial = Any
"""An element of a SymPy ring."""


class TooLarge(Exception):
    """The polynomial has too many terms to be computed or read."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A sum of products, and its multiplicity."""

    terms: Sum
    times: int


class TrigonometricRing:
    """The polynomials in the symbols of some expressions and in the sines and cosines of their angles."""

    def __init__(self, expressions: Iterable[Expr]) -> None:
        from sympy import QQ
        from sympy.polys.rings import ring

        nodes = reachable(expressions)
        arguments = {n.args[0].node for n in nodes if n.op in (Op.SIN, Op.COS)}
        self.angles = list(dict.fromkeys(node for a in nodes if a in arguments for node, _ in _terms(a.plus)))
        self.atoms = [n for n in nodes if self._is_atom(n)]
        names = [f"c{k}" for k in range(len(self.angles))] + [f"s{k}" for k in range(len(self.angles))]
        self.ring = ring([*names, *(f"x{k}" for k in range(len(self.atoms))), "unused"], QQ)[0]
        self._gens = dict(zip(self.atoms, self.ring.gens[2 * len(self.angles) :], strict=False))
        self._known: dict[Node, Polynomial] = {}

    @staticmethod
    def _is_atom(node: Node) -> bool:
        """Whether a node is an indeterminate of the ring: a symbol, π, a float, a quotient, a root."""
        if isinstance(node.value, Constant):
            return node.value.pi or not node.value.exact
        return node.op not in (Op.ADD, Op.MUL, Op.SIN, Op.COS)

    def pair(self, k: int) -> tuple[Polynomial, Polynomial]:
        """Cosine and sine of angle k."""
        return self.ring.gens[k], self.ring.gens[len(self.angles) + k]

    def polynomial(self, expr: Expr) -> Polynomial:
        """The expression as an element of the ring."""
        for node in reachable([expr]):
            if node not in self._known:
                self._known[node] = self._make(node)
        value = self._known[expr.node]
        return -value if expr.negative else value

    def _make(self, node: Node) -> Polynomial:
        if node in self._gens:
            return self._gens[node]
        if isinstance(node.value, Constant):
            return self.ring(Fraction(node.value.coefficient))
        if node.op in (Op.SIN, Op.COS):
            cosine, sine = self._trigonometric(node.args[0])
            return cosine if node.op is Op.COS else sine
        left, right = (self.polynomial_of(a) for a in node.args)
        return self.bounded(left + right if node.op is Op.ADD else self.reduce(left * right))

    def polynomial_of(self, expr: Expr) -> Polynomial:
        value = self._known[expr.node]
        return -value if expr.negative else value

    def _trigonometric(self, angle: Expr) -> tuple[Polynomial, Polynomial]:
        """Cosine and sine of a sum of angles, expanded."""
        cosine, sine = self.ring.one, self.ring.zero
        for node, times in _terms(angle):
            c, s = self.pair(self.angles.index(node))
            for _ in range(abs(times)):
                s_signed = s if times > 0 else -s
                cosine, sine = cosine * c - sine * s_signed, sine * c + cosine * s_signed
        return self.reduce(cosine), self.reduce(sine)

    def bounded(self, p: Polynomial) -> Polynomial:
        if len(p) > MOST_TERMS:
            raise TooLarge
        return p

    def reduce(self, p: Polynomial, by_sine: Sequence[bool] | None = None) -> Polynomial:
        """p with no power of a sine above the first, by s² = 1 − c²; of a cosine for the angles marked in `by_sine`."""
        for k in range(len(self.angles)):
            c, s = self.pair(k)
            gone, kept = (c, s) if by_sine and by_sine[k] else (s, c)
            p = self._eliminate(p, gone, kept)
        return p

    def _eliminate(self, p: Polynomial, gone: Polynomial, kept: Polynomial) -> Polynomial:
        g = self.ring.gens.index(gone)
        low, high = self.ring.zero, self.ring.zero
        for monomial, coefficient in p.terms():
            if monomial[g] < 2:
                low[monomial] = coefficient
            else:
                high[(*monomial[:g], monomial[g] - 2, *monomial[g + 1 :])] = coefficient
        return low + self._eliminate(high * (1 - kept**2), gone, kept) if high else low

    def factors(self, p: Polynomial) -> tuple[Fraction, list[Factor]]:
        """A number and the factors whose product is p; of several normal forms of p, the one with the fewest terms."""
        if len(p) > MOST_TERMS_TO_FACTOR:
            return Fraction(1), [Factor(self._sum(p), 1)]
        factorings = []
        for form in self._forms(p):
            number, parts = _factor_list(form)
            factorings.append((Fraction(str(number)), [Factor(merge(self._sum(f)), times) for f, times in parts]))
        return min(factorings, key=lambda one: sum(len(f.terms) for f in one[1]))

    def _forms(self, p: Polynomial) -> list[Polynomial]:
        """Normal forms of p: sines eliminated; cosines eliminated; for each angle the one that leaves fewer terms."""
        n = len(self.angles)
        choice = [False] * n
        for k in range(n):
            other = [*choice[:k], True, *choice[k + 1 :]]
            if len(self.reduce(p, other)) < len(self.reduce(p, choice)):
                choice = other
        return [self.reduce(p, [False] * n), self.reduce(p, [True] * n), self.reduce(p, choice)]

    def _sum(self, p: Polynomial) -> Sum:
        """The polynomial as products of atoms, sines and cosines with numbers in front."""
        terms: Sum = {}
        n = len(self.angles)
        for monomial, coefficient in p.terms():
            factors: list[tuple[Atom, int]] = []
            for k, power in enumerate(monomial):
                if power and k < 2 * n:
                    factors.append((Trig(k >= n, ((k % n, 1),)), power))
                elif power:
                    factors.append((k - 2 * n, power))
            terms[frozenset(factors)] = Fraction(str(coefficient))
        return terms

    def expression(self, graph: Graph, terms: Sum, translate: Callable[[Expr], Expr]) -> Expr:
        """A sum as an expression of a graph; `translate` gives the atoms and angles in that graph."""
        result = graph.zero
        for factors, number in sorted(terms.items(), key=lambda item: str(sorted(item[0], key=str))):
            product = graph.constant(number)
            for atom, power in sorted(factors, key=str):
                product = product * self._atom(atom, translate) ** power
            result = result + product
        return result

    def _atom(self, atom: Atom, translate: Callable[[Expr], Expr]) -> Expr:
        if isinstance(atom, int):
            return translate(self.atoms[atom].plus)
        angle = self._angle(atom.angle, translate)
        return angle.graph.sin(angle) if atom.sine else angle.graph.cos(angle)

    def _angle(self, angle: Angle, translate: Callable[[Expr], Expr]) -> Expr:
        (first, times), *rest = angle
        total = translate(self.angles[first].plus) * times
        for k, n in rest:
            total = total + translate(self.angles[k].plus) * n
        return total


def _factor_list(p: Polynomial) -> tuple[Any, list[tuple[Polynomial, int]]]:
    """SymPy's factors. SymPy draws random points: the seed is fixed, so that the result is always the same."""
    from sympy.core.random import rng

    state = rng.getstate()
    rng.seed(0)
    try:
        number, parts = p.factor_list()
    finally:
        rng.setstate(state)
    return number, parts


def _terms(angle: Expr) -> list[tuple[Node, int]]:
    """The angle as a sum of nodes with whole coefficients."""
    times: dict[Node, int] = {}
    pending = [(angle, 1)]
    while pending:
        x, n = pending.pop()
        n = -n if x.negative else n
        number = x.node.args[0].constant if x.node.op is Op.MUL else None
        if x.node.op is Op.ADD:
            pending += [(a, n) for a in x.node.args]
        elif number is not None and number.exact and not number.pi and Fraction(number.coefficient).denominator == 1:
            pending.append((x.node.args[1], n * int(number.coefficient)))
        else:
            times[x.node] = times.get(x.node, 0) + n
    return [(node, n) for node, n in sorted(times.items(), key=lambda item: item[0].serial) if n]
