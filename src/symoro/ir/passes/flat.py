"""A program with its sums and products flattened: the table that algebraic passes rewrite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from symoro.ir.constant import Constant
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.ops import Op
from symoro.ir.program import Instruction, Literal, Operand, Program, Ref

Atom = str | Constant
"""A variable, or a positive number."""
Item = tuple[Atom, bool]
"""A term of a sum with its sign (True is minus), or a factor of a product (whose sign is always False)."""


@dataclass(slots=True)
class Row:
    """A sum or a product of any length."""

    op: Op
    items: list[Item]
    negative: bool = False  # of a product: its sign


@dataclass(slots=True)
class Flat:
    """Sums and products by name; every other instruction as it was."""

    program: Program
    rows: dict[str, Row] = field(default_factory=dict)
    uses: Counter[str] = field(default_factory=Counter)
    free: set[str] = field(default_factory=set)
    """What depends on parameters only, and so costs nothing."""
    _made: int = 0

    def add(self, op: Op, items: list[Item]) -> str:
        """A new row under a new name."""
        self._made += 1
        name = f"%new{self._made}"
        self.rows[name] = Row(op, items)
        if all(self.is_free(atom) for atom, _ in items):
            self.free.add(name)
        return name

    def is_free(self, atom: Atom) -> bool:
        return isinstance(atom, Constant) or atom in self.free

    def of(self, op: Op) -> dict[str, Row]:
        return {name: row for name, row in self.rows.items() if row.op is op}


def flatten(program: Program) -> Flat:
    """Sums of sums and products of products become one row where the inner one is used once."""
    flat = Flat(program)
    everything = (*program.setup, *program.instructions)
    flat.uses.update(a.name for i in everything for a in i.args if isinstance(a, Ref))
    for output in program.outputs:  # twice, so that an output keeps its variable
        flat.uses.update(e.name for e in output.elements * 2 if isinstance(e, Ref))
    flat.free = {p.name for p in program.parameters} | {r for i in program.setup for r in i.results}
    for instruction in everything:
        if instruction.op in (Op.ADD, Op.MUL):
            flat.rows[instruction.results[0]] = _row(flat, instruction)
    return flat


def _row(flat: Flat, instruction: Instruction) -> Row:
    row = Row(instruction.op, [])
    for operand in instruction.args:
        atom, negative = _item(operand)
        inner = flat.rows.get(atom) if isinstance(atom, str) and flat.uses[atom] == 1 else None
        if inner is not None and inner.op is row.op:
            del flat.rows[str(atom)]
            items, negative = inner.items, negative != inner.negative
        else:
            items = [(atom, False)]
        if row.op is Op.MUL:
            row.items += items
            row.negative ^= negative
        else:
            row.items += [(a, n != negative) for a, n in items]
    return row


def _item(operand: Operand) -> Item:
    if isinstance(operand, Literal):
        value = operand.value
        return (-value, True) if value.coefficient < 0 else (value, False)
    return operand.name, operand.negative


def unflatten(flat: Flat) -> Program:
    """The program of a table: rows become chains of operations, what is free first."""
    graph = Graph()
    program = flat.program
    values: dict[str, Expr] = {
        v.name: graph.symbol(v.name, v.label) for v in (*program.input_variables(), *program.parameters)
    }
    others = {r: i for i in (*program.setup, *program.instructions) if i.op not in (Op.ADD, Op.MUL) for r in i.results}
    hints = {r: i.meaning for i in (*program.setup, *program.instructions) if not i.anonymous for r in i.results}

    def read(operand: Operand) -> Expr:
        if isinstance(operand, Literal):
            return graph.constant(operand.value)
        _build(operand.name)
        return -values[operand.name] if operand.negative else values[operand.name]

    def needs(name: str) -> Iterator[str]:
        if name in others:
            yield from (a.name for a in others[name].args if isinstance(a, Ref))
        else:
            yield from (atom for atom, _ in flat.rows[name].items if isinstance(atom, str))

    def _build(root: str) -> None:
        stack = [root]
        while stack:
            name = stack[-1]
            missing = [] if name in values else [n for n in needs(name) if n not in values]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if name not in values:
                make(name)

    def make(name: str) -> None:
        if name in others:
            _run(graph, others[name], [read(a) for a in others[name].args], values)
        else:
            values[name] = _fold_row(flat, flat.rows[name], graph, values)
        if name in hints:
            graph.name(values[name], name, hints[name])

    for instruction in (*program.setup, *program.instructions):  # in the program's own order
        for name in instruction.results:
            if name in flat.rows or name in others:
                _build(name)
    results = [Result(o.name, o.shape, tuple(map(read, o.elements)), o.names, o.meanings) for o in program.outputs]
    return extract(graph, program.inputs, program.parameters, results)


def _run(graph: Graph, instruction: Instruction, args: list[Expr], values: dict[str, Expr]) -> None:
    if instruction.op is Op.SOLVE:
        n = len(instruction.results)
        rows = [args[n * i : n * i + n] for i in range(n)]
        values.update(zip(instruction.results, graph.solve(rows, args[n * n :]), strict=True))
    else:
        values[instruction.results[0]] = graph.apply(instruction.op, *args)


def _fold_row(flat: Flat, row: Row, graph: Graph, values: dict[str, Expr]) -> Expr:
    ordered = sorted(row.items, key=lambda item: not flat.is_free(item[0]))  # free ones first, otherwise as they are
    exprs = [graph.constant(a) if isinstance(a, Constant) else values[a] for a, _ in ordered]
    if row.op is Op.MUL:
        result = graph.one
        for x in exprs:
            result = result * x
        return -result if row.negative else result
    result = graph.zero
    for x, (_, negative) in zip(exprs, ordered, strict=True):
        result = result - x if negative else result + x
    return result
