"""What the menus of the page show: the catalogue of models, for robots of joints and for platforms, and languages."""

from __future__ import annotations

from typing import Any

from symoro.emit import targets
from symoro.findings import sentence
from symoro.models.catalogue import entries
from symoro.models.entry import GIVEN, Entry
from symoro.models.families import PLATFORM
from symoro.solve.ways import INVERSE_GEOMETRY

INVERSE = "inverse_geometry"


def platform_catalogue() -> list[dict[str, Any]]:
    """The same rows as they are for parallel robots; the inverse geometry of legs has no options."""
    rows = {entry.name: _row(of) for entry in entries() if (of := entry.of_kind("platform")).methods}
    return [rows.get(row["name"], row | ({"options": []} if row["name"] == INVERSE else {})) for row in catalogue()]


def catalogue() -> list[dict[str, Any]]:
    """The rows of the catalogue and, among the geometric models, inverse geometry, as menus show them."""
    rows = [_row(entry) for entry in entries()]
    inverse = {
        "name": INVERSE,
        "title": sentence(f"titles.{INVERSE}"),
        "menu": "Geometric",
        "citation": "K97 § 3.3",
        "aliases": ["igm"],
        "inputs": ["T"],
        "outputs": ["q"],
        "options": [INVERSE_GEOMETRY["method"].field(), INVERSE_GEOMETRY["redundant"].field()],
    }
    place = next(k for k, row in enumerate(rows) if row["name"] == "forward_geometry")
    return [*rows[: place + 1], inverse, *rows[place + 1 :]]


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "title": entry.title,
        "menu": entry.menu,
        "citation": entry.citation,
        "aliases": entry.aliases,
        "inputs": entry.inputs,
        "outputs": [output.name for output in entry.outputs],
        # the page moves a platform by its pose: which coordinates models take is no choice there
        "options": [o.field() for o in entry.all_options if o is not GIVEN and (entry.family or {*o.on} - {*PLATFORM})],
    }


def languages() -> dict[str, str]:
    return dict(targets())
