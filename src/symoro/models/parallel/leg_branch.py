"""One branch of a leg: its joints as sines, cosines and lengths, those that follow by closed loops among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.models.loops.analytic import Mode, assembled, loops_in_order
from symoro.models.parallel.leg_loops import Following
from symoro.models.parallel.leg_symbols import Pair
from symoro.symbols import Symbols


@dataclass(frozen=True, slots=True)
class LegBranch:
    """The joints of a leg in one branch: cosine and sine of θ of revolute ones, the variable of prismatic ones.

    `ok` is 0 where the branch does not exist.
    """

    turned: Mapping[int, Pair]
    slid: Mapping[int, Expr]
    ok: Expr

    def positions(self, s: Symbols) -> dict[int, Expr]:
        """The variables of the joints."""
        angles = {j: s.graph.atan2(pair[1], pair[0]) - constant_part(s, j) for j, pair in self.turned.items()}
        return {**angles, **self.slid}


def constant_part(s: Symbols, j: int) -> Expr:
    """θ of a revolute joint, r of a prismatic one, where its variable is 0."""
    joint = s.robot.joint(j)
    return s.bind(joint.position, {str(joint.variable): s.graph.zero})


def followed(s: Symbols, branch: LegBranch, following: tuple[Following, ...]) -> LegBranch:
    """The branch with the joints that are sums of others."""
    turned, slid, q = dict(branch.turned), dict(branch.slid), branch.positions(s)
    for row in following:
        rest = s.bind(row.rest)
        if not s.revolute[row.joint]:
            slid[row.joint] = rest + sum((x * q[k] for k, x in row.slopes), s.graph.zero)
            continue
        offset = rest + constant_part(s, row.joint)
        slides = [(k, x) for k, x in row.slopes if k not in branch.turned]
        offset = offset + sum((x * q[k] for k, x in slides), s.graph.zero)
        offset = offset - sum((x * constant_part(s, k) for k, x in row.slopes if k in branch.turned), s.graph.zero)
        pair = s.graph.cos(offset), s.graph.sin(offset)
        for k, x in row.slopes:
            if k in branch.turned:
                pair = _sum_of_angles(pair, branch.turned[k], x)
        turned[row.joint] = pair
    return LegBranch(turned, slid, branch.ok)


def _sum_of_angles(a: Pair, b: Pair, sign: int) -> Pair:
    """Cosine and sine of a ± b."""
    c, s = b[0], b[1] if sign > 0 else -b[1]
    return a[0] * c - a[1] * s, a[1] * c + a[0] * s


def with_loops(s: Symbols, branch: LegBranch) -> Iterator[LegBranch]:
    """The branch with every way to close the loops of the leg, in closed form (K97 § 3.4)."""
    modes = [Mode(branch.positions(s), branch.ok, {}, s.graph.zero)]
    for closed in loops_in_order(s, tuple(modes[0].q)):
        modes = [after for mode in modes for after in assembled(closed, mode, {})]
    for mode in modes:
        new = {j: mode.q[j] for j in s.variables if j not in branch.turned and j not in branch.slid}
        angles = {j: x + constant_part(s, j) for j, x in new.items() if s.revolute[j]}
        pairs = {j: (s.graph.cos(x), s.graph.sin(x)) for j, x in angles.items()}
        slides = {j: x for j, x in new.items() if j not in pairs}
        yield LegBranch({**branch.turned, **pairs}, {**branch.slid, **slides}, mode.ok)
