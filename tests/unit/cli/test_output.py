"""Tables as plain text, and what long work says."""

from __future__ import annotations

import json

import pytest

from symoro.cli import output
from symoro.cli.output import Table, plain_lines, progress
from symoro.findings import Finding
from symoro.models.results import say


def test_numbers_are_set_to_the_right_and_nothing_trails() -> None:
    table = Table("Counts", ("model", "M"), [("idm", "9"), ("transform", "120")], frozenset({"M"}))
    assert plain_lines(table) == ["Counts", "model        M", "idm          9", "transform  120"]


def test_a_table_without_rows_is_its_heads() -> None:
    assert plain_lines(Table("", ("a", "b"), [])) == ["a  b"]


def test_long_work_says_its_steps_one_in_two_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(output, "monotonic", lambda: now[0])
    with progress("working"):
        for time in (0.5, 1.9, 2.1, 2.2, 4.0, 4.2):
            now[0] = time
            say(Finding("progress.time", time=time, end=5.0))
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["working ...", "working: 2.1 s of 5 s", "working: 4.2 s of 5 s"]


def test_numbers_that_json_does_not_have_are_null(capsys: pytest.CaptureFixture[str]) -> None:
    output.show_json({"rows": [{"sigma": float("inf"), "value": 1.5}, (float("nan"), 2, None, True)]})
    assert json.loads(capsys.readouterr().out) == {"rows": [{"sigma": None, "value": 1.5}, [None, 2, None, True]]}
