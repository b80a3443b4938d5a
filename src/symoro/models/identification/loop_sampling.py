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
_WAYS, _STEPS, _STRIDE, _JUMP = 24, 8, 0.8, 0.05
_ENOUGH = 60
_WIDTHS = (1.0, 0.5, 0.2)
_STARTS, _MOST_BRANCHES, _SINGULAR = 256, 40, 1e-2


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
        """D of the tree's joints and G, as functions of q and of the active joints' motion."""
        s = in_motion(self.s)
        motion = accelerated(s)

        def entry(key: Key) -> dict[int, Expr]:
            if key[0] not in INERTIAL:
                return drive_column(s, key)
            return dict(at_joints(s, key[1], *unit_wrench(motion, key)))

        D = matrix_result(s, "D", self.columns, entry, "K97:39")
        G = tuple(x for row in self.constraints.G for x in row)
        results = [D, Result("G", (len(s.movable), len(s.driven)), G, ())]
        arrays = inputs(self.s, ("q", "driven qd", "driven qdd", "V0", "VP0"))
        return extract(s.graph, arrays, map(Variable, s.parameter_names), results)

    def assembler(self, numbers: Mapping[str, float], every_joint: bool) -> Assembler:
        return numeric_assembler(self.s, self.constraints.rows, every_joint, numbers)

    def starts(self, numbers: Mapping[str, float], seed: int = 2) -> Array:
        """Closed configurations of different branches, none near a singular one, those nearest to zero first."""
        every = self.assembler(numbers, every_joint=True)
        wide = every.starts(np.zeros(0), np.random.default_rng(seed), _STARTS)
        q, closed = every.newton(wide * np.resize(_WIDTHS, (_STARTS, 1)))
        q = q[closed]
        q = q[_regular(self.assembler(numbers, every_joint=False), q)]
        return q[np.argsort(np.abs(q).sum(axis=1))][:_MOST_BRANCHES]

    def closed_near(self, q: Array, numbers: Mapping[str, float]) -> Array | None:
        """The closed configuration of other numbers next to one, or None."""
        found, closed = self.assembler(numbers, every_joint=True).newton(q[None])
        return found[0] if closed[0] and np.abs(found[0] - q).max() < 1.0 else None

    def family(self, start: Array, numbers: Mapping[str, float]) -> Array:
        """Configurations that the active joints reach from a closed one without leaving its branch."""
        found = np.zeros((0, len(start)))
        for stride in (_STRIDE, _STRIDE / 4, _STRIDE / 16):  # shorter where the branch ends nearby
            if len(found) < _ENOUGH:
                found = max(found, self._reached(start, numbers, stride), key=len)
        return found

    def _reached(self, start: Array, numbers: Mapping[str, float], most: float, seed: int = 3) -> Array:
        rng = np.random.default_rng(seed)
        assembler = self.assembler(numbers, every_joint=False)
        active, passive = list(assembler.active), list(assembler.passive)
        q, found = np.repeat(start[None], _WAYS, axis=0), [start[None]]
        stride = rng.uniform(-most, most, (_WAYS, len(active))) / _STEPS
        stride *= [1.0 if assembler.turning[k] else 0.3 * min(1.0, assembler.reach) for k in active]
        for _ in range(_STEPS):
            ahead = q.copy()
            slope = assembler.gap(q).dE
            ahead[:, active] += stride
            right = -slope[:, :, active] @ stride[..., None]
            ahead[:, passive] += (np.linalg.pinv(slope[:, :, passive]) @ right)[..., 0]
            after, closed = assembler.newton(ahead, steps=8)
            good = closed & (np.abs(_short(after - ahead)).max(axis=1) < _JUMP) & _regular(assembler, after)
            q, stride = after[good], stride[good]
            if not len(q):
                break
            found.append(q)
        return np.vstack(found)

    def regressor(self, q: Array, numbers: Mapping[str, float], seed: int = 4) -> tuple[Array, Array]:
        """D_c at random motions of these configurations, and G."""
        rng = np.random.default_rng(seed)
        q = np.resize(q, (max(len(q), 3 * len(self.columns)), q.shape[1]))
        states = {a.name: rng.normal(size=(len(q), *a.shape)) for a in self.program.inputs} | {"q": q}
        found = evaluate(self.program, states, {p.name: numbers[p.name] for p in self.program.parameters})
        D = np.einsum("nja,njp->nap", found["G"], found["D"])
        good = np.isfinite(D).all(axis=(1, 2))
        rows = D[good].reshape(-1, D.shape[-1])
        return rows[rng.permutation(len(rows))[: 3 * rows.shape[1]]], found["G"][good]


def _regular(assembler: Assembler, q: Array) -> Array:
    """Where the passive joints follow the active ones without much loss of digits."""
    values = np.linalg.svd(assembler.gap(q).dE[:, :, list(assembler.passive)], compute_uv=False)
    regular: Array = values[:, -1] > _SINGULAR * values[:, 0]
    return regular


def _short(gap: Array) -> Array:
    """Angles by their shorter way; slides are far below a turn."""
    turned: Array = np.remainder(gap + np.pi, 2 * np.pi) - np.pi
    return turned
