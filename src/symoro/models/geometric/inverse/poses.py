"""Poses that a chain reaches, for the self-tests of generated code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symoro.interface import inputs, parameters, robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import extract
from symoro.models.geometric.inverse.branches import end_pose
from symoro.models.geometric.inverse.closed import Closed, value

#: As many as the self-test chooses from, and never at the limits of the workspace.
COUNT = 64


def reachable(closed: Closed, order: Sequence[int], seed: int = 0) -> Mapping[str, NDArray[np.float64]]:
    """T and the given joints at random configurations, `near` for the joints in `order`.

    Nothing where a parameter has no number.
    """
    s = closed.chain.symbols
    made = end_pose(closed.chain, {a.joint: value(closed.chain, a.joint, s.q[a.joint]) for a in closed.chain.axes})
    program = extract(s.graph, inputs(s, ("q",)), parameters(s), [made])
    numbers = robot_numbers(s.robot)
    if any(p.name not in numbers for p in program.parameters):
        return {}
    q = np.random.default_rng(seed).uniform(-1.2, 1.2, (COUNT, len(s.variables)))
    T = evaluate(program, {"q": q}, {p.name: numbers[p.name] for p in program.parameters})["T"]
    given = {"r": q[:, [s.variables.index(j) for j in closed.given]]} if closed.given else {}
    given |= {"r": q[:, :1]} if closed.arm else {}
    return {"T": T, "near": np.zeros((COUNT, len(order)))} | given
