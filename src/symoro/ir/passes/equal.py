"""Merges equal variables: a variable with the fingerprint of an earlier one, or of its negative, is replaced by it."""

from __future__ import annotations

from symoro.ir.draft import Draft, draft
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.passes.drafted import Pass
from symoro.ir.passes.fingerprints import fingerprints
from symoro.ir.program import Instruction, Program
from symoro.ir.replay import Replay
from symoro.ir.signature import PRIME


@Pass
def merge_equal(program: Program) -> Draft:
    """The program with one variable for each function of the inputs (see `ir.signature`); a 0, 1 or -1 is a number."""
    merged = _Merged(program)
    return draft(merged.graph, program.inputs, program.parameters, merged.results())


class _Merged(Replay):
    """Replays a program; a value that equals an earlier one is replaced by it."""

    def __init__(self, program: Program) -> None:
        self.signature = fingerprints(program)
        graph = Graph()
        self.known: dict[int, Expr] = {0: graph.zero, 1: graph.one, PRIME - 1: -graph.one}
        super().__init__(program, graph)

    def run(self, instruction: Instruction) -> None:
        first = self.known.get(self.signature[instruction.results[0]])
        if first is not None and len(instruction.results) == 1:
            self.values[instruction.results[0]] = first
            return
        super().run(instruction)
        for name in instruction.results:
            value = self.values[name]
            self.known.setdefault(self.signature[name], value)
            self.known.setdefault(-self.signature[name] % PRIME, -value)
