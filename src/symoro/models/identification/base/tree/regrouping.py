"""From standard to base inertial parameters: the regrouping of a tree, and the base parameters that a robot has.

`tree_values` gives the regrouped parameters as expressions (GK88:20-22, for trees), `full_relations` as linear
relations of the standard parameters. `tree_base_set` restricts the relations to the parameters that are not 0, makes
them independent and names them. Loops and wheels eliminate more parameters of this set (`eliminated_further`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from symoro.ir.expr import Expr
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.models.identification.base.tree.coefficients import Coefficient, Coefficients, Span, accumulate
from symoro.models.identification.base.tree.forms import Row
from symoro.models.identification.base.tree.sensed import Sensed, sensed_links
from symoro.models.identification.columns import Column
from symoro.models.identification.parameters import Key, own_value, standard
from symoro.models.remembered import remembered
from symoro.robot.values import Symbol, Value, is_zero
from symoro.symbols import Symbols
from symoro.vocabulary import PARAMETERS

Relation: TypeAlias = dict[Key, Coefficient]
"""A base parameter as a linear combination of standard ones."""
Elimination: TypeAlias = Mapping[Key, Mapping[Key, Any]]
"""Eliminated parameter -> its column as a combination of others: coefficients, or values of the robot's tables."""
T = TypeVar("T")


def tree_values(s: Symbols) -> dict[Key, Expr]:
    """Every inertial parameter and rotor inertia after the tree's regrouping, as an expression; 0 if eliminated."""

    def own(name: str, j: int) -> Expr:
        return s.bind(own_value(s.robot, (name, j)))

    def sum_of(terms: Iterable[tuple[Coefficient, Expr]]) -> Expr:
        return total(s.graph, (x.expr * value for x, value in terms))

    def named(name: str, j: int, value: Expr) -> Expr:
        return named_value(s, (name, j), value, "GK88:20-22")

    kept = _Regrouping(s, sensed_links(s, Coefficients(s.graph)), own, sum_of, named).kept()
    return dict.fromkeys(standard(s.robot), s.graph.zero) | kept


def named_value(s: Symbols, key: Key, value: Expr, equation: str) -> Expr:
    """A regrouped parameter under its name: ZZR1."""
    text, unit = PARAMETERS[key[0]]
    meaning = Meaning(f"{text.format(j=key[1])}, regrouped", unit, key[1], equation)
    return s.graph.name(value, f"{key[0]}R{key[1]}", meaning)


@remembered
def full_relations(s: Symbols) -> dict[Key, Relation]:
    """Every base parameter of the tree as a linear relation of all standard ones, whether or not they are 0."""
    field = Coefficients(s.graph)

    def own(name: str, j: int) -> Relation:
        return {(name, j): field.one}

    def sum_of(terms: Iterable[tuple[Coefficient, Relation]]) -> Relation:
        result: Relation = {}
        for x, relation in terms:
            accumulate(result, x, relation)
        return result

    return _Regrouping(s, sensed_links(s, field), own, sum_of, lambda name, j, value: value).kept()


@dataclass(frozen=True)
class _Regrouping(Generic[T]):
    """The recursion from the tips to the base that adds parameters which are not kept to those of the antecedent.

    Behind a revolute joint these are YY, MZ and M (GK88:20), behind a prismatic one the inertia tensor (GK88:22),
    behind a fixed one all. The values are expressions or relations: `own` gives the value of a standard parameter,
    `sum_of` a linear combination of values, and `named` gives a regrouped value its name.
    """

    s: Symbols
    sensed: Mapping[int, Sensed]
    own: Callable[[str, int], T]
    sum_of: Callable[[Iterable[tuple[Coefficient, T]]], T]
    named: Callable[[str, int, T], T]

    def kept(self) -> dict[Key, T]:
        """The base parameters, from the base to the tips."""
        found: dict[int, dict[Key, T]] = {}
        passed: dict[int, dict[str, T]] = {}
        for j in (*self.s.inward, 0):
            link = self.sensed[j]
            found[j] = {(n, j): self._gather(n, j, form, passed) for n, form in link.own.basis.items()}
            passing = {n: form for n, form in link.forms.basis.items() if n not in link.own.basis}
            passed[j] = {n: self._gather(n, j, form, passed) for n, form in passing.items()}
        return {key: value for j in sorted(found) for key, value in found[j].items()}

    def _gather(self, name: str, j: int, form: Row, passed: Mapping[int, dict[str, T]]) -> T:
        """The value of a form of link j: its own parameters, and what its children pass on."""
        terms = [(x, self.own(n, j)) for n, x in form.items()]
        for c in self.s.children[j]:
            arriving: Row = {}
            for pivot in self.sensed[j].forms.basis:
                if pivot in form:
                    accumulate(arriving, form[pivot], self.sensed[c].passed[pivot])
            given = [(x, passed[c][n]) for n, x in arriving.items() if n in passed[c]]
            given += [(arriving["IA"], self.own("IA", c))] if "IA" in arriving else []
            terms += [(x.field.one, self.sum_of(given)) for x, _ in given[:1]]
        return self.named(name, j, self.sum_of(terms))


