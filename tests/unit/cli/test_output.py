"""Tables as plain text."""

from __future__ import annotations

from symoro.cli.output import Table, plain_lines


def test_numbers_are_set_to_the_right_and_nothing_trails() -> None:
    table = Table("Counts", ("model", "M"), [("idm", "9"), ("transform", "120")], frozenset({"M"}))
    assert plain_lines(table) == ["Counts", "model        M", "idm          9", "transform  120"]


def test_a_table_without_rows_is_its_heads() -> None:
    assert plain_lines(Table("", ("a", "b"), [])) == ["a  b"]
