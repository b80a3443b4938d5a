"""In which frame each link is evaluated: its own, or one that does not turn with its joint.

A link's vectors may be written in its own frame ("body"), or in the frame before the first of a group of parallel
joints ("group"), in which the axis is constant and the angular velocity of what comes before is as sparse as it was.
In the group frame it is the link's constant parameters that turn, by the sum of the group's angles.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Constant, Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Pair, Rotation, Turn, Vector, sum_of_angles, zeros
from symoro.lazy import lazy
from symoro.models.dynamic.lean.layout import FrameLayout
from symoro.models.results import remembered
from symoro.robot.joint import Joint

Angle = Expr | Pair
"""An angle, or its cosine and sine where these are what is known of it: then it needs no trigonometric call."""
Twist = tuple[int, Angle]
"""An axis (0 is x, 2 is z) and an angle."""


@dataclass(frozen=True)
class EvaluationFrame:
    """Link j: `before` @ `joint_turn` turns its evaluation frame into its antecedent's, where `joint_turn` is the turn
    about its joint's axis, if the frame makes it; `spin` turns its own frame into its evaluation frame, `a` is its axis
    and `P` the way from its antecedent's origin (in the antecedent's evaluation frame)."""

    before: Rotation
    joint_turn: Rotation
    spin: Rotation
    a: Vector
    P: Vector

    @lazy
    def E(self) -> Rotation:
        """From the evaluation frame to the antecedent's."""
        return Rotation(self.before.graph, (*self.before.turns, *self.joint_turn.turns))

    @property
    def rigid(self) -> bool:
        """Whether the link's own frame does not turn in its evaluation frame."""
        return exact(self.spin)

    @property
    def turns_with_joint(self) -> bool:
        """Whether the evaluation frame turns with the joint."""
        return not exact(self.joint_turn)


def exact(rotation: Rotation) -> bool:
    """Whether a rotation consists of quarter turns, which cost nothing."""
    return all(
        turn.cosine.constant is not None
        and turn.sine.constant is not None
        and (turn.cosine.is_zero or turn.sine.is_zero)
        for turn in rotation.turns
    )


def place(s: Symbols, layout: FrameLayout) -> dict[int, EvaluationFrame]:
    """The placement of every link, and of the base, which stays in its own frame."""
    spins: dict[int, list[Twist]] = {0: []}
    still = Rotation(s.graph, ())
    placements = {0: EvaluationFrame(still, still, still, s.a, zeros(s.graph, 3))}
    for j in s.jointed:
        i, joint = s.parent[j], s.robot.joint(j)
        twists = merge(s.graph, [*spins[i], *_twists(s, j)])
        before, turning, spins[j] = _split(twists, joint, j in layout.grouped)
        spin = rotation(s, tuple(spins[j]))
        way = rotation(s, tuple(spins[i])) @ ways(s, layout.slid)[j]
        placements[j] = EvaluationFrame(rotation(s, tuple(before)), rotation(s, tuple(turning)), spin, spin @ s.a, way)
    return placements


@remembered
def ways(s: Symbols, slid: frozenset[int]) -> dict[int, Vector]:
    """The origin of every link in the frame of its antecedent; those of the `slid` joints lie where r would be 0."""
    return {j: s.P[j] + offset(s, s.parent[j], slid) - s.R[j] @ offset(s, j, slid) for j in s.jointed}


def offset(s: Symbols, j: int, slid: frozenset[int]) -> Vector:
    """From the origin of link j to that of its frame."""
    return s.bind(s.robot.joint(j).r) * s.a if j in slid else zeros(s.graph, 3)


@remembered
def _twists(s: Symbols, j: int) -> list[Twist]:
    joint = s.robot.joint(j)
    return [(2, s.bind(joint.gamma)), (0, s.bind(joint.alpha)), (2, s.turned.get(j) or s.bind(joint.theta))]


def merge(graph: Graph, twists: list[Twist]) -> list[Twist]:
    """Adjacent turns about one axis become one; half turns about x move to the end, so that what they part can meet."""
    result: list[Twist] = []
    flips = 0
    for axis, angle in twists:
        if axis == 0 and _is_half_turn(angle):
            flips += 1
            continue
        if axis == 2 and flips % 2:
            angle = _opposite(angle)  # Rx(π) Rz(θ) = Rz(−θ) Rx(π)
        if result and result[-1][0] == axis:
            angle = _sum(graph, result.pop()[1], angle)
        if not _is_zero(graph, angle):
            result.append((axis, angle))
    if flips % 2:
        result.append((0, graph.pi))
    return result


def _opposite(angle: Angle) -> Angle:
    return -angle if isinstance(angle, Expr) else (angle[0], -angle[1])


def _sum(graph: Graph, a: Angle, b: Angle) -> Angle:
    if isinstance(a, Expr) and isinstance(b, Expr):
        return a + b
    return sum_of_angles(_pair(graph, a), _pair(graph, b))


def _pair(graph: Graph, angle: Angle) -> Pair:
    return (graph.cos(angle), graph.sin(angle)) if isinstance(angle, Expr) else angle


def _is_zero(graph: Graph, angle: Angle) -> bool:
    return angle.is_zero if isinstance(angle, Expr) else angle == (graph.one, graph.zero)


def _is_half_turn(angle: Angle) -> bool:
    value = angle.constant if isinstance(angle, Expr) else None
    return isinstance(value, Constant) and value.pi and value.exact and abs(value.coefficient) == 1


def _split(twists: list[Twist], joint: Joint, grouped: bool) -> tuple[list[Twist], list[Twist], list[Twist]]:
    """What turns the evaluation frame, before the joint and with it, and what turns the link in it."""
    if grouped and not joint.revolute:
        return [], [], twists  # a link that only slides keeps its antecedent's evaluation frame
    last = max((k for k, (axis, _) in enumerate(twists) if axis == 2), default=len(twists))
    before, turning = twists[:last], twists[last:]
    return (before, [], turning) if grouped else (before, turning, [])


@remembered
def rotation(s: Symbols, twists: tuple[Twist, ...]) -> Rotation:
    return Rotation(s.graph, (Turn(axis, *_pair(s.graph, angle)) for axis, angle in twists))
