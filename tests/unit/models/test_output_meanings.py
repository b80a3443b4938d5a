"""Every output of every model says what it is and in which unit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

import symoro
from symoro.errors import NotApplicable
from symoro.models.catalogue import entries
from symoro.models.entry import Entry

ROBOTS = ("planar2r", "four-bar", "satellite", "diff-drive-2r", "flexible-arm", "flexible-joints")


@pytest.mark.parametrize("entry", list(entries()), ids=lambda entry: entry.name)
def test_every_output_has_a_meaning_and_a_unit(entry: Entry) -> None:
    found = [made for name in ROBOTS for made in models(entry, symoro.load(name))]
    assert found
    for output in (output for made in found for output in made.program.outputs):
        assert len(output.meanings) == len(output.elements), output.name
        assert all(meaning.text and meaning.unit for meaning in output.meanings), output.name


def models(entry: Entry, robot: symoro.Robot) -> Iterator[symoro.Model]:
    """The model of the robot, where it exists."""
    needed = {option.name: robot.link_count for option in entry.options if option.required}
    with suppress(NotApplicable):
        yield getattr(symoro, entry.name)(robot, **needed, optimize=False)


def test_units_are_those_of_the_joints() -> None:
    units = {
        name: symoro.inertia_matrix(name, optimize=False).program.outputs[0].meanings[0].unit
        for name in ("planar2r", "spring-mass", "stanford", "satellite")
    }
    mixed = "kg·m² or kg or kg·m"
    assert units == {"planar2r": "kg·m²", "spring-mass": "kg", "stanford": mixed, "satellite": mixed}
