"""Differentiation: the derivative of a program is a program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symoro.errors import ProgramError
from symoro.findings import Finding, sentence
from symoro.ir.expr import Expr
from symoro.ir.extract import Replay, Result, extract
from symoro.ir.graph import Graph
from symoro.ir.jacobian import Mode, jacobian
from symoro.ir.linalg import total
from symoro.ir.meaning import Meaning
from symoro.ir.program import Output, Program, Variable

Directions = Callable[[Graph], Sequence[Sequence[Expr]]]
"""The directions in which an input array can move, as expressions of the inputs: a row for each of its elements."""


def derivative(
    program: Program,
    wrt: str | Sequence[str],
    mode: Mode = "auto",
    along: Mapping[str, Directions] | None = None,
    known: Iterable[Variable] = (),
) -> Program:
    """The program of the derivatives of every output by an input array, by a parameter, or by several of them.

    The derivative of output GAM by input q is the output dGAM_dq of shape GAM.shape + q.shape. A list of parameters
    gives one output, dGAM_dparameters, whose last axis follows the list. An input array in `along` is constrained: its
    derivatives are taken along the directions that `along` gives, and these replace the axes of the array. `known` are
    parameters that directions may have and the program has not.
    """
    graph = Graph()
    groups = [group.constrained(graph, along or {}) for group in _groups(program, wrt)]
    replay = Replay(program, graph)
    values = replay.results()
    variables = [v for group in groups for v in group.variables]
    rows = jacobian(graph, [e for r in values for e in r.elements], [replay.values[v.name] for v in variables], mode)
    results: list[Result] = []
    taken: set[str] = set()
    for output in program.outputs:
        part, rows = rows[: len(output.elements)], rows[len(output.elements) :]
        start = 0
        for group in groups:
            columns = slice(start, start + len(group.variables))
            results.append(_result(output, group, [group.seen_along(row[columns]) for row in part], taken))
            start = columns.stop
    names = {p.name for p in program.parameters}
    return extract(graph, program.inputs, (*program.parameters, *(p for p in known if p.name not in names)), results)


@dataclass(frozen=True, slots=True)
class _DerivativeGroup:
    """Variables to differentiate by, as one array."""

    name: str
    shape: tuple[int, ...]
    variables: tuple[Variable, ...]
    directions: Sequence[Sequence[Expr]] = ()

    def constrained(self, graph: Graph, along: Mapping[str, Directions]) -> _DerivativeGroup:
        """The same group, along the directions that are given for it."""
        if self.name not in along:
            return self
        rows = along[self.name](graph)
        return replace(self, shape=(len(rows[0]),), directions=rows)

    @property
    def columns(self) -> tuple[Variable, ...]:
        """The variables of the derivatives: its own, or one for each direction."""
        if not self.directions:
            return self.variables
        return tuple(Variable(f"{self.name}{k}") for k in range(1, self.shape[0] + 1))

    def seen_along(self, row: Sequence[Expr]) -> list[Expr]:
        """The derivatives along the directions, from those by the variables."""
        if not self.directions:
            return list(row)
        columns = zip(*self.directions, strict=True)
        return [total(row[0].graph, (x * d for x, d in zip(row, column, strict=True))) for column in columns]


def _groups(program: Program, wrt: str | Sequence[str]) -> Iterator[_DerivativeGroup]:
    arrays = {a.name: a for a in program.inputs}
    parameters = {p.name: p for p in program.parameters}
    names = [wrt] if isinstance(wrt, str) else list(wrt)
    unknown = [n for n in names if n not in arrays and n not in parameters]
    if unknown or not names or len(set(names)) < len(names):
        none = Finding("programs.no_names")
        wrong = unknown or Finding("programs.given_twice" if names else "programs.nothing")
        raise ProgramError("programs.derivative", wrong=wrong, inputs=arrays or none, parameters=parameters or none)
    for name in names:
        if name in arrays:
            yield _DerivativeGroup(name, arrays[name].shape, arrays[name].variables)
    chosen = tuple(parameters[n] for n in names if n not in arrays)
    if chosen:
        yield (
            _DerivativeGroup(wrt, (), chosen)
            if isinstance(wrt, str)
            else _DerivativeGroup("parameters", (len(chosen),), chosen)
        )


def _result(output: Output, group: _DerivativeGroup, rows: list[list[Expr]], taken: set[str]) -> Result:
    """The derivatives of one output by one group, named dGAM1_dq2 and so on; all names differ."""
    names: list[str] = []
    for element in output.names:
        for variable in group.columns:
            name = base = f"d{element}_d{variable.name}"
            k = 1
            while name in taken:
                k += 1
                name = f"{base}_{k}"
            taken.add(name)
            names.append(name)
    meanings = tuple(_meaning(m, v) for m in output.meanings for v in group.columns)
    elements = tuple(e for row in rows for e in row)
    return Result(f"d{output.name}_d{group.name}", output.shape + group.shape, elements, tuple(names), meanings)


def _meaning(meaning: Meaning, variable: Variable) -> Meaning:
    unit = f"({meaning.unit})/({variable.meaning.unit})" if meaning.unit and variable.meaning.unit else ""
    text = sentence("symbols.derivative", name=variable.name, what=meaning.text) if meaning.text else ""
    return Meaning(text, unit, meaning.link)
