"""The catalogue has the names of all rows, each with the package of its row."""

from __future__ import annotations

import pytest

from symoro.models.catalogue import PACKAGE_OF, entries, find, rows


@pytest.mark.parametrize("package", sorted(set(PACKAGE_OF.values())))
def test_the_names_of_a_package_are_those_of_its_rows(package: str) -> None:
    names = [name for row in rows(package) for name in (row.name, *row.aliases)]
    assert names == [name for name, where in PACKAGE_OF.items() if where == package]


def test_a_name_and_an_alias_give_the_row() -> None:
    for entry in entries():
        assert all(find(name) is entry for name in (entry.name, *entry.aliases))
