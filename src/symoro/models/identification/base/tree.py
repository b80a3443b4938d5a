"""What the torques of a tree sense of each link, and the regrouping to base parameters that follows.

The equations are those of GK88 § 5-8, for any tree and any base. In the frame of link j there are three spaces:

S_j   the twists that link j can be given: by gravity or the base's motion, by the joints before j and by joint j,
      in all configurations. Moving joint j turns or shifts a twist, so S_j is closed under joint j.
C_j   the forms of the parameters of link j (and of the links that it carries, as one body) that some torque senses.
      Joint j senses the momentum along its axis of a body that accelerates by a twist of S_j; the joints before j
      sense the forms of C_a(j), seen from frame j in all configurations of joint j.
D_j   the forms of C_j that are sensed separately from link a(j): what joint j senses, and the parts of the forms of
      C_a(j) that vary with q_j. The constant parts always come with parameters of link a(j) and regroup there.

The number of base parameters is the sum of the dimensions of D_j (docs/theory/base-parameters.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from symoro.bind.binding import value_of
from symoro.bind.symbols import Symbols
from symoro.bind.vocabulary import PARAMETERS, parameter_text
from symoro.findings import sentence
from symoro.ir.expr import Expr
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.models.identification.base.forms import (
    TWIST,
    Coefficient,
    Coefficients,
    Passage,
    Row,
    Span,
    accumulate,
    steps_of,
    unit,
)
from symoro.models.identification.columns import INERTIAL, Column, Key, own_value, standard
from symoro.models.results import remembered
from symoro.robot.base import BaseKind
from symoro.robot.joint import Joint
from symoro.robot.springs import variables
from symoro.robot.values import Symbol, Value, is_zero, symbols

#: The parameters of a link in the order in which they are kept, its rotor inertia last.
KEPT_FIRST = (*INERTIAL, "IA")
#: The parameters that are not kept, in the order in which they are passed to the antecedent.
PASSED_FIRST = ("YY", "M", "MZ", "ZZ", "XX", "XY", "XZ", "YZ", "MX", "MY")


@dataclass(frozen=True, slots=True)
class SensedForms:
    """What is sensed of one link, and how its other parameters regroup into the antecedent."""

    twists: Span[str]
    """S_j."""
    forms: Span[str]
    """C_j."""
    kept: Span[str]
    """D_j; its pivots are the parameters that are kept."""
    passed: dict[str, Row]
    """For each basis form of C_a(j): what the parameters of link j that are not kept add to it."""


def sensed_links(s: Symbols, field: Coefficients) -> dict[int, SensedForms]:
    """What is sensed of every link, from the base to the tips."""
    sensed = {0: _base(s, field)}
    for j in s.outward:
        joint = s.robot.joint(j)
        if joint.free:
            sensed[j] = _free_link(field, sensed[s.parent[j]])
            continue
        sensed[j] = next_link(
            Passage(field, steps_of(s, field, joint), joint), sensed[s.parent[j]], _rotor(s, field, joint)
        )
    return sensed


def _rotor(s: Symbols, field: Coefficients, joint: Joint) -> Coefficient | None:
    """What a unit of IA adds to the inertia at a joint's coordinate; None where the rotor does not turn with the joint.

    With x = a q + c, ½ IA q̇² is ½ (IA/a²) ẋ², whatever else the variable q moves. A spring or a coupling between rotor
    and joint, other variables in x, and functions of q that are not linear keep the rotor apart.
    """
    if s.robot.coupling or (joint.elastic and joint.actuated) or s.slopes.get(joint.index, {}).keys() != {joint.index}:
        return None
    slope = value_of(s.slopes[joint.index][joint.index])
    if symbols(slope) & variables(s.robot).keys():
        return None
    a = field.value(slope, s.bind(slope))
    return field.one / (a * a)


def moves(s: Symbols) -> bool:
    """Whether the base can have any motion."""
    return not (s.robot.base.kind is BaseKind.FIXED and s.robot.base.still)


def _base(s: Symbols, field: Coefficients) -> SensedForms:
    """Link 0: all twists if the base moves, else the acceleration of gravity. A floating base keeps all forms."""
    if s.robot.base.kind is BaseKind.MOBILE:
        return _on_plane(s, field)
    if moves(s):
        everything = [unit(field, name) for name in INERTIAL]
        forms = Span(KEPT_FIRST, everything if s.robot.base.free else ())
        twists = Span(TWIST, (unit(field, name) for name in TWIST))
        return SensedForms(twists, Span(INERTIAL, everything), forms, {})
    return SensedForms(Span(TWIST, (_gravity(s, field),)), Span(INERTIAL), Span(KEPT_FIRST), {})


def _free_link(field: Coefficients, before: SensedForms) -> SensedForms:
    """A link that moves against its antecedent in every way: all of it is sensed, and nothing is passed on."""
    everything = [unit(field, name) for name in INERTIAL]
    twists = Span(TWIST, (unit(field, name) for name in TWIST))
    passed: dict[str, Row] = {pivot: {} for pivot in before.forms.basis}
    return SensedForms(twists, Span(INERTIAL, everything), Span(KEPT_FIRST, everything), passed)


def _gravity(s: Symbols, field: Coefficients) -> Row:
    components = zip(TWIST, (field.value(value, s.bind(value)) for value in s.robot.gravity), strict=False)
    return {name: x for name, x in components if not x.is_zero}


def _on_plane(s: Symbols, field: Coefficients) -> SensedForms:
    """Link 0 on wheels: it moves along x0 and y0 and turns about z0; forces along these sense it."""
    twists = Span(TWIST, [*(unit(field, name) for name in ("VX", "VY", "WZ")), _gravity(s, field)])
    sensed_there = [unit(field, name) for name in ("M", "MX", "MY", "ZZ")]
    return SensedForms(twists, Span(INERTIAL, sensed_there), Span(KEPT_FIRST, sensed_there), {})


def next_link(passage: Passage, before: SensedForms, rotor: Coefficient | None) -> SensedForms:
    """What is sensed of the link after a joint; `rotor` is None where the rotor does not turn with the joint."""
    field, joint = passage.field, passage.joint
    arriving = Span(TWIST, (t for twist in before.twists.basis.values() for t in passage.twists(twist)))
    pulled = {pivot: passage.forms(form) for pivot, form in before.forms.basis.items()}
    rows = [*_by_joint(field, joint, arriving, rotor)]
    rows += [row for _, changing in pulled.values() for row in changing]
    kept = Span(KEPT_FIRST, sorted(rows, key=_is_symbolic), most=_most(joint))
    order = [*kept.basis, *(name for name in PASSED_FIRST if name not in kept.basis)]
    forms = Span(order, ({n: x for n, x in row.items() if n != "IA"} for row in kept.basis.values()))
    for constant, _ in pulled.values():
        forms.include(constant)
    twists = Span(TWIST, arriving.basis.values())
    if joint.movable:
        twists.include(unit(field, "VZ" if joint.prismatic else "WZ"))
    return SensedForms(twists, forms, kept, {pivot: kept.reduced(constant) for pivot, (constant, _) in pulled.items()})


def _is_symbolic(row: Mapping[str, Coefficient]) -> bool:
    return not all(x.is_number for x in row.values())


def _most(joint: Joint) -> int:
    """The largest number of parameters of a link that can be kept, rotor inertia included (GK88 theorems 5, 6)."""
    return 0 if joint.fixed else 5 if joint.prismatic else 8


def _by_joint(field: Coefficients, joint: Joint, twists: Span[str], rotor: Coefficient | None) -> Iterator[Row]:
    """The forms that a joint senses. Its acceleration also turns its rotor, unless the rotor is apart."""
    if joint.fixed:
        return
    for twist in twists.basis.values():
        yield momentum_form(joint.prismatic, twist)
    axis = momentum_form(joint.prismatic, unit(field, "VZ" if joint.prismatic else "WZ"))
    if rotor is None:
        yield axis
        yield unit(field, "IA")
    else:
        yield axis | {"IA": rotor}


def momentum_form(prismatic: bool, twist: Row) -> Row:
    """The form that the torque of a joint senses when a body accelerates by a twist: momentum along the joint's axis.

    A body that turns about z has the momentum p = z × MS and L = J z, one that shifts along z p = M z and L = MS × z.
    The form is v·p + w·L.
    """
    table = _ALONG_Z if prismatic else _ABOUT_Z
    return {name: twist[v] if sign > 0 else -twist[v] for v, name, sign in table if v in twist}


_ALONG_Z = (("VZ", "M", 1), ("WX", "MY", 1), ("WY", "MX", -1))
_ABOUT_Z = (("VX", "MY", -1), ("VY", "MX", 1), ("WX", "XZ", 1), ("WY", "YZ", 1), ("WZ", "ZZ", 1))


# From standard to base inertial parameters: the regrouping of a tree, and the base parameters that a robot has.
#
# `tree_values` gives the regrouped parameters as expressions (GK88:20-22, for trees), `full_relations` as linear
# relations of the standard parameters. `tree_base_set` restricts the relations to the parameters that are not 0, makes
# them independent and names them. Loops and wheels eliminate more parameters of this set (`eliminated_further`).


Relation: TypeAlias = dict[Key, Coefficient]
"""A base parameter as a linear combination of standard ones."""
Elimination: TypeAlias = Mapping[Key, Mapping[Key, Any]]
"""Eliminated parameter -> its column as a combination of others: coefficients, or values of the robot's tables."""
T = TypeVar("T")


