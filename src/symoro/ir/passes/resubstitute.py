"""Resubstitution: computes a variable by one operation on two other variables of the program, if that saves operations.

Fingerprints (see `ir.signature`) show which variable is the sum, difference or product of two others. In this way
identities are found that no rule contains, such as a sum of squares that a rotation does not change. A replacement is
made if it removes more operations than it adds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from symoro.ir.expr import Op
from symoro.ir.extract import Draft, Pass, rebuilt
from symoro.ir.program import Instruction, Program, Ref
from symoro.ir.signature import PRIME, Signatures, fingerprints

#: Pairs of variables are tried up to this many variables: the work grows with their square.
MOST_VARIABLES = 1500
#: Products of two smaller numbers fit into 64 bits, and the remainder needs no division.
SMALL_PRIME = 2**31 - 1
#: The size of the table that marks the fingerprints that are sought, by their lowest bits.
SLOTS = 2**20
#: The number of rows of the table of all pairs that are computed at once; the order of what is found depends on it.
ROWS = 32

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Replacement:
    """`target` is `first op second`, which saves `gain` operations."""

    gain: int
    target: str
    op: Op
    first: Ref
    second: Ref


@Pass
def resubstitute(program: Program) -> Draft:
    """Replace variables as long as this saves operations."""
    reached = Draft.of(program)
    while True:
        net = _Net(program)
        if len(net.atoms) > MOST_VARIABLES:
            return reached
        chosen = net.independent(sorted(net.findings(), key=lambda one: -one.gain))
        if not chosen:
            return reached
        candidate = rebuilt(_replaced(program, {one.target: one for one in chosen}))
        if candidate.cost[0] >= reached.cost[0]:
            candidate.discard()
            return reached
        program = candidate.write()
        candidate.discard()
        reached = Draft.of(program)


class _Net:
    """The instructions of a program as a network: which variables each one reads, and its fingerprint."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.instructions = {i.results[0]: i for i in program.instructions if len(i.results) == 1}
        self.place = {name: k for k, name in enumerate(self.instructions)}
        reads = [i.reads for i in program.instructions]
        self.reads = {i.results[0]: r for i, r in zip(program.instructions, reads, strict=True) if len(i.results) == 1}
        self.uses = Counter(chain.from_iterable(reads))
        self.uses.update(name for output in program.outputs for name in output.reads)
        self.constants = {p.name for p in program.parameters} | {r for i in program.setup for r in i.results}
        self.atoms = [v.name for v in program.input_variables()] + sorted(self.constants) + list(self.instructions)
        self.signature = fingerprints(program)
        self.cone = self._cones()

    def _cones(self) -> dict[str, int]:
        """For each variable, all variables that it needs, as a set of bits."""
        cones: dict[str, int] = {}
        for name, reads in self.reads.items():
            cone = 1 << self.place[name]
            for other in reads:
                cone |= cones.get(other, 0)
            cones[name] = cone
        return cones

    def dying(self, name: str, kept: int = 0) -> set[str]:
        """The variables that are no longer needed if `name` is computed from the variables in `kept`."""
        gone, pending = {name}, [name]
        released: dict[str, int] = {}
        while pending:
            for other in self.reads.get(pending.pop(), ()):
                times = released[other] = released.get(other, 0) + 1
                if other in self.place and times == self.uses[other] and not kept >> self.place[other] & 1:
                    gone.add(other)
                    pending.append(other)
        return gone

    def _reads_alone(self, name: str) -> bool:
        """Whether something else dies with the variable: what it reads and nothing else does."""
        reads = self.reads[name]
        return any(other in self.place and reads.count(other) == self.uses[other] for other in reads)

    def findings(self) -> Iterator[Replacement]:
        """Every replacement by one operation that saves operations."""
        targets = self._targets()
        value = self.signature
        for kind, i, k in self._promising(targets):
            b, c = self.atoms[i], self.atoms[k]
            x, y = value[b], value[c]
            if kind == 0:
                yield from self._judged(targets.get((x + y) % PRIME, []), Op.ADD, b, Ref(c))
            elif kind == 1:
                yield from self._judged(targets.get((x - y) % PRIME, []), Op.ADD, b, Ref(c, True))
            else:
                yield from self._judged(targets.get(x * y % PRIME, []), Op.MUL, b, Ref(c))

    def _promising(self, targets: dict[int, list[tuple[str, bool]]]) -> Iterator[tuple[int, int, int]]:
        """Pairs whose sum (0), difference (1) or product (2) is a target modulo a small prime, found by NumPy."""
        small = Signatures(self.program, SMALL_PRIME).of
        known = np.array([small[name] for name in self.atoms], dtype=np.int64)
        names = {name for sums in targets.values() for name, _ in sums}
        wanted = np.array([sign * small[name] % SMALL_PRIME for name in names for sign in (1, -1)], dtype=np.int64)
        marked = np.zeros(SLOTS, dtype=bool)
        marked[wanted % SLOTS] = True
        for start in range(0, len(known), ROWS):
            rows, columns = known[start : start + ROWS, None], known[start:]
            combinations = _reduced(rows + columns), _reduced(rows - columns + SMALL_PRIME), _product(rows, columns)
            for kind, values in enumerate(combinations):
                for place in np.flatnonzero(marked[values & (SLOTS - 1)]).tolist():
                    i, k = divmod(place, len(columns))
                    if i <= k:
                        yield kind, start + i, start + k

    def _targets(self) -> dict[int, list[tuple[str, bool]]]:
        """The variables whose replacement could save operations, by their fingerprint and by its negative."""
        targets: dict[int, list[tuple[str, bool]]] = defaultdict(list)
        for name, instruction in self.instructions.items():
            if instruction.op in (Op.ADD, Op.MUL) and self._reads_alone(name):
                targets[self.signature[name]].append((name, False))
                targets[-self.signature[name] % PRIME].append((name, True))
        return targets

    def _judged(self, targets: list[tuple[str, bool]], op: Op, b: str, c: Ref) -> Iterator[Replacement]:
        kept = self.cone.get(b, 0) | self.cone.get(c.name, 0)
        for target, negative in targets:
            if kept >> self.place[target] & 1:
                continue  # the replacement would need the variable itself
            gain = len(self.dying(target, kept)) - (0 if {b, c.name} <= self.constants else 1)
            if gain > 0:
                yield Replacement(gain, target, op, Ref(b, negative), -c if negative and op is Op.ADD else c)

    def independent(self, findings: list[Replacement]) -> list[Replacement]:
        """Replacements that can be made together: none needs a variable that another one replaces or removes."""
        chosen: list[Replacement] = []
        needed, gone, targets = 0, 0, 0
        for replacement in findings:
            cone = self.cone.get(replacement.first.name, 0) | self.cone.get(replacement.second.name, 0)
            target = 1 << self.place[replacement.target]
            dying = sum(1 << self.place[name] for name in self.dying(replacement.target, cone))
            if cone & (targets | gone) or needed & (target | dying) or gone & dying:
                continue
            chosen.append(replacement)
            needed, gone, targets = needed | cone, gone | dying, targets | target
        return chosen


def _reduced(x: IntArray) -> IntArray:
    """x modulo the small prime 2³¹ − 1 (2³¹ is 1 there), which is faster than a division."""
    high = x >> 31
    high += x & SMALL_PRIME
    return high


def _product(x: IntArray, y: IntArray) -> IntArray:
    return _reduced(_reduced(x * y))


def _replaced(program: Program, replacements: Mapping[str, Replacement]) -> Program:
    """The program with the replaced instructions, in an order in which each follows those that it reads."""
    changed = []
    for i in program.instructions:
        new = replacements.get(i.results[0])
        changed.append(i if new is None else replace(i, op=new.op, args=(new.first, new.second)))
    return replace(program, instructions=tuple(_in_order(changed)))


def _in_order(instructions: list[Instruction]) -> Iterator[Instruction]:
    """The instructions, each after those that it reads."""
    by_result = {r: i for i in instructions for r in i.results}
    done: set[str] = set()
    for root in instructions:
        pending = [root]
        while pending:
            i = pending[-1]
            waiting = [by_result[n] for n in i.reads if n in by_result and n not in done]
            if waiting and i.results[0] not in done:
                pending += waiting
                continue
            pending.pop()
            if i.results[0] not in done:
                done.update(i.results)
                yield i
