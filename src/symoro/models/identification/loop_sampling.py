"""Numbers of closed loops: families of closed configurations, and the regressor D_c = Gᵀ D_tr at states of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.interface import inputs
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.program import Program, Variable
from symoro.models.dynamic.closed_loop import in_motion
from symoro.models.geometric.assembly import Assembler
from symoro.models.geometric.closing import numeric_assembler
from symoro.models.identification.columns import Column, matrix_result
from symoro.models.identification.regressor import accelerated, at_joints, drive_column, unit_wrench
from symoro.models.identification.regrouping import Key
from symoro.models.identification.structure import INERTIAL
from symoro.models.kinematic.loops import Constraints
from symoro.symbols import Symbols

Array = NDArray[Any]
_WAYS, _STRIDE, _CAREFUL, _WANDER, _JUMP, _NARROW = 24, 0.15, 3.0, 0.3, 0.05, 0.4
_STATES = 4
_WIDTHS = (1.0, 0.5, 0.2)
_STARTS, _MOST_BRANCHES, _SINGULAR, _REGULAR = 256, 40, 1e-3, 1e-2


@dataclass(frozen=True)
class LoopSampling:
    """The equations of a robot's loops and its regressor, for any numbers of its parameters."""

    s: Symbols
    columns: Sequence[Column]

    @cached_property
    def constraints(self) -> Constraints:
        return Constraints(self.s)

    @cached_property
    def program(self) -> Program:
        """D of the tree's joints as a function of q and of the active joints' motion."""
        s = in_motion(self.s)
        motion = accelerated(s)

        def entry(key: Key) -> dict[int, Expr]:
            if key[0] not in INERTIAL:
                return drive_column(s, key)
            return dict(at_joints(s, key[1], *unit_wrench(motion, key)))

        D = matrix_result(s, "D", self.columns, entry, "K97:39")
        arrays = inputs(self.s, ("q", "driven qd", "driven qdd", "V0", "VP0"))
        return extract(s.graph, arrays, map(Variable, s.parameter_names), [D])

    @cached_property
    def projection(self) -> Program:
        """G as a function of q."""
        s = self.s
        G = tuple(x for row in self.constraints.G for x in row)
        results = [Result("G", (len(s.movable), len(s.driven)), G, ())]
        return extract(s.graph, inputs(s, ("q",)), map(Variable, s.parameter_names), results)

    def assembler(self, numbers: Mapping[str, float], every_joint: bool) -> Assembler:
        return numeric_assembler(self.s, self.constraints.rows, every_joint, numbers)

    def starts(self, numbers: Mapping[str, float], seed: int = 2) -> Array:
        """Closed configurations of different branches, none near a singular one, those nearest to zero first."""
        every = self.assembler(numbers, every_joint=True)
        wide = every.starts(np.zeros(0), np.random.default_rng(seed), _STARTS)
        q, closed = every.newton(wide * np.resize(_WIDTHS, (_STARTS, 1)))
        q = q[closed]
        q = q[_margin(self.assembler(numbers, every_joint=False), q) > _REGULAR]
        return q[np.argsort(np.abs(q).sum(axis=1))][:_MOST_BRANCHES]

    def closed_near(self, q: Array, numbers: Mapping[str, float]) -> Array | None:
        """The closed configuration of other numbers next to one, or None."""
        found, closed = self.assembler(numbers, every_joint=True).newton(q[None])
        return found[0] if closed[0] and np.abs(found[0] - q).max() < 1.0 else None

    def family(self, start: Array, numbers: Mapping[str, float], steps: int) -> Array:
        """Closed configurations all over the branch of one, where the passive joints follow the active ones.

        The walk goes along the loops' tangents, whichever joints are active: it passes where a motor is at a dead
        point, and stays off the points where branches meet, at which the loops' rows lose rank.
        """
        rng = np.random.default_rng(3)
        every = self.assembler(numbers, every_joint=True)
        scale = np.array([1.0 if turning else 0.3 * min(1.0, every.reach) for turning in every.turning])
        q = np.repeat(start[None], _WAYS, axis=0)
        way, width = rng.normal(size=q.shape), _margin(every, q)
        found, widths = [q[:1]], [width[:1]]
        for _ in range(steps):
            along = _tangent(every, q, way, scale)
            ahead = q + scale * along * np.minimum(_STRIDE, _CAREFUL * width)[:, None]
            after, closed = every.newton(ahead, steps=5)
            margin = _margin(every, after)
            good = closed & (np.abs(_short(after - ahead)).max(axis=1) < _JUMP) & (margin > _SINGULAR)
            q, width = np.where(good[:, None], after, q), np.where(good, margin, width)
            way = np.where(good[:, None], along, 0.0) + np.where(good[:, None], _WANDER, 1.0) * rng.normal(size=q.shape)
            found.append(q[good])
            widths.append(width[good])
        reached = np.vstack(found)
        narrowest = np.minimum(np.hstack(widths), _margin(self.assembler(numbers, every_joint=False), reached))
        wide: Array = reached[narrowest >= max(_SINGULAR, min(_REGULAR, float(np.quantile(narrowest, _NARROW))))]
        return wide

    def regressor(self, q: Array, numbers: Mapping[str, float], seed: int = 4) -> tuple[Array, Array]:
        """The regressor at random motions of these configurations, and G of all of them.

        A motion has the speed 1 in all joints together and the rows of a configuration are orthonormal combinations
        of those of Gᵀ D_tr: near a dead point the active joints' own would be large and hide the others.
        """
        rng = np.random.default_rng(seed)
        q = np.resize(rng.permutation(q), (_STATES * len(self.columns), q.shape[1]))
        known = {name: numbers[name] for name in self.s.parameter_names}
        states = {a.name: rng.normal(size=(len(q), *a.shape)) for a in self.program.inputs} | {"q": q}
        G = evaluate(self.projection, {"q": q}, known)["G"]
        Q, R = np.linalg.qr(G)
        for name in ("qd", "qdd"):
            states[name] = np.linalg.solve(R, states[name][..., None])[..., 0]
        D = np.einsum("nja,njp->nap", Q, evaluate(self.program, states, known)["D"])
        good = np.isfinite(D).all(axis=(1, 2))
        rows = D[good].reshape(-1, D.shape[-1])
        return rows[rng.permutation(len(rows))[: _STATES * rows.shape[1]]], G[good]


def _tangent(assembler: Assembler, q: Array, way: Array, scale: Array) -> Array:
    """The direction that keeps the loops closed and is nearest to a way."""
    slope = assembler.gap(q).dE * scale
    along = way - (np.linalg.pinv(slope) @ (slope @ way[..., None]))[..., 0]
    direction: Array = along / np.linalg.norm(along, axis=1, keepdims=True)
    return direction


def _margin(assembler: Assembler, q: Array) -> Array:
    """How far configurations are from where the assembler's joints do not determine each other: 0 there, at most 1."""
    values = np.linalg.svd(assembler.gap(q).dE[:, :, list(assembler.passive)], compute_uv=False)
    margin: Array = values[:, -1] / values[:, 0]
    return margin


def _short(gap: Array) -> Array:
    """Angles by their shorter way; slides are far below a turn."""
    turned: Array = np.remainder(gap + np.pi, 2 * np.pi) - np.pi
    return turned
