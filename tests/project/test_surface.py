"""The public surface is a contract: other programs call it. `surface.txt` holds it."""

from __future__ import annotations

import inspect
from difflib import unified_diff

import pytest

import symoro
from project.surface import FILE, surface
from symoro.models.catalogue import entries, find
from symoro.models.entry import Entry

CHANGED = """The public surface has changed:
{diff}
Other programs call these names. If the change is intended, enter it in CHANGELOG.md and run
    python tests/project/surface.py --update"""


def test_the_surface_is_that_of_the_file() -> None:
    held, found = FILE.read_text(encoding="utf-8").splitlines(), surface()
    diff = "\n".join(unified_diff(held, found, "surface.txt", "now", lineterm="", n=0))
    assert held == found, CHANGED.format(diff=diff)


def test_no_line_of_the_surface_is_there_twice() -> None:
    assert len(surface()) == len(set(surface()))


def test_every_model_of_the_catalogue_is_a_function_and_nothing_else_is() -> None:
    assert dir(symoro) == sorted([*symoro.__all__, *(n for entry in entries() for n in (entry.name, *entry.aliases))])
    assert not hasattr(symoro, "no_such_model")


@pytest.mark.parametrize("entry", list(entries()), ids=lambda entry: entry.name)
def test_a_row_says_all_that_its_users_need(entry: Entry) -> None:
    function = getattr(symoro, entry.name)
    parameters = list(inspect.signature(function).parameters)
    assert parameters[0] == "robot"
    assert parameters[1:] == [option.name for option in entry.all_options]
    assert function.__doc__.startswith(entry.title)
    assert all((entry.title, entry.menu, entry.citation, entry.oracle))


def test_names_and_aliases_are_unique() -> None:
    names = [name for entry in entries() for name in (entry.name, *entry.aliases)]
    assert len(names) == len(set(names))
    assert all(find(alias) is entry for entry in entries() for alias in entry.aliases)


def test_six_lines_of_python() -> None:
    robot = symoro.load("puma560")
    model = symoro.inverse_dynamics(robot)
    assert model.inputs == {"q": (6,), "qd": (6,), "qdd": (6,), "wrench": (1, 6)}
    assert model.outputs == {"GAM": (6,)}
    assert model.ops.total == model.ops.mul + model.ops.add + model.ops.div
    assert model.compile()([0.1] * 6, [0.2] * 6, [0.3] * 6).shape == (6,)
