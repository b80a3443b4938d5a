"""The tracking of one assembly as code: a step of Newton's method and the driver that repeats it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.emit import Source
from symoro.emit.newton import Newton
from symoro.emit.selftest import CANDIDATES
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.passes import optimize
from symoro.ir.program import Input
from symoro.model import Model
from symoro.models.parallel.build import parameters
from symoro.models.parallel.geometry import tracking_step
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.numbers import function_of, home, moved, twist_sizes, variables
from symoro.robot.parallel import ParallelRobot

Array = NDArray[Any]
#: Tracking ends at a step shorter than the first number; the second says how far anything may be away then.
LAST, CLOSED, STEPS = 1e-10, 1e-9, 40
_FREE = 1e6  # steps are not shortened: a pose between two poses is none
_LOST = 10  # starts that are out of reach


def tracking(step: Model, robot: ParallelRobot) -> Source:
    """The step and its driver, for the branches of a model `loop_step`.

    X holds the positions of the motors and twelve numbers of a guess, the first three rows of the pose; these become
    the pose of the assembly.
    """
    m = Mechanism.made(robot, Graph(cancel=True), step.options.get("branch"))
    letters = (*m.of.target, *(x for row in m.of.T.rows[:3] for x in row))
    meaning = Meaning("positions of the motors, then the first three rows of the pose")
    X = Input("X", (len(letters),), variables([letters]), meaning=meaning)  # type: ignore[list-item]
    program = optimize(extract(m.graph, [X], parameters(m.of), tracking_step(m)))
    starts = _starts(m)
    method = Newton("X", "XN", "E", "FIT", (0.0,) * len(letters), CLOSED, _FREE, LAST, STEPS, starts)
    source, name = step.source, step.source.name.replace("loop_step", "forward_geometry")
    return Source(
        program, name, "A step towards positions of the motors", source.defaults, source.about, source.description,
        method, {"X": np.resize(starts[:CANDIDATES], (CANDIDATES, len(letters)))},
    )  # fmt: skip


def _starts(m: Mechanism) -> tuple[tuple[float, ...], ...]:
    """Positions of the motors at poses near home, with the home pose as guess; some are far out of reach."""
    robot, rng = m.of.robot, np.random.default_rng(0)
    at, sizes = home(robot), twist_sizes(robot)
    motors = function_of(m.of, [m.legs[i].s.q[j] for i, j in robot.motors])
    free = function_of(m.of, [x for row in m.S for x in row])(at).reshape(6, -1)
    slide = np.array([robot.legs[i].joint(j).prismatic for i, j in robot.motors])
    found = []
    for k in range(CANDIDATES + _LOST):
        step = free @ (0.05 * rng.uniform(-1, 1, free.shape[1]) * (1 if k < CANDIDATES else 0))
        q = motors(moved(at, step * sizes))
        if k >= CANDIDATES:
            q = q + np.where(slide, 20 * sizes[0] * rng.uniform(2, 3, len(q)), rng.uniform(-3, 3, len(q)))
        if np.isfinite(q).all():
            found.append((*q.tolist(), *at[:3].ravel().tolist()))
    return tuple(found)
