"""The derivatives of operations, and of expressions by symbols, in forward or reverse mode, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from typing import Literal, get_args

from symoro.errors import ProgramError
from symoro.ir.expr import COMPARISONS, LEAVES, Expr, Node, Op, solve_count
from symoro.ir.extract import reachable, solve_size
from symoro.ir.graph import Graph

# The derivative of every operation by each of its arguments: one table for forward and reverse mode.


#: (graph, y, arguments, t) -> ∂y/∂argument · t, for the value y of an operation. In forward mode, t is the tangent of
#: the argument and the result is a part of the tangent of y. In reverse mode, t is the adjoint of y and the result is a
#: part of the adjoint of the argument.
Push = Callable[[Graph, Expr, tuple[Expr, ...], Expr], Expr]


def _times(partial: Callable[..., Expr]) -> Push:
    """t times a partial derivative; `partial` is a function of the graph, the value and the arguments."""
    return lambda g, y, args, t: partial(g, y, *args) * t


def _square_sum(a: Expr, b: Expr) -> Expr:
    return a * a + b * b


def _nothing(g: Graph, y: Expr, args: tuple[Expr, ...], t: Expr) -> Expr:
    return g.zero


def _where(condition: Callable[..., Expr], negated: bool = False) -> Push:
    """t where a condition holds, else 0. It is not a product, because 0 times an infinite tangent is not 0."""

    def push(g: Graph, y: Expr, args: tuple[Expr, ...], t: Expr) -> Expr:
        holds = condition(g, *args)
        return g.select(holds, g.zero, t) if negated else g.select(holds, t, g.zero)

    return push


#: Where min and max are equal, the first argument counts; abs and sign have the derivative 0 at 0.
PARTIALS: dict[Op, tuple[Push, ...]] = {
    Op.ADD: (_times(lambda g, y, a, b: g.one), _times(lambda g, y, a, b: g.one)),
    Op.MUL: (_times(lambda g, y, a, b: b), _times(lambda g, y, a, b: a)),
    Op.DIV: (_times(lambda g, y, a, b: g.one / b), _times(lambda g, y, a, b: -y * (g.one / b))),
    Op.SQRT: (_times(lambda g, y, x: Fraction(1, 2) / y),),
    Op.SIN: (_times(lambda g, y, x: g.cos(x)),),
    Op.COS: (_times(lambda g, y, x: -g.sin(x)),),
    Op.TAN: (_times(lambda g, y, x: y * y + 1),),
    Op.ASIN: (_times(lambda g, y, x: 1 / g.sqrt(1 - x * x)),),
    Op.ACOS: (_times(lambda g, y, x: -1 / g.sqrt(1 - x * x)),),
    Op.ATAN2: (
        _times(lambda g, y, a, b: b / _square_sum(a, b)),
        _times(lambda g, y, a, b: -a / _square_sum(a, b)),
    ),
    Op.EXP: (_times(lambda g, y, x: y),),
    Op.ABS: (_times(lambda g, y, x: g.sign(x)),),
    Op.SIGN: (_nothing,),
    Op.MIN: (
        _where(lambda g, a, b: g.apply(Op.LESS_EQUAL, a, b)),
        _where(lambda g, a, b: g.apply(Op.LESS_EQUAL, a, b), negated=True),
    ),
    Op.MAX: (
        _where(lambda g, a, b: g.apply(Op.LESS_EQUAL, b, a)),
        _where(lambda g, a, b: g.apply(Op.LESS_EQUAL, b, a), negated=True),
    ),
    **dict.fromkeys(COMPARISONS, (_nothing, _nothing)),
    Op.SELECT: (_nothing, _where(lambda g, c, a, b: c), _where(lambda g, c, a, b: c, negated=True)),
}


# The derivatives of expressions by symbols, in forward or reverse mode, without recursion.


Mode = Literal["auto", "forward", "reverse"]

#: Up to this product of nodes and directions, "auto" builds both modes and keeps the cheaper one.
_SMALL = 50_000


def jacobian(graph: Graph, values: Sequence[Expr], wrt: Sequence[Expr], mode: Mode = "auto") -> list[list[Expr]]:
    """The derivatives of expressions by symbols: a row for each expression, a column for each symbol."""
    if mode not in get_args(Mode):
        raise ProgramError("programs.mode", mode=mode, allowed=get_args(Mode))
    if any(x.node.op is not Op.SYMBOL or x.negative for x in wrt):
        raise ProgramError("programs.by_symbols")
    if len(set(wrt)) < len(wrt):
        raise ProgramError("programs.by_symbol_twice")
    active = _active(values, wrt)
    if mode == "auto" and len(active) * min(len(values), len(wrt)) > _SMALL:
        mode = "forward" if len(wrt) <= len(values) else "reverse"
    if mode == "forward":
        return _forward(graph, values, wrt, active)
    if mode == "reverse":
        return _reverse(graph, values, wrt, active)
    both = _forward(graph, values, wrt, active), _reverse(graph, values, wrt, active)
    return min(both, key=_cost)


def rates(graph: Graph, values: Sequence[Expr], moving: Mapping[Expr, Expr]) -> list[Expr]:
    """The rates of the values when symbols have given rates: Σ ∂value/∂x ẋ, in one forward sweep."""
    tangents: dict[Node, Tangents] = {x.node: {0: rate} for x, rate in moving.items() if not rate.is_zero}
    nodes = _active(values, list(moving))[len(moving) :]
    for node in _propagate(graph, tangents, nodes):
        if node in graph.hints and (tangent := tangents.get(node, {}).get(0)) is not None:
            name, negative, _ = graph.hints[node]
            graph.name(-tangent if negative else tangent, f"{name}_rate")
    return [_seen_through(e, tangents.get(e.node, {}).get(0, graph.zero)) for e in values]


def _active(values: Sequence[Expr], wrt: Sequence[Expr]) -> list[Node]:
    """The nodes of the values that depend on the symbols, arguments first; the symbols come first of all."""
    active: dict[Node, None] = {x.node: None for x in wrt}
    for node in reachable(values):
        if any(a.node in active for a in node.args):
            active[node] = None
    return list(active)


def _cost(rows: list[list[Expr]]) -> int:
    """The number of operations of the entries."""
    nodes = reachable(e for row in rows for e in row)
    solves = sum(solve_count(solve_size(n)).total for n in nodes if n.op is Op.SOLVE)
    return solves + sum(1 for n in nodes if n.op not in LEAVES and n.op not in (Op.SOLVE, Op.ITEM))


def _system(block: Node) -> tuple[list[list[Expr]], list[Expr], tuple[Expr, ...]]:
    """A, b and x of a solve block."""
    n = solve_size(block)
    matrix = [list(block.args[n * i : n * i + n]) for i in range(n)]
    right = list(block.args[n * n :])
    return matrix, right, block.plus.graph.solve(matrix, right)


# forward: tangents go from the symbols to the values, one for each symbol; zero tangents are not stored

Tangents = dict[int, Expr]


def _forward(graph: Graph, values: Sequence[Expr], wrt: Sequence[Expr], active: list[Node]) -> list[list[Expr]]:
    tangents: dict[Node, Tangents] = {x.node: {k: graph.one} for k, x in enumerate(wrt)}
    for node in _propagate(graph, tangents, active[len(wrt) :]):
        _suggest_names(graph, node, tangents.get(node, {}), wrt)
    return [[_seen_through(e, tangents.get(e.node, {}).get(k, graph.zero)) for k in range(len(wrt))] for e in values]


def _propagate(graph: Graph, tangents: dict[Node, Tangents], nodes: list[Node]) -> Iterator[Node]:
    """Compute the tangents of the nodes, arguments first; yield each node when its tangents are known."""
    blocks: dict[Node, dict[int, tuple[Expr, ...]]] = {}
    for node in nodes:
        if node.op is Op.SOLVE:
            blocks[node] = _solve_tangents(graph, node, tangents)
        elif node.op is Op.ITEM:
            assert isinstance(node.value, int)
            tangents[node] = {k: dx[node.value] for k, dx in blocks[node.args[0].node].items()}
        else:
            tangents[node] = _tangents(graph, node, tangents)
        yield node


def _seen_through(expr: Expr, tangent: Expr) -> Expr:
    """The tangent of an expression, from the tangent of its node."""
    return -tangent if expr.negative else tangent


def _tangents(graph: Graph, node: Node, tangents: dict[Node, Tangents]) -> Tangents:
    """dy = Σ ∂y/∂x_i dx_i."""
    total: Tangents = {}
    for push, arg in zip(PARTIALS[node.op], node.args, strict=True):
        for k, t in tangents.get(arg.node, {}).items():
            total[k] = total.get(k, graph.zero) + push(graph, node.plus, node.args, _seen_through(arg, t))
    return {k: t for k, t in total.items() if not t.is_zero}


def _solve_tangents(graph: Graph, block: Node, tangents: dict[Node, Tangents]) -> dict[int, tuple[Expr, ...]]:
    """A dx = db - dA x."""
    matrix, right, x = _system(block)
    directions = sorted({k for a in block.args for k in tangents.get(a.node, {})})

    def d(a: Expr, k: int) -> Expr:
        return _seen_through(a, tangents.get(a.node, {}).get(k, graph.zero))

    solved: dict[int, tuple[Expr, ...]] = {}
    for k in directions:
        side = [d(b, k) for b in right]
        for i, row in enumerate(matrix):
            for a, xj in zip(row, x, strict=True):
                side[i] = side[i] - d(a, k) * xj
        solved[k] = graph.solve(matrix, side)
    return solved


def _suggest_names(graph: Graph, node: Node, tangents: Tangents, wrt: Sequence[Expr]) -> None:
    """Name the tangent of WI12 by q2 dWI12_dq2; a tangent that is a sine or a cosine keeps its own name."""
    if node not in graph.hints:
        return
    name, negative, _ = graph.hints[node]
    for k, t in tangents.items():
        if t.node.op not in (Op.SIN, Op.COS) and t.node.serial > node.serial:
            graph.name(-t if negative else t, f"d{name}_d{wrt[k].node.value}")


# reverse: adjoints go from one value to the symbols, for all symbols at once


def _reverse(graph: Graph, values: Sequence[Expr], wrt: Sequence[Expr], active: list[Node]) -> list[list[Expr]]:
    between = set(active)
    rows: list[list[Expr]] = []
    for value in values:
        sweep = _Sweep(graph, between)
        sweep.give(value, graph.one)
        sweep.run()
        rows.append([sweep.adjoints.get(x.node, graph.zero) for x in wrt])
    return rows


class _Sweep:
    """The adjoints of one value.

    A node has a higher serial than its arguments. The sweep goes through falling serials, so that the adjoint of a node
    is complete when the sweep reaches it.
    """

    def __init__(self, graph: Graph, active: set[Node]) -> None:
        self.graph = graph
        self.active = active
        self.adjoints: dict[Node, Expr] = {}
        self.items: dict[Node, dict[int, Expr]] = {}
        self.pending: list[tuple[int, Node]] = []

    def give(self, expr: Expr, part: Expr) -> None:
        """Add a part to the adjoint of the node of an expression."""
        node = expr.node
        if node not in self.active or part.is_zero:
            return
        if node not in self.adjoints:
            heappush(self.pending, (-node.serial, node))
        self.adjoints[node] = self.adjoints.get(node, self.graph.zero) + (-part if expr.negative else part)

    def run(self) -> None:
        while self.pending:
            node = heappop(self.pending)[1]
            adjoint = self.adjoints[node]
            if node.op is Op.SOLVE:
                self._solve(node)
            elif node.op is Op.ITEM:
                assert isinstance(node.value, int)
                self.items.setdefault(node.args[0].node, {})[node.value] = adjoint
                self.give(node.args[0], self.graph.one)  # queues the block, whose adjoint is that of its items
            elif node.op is not Op.SYMBOL:
                for push, arg in zip(PARTIALS[node.op], node.args, strict=True):
                    if arg.node in self.active:
                        self.give(arg, push(self.graph, node.plus, node.args, adjoint))

    def _solve(self, block: Node) -> None:
        """With Aᵀ λ = x̄: b̄ = λ and Ā = -λ xᵀ."""
        matrix, right, x = _system(block)
        bars = [self.items[block].get(i, self.graph.zero) for i in range(len(x))]
        multipliers = self.graph.solve(list(zip(*matrix, strict=True)), bars)
        for row, b, multiplier in zip(matrix, right, multipliers, strict=True):
            self.give(b, multiplier)
            for a, xj in zip(row, x, strict=True):
                if a.node in self.active:
                    self.give(a, -multiplier * xj)
