"""Arguments of symoro identify as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from symoro.cli.identify import command
from symoro.cli.identify_arguments import columns_of, known_of, units_of
from symoro.errors import SymoroError


def test_columns_are_named_for_each_joint_and_the_time_has_one() -> None:
    assert columns_of(["t=time", "q = a1, a2", "tau=i1"]) == {"t": "time", "q": ["a1", "a2"], "tau": ["i1"]}
    assert columns_of(None) is None


def test_units_are_names_or_factors() -> None:
    assert units_of(["q=deg", "tau=0.11,0.07", "t=1e-3"]) == {"q": "deg", "tau": [0.11, 0.07], "t": 1e-3}
    assert units_of(["q=deg,m"]) == {"q": ["deg", "m"]}


def test_known_parameters_are_numbers_by_name() -> None:
    assert known_of(["M2=1.5", "MX2=-2e-3"]) == {"M2": 1.5, "MX2": -2e-3}
    assert known_of(None) is None
    for text in ("M2", "M2=", "M2=heavy", "M2=nan"):
        with pytest.raises((typer.BadParameter, SymoroError)):
            known_of([text])


@pytest.mark.parametrize("text", ["q", "q=", "="])
def test_a_channel_without_columns_is_an_error_of_usage(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="such as q=q1,q2"):
        columns_of([text])


def test_a_wrong_ending_of_the_report_is_said_before_the_work(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("nothing that could be identified", encoding="utf-8")
    with pytest.raises(SymoroError, match=r"'\.txt' is not a report \(allowed: \.html, \.pdf\)"):
        command("planar2r", [log], report=tmp_path / "report.txt")
