"""Which base parameters a dynamic model has: relations that hold wherever the model can be used.

A model may be given any configuration and other numbers for its geometry. So loops regroup what they do on every
branch, and wheels what is an expression of the geometry; what holds on one branch or for the robot's own numbers alone
is left to `base_parameters(robot).robot`.
"""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.models.identification.constraint_regrouping import Stage, coefficient, regrouped_further
from symoro.models.identification.divisors import require_divisors
from symoro.models.identification.loop_regrouping import structural
from symoro.models.identification.minimal import Minimal, minimal
from symoro.models.identification.regrouping import Key, tree_values
from symoro.models.identification.rolling_regrouping import relations_in_models
from symoro.symbols import Symbols
from symoro.vocabulary import PARAMETERS


def model_set(s: Symbols, rotors: bool | None = None) -> Minimal:
    """The base parameters of models, with the rotor inertias that the robot has, or all, or none."""
    tree = minimal(s, rotors)
    return regrouped_further(s, tree, [_stage(s, tree, rotors)])


def regrouped(s: Symbols) -> dict[Key, Expr]:
    """The value of every inertial parameter and rotor inertia in a model: 0 where it is eliminated."""
    values, tree = tree_values(s), minimal(s)
    stage = _stage(s, tree, None)
    for gone, row in stage.items():
        for p, x in row.items():
            values[p] = _named(s, p, values[p] + coefficient(s, tree, x).expr * values[gone])
        values[gone] = s.graph.zero
    for d, relation in tree.dependent.items() if stage else ():  # combinations of what has changed
        values[d] = total(s.graph, (x.expr * values[p] for p, x in relation.items()))
    require_divisors(s, values.values())
    return values


def _named(s: Symbols, p: Key, value: Expr) -> Expr:
    text, unit = PARAMETERS[p[0]]
    return s.graph.name(value, f"{p[0]}R{p[1]}", Meaning(f"{text.format(j=p[1])}, regrouped", unit, p[1], "K10:55"))


def _stage(s: Symbols, tree: Minimal, rotors: bool | None) -> Stage:
    """What constraints eliminate of the tree's base parameters, wherever a model can be used."""
    if s.robot.cuts:
        return structural(s, tree)
    return relations_in_models(s.robot, rotors) if s.robot.base.wheels else {}
