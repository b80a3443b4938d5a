"""Errors planted into recordings: each is named, or is in the list of those that cannot be told.

Recordings are synthetic ones of trees, closed loops and elastic joints, and excerpts of two real ones.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from support import emps
from support import tx40_data as tx40
from support.elastic_run import elastic_run
from support.planted_errors import (
    Change,
    every,
    held,
    jump,
    later,
    other_times,
    rows,
    shuffled,
    stuck,
    swapped,
    times,
    twice,
)
from support.synthetic import fourier, run_of
from symoro.errors import DataError
from symoro.identification.process.measurements import Measurements
from symoro.identification.read.runs import Run

PERIOD, COUNT = 2e-3, 3000

BROKEN: list[tuple[str, Change, str]] = [
    ("2 pi", jump(2 * np.pi, 0), "(2π) at t ="),
    ("reset", jump(0.4, 0), "an encoder that was reset"),
    ("part of q stuck", stuck("q", 0, 0.3, 0.5), " jumps by "),
    ("tau stuck", stuck("tau", 0), "is constant ("),
    ("part of tau stuck", stuck("tau", 0, 0.3, 0.5), "is the channel stuck?"),
    ("rows twice", rows(twice), "rows are written twice"),
    ("every row twice", rows(lambda count: np.repeat(np.arange(count), 2)), "rows are written twice"),
    ("held", held, "50 % of the samples repeat the one before"),
    ("shuffled rows", rows(shuffled), "not in the order of time; they were sorted"),
    ("shuffled time", other_times, "do not belong to their rows"),
]
"""Errors that the channels alone show, of any robot."""
ALL_JOINTS: list[tuple[str, Change, str]] = [
    ("all -q", every(-1.0), "all positions have the other sign"),
    ("all -tau", times("tau", -1.0), "all torques have the other sign"),
]


@cache
def recorded(robot: str) -> dict[str, Any]:
    """Channels of a good recording."""
    if robot == "flexible-joints":
        return elastic_run(symoro.load(robot))
    if robot == "sr400":
        _, run, _ = run_of(robot, count=2000)
        return {"t": run.t, "q": run["q"][:, [0, 1, 3, 4, 5, 6]], "tau": run["tau"]}
    if robot in ("tx40", "emps"):
        run = (tx40.recording() if robot == "tx40" else emps.recording("DATA_EMPS")).runs[0]
        return {"t": run.t, "q": run["q"], "tau": run["tau"]}
    joints = symoro.load(robot).joints
    size = [1.0 if joint.revolute else 0.3 for joint in joints]
    q, qd, qdd = (size * x for x in fourier(COUNT, len(joints), PERIOD, 3))
    tau = symoro.inverse_dynamics(robot).compile()(q, qd, qdd)
    noise = np.random.default_rng(0).normal(size=tau.shape) * 0.01 * tau.std(axis=0)
    return {"t": PERIOD * np.arange(COUNT), "q": q, "tau": tau + noise}


OPTIONS: dict[str, dict[str, Any]] = {
    "flexible-joints": {"cutoff": 100.0, "decimation": 2, "delay": 5e-4},
    "tx40": {
        "friction": "viscous-coulomb",
        "offset": True,
        "side": "motor",
        "transmission": tx40.matrix(),
        **tx40.BAND,
    },
    "emps": {"offset": True, **emps.BAND},
}


def warnings_of(robot: str, change: Change | None) -> tuple[str, ...]:
    given = recorded(robot) if change is None else change(recorded(robot))
    described = emps.robot() if robot == "emps" else robot
    if robot == "tx40":
        R = tx40.matrix()
        given = {**given, "q": given["q"] @ R.T, "tau": given["tau"] @ np.linalg.inv(R)}
    try:
        return symoro.identify(described, given, **OPTIONS.get(robot, {})).warnings
    except DataError as error:
        return (str(error),)


PLANTED: dict[str, list[tuple[str, Change, str]]] = {
    "planar2r": [
        ("rate 2", times("t", 0.5), "the rate is about 500 Hz, not 1000 Hz"),
        ("rate 0.5", times("t", 2.0), "the rate is about 500 Hz, not 250 Hz"),
        ("rate 1.25", times("t", 0.8), "the rate is about 500 Hz, not 625 Hz"),
        ("seconds as ms", times("t", 1e-3), "is the rate 5e+05 Hz right"),
        ("q1 q2", swapped("q", 0, 1), "positions of joints joint1 and joint2 are exchanged"),
        ("tau1 tau2", swapped("tau", 0, 1), "torques of joints joint1 and joint2 are exchanged"),
        ("-q1", times("q", -1.0, 0), "position of joint joint1 has the other sign"),
        ("-q2", times("q", -1.0, 1), "position of joint joint2 has the other sign"),
        ("-tau1", times("tau", -1.0, 0), "torque of joint joint1 has the other sign"),
        ("-tau2", times("tau", -1.0, 1), "torque of joint joint2 has the other sign"),
        ("degrees", times("q", 180 / np.pi), "are these degrees"),
        ("radians as degrees", times("q", np.pi / 180, 1), "position of joint joint2 is in radians, not in degrees"),
        ("mA", times("tau", 1e3), "are these mA"),
        ("mA of one", times("tau", 1e3, 1), "torque of joint joint2 is 1000 times too large"),
        ("counts", every(1e3), "counts of an encoder"),
        ("ms", times("t", 1e3), "milliseconds"),
        ("q stuck", stuck("q", 0), "joint1 never moves"),
        ("tau1 late", later("tau", 0), "ms (5.0 samples) later than its motion"),
        ("tau2 late", later("tau", 1), "joint2 is 10.2 ms (5.1 samples) later than its motion"),
        *ALL_JOINTS,
        *BROKEN,
    ],
    "scara": [
        ("rate 2", times("t", 0.5), "the rate is about 500 Hz, not 1000 Hz"),
        ("rate 0.5", times("t", 2.0), "the rate is about 500 Hz, not 250 Hz"),
        *[
            (f"q{k + 1} q{k + 2}", swapped("q", k, k + 1), f"positions of joints {a} and {b} are exchanged")
            for k, (a, b) in enumerate([("shoulder", "elbow"), ("elbow", "roll"), ("roll", "quill")])
        ],
        *[
            (f"tau{k + 1} tau{k + 2}", swapped("tau", k, k + 1), f"torques of joints {a} and {b} are exchanged")
            for k, (a, b) in enumerate([("shoulder", "elbow"), ("elbow", "roll"), ("roll", "quill")])
        ],
        *[(f"-q{k + 1}", times("q", -1.0, k), "other sign") for k in range(4)],
        *[(f"-tau{k + 1}", times("tau", -1.0, k), "other sign") for k in range(4)],
        *[(f"mA of {k + 1}", times("tau", 1e3, k), "is 1000 times too large") for k in range(4)],
        ("degrees", every(180 / np.pi), "are these degrees"),
        ("mA", times("tau", 1e3), "are these mA"),
        *[(f"tau{k + 1} late", later("tau", k), "later than its motion") for k in range(4)],
        *ALL_JOINTS,
        *BROKEN,
    ],
    "flexible-joints": [
        ("rate 2", times("t", 0.5), "the rate is about 1e+03 Hz, not 2000 Hz"),
        ("rate 1.25", times("t", 0.8), "the rate is about 1e+03 Hz, not 1250 Hz"),
        ("q1 q2", swapped("q", 0, 1), "are q and qm of the same joint"),
        ("qm1 qm2", swapped("qm", 0, 1), "are q and qm of the same joint"),
        ("-q1", times("q", -1.0, 0), "are q and qm of the same joint"),
        ("degrees", times("q", 180 / np.pi), "are these degrees"),
        ("tau1 tau2", swapped("tau", 0, 1), "torques of joints joint1_motor and joint2_motor are exchanged"),
        ("-tau1", times("tau", -1.0, 0), "torque of joint joint1_motor has the other sign"),
        ("mA", times("tau", 1e3), "are these mA"),
        ("rate 0.5", times("t", 2.0), "the rate is about 1e+03 Hz, not 500 Hz"),
        ("mA of one", times("tau", 1e3, 1), "torque of joint joint2_motor is 1000 times too large"),
        ("all degrees", every(180 / np.pi), "are these degrees"),
        ("q stuck", stuck("q", 0), "the link behind joint joint1_motor never moves"),
        ("tau1 late", later("tau", 0), "samples) later than its motion"),
        *ALL_JOINTS,
        *BROKEN,
    ],
    "emps": [
        ("mm", times("q", 1e3), "are these millimetres"),
        ("ms", times("t", 1e3), "milliseconds"),
        ("-tau", times("tau", -1.0), "other sign than its motion"),
        ("-q", times("q", -1.0), "other sign than its motion"),
        ("q stuck", stuck("q", 0), "joint1 never moves"),
        ("tau late", later("tau", 0), "samples) later than its motion"),
        ("q late", later("q", 0), "samples) earlier than its motion"),
        *BROKEN[1:],
    ],
    "tx40": [
        ("rate 2", times("t", 0.5), "the rate is about 5e+03 Hz, not 10000 Hz"),
        ("rate 0.5", times("t", 2.0), "the rate is about 5e+03 Hz, not 2500 Hz"),
        ("all -q", every(-1.0), "all positions have the other sign"),
        ("all -tau", times("tau", -1.0), "all torques have the other sign"),
        *BROKEN[:5],
        ("ms", times("t", 1e3), "milliseconds"),
        *[
            (f"q{k + 1} q{k + 2}", swapped("q", k, k + 1), f"positions of joints {a} and {b} are exchanged")
            for k, (a, b) in enumerate(zip(tx40.JOINTS, tx40.JOINTS[1:], strict=False))
        ],
        *[
            (f"tau{k + 1} tau{k + 2}", swapped("tau", k, k + 1), f"torques of joints {a} and {b} are exchanged")
            for k, (a, b) in enumerate(zip(tx40.JOINTS, tx40.JOINTS[1:], strict=False))
        ],
        *[(f"-q{k + 1}", times("q", -1.0, k), "other sign") for k in range(6)],
        *[(f"-tau{k + 1}", times("tau", -1.0, k), "other sign") for k in range(6)],
        ("degrees", times("q", 180 / np.pi), "are these degrees"),
        ("mA", times("tau", 1e3), "are these mA"),
    ],
    "sr400": [
        ("rate 2", times("t", 0.5), "Hz, not 400 Hz"),
        ("rate 0.5", times("t", 2.0), "Hz, not 100 Hz"),
        ("q4 q5", swapped("q", 2, 3), "positions of joints forearm and wrist are exchanged"),
        ("tau1 tau2", swapped("tau", 0, 1), "torques of joints waist and shoulder are exchanged"),
        ("tau2 tau7", swapped("tau", 1, 5), "torques of joints shoulder and lever are exchanged"),
        ("-q1", times("q", -1.0, 0), "joint waist has the other sign"),
        ("all -q", every(-1.0), "all positions have the other sign"),
        ("all -tau", times("tau", -1.0), "all torques have the other sign"),
        *BROKEN[:5],
        ("-tau2", times("tau", -1.0, 1), "torque of joint shoulder has the other sign"),
        ("mA", times("tau", 1e3), "are these mA"),
    ],
}
LONG = {"tx40": 10, "scara": 99, "sr400": 7}
"""Robots whose cases are long, and how many of them are not exhaustive."""


def _marks(robot: str, k: int) -> list[Any]:
    if robot not in LONG:
        return []
    return [pytest.mark.long, *([pytest.mark.exhaustive] if k >= LONG[robot] else [])]


CASES = [
    pytest.param(robot, change, said, id=f"{robot}: {what}", marks=_marks(robot, k))
    for robot, planted in PLANTED.items()
    for k, (what, change, said) in enumerate(planted)
]


@pytest.mark.parametrize(("robot", "change", "said"), CASES)
def test_a_planted_error_is_named(robot: str, change: Change, said: str) -> None:
    """The cause is the first warning."""
    found = warnings_of(robot, change)
    assert found
    assert said in found[0], found


HARMLESS = ("told apart", "has no effect", "has no place for", "ways to close the loops")
"""Warnings about parameters and branches, not about the recording."""
SLOW = {
    "scara": pytest.mark.long,
    "emps": pytest.mark.long,
    "tx40": (pytest.mark.long, pytest.mark.exhaustive),
    "sr400": (pytest.mark.long, pytest.mark.exhaustive),
}


def noisy(seed: int) -> Change:
    """White noise on the torques, 2 % of each."""

    def change(given: dict[str, Any]) -> dict[str, Any]:
        tau = given["tau"]
        return {**given, "tau": tau + 0.02 * tau.std(axis=0) * np.random.default_rng(seed).normal(size=tau.shape)}

    return change


@pytest.mark.parametrize("robot", [pytest.param(r, marks=SLOW.get(r, ())) for r in PLANTED])
def test_nothing_is_suspected_in_good_recordings(robot: str) -> None:
    for seed in range(20):
        found = warnings_of(robot, noisy(seed))
        assert [text for text in found if not any(word in text for word in HARMLESS)] == []


@pytest.mark.parametrize("change", [times("t", 0.5), times("tau", 1e3)])
def test_without_a_description_the_rate_and_the_scale_of_one_axis_cannot_be_told(change: Change) -> None:
    """Mass and friction take up both: nothing in the data of one axis contradicts."""
    assert warnings_of("emps", change) == warnings_of("emps", None)


@pytest.mark.long
def test_loops_that_are_open_at_all_measured_joints_are_named() -> None:
    _, run, _ = run_of("sr400", count=300)
    q = run["q"][:, [0, 2, 1, *range(3, run["q"].shape[1])]]
    data = symoro.measurements("sr400", {"t": run.t, "q": q, "tau": run["tau"]})
    assert any("the loops of sr400 are open by" in text for text in data.warnings)
    assert not symoro.measurements("sr400", {"t": run.t, "q": run["q"], "tau": run["tau"]}).warnings


def test_measured_velocities_are_compared_with_positions() -> None:
    given = recorded("planar2r")
    qd = np.gradient(given["q"], PERIOD, axis=0)
    assert not symoro.measurements("planar2r", {**given, "qd": qd}).warnings
    for wrong in (qd[:, ::-1], 2.0 * qd, np.degrees(qd)):
        data = symoro.measurements("planar2r", {**given, "qd": wrong})
        assert any("times the derivative of its position" in text for text in data.warnings)


def test_measurements_that_were_read_before_are_judged_too() -> None:
    data = symoro.measurements("planar2r", recorded("planar2r"))
    assert isinstance(data, Measurements)
    runs = tuple(Run(2 * run.period, run.channels) for run in data.runs)
    found = symoro.identify("planar2r", replace(data, runs=runs))
    assert any("the rate is about 500 Hz, not 250 Hz" in text for text in found.warnings)
