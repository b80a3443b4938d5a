"""The configurations where a robot loses a direction of motion: the zeros of its Jacobian's determinant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symoro.bind.structure import Structure
from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.findings import Finding
from symoro.ir.expr import Constant, Expr, Node, Op
from symoro.ir.extract import angle_name, reachable
from symoro.ir.graph import Graph
from symoro.ir.infix import Term, Tree, write
from symoro.models.geometric.frames import FrameRef
from symoro.models.kinematic.determinant import Factored, factored
from symoro.robot.robot import Robot


@dataclass(frozen=True, slots=True)
class Singularity:
    """A factor of the determinant: the robot is singular where it is zero. `joints` are those that it depends on."""

    factor: str
    times: int
    joints: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.factor} = 0"


@dataclass(frozen=True, slots=True)
class Singularities:
    """The factors that depend on joints. `everywhere` is true where the determinant is zero for all configurations.

    `factored` is false where the determinant is too large to be factored: it is then one factor, "det J".
    `complete` is false for closed loops: the factors are those of the open tree, and loops may be singular elsewhere.
    """

    robot: str
    factors: tuple[Singularity, ...]
    everywhere: bool
    factored: bool
    complete: bool = True

    def __iter__(self) -> Iterator[Singularity]:
        return iter(self.factors)

    def __len__(self) -> int:
        return len(self.factors)

    def __str__(self) -> str:
        if self.everywhere:
            return f"{self.robot} is singular everywhere"
        if not self.complete:
            return "\n".join([*map(str, self.factors), str(Finding("jacobians.incomplete", robot=self.robot))])
        return "\n".join(map(str, self.factors)) or f"{self.robot} is singular nowhere"


def singularities(robot: Robot, link: FrameRef | None = None, task: str = "auto") -> Singularities:
    """The factors of the determinant of the Jacobian matrix of a link that depend on the joints."""
    s = _parameters_first(robot)
    if len(s.variables) != len(s.movable):
        raise NotApplicable("jacobians.followers", robot=robot.name)
    determinant: Factored = factored(s, link, task)
    factors = tuple(_singularity(s, factor, times, determinant.known) for factor, times in determinant.factors)
    return Singularities(
        robot.name,
        tuple(f for f in factors if f.joints),
        everywhere=not determinant.number,
        factored=determinant.known,
        complete=not robot.cuts,
    )


def _parameters_first(robot: Robot) -> Symbols:
    """The symbols of a robot in a graph that writes parameters before sines and cosines: D3*C2."""
    graph = Graph()
    for name in Structure(robot).parameter_names:
        graph.symbol(name)
    return Symbols(robot, graph)


def _singularity(s: Symbols, factor: Expr, times: int, known: bool) -> Singularity:
    joint_of = {x.node: j for j, x in s.q.items()}
    joints = sorted(joint_of[node] for node in reachable([factor]) if node in joint_of)
    return Singularity(_text(s, factor) if known or _small(factor) else "det J", times, tuple(joints))


def _small(factor: Expr) -> bool:
    return len(reachable([factor])) < 40


def _text(s: Symbols, factor: Expr) -> str:
    """The factor in sines and cosines, with a positive sign in front."""
    return write(_term(s.graph, factor.node.plus))


def _term(graph: Graph, x: Expr) -> Term:
    node: Node = x.node
    if isinstance(node.value, Constant):
        return Term(node.value, x.negative)
    if node.op is Op.SYMBOL:
        return Term(str(node.value), x.negative)
    if node.op in (Op.SIN, Op.COS):
        name = graph.hints[node][0] if node in graph.hints else angle_name(graph, node)
        if name is not None:
            return Term(name, x.negative)
    return Term(Tree(node.op, tuple(_term(graph, a) for a in node.args)), x.negative)