def tree_values(s: Symbols) -> dict[Key, Expr]:
    """Every inertial parameter and rotor inertia after the tree's regrouping, as an expression; 0 if eliminated."""

    def parameter(name: str, j: int) -> Expr:
        return s.bind(own_value(s.robot, (name, j)))

    def sum_of(terms: Iterable[tuple[Coefficient, Expr]]) -> Expr:
        return total(s.graph, (x.expr * value for x, value in terms))

    def named(name: str, j: int, value: Expr) -> Expr:
        return named_value(s, (name, j), value, "GK88:20-22")

    kept = _Regrouping(s, sensed_links(s, Coefficients(s.graph)), parameter, sum_of, named).kept()
    return dict.fromkeys(standard(s.robot), s.graph.zero) | kept


def named_value(s: Symbols, key: Key, value: Expr, equation: str) -> Expr:
    """A regrouped parameter under its name: ZZR1."""
    text = sentence("symbols.regrouped", what=parameter_text(*key))
    meaning = Meaning(text, PARAMETERS[key[0]], key[1], equation)
    return s.graph.name(value, f"{key[0]}R{s.label[key[1]]}{s.state.suffix}", meaning)


@remembered
def full_relations(s: Symbols) -> dict[Key, Relation]:
    """Every base parameter of the tree as a linear relation of all standard ones, whether or not they are 0."""
    field = Coefficients(s.graph)

    def parameter(name: str, j: int) -> Relation:
        return {(name, j): field.one}

    def sum_of(terms: Iterable[tuple[Coefficient, Relation]]) -> Relation:
        result: Relation = {}
        for x, relation in terms:
            accumulate(result, x, relation)
        return result

    return _Regrouping(s, sensed_links(s, field), parameter, sum_of, lambda name, j, value: value).kept()


