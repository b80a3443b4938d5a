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
from symoro.inverse import InverseGeometry, inverse_geometry
from symoro.model import Model, model
from symoro.models import published
from symoro.models.geometric.inverse.poses import reachable
from symoro.platforms.inverse import inverse_geometry as legs_of
from symoro.robot.check import require_valid
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.web import requests
from symoro.web.document import reading
from symoro.web.encoding import as_json
from symoro.web.general import general_data
from symoro.web.menus import INVERSE
from symoro.web.program import expanded_data, program_data


class Kept(NamedTuple):
    """The answer of a task, and the program that it made, for tasks that write it as code later."""

    answer: bytes
    program: bytes


def model_of(given: Mapping[str, Any]) -> Kept:
    asked = requests.Wanted(**given)
    robot, _ = reading(asked.robot)
    if asked.model == INVERSE and not isinstance(robot, ParallelRobot):
        return _branches(robot, asked.options)
    return _kept(_made(robot, asked.model, asked.options))


def _branches(robot: Robot, options: Mapping[str, Any]) -> Kept:
    """The closed form of all branches; without one, the general method, of which there is no program to keep."""
    found = inverse_geometry(robot, **({"method": "auto"} | _given(options)))
    if isinstance(found, InverseGeometry):
        return _kept(_inverse(found))
    return Kept(as_json(_about_inverse(found.forward, found.method) | general_data(found)), b"")


class Made(NamedTuple):
    """A model as tasks keep it: its program for code, and what reports and the page say about it."""

    source: Source
    about: dict[str, Any]
    inverse: dict[str, Any]


def _kept(made: Made) -> Kept:
    answer = made.about | program_data(made.source.program) | made.inverse
    return Kept(as_json(answer), pickle.dumps(made))


def _made(robot: Robot, name: str, options: Mapping[str, Any]) -> Made:
    if name == INVERSE and isinstance(robot, ParallelRobot):
        made = legs_of(robot).model  # of a parallel robot: that of its legs
    elif name == INVERSE:
        return _inverse(_closed(robot, options))
    else:
        made = model(name, robot, **_given(options))
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


def _inverse(found: InverseGeometry) -> Made:
    """The closed form of all branches, and how it is derived; the self-test of its code takes poses within reach."""
    closed = {"joints": found.joints, "branches": found.branches, "task": found.task}
    source = replace(found.model.source, inputs=reachable(found.closed, found.joints))
    return Made(source, _about_inverse(found.model, found.method), {"inverse": closed | found.derivation.data()})


def _about_inverse(shown: Model, method: str) -> dict[str, Any]:
    return {
        "name": INVERSE,
        "title": "Inverse geometric model",
        "citation": shown.citation,
        "options": {"method": method},
        "formulation": method,
        "published": [],
    }


def _closed(robot: Robot, options: Mapping[str, Any]) -> InverseGeometry:
    found = inverse_geometry(robot, **({"method": "auto"} | _given(options)))
    if not isinstance(found, InverseGeometry):
        raise NotApplicable(
            "this arm has no closed form, so there are no equations to write as code; the general method is written "
            "in C by Python: symoro.inverse_geometry(robot).emit"
        )
    return found


# code


def code(given: Mapping[str, Any], kept: bytes = b"") -> bytes:
    """The files of a package, each with the statement and the symbols of its lines."""
    asked = requests.Code(**given)
    files = traced_files(_source(asked, kept), asked.target)
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
    source = _source(asked, kept)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for name, file in traced_files(source, asked.target).items():
            out.writestr(zipfile.ZipInfo(f"{source.name}/{name}"), file.text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def expanded(given: Mapping[str, Any], kept: bytes = b"") -> bytes:
    """The equations of a model without intermediate variables, as far as they are not too long."""
    return as_json(expanded_data(_source(requests.Made(**given), kept).program))


def _source(asked: requests.Made, kept: bytes) -> Source:
    return _again(asked, asked.robot, kept).source


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
            _given(chosen.options),
            m.source.program,
            {**m.source.known, **known},
        )
        for m, chosen in zip(made, asked.models, strict=True)
    )
    return write(Work(robot, parts, State(asked.q, asked.qd, asked.qdd)), asked.kind)


def prepare(task: str) -> None:
    """Load what a task needs of files that it may not open itself: the fonts of pictures."""
    if task == "report":
        with suppress(ImportError):
            import matplotlib.backends.backend_agg
            import matplotlib.backends.backend_pdf
            import matplotlib.font_manager  # noqa: F401
