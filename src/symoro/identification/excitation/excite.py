"""`symoro.excite`: motions along which the parameters of a robot are seen best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from scipy.optimize import minimize

from symoro.errors import MotionError
from symoro.findings import Finding
from symoro.identification.arrays import CONFIGURATION, Array, NumberOrRow
from symoro.identification.estimate.estimate import solved
from symoro.identification.excitation.cost import AnyBasis, cost, information, log_condition, slowed, smooth_condition
from symoro.identification.excitation.excited import Excited
from symoro.identification.excitation.excited_robots import about_a_middle, excited_within
from symoro.identification.excitation.limits import Curves, filled, within
from symoro.identification.excitation.motions import Basis, SplineBasis
from symoro.identification.one_thread import one_thread
from symoro.identification.subject.subject import Box, Subject
from symoro.lazy import lazy
from symoro.models.results import say
from symoro.motion.trajectory import Motion, Trajectory
from symoro.motion.trajectory import Path as FrameCurve
from symoro.options import FLAG, FRAME, NONE, Choice, Kind, Option, RealNumber, Schema, Whole
from symoro.robot.robot import Robot
from symoro.saving import write_table

# What the search for an exciting motion says while it runs.


_SECONDS = 3.0
"""Time between two lines."""


@dataclass
class Progress:
    """Counts the steps of a local search, and says now and then how far it is."""

    name: str
    steps: int = 0
    last: float = field(default_factory=monotonic)
    """When the last line was written."""

    def __post_init__(self) -> None:
        say(self.name)

    def __call__(self, x: np.ndarray) -> None:
        """A step was done."""
        self.steps += 1
        if monotonic() - self.last >= _SECONDS:
            self.last = monotonic()
            say(f"{self.name}, step {self.steps}")


# `symoro.excite`: motions along which the parameters of a robot are seen best.


CRITERIA = ("condition", "information")
KINDS = ("fourier", "spline")


class Pairs(Kind):
    """Lower and upper limits, (n, 2); LOW1,HIGH1,… on the command line."""

    annotation = "ArrayLike"

    def accepts(self, value: Any, about: Any = None) -> bool:
        try:
            limits = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        return limits.size > 0 and limits.size % 2 == 0 and bool(np.isfinite(limits).all())

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [Finding("excitation.pairs")]

    def read(self, text: Any) -> Any:
        numbers = NumberOrRow("coordinate").read(text)
        if not isinstance(numbers, list) or len(numbers) % 2:
            return text
        return [numbers[k : k + 2] for k in range(0, len(numbers), 2)]


def _limit(name: str, en: str, fr: str) -> Option:
    return Option(name, NumberOrRow("motor") | NONE, None, en, fr, metavar="X1,X2,…")


EXCITE = Schema(
    "excite",
    (
        Option(
            "duration", RealNumber("s", more_than=0), 10.0,
            "Time of one period.", "La durée d'une période.",
            metavar="SECONDS",
        ),
        Option("kind", Choice(KINDS), "fourier", "fourier or spline.", "fourier ou spline.", metavar="NAME"),
        Option(
            "harmonics", Whole(2, 100), 5,
            "Harmonics, or half the pieces of a spline.",
            "Les harmoniques, ou la moitié des morceaux d'une spline.",
            metavar="N",
        ),
        Option(
            "position", Pairs() | NONE, None,
            "Limits of each motor; else those of the robot.",
            "Les limites de chaque moteur ; sinon celles du robot.",
            metavar="LOW1,HIGH1,…",
        ),
        _limit("velocity", "Limits of velocity: one, or by motor.", "Les limites de vitesse : une, ou par moteur."),
        _limit(
            "acceleration", "Limits of acceleration: one, or by motor.",
            "Les limites d'accélération : une, ou par moteur.",
        ),
        _limit("effort", "Limits of torque: one, or by motor.", "Les limites de couple : une, ou par moteur."),
        Option(
            "workspace", Pairs() | NONE, None,
            "A box in which tool or platform stays.",
            "Une boîte dans laquelle restent l'outil ou la plateforme.",
            metavar="X1,X2,Y1,Y2,Z1,Z2",
        ),
        Option(
            "tool", FRAME | NONE, None,
            "The frame in the workspace.", "Le repère dans l'espace.",
            metavar="FRAME",
        ),
        Option(
            "base", Pairs() | NONE, None,
            "Limits of x, y, z, roll, pitch, yaw of a base that moves.",
            "Les limites de x, y, z, roulis, tangage et lacet d'une base qui bouge.",
            metavar="X1,X2,…",
        ),
        Option(
            "guess", CONFIGURATION | NONE, None,
            "A configuration or a pose of the platform, whose branch is taken.",
            "Une configuration ou une situation de la plateforme, dont la branche est prise.",
            metavar="Q1,Q2,…",
        ),
        Option(
            "alike", FLAG, False,
            "Legs of a parallel robot share parameters.",
            "Les jambes d'un robot parallèle partagent leurs paramètres.",
        ),
        Option(
            "criterion", Choice(CRITERIA), "condition",
            "condition or information.", "condition ou information.",
            metavar="NAME",
        ),
        Option(
            "starts", Whole(1, 1000), 8,
            "Random starts; the best is taken.", "Départs aléatoires ; le meilleur est pris.",
            metavar="N",
        ),
        Option(
            "steps", Whole(1, 100_000), 250,
            "Steps of the search from each start.", "Pas de la recherche depuis chaque départ.",
            metavar="N",
        ),
        Option(
            "seed", Whole(0), 0,
            "Of the random starts.", "Des départs aléatoires.",
            metavar="N",
        ),
    ),
    MotionError,
)  # fmt: skip
TO_CSV = Schema(
    "to_csv", (Option("rate", RealNumber("Hz", more_than=0), 1000.0), Option("periods", Whole(1), 1)), MotionError
)
_SAMPLES, _FEWER = 40, 10
"""Samples for each harmonic, or for two pieces of a spline; fewer for large robots, whose samples have many rows."""
_MANY = 20
"""Coordinates of a large robot."""
_LARGE = 1000.0
"""Condition number above which some parameters are seen badly."""
_SHARE = 0.3
"""Part of a parameter in the direction that is seen worst, over the largest one, of parameters that are named."""


@dataclass(frozen=True)
class Excitation:
    """A periodic motion that excites the parameters of a robot; it starts and ends at rest."""

    excited: Excited = field(repr=False)
    series: Curves = field(repr=False)
    condition: float
    """Condition number of the regressor along the motion, without columns of friction.

    Columns that no such motion can tell apart from those before them are left out (`excited.columns` are the others).
    """

    @property
    def subject(self) -> Subject:
        return self.excited.subject

    @property
    def trajectory(self) -> Trajectory:
        """One period of the motion, as `symoro.simulate` takes it; of a moved base, its coordinates come first."""
        series = self.series
        names, path = self.excited.names, FrameCurve(lambda s: Motion(*series.at(s)), series.duration)
        return Trajectory(names, series.duration, path, self._at)

    def _at(self, t: Array) -> Motion:
        return Motion(*self.series.at(t))

    def positions(self, t: Array) -> Array:
        """The positions of all joints of the robot along the motion, (samples, joints): passive ones, too."""
        return self.excited.positions(self._placed(t))

    def poses(self, t: Array) -> Array:
        """The poses of the platform of a parallel robot along the motion, (samples, 4, 4)."""
        return self.excited.poses(self._placed(t))

    def _placed(self, t: Array) -> Array:
        return self.excited.placed(self.series.at(np.atleast_1d(np.asarray(t, dtype=float)))[0])

    @lazy
    def warnings(self) -> tuple[Finding, ...]:
        """What is not as it should be: a large condition number, with the parameters that are seen worst."""
        if self.condition <= _LARGE:
            return ()
        worst = np.abs(np.linalg.svd(_along(self.excited, self.series), full_matrices=False)[2][-1])
        order = np.argsort(-worst, kind="stable")
        names = [self.excited.columns[k] for k in order if worst[k] >= _SHARE * worst.max()]
        return (Finding("excitation.condition", condition=self.condition, names=names[:6]),)

    @lazy
    def sigma(self) -> dict[str, float]:
        """Expected σ of each base parameter for a period sampled at 100 Hz, with torque noise of 1 N·m or 1 N.

        Where such motions cannot tell parameters apart (of loops on one branch, of a base at rest), some are left out:
        their σ is infinite, and others take them over, as in the result of `identify`.
        """
        x, xd, xdd = self.series.at(np.arange(0, self.series.duration, 0.01))
        W = self.excited.regressor(self.excited.placed(x), xd, xdd).reshape(-1, len(self.subject.columns))
        R = np.linalg.qr(np.column_stack([W, np.zeros(len(W))]), mode="r")
        at = solved(np.asarray(R), self.subject.columns)
        sigma = np.sqrt(np.diag(at.covariance(at.inverse)))
        return dict(zip(self.subject.columns, sigma.tolist(), strict=True))

    def to_csv(self, path: str | Path, rate: float = 1000.0, periods: int = 1) -> Path:
        """Write t, q, qd and qdd of one or several periods at a rate in Hz; the path."""
        TO_CSV.checked({"rate": rate, "periods": periods})
        t = np.arange(round(periods * self.series.duration * rate) + 1) / rate
        table = np.column_stack([t, *self.series.at(t)])
        return write_table(path, dict(zip(("t", *self._columns()), table.T, strict=True)))

    def _columns(self) -> Iterator[str]:
        """q1 … of the motors, before them x0 … of a moved base; then qd_ and qdd_."""
        base, n = self.excited.names[: -len(self.excited.joints)], len(self.excited.joints)
        for what in ("", "qd_", "qdd_"):
            yield from (f"{what}{name}" for name in base)
            yield from (f"{what or 'q'}{k}" for k in range(1, n + 1))

    def __str__(self) -> str:
        lines = [f"{self.series.duration:g} s, {self.series}, condition number {self.condition:.4g}"]
        lines += [f"{name:6} σ = {x:.3g}" for name, x in self.sigma.items()]
        return "\n".join([*lines, *(f"warning: {warning}" for warning in self.warnings)])


@EXCITE.function
@one_thread()
def excite(robot: Robot | str | Path, **options: Any) -> Excitation:
    """A periodic motion that minimises the condition number of the base regressor, or maximises information.

    It is a Fourier series of each motor, or a quintic spline with twice as many pieces as `harmonics` (kind="spline"),
    that starts and ends at rest, the best of several random starts. `position` are limits (motors, 2); those and
    `velocity` are the robot's where none are given. `acceleration` limits, one number or one for each motor, and all
    others hold exactly. With `effort` the motion is slowed down until the torques of the robot's own parameters are
    within their limits. `workspace` is a box in frame 0, (3, 2), which the origin of the frame `tool`, the last link
    where none is given, does not leave.

    Passive joints of closed loops follow the motors on one branch: that of `guess`, a closed configuration, or the one
    with the smallest passive joints. They keep away from dead points, keep the limits of position and velocity of the
    description, and are at most three times as fast as the fastest motor. A
    floating base is at rest on a plate that measures its force and moment, or moves: `base` are limits (6, 2) of x, y,
    z, roll, pitch and yaw; then limits that are given one by one have those of the base first.

    The platform of a parallel robot follows its motors from the home pose on, or from that of `guess`, a pose or
    positions of all joints. It keeps away from singularities of the platform and of the legs, and passive joints keep
    the limits of the description. `workspace` is a box for the platform's origin, or (6, 2): then rows 4 to 6 limit the
    rotation vector from the home pose, in frame 0. With `alike` the legs share their parameters. The σ are those with
    the friction of the description.
    """
    limits = {name: options[name] for name in ("position", "velocity", "acceleration", "base")}
    excited, box = excited_within(robot, limits, **{name: options[name] for name in _OF_ROBOT})
    harmonics, criterion = options["harmonics"], options["criterion"]
    samples = (_SAMPLES if len(excited.names) <= _MANY else _FEWER) * harmonics
    basis = _basis(options["kind"], harmonics, float(options["duration"]), samples)
    optima = []
    for k in range(options["starts"]):
        progress = Progress(f"start {k + 1} of {options['starts']}")
        optima.append(_optimised(excited, basis, box, criterion, options["steps"], options["seed"] + k, progress))
    best = min((one for one in optima if one), key=lambda series: _quality(excited, series, criterion), default=None)
    if best is None:
        raise MotionError("excitation.none")
    best = slowed(excited, best, options["effort"]) if options["effort"] is not None else best
    return Excitation(excited, best, float(np.exp(_quality(excited, best, "condition"))))


_OF_ROBOT = ("workspace", "tool", "guess", "alike")


def _basis(kind: str, harmonics: int, duration: float, samples: int) -> AnyBasis:
    if kind == "fourier":
        return Basis(harmonics, duration, samples)
    return SplineBasis(2 * harmonics, duration, samples)


def _optimised(
    excited: Excited, basis: AnyBasis, box: Box, criterion: str, steps: int, seed: int, progress: Progress
) -> Curves | None:
    """A local optimum from a random start, scaled so that it fills its limits; None where there is none."""
    drawn = random_series(basis, box, seed)
    resting = replace(drawn, coefficients=drawn.coefficients @ basis.free @ basis.free.T)
    start = about_a_middle(excited, resting, box, seed)
    if start is None:
        return None
    free = start.coefficients @ basis.free
    x = np.concatenate([start.middle, free.ravel()])
    last = log_condition if criterion == "condition" else information
    for measure, count in ((smooth_condition, max(1, steps // 4)), (last, steps)):
        target, options = partial(cost, excited, basis, box, measure), {"maxiter": count}
        x = minimize(target, x, jac=True, method="L-BFGS-B", options=options, callback=progress).x
    n = len(excited.names)
    margin = 0.02 * (box.high - box.low)
    middle = np.clip(x[:n], box.low + margin, box.high - margin)
    optimum = filled(basis.motion(middle, x[n:].reshape(n, -1) @ basis.free.T), box, grow=~excited.steering)
    return within(excited, optimum) or start  # the optimum may lie outside of the limits


def random_series(basis: AnyBasis, box: Box, seed: int) -> Curves:
    """A random motion that fills the limits."""
    rng = np.random.default_rng(seed)
    n = len(box.low)
    middle = box.low + (box.high - box.low) * rng.uniform(0.35, 0.65, n)
    return filled(basis.motion(middle, basis.random(rng, n)), box)


def _quality(excited: Excited, series: Curves, criterion: str) -> float:
    return (log_condition if criterion == "condition" else information)(_along(excited, series))[0]


def _along(excited: Excited, series: Curves) -> Array:
    """W along a period of a motion."""
    x, xd, xdd = series.at(np.linspace(0, series.duration, 400, endpoint=False))
    return excited.evaluate(excited.placed(x), xd, xdd).reshape(-1, len(excited.columns))
