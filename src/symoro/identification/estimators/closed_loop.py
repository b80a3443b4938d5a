"""The robot under its controller, simulated with identified parameters: the source of instruments without noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.interpolate import make_interp_spline

from symoro.errors import SymoroError
from symoro.identification.arrays import Array
from symoro.identification.processing.filtering import derivative
from symoro.identification.recordings.runs import Run
from symoro.identification.subject.standard import entries, nearest, with_symbols
from symoro.identification.subject.subject import Subject
from symoro.models.identification.parameters import Key
from symoro.motion.controller import Controller
from symoro.motion.scenario import Law
from symoro.motion.simulate import simulate
from symoro.motion.trajectory import Motion, Path, Trajectory
from symoro.robot.robot import Robot

NOT_SIMULATED = (
    "the closed loop cannot be simulated with the first parameters: the controller or the reference is not that of the "
    "data, or the data is too noisy"
)
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
        found = self.simulated(values)
        if found is None:
            return None
        q, qd = (np.concatenate([found[name], found[name][-1:]]) for name in ("q", "qd"))
        qdd = np.diff(qd, axis=0) / self.period
        return found.with_channels(q=(q[1:] + q[:-1]) / 2, qd=(qd[1:] + qd[:-1]) / 2, qdd=qdd)

    def simulated(self, values: Mapping[str, float]) -> Run | None:
        """The motion with these parameters; None where the simulation diverges or the parameters make no robot."""
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
        if s.stopped or len(s.t) < self.count:
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


def begins_elsewhere(loop: ClosedLoop, run: Run) -> Iterator[str]:
    """A warning where a run does not begin at its reference, from which the simulation begins."""
    places = [loop.subject.variables.index(joint) for joint in loop.subject.motors]
    q = run["q"][:, places]
    wanted, _, _ = loop.reference(loop.period * np.arange(_FIRST))
    away = np.abs((q[:_FIRST] - wanted).mean(axis=0))
    if (away > _ELSEWHERE * np.ptp(q, axis=0)).any():
        k = int(np.argmax(away))
        what = f"joint {loop.subject.motors[k].label} begins {away[k]:.3g} away from its reference"
        yield f"{what}, where the simulation begins: leave out the start"