@dataclass(frozen=True)
class _Regrouping(Generic[T]):
    """The recursion from the tips to the base that adds parameters which are not kept to those of the antecedent.

    Behind a revolute joint these are YY, MZ and M (GK88:20), behind a prismatic one the inertia tensor (GK88:22),
    behind a fixed one all. The values are expressions or relations: `parameter` gives the value of a standard
    parameter, `sum_of` a linear combination of values, and `named` gives a regrouped value its name.
    """

    s: Symbols
    sensed: Mapping[int, SensedForms]
    parameter: Callable[[str, int], T]
    sum_of: Callable[[Iterable[tuple[Coefficient, T]]], T]
    named: Callable[[str, int, T], T]

    def kept(self) -> dict[Key, T]:
        """The base parameters, from the base to the tips."""
        by_link: dict[int, dict[Key, T]] = {}
        passed: dict[int, dict[str, T]] = {}
        for j in (*self.s.inward, 0):
            link = self.sensed[j]
            by_link[j] = {(n, j): self._gather(n, j, form, passed) for n, form in link.kept.basis.items()}
            passing = {n: form for n, form in link.forms.basis.items() if n not in link.kept.basis}
            passed[j] = {n: self._gather(n, j, form, passed) for n, form in passing.items()}
        return {key: value for j in sorted(by_link) for key, value in by_link[j].items()}

    def _gather(self, name: str, j: int, form: Row, passed: Mapping[int, dict[str, T]]) -> T:
        """The value of a form of link j: its own parameters, and what its children pass on."""
        terms = [(x, self.parameter(n, j)) for n, x in form.items()]
        for c in self.s.children[j]:
            arriving: Row = {}
            for pivot in self.sensed[j].forms.basis:
                if pivot in form:
                    accumulate(arriving, form[pivot], self.sensed[c].passed[pivot])
            passed_on = [(x, passed[c][n]) for n, x in arriving.items() if n in passed[c]]
            passed_on += [(arriving["IA"], self.parameter("IA", c))] if "IA" in arriving else []
            terms += [(x.field.one, self.sum_of(passed_on)) for x, _ in passed_on[:1]]
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
    relations = {p: {k: x for k, x in relation.items() if k in present} for p, relation in full_relations(s).items()}
    relations = {p: relation for p, relation in relations.items() if relation}
    base, dependent = _independent(relations, present)
    columns = _own_names(s, present)
    taken = set(columns.values()) | set(s.parameter_names)
    names = {p: base_name(s, p, relation, columns, taken) for p, relation in relations.items()}
    return BaseSet(columns, names, base, dependent)


