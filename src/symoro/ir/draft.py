"""Programs as graphs again, and programs that are not written yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from symoro.ir.expr import COUNTED_AS, Expr, Node, Op, solve_count
from symoro.ir.extract import Result, by_serial, extract, needed, solve_size
from symoro.ir.graph import Graph
from symoro.ir.program import Input, Instruction, Literal, Operand, Program, Ref, Variable

# Builds the expressions of a program in a graph again; every pass begins with it.


class Replay:
    """A program's values as expressions of a graph. `expressions` replace inputs and parameters."""

    def __init__(self, program: Program, graph: Graph, expressions: Mapping[str, Expr] | None = None) -> None:
        self.program = program
        self.graph = graph
        self.values: dict[str, Expr] = {}
        for variable in (*program.input_variables(), *program.parameters):
            symbol = graph.symbol(variable.name, variable.label)
            self.values[variable.name] = (expressions or {}).get(variable.name, symbol)
        run = self.run
        for instruction in (*program.setup, *program.instructions):
            run(instruction)

    def run(self, instruction: Instruction) -> None:
        """Build the values of one instruction; those of its arguments exist already."""
        values = self.values
        args = [
            (values[a.name].opposite if a.negative else values[a.name]) if isinstance(a, Ref) else self.expr(a)
            for a in instruction.args
        ]  # not by `expr` alone, which takes longer than what is done here
        if instruction.op is Op.SOLVE:
            n = len(instruction.results)
            rows = [args[n * i : n * i + n] for i in range(n)]
            self.values.update(zip(instruction.results, self.graph.solve(rows, args[n * n :]), strict=True))
        else:
            self.values[instruction.results[0]] = self.graph.apply(instruction.op, *args)
        if not instruction.anonymous:
            for name in instruction.results:
                self.graph.name(self.values[name], name, instruction.meaning)

    def expr(self, operand: Operand) -> Expr:
        if isinstance(operand, Literal):
            return self.graph.constant(operand.value)
        value = self.values[operand.name]
        return value.opposite if operand.negative else value

    def results(self) -> list[Result]:
        """The outputs as expressions."""
        return [
            Result(o.name, o.shape, tuple(map(self.expr, o.elements)), o.names, o.meanings)
            for o in self.program.outputs
        ]


def rebuilt(program: Program, graph: Graph | None = None, expressions: Mapping[str, Expr] | None = None) -> Draft:
    """The same program, built again in a graph: simplified, shared and without unused instructions."""
    graph = graph or Graph()
    replay = Replay(program, graph, expressions)
    return draft(graph, program.inputs, program.parameters, replay.results())


# Programs that are not written yet: their operations are counted in the graph, in less time than writing takes.
#
# A search makes many programs and keeps few of them; only those are written.


Cost = tuple[int, int, int]
"""Arithmetic, then calls of functions, then the arithmetic of the setup."""

#: The counts of a node are the digits of one number, so that counting is one sum; no digit reaches this base.
_BASE = 2**40
#: Inputs are given, and the items of a solution come with it: they are no instructions.
_NO_INSTRUCTION = (Op.CONST, Op.SYMBOL, Op.ITEM)


class Tally:
    """Counts results of one graph. Nodes never change, so that each is classified once for all counts."""

    def __init__(self, parameters: Iterable[str]) -> None:
        self._parameters = frozenset(parameters)
        self._constant: dict[Node, bool] = {}
        self._work: dict[Node, int] = {}

    def __call__(self, results: Sequence[Result]) -> Cost:
        return self.counted(results)[0]

    def counted(self, results: Sequence[Result]) -> tuple[Cost, int]:
        """The cost, and the number of instructions without the setup."""
        nodes = needed(e for r in results for e in r.elements)
        self._classify([node for node in nodes if node not in self._work])
        rest, once = divmod(sum(map(self._work.__getitem__, nodes)), _BASE)
        rest, calls = divmod(rest, _BASE)
        instructions, arithmetic = divmod(rest, _BASE)
        return (arithmetic, calls, once), instructions

    def _classify(self, nodes: list[Node]) -> None:
        """The work of nodes that are new, arguments first."""
        constant, work = self._constant, self._work
        for node in sorted(nodes, key=by_serial):
            op = node.op
            depends = op is Op.SYMBOL and node.value not in self._parameters
            for a in node.args:
                if not constant[a.node]:
                    depends = True
                    break
            constant[node] = not depends
            if op is Op.SOLVE:
                work[node] = _digits(op, solve_count(solve_size(node)).total)[depends]
            else:
                work[node] = _DIGITS[op][depends]


def _digits(op: Op, arithmetic: int) -> tuple[int, int]:
    """What a node adds to the counts: in the setup, and in each evaluation."""
    instructions = int(op not in _NO_INSTRUCTION)
    calls = int(op in COUNTED_AS and not arithmetic)
    return arithmetic, ((instructions * _BASE + arithmetic) * _BASE + calls) * _BASE


_DIGITS = {op: _digits(op, int(COUNTED_AS.get(op) in ("add", "mul", "div"))) for op in Op}


def cost(program: Program) -> Cost:
    """What a search minimises: arithmetic first, then calls of functions, then the arithmetic of the setup."""
    ops = program.ops
    return ops.total, ops.trig + ops.sqrt + ops.other, program.setup_ops.total


@dataclass(frozen=True, slots=True)
class Draft:
    """The cost of a program, the number of its instructions, and the function that writes it."""

    cost: Cost
    size: int
    write: Callable[[], Program]
    graph: Graph | None = None
    """Where it is built, if it is not written yet."""

    @staticmethod
    def of(program: Program) -> Draft:
        """A program that is written already."""
        return Draft(cost(program), len(program.instructions), lambda: program)

    def discard(self) -> None:
        """Free the graph. The draft cannot be written any more."""
        if self.graph is not None:
            self.graph.dissolve()


def draft(graph: Graph, inputs: Iterable[Input], parameters: Iterable[Variable], results: Sequence[Result]) -> Draft:
    """What `extract` takes, counted."""
    inputs, parameters = tuple(inputs), tuple(parameters)
    counted, size = Tally(p.name for p in parameters).counted(results)
    return Draft(counted, size, partial(extract, graph, inputs, parameters, results), graph)
