"""A program that is not written yet: its operations are counted in the graph, which takes less time than writing it.

A search makes many programs and keeps few of them; only those are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from typing import Any

from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Input, Program, Variable
from symoro.ir.tally import Cost, Tally


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


class Pass:
    """A function from a program to a program with the same meaning.

    `draft` gives the new program before it is written. It is in a graph of its own, which nothing else uses.
    """

    def __init__(self, draft: Callable[..., Draft]) -> None:
        self.draft = draft
        update_wrapper(self, draft)

    def __call__(self, program: Program, *choices: Any) -> Program:
        made = self.draft(program, *choices)
        written = made.write()
        made.discard()
        return written
