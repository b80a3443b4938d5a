"""What closed loops regroup in any geometry and on every branch, by symbols.

A loop may be cut at any of its joints. Each cut gives another tree of the same robot. If two sets of parameters give
the same torques in one of these trees, they give the same torques of the motors. So the relations of all these trees
hold at once (GK88's theorems, applied from both ends of a loop). At each joint of a loop we take the bodies of which
nothing is sensed separately when the tree reaches the joint from the other side: such a body may be on either link.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from symoro.bind.binding import value_of
from symoro.bind.symbols import Symbols
from symoro.models.identification.base.constrained.planar import FrameOnLink, end_of, planar_change
from symoro.models.identification.base.tree.forms import (
    Coefficients,
    Passage,
    Row,
    Span,
    accumulate,
    backward,
    steps_of,
)
from symoro.models.identification.base.tree.regrouping import (
    BaseSet,
    Relation,
    SensedForms,
    field_of,
    full_relations,
    kept_order,
    next_link,
    sensed_links,
)
from symoro.models.identification.columns import INERTIAL, Key
from symoro.models.sampling import numbers_of
from symoro.robot import topology
from symoro.robot.joint import Joint
from symoro.robot.values import evaluate


def structural(s: Symbols, tree: BaseSet) -> dict[Key, Relation]:
    """Eliminated parameter -> its column as a combination of others, in any geometry and on every branch.

    There are none if parameters of the tree depend on each other, or if the robot's numbers make a divisor 0.
    """
    if tree.dependent:
        return {}
    keys = [*tree.base]
    span: Span[Key] = Span([keys[k] for k in reversed(kept_order(keys))])
    for row in transfers(s, full_relations(s), tree.base):
        span.include(row)
    relations = {p: {k: -x for k, x in row.items() if k != p} for p, row in span.basis.items()}
    return relations if _is_finite(relations, numbers_of(s)) else {}


def _is_finite(rows: Mapping[Key, Relation], numbers: Mapping[str, float]) -> bool:
    """Whether the robot's numbers make no divisor 0."""
    try:
        values = (evaluate(value_of(x.expr), numbers) for row in rows.values() for x in row.values())
        return all(abs(x) < 1e9 for x in values)
    except ZeroDivisionError:
        return False


def transfers(s: Symbols, full: Mapping[Key, Relation], base: Mapping[Key, Relation]) -> list[Relation]:
    """Rows n with Σ n_p D_p = 0 over the tree's base parameters: changes that have no effect on a motor.

    `full` are the relations of all parameters, `base` the base parameters that the robot has. A row that changes a
    parameter outside `base` is left out.
    """
    field = field_of(full)
    known = sensed_links(s, field)
    absent: Span[Key] = Span([p for p in full if p not in base])
    rows = []
    for loop in topology.loops(s.robot):
        both = (loop.to_mate, loop.to_joint), (loop.to_joint, loop.to_mate)
        moved = (_changes(s, field, known, s.robot.joint(loop.cut.joint), loop.root, ends) for ends in both)
        for change in chain(*moved, planar_change(s, field, loop)):
            row = absent.reduced(_in_base(full, change))
            if any(p not in base for p in row):
                absent.include(row)
            elif row:
                rows.append(row)
    return rows


def _changes(
    s: Symbols,
    field: Coefficients,
    known: Mapping[int, SensedForms],
    cut: Joint,
    root: int,
    ends: tuple[tuple[Joint, ...], tuple[Joint, ...]],
) -> Iterator[Relation]:
    """Changes that move a body from a link to the next one, for each joint from the cut along the second end."""
    near, far = (end_of(s, field, root, end) for end in ends)
    joint, before, way = cut, known[near.link], near.steps
    while far.link != root:
        before = next_link(Passage(field, way, joint), before, rotor=None)
        for body in _indifferent(field, before):
            change: Relation = {}
            for held, sign in ((far, field.one), (near, -field.one)):
                if held.link or s.robot.base.free:
                    accumulate(change, sign, {(n, held.link): x for n, x in held.on_link(body).items()})
            yield change
        joint, way = s.robot.joint(far.link), backward(far.steps)
        near, far = FrameOnLink(far.link, ()), FrameOnLink(joint.parent, steps_of(s, field, joint))


def _indifferent(field: Coefficients, sensed: SensedForms) -> Iterator[Row]:
    """A basis of the bodies that may be on either link of a joint: nothing of them is sensed separately."""
    forms = {pivot: form for pivot, form in sensed.own.basis.items() if pivot != "IA"}
    for name in (n for n in INERTIAL if n not in forms):
        yield {name: field.one} | {pivot: -form[name] for pivot, form in forms.items() if name in form}


def _in_base(full: Mapping[Key, Relation], change: Relation) -> Relation:
    """A change of standard parameters as a change of the tree's base parameters."""
    in_base: Relation = {}
    for p, relation in full.items():
        for key, x in relation.items():
            if key in change:
                accumulate(in_base, x, {p: change[key]})
    return in_base
