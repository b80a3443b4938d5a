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
from symoro.findings import sentence
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
from symoro.web.general import general_inverse
from symoro.web.menus import INVERSE
from symoro.web.program import expanded_data, program_data
from symoro.web.redundant import given_of, redundancy


class Kept(NamedTuple):
    """The answer of a task, and the program that it made, for tasks that write it as code later."""

    answer: dict[str, Any]
    program: bytes


def model_of(request: Mapping[str, Any], kept: bytes = b"") -> Kept:
    """A model; one that a task before this one kept is written again, in another language."""
    asked = requests.KnownModel(**request)
    return _kept(_again(asked, asked.robot, kept))


class PageModel(NamedTuple):
    """A model as tasks keep it: its program for code, and what reports and the page say about it."""

    source: Source
    about: dict[str, Any]
    inverse: dict[str, Any]


def _kept(model: PageModel) -> Kept:
    return Kept(model.about | program_data(model.source.program) | model.inverse, pickle.dumps(model))


def _built(robot: Robot, name: str, options: Mapping[str, Any]) -> PageModel:
    if name == INVERSE and not robot.platforms:
        return _inverse(robot, options)
    usual = robot.taking(None)  # the page moves a platform by its pose
    chosen = inverse_geometry(usual) if name == INVERSE else model(name, usual, **_chosen(options))
    return PageModel(chosen.source, _about(chosen), {})


def _about(result: Model) -> dict[str, Any]:
    params = str(result.options.get("params", "standard"))
    figures = published.of(result.robot.name, result.name, params)
    return {
        "name": result.name,
        "title": result.title,
        "citation": result.citation,
        "options": {name: _plain(value) for name, value in result.options.items()},
        "formulation": result.formulation,
        "published": [
            {"source": f.source, "mul": f.M, "add": f.A, "total": f.total} for f in figures if "SYMORO+" in f.source
        ],
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _inverse(robot: Robot, options: Mapping[str, Any]) -> PageModel:
    """The closed form of all branches, and how it is derived; the self-test of its code takes poses within reach.

    Without a closed form it is the direct model, whose pose the general method makes the wanted one.
    """
    known = given_of(robot, options.get("redundant"))
    inverse = inverse_geometry(robot, **({"method": "auto"} | _options(robot, INVERSE, options)))
    shown = inverse.forward if isinstance(inverse.driver, NumericDriver) else inverse
    about = {
        "name": INVERSE,
        "title": sentence(f"titles.{INVERSE}"),
        "citation": shown.citation,
        "options": {"method": inverse.method, "redundant": ",".join(map(str, known)) or None},
        "formulation": inverse.method,
        "published": [],
    }
    if shown is not inverse:
        return PageModel(shown.source, about, {"inverse": general_inverse(inverse) | redundancy(robot, known)})
    facts = {"joints": inverse.joints, "branches": inverse.branches, "task": inverse.task, **redundancy(robot, known)}
    source = replace(inverse.source, inputs=reachable(inverse.closed, inverse.joints))
    return PageModel(source, about, {"inverse": facts | inverse.derivation.data()})


def _options(robot: Robot, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a function of symoro for those of the page."""
    chosen = _chosen(options)
    if name != INVERSE or robot.platforms:
        return chosen
    redundant = given_of(robot, chosen.pop("redundant", None))
    return chosen | ({"redundant": redundant} if redundant else {})


# code


def code(request: Mapping[str, Any], kept: bytes = b"") -> dict[str, Any]:
    """The files of a package, each with the statement and the symbols of its lines."""
    asked = requests.Code(**request)
    files = traced_files(_written(asked, kept), asked.target)
    return {
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


def archive(request: Mapping[str, Any], kept: bytes = b"") -> bytes:
    """The same files as a zip, with a folder of their own; the same request gives the same bytes."""
    asked = requests.Code(**request)
    source = _written(asked, kept)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for name, file in traced_files(source, asked.target).items():
            out.writestr(zipfile.ZipInfo(f"{source.name}/{name}"), file.text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def expanded(request: Mapping[str, Any], kept: bytes = b"") -> dict[str, Any]:
    """The equations of a model without intermediate variables, as far as they are not too long."""
    asked = requests.KnownModel(**request)
    return expanded_data(_again(asked, asked.robot, kept).source.program)


def _written(asked: requests.Code, kept: bytes) -> Source:
    """The program to write as code."""
    again = _again(asked, asked.robot, kept)
    if again.inverse.get("inverse", {}).get("numeric"):
        raise NotApplicable("page.no_code")
    return again.source


def _again(asked: requests.KnownModel | requests.Chosen, robot: requests.Document, kept: bytes) -> PageModel:
    """The model that a task before this one kept, or made anew."""
    if not kept:
        return _built(reading(robot)[0], asked.model, asked.options)
    earlier = pickle.loads(kept)  # of our own process: `Kept`
    assert isinstance(earlier, PageModel)
    return earlier


def report(request: Mapping[str, Any], *kept: bytes) -> bytes:
    """The file of a report."""
    from symoro.report.work import JointState, ReportedModel, Work, write

    asked = requests.WantedReport(**request)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    models = [_again(chosen, asked.robot, one) for chosen, one in zip(asked.models, kept, strict=True)]
    known = robot.values.numbers()
    parts = tuple(
        ReportedModel(
            m.about["name"],
            m.about["title"],
            m.about["citation"],
            _options(robot, chosen.model, chosen.options),
            m.source.program,
            {**m.source.known, **known},
        )
        for m, chosen in zip(models, asked.models, strict=True)
    )
    state = JointState(asked.q, asked.qd, asked.qdd)
    return write(Work(robot, parts, state, asked.language), asked.kind)


def prepare(task: str) -> None:
    """Load what a task needs of files that it may not open itself: the fonts of pictures."""
    if task == "report":
        with suppress(ImportError):
            import matplotlib.backends.backend_agg
            import matplotlib.backends.backend_pdf
            import matplotlib.font_manager  # noqa: F401
