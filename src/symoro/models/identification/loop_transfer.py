"""What closed loops let pass between links in any geometry and on any branch: relations by symbols.

A loop may be cut at any of its joints. Each cut gives another tree of the same robot, and what the torques of one tree
cannot tell apart, those of the motors cannot either: the relations of all these trees hold at once (GK88's theorems,
seen from both ends of a loop). Across a joint of a loop pass the bodies that link behind it, in the tree that reaches
it from the other side, is not sensed by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symoro.models.identification.coefficients import Coefficients
from symoro.models.identification.inertia import Row, accumulate, pullback
from symoro.models.identification.place import Place, Step, backward, inertia_maps, steps_of
from symoro.models.identification.regrouping import Key, Relation
from symoro.models.identification.span import Span
from symoro.models.identification.structure import INERTIAL, Senses, behind, senses
from symoro.robot import topology
from symoro.robot.joint import Joint
from symoro.symbols import Symbols


def transfers(s: Symbols, full: Mapping[Key, Relation], base: Mapping[Key, Relation]) -> list[Relation]:
    """Rows n with Σ n_p D_p = 0 over the tree's base parameters: what can change without any effect on a motor.

    `full` are the relations with all parameters, `base` those that the robot has; a row that needs others is left out.
    """
    field = next(iter(next(iter(full.values())).values())).field
    known = senses(s, field)
    absent: Span[Key] = Span([p for p in full if p not in base])
    found = []
    for loop in topology.loops(s.robot):
        for ends in ((loop.to_mate, loop.to_joint), (loop.to_joint, loop.to_mate)):
            for change in _changes(s, field, known, s.robot.joint(loop.cut.joint), loop.root, ends):
                row = absent.reduced(_in_base(full, change))
                if any(p not in base for p in row):
                    absent.include(row)
                elif row:
                    found.append(row)
    return found


@dataclass(frozen=True, slots=True)
class _Held:
    """A frame that a link carries: behind some steps from the link's own."""

    link: int
    steps: Sequence[Step]


def _changes(
    s: Symbols,
    field: Coefficients,
    known: Mapping[int, Senses],
    cut: Joint,
    root: int,
    ends: tuple[tuple[Joint, ...], tuple[Joint, ...]],
) -> Iterator[Relation]:
    """Bodies put on a link of the loop and taken from the next, from the cut along the second end to the root."""
    near, far = (_held(s, field, root, end) for end in ends)
    joint, before, way = cut, known[near.link], near.steps
    while far.link != root:
        before = behind(Place(field, way, joint), before, apart=True)
        for body in _indifferent(field, before):
            change: Relation = {}
            for held, sign in ((far, field.one), (near, -field.one)):
                if held.link or s.robot.base.free:
                    accumulate(change, sign, {(n, held.link): x for n, x in _on_link(held, body).items()})
            yield change
        joint, way = s.robot.joint(far.link), backward(far.steps)
        near, far = _Held(far.link, ()), _Held(joint.parent, steps_of(s, field, joint))


def _held(s: Symbols, field: Coefficients, root: int, end: Sequence[Joint]) -> _Held:
    """The frame at the end of one side of a loop; frames behind the tree's own are fixed on its last link."""
    links = [joint.index for joint in end if joint.index <= s.robot.link_count]
    fixed = (joint for joint in end if joint.index > s.robot.link_count)
    return _Held(links[-1] if links else root, [step for joint in fixed for step in steps_of(s, field, joint)])


def _indifferent(field: Coefficients, sensed: Senses) -> Iterator[Row]:
    """Bodies that a joint's two links may carry alike: those of which nothing is sensed by itself."""
    own = {pivot: form for pivot, form in sensed.own.basis.items() if pivot != "IA"}
    for name in (n for n in INERTIAL if n not in own):
        yield {name: field.one} | {pivot: -form[name] for pivot, form in own.items() if name in form}


def _on_link(held: _Held, body: Row) -> Row:
    """The body's parameters in the frame of the link."""
    found: Row = {}
    for name in INERTIAL:
        form: Row = {name: next(iter(body.values())).field.one}
        for change in inertia_maps(held.steps):
            form = pullback(form, change)
        for n, x in form.items():
            if n in body:
                accumulate(found, x, {name: body[n]})
    return found


def _in_base(full: Mapping[Key, Relation], change: Relation) -> Relation:
    """What a change of standard parameters does to the base parameters of the tree."""
    found: Relation = {}
    for p, relation in full.items():
        for key, x in relation.items():
            if key in change:
                accumulate(found, x, {p: change[key]})
    return found
