"""Models, and what is made of them: code, files, equations written out, reports.

A task keeps the model that it made, so that tasks after it need not make it again.
"""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from symoro.emit import Source, traced_files
from symoro.errors import NotApplicable
from symoro.model import Model
from symoro.models import published
from symoro.models.geometric.inverse.closed import reachable
from symoro.robot.check import require_valid
from symoro.robot.robot import Robot
from symoro.solve.general.robot import NumericDriver
from symoro.solve.given import model
from symoro.solve.ways import inverse_geometry
from symoro.web import requests
from symoro.web.document import reading
from symoro.web.encoding import as_json
from symoro.web.general import general_inverse
from symoro.web.menus import INVERSE
from symoro.web.program import expanded_data, program_data
from symoro.web.redundant import given_of, redundancy


class Kept(NamedTuple):
    """The answer of a task, and the program that it made, for tasks that write it as code later."""

    answer: bytes
    program: bytes


def model_of(given: Mapping[str, Any]) -> Kept:
    asked = requests.Wanted(**given)
    robot, _ = reading(asked.robot)
    return _kept(_made(robot, asked.model, asked.options))


class Made(NamedTuple):
    """A model as tasks keep it: its program for code, and what reports and the page say about it."""

    source: Source
    about: dict[str, Any]
    inverse: dict[str, Any]


def _kept(made: Made) -> Kept:
    answer = made.about | program_data(made.source.program) | made.inverse
    return Kept(as_json(answer), pickle.dumps(made))


def _made(robot: Robot, name: str, options: Mapping[str, Any]) -> Made:
    if name == INVERSE and not robot.platforms:
        return _inverse(robot, options)
    usual = robot.taking(None)  # the page moves a platform by its pose
    made = inverse_geometry(usual) if name == INVERSE else model(name, usual, **_given(options))
    return Made(made.source, _about(made), {})


def _about(made: Model) -> dict[str, Any]:
    params = str(made.options.get("params", "standard"))
    figures = published.of(made.robot.name, made.name, params)
    return {
        "name": made.name,
        "title": made.title,
        "citation": made.citation,
        "options": {name: _plain(value) for name, value in made.options.items()},
        "formulation": made.formulation,
        "published": [
            {"source": f.source, "mul": f.M, "add": f.A, "total": f.total} for f in figures if "SYMORO+" in f.source
        ],
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _inverse(robot: Robot, options: Mapping[str, Any]) -> Made:
    """The closed form of all branches, and how it is derived; the self-test of its code takes poses within reach.

    Without a closed form it is the direct model, whose pose the general method makes the wanted one.
    """
    given = given_of(robot, options.get("redundant"))
    found = inverse_geometry(robot, **({"method": "auto"} | _options(robot, INVERSE, options)))
    shown = found.forward if isinstance(found.driver, NumericDriver) else found
    about = {
        "name": INVERSE,
        "title": "Inverse geometric model",
        "citation": shown.citation,
        "options": {"method": found.method, "redundant": ",".join(map(str, given)) or None},
        "formulation": found.method,
        "published": [],
    }
    if shown is not found:
        return Made(shown.source, about, {"inverse": general_inverse(found) | redundancy(robot, given)})
    closed = {"joints": found.joints, "branches": found.branches, "task": found.task, **redundancy(robot, given)}
    source = replace(found.source, inputs=reachable(found.closed, found.joints))
    return Made(source, about, {"inverse": closed | found.derivation.data()})


def _options(robot: Robot, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a function of symoro for those of the page."""
    given = _given(options)
    if name != INVERSE or robot.platforms:
        return given
    redundant = given_of(robot, given.pop("redundant", None))
    return given | ({"redundant": redundant} if redundant else {})


# code


def code(given: Mapping[str, Any], kept: bytes = b"") -> bytes:
    """The files of a package, each with the statement and the symbols of its lines."""
    asked = requests.Code(**given)
    files = traced_files(_written(asked, kept), asked.target)
    return as_json(
        {
            "target": asked.target,
            "files": [
                {
                    "name": name,
                    "text": file.text,
                    "statements": file.statements,
                    "places": [[p.line, p.column, p.length, p.symbol] for p in file.places],
                }
                for name, file in files.items()
            ],
        }
    )


def archive(given: Mapping[str, Any], kept: bytes = b"") -> bytes:
    """The same files as a zip, with a folder of their own; the same request gives the same bytes."""
    asked = requests.Code(**given)
    source = _written(asked, kept)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for name, file in traced_files(source, asked.target).items():
            out.writestr(zipfile.ZipInfo(f"{source.name}/{name}"), file.text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def expanded(given: Mapping[str, Any], kept: bytes = b"") -> bytes:
    """The equations of a model without intermediate variables, as far as they are not too long."""
    asked = requests.Made(**given)
    return as_json(expanded_data(_again(asked, asked.robot, kept).source.program))


def _written(asked: requests.Code, kept: bytes) -> Source:
    """The program to write as code."""
    made = _again(asked, asked.robot, kept)
    if made.inverse.get("inverse", {}).get("numeric"):
        raise NotApplicable(
            "this arm has no closed form, so there are no equations to write as code; Python writes the general method "
            "as code: symoro.inverse_geometry(robot).emit"
        )
    return made.source


def _again(asked: requests.Made | requests.Chosen, robot: requests.Document, kept: bytes) -> Made:
    """The model that a task before this one kept, or made anew."""
    if not kept:
        return _made(reading(robot)[0], asked.model, asked.options)
    found = pickle.loads(kept)  # of our own process: `Kept`
    assert isinstance(found, Made)
    return found


def report(given: Mapping[str, Any], *kept: bytes) -> bytes:
    """The file of a report."""
    from symoro.report.work import Part, State, Work, write

    asked = requests.Report(**given)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    made = [_again(chosen, asked.robot, one) for chosen, one in zip(asked.models, kept, strict=True)]
    known = robot.values.numbers()
    parts = tuple(
        Part(
            m.about["name"],
            m.about["title"],
            m.about["citation"],
            _options(robot, chosen.model, chosen.options),
            m.source.program,
            {**m.source.known, **known},
        )
        for m, chosen in zip(made, asked.models, strict=True)
    )
    state = State(asked.q, asked.qd, asked.qdd)
    return write(Work(robot, parts, state, asked.words, asked.language), asked.kind)


def prepare(task: str) -> None:
    """Load what a task needs of files that it may not open itself: the fonts of pictures."""
    if task == "report":
        with suppress(ImportError):
            import matplotlib.backends.backend_agg
            import matplotlib.backends.backend_pdf
            import matplotlib.font_manager  # noqa: F401
