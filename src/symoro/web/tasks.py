"""The tasks of requests: functions from a validated request to data or to the bytes of a file.

They run in a process of their own (`jobs`), which writes the data as JSON, and know nothing of the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

import numpy as np

from symoro.errors import FormatError, NotApplicable, SymoroError
from symoro.findings import Finding, Language, Part
from symoro.formats import FORMATS, form_of, written
from symoro.formats.shapes import visuals
from symoro.model import base_parameters
from symoro.models.catalogue import entries
from symoro.models.entry import Entry
from symoro.models.parallel import motions
from symoro.models.problems import platform_problems
from symoro.robot import topology
from symoro.robot.check import require_valid
from symoro.robot.robot import Robot
from symoro.solve.given import model
from symoro.web import requests, results
from symoro.web.document import document_of, placed, reading
from symoro.web.encoding import as_json
from symoro.web.general import branches_at
from symoro.web.program import program_data


def read_file(request: Mapping[str, Any]) -> dict[str, Any]:
    """The robot of a file's text, and what its reader says."""
    asked = requests.ReadFile(**request)
    path = PurePath(PurePath(asked.name.replace("\\", "/")).name)
    file = form_of(path).read_text(asked.text, path.stem, None)
    return {
        "robot": document_of(file.robot),
        "visuals": visuals_data(file.robot),
        "problems": problems_data(file.problems),
    }


def write_file(request: Mapping[str, Any]) -> bytes:
    asked = requests.WriteFile(**request)
    robot, _ = reading(asked.robot)
    return written(robot, f"robot{asked.suffix}").encode()


def check(request: Mapping[str, Any]) -> dict[str, Any]:
    """Every problem of a robot at its cell, and, where it has no error, which models exist for it."""
    asked = requests.OfRobot(**request)
    try:
        robot, problems = reading(asked.robot)
    except FormatError as error:
        return {"problems": placed(error.problems, asked.robot), "models": None}
    usual = robot.taking(None)  # the page moves a platform by its pose, and all joints of loops
    return {"problems": problems, "models": {entry.name: _reason(entry, usual) for entry in entries()}}


def _reason(entry: Entry, robot: Robot) -> Finding | None:
    """Why the page has no equations of a model; None where it has."""
    if entry.of(robot).iterates:
        return Finding("page.iterates")
    return entry.reason(robot)


def branches(request: Mapping[str, Any]) -> dict[str, Any]:
    """The branches of an arm without a closed form, for one pose."""
    asked = requests.BranchesAtPose(**request)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    return branches_at(robot, asked.pose, asked.given)


def loops(request: Mapping[str, Any]) -> dict[str, Any]:
    """The closure equations of loops and their derivatives, with which the page keeps loops closed."""
    asked = requests.OfRobot(**request)
    robot = reading(asked.robot)[0].taking(None)
    closure = model("loop_closure", robot)
    from symoro.solve.loops import loop_geometry

    start = loop_geometry(robot).compile("numpy")
    assembler = start.assembler()
    try:
        q = [float(x) for x in start([assembler.home[k] if assembler.home else 0.0 for k in assembler.active])]
    except SymoroError:
        q = []
    slope = closure.derivative("q")
    return {"closure": program_data(closure.program), "slope": program_data(slope.program), "start": q}


def play(request: Mapping[str, Any]) -> dict[str, Any]:
    """A quick motion between two configurations, in rows that the page plays."""
    from symoro.web.motion import played

    asked = requests.Play(**request)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    return played(robot, asked)


def platform(request: Mapping[str, Any]) -> dict[str, Any]:
    """The legs of a parallel robot for a pose of its platform, as a program that the page runs.

    Beside it is what of the pose can be chosen, the branch of each leg, and how many branches each leg has.
    """
    from symoro.ir.graph import Graph
    from symoro.ir.passes import optimize
    from symoro.models.parallel.mechanism import branch_count
    from symoro.models.parallel.mechanism import structure as structure_of
    from symoro.models.parallel.motions import legs_of_pose
    from symoro.models.parallel.platform import PoseSymbols

    asked = requests.OfRobot(**request)
    robot, _ = reading(asked.robot)
    if not robot.platforms:
        raise NotApplicable("page.no_platform", robot=robot.name)
    legs, letters = structure_of(robot), PoseSymbols(robot, Graph())
    return {
        "program": program_data(optimize(legs_of_pose(robot))),
        "variables": [joint.variable for leg in robot.legs for joint in topology.with_variables(leg)],
        "independent": list(legs.independent),
        "branch": list(legs.branches),
        "branches": [branch_count(letters, i) for i in range(len(robot.legs))],
    }


def structure(request: Mapping[str, Any]) -> dict[str, Any]:
    """What is found in the table: axes that meet or are parallel, and the number of base parameters.

    Of a parallel robot it is the freedom of its platform, and what is wrong with its motors and its home pose.
    """
    from symoro.bind.symbols import Symbols
    from symoro.ir.graph import Graph
    from symoro.models.geometric.inverse.chain import chain
    from symoro.models.geometric.inverse.tasks import triples

    asked = requests.OfRobot(**request)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    facts: dict[str, Any] = {"triples": [], "base": None, "relations": {}}
    if robot.platforms:
        wrong = [Part(problem.beside_place()) for problem in platform_problems(robot) if problem.severity != "note"]
        return facts | {"mobility": motions.mobility(robot).finding, "problems": wrong}
    with suppress(SymoroError):  # not an arm
        facts["triples"] = [asdict(triple) for triple in triples(chain(Symbols(robot, Graph()), None))]
    try:
        parameters = base_parameters(robot)
        facts["base"] = {"count": len(parameters.parameters), "standard": len(parameters.standard)}
        facts["relations"] = parameters.relations
    except SymoroError as error:
        facts["reason"] = error.finding
    return facts


Answer = dict[str, Any] | bytes

TASKS: dict[str, Callable[..., Answer | results.Kept]] = {
    "read": read_file,
    "write": write_file,
    "check": check,
    "model": results.model_of,
    "loops": loops,
    "branches": branches,
    "play": play,
    "platform": platform,
    "structure": structure,
    "code": results.code,
    "expanded": results.expanded,
    "report": results.report,
    "zip": results.archive,
}
SUFFIXES = tuple(FORMATS)


def run(task: str, *arguments: Any, language: Language = "en") -> tuple[bytes, bytes]:
    """The answer of a task in a language, and the program that is kept for tasks after it."""
    result = TASKS[task](*arguments)
    answer, program = result if isinstance(result, results.Kept) else (result, b"")
    return answer if isinstance(answer, bytes) else as_json(answer, language), program


def problems_data(problems: Sequence[Finding]) -> list[dict[str, Any]]:
    """Problems as data; those of a document have their cells, too (`document.placed`)."""
    return [{"message": p.beside_place(), "severity": p.severity, "joint": p.joint, "line": p.line} for p in problems]


# What the links of a robot from a URDF file look like, for the page, which has the meshes: the server opens none.


MOST = 2000


def visuals_data(robot: Robot) -> list[dict[str, Any]]:
    """Boxes, cylinders, spheres and names of meshes, each with its pose in a named frame (three rows of four)."""
    return [
        {
            "frame": visual.frame,
            "kind": visual.kind,
            "sizes": list(visual.sizes),
            "pose": np.asarray(visual.pose)[:3].ravel().tolist(),
            "colour": None if visual.colour is None else list(visual.colour),
            "mesh": visual.mesh,
        }
        for visual in visuals(robot.shapes)[:MOST]
    ]