@dataclass(frozen=True, slots=True)
class BaseSet:
    """A set of base parameters, as relations of the standard parameters that are not 0."""

    standard: dict[Key, str]
    """The standard parameters that are not 0, with their names."""
    names: dict[Key, str]
    """The names of all parameters that are not 0 after regrouping: ZZR1 if the value changed, else ZZ1."""
    base: dict[Key, Relation]
    """The base parameters."""
    dependent: dict[Key, Relation]
    """Parameters that are not 0 after regrouping but depend on base parameters (robots with few parameters)."""

    def coefficient(self, s: Symbols, x: Coefficient | Value) -> Coefficient:
        """A coefficient of an elimination, of the same kind as those of the relations."""
        return x if isinstance(x, Coefficient) else field_of(self.base).value(x, s.bind(x))

    def columns(self, s: Symbols) -> list[Column]:
        """The columns of the base parameters; parameters that depend on a base parameter add theirs to its own."""

        def parts(p: Key) -> dict[Key, Expr]:
            return {p: s.graph.one} | {d: row[p].expr for d, row in self.dependent.items() if p in row}

        return [Column(self.names[p], p, parts(p), changed(p, relation)) for p, relation in self.base.items()]


def field_of(relations: Mapping[Key, Relation]) -> Coefficients:
    """What makes the coefficients of these relations."""
    return next(x.field for relation in relations.values() for x in relation.values())


def tree_base_set(s: Symbols, rotors: bool | None = None) -> BaseSet:
    """The base parameters of the tree. Rotor inertias: those that the robot has (None), of all joints, or none."""
    present = _present(s, rotors)
    found = {p: {k: x for k, x in relation.items() if k in present} for p, relation in full_relations(s).items()}
    found = {p: relation for p, relation in found.items() if relation}
    base, dependent = _independent(found, present)
    columns = _own_names(present)
    taken = set(columns.values()) | set(s.parameter_names)
    names = {p: base_name(p, relation, columns, taken) for p, relation in found.items()}
    return BaseSet(columns, names, base, dependent)


def _present(s: Symbols, rotors: bool | None) -> dict[Key, Value]:
    """The parameters that are not 0. If those of the links are all 0, only the geometry is given, and all count."""
    everything = standard(s.robot)
    geometry_only = all(is_zero(value) for (letters, _), value in everything.items() if letters != "IA")

    def is_present(key: Key, value: Value) -> bool:
        if key[0] == "IA":
            return rotors is not False and key[1] in s.movable and (rotors is True or not is_zero(value))
        return geometry_only or not is_zero(value)

    return {key: value for key, value in everything.items() if is_present(key, value)}


def changed(p: Key, relation: Mapping[Key, Coefficient]) -> bool:
    """Whether regrouping changed a parameter: its relation is more than the standard parameter of the same name."""
    return relation.keys() != {p} or not relation[p].is_one


def _independent(
    found: Mapping[Key, Relation], columns: Iterable[Key]
) -> tuple[dict[Key, Relation], dict[Key, Relation]]:
    """The relations that are independent, and the others as combinations of these.

    A parameter that is not 0 before regrouping is in its own relation only, so that only parameters that were 0 can
    depend on each other. Each row gets a tag of its own. A row that reduces to tags alone is a combination of others.
    """
    base, dependent = dict(found), {}
    span = Span([*columns])
    for p, relation in found.items():
        if p in relation:
            continue
        one = next(iter(relation.values())).field.one
        rest = span.reduced({**relation, _tag(p): one})
        if any(k in span.order for k in rest):
            span.include(rest)
        else:
            del base[p]
            dependent[p] = {_untag(k): -x / rest[_tag(p)] for k, x in rest.items() if k != _tag(p)}
    return base, dependent


def _tag(p: Key) -> Key:
    return f"#{p[0]}", p[1]


def _untag(p: Key) -> Key:
    return p[0][1:], p[1]


def _own_names(present: Mapping[Key, Value]) -> dict[Key, str]:
    """The name of each parameter: its symbol if no other parameter has the same, else its letters and link."""
    symbols = [value.name for value in present.values() if isinstance(value, Symbol)]
    return {
        (letters, j): v.name if isinstance(v, Symbol) and symbols.count(v.name) == 1 else f"{letters}{j}"
        for (letters, j), v in present.items()
    }


def base_name(p: Key, relation: Relation, columns: Mapping[Key, str], taken: set[str]) -> str:
    """ZZR1 if regrouping changed the value, else the name of the standard parameter."""
    if not changed(p, relation):
        return columns[p]
    name = f"{p[0]}R{p[1]}"
    while name in taken:
        name += "_"
    return name


def kept_order(keys: Sequence[Key]) -> list[int]:
    """The positions of the parameters in the order in which they are kept: base to tips, rotor inertias last (GK88)."""
    return sorted(range(len(keys)), key=lambda k: (keys[k][0] == "IA", k))


def eliminated_further(s: Symbols, tree: BaseSet, eliminations: Sequence[Elimination]) -> BaseSet:
    """The tree's base parameters after eliminations, one after the other: the eliminated ones are added to others."""
    base = {p: dict(relation) for p, relation in tree.base.items()}
    for elimination in eliminations:
        for eliminated, row in elimination.items():
            gone = base.pop(eliminated)
            for p, x in row.items():
                accumulate(base[p], tree.coefficient(s, x), gone)
    taken = set(tree.standard.values()) | set(s.parameter_names)
    names = tree.names | {p: base_name(p, relation, tree.standard, taken) for p, relation in base.items()}
    dependent = {d: {p: x for p, x in row.items() if p in base} for d, row in tree.dependent.items()}
    return BaseSet(tree.standard, names, base, dependent)
