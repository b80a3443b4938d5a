"""Parameters that a program reads although its outputs do not depend on them.

An algorithm may add a parameter in one place and subtract it in another. Such a parameter costs operations, and a large
number for it costs accuracy. The outputs are the same for all its values, so that it is replaced by a constant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.ir.replay import Replay

_STATES, _SEED, _SMALL = 3, 7, 1e-9
#: How far values are varied about known numbers.
_NEAR = 0.03


@dataclass(frozen=True, slots=True)
class Around:
    """Where a program is looked at, if it has no numbers at arbitrary inputs: its states, and values to stay near.

    Parameters without a number here may have any.
    """

    states: Sequence[Mapping[str, NDArray[Any]]]
    numbers: Mapping[str, float]


def without_idle_parameters(program: Program, around: Around | None = None) -> Program:
    """The same function without the parameters that have no effect, in the states of `around` if it is given."""
    idle = idle_parameters(program, around)
    for value in (0, 1):
        try:
            return _folded(program, idle, value) if idle else program
        except ProgramError:  # the program divides by what became 0
            continue
    return program


def idle_parameters(program: Program, around: Around | None = None) -> tuple[str, ...]:
    """The parameters on which no output depends, at random inputs and values of the parameters, or near those given.

    Outputs are analytic functions of the parameters almost everywhere: what has no effect there has none at all.
    """
    names = [p.name for p in program.parameters]
    if not names:
        return ()
    rng = np.random.default_rng(_SEED)
    # Each row of a parameter is a run: in run k, parameter k has another value; in the last run all have the first.
    first, other = rng.uniform(0.4, 1.6, (2, len(names)))
    if around:
        known = np.array([around.numbers.get(name, np.nan) for name in names])
        near = [known + _NEAR * x * np.where(known == 0, 1.0, known) for x in (first - 1, other)]
        first, other = np.where(np.isnan(known), (first, other), near)
    runs = np.where(np.eye(len(names) + 1, len(names), dtype=bool), other, first)
    moved = np.zeros(len(names), dtype=bool)
    for given in around.states if around else [{}] * _STATES:
        state = {array.name: rng.uniform(-1.0, 1.0, array.shape) for array in program.inputs} | dict(given)
        inputs = {name: np.broadcast_to(x, (len(runs), *x.shape)) for name, x in state.items()}
        values: dict[str, Any] = {name: runs[:, k] for k, name in enumerate(names)}
        moved |= _changes(evaluate(program, inputs, values))
        if moved.all():
            return ()
    return tuple(name for name, has_effect in zip(names, moved, strict=True) if not has_effect)


def _changes(outputs: dict[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Whether an output of a run differs from the last run; one that is not a number does."""
    found = None
    for values in outputs.values():
        if not values.size:
            continue
        flat = values.reshape(len(values), -1)
        with np.errstate(all="ignore"):
            small = np.abs(flat[:-1] - flat[-1]) <= _SMALL * (1 + np.abs(flat[-1]).max())
        differs = ~small.all(axis=1)
        found = differs if found is None else found | differs
    return np.zeros(0, dtype=bool) if found is None else found


def _folded(program: Program, names: tuple[str, ...], value: int) -> Program:
    graph = Graph(cancel=True)
    results = Replay(program, graph, dict.fromkeys(names, graph.lift(value))).results()
    left = [p for p in program.parameters if p.name not in names]
    return extract(graph, program.inputs, left, results)
