"""Estimators that simulate the robot under its controller."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import signal
from scipy.interpolate import make_interp_spline
from scipy.optimize import least_squares

from symoro.errors import DataError, SymoroError
from symoro.findings import Finding
from symoro.identification.arrays import Array
from symoro.identification.estimate.estimate import Estimate, ordinary, solved, weighted
from symoro.identification.process.processing import Processing
from symoro.identification.process.signals import decimated, derivative
from symoro.identification.read.runs import Run
from symoro.identification.regress.rows import RegressionRows, TriangularFactors, rows_of, triangles_of
from symoro.identification.regress.terms import Terms
from symoro.identification.subject.subject import Subject, entries, nearest, with_symbols
from symoro.models.identification.columns import Key
from symoro.motion.trajectory import Motion, Path, Trajectory
from symoro.robot.robot import Robot

if TYPE_CHECKING:
    from symoro.motion.controller import Controller
    from symoro.motion.scenario import Law


# The robot under its controller, simulated with identified parameters: the source of instruments without noise.


NOT_SIMULATED = Finding("estimates.not_simulated")
_ELSEWHERE = 0.05
"""Part of the range of a joint by which it may begin away from its reference."""
_FIRST = 5
"""Samples at the beginning that are compared."""
_FAR = 1e3
"""A state above this means that a simulation diverges."""


@dataclass(frozen=True)
class ClosedLoop:
    """A controller and the motion that it shall follow, from the first sample of a run on."""

    subject: Subject
    controller: Controller | Law
    reference: Trajectory
    period: float
    count: int

    def wanted(self) -> Run:
        """The wanted motion itself, which needs no model."""
        q, qd, qdd = self.reference(self.period * np.arange(self.count))
        return Run(self.period, {"q": q, "qd": qd, "qdd": qdd, "tau": np.zeros_like(q)})

    def between_samples(self, values: Mapping[str, float]) -> Run | None:
        """The simulated motion in the middle between samples, to which a torque that is held belongs."""
        run = self.simulated(values)
        if run is None:
            return None
        q, qd = (np.concatenate([run[name], run[name][-1:]]) for name in ("q", "qd"))
        qdd = np.diff(qd, axis=0) / self.period
        return run.with_channels(q=(q[1:] + q[:-1]) / 2, qd=(qd[1:] + qd[:-1]) / 2, qdd=qdd)

    def simulated(self, values: Mapping[str, float]) -> Run | None:
        """The motion with these parameters; None where the simulation diverges or the parameters make no robot."""
        from symoro.motion.simulate import simulate

        inertial = np.array([values[name] for name in self.subject.inertial])
        others = {name: x for name, x in values.items() if name not in self.subject.inertial}
        numbers = entries(self.subject, nearest(self.subject, inertial), others)
        robot, names = _symbolic(self.subject.robot, tuple(numbers))
        try:
            s = simulate(
                robot,
                self.controller,
                self.reference,
                duration=self.period * (self.count - 1),
                period=self.period,
                fastest=_FAR,
                values={name: numbers[key] for key, name in names.items()},
            )
        except SymoroError:
            return None
        if s.ended or len(s.t) < self.count:
            return None
        qd = s.qd[: self.count]
        channels = {"q": s.q[: self.count], "qd": qd, "qdd": derivative(qd, self.period), "tau": s.tau[: self.count]}
        return Run(self.period, channels)


@lru_cache(maxsize=4)
def _symbolic(robot: Robot, places: tuple[Key, ...]) -> tuple[Robot, dict[Key, str]]:
    """The robot whose models are built once for all parameters."""
    return with_symbols(robot, places)


def wanted_motion(subject: Subject, run: Run) -> Trajectory:
    """The wanted positions of a recording as a trajectory: quintic splines through the samples."""
    q = make_interp_spline(run.period * np.arange(run.count), run["wanted"], k=5)
    qd, qdd = q.derivative(), q.derivative(2)

    def at(t: Array) -> Motion:
        return Motion(np.asarray(q(t)), np.asarray(qd(t)), np.asarray(qdd(t)))

    names = tuple(joint.label for joint in subject.motors)
    duration = run.period * (run.count - 1)
    return Trajectory(names, duration, Path(at, duration), at)


def begins_elsewhere(loop: ClosedLoop, run: Run) -> Iterator[Finding]:
    """A warning where a run does not begin at its reference, from which the simulation begins."""
    places = [loop.subject.variables.index(joint) for joint in loop.subject.motors]
    q = run["q"][:, places]
    wanted, _, _ = loop.reference(loop.period * np.arange(_FIRST))
    away = np.abs((q[:_FIRST] - wanted).mean(axis=0))
    if (away > _ELSEWHERE * np.ptp(q, axis=0)).any():
        k = int(np.argmax(away))
        yield Finding("estimates.begins_elsewhere", joint=loop.subject.motors[k].label, distance=float(away[k]))


# Estimators that simulate the closed loop: instrumental variables and direct and inverse models together.
#
# IDIM-IV (Janot, Vandanjon and Gautier 2014): β = (Zᵀ W)⁻¹ Zᵀ y with the columns Z of the simulated motion, which has
# no noise. DIDIM (Gautier, Janot and Vandanjon 2013): y = W_s β with the columns W_s of the simulated motion alone, so
# that positions are never differentiated.


_MOST = 20
_STEP = 0.05
"""Largest change of a parameter over its σ at which an iteration has converged."""
_FIT = 1e-3
"""Relative change of the residual at which an iteration has converged."""


@dataclass(frozen=True)
class _InstrumentalStep:
    """Parameters, their covariance, and the residual of the torques."""

    beta: Array
    covariance: Array
    residual: float
    deviations: Array

    def near(self, other: _InstrumentalStep) -> bool:
        sigma = np.maximum(np.sqrt(np.diag(self.covariance)), 1e-300)
        moved = np.abs(self.beta - other.beta) / sigma
        return bool(moved.max() < _STEP and abs(self.residual - other.residual) < _FIT * self.residual)


def instrumental(terms: Terms, run: Run, how: Processing, loop: ClosedLoop) -> Estimate:
    """IDIM-IV: first with the wanted motion as instrument, then with the simulated one, until nothing changes.

    The delay of the processing puts torques and positions at the same time: half a sample for torques that are held.
    """
    measured = rows_of(terms, [run], replace(how, dead_zone=()))
    clean = replace(how, cutoff=None, dead_zone=())
    step = _solved(rows_of(terms, [loop.wanted()], clean), measured)
    notes: tuple[Finding, ...] = (Finding("estimates.diverges"),)
    count = 0
    for count in range(1, _MOST + 1):  # noqa: B007, the number is said in the result
        simulated = loop.simulated(terms.by_name(step.beta))
        if simulated is None:
            break
        notes, before = (), step
        step = _solved(rows_of(terms, [simulated], clean), measured)
        if step.near(before):
            break
    return _estimate(measured, step, count, notes)


def direct_and_inverse(terms: Terms, run: Run, how: Processing, loop: ClosedLoop) -> Estimate:
    """DIDIM, from the parameters that the wanted motion as instrument gives.

    The simulated motion is taken between samples: the torque of a sample acts until the next one.
    """
    first = instrumental_start(terms, run, how, loop)
    plain = as_simulated(how)
    values = terms.by_name(first.beta)
    estimate: Estimate | None = None
    count = 0
    for count in range(1, _MOST + 1):  # noqa: B007
        rows = simulated_rows(terms, run, plain, loop, values)
        if rows is None:
            break
        before = estimate
        estimate = weighted(rows)
        values = terms.by_name(estimate.beta)
        if before is not None and np.abs((estimate.beta - before.beta) / estimate.sigma).max() < _STEP:
            break
    if estimate is None:
        raise DataError(NOT_SIMULATED)
    return replace(estimate, iterations=count, simulated=True)


def simulated_rows(
    terms: Terms, run: Run, how: Processing, loop: ClosedLoop, values: Mapping[str, float]
) -> TriangularFactors | None:
    """The measured torques over the columns of the simulated motion; None where it cannot be simulated."""
    simulated = loop.between_samples(values)
    if simulated is None:
        return None
    return triangles_of(rows_of(terms, [simulated.with_channels(tau=run["tau"])], how))


def as_simulated(how: Processing) -> Processing:
    """The processing of a motion without noise and delay."""
    return replace(how, cutoff=None, dead_zone=(), delay=0.0)


def instrumental_start(terms: Terms, run: Run, how: Processing, loop: ClosedLoop) -> Estimate:
    """The parameters with the wanted motion as instrument, which need no model."""
    measured = rows_of(terms, [run], replace(how, dead_zone=()))
    step = _solved(rows_of(terms, [loop.wanted()], as_simulated(how)), measured)
    return _estimate(measured, step, 0, ())


def _solved(instruments: RegressionRows, measured: RegressionRows) -> _InstrumentalStep:
    """β = (ZᵀΩW)⁻¹ ZᵀΩy, rows divided by the deviations of their joints."""
    W, y, joint = measured.dense()
    Z, _, _ = instruments.dense()
    if len(Z) != len(W):
        raise DataError("estimates.rows_of_simulation")
    sigma = ordinary(triangles_of(measured)).deviations
    beta = np.linalg.solve(Z.T @ (W / sigma[joint, None] ** 2), Z.T @ (y / sigma[joint] ** 2))
    e = y - W @ beta
    sigma = np.array([np.sqrt(np.mean(e[joint == j] ** 2)) or 1.0 for j in range(len(measured.joints))])
    weight = 1 / sigma[joint, None] ** 2
    G = np.linalg.inv(Z.T @ (W * weight))
    beta = G @ (Z.T @ (y * weight[:, 0]))
    e = y - W @ beta
    middle = sum(
        (coloured(Z[joint == j] / sigma[j] ** 2, e[joint == j]) for j in range(len(sigma))), start=np.zeros_like(G)
    )
    return _InstrumentalStep(beta, G @ middle @ G.T, float(np.linalg.norm(e)), sigma)


def coloured(Z: Array, e: Array) -> Array:
    """Zᵀ Ω Z with the spectrum of the residual: Σ_f Ẑ(f)* S(f) Ẑ(f)ᵀ / n."""
    n = len(e)
    f, power = signal.welch(e, nperseg=min(n, 256), detrend=False, return_onesided=False)
    order = np.argsort(f)
    spectrum = np.fft.fft(Z, axis=0)
    S = np.interp(np.fft.fftfreq(n), f[order], power[order], period=1.0)
    return np.asarray(np.real(spectrum.conj().T @ (S[:, None] * spectrum)) / n)


def _estimate(measured: RegressionRows, step: _InstrumentalStep, count: int, notes: tuple[Finding, ...]) -> Estimate:
    condition = ordinary(triangles_of(measured)).condition
    estimate = Estimate(measured.names, step.beta, step.covariance, step.deviations, condition, iterations=count)
    return replace(estimate, notes=notes, simulated=True)


# Closed-loop output error: the parameters with which the simulated loop moves and pushes as the robot did.
#
# min over β of Σ ‖(x_s(β) − x) / σ_x‖², where x are the positions and the torques of the motors, and x_s those of the
# robot that is simulated under its controller (Walter and Pronzato 1997; Gautier, Janot and Vandanjon 2013). Nothing is
# differentiated, and the residual is that of what the controller does, so that noise of positions gives no bias.


MOST_STEPS = 20
_SMALLEST_STEP = 1e-4
"""Least difference of a parameter over its value for the derivatives: simulations that stick are rough below it."""
_LOST = 1e3
"""Residual over its deviation where a simulation diverges."""


def output_error(terms: Terms, run: Run, how: Processing, loop: ClosedLoop) -> Estimate:
    """The estimate, from that of direct and inverse models on."""
    first = direct_and_inverse(terms, run, how, loop)
    problem = OutputError.of(terms, run, how, loop, first)
    start, scale = first.beta, problem.steps
    optimum = least_squares(
        problem.residual, start, problem.slopes, x_scale=scale, xtol=1e-6, ftol=1e-8, max_nfev=MOST_STEPS
    )
    return problem.estimate(terms, optimum.x, optimum.jac, int(optimum.nfev))


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
        steps = np.maximum(start.sigma / 2, _SMALLEST_STEP * np.abs(start.beta)) + 1e-12
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
        estimate = at.estimate(terms.names, C, deviations, iterations=count, simulated=True)
        return replace(estimate, beta=at.taken_over(beta))
