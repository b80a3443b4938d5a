"""Algebra on sums and products: factoring, sharing, writing sums out, over tables of rows of any length."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from heapq import heapify, heappop, heappush
from itertools import chain, combinations
from zlib import crc32

from symoro.ir.expr import Constant, Expr, Op
from symoro.ir.extract import Draft, Pass, Replay, draft, of_the_last
from symoro.ir.graph import Graph
from symoro.ir.program import Instruction, Literal, Operand, Program

# The sums and products of a program as a table of rows of any length, which algebraic passes rewrite.


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
    _new_names: int = 0

    def add(self, op: Op, items: list[Item]) -> str:
        """A new row under a new name."""
        self._new_names += 1
        name = f"%new{self._new_names}"
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


# Factoring and sharing: a*b + a*c becomes a*(b + c), and a part of two sums or two products is computed once.


Pair = tuple[Atom, Atom, bool]
"""Two terms up to a common sign (True: their signs differ), or two factors."""


@Pass
def factor_and_share(program: Program, seed: int = 0) -> Draft:
    """One round: flatten, factor each sum, then share pairs of terms and pairs of factors.

    If several choices are equally good, the seed decides; another seed may give a lower count.
    """
    return shortened(flatten(program), seed)


def shortened(flat: Flat, seed: int) -> Draft:
    """Factor and share a table; return its program."""
    distribute(flat)
    factor(flat, seed)
    share(flat, Op.ADD, seed)
    share(flat, Op.MUL, seed)
    return unflatten(flat)


def order(seed: int, thing: object) -> int:
    """A number that orders equally good choices in an arbitrary but repeatable way."""
    return crc32(f"{seed}{thing}".encode())


# constant factors: they depend on parameters only, so that their products are computed once, in the setup


def distribute(flat: Flat) -> None:
    """p*(a*x + b*y) becomes (p*a)*x + (p*b)*y where p, a and b are constant: then p*a and p*b are too."""
    for row in list(flat.of(Op.MUL).values()):
        constants = [item for item in row.items if flat.is_constant(item[0])]
        inner = next((atom for atom, _ in row.items if _own_weighted_sum(flat, atom)), None) if constants else None
        if inner is not None:
            row.items = [item for item in row.items if item not in constants]
            terms = flat.rows[str(inner)]
            terms.items = [(_weighted_by(flat, atom, constants), negative) for atom, negative in terms.items]


def _own_weighted_sum(flat: Flat, atom: Atom) -> bool:
    """Whether this is a sum that is read once and that has a constant factor in each of its terms."""
    if not isinstance(atom, str) or flat.uses[atom] > 1 or flat.is_constant(atom):
        return False
    row = flat.rows.get(atom)
    return row is not None and row.op is Op.ADD and all(_weighted(flat, term) for term, _ in row.items)


def _weighted(flat: Flat, atom: Atom) -> bool:
    """Whether a term has a constant factor."""
    product = _own_product(flat, atom)
    return any(flat.is_constant(a) for a, _ in ([(atom, False)] if product is None else product.items))


def _weighted_by(flat: Flat, atom: Atom, constants: list[Item]) -> Atom:
    """A term times constant factors, which join its own."""
    if flat.is_constant(atom):
        return flat.add(Op.MUL, [(atom, False), *constants])
    flat.rows[str(atom)].items += constants
    return atom


# factoring


def factor(flat: Flat, seed: int = 0) -> None:
    """In every sum, take out the factor that most of its terms have, as long as two terms have the same factor."""
    pending = list(flat.of(Op.ADD))
    for name in pending:
        flat.rows[name].items = collect(flat, flat.rows[name].items)
    while pending:
        name = pending.pop()
        row = flat.rows[name]
        best = _most_common_factor(flat, row, seed)
        if best is not None:
            pending += [_take_out(flat, row, best), name]


def _most_common_factor(flat: Flat, row: Row, seed: int) -> Atom | None:
    """The factor that saves most multiplications, if it saves any.

    It saves one for each term that has it. A constant factor saves none in a term with another constant factor, because
    the product of the two is computed in the setup.
    """
    saved: Counter[Atom] = Counter()
    for atom, _ in row.items:
        product = _own_product(flat, atom)
        if product is not None and not all(flat.is_constant(a) for a, _ in product.items):
            constants = {a for a, _ in product.items if flat.is_constant(a)}
            saved.update({a for a, _ in product.items if len(constants) < 2 or a not in constants})
    most = max(saved.values(), default=0)
    if most < 2:
        return None
    best = [atom for atom, many in saved.items() if many == most]
    return max(best, key=lambda atom: (not flat.is_constant(atom), order(seed, atom)))


def collect(flat: Flat, items: list[Item]) -> list[Item]:
    """The terms with equal ones written as one product, and without those that cancel."""
    times: Counter[Atom] = Counter()
    for atom, negative in items:
        times[atom] += -1 if negative else 1
    if len(times) == len(items):
        return items
    return [_term(flat, atom, n) for atom, n in times.items() if n]


def _term(flat: Flat, atom: Atom, n: int) -> Item:
    if abs(n) == 1:
        return atom, n < 0
    return flat.add(Op.MUL, [(Constant(Fraction(abs(n))), False), (atom, False)]), n < 0


def _own_product(flat: Flat, atom: Atom) -> Row | None:
    """The row of a term that is a product and that only this sum reads; else None."""
    if isinstance(atom, str) and atom in flat.rows and flat.uses[atom] <= 1:
        row = flat.rows[atom]
        return row if row.op is Op.MUL else None
    return None


def _take_out(flat: Flat, row: Row, best: Atom) -> str:
    """best*x + best*y + z becomes best*(x + y) + z; the name of the inner sum."""
    inner: list[Item] = []
    kept: list[Item] = []
    for atom, negative in row.items:
        product = _own_product(flat, atom)
        if product is None or (best, False) not in product.items:
            kept.append((atom, negative))
            continue
        rest = list(product.items)
        rest.remove((best, False))
        sign = negative != product.negative
        inner.append((rest[0][0] if len(rest) == 1 else flat.add(Op.MUL, rest), sign))
        del flat.rows[str(atom)]
    sum_name = flat.add(Op.ADD, inner)
    row.items = [*kept, (flat.add(Op.MUL, [(best, False), (sum_name, False)]), False)]
    return sum_name


# sharing


def share(flat: Flat, op: Op, seed: int = 0) -> None:
    """Compute the pair that occurs in most rows in a row of its own; repeat while a pair occurs in two rows."""
    table = _Shared(flat, op, seed)
    while table.heap:
        count, _, _, pair = heappop(table.heap)
        names = table.where[pair]
        if len(names) < 2 or all(flat.is_constant(atom) for atom in pair[:2]):
            continue
        if len(names) != -count:  # it occurs in fewer rows than when it was put into the heap
            table.push(pair)
            continue
        new = flat.add(op, [(pair[0], False), (pair[1], pair[2])])
        for name in sorted(names):
            table.replace(name, flat.rows[name], pair, new)


class _Shared:
    """In which rows each pair occurs. The heap has every pair of several rows, with at least as many as there are."""

    def __init__(self, flat: Flat, op: Op, seed: int) -> None:
        self.seed = seed
        self.where: dict[Pair, set[str]] = defaultdict(set)
        self.ranks: dict[Pair, tuple[int, str]] = {}
        self.heap: list[tuple[int, int, str, Pair]] = []
        for name, row in flat.of(op).items():
            for pair in _pairs(row.items):
                self.where[pair].add(name)
        self.heap = [self.entry(pair) for pair, names in self.where.items() if len(names) > 1]
        heapify(self.heap)

    def entry(self, pair: Pair) -> tuple[int, int, str, Pair]:
        rank = self.ranks.get(pair)
        if rank is None:
            text = str(pair)
            rank = self.ranks[pair] = order(self.seed, text), text
        return -len(self.where[pair]), *rank, pair

    def push(self, pair: Pair) -> None:
        heappush(self.heap, self.entry(pair))

    def replace(self, name: str, row: Row, pair: Pair, new: str) -> None:
        """Put the new row into another one, in the place of the pair; other pairs of that row stay as they are."""
        old, row.items = row.items, _replace(row.items, pair, new)
        for gone in _pairs_with(old, pair[:2]):
            self.where[gone].discard(name)
        for fresh in _pairs_with(row.items, (*pair[:2], new)):
            self.where[fresh].add(name)
            if len(self.where[fresh]) > 1:
                self.push(fresh)


def _pairs(items: list[Item]) -> Iterator[Pair]:
    for (a, s), (b, t) in combinations(items, 2):
        yield _pair(a, b, s != t)


def _pairs_with(items: list[Item], atoms: tuple[Atom, ...]) -> Iterator[Pair]:
    """The pairs that have one of these atoms."""
    marked = [(a, s, a in atoms) for a, s in items]
    for (a, s, first), (b, t, second) in combinations(marked, 2):
        if first or second:
            yield _pair(a, b, s != t)


def _pair(a: Atom, b: Atom, differ: bool) -> Pair:
    return (a, b, differ) if str(a) <= str(b) else (b, a, differ)


def _replace(items: list[Item], pair: Pair, new: str) -> list[Item]:
    """The items with one occurrence of the pair replaced by the new row."""
    first, second, differ = pair
    for i, (a, s) in enumerate(items):
        if a != first:
            continue
        for k, (b, t) in enumerate(items):
            if i != k and b == second and (s != t) == differ:
                return [item for n, item in enumerate(items) if n not in (i, k)] + [(new, s)]
    raise AssertionError("the pair is in the row")


# Writes sums out and shares them again.
#
# Terms that one sum adds and another subtracts vanish; pairs of terms that several sums have are added once. The choice
# is greedy: the most frequent pair comes first.


#: Sums are written out up to this length, so that the time stays linear in the size of the program.
MOST_TERMS = 12


@Pass
def expand_and_share(program: Program, seed: int = 0, most: int = MOST_TERMS) -> Draft:
    """Write out the variables inside sums that are sums themselves, then factor and share."""
    flat = flatten(program)
    _expand(flat, most)
    _drop_unread(flat)
    flat.count_uses(_reads(flat).values())
    return shortened(flat, seed)


def _expand(flat: Flat, most: int) -> None:
    for row in list(flat.rows.values()):  # in order: the rows that a row reads are written out already
        if row.op is not Op.ADD:
            continue
        items = _written_out(flat, row.items)
        if len(items) <= most:
            row.items = items


def _written_out(flat: Flat, items: list[Item]) -> list[Item]:
    """The items with the sums among them written out, and equal terms as one product."""
    terms: list[Item] = []
    for atom, negative in items:
        inner = flat.rows.get(atom) if isinstance(atom, str) else None
        if inner is not None and inner.op is Op.ADD:
            terms += [(a, n != negative) for a, n in inner.items]
        else:
            terms.append((atom, negative))
    return collect(flat, terms)


def _reads(flat: Flat) -> dict[str, list[str]]:
    """Each variable, with the variables that it reads."""
    reads = {name: [a for a, _ in row.items if isinstance(a, str)] for name, row in flat.rows.items()}
    for i in (*flat.program.setup, *flat.program.instructions):
        if i.op not in (Op.ADD, Op.MUL):
            reads |= dict.fromkeys(i.results, i.reads)
    return reads


def _drop_unread(flat: Flat) -> None:
    """Remove the rows that no output needs any more."""
    reads = _reads(flat)
    pending = [name for output in flat.program.outputs for name in output.reads]
    pending += [name for name in reads if name not in flat.rows]  # other instructions are kept
    needed: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += reads.get(name, [])
    for name in [n for n in flat.rows if n not in needed]:
        del flat.rows[name]
