"""The tasks of requests: functions from a validated request to JSON or to the bytes of a file.

They run in a process of their own (`jobs`) and know nothing of the server.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from pathlib import PurePath
from typing import Any, NamedTuple

from symoro.emit import Source, traced_files
from symoro.errors import FormatError, NotApplicable, Problem, SymoroError
from symoro.formats import FORMATS, written
from symoro.inverse import InverseGeometry, inverse_geometry
from symoro.model import Model, model
from symoro.models import published
from symoro.models.catalogue import entries
from symoro.models.entry import Entry
from symoro.models.geometric.inverse.poses import reachable
from symoro.platforms.inverse import inverse_geometry as legs_of
from symoro.reports import base_parameters, mobility
from symoro.robot.check import require_valid
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.web import requests
from symoro.web.document import document_of, placed, reading
from symoro.web.general import branches_at, general_data
from symoro.web.menus import INVERSE
from symoro.web.program import program_data
from symoro.web.visuals import visuals_data


class Kept(NamedTuple):
    """The answer of a task, and the program that it made, for tasks that write it as code later."""

    answer: bytes
    program: bytes


def read_file(given: Mapping[str, Any]) -> bytes:
    """The robot of a file's text, and what its reader says."""
    from symoro import formats

    asked = requests.ReadFile(**given)
    path = PurePath(asked.name.replace("\\", "/")).name
    form = formats._format(PurePath(path))  # type: ignore[arg-type]
    found = form.read_text(asked.text, PurePath(path).stem, None)
    notes = [{"message": p.message, "severity": p.severity, "joint": p.joint, "line": p.line} for p in found.problems]
    seen = {"robot": document_of(found.robot, asked.text), "visuals": visuals_data(found.robot)}
    return _json(seen | {"problems": notes})


def write_file(given: Mapping[str, Any]) -> bytes:
    asked = requests.WriteFile(**given)
    robot, _ = reading(asked.robot)
    if asked.robot.parallel and asked.suffix == ".toml":
        return asked.robot.parallel.text.encode()
    return written(robot, f"robot{asked.suffix}").encode()


def check(given: Mapping[str, Any]) -> bytes:
    """Every problem of a robot at its cell, and, where it has no error, which models exist for it."""
    asked = requests.OfRobot(**given)
    try:
        robot, problems = reading(asked.robot)
    except FormatError as error:
        return _json({"problems": placed(error.problems, asked.robot), "models": None})
    return _json({"problems": problems, "models": {entry.name: _reason(entry, robot) for entry in entries()}})


def _reason(entry: Entry, robot: Robot) -> str | None:
    """Why the page has no equations of a model; None where it has."""
    if robot.parallel and entry.platform and entry.platform.procedure:
        return "it iterates, so it has no equations: use Python, or one step (loop_step)"
    return entry.reason(robot)


def model_of(given: Mapping[str, Any]) -> Kept:
    asked = requests.Wanted(**given)
    robot, _ = reading(asked.robot)
    if asked.model == INVERSE and not isinstance(robot, ParallelRobot):
        return _inverse(robot, asked.options)
    made = _made(robot, asked)
    return Kept(_json(_about(made) | program_data(made.program)), pickle.dumps(made.source))


def _made(robot: Robot, asked: requests.Wanted) -> Model:
    """The model that is asked for; the inverse geometry of a parallel robot is that of its legs."""
    if asked.model == INVERSE and isinstance(robot, ParallelRobot):
        return legs_of(robot).model
    return model(asked.model, robot, **_given(asked.options))


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


def _inverse(robot: Robot, options: Mapping[str, Any]) -> Kept:
    """The closed form of all branches, and how it is derived; without one, the general method."""
    found = inverse_geometry(robot, **({"method": "auto"} | _given(options)))
    shown = found.model if isinstance(found, InverseGeometry) else found.forward
    about = {
        "name": INVERSE,
        "title": "Inverse geometric model",
        "citation": shown.citation,
        "options": {"method": found.method},
        "formulation": found.method,
        "published": [],
    }
    if not isinstance(found, InverseGeometry):
        return Kept(_json(about | general_data(found)), b"")
    closed = {"joints": found.joints, "branches": found.branches, "task": found.task}
    data = about | program_data(found.model.program) | {"inverse": closed | found.derivation.data()}
    return Kept(_json(data), pickle.dumps(_inverse_source(found)))


def _inverse_source(found: InverseGeometry) -> Source:
    """The program of all branches; the self-test of its code takes poses that can be reached."""
    return replace(found.model.source, inputs=reachable(found.closed, found.joints))


