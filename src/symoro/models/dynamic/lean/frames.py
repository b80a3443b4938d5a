"""In which frame each link is evaluated: its own, or one that does not turn with its joint.

A link's vectors may be written in its own frame ("body"), or in the frame before the first of a group of parallel
joints ("group"), in which the axis is constant and the angular velocity of what comes before is as sparse as it was.
In the group frame it is the link's constant parameters that turn, by the sum of the group's angles.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.ir.constant import Constant
from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector
from symoro.ir.spatial import Rotation, Turn
from symoro.models.dynamic.lean.layout import Choice, Layout
from symoro.robot.joint import Joint
from symoro.symbols import Symbols

Twist = tuple[int, Expr]
"""An axis (0 is x, 2 is z) and an angle."""


@dataclass(frozen=True)
class Placement:
    """Link j: `E` turns its evaluation frame into its antecedent's, `spin` turns its own frame into its evaluation
    frame, `a` is its axis and `P` the way from its antecedent's origin (in the antecedent's evaluation frame)."""

    E: Rotation
    spin: Rotation
    a: Vector
    P: Vector

    @property
    def carried(self) -> bool:
        """Whether the evaluation frame is the antecedent's, up to exact quarter turns."""
        return all(_exact(turn) for turn in self.E.turns)

    @property
    def rigid(self) -> bool:
        """Whether the link's own frame does not turn in its evaluation frame."""
        return all(_exact(turn) for turn in self.spin.turns)


def _exact(turn: Turn) -> bool:
    return (
        turn.cosine.constant is not None
        and turn.sine.constant is not None
        and (turn.cosine.is_zero or turn.sine.is_zero)
    )


def place(s: Symbols, layout: Layout) -> dict[int, Placement]:
    """The placement of every link."""
    spins: dict[int, list[Twist]] = {0: []}
    placements = {}
    for j in s.outward:
        i, joint = s.parent[j], s.robot.joint(j)
        twists = merge([*spins[i], *_twists(s, joint)])
        E, spin = _split(twists, joint, layout.frame(j))
        spins[j] = spin
        to_parent, to_body = rotation(s, E), rotation(s, spin)
        placements[j] = Placement(to_parent, to_body, to_body @ s.a, rotation(s, spins[i]) @ s.P[j])
    return placements


def _twists(s: Symbols, joint: Joint) -> list[Twist]:
    return [(2, s.bind(joint.gamma)), (0, s.bind(joint.alpha)), (2, s.bind(joint.theta))]


def merge(twists: list[Twist]) -> list[Twist]:
    """Adjacent turns about one axis become one; half turns about x move to the end, so that what they part can meet."""
    result: list[Twist] = []
    flips = 0
    for axis, angle in twists:
        if axis == 0 and _is_half_turn(angle):
            flips += 1
            continue
        if axis == 2 and flips % 2:
            angle = -angle  # Rx(π) Rz(θ) = Rz(−θ) Rx(π)
        if result and result[-1][0] == axis:
            angle = result.pop()[1] + angle
        if not angle.is_zero:
            result.append((axis, angle))
    if flips % 2:
        graph = twists[0][1].graph
        result.append((0, graph.pi))
    return result


def _is_half_turn(angle: Expr) -> bool:
    value = angle.constant
    return isinstance(value, Constant) and value.pi and value.exact and abs(value.coefficient) == 1


def _split(twists: list[Twist], joint: Joint, choice: Choice) -> tuple[list[Twist], list[Twist]]:
    """What turns the evaluation frame, and what turns the link in it."""
    if choice == "body":
        return twists, []
    if not joint.revolute:
        return [], twists  # a link that only slides keeps its antecedent's evaluation frame
    last = max((k for k, (axis, _) in enumerate(twists) if axis == 2), default=len(twists))
    return twists[:last], twists[last:]


def rotation(s: Symbols, twists: list[Twist]) -> Rotation:
    return Rotation(s.graph, (Turn(axis, s.graph.cos(angle), s.graph.sin(angle)) for axis, angle in twists))
