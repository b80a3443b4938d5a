"""Synthetic measurements: rich motions of robots of every structure, with the torques of their own parameters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

import symoro
from symoro.identification.read.runs import Run
from symoro.identification.regress.terms import Terms
from symoro.identification.subject.subject import BASE_ROWS, Subject, described_values

Array = NDArray[np.float64]


def fourier(count: int, joints: int, period: float, seed: int, amplitude: float = 0.6) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations of sums of sines."""
    rng = np.random.default_rng(seed)
    t = period * np.arange(count)[:, None]
    q, qd, qdd = np.zeros((3, count, joints))
    for harmonic in range(1, 6):
        w = 2 * np.pi * 0.15 * harmonic
        a, phase = amplitude * rng.uniform(0.3, 1.0, joints) / harmonic**0.5, rng.uniform(0, 6.3, joints)
        q += a * np.sin(w * t + phase)
        qd += a * w * np.cos(w * t + phase)
        qdd -= a * w**2 * np.sin(w * t + phase)
    return q, qd, qdd


def run_of(name: str, count: int = 4000, period: float = 5e-3, seed: int = 0) -> tuple[Terms, Run, Array]:
    """The columns, a run whose torques are exact, and the true parameters, of a robot of the library."""
    subject = Subject.of(name)
    terms = Terms(subject)
    q, qd, qdd = fourier(count, len(subject.moving), period, seed, 0.25 if subject.robot.cuts else 0.6)
    channels: dict[str, Array] = {"qd": qd, "qdd": qdd}
    if subject.robot.cuts:
        motors = [subject.moving.index(joint) for joint in subject.motors]
        q = symoro.loop_geometry(subject.robot).compile()(q[:, motors] + _middle(subject))
    channels["q"] = q
    if subject.has_free_base:
        V, VP, _ = fourier(count, 6, period, seed + 1)
        quat = np.random.default_rng(seed).normal(size=4)
        channels |= {"V0": V, "VP0": VP, "quat": np.tile(quat / np.linalg.norm(quat), (count, 1))}
    beta = true_values(terms)
    torques = torques_of(terms, channels, beta)
    start = BASE_ROWS if subject.has_free_base else 0
    channels["tau"] = torques[:, subject.motor_rows]
    if start:
        channels["wrench"] = torques[:, :start]
    return terms, Run(period, channels), beta


def _middle(subject: Subject) -> Array:
    """Positions of the motors about which loops are far from their dead points."""
    return np.asarray({"sr400": [0.0, -0.8, 0.2, 0.0, 0.0, 0.7]}.get(subject.robot.name, np.zeros(len(subject.motors))))


def true_values(terms: Terms) -> Array:
    """The parameters of the description, and the stiffness of springs."""
    found: Mapping[str, float] = described_values(terms.subject, terms.names)
    numbers = terms.subject.robot.values.numbers()
    from symoro.robot.values import evaluate

    stiff = {f"K{joint.index}": evaluate(joint.stiffness, numbers) for _, joint, _ in terms.subject.springs}
    return np.array([stiff.get(name, found[name]) for name in terms.names])


def torques_of(terms: Terms, channels: Mapping[str, Array], beta: Array) -> Array:
    """W β along a motion, a column for each row of the regressor."""
    from symoro.identification.process.processing import Moved

    base = {name: channels[name] for name in ("quat", "V0", "VP0") if name in channels}
    rows = len(terms.subject.row_names)
    count = len(channels["q"])
    nothing = np.zeros((count, rows))
    moved = Moved(np.arange(count), channels["q"], channels["qd"], channels["qdd"], nothing, nothing, base)
    return np.asarray(terms.evaluate(moved, slice(None)) @ beta)
