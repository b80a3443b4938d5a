"""From standard to base inertial parameters (GK88:20-22 for trees): as expressions, and as linear relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from symoro.ir.expr import Expr
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.models.identification.coefficients import Coefficient, Coefficients
from symoro.models.identification.inertia import Row, accumulate
from symoro.models.identification.structure import INERTIAL, Senses, senses
from symoro.robot.link import Inertia
from symoro.robot.values import Value
from symoro.symbols import Symbols
from symoro.vocabulary import PARAMETERS

Key: TypeAlias = tuple[str, int]
"""A parameter: its letters and its link."""
Relation: TypeAlias = dict[Key, Coefficient]
"""What a base parameter is of the standard ones."""
T = TypeVar("T")


def standard(s: Symbols) -> dict[Key, Value]:
    """The inertial parameters and rotor inertias of the robot's tables; those of the base where it is free."""
    links = range(0 if s.robot.base.free else 1, s.robot.link_count + 1)
    found: dict[Key, Value] = {}
    for j in links:
        found |= {(name, j): getattr(s.robot.inertia(j), name) for name in Inertia.names()}
        found |= {("IA", j): s.robot.drive(j).IA} if j else {}
    return found


def tree_values(s: Symbols) -> dict[Key, Expr]:
    """The value of every inertial parameter and rotor inertia after the tree's regrouping: 0 where it is eliminated."""

    def own(name: str, j: int) -> Expr:
        table = s.robot.drive(j) if name == "IA" else s.robot.inertia(j)
        return s.bind(getattr(table, name))

    def sum_of(terms: Iterable[tuple[Coefficient, Expr]]) -> Expr:
        return total(s.graph, (x.expr * value for x, value in terms))

    def named(name: str, j: int, value: Expr) -> Expr:
        text, unit = PARAMETERS[name]
        return s.graph.name(value, f"{name}R{j}", Meaning(f"{text.format(j=j)}, regrouped", unit, j, "GK88:20-22"))

    kept = _Regrouping(s, senses(s, Coefficients(s.graph)), own, sum_of, named).kept()
    return dict.fromkeys(standard(s), s.graph.zero) | kept


def relations(s: Symbols) -> dict[Key, Relation]:
    """Every base parameter as a linear relation of the standard ones."""
    field = Coefficients(s.graph)

    def own(name: str, j: int) -> Relation:
        return {(name, j): field.one}

    def sum_of(terms: Iterable[tuple[Coefficient, Relation]]) -> Relation:
        result: Relation = {}
        for x, relation in terms:
            accumulate(result, x, relation)
        return result

    return _Regrouping(s, senses(s, field), own, sum_of, lambda name, j, value: value).kept()


@dataclass(frozen=True)
class _Regrouping(Generic[T]):
    """Carries the parameters of links from the tips to the base.

    The parameters of a link that are not kept go to its antecedent: of a revolute joint YY, MZ and M (GK88:20), of a
    prismatic one the inertia tensor (GK88:22), of a fixed one everything.
    """

    s: Symbols
    structure: Mapping[int, Senses]
    own: Callable[[str, int], T]
    sum_of: Callable[[Iterable[tuple[Coefficient, T]]], T]
    named: Callable[[str, int, T], T]

    def kept(self) -> dict[Key, T]:
        """The base parameters, from the base to the tips."""
        found: dict[int, dict[Key, T]] = {}
        passed: dict[int, dict[str, T]] = {}
        for j in (*self.s.inward, 0):
            link = self.structure[j]
            found[j] = {(n, j): self._gather(n, j, form, passed) for n, form in link.own.basis.items()}
            passing = {n: form for n, form in link.forms.basis.items() if n not in link.own.basis}
            passed[j] = {n: self._gather(n, j, form, passed) for n, form in passing.items()}
        return {key: value for j in sorted(found) for key, value in found[j].items()}

    def _gather(self, name: str, j: int, form: Row, passed: Mapping[int, dict[str, T]]) -> T:
        """The value of a form of link j: of its own parameters, and of what its children pass on."""
        terms = [(x, self.own(n, j)) for n, x in form.items()]
        for c in self.s.children[j]:
            arriving: Row = {}
            for pivot in self.structure[j].forms.basis:
                if pivot in form:
                    accumulate(arriving, form[pivot], self.structure[c].passed[pivot])
            given = [(x, passed[c][n]) for n, x in arriving.items() if n in passed[c]]
            given += [(arriving["IA"], self.own("IA", c))] if "IA" in arriving else []
            terms += [(x.field.one, self.sum_of(given)) for x, _ in given[:1]]
        return self.named(name, j, self.sum_of(terms))


assert set(INERTIAL) == set(Inertia.names())