def _closed(robot: Robot, options: Mapping[str, Any]) -> InverseGeometry:
    found = inverse_geometry(robot, **({"method": "auto"} | _given(options)))
    if not isinstance(found, InverseGeometry):
        raise NotApplicable(
            "this arm has no closed form, so there are no equations to write as code; the general method is written "
            "in C by Python: symoro.inverse_geometry(robot).emit"
        )
    return found


def branches(given: Mapping[str, Any]) -> bytes:
    """The branches of an arm without a closed form, for one pose."""
    asked = requests.Branches(**given)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    return _json(branches_at(robot, asked.pose))


def loops(given: Mapping[str, Any]) -> bytes:
    """The closure equations of loops and their derivatives, with which the page keeps loops closed."""
    asked = requests.OfRobot(**given)
    robot, _ = reading(asked.robot)
    closure = model("loop_closure", robot)
    from symoro.assembly import loop_geometry

    start = loop_geometry(robot).compile("numpy")
    active = start.assembler().active
    try:
        q = [float(x) for x in start([0.0] * len(active))]
    except SymoroError:
        q = []
    slope = closure.derivative("q")
    return _json({"closure": program_data(closure.program), "slope": program_data(slope.program), "start": q})


def play(given: Mapping[str, Any]) -> bytes:
    """A quick motion between two configurations, in rows that the page plays."""
    from symoro.web.motion import played

    asked = requests.Play(**given)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    return _json(played(robot, asked))


def platform(given: Mapping[str, Any]) -> bytes:
    """The legs of a parallel robot for a pose of its platform, as a program that the page runs."""
    from symoro.web.parallel import platform as of_platform

    asked = requests.OfRobot(**given)
    robot, _ = reading(asked.robot)
    if not isinstance(robot, ParallelRobot):
        raise NotApplicable(f"{robot.name} is not a parallel robot: it has no platform")
    return _json(of_platform(robot))


def structure(given: Mapping[str, Any]) -> bytes:
    """What is found in the table: axes that meet or are parallel, and the number of base parameters."""
    from symoro.ir.graph import Graph
    from symoro.models.geometric.inverse.chain import chain
    from symoro.models.geometric.inverse.pieper import triples
    from symoro.symbols import Symbols

    asked = requests.OfRobot(**given)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    found: dict[str, Any] = {"triples": [], "base": None, "relations": {}}
    if isinstance(robot, ParallelRobot):
        return _json(found | {"mobility": str(mobility(robot))})
    with suppress(SymoroError):  # not an arm
        found["triples"] = [str(triple) for triple in triples(chain(Symbols(robot, Graph()), None))]
    try:
        parameters = base_parameters(robot)
        found["base"] = {"count": len(parameters.parameters), "standard": len(parameters.standard)}
        found["relations"] = parameters.relations
    except SymoroError as error:
        found["reason"] = str(error)
    return _json(found)


# code


def code(given: Mapping[str, Any], kept: bytes = b"") -> bytes:
    """The files of a package, each with the statement and the symbols of its lines."""
    asked = requests.Code(**given)
    files = traced_files(_source(asked, kept), asked.target)
    return _json(
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


def _source(asked: requests.Code, kept: bytes) -> Source:
    """The program to write: the one that a task before this one kept, or made anew."""
    if kept:
        found = pickle.loads(kept)  # of our own process: `Kept`
        assert isinstance(found, Source)
        return found
    robot, _ = reading(asked.robot)
    if asked.model == INVERSE and not isinstance(robot, ParallelRobot):
        return _inverse_source(_closed(robot, asked.options))
    return _made(robot, asked).source


TASKS: dict[str, Callable[..., bytes | Kept]] = {
    "read": read_file,
    "write": write_file,
    "check": check,
    "model": model_of,
    "loops": loops,
    "branches": branches,
    "play": play,
    "platform": platform,
    "structure": structure,
    "code": code,
    "zip": archive,
}
SUFFIXES = tuple(FORMATS)


def problems_data(problems: tuple[Problem, ...]) -> list[dict[str, Any]]:
    return [{"message": p.message, "severity": p.severity, "joint": p.joint, "line": p.line} for p in problems]


def _json(data: Any) -> bytes:
    return json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _finite(data: Any) -> Any:
    """The data with null for numbers that JSON cannot say."""
    if isinstance(data, float):
        return data if isfinite(data) else None
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, list | tuple) else data
