"""The determinant of the Jacobian matrix as a product of factors, and the copy of a robot that it is factored for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.blocks import Block, block_triangular, determinant, sign
from symoro.ir.expr import LEAVES, Expr, Node, Op
from symoro.ir.extract import Result
from symoro.ir.graph import Graph
from symoro.ir.linalg import total
from symoro.models.geometric.frames import FrameRef, carrier
from symoro.models.kinematic.by_motors import ByMotors, is_closed, moves_origin
from symoro.models.kinematic.renaud import TIP, Renaud
from symoro.models.kinematic.trigonometric import TooLarge, TrigonometricRing
from symoro.models.kinematic.weight import weight
from symoro.models.sampling import rank, sample
from symoro.robot import topology
from symoro.robot.base import IDENTITY
from symoro.robot.joint import ANGLES, GEOMETRY, Joint
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import PI, Apply, Number, Symbol, Value, evaluate, is_zero, symbols

# A copy of a robot in which every angle is a symbol or a multiple of π/2.
#
# Sines and cosines of other angles are decimals, in which cos² + sin² = 1 cannot be recognised; of symbols it can.


Replaced = dict[str, Value]
"""The value that each symbol of the copy stands for."""


def skeleton(robot: Robot) -> tuple[Robot, Replaced]:
    """The copy, and what its symbols stand for. Joint coordinates are the variables alone, without offsets."""
    replaced: Replaced = {}
    taken = {name for value in parameters(robot) for name in symbols(value)}
    joints = tuple(_skeleton_joint(joint, replaced, taken) for joint in robot.joints)
    return replace(robot, joints=joints), replaced


def _skeleton_joint(joint: Joint, replaced: Replaced, taken: set[str]) -> Joint:
    changes: dict[str, Any] = {}
    for name in GEOMETRY:
        value = getattr(joint, name)
        if joint.movable and name == joint.moving:
            if joint.variable is not None and value != Symbol(joint.variable):
                changes[name] = Symbol(joint.variable)
                replaced[joint.variable] = value
        elif name in ANGLES and not _plain(value):
            symbol = f"{name}{joint.index}"
            while symbol in taken:
                symbol += "_"
            changes[name] = Symbol(symbol)
            replaced[symbol] = value
    return replace(joint, **changes) if changes else joint


def _plain(value: Value) -> bool:
    """Whether an angle is a symbol or a multiple of π/2."""
    if isinstance(value, Symbol) or is_zero(value):
        return True
    if symbols(value):
        return False
    quarters = Fraction(evaluate(value, {}) * 2 / evaluate(PI, {})).limit_denominator(10**6)
    return _has_pi(value) and quarters.denominator == 1


def _has_pi(value: Value) -> bool:
    if isinstance(value, Number | Symbol):
        return False
    assert isinstance(value, Apply)
    return value.function == "pi" or any(_has_pi(a) for a in value.arguments)


# The determinant of a Jacobian matrix as a product of factors, from which singular configurations can be read.
#
# The determinant does not depend on the frame of projection nor on the intermediate frame of Renaud's product, so the
# two are chosen such that the matrix falls into the smallest blocks (for a spherical wrist: at its centre). Each
# block's determinant is a polynomial in sines, cosines and lengths, and is factored.


Rows = list[list[Expr]]

#: The determinant of a block with more rows than this is not factored: the factors would be too long to read.
_LARGEST_BLOCK = 4
_SAMPLES = 8


@dataclass(frozen=True)
class Factored:
    """number · Π factor^times, in the graph of `s`. `known` is false where a factor is a whole determinant.

    `position` says that the matrix is that of the position alone.
    """

    number: Fraction
    factors: tuple[tuple[Expr, int], ...]
    known: bool
    position: bool = False


def jacobian_determinant(s: Symbols, link: FrameRef | None, task: str, by: str = "motors") -> list[Result]:
    """det J of the joints that move a link, as a product; of J Jᵀ or Jᵀ J where J is not square.

    With closed loops J is taken with respect to the motors; the factors are then the blocks' determinants.
    """
    if is_closed(s) and by == "motors":
        number, *blocks = ByMotors(s).determinant(tip(s) if link is None else link, task)
        return [_product(s, number, [(factor, 1) for factor in blocks])]
    if not s.plain:
        raise NotApplicable("jacobians.coordinates_are_functions", robot=s.robot.name)
    determinant = factored(s, link, task)
    return [_product(s, s.graph.constant(determinant.number), determinant.factors)]


def _product(s: Symbols, product: Expr, factors: Iterable[tuple[Expr, int]]) -> Result:
    for n, (factor, times) in enumerate(factors, 1):
        s.graph.name(factor, f"DET{n}")
        product = product * factor**times
    return Result("DET", (), (product,), ("DET",))


def factored(s: Symbols, link: FrameRef | None, task: str) -> Factored:
    """The factors of the determinant, as expressions of the robot's own graph."""
    bare, replaced = skeleton(s.robot)
    t = Symbols(bare, Graph())
    matrix, blocks, task = _best_matrix(t, tip(s) if link is None else link, task)
    if blocks is None:
        return Factored(Fraction(0), (), True, task == "position")
    number, known = Fraction(sign(blocks)), True
    factors: list[tuple[Expr, int]] = []
    bring = translator(s, replaced)
    for block in blocks:
        part = _block_factors(s.graph, block.of(matrix), bring)
        number, factors, known = number * part.number, [*factors, *part.factors], known and part.known
    return Factored(number, _gathered(factors), known, task == "position")


