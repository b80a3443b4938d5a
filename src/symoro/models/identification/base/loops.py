"""What closed loops regroup in any geometry and on every branch, by symbols.

A loop may be cut at any of its joints. Each cut gives another tree of the same robot. If two sets of parameters give
the same torques in one of these trees, they give the same torques of the motors. So the relations of all these trees
hold at once (GK88's theorems, applied from both ends of a loop). At each joint of a loop we take the bodies of which
nothing is sensed separately when the tree reaches the joint from the other side: such a body may be on either link.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from symoro.bind.binding import value_of
from symoro.bind.symbols import Symbols
from symoro.models.identification.base.forms import (
    Coefficients,
    Passage,
    Row,
    Span,
    Step,
    accumulate,
    backward,
    inertia_maps,
    pullback,
    steps_of,
)
from symoro.models.identification.base.tree import (
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
from symoro.robot.topology import CutLoop
from symoro.robot.values import evaluate

# What planar loops regroup beside the bodies that may be on either link of a joint.
#
# The links of a planar loop turn about the same direction n. Let p_i be the vector from one joint of link i to the next
# one, in the plane. The loop is closed, Σ p_i = 0, and its derivative is Σ θ̇_i n × p_i = 0. A change of the inertia of
# each link by u_i nᵀ + n u_iᵀ changes the kinetic energy by Σ (ω·u_i)(ω·n + θ̇_i), where ω is that of the root. It is 0
# both for u_i = p_i and for u_i = n × p_i. The first change moves bodies around the loop and is seen by cutting it; the
# second one is computed here. The argument needs constant vectors p_i: no joint of the loop slides.


_MOMENTS = ("MX", "MY", "MZ")


@dataclass(frozen=True, slots=True)
class FrameOnLink:
    """A frame that is fixed on a link, some steps away from the link's own frame."""

    link: int
    steps: Sequence[Step]

    def on_link(self, body: Row) -> Row:
        """The parameters of a body in the frame of the link, from those in this frame."""
        relation: Row = {}
        for name in INERTIAL if body else ():
            form: Row = {name: next(iter(body.values())).field.one}
            for change in inertia_maps(self.steps):
                form = pullback(form, change)
            for n, x in form.items():
                if n in body:
                    accumulate(relation, x, {name: body[n]})
        return relation

    def from_link(self, body: Row) -> Row:
        """The parameters of a body in this frame, from those in the frame of the link."""
        return FrameOnLink(self.link, backward(self.steps)).on_link(body)


def end_of(s: Symbols, field: Coefficients, root: int, end: Sequence[Joint]) -> FrameOnLink:
    """The frame at one end of a loop: frames of the cut are fixed on the last link of the tree."""
    links = [joint.index for joint in end if joint.index <= s.robot.link_count]
    fixed = (joint for joint in end if joint.index > s.robot.link_count)
    return FrameOnLink(links[-1] if links else root, [step for joint in fixed for step in steps_of(s, field, joint)])


def planar_change(s: Symbols, field: Coefficients, loop: CutLoop) -> Iterator[Relation]:
    """The change u_i = n × p_i of the links of a planar loop; nothing for another loop."""
    if any(joint.prismatic for joint in (*loop.to_joint, *loop.to_mate)):
        return
    change: Relation = {}
    for entry, leaving in _links(s, field, loop):
        across = _across(field, entry, leaving)
        if across is None:
            return
        XZ, YZ = (across.get(name, field.zero) for name in ("XZ", "YZ"))
        turned = {name: x for name, x in (("XZ", -YZ), ("YZ", XZ)) if not x.is_zero}
        if entry.link or s.robot.base.free:
            accumulate(change, field.one, {(n, entry.link): x for n, x in entry.on_link(turned).items()})
    yield change


def _across(field: Coefficients, entry: FrameOnLink, leaving: FrameOnLink) -> Row | None:
    """p_i nᵀ + n p_iᵀ in the frame where the link is entered; None where the axes of its two joints are not parallel.

    It is the inertia of two bodies with opposite first moments along the axes.
    """
    first, last = (held.on_link({"MZ": field.one}) for held in (entry, leaving))
    for sign in (field.one, -field.one):
        pair: Row = {}
        accumulate(pair, field.one, first)
        accumulate(pair, -sign, last)
        if not any(name in pair for name in _MOMENTS):
            return entry.from_link(pair)
    return None


def _links(s: Symbols, field: Coefficients, loop: CutLoop) -> list[tuple[FrameOnLink, FrameOnLink]]:
    """Each link of the loop with the frames of its joints, from the cut joint around the loop to its mate."""
    up = [joint for joint in reversed(loop.to_joint) if joint.index <= s.robot.link_count]
    down = [joint for joint in loop.to_mate if joint.index <= s.robot.link_count]
    frames = [end_of(s, field, loop.root, loop.to_joint)]
    for joint in up:
        frames += [FrameOnLink(joint.index, ()), FrameOnLink(joint.parent, steps_of(s, field, joint))]
    for joint in down:
        frames += [FrameOnLink(joint.parent, steps_of(s, field, joint)), FrameOnLink(joint.index, ())]
    frames.append(end_of(s, field, loop.root, loop.to_mate))
    return list(zip(frames[::2], frames[1::2], strict=True))


# Loops, cut at any of their joints.


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
    forms = {pivot: form for pivot, form in sensed.kept.basis.items() if pivot != "IA"}
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