def own_names(s: Symbols) -> dict[Key, str]:
    """The standard parameters that are not 0, with their names."""
    return _own_names(s, _present(s, None))


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
    relations: Mapping[Key, Relation], columns: Iterable[Key]
) -> tuple[dict[Key, Relation], dict[Key, Relation]]:
    """The relations that are independent, and the others as combinations of these.

    A parameter that is not 0 before regrouping is in its own relation only, so that only parameters that were 0 can
    depend on each other. Each row gets a tag of its own. A row that reduces to tags alone is a combination of others.
    """
    base, dependent = dict(relations), {}
    span = Span([*columns])
    for p, relation in relations.items():
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


def _own_names(s: Symbols, present: Mapping[Key, Value]) -> dict[Key, str]:
    """The name of each parameter: its symbol if no other parameter has the same, else its letters and link."""
    symbols = [value.name for value in present.values() if isinstance(value, Symbol)]
    return {
        (letters, j): v.name if isinstance(v, Symbol) and symbols.count(v.name) == 1 else f"{letters}{s.label[j]}"
        for (letters, j), v in present.items()
    }


def base_name(s: Symbols, p: Key, relation: Relation, columns: Mapping[Key, str], taken: set[str]) -> str:
    """ZZR1 if regrouping changed the value, else the name of the standard parameter."""
    if not changed(p, relation):
        return columns[p]
    name = f"{p[0]}R{s.label[p[1]]}"
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
    names = tree.names | {p: base_name(s, p, relation, tree.standard, taken) for p, relation in base.items()}
    dependent = {d: {p: x for p, x in row.items() if p in base} for d, row in tree.dependent.items()}
    return BaseSet(tree.standard, names, base, dependent)
