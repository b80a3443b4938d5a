"""Builds the expressions of a program in a graph again; every pass begins with it."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.ir.draft import Draft, draft
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.graph import Graph
from symoro.ir.ops import Op
from symoro.ir.program import Instruction, Literal, Operand, Program, Ref


class Replay:
    """A program's values as expressions of a graph. `given` replaces inputs and parameters by expressions."""

    def __init__(self, program: Program, graph: Graph, given: Mapping[str, Expr] | None = None) -> None:
        self.program = program
        self.graph = graph
        self.values: dict[str, Expr] = {}
        for variable in (*program.input_variables(), *program.parameters):
            symbol = graph.symbol(variable.name, variable.label)
            self.values[variable.name] = (given or {}).get(variable.name, symbol)
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


def rebuilt(program: Program, graph: Graph | None = None, given: Mapping[str, Expr] | None = None) -> Draft:
    """The same program, built again in a graph: simplified, shared and without unused instructions."""
    graph = graph or Graph()
    replay = Replay(program, graph, given)
    return draft(graph, program.inputs, program.parameters, replay.results())
