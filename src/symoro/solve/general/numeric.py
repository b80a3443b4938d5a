"""A chain as numbers, for the general method: pose = links[0] Z1 links[1] … Zn links[n]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import MissingParameter
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.program import Program, Variable
from symoro.models.geometric.inverse.chain import Axis, ScrewChain, matrix
from symoro.solve.general.chain import GivenJoint, links_at

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Displacements:
    """The kinds of the joints that are unknown, R or P, and the fixed displacements between them.

    The joints that are given are at zero; `redundant` has them in the order of the chain.
    """

    joints: tuple[int, ...]
    kinds: str
    links: Array
    redundant: tuple[GivenJoint, ...] = ()

    def at(self, r: Array) -> Array:
        """The links with the given joints at r."""
        return links_at(self.links, self.redundant, r) if self.redundant else self.links


class NumericChain:
    """The constants of a chain, which are computed for given parameters."""

    def __init__(self, chain: ScrewChain) -> None:
        self.chain = chain
        A, P = chain.start
        B, Q = chain.end
        poses = [*(x for row in A for x in row), *P, *(x for row in B for x in row), *Q]
        self.program = _constants(chain, [*poses, *(x for s in chain.exact for x in (s.turn, s.shift))])

    def displacements(self, parameters: Mapping[str, float], redundant: Sequence[int]) -> Displacements:
        """The links for these parameters; joints that are given, in the order of r, are inside a link."""
        missing = [p.name for p in self.program.parameters if p.name not in parameters]
        if missing:
            raise MissingParameter(missing)
        numbers = evaluate(self.program, {}, {p.name: parameters[p.name] for p in self.program.parameters})["x"]
        start, end, screws = _pose(numbers[:12]), _pose(numbers[12:24]), numbers[24:].reshape(-1, 2)
        joints, links, fixed = [], [start], []
        for screw, (turn, shift) in zip(self.chain.exact, screws, strict=True):
            links[-1] = links[-1] @ matrix(screw.axis, turn, shift)
            if screw.joint in redundant:
                fixed.append(self._given_joint(screw.joint, redundant.index(screw.joint), links))
            elif screw.joint:
                joints.append(screw.joint)
                links.append(np.eye(4))
        links[-1] = links[-1] @ end
        kinds = "".join("P" if self.chain.axis(j).prismatic else "R" for j in joints)
        return Displacements(tuple(joints), kinds, np.array(links), tuple(fixed))

    def _given_joint(self, joint: int, place: int, links: Sequence[Array]) -> GivenJoint:
        """A given joint at the end of the last link so far."""
        axis = self.chain.axis(joint)
        kind = "P" if axis.prismatic else "R"
        return GivenJoint(place, kind, _slope(axis, joint), len(links) - 1, links[-1])

    def motions(self, joints: Sequence[int], q: Array) -> Array:
        """The motions along and about the axes of these joints, (n, joints), for q (n, joints) in index order."""
        place = {j: k for k, j in enumerate(sorted(axis.joint for axis in self.chain.axes))}
        axes = [self.chain.axis(j) for j in joints]
        return np.stack([sum(_slope(axis, k) * q[:, place[k]] for k in axis.slopes) for axis in axes], axis=1)

    def positions(self, joints: Sequence[int], motions: Array, known: Mapping[int, float]) -> Array:
        """q of all joints in index order, (n, joints), from the motions along and about the axes."""
        q = {j: np.full(len(motions), x) for j, x in known.items()}
        waiting = dict(zip(joints, motions.T, strict=True))
        while waiting:
            ready = (j for j in waiting if all(k in q for k in self.chain.axis(j).slopes if k != j))
            j = next(ready, None)
            if j is None:
                q |= self._together(waiting, q)
                break
            axis, x = self.chain.axis(j), waiting.pop(j)
            rest = sum((_slope(axis, k) * q[k] for k in axis.slopes if k != j), np.zeros(len(motions)))
            wrapped = x - rest if axis.prismatic else (x - rest + np.pi) % (2 * np.pi) - np.pi
            q[j] = wrapped / _slope(axis, j)
        return np.stack([q[j] for j in sorted(q)], axis=1)

    def _together(self, moved: Mapping[int, Array], q: Mapping[int, Array]) -> dict[int, Array]:
        """q of joints each of which moves with the variables of others."""
        axes, rows = [self.chain.axis(j) for j in moved], []
        for axis, x in zip(axes, moved.values(), strict=True):
            rest = x - sum(_slope(axis, k) * q[k] for k in axis.slopes if k in q)
            rows.append(rest if axis.prismatic else (rest + np.pi) % (2 * np.pi) - np.pi)
        slopes = [[_slope(axis, k) if k in axis.slopes else 0.0 for k in moved] for axis in axes]
        return dict(zip(moved, np.linalg.solve(slopes, rows), strict=True))


def _slope(axis: Axis, joint: int) -> float:
    constant = axis.slopes[joint].constant
    assert constant is not None  # see `chain`
    return float(constant)


def _constants(chain: ScrewChain, exprs: Sequence[Expr]) -> Program:
    s = chain.symbols
    return extract(s.graph, (), map(Variable, s.parameter_names), [Result("x", (len(exprs),), tuple(exprs), ())])


def _pose(numbers: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
    return pose
