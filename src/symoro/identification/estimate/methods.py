"""The methods of identification by their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from symoro.errors import OptionError
from symoro.identification.estimate.closed_loop import (
    ClosedLoop,
    begins_elsewhere,
    direct_and_inverse,
    instrumental,
    output_error,
    wanted_motion,
)
from symoro.identification.estimate.estimate import Estimate
from symoro.identification.estimate.least_squares import ordinary, total, weighted
from symoro.identification.estimate.regression import Regression
from symoro.identification.process.measurements import Measurements
from symoro.identification.subject.standard import without_a_place
from symoro.motion.controller import Controller
from symoro.motion.trajectory import Trajectory

# The methods of identification by their names.


BY_TRIANGLES: dict[str, Callable[..., Estimate]] = {"ols": ordinary, "wls": weighted, "tls": total}
"""Methods that need the triangular factors of the rows alone; they take the blocks of time, too."""
SIMULATING = {"iv": instrumental, "didim": direct_and_inverse, "cloe": output_error}
"""Methods that simulate the robot under its controller."""
METHODS = ("ols", "wls", "irls", "tls", *SIMULATING)
"""All methods; irls, which is robust, needs the rows themselves."""


# Estimates of methods that simulate the robot under its controller, with what these methods need.


def closed_loop_of(given: Regression, data: Measurements, method: str, controller: Any, reference: Any) -> ClosedLoop:
    """The closed loop that a method simulates; an error where something that it needs is missing."""
    run = data.runs[0]
    wanted = wanted_motion(given.subject, run) if reference is None and "wanted" in run else reference
    if not (isinstance(controller, Controller) or callable(controller)) or not isinstance(wanted, Trajectory):
        followed = "the reference that it followed: a trajectory, or the channel wanted"
        raise OptionError(f"method={method!r} needs a controller and {followed}")
    _require_simulation(given, data, method)
    _require_torques(controller, wanted, len(given.subject.motors))
    return ClosedLoop(given.subject, controller, wanted, run.period, run.count)


def simulated(given: Regression, method: str, loop: ClosedLoop) -> Estimate:
    """The estimate of a method that simulates the closed loop."""
    run = given.runs[0]
    found = SIMULATING[method](given.terms, run, given.how, loop)
    return replace(found, notes=(*found.notes, *begins_elsewhere(loop, run)))


def _require_simulation(given: Regression, data: Measurements, method: str) -> None:
    """An error where the robot or its data cannot be simulated."""
    if len(data.runs) != 1 or len(given.laws) or given.subject.robot.cuts or given.subject.has_free_base:
        raise OptionError(f"method={method!r} is for one run of a tree on a fixed base, with one law of friction")
    if given.how.model != "dynamic":
        raise OptionError(f"method={method!r} needs model='dynamic'")
    if lost := without_a_place(name for name in given.terms.names if name not in given.subject.inertial):
        raise OptionError(f"method={method!r} simulates the robot, whose drives have no place for {', '.join(lost)}")


def _require_torques(controller: Any, wanted: Trajectory, motors: int) -> None:
    """An error where a controller of Python does not give a torque for each motor."""
    if isinstance(controller, Controller):
        return
    q, qd, _ = wanted(0.0)
    try:
        found = np.asarray(controller(0.0, q, qd), dtype=float)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"controller: this is not a function of time, q and qd that gives torques ({error})"
        ) from None
    if found.shape != (motors,) or not np.isfinite(found).all():
        raise OptionError(f"controller gives {found!r:.60} (allowed: a torque for each of {motors} motors)")
