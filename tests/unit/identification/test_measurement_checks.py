"""A wrong column, unit, sign or rate is found and named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.synthetic import fourier
from symoro.errors import DataError, OptionError, SymoroError

ROBOT = "planar2r"
COUNT, PERIOD = 3000, 2e-3


def channels() -> dict[str, Any]:
    q, qd, qdd = fourier(COUNT, 2, PERIOD, 3)
    noise = np.random.default_rng(0).normal(size=(COUNT, 2)) * 0.02
    tau = symoro.inverse_dynamics(ROBOT).compile()(q, qd, qdd) + noise
    return {"t": PERIOD * np.arange(COUNT), "q": q, "tau": tau}


def changed(name: str, change: Callable[[Any], Any]) -> dict[str, Any]:
    given = channels()
    given[name] = change(given[name])
    return given


def jumping(t: Any) -> Any:
    return t + 0.7 * (t > 3.0)


def back(t: Any) -> Any:
    return np.where(t > 3.0, t - 3.0, t)


def with_nan(q: Any) -> Any:
    q = q.copy()
    q[1000:1003] = np.nan
    return q


SUSPECT: dict[str, tuple[dict[str, Any], str]] = {
    "degrees": (changed("q", np.degrees), "are these degrees"),
    "a joint stands still": (changed("q", lambda q: q * [1, 0]), "never moves"),
    "mA": (changed("tau", lambda x: 1000 * x), "mA"),
    "sign": (changed("tau", lambda x: x * [1, -1]), "joint2"),
    "constant torque": (changed("tau", lambda x: 0 * x + [1, 0] * x), "is constant"),
    "columns exchanged": (changed("tau", lambda x: x[:, ::-1]), "is not explained"),
    "milliseconds": (changed("t", lambda t: 1000 * t), "milliseconds"),
    "a jump of time": (changed("t", jumping), "jumps or goes back"),
    "a reset of time": (changed("t", back), "jumps or goes back"),
    "NaN": (changed("q", with_nan), "not numbers"),
}


@pytest.mark.parametrize("what", SUSPECT)
def test_suspect_data_give_a_warning_that_names_it(what: str) -> None:
    data, said = SUSPECT[what]
    options = {} if what != "milliseconds" else {"cutoff": None, "decimation": 1}
    found = symoro.identify(ROBOT, data, **options)
    assert any(said in text for text in found.warnings), found.warnings


def test_a_wrong_rate_is_named() -> None:
    q, qd, qdd = fourier(4000, 6, PERIOD, 3)
    data = {"q": q, "tau": symoro.inverse_dynamics("puma560").compile()(q, qd, qdd)}
    found = symoro.identify("puma560", data, rate=0.5 / PERIOD)
    assert any("the rate is about 500 Hz, not 250 Hz" in text for text in found.warnings), found.warnings
    assert not any("rate" in text for text in symoro.identify("puma560", data, rate=1 / PERIOD).warnings)


def test_the_delay_of_each_torque_is_estimated_named_and_taken_off() -> None:
    given = channels()
    given["tau"][:-3, 1] = given["tau"][3:, 1]
    found = symoro.identify(ROBOT, given)
    assert found.delays["joint1"].value == pytest.approx(0.0, abs=4 * found.delays["joint1"].sigma)
    assert found.delays["joint2"].value == pytest.approx(3 * PERIOD, abs=4 * found.delays["joint2"].sigma)
    assert found.delays["joint2"].sigma < PERIOD
    assert any("ms (3.0 samples) earlier than its motion" in text and "joint2" in text for text in found.warnings)
    assert "torques earlier than motion by" in str(found)
    right = symoro.identify(ROBOT, given, delay=[0.0, 3 * PERIOD])
    assert right.warnings == ()
    assert right.error.total < 0.5 * found.error.total
    true = symoro.base_parameters(ROBOT, friction=True).numbers
    assert all(abs(p.value - true[p.name]) < 5 * p.sigma for p in right)


def test_good_data_give_no_warning_and_the_true_parameters() -> None:
    found = symoro.identify(ROBOT, channels())
    true = symoro.base_parameters(ROBOT, friction=True).numbers
    assert found.warnings == ()
    assert all(abs(p.value - true[p.name]) < 5 * p.sigma for p in found)


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no torque": ({"t": [0.0] * 30, "q": np.zeros((30, 2))}, {}, "no channel tau"),
    "one sample": ({"t": [0.0], "q": [[0.0, 0.0]], "tau": [[0.0, 0.0]]}, {}, "1 samples"),
    "no time": ({"q": np.zeros((30, 2)), "tau": np.zeros((30, 2))}, {}, "rate="),
    "three joints": (changed("q", lambda q: np.c_[q, q[:, :1]]), {}, "q has 3 columns"),
    "other lengths": (changed("q", lambda q: q[:-1]), {}, "differ in their numbers"),
    "shuffled": (changed("t", lambda t: np.random.default_rng(0).permutation(t)), {}, "not in order"),
    "channel": ({"position": 1}, {}, "no channel 'position'"),
    "unit": (channels(), {"units": {"q": "grad"}}, "'grad' is not a unit"),
    "side": (channels(), {"side": "wall"}, "allowed: joint, motor"),
    "no ratios": (channels(), {"side": "motor"}, "gear ratios"),
    "singular": (channels(), {"side": "motor", "transmission": [[1, 1], [1, 1]]}, "singular"),
    "rate": (channels(), {"rate": -5}, "rate = -5"),
    "texts": (changed("q", lambda q: "nothing.csv"), {}, "no such file"),
    "nothing": ([], {}, "is not a file"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_data_end_in_an_error_that_says_what_is_wrong(what: str) -> None:
    data, options, said = WRONG[what]
    with pytest.raises(DataError, match=said.replace("(", r"\(")):
        symoro.identify(ROBOT, data, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "magic"}, {"friction": "sand"}, {"decimation": 17}, {"decimation": 2.5}, {"cutoff": "low"},
        {"cutoff": 1e9}, {"dead_zone": [1, 2, 3]}, {"essential": "luck"}, {"payload": 9}, {"prior": -1.0},
        {"known": {"ABC": 1.0}}, {"border": -1}, {"delay": float("nan")}, {"delay": [0.0]}, {"delay": "soon"},
        {"delay": 9.0}, {"prior": 0.1, "method": "ols"},
    ],
)  # fmt: skip
def test_options_that_do_not_exist_are_named(options: dict[str, Any]) -> None:
    with pytest.raises(SymoroError, match=r"allowed|needs"):
        symoro.identify(ROBOT, channels(), **options)


def test_columns_are_found_by_names_and_by_a_mapping(tmp_path: Path) -> None:
    given = channels()
    table = np.column_stack([given["t"], given["q"], given["tau"]])
    for header, columns in (
        ("time,q1,q2,tau1,tau2", None),
        ("t,joint1.position,joint2.position,joint1.effort,joint2.effort", None),
        ("zeit,a,b,c,d", {"t": "zeit", "q": ["a", "b"], "tau": ["c", "d"]}),
    ):
        np.savetxt(tmp_path / "log.csv", table, delimiter=",", header=header, comments="")
        found = symoro.measurements(ROBOT, tmp_path / "log.csv", columns=columns)
        assert np.array_equal(found.runs[0]["q"], given["q"])
    with pytest.raises(DataError, match=r"did you mean|there are"):
        symoro.measurements(ROBOT, tmp_path / "log.csv", columns={"q": ["a", "bb"], "tau": ["c", "d"]})


def test_motors_and_units_are_converted() -> None:
    given = channels()
    R = np.array([[50.0, 0.0], [20.0, -40.0]])
    at_motors = {"t": given["t"] * 1e3, "q": np.degrees(given["q"] @ R.T), "tau": given["tau"] @ np.linalg.inv(R) / 0.2}
    units = {"t": "ms", "q": "deg", "tau": 0.2}
    found = symoro.measurements(ROBOT, at_motors, units=units, side="motor", transmission=R)
    assert np.abs(found.runs[0]["q"] - given["q"]).max() < 1e-12
    assert np.abs(found.runs[0]["tau"] - given["tau"]).max() < 1e-12


def test_measurements_of_another_robot_are_refused() -> None:
    data = symoro.measurements(ROBOT, channels())
    with pytest.raises(DataError, match="not of planar3r"):
        symoro.identify("planar3r", data)
    with pytest.raises(OptionError, match=r"rate is an option of symoro.measurements"):
        symoro.identify(ROBOT, data, rate=100.0)
