"""The sums and products of a program as a table of rows of any length, which algebraic passes rewrite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain

from symoro.ir.constant import Constant
from symoro.ir.draft import Draft, draft
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.ops import Op
from symoro.ir.passes.last import of_the_last
from symoro.ir.program import Instruction, Literal, Operand, Program
from symoro.ir.replay import Replay

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
    """The sums and products of a program by name; its other instructions are unchanged."""

    program: Program
    rows: dict[str, Row] = field(default_factory=dict)
    uses: Counter[str] = field(default_factory=Counter)
    constants: set[str] = field(default_factory=set)
    """The variables that depend on parameters only: they are computed once, in the setup, and not counted."""
    _made: int = 0

    def add(self, op: Op, items: list[Item]) -> str:
        """A new row under a new name."""
        self._made += 1
        name = f"%new{self._made}"
        self.rows[name] = Row(op, items)
        if all(self.is_constant(atom) for atom, _ in items):
            self.constants.add(name)
        return name

    def is_constant(self, atom: Atom) -> bool:
        """Whether this is a number or depends on parameters only."""
        return isinstance(atom, Constant) or atom in self.constants

    def count_uses(self, reads: Iterable[list[str]]) -> None:
        """Count how often each variable is read; an output counts twice, so that it keeps its variable."""
        self.uses = Counter(chain.from_iterable(reads))
        self.uses.update(name for output in self.program.outputs for name in output.reads * 2)

    def of(self, op: Op) -> dict[str, Row]:
        return {name: row for name, row in self.rows.items() if row.op is op}


def flatten(program: Program) -> Flat:
    """The table of a program; a sum in a sum or a product in a product joins its row if it is read once."""
    first = _flattened(program)
    rows = {name: Row(row.op, row.items.copy(), row.negative) for name, row in first.rows.items()}
    return Flat(program, rows, first.uses, first.constants.copy())


@of_the_last
def _flattened(program: Program) -> Flat:
    flat = Flat(program)
    everything = (*program.setup, *program.instructions)
    flat.count_uses(i.reads for i in everything)
    flat.constants = {p.name for p in program.parameters} | {r for i in program.setup for r in i.results}
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


def unflatten(flat: Flat) -> Draft:
    """The program of a table: rows become chains of operations, the constants first."""
    replay = _Rows(flat)
    return draft(replay.graph, flat.program.inputs, flat.program.parameters, replay.results())


class _Rows(Replay):
    """Replays a program with the sums and products of a table; each row is built when it is needed."""

    def __init__(self, flat: Flat) -> None:
        self.flat = flat
        everything = (*flat.program.setup, *flat.program.instructions)
        self.others = {r: i for i in everything if i.op not in (Op.ADD, Op.MUL) for r in i.results}
        self.meanings = {r: i.meaning for i in everything if not i.anonymous for r in i.results}
        super().__init__(flat.program, Graph())

    def run(self, instruction: Instruction) -> None:
        for name in instruction.results:
            if name not in self.values and (name in self.flat.rows or name in self.others):
                self._build(name)

    def _build(self, root: str) -> None:
        """Build a variable, after the variables that it reads."""
        stack = [root]
        while stack:
            name = stack[-1]
            missing = [] if name in self.values else [n for n in self._reads(name) if n not in self.values]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if name not in self.values:
                self._make(name)

    def _reads(self, name: str) -> list[str]:
        if name in self.others:
            return self.others[name].reads
        return [atom for atom, _ in self.flat.rows[name].items if isinstance(atom, str)]

    def _make(self, name: str) -> None:
        if name in self.others:
            super().run(self.others[name])
            return
        self.values[name] = self._chain(self.flat.rows[name])
        if name in self.meanings:
            self.graph.name(self.values[name], name, self.meanings[name])

    def _chain(self, row: Row) -> Expr:
        graph, is_constant = self.graph, self.flat.is_constant
        constants = [item for item in row.items if is_constant(item[0])]
        ordered = constants + [item for item in row.items if not is_constant(item[0])] if constants else row.items
        exprs = [self.values[a] if isinstance(a, str) else graph.constant(a) for a, _ in ordered]
        if row.op is Op.MUL:
            product = reduce(graph.mul, exprs, graph.one)
            return product.opposite if row.negative else product
        signed = [x.opposite if negative else x for x, (_, negative) in zip(exprs, ordered, strict=True)]
        return reduce(graph.add, signed, graph.zero)