def tip(s: Symbols) -> int:
    """The link at the end of the robot's only chain, or its platform."""
    ends = s.free or tuple(end.index for end in topology.tips(s.robot))
    if len(ends) != 1:
        raise NotApplicable("jacobians.tips", robot=s.robot.name, tips=ends)
    return ends[0]


def _best_matrix(s: Symbols, link: FrameRef, task: str) -> tuple[Rows, list[Block] | None, str]:
    """The square matrix, over all i and j, with the smallest blocks; of these the one with the fewest operations.

    The task is "position" where "auto" means that.
    """
    choices: list[tuple[int, tuple[int, int], int, Rows, list[Block], str]] = []
    for matrix, of in _matrices(s, link, task):
        blocks = block_triangular(matrix)
        if blocks is None:
            return matrix, None, of
        choices.append((sum(len(b.rows) ** 3 for b in blocks), weight(s, matrix), len(choices), matrix, blocks, of))
    return min(choices, key=lambda one: one[:3])[3:]


def _matrices(s: Symbols, link: FrameRef, task: str) -> Iterator[tuple[Rows, str]]:
    """Square matrices whose determinant is wanted, with their task, over the choices of i and j."""
    path = Renaud(s, link, 0).path
    every: list[Rows] = []
    for i in path:
        seen = Renaud(s, link, i)
        if not seen.joints:
            raise NotApplicable("jacobians.still_frame", robot=s.robot.name, frame=link)
        if task == "position" and not moves_origin(s, link):
            raise NotApplicable("jacobians.still_origin", robot=s.robot.name, frame=link)
        points = (TIP if carrier(s.robot, link)[1] != IDENTITY else seen.n,) if task == "position" else path
        for j in points:
            columns = [[*v, *w][: 3 if task == "position" else 6] for v, w in seen.columns(j).values()]
            rows = [list(row) for row in zip(*columns, strict=True)]
            every.append([row for row in rows if not all(x.is_zero for x in row)])
    dimension = _dimension(s, every[0])  # in frame 0
    square = [rows for rows in every if len(rows) == dimension == len(rows[0])]
    full = [rows for rows in every if len(rows) >= dimension]
    yield from ((rows, task) for rows in square)
    if not square:
        yield from _rectangular(s, link, task, min(full, key=lambda rows: (len(rows), weight(s, rows))))


def _dimension(s: Symbols, rows: Rows) -> int:
    """The dimension of the space that the columns span over all configurations."""
    columns = sample(s, rows, _SAMPLES)
    return rank(columns.transpose(1, 0, 2).reshape(len(rows), -1))


def _rectangular(s: Symbols, link: FrameRef, task: str, rows: Rows) -> Iterator[tuple[Rows, str]]:
    """J Jᵀ where there are more joints than rows, else Jᵀ J; for task "auto" the position is tried before Jᵀ J."""
    if len(rows) > len(rows[0]):
        if task == "auto" and moves_origin(s, link):
            yield from _matrices(s, link, "position")
            return
        rows = [list(column) for column in zip(*rows, strict=True)]
    yield [[total(s.graph, (x * y for x, y in zip(a, b, strict=True))) for b in rows] for a in rows], task


def _block_factors(graph: Graph, matrix: Rows, bring: Callable[[Expr], Expr]) -> Factored:
    elements = [x for row in matrix for x in row]
    ring = TrigonometricRing(elements)
    try:
        if len(matrix) > _LARGEST_BLOCK:
            raise TooLarge
        table = [[ring.polynomial(x) for x in row] for row in matrix]
        p = ring.reduce(ring.bounded(determinant(table, ring.ring.zero, ring.ring.one)))
    except TooLarge:
        whole = determinant([[bring(x) for x in row] for row in matrix], graph.zero, graph.one)
        return Factored(Fraction(1), ((whole, 1),), False)
    if not p:
        return Factored(Fraction(0), (), True)
    number, factors = ring.factors(p)
    return Factored(number, tuple((ring.expression(graph, f.terms, bring), f.times) for f in factors), True)


def _gathered(factors: list[tuple[Expr, int]]) -> tuple[tuple[Expr, int], ...]:
    """The factors of all blocks, equal ones gathered."""
    times: dict[Expr, int] = {}
    for factor, n in factors:
        times[factor] = times.get(factor, 0) + n
    return tuple(times.items())


def translator(s: Symbols, replaced: Replaced) -> Callable[[Expr], Expr]:
    """A function from expressions of a skeleton's graph to expressions of the robot's own graph."""
    known: dict[Node, Expr] = {}
    bound = {name: s.bind(value) for name, value in replaced.items()}

    def bring(x: Expr) -> Expr:
        node = x.node
        if node not in known:
            known[node] = make(node)
        return -known[node] if x.negative else known[node]

    def make(node: Node) -> Expr:
        if node.op is Op.SYMBOL:
            name = str(node.value)
            return bound[name] if name in bound else s.bind(Symbol(name))
        if node.op in LEAVES:
            assert node.value is not None
            return s.graph.constant(node.value)  # type: ignore[arg-type]
        return s.graph.apply(node.op, *(bring(a) for a in node.args))

    return bring
