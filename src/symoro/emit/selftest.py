"""The cases of the self-test: random inputs and the outputs of `evaluate`, written beside the generated code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program

Array = NDArray[Any]
#: The tolerance by the precision.
TOLERANCE = {"double": 1e-12, "float": 1e-5}
_CHANGE = 4e-16  # a few units in the last place
CANDIDATES, _PARAMETER_SETS = 64, 4
#: A case is well posed when rounding moves the outputs less than this part of the tolerance. In double precision, the
#: effect of rounding is estimated by a change of the inputs; in single precision it is computed.
_WELL_POSED = {"double": 0.01, "float": 0.1}


@dataclass(frozen=True, slots=True)
class Golden:
    """Parameter values, inputs and outputs (cases, elements) by name, and the tolerance relative to 1 + max|output|."""

    parameters: Mapping[str, float]
    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]
    tolerance: float = TOLERANCE["double"]

    @property
    def cases(self) -> int:
        return len(next(iter(self.outputs.values())))


def golden(
    program: Program,
    defaults: Mapping[str, float],
    cases: int = 20,
    precision: str = "double",
    seed: int = 0,
    inputs: Mapping[str, ArrayLike] | None = None,
) -> Golden:
    """Cases with random inputs, and random numbers for parameters without a default; well-posed cases are preferred.

    `inputs` replaces random inputs by name, (CANDIDATES, ...), for programs that mean something for few inputs only.
    """
    rng = np.random.default_rng(seed)
    best: tuple[float, Golden] | None = None
    for _ in range(_PARAMETER_SETS):
        worst, drawn = _draw(program, defaults, cases, precision, rng, inputs or {})
        if best is None or worst < best[0]:
            best = worst, drawn
        if worst < _WELL_POSED[precision] * TOLERANCE[precision]:
            break
    assert best is not None
    return best[1]


def _draw(
    program: Program,
    defaults: Mapping[str, float],
    cases: int,
    precision: str,
    rng: np.random.Generator,
    fixed: Mapping[str, ArrayLike],
) -> tuple[float, Golden]:
    """The best-posed cases of many candidates for one set of parameters, and the sensitivity of the worst of them."""
    drawn = {p.name: float(rng.uniform(0.5, 1.5)) for p in program.parameters}
    parameters = {name: float(defaults.get(name, value)) for name, value in drawn.items()}
    inputs = {i.name: rng.uniform(-1.5, 1.5, (CANDIDATES, *i.shape)) for i in program.inputs}
    inputs |= {name: np.asarray(array, dtype=float) for name, array in fixed.items()}
    reference = _rows(program, inputs, parameters)
    moved = _rounded(program, inputs, parameters, precision, rng)
    posed = np.max([_distance(moved[o], reference[o]) for o in reference] or [np.zeros(CANDIDATES)], axis=0)
    chosen = np.sort(np.argsort(posed, kind="stable")[:cases])
    worst = float(np.max(posed[chosen]))
    least = TOLERANCE[precision]
    tolerance = max(least, worst / _WELL_POSED[precision]) if np.isfinite(worst) else least
    flat = {name: a.reshape(CANDIDATES, -1)[chosen] for name, a in inputs.items()}
    return worst, Golden(parameters, flat, {o: a[chosen] for o, a in reference.items()}, tolerance)


def _rounded(
    program: Program,
    inputs: Mapping[str, Array],
    parameters: Mapping[str, float],
    precision: str,
    rng: np.random.Generator,
) -> dict[str, Array]:
    """The outputs with the errors that rounding may make: in single precision, or for numbers that change a little."""
    if precision == "float":
        return _rows(program, inputs, parameters, np.float32)
    moved = {name: a * (1 + _CHANGE * rng.choice([-1, 1], a.shape)) for name, a in inputs.items()}
    return _rows(program, moved, {name: v * (1 + _CHANGE) for name, v in parameters.items()})


def _rows(
    program: Program, inputs: Mapping[str, Array], parameters: Mapping[str, float], dtype: Any = np.float64
) -> dict[str, Array]:
    """Each output as (candidates, elements)."""
    outputs = evaluate(program, inputs, parameters, dtype)
    return {
        o.name: np.broadcast_to(outputs[o.name].reshape(-1, len(o.elements)), (CANDIDATES, len(o.elements)))
        if o.elements
        else np.zeros((CANDIDATES, 0))
        for o in program.outputs
    }


def _distance(results: Array, reference: Array) -> Array:
    """max|found - reference| / (1 + max|reference|) of each case; infinite where a number is not finite."""
    if not reference.shape[1]:
        return np.zeros(len(reference))
    with np.errstate(invalid="ignore"):
        distance = np.abs(results - reference).max(axis=1) / (1 + np.abs(reference).max(axis=1))
    return np.where(np.isfinite(distance), distance, np.inf)
