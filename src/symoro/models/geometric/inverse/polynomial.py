"""Polynomials in the unknowns of an equation, with expressions of what is known as coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.ir.graph import Graph

Monomial = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of coefficients times monomials; a monomial is the sorted names of its factors."""

    graph: Graph
    terms: Mapping[Monomial, Expr]

    def __add__(self, other: Polynomial | int) -> Polynomial:
        added = dict(self.terms)
        for monomial, x in _lifted(self.graph, other).terms.items():
            added[monomial] = added[monomial] + x if monomial in added else x
        return Polynomial(self.graph, _without_zeros(added))

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        product: dict[Monomial, Expr] = {}
        for m, x in self.terms.items():
            for n, y in _lifted(self.graph, other).terms.items():
                both = tuple(sorted((*m, *n)))
                product[both] = product[both] + x * y if both in product else x * y
        return Polynomial(self.graph, _without_zeros(product))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Polynomial:
        return Polynomial(self.graph, {m: -x for m, x in self.terms.items()})

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self + -_lifted(self.graph, other)

    def __rsub__(self, other: Polynomial | int) -> Polynomial:
        return -self + other

    def coefficient(self, *monomial: str) -> Expr:
        """The coefficient of a monomial; zero where it is absent."""
        return self.terms.get(tuple(sorted(monomial)), self.graph.zero)


def unknown(graph: Graph, name: str) -> Polynomial:
    """The polynomial that is one unknown."""
    return Polynomial(graph, {(name,): graph.one})


def known(x: Expr) -> Polynomial:
    """The polynomial that is a known expression."""
    return Polynomial(x.graph, {} if x.is_zero else {(): x})


def _lifted(graph: Graph, x: Polynomial | int) -> Polynomial:
    return x if isinstance(x, Polynomial) else known(graph.lift(x))


def _without_zeros(terms: Mapping[Monomial, Expr]) -> dict[Monomial, Expr]:
    return {m: x for m, x in terms.items() if not x.is_zero}
