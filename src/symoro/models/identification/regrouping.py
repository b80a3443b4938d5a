"""The base inertial parameters as expressions of a robot's own parameters (GK88:20-22 for trees)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from symoro.ir.expr import Expr
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.models.identification.coefficients import Coefficients
from symoro.models.identification.inertia import Row, accumulate
from symoro.models.identification.structure import INERTIAL, Senses, senses
from symoro.symbols import Symbols
from symoro.vocabulary import PARAMETERS


def regrouped(s: Symbols) -> dict[tuple[str, int], Expr]:
    """The value of every inertial parameter and rotor inertia after regrouping: 0 where it is eliminated.

    From the tips to the base, the parameters of a link that are not kept go to its antecedent: of a revolute joint YY,
    MZ and M (GK88:20), of a prismatic one the inertia tensor (GK88:22), of a fixed one everything.
    """
    structure = senses(s, Coefficients(s.graph))
    gathered: dict[int, dict[str, Expr]] = {}
    kept: dict[tuple[str, int], Expr] = {}
    for j in (*s.inward, 0):
        link = structure[j]
        total_of = partial(_total, s, j, structure, gathered)
        if j or s.robot.base.free:
            kept |= dict.fromkeys(((name, j) for name in (*INERTIAL, *(("IA",) if j else ()))), s.graph.zero)
            kept |= {(name, j): _name(s, name, j, total_of(form)) for name, form in link.own.basis.items()}
        passing = {name: form for name, form in link.forms.basis.items() if name not in link.own.basis}
        gathered[j] = {name: _name(s, name, j, total_of(form)) for name, form in passing.items()}
        gathered[j] |= {"IA": own(s, j)["IA"]} if j else {}
    return kept


def _total(
    s: Symbols, j: int, structure: Mapping[int, Senses], gathered: Mapping[int, Mapping[str, Expr]], form: Row
) -> Expr:
    """The value of a form of link j: its own parameters, and what its children pass on."""
    value = _value(s, form, own(s, j))
    for c in s.children[j]:
        passed: Row = {}
        for pivot in structure[j].forms.basis:
            if pivot in form:
                accumulate(passed, form[pivot], structure[c].passed[pivot])
        value = value + _value(s, passed, gathered[c])
    return value


def own(s: Symbols, j: int) -> dict[str, Expr]:
    """The parameters of link j as the robot's tables have them."""
    values = {name: s.bind(value) for name, value in s.robot.inertia(j).items()}
    return values | ({"IA": s.bind(s.robot.drive(j).IA)} if j else {})


def _value(s: Symbols, form: Row, values: Mapping[str, Expr]) -> Expr:
    return total(s.graph, (x.expr * values[name] for name, x in form.items() if name in values))


def _name(s: Symbols, name: str, j: int, value: Expr) -> Expr:
    text, unit = PARAMETERS[name]
    return s.graph.name(value, f"{name}R{j}", Meaning(f"{text.format(j=j)}, regrouped", unit, j, "GK88:20-22"))
