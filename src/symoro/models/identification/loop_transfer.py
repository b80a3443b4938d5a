"""What a cut joint lets pass from one link to the other: the parameters that regroup across any closed loop.

A body on the axis of a revolute joint that has only M, MZ and XX = YY does not feel the joint turn: it may belong to
either link. The same holds for the inertia tensor at a prismatic joint. In a tree these are GK88's theorems 5 and 6;
across the cut of a loop they give parameters of one side in terms of the other side's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symoro.models.identification.coefficients import Coefficient, Coefficients
from symoro.models.identification.inertia import Row, accumulate, pullback
from symoro.models.identification.place import Place
from symoro.models.identification.regrouping import Key, Relation
from symoro.models.identification.span import Span
from symoro.models.identification.structure import INERTIAL
from symoro.robot.joint import Joint
from symoro.robot.robot import Cut
from symoro.symbols import Symbols

_TENSOR = ("XX", "XY", "XZ", "YY", "YZ", "ZZ")


def transfers(s: Symbols, full: Mapping[Key, Relation], base: Mapping[Key, Relation]) -> list[Relation]:
    """Rows n with Σ n_p D_p = 0 over the tree's base parameters: what can change without any effect on a motor.

    `full` are the relations with all parameters, `base` those that the robot has; a row that needs others is left out.
    """
    field = next(iter(next(iter(full.values())).values())).field
    absent: Span[Key] = Span([p for p in full if p not in base])
    found = []
    for cut in s.robot.cuts:
        for body in _indifferent(s.robot.joint(cut.joint), field):
            row = absent.reduced(_in_base(full, _moved(s, field, cut, body)))
            if any(p not in base for p in row):
                absent.include(row)
            elif row:
                found.append(row)
    return found


def _indifferent(joint: Joint, field: Coefficients) -> list[Row]:
    """Bodies, by their parameters in the frame of a joint, that may belong to either of its links."""
    one = field.one
    if joint.revolute:
        return [{"M": one}, {"MZ": one}, {"XX": one, "YY": one}]
    return [{name: one} for name in (_TENSOR if joint.prismatic else INERTIAL)]


def _moved(s: Symbols, field: Coefficients, cut: Cut, body: Row) -> Relation:
    """The body put on the link of the cut joint and taken from that of its mate."""
    found: Relation = {}
    for index, sign in ((cut.joint, field.one), (cut.mate, -field.one)):
        link, seen = _on_link(s, field, index, body)
        if link or s.robot.base.free:
            accumulate(found, sign, {(name, link): x for name, x in seen.items()})
    return found


def _on_link(s: Symbols, field: Coefficients, index: int, body: Row) -> tuple[int, Row]:
    """A link of the tree and the body's parameters in its frame; a mate may hang on another mate."""
    while True:
        joint = s.robot.joint(index)
        body = dict(_seen_from_parent(Place(s, field, joint), body))
        index = joint.parent
        if index <= s.robot.link_count:
            return index, body


def _seen_from_parent(place: Place, body: Row) -> Iterator[tuple[str, Coefficient]]:
    for name in INERTIAL:
        form: Row = {name: place.field.one}
        for change in place.inertia_maps:
            form = pullback(form, change)
        value: Row = {}
        for n, x in form.items():
            if n in body:
                accumulate(value, x, {name: body[n]})
        yield from value.items()


def _in_base(full: Mapping[Key, Relation], change: Relation) -> Relation:
    """What a change of standard parameters does to the base parameters of the tree."""
    found: Relation = {}
    for p, relation in full.items():
        for key, x in relation.items():
            if key in change:
                accumulate(found, x, {p: change[key]})
    return found
