"""Arguments of symoro identify as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.raised import raised
from symoro.cli.flags import value_of
from symoro.cli.identify import command
from symoro.errors import OptionError
from symoro.identification.identify import IDENTIFY


def test_columns_are_named_for_each_joint_and_the_time_has_one() -> None:
    read = value_of(IDENTIFY["columns"], ["t=time", "q = a1, a2", "tau=i1"])
    assert read == {"t": "time", "q": ["a1", "a2"], "tau": ["i1"]}


def test_units_are_names_or_factors() -> None:
    units = IDENTIFY["units"]
    assert value_of(units, ["q=deg", "tau=0.11,0.07", "t=1e-3"]) == {"q": "deg", "tau": [0.11, 0.07], "t": 1e-3}
    assert value_of(units, ["q=deg,m"]) == {"q": ["deg", "m"]}


def test_known_parameters_are_numbers_by_name() -> None:
    assert value_of(IDENTIFY["known"], ["M2=1.5", "MX2=-2e-3"]) == {"M2": 1.5, "MX2": -2e-3}
    for text in ("M2", "M2=", "M2=heavy", "M2=nan"):
        with raised("options.value", OptionError):
            value_of(IDENTIFY["known"], [text])


@pytest.mark.parametrize("text", ["q", "q=", "="])
def test_a_channel_without_columns_is_refused_with_how_it_is_written(text: str) -> None:
    with raised("options.value", OptionError) as error:
        value_of(IDENTIFY["columns"], [text])
    assert error.value.finding.fields["allowed"] == ["CHANNEL=A,B,…"]


def test_numbers_and_words_are_read_as_their_options_take_them() -> None:
    texts = {
        "cutoff": "30",
        "decimation": "5",
        "delay": "auto",
        "dead_zone": "0.1,0.2",
        "payload": "2",
    }
    read = {name: value_of(IDENTIFY[name], text) for name, text in texts.items()}
    assert read == {
        "cutoff": 30.0, "decimation": 5, "delay": "auto", "dead_zone": [0.1, 0.2], "payload": 2,
    }  # fmt: skip


def test_a_wrong_ending_of_the_report_is_said_before_the_work(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("nothing that could be identified", encoding="utf-8")
    with raised("estimates.report"):
        command.__wrapped__("planar2r", [log], report=tmp_path / "report.txt")
