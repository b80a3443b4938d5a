"""The configurations where a robot loses a direction of motion: the zeros of its Jacobian's determinant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from symoro.bind.symbols import Structure, Symbols
from symoro.errors import NotApplicable
from symoro.findings import Finding
from symoro.ir.expr import Constant, Expr, Node, Op
from symoro.ir.extract import angle_name, reachable
from symoro.ir.graph import Graph
from symoro.ir.infix import OperationTree, Term, write
from symoro.models.geometric.frames import FrameRef
from symoro.models.kinematic.by_motors import ByMotors
from symoro.models.kinematic.determinant import Factored, factored, tip
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
    `frame` and `task`, position or pose, say of what.
    """

    robot: str
    factors: tuple[Singularity, ...]
    everywhere: bool
    factored: bool
    complete: bool = True
    frame: FrameRef = 0
    task: str = "pose"

    def __iter__(self) -> Iterator[Singularity]:
        return iter(self.factors)

    def __len__(self) -> int:
        return len(self.factors)

    def at(self, T: object) -> NoReturn:
        """Only those of a platform give condition numbers at poses."""
        raise NotApplicable("jacobians.at_poses", robot=self.robot)

    def __str__(self) -> str:
        task = Finding("jacobians.position_of") if self.task == "position" else Finding("jacobians.pose_of")
        of = Finding("jacobians.of_frame", task=task, frame=str(self.frame), robot=self.robot)
        if self.everywhere:
            return str(Finding("jacobians.everywhere", of=of))
        if not self.complete:
            return "\n".join([*map(str, self.factors), str(Finding("jacobians.incomplete", robot=self.robot))])
        return "\n".join(map(str, self.factors)) or str(Finding("jacobians.nowhere", of=of))


def singularities(robot: Robot, link: FrameRef | None = None, task: str = "auto") -> Singularities:
    """The factors of the determinant of the Jacobian matrix of a link that depend on the joints."""
    s = _parameters_first(robot)
    if len(s.variables) != len(s.movable):
        raise NotApplicable("jacobians.followers", robot=robot.name)
    frame = tip(s) if link is None else link
    determinant: Factored = factored(s, frame, task)
    factors = tuple(_singularity(s, factor, times, determinant.known) for factor, times in determinant.factors)
    return Singularities(
        robot.name,
        tuple(f for f in factors if f.joints),
        everywhere=not determinant.number and not (robot.cuts and _regular_by_motors(robot, frame, task)),
        factored=determinant.known,
        complete=not robot.cuts,
        frame=frame,
        task="position" if determinant.position else "pose",
    )


def _regular_by_motors(robot: Robot, frame: FrameRef, task: str) -> bool:
    """Whether the Jacobian matrix by the motors has its full rank in some configuration: that by all joints has not."""
    return not any(x.is_zero for x in ByMotors(Symbols(robot, Graph())).determinant(frame, task))


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
    return Term(OperationTree(node.op, tuple(_term(graph, a) for a in node.args)), x.negative)
