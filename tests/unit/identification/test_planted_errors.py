"""Errors planted into recordings: each is named, or is in the list of those that cannot be told.

Recordings are synthetic ones of trees, closed loops and elastic joints, and excerpts of two real ones.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

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
from support.says import says
from support.synthetic import fourier, run_of
from symoro.errors import DataError
from symoro.findings import Finding
from symoro.identification.process.measurements import Measurements
from symoro.identification.read.runs import Run

PERIOD, COUNT = 2e-3, 3000


class Expected(NamedTuple):
    """A finding: its code, or one of several, and some of its fields."""

    code: str | tuple[str, ...]
    fields: dict[str, Any] = {}  # noqa: RUF012


def sign(joint: str) -> Expected:
    """A sign: without gravity it is that of the torque or that of the position."""
    codes = "torque_sign", "position_sign", "negative_friction", "other_sign"
    return Expected(tuple(f"estimates.{code}" for code in codes), {"joint": joint})


BROKEN: list[tuple[str, Change, Expected]] = [
    ("2 pi", jump(2 * np.pi, 0), Expected("measurements.jump_of_turns")),
    ("reset", jump(0.4, 0), Expected("measurements.jump")),
    ("part of q stuck", stuck("q", 0, 0.3, 0.5), Expected("measurements.jump")),
    ("tau stuck", stuck("tau", 0), Expected("measurements.torque_constant")),
    ("part of tau stuck", stuck("tau", 0, 0.3, 0.5), Expected("measurements.torque_stuck")),
    ("rows twice", rows(twice), Expected("recordings.rows_twice")),
    ("every row twice", rows(lambda count: np.repeat(np.arange(count), 2)), Expected("recordings.rows_twice")),
    ("held", held, Expected("measurements.repeated", {"percent": 50.0})),
    ("shuffled rows", rows(shuffled), Expected("recordings.sorted")),
    ("shuffled time", other_times, Expected("recordings.times_of_other_rows")),
]
"""Errors that the channels alone show, of any robot."""
ALL_JOINTS: list[tuple[str, Change, Expected]] = [
    ("all -q", every(-1.0), Expected("estimates.all_positions_sign")),
    ("all -tau", times("tau", -1.0), Expected("estimates.all_torques_sign")),
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


def warnings_of(robot: str, change: Change | None) -> tuple[Finding, ...]:
    given = recorded(robot) if change is None else change(recorded(robot))
    described = emps.robot() if robot == "emps" else robot
    if robot == "tx40":
        R = tx40.matrix()
        given = {**given, "q": given["q"] @ R.T, "tau": given["tau"] @ np.linalg.inv(R)}
    try:
        return symoro.identify(described, given, **OPTIONS.get(robot, {})).warnings
    except DataError as error:
        return (error.finding,)


SCARA = ("shoulder", "elbow", "roll", "quill")
PLANTED: dict[str, list[tuple[str, Change, Expected]]] = {
    "planar2r": [
        ("rate 2", times("t", 0.5), Expected("estimates.rate", {"rate": 500.0, "recorded": 1000.0})),
        ("rate 0.5", times("t", 2.0), Expected("estimates.rate", {"rate": 500.0, "recorded": 250.0})),
        ("rate 1.25", times("t", 0.8), Expected("estimates.rate", {"rate": 500.0, "recorded": 625.0})),
        ("seconds as ms", times("t", 1e-3), Expected("measurements.fast", {"rate": 5e5})),
        (
            "q1 q2",
            swapped("q", 0, 1),
            Expected("estimates.positions_exchanged", {"first": "joint1", "second": "joint2"}),
        ),
        (
            "tau1 tau2",
            swapped("tau", 0, 1),
            Expected("estimates.torques_exchanged", {"first": "joint1", "second": "joint2"}),
        ),
        ("-q1", times("q", -1.0, 0), Expected("estimates.position_sign", {"joint": "joint1"})),
        ("-q2", times("q", -1.0, 1), Expected("estimates.position_sign", {"joint": "joint2"})),
        ("-tau1", times("tau", -1.0, 0), Expected("estimates.torque_sign", {"joint": "joint1"})),
        ("-tau2", times("tau", -1.0, 1), Expected("estimates.torque_sign", {"joint": "joint2"})),
        ("degrees", times("q", 180 / np.pi), Expected("measurements.in_degrees")),
        (
            "radians as degrees",
            times("q", np.pi / 180, 1),
            Expected("estimates.position_in_radians", {"joint": "joint2"}),
        ),
        ("mA", times("tau", 1e3), Expected("estimates.too_large")),
        ("mA of one", times("tau", 1e3, 1), Expected("estimates.torque_unit", {"joint": "joint2"})),
        ("counts", every(1e3), Expected("measurements.in_counts")),
        ("ms", times("t", 1e3), Expected("measurements.slow_in_milliseconds")),
        ("q stuck", stuck("q", 0), Expected("measurements.never_moves", {"joint": "joint1"})),
        ("tau1 late", later("tau", 0), Expected("estimates.torque_later", {"joint": "joint1"})),
        ("tau2 late", later("tau", 1), Expected("estimates.torque_later", {"joint": "joint2", "delay": 10.2})),
        *ALL_JOINTS,
        *BROKEN,
    ],
    "scara": [
        ("rate 2", times("t", 0.5), Expected("estimates.rate", {"rate": 500.0, "recorded": 1000.0})),
        ("rate 0.5", times("t", 2.0), Expected("estimates.rate", {"rate": 500.0, "recorded": 250.0})),
        *[
            (
                f"q{k + 1} q{k + 2}",
                swapped("q", k, k + 1),
                Expected("estimates.positions_exchanged", {"first": a, "second": b}),
            )
            for k, (a, b) in enumerate([("shoulder", "elbow"), ("elbow", "roll"), ("roll", "quill")])
        ],
        *[
            (
                f"tau{k + 1} tau{k + 2}",
                swapped("tau", k, k + 1),
                Expected("estimates.torques_exchanged", {"first": a, "second": b}),
            )
            for k, (a, b) in enumerate([("shoulder", "elbow"), ("elbow", "roll"), ("roll", "quill")])
        ],
        *[(f"-q{k + 1}", times("q", -1.0, k), sign(SCARA[k])) for k in range(4)],
        *[(f"-tau{k + 1}", times("tau", -1.0, k), sign(SCARA[k])) for k in range(4)],
        *[
            (f"mA of {k + 1}", times("tau", 1e3, k), Expected("estimates.torque_unit", {"joint": SCARA[k]}))
            for k in range(4)
        ],
        ("degrees", every(180 / np.pi), Expected("measurements.in_degrees")),
        ("mA", times("tau", 1e3), Expected("estimates.too_large")),
        *[
            (f"tau{k + 1} late", later("tau", k), Expected("estimates.torque_later", {"joint": SCARA[k]}))
            for k in range(4)
        ],
        *ALL_JOINTS,
        *BROKEN,
    ],
    "flexible-joints": [
        ("rate 2", times("t", 0.5), Expected("estimates.rate", {"rate": 1000.0, "recorded": 2000.0})),
        ("rate 1.25", times("t", 0.8), Expected("estimates.rate", {"rate": 1000.0, "recorded": 1250.0})),
        ("q1 q2", swapped("q", 0, 1), Expected("measurements.sides_differ")),
        ("qm1 qm2", swapped("qm", 0, 1), Expected("measurements.sides_differ")),
        ("-q1", times("q", -1.0, 0), Expected("measurements.sides_differ")),
        ("degrees", times("q", 180 / np.pi), Expected("measurements.in_degrees")),
        (
            "tau1 tau2",
            swapped("tau", 0, 1),
            Expected("estimates.torques_exchanged", {"first": "joint1_motor", "second": "joint2_motor"}),
        ),
        ("-tau1", times("tau", -1.0, 0), Expected("estimates.torque_sign", {"joint": "joint1_motor"})),
        ("mA", times("tau", 1e3), Expected("estimates.too_large")),
        ("rate 0.5", times("t", 2.0), Expected("estimates.rate", {"rate": 1000.0, "recorded": 500.0})),
        ("mA of one", times("tau", 1e3, 1), Expected("estimates.torque_unit", {"joint": "joint2_motor"})),
        ("all degrees", every(180 / np.pi), Expected("measurements.in_degrees")),
        ("q stuck", stuck("q", 0), Expected("measurements.link_stuck", {"joint": "joint1_motor"})),
        ("tau1 late", later("tau", 0), Expected("estimates.torque_later")),
        *ALL_JOINTS,
        *BROKEN,
    ],
    "emps": [
        ("mm", times("q", 1e3), Expected("measurements.in_millimetres")),
        ("ms", times("t", 1e3), Expected("measurements.time_in_milliseconds")),
        ("-tau", times("tau", -1.0), Expected("estimates.negative_friction")),
        ("-q", times("q", -1.0), Expected("estimates.negative_friction")),
        ("q stuck", stuck("q", 0), Expected("measurements.never_moves", {"joint": "joint1"})),
        ("tau late", later("tau", 0), Expected("estimates.torque_later")),
        ("q late", later("q", 0), Expected("estimates.torque_earlier")),
        *BROKEN[1:],
    ],
    "tx40": [
        ("rate 2", times("t", 0.5), Expected("estimates.rate", {"rate": 5000.0, "recorded": 10000.0})),
        ("rate 0.5", times("t", 2.0), Expected("estimates.rate", {"rate": 5000.0, "recorded": 2500.0})),
        ("all -q", every(-1.0), Expected("estimates.all_positions_sign")),
        ("all -tau", times("tau", -1.0), Expected("estimates.all_torques_sign")),
        *BROKEN[:5],
        ("ms", times("t", 1e3), Expected("measurements.time_in_milliseconds")),
        *[
            (
                f"q{k + 1} q{k + 2}",
                swapped("q", k, k + 1),
                Expected("estimates.positions_exchanged", {"first": a, "second": b}),
            )
            for k, (a, b) in enumerate(zip(tx40.JOINTS, tx40.JOINTS[1:], strict=False))
        ],
        *[
            (
                f"tau{k + 1} tau{k + 2}",
                swapped("tau", k, k + 1),
                Expected("estimates.torques_exchanged", {"first": a, "second": b}),
            )
            for k, (a, b) in enumerate(zip(tx40.JOINTS, tx40.JOINTS[1:], strict=False))
        ],
        *[(f"-q{k + 1}", times("q", -1.0, k), sign(tx40.JOINTS[k])) for k in range(6)],
        *[(f"-tau{k + 1}", times("tau", -1.0, k), sign(tx40.JOINTS[k])) for k in range(6)],
        ("degrees", times("q", 180 / np.pi), Expected("measurements.in_degrees")),
        ("mA", times("tau", 1e3), Expected("estimates.too_large")),
    ],
    "sr400": [
        ("rate 2", times("t", 0.5), Expected("estimates.rate", {"recorded": 400.0})),
        ("rate 0.5", times("t", 2.0), Expected("estimates.rate", {"recorded": 100.0})),
        (
            "q4 q5",
            swapped("q", 2, 3),
            Expected("estimates.positions_exchanged", {"first": "forearm", "second": "wrist"}),
        ),
        (
            "tau1 tau2",
            swapped("tau", 0, 1),
            Expected("estimates.torques_exchanged", {"first": "waist", "second": "shoulder"}),
        ),
        (
            "tau2 tau7",
            swapped("tau", 1, 5),
            Expected("estimates.torques_exchanged", {"first": "shoulder", "second": "lever"}),
        ),
        ("-q1", times("q", -1.0, 0), Expected("estimates.position_sign", {"joint": "waist"})),
        ("all -q", every(-1.0), Expected("estimates.all_positions_sign")),
        ("all -tau", times("tau", -1.0), Expected("estimates.all_torques_sign")),
        *BROKEN[:5],
        ("-tau2", times("tau", -1.0, 1), Expected("estimates.torque_sign", {"joint": "shoulder"})),
        ("mA", times("tau", 1e3), Expected("estimates.too_large")),
    ],
}
LONG = {"tx40": 10, "scara": 99, "sr400": 7}
"""Robots whose cases are long, and how many of them are not exhaustive."""


def _marks(robot: str, k: int) -> list[Any]:
    if robot not in LONG:
        return []
    return [pytest.mark.long, *([pytest.mark.exhaustive] if k >= LONG[robot] else [])]


CASES = [
    pytest.param(robot, change, expected, id=f"{robot}: {what}", marks=_marks(robot, k))
    for robot, planted in PLANTED.items()
    for k, (what, change, expected) in enumerate(planted)
]


@pytest.mark.parametrize(("robot", "change", "expected"), CASES)
def test_a_planted_error_is_named(robot: str, change: Change, expected: Expected) -> None:
    """The cause is the first warning."""
    warnings = warnings_of(robot, change)
    codes = (expected.code,) if isinstance(expected.code, str) else expected.code
    assert any(says(warnings[:1], code, **expected.fields) for code in codes), warnings


HARMLESS = (
    "estimates.together",
    "estimates.correlated",
    "estimates.no_effect",
    "estimates.no_place",
    "branches.several",
)
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
        assert [warning for warning in found if warning.code not in HARMLESS] == []


@pytest.mark.parametrize("change", [times("t", 0.5), times("tau", 1e3)])
def test_without_a_description_the_rate_and_the_scale_of_one_axis_cannot_be_told(change: Change) -> None:
    """Mass and friction take up both: nothing in the data of one axis contradicts."""
    assert warnings_of("emps", change) == warnings_of("emps", None)


@pytest.mark.long
def test_loops_that_are_open_at_all_measured_joints_are_named() -> None:
    _, run, _ = run_of("sr400", count=300)
    q = run["q"][:, [0, 2, 1, *range(3, run["q"].shape[1])]]
    data = symoro.measurements("sr400", {"t": run.t, "q": q, "tau": run["tau"]})
    assert says(data.warnings, "measurements.loops_open", robot="sr400")
    assert not symoro.measurements("sr400", {"t": run.t, "q": run["q"], "tau": run["tau"]}).warnings


def test_measured_velocities_are_compared_with_positions() -> None:
    given = recorded("planar2r")
    qd = np.gradient(given["q"], PERIOD, axis=0)
    assert not symoro.measurements("planar2r", {**given, "qd": qd}).warnings
    for wrong in (qd[:, ::-1], 2.0 * qd, np.degrees(qd)):
        data = symoro.measurements("planar2r", {**given, "qd": wrong})
        assert says(data.warnings, "measurements.velocity")


def test_measurements_that_were_read_before_are_judged_too() -> None:
    data = symoro.measurements("planar2r", recorded("planar2r"))
    assert isinstance(data, Measurements)
    runs = tuple(Run(2 * run.period, run.channels) for run in data.runs)
    found = symoro.identify("planar2r", replace(data, runs=runs))
    assert says(found.warnings, "estimates.rate", rate=500.0, recorded=250.0)
