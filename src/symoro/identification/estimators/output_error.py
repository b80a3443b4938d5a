"""Closed-loop output error: the parameters with which the simulated loop moves and pushes as the robot did.

min over β of Σ ‖(x_s(β) − x) / σ_x‖², where x are the positions and the torques of the motors, and x_s those of the
robot that is simulated under its controller (Walter and Pronzato 1997; Gautier, Janot and Vandanjon 2013). Nothing is
differentiated, and the residual is that of what the controller does, so that noise of positions gives no bias.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import least_squares

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.estimators.closed_loop import NOT_SIMULATED, ClosedLoop
from symoro.identification.estimators.estimate import Estimate, solved
from symoro.identification.estimators.instruments import coloured, direct_and_inverse
from symoro.identification.processing.filtering import decimated
from symoro.identification.processing.processing import Processing
from symoro.identification.recordings.runs import Run
from symoro.identification.rows.terms import Terms

MOST_STEPS = 20
_STEP = 1e-4
"""Least difference of a parameter over its value for the derivatives: simulations that stick are rough below it."""
_LOST = 1e3
"""Residual over its deviation where a simulation diverges."""


def output_error(terms: Terms, run: Run, how: Processing, loop: ClosedLoop) -> Estimate:
    """The estimate, from that of direct and inverse models on."""
    first = direct_and_inverse(terms, run, how, loop)
    problem = OutputError.of(terms, run, how, loop, first)
    start, scale = first.beta, problem.steps
    found = least_squares(
        problem.residual, start, problem.slopes, x_scale=scale, xtol=1e-6, ftol=1e-8, max_nfev=MOST_STEPS
    )
    return problem.estimate(terms, found.x, found.jac, int(found.nfev))


@dataclass(frozen=True)
class OutputError:
    """Measured outputs, their deviations, and the outputs of the simulation for some parameters."""

    measured: Array
    outputs: Callable[[Array], Array | None]
    sigma: Array
    steps: Array
    """Differences of the parameters for the slopes."""

    @classmethod
    def of(cls, terms: Terms, run: Run, how: Processing, loop: ClosedLoop, start: Estimate) -> OutputError:
        """The problem with the deviations of the first parameters."""
        motors, factor = [terms.subject.variables.index(joint) for joint in terms.subject.motors], how.decimation or 1

        def seen(one: Run) -> Array:
            inside = slice(how.border, one.count - how.border)
            return decimated(np.column_stack([one["q"][inside][:, motors], one["tau"][inside]]), factor)

        def outputs(beta: Array) -> Array | None:
            simulated = loop.simulated(terms.by_name(beta))
            return None if simulated is None else seen(simulated)

        measured, first = seen(run), outputs(start.beta)
        if first is None:
            raise DataError(NOT_SIMULATED)
        size = np.maximum(np.std(measured, axis=0), 1e-12)
        steps = np.maximum(start.sigma / 2, _STEP * np.abs(start.beta)) + 1e-12
        return cls(measured, outputs, np.maximum(np.std(first - measured, axis=0), 1e-9 * size), steps)

    def residual(self, beta: Array) -> Array:
        """(x_s − x) / σ_x, far away where the simulation diverges."""
        simulated = self.outputs(beta)
        if simulated is None:
            return np.full(self.measured.size, _LOST)
        return np.asarray(((simulated - self.measured) / self.sigma).ravel())

    def torque_error(self, beta: Array) -> float:
        """‖Γ_s − Γ‖ / ‖Γ‖ of the simulated torques; infinite where the simulation diverges."""
        simulated, first = self.outputs(beta), self.measured.shape[1] // 2
        if simulated is None:
            return float("inf")
        measured = self.measured[:, first:]
        return float(np.linalg.norm(simulated[:, first:] - measured) / np.linalg.norm(measured))

    def slopes(self, beta: Array) -> Array:
        """Differences, parameter by parameter."""
        middle, unit = self.residual(beta), np.eye(len(beta))
        return np.column_stack(
            [(self.residual(beta + h * e) - middle) / h for h, e in zip(self.steps, unit, strict=True)]
        )

    def estimate(self, terms: Terms, beta: Array, J: Array, count: int) -> Estimate:
        """C = A⁻¹ (Jᵀ Ω J) A⁻¹ with A = Jᵀ J, and Ω from the spectrum of the residual of each output."""
        e, outputs = self.residual(beta).reshape(self.measured.shape), self.measured.shape[1]
        at = solved(np.asarray(np.linalg.qr(np.column_stack([J, e.ravel()]), mode="r")), terms.names)
        middle = sum((coloured(J[k::outputs], e[:, k]) for k in range(outputs)), start=np.zeros_like(at.inverse))
        C = at.inverse @ middle @ at.inverse
        deviations = np.ones(len(terms.subject.row_names))
        deviations[terms.subject.motor_rows] = (self.sigma * np.sqrt(np.mean(e**2, axis=0)))[outputs // 2 :]
        found = at.estimate(terms.names, C, deviations, iterations=count, simulated=True)
        return replace(found, beta=at.taken_over(beta))
