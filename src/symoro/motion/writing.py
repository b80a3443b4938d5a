"""Writes programs that contain other programs, such as a step of a simulation that calls models and a controller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from symoro.errors import ProgramError
from symoro.ir.expr import Expr, Op
from symoro.ir.extract import Replay, Result, extract
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Program, Variable

Exprs = tuple[Expr, ...]


@dataclass
class Writer:
    """A graph, and the inputs and parameters of the program that is being written."""

    graph: Graph = field(default_factory=Graph)
    inputs: dict[str, Input] = field(default_factory=dict)
    parameters: dict[str, Variable] = field(default_factory=dict)

    def input(self, array: Input) -> Exprs:
        """A new input array; its elements."""
        self.inputs[array.name] = array
        return tuple(self.graph.symbol(v.name, v.label) for v in array.variables)

    def vector(self, name: str, count: int, text: str = "", labels: Iterable[object] | None = None) -> Exprs:
        """A new input of this many elements, named by number or by label."""
        return self.input(vector_input(name, text, labels or (f"_{k}" for k in range(1, count + 1))))

    def parameter(self, name: str, default: float, text: str = "", unit: str = "") -> Expr:
        """A parameter with its value."""
        self.parameters.setdefault(name, Variable(name, Meaning(text, unit), default))
        return self.graph.symbol(name)

    def call(self, program: Program, inputs: Mapping[str, Sequence[Expr]], suffix: str = "") -> dict[str, Exprs]:
        """The outputs of a program for these inputs. Optional inputs that are not given have their defaults.

        `suffix` is added to the names of its parameters, so that two programs can have different values for one.
        """
        values: dict[str, Expr] = {}
        for array in program.inputs:
            default = [self.graph.constant(v.default or 0.0) for v in array.variables]
            elements = inputs.get(array.name, default)
            values |= {v.name: x for v, x in zip(array.variables, elements, strict=True)}
        for p in program.parameters:
            self.parameters.setdefault(p.name + suffix, replace(p, name=p.name + suffix))
            values[p.name] = self.graph.symbol(p.name + suffix)
        return {result.name: result.elements for result in Replay(program, self.graph, values).results()}

    def clipped(self, x: Expr, limit: Expr) -> Expr:
        """x between −limit and limit."""
        return self.graph.apply(Op.MAX, self.graph.apply(Op.MIN, x, limit), -limit)

    def program(self, **outputs: Sequence[Expr]) -> Program:
        """The program of these outputs."""
        twice = self.parameters.keys() & {v.name for array in self.inputs.values() for v in array.variables}
        if twice:
            raise ProgramError("motion.same_name", names=sorted(twice))
        results = [
            Result(name, (len(x),), tuple(x), tuple(f"{name.upper()}{k}" for k in range(1, len(x) + 1)))
            for name, x in outputs.items()
        ]
        return extract(self.graph, self.inputs.values(), self.parameters.values(), results)


def vector_input(name: str, text: str, labels: Iterable[object]) -> Input:
    """An input with an element for each label, which stands behind its name."""
    variables = tuple(Variable(f"{name.upper()}{label}") for label in labels)
    return Input(name, (len(variables),), variables, meaning=Meaning(text))
