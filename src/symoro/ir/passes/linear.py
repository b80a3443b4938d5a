"""Writes sums out and shares them again.

Terms that one sum adds and another subtracts vanish; pairs of terms that several sums have are added once. The choice
is greedy: the most frequent pair comes first.
"""

from __future__ import annotations

from symoro.ir.draft import Draft
from symoro.ir.ops import Op
from symoro.ir.passes.algebra import collect, shortened
from symoro.ir.passes.drafted import Pass
from symoro.ir.passes.flat import Flat, Item, flatten
from symoro.ir.program import Program

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
