"""Angles and equal variables: sums of angles, pairs that turn, variables that are merged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from symoro.ir.expr import Expr, Op
from symoro.ir.extract import Draft, Pass, Replay, draft, rebuilt
from symoro.ir.graph import Graph
from symoro.ir.passes.algebra import Atom, Flat, Item, flatten, unflatten
from symoro.ir.program import Instruction, Program
from symoro.ir.signature import PRIME, fingerprints

# Sums of angles: C2*C3 - S2*S3 becomes cos(q2 + q3), named C23.


@Pass
def merge_angles(program: Program) -> Draft:
    """Build the program again in a graph that recognises the sines and cosines of sums of angles."""
    return rebuilt(program, Graph(angle_sums=True))


# Rotates pairs of constants by one angle with three multiplications for each pair instead of four.
#
# x = a c − b s and y = a s + b c are x = k − b (c + s) and y = k − a (c − s) with k = (a + b) c. Where a and b depend
# on parameters only, a + b is computed once, in the setup. The two sums c ± s serve every pair, so that three pairs
# that turn by the same angle save an operation.


#: The sums c + s and c − s cost two operations.
WORTHWHILE = 3


@dataclass(frozen=True, slots=True)
class Half:
    """A sum ±a c ± b s of constant a and b; `first` and `second` are the signs (True is minus)."""

    name: str
    a: Atom
    b: Atom
    first: bool
    second: bool


@dataclass(frozen=True, slots=True)
class RotatedPair:
    """x = a c − b s and ±y = a s + b c, with the signs of a and b in x; `flipped`: the sign of y."""

    x: Half
    y: Half
    flipped: bool


@Pass
def turn_by_three(program: Program) -> Draft:
    """Rewrite the pairs of every angle that rotates enough pairs."""
    flat = flatten(program)
    worthwhile = {turn: pairs for turn, pairs in _pairs(flat).items() if len(pairs) >= WORTHWHILE}
    for (c, s), pairs in worthwhile.items():
        total = flat.add(Op.ADD, [(c, False), (s, False)])
        difference = flat.add(Op.ADD, [(c, False), (s, True)])
        for pair in pairs:
            _rewrite(flat, pair, c, total, difference)
    return unflatten(flat) if worthwhile else Draft.of(program)


def _rewrite(flat: Flat, pair: RotatedPair, c: Atom, total: Atom, difference: Atom) -> None:
    a, b = (pair.x.a, pair.x.first), (pair.x.b, not pair.x.second)  # x = a c − b s
    k = flat.add(Op.MUL, [(flat.add(Op.ADD, [a, b]), False), (c, False)])
    x: list[Item] = [(k, False), (flat.add(Op.MUL, [(b[0], False), (total, False)]), not b[1])]
    y: list[Item] = [(k, False), (flat.add(Op.MUL, [(a[0], False), (difference, False)]), not a[1])]
    flat.rows[pair.x.name].items = x
    flat.rows[pair.y.name].items = [(atom, minus != pair.flipped) for atom, minus in y]


def _pairs(flat: Flat) -> dict[tuple[Atom, Atom], list[RotatedPair]]:
    """The pairs that each angle rotates, by its cosine and sine."""
    halves: dict[tuple[Atom, Atom], dict[tuple[Atom, Atom], Half]] = defaultdict(dict)
    for name, row in flat.of(Op.ADD).items():
        for c, s, half in _halves(flat, name, row.items):
            halves[c, s].setdefault((half.a, half.b), half)
    pairs: dict[tuple[Atom, Atom], list[RotatedPair]] = defaultdict(list)
    for c, s in _turns(flat):
        paired: set[str] = set()
        for (a, b), x in halves[c, s].items():
            y = halves[s, c].get((a, b))
            # a c − b s and a s + b c: of the four signs, one or three are minus
            if y and (x.first != x.second) != (y.first != y.second) and not paired & {x.name, y.name}:
                pairs[c, s].append(RotatedPair(x, y, x.first != y.first))
                paired |= {x.name, y.name}
    return pairs


def _turns(flat: Flat) -> Iterator[tuple[Atom, Atom]]:
    """The cosine and the sine of every angle that has both."""
    sines = {i.args: i.results[0] for i in flat.program.instructions if i.op is Op.SIN}
    for i in flat.program.instructions:
        if i.op is Op.COS and i.args in sines:
            yield i.results[0], sines[i.args]


def _halves(flat: Flat, name: str, items: list[Item]) -> Iterator[tuple[Atom, Atom, Half]]:
    """The sum as ±a c ± b s, with either term first."""
    terms = [term for atom, minus in items for term in _weighted(flat, atom, minus)]
    if len(items) == len(terms) == 2:
        for (a, c, first), (b, s, second) in (terms, terms[::-1]):
            yield c, s, Half(name, a, b, first, second)


def _weighted(flat: Flat, atom: Atom, minus: bool) -> Iterator[tuple[Atom, Atom, bool]]:
    """A term as a constant factor, another factor and a sign; nothing if it is no such product or is read elsewhere."""
    row = flat.rows.get(atom) if isinstance(atom, str) and flat.uses[atom] <= 1 else None
    if row is not None and row.op is Op.MUL and len(row.items) == 2:
        (u, _), (v, _) = row.items
        if flat.is_constant(u) != flat.is_constant(v):
            yield (u, v, minus != row.negative) if flat.is_constant(u) else (v, u, minus != row.negative)


# Merges equal variables: a variable with the fingerprint of an earlier one, or of its negative, is replaced by it.


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
