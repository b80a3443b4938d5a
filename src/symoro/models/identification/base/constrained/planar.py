"""What planar loops regroup beside the bodies that may be on either link of a joint.

The links of a planar loop turn about the same direction n. Let p_i be the vector from one joint of link i to the next
one, in the plane. The loop is closed, Σ p_i = 0, and its derivative is Σ θ̇_i n × p_i = 0. A change of the inertia of
each link by u_i nᵀ + n u_iᵀ changes the kinetic energy by Σ (ω·u_i)(ω·n + θ̇_i), where ω is that of the root. It is 0
both for u_i = p_i and for u_i = n × p_i. The first change moves bodies around the loop and is found as such; the second
one is found here. The argument needs constant vectors p_i: no joint of the loop slides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.models.identification.base.tree.forms import (
    Coefficients,
    Row,
    Step,
    accumulate,
    backward,
    inertia_maps,
    pullback,
    steps_of,
)
from symoro.models.identification.base.tree.regrouping import Relation
from symoro.models.identification.columns import INERTIAL
from symoro.robot.joint import Joint
from symoro.robot.topology import Loop

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


def planar_change(s: Symbols, field: Coefficients, loop: Loop) -> Iterator[Relation]:
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


def _links(s: Symbols, field: Coefficients, loop: Loop) -> list[tuple[FrameOnLink, FrameOnLink]]:
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
