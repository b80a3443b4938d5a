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
from symoro.identification.subject.standard import without_a_place
from symoro.motion.trajectory import Trajectory

# The methods of identification by their names.


BY_TRIANGLES: dict[str, Callable[..., Estimate]] = {"ols": ordinary, "wls": weighted, "tls": total}
"""Methods that need the triangular factors of the rows alone; they take the blocks of time, too."""
SIMULATING = {"iv": instrumental, "didim": direct_and_inverse, "cloe": output_error}
"""Methods that simulate the robot under its controller."""
METHODS = ("ols", "wls", "irls", "tls", *SIMULATING)
"""All methods; irls, which is robust, needs the rows themselves."""


# Estimates of methods that simulate the robot under its controller, with what these methods need.


def closed_loop_of(regression: Regression, method: str, controller: Any, reference: Any) -> ClosedLoop:
    """The closed loop that a method simulates; an error where something that it needs is missing."""
    from symoro.motion.controller import Controller

    _require_simulation(regression, method)
    run = regression.runs[0]
    wanted = wanted_motion(regression.subject, run) if reference is None and "wanted" in run else reference
    if not (isinstance(controller, Controller) or callable(controller)) or not isinstance(wanted, Trajectory):
        raise OptionError("estimates.needs_controller", method=method)
    _require_torques(controller, wanted, len(regression.subject.motors))
    return ClosedLoop(regression.subject, controller, wanted, run.period, run.count)


def simulated(regression: Regression, method: str, loop: ClosedLoop) -> Estimate:
    """The estimate of a method that simulates the closed loop."""
    run = regression.runs[0]
    estimate = SIMULATING[method](regression.terms, run, regression.how, loop)
    return replace(estimate, notes=(*estimate.notes, *begins_elsewhere(loop, run)))


def _require_simulation(regression: Regression, method: str) -> None:
    """An error where the robot or its data cannot be simulated."""
    subject = regression.subject
    if len(regression.runs) != 1 or regression.laws or subject.robot.cuts or subject.has_free_base:
        raise OptionError("estimates.one_run_of_a_tree", method=method)
    if regression.how.model != "dynamic":
        raise OptionError("estimates.needs_dynamic", method=method)
    if lost := without_a_place(name for name in regression.terms.names if name not in subject.inertial):
        raise OptionError("estimates.not_in_drives", method=method, names=lost)


def _require_torques(controller: Any, wanted: Trajectory, motors: int) -> None:
    """An error where a controller of Python does not give a torque for each motor."""
    from symoro.motion.controller import Controller

    if isinstance(controller, Controller):
        return
    q, qd, _ = wanted(0.0)
    try:
        torques = np.asarray(controller(0.0, q, qd), dtype=float)
    except (TypeError, ValueError) as error:
        raise OptionError("estimates.not_a_controller", reason=str(error)) from None
    if torques.shape != (motors,) or not np.isfinite(torques).all():
        raise OptionError("estimates.torques_of_controller", torques=f"{torques!r:.60}", motors=motors)
