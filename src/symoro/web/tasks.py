"""The tasks of requests: functions from a validated request to JSON or to the bytes of a file.

They run in a process of their own (`jobs`) and know nothing of the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from symoro.errors import FormatError, NotApplicable, Problem, SymoroError
from symoro.formats import FORMATS, form_of, written
from symoro.model import base_parameters, mobility
from symoro.models.catalogue import entries
from symoro.models.entry import Entry
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
from symoro.web.visuals import visuals_data


def read_file(given: Mapping[str, Any]) -> bytes:
    """The robot of a file's text, and what its reader says."""
    asked = requests.ReadFile(**given)
    path = PurePath(PurePath(asked.name.replace("\\", "/")).name)
    found = form_of(path).read_text(asked.text, path.stem, None)
    seen = {"robot": document_of(found.robot), "visuals": visuals_data(found.robot)}
    return as_json(seen | {"problems": problems_data(found.problems)})


def write_file(given: Mapping[str, Any]) -> bytes:
    asked = requests.WriteFile(**given)
    robot, _ = reading(asked.robot)
    return written(robot, f"robot{asked.suffix}").encode()


def check(given: Mapping[str, Any]) -> bytes:
    """Every problem of a robot at its cell, and, where it has no error, which models exist for it."""
    asked = requests.OfRobot(**given)
    try:
        robot, problems = reading(asked.robot)
    except FormatError as error:
        return as_json({"problems": placed(error.problems, asked.robot), "models": None})
    usual = robot.taking(None)  # the page moves a platform by its pose, and all joints of loops
    return as_json({"problems": problems, "models": {entry.name: _reason(entry, usual) for entry in entries()}})


def _reason(entry: Entry, robot: Robot) -> str | None:
    """Why the page has no equations of a model; None where it has."""
    if entry.of(robot).iterates:
        return "it iterates, so it has no equations: use Python, or one step (loop_step)"
    return entry.reason(robot)


def branches(given: Mapping[str, Any]) -> bytes:
    """The branches of an arm without a closed form, for one pose."""
    asked = requests.Branches(**given)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    return as_json(branches_at(robot, asked.pose, asked.given))


def loops(given: Mapping[str, Any]) -> bytes:
    """The closure equations of loops and their derivatives, with which the page keeps loops closed."""
    asked = requests.OfRobot(**given)
    robot = reading(asked.robot)[0].taking(None)
    closure = model("loop_closure", robot)
    from symoro.solve.loops import loop_geometry

    start = loop_geometry(robot).compile("numpy")
    active = start.assembler().active
    try:
        q = [float(x) for x in start([0.0] * len(active))]
    except SymoroError:
        q = []
    slope = closure.derivative("q")
    return as_json({"closure": program_data(closure.program), "slope": program_data(slope.program), "start": q})


def play(given: Mapping[str, Any]) -> bytes:
    """A quick motion between two configurations, in rows that the page plays."""
    from symoro.web.motion import played

    asked = requests.Play(**given)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    return as_json(played(robot, asked))


def platform(given: Mapping[str, Any]) -> bytes:
    """The legs of a parallel robot for a pose of its platform, as a program that the page runs.

    Beside it is what of the pose can be chosen, the branch of each leg, and how many branches each leg has.
    """
    from symoro.ir.graph import Graph
    from symoro.ir.passes import optimize
    from symoro.models.parallel.mechanism import branch_count
    from symoro.models.parallel.mechanism import structure as structure_of
    from symoro.models.parallel.motions import legs_of_pose
    from symoro.models.parallel.platform import Letters

    asked = requests.OfRobot(**given)
    robot, _ = reading(asked.robot)
    if not robot.platforms:
        raise NotApplicable(f"{robot.name} is not a parallel robot: it has no platform")
    found, letters = structure_of(robot), Letters(robot, Graph())
    shown = {
        "program": program_data(optimize(legs_of_pose(robot))),
        "variables": [joint.variable for leg in robot.legs for joint in topology.with_variables(leg)],
        "independent": list(found.independent),
        "branch": list(found.branches),
        "branches": [branch_count(letters, i) for i in range(len(robot.legs))],
    }
    return as_json(shown)


def structure(given: Mapping[str, Any]) -> bytes:
    """What is found in the table: axes that meet or are parallel, and the number of base parameters.

    Of a parallel robot it is the freedom of its platform, and what is wrong with its motors and its home pose.
    """
    from symoro.bind.symbols import Symbols
    from symoro.ir.graph import Graph
    from symoro.models.geometric.inverse.chain import chain
    from symoro.models.geometric.inverse.tasks import triples

    asked = requests.OfRobot(**given)
    robot, _ = reading(asked.robot)
    require_valid(robot)
    found: dict[str, Any] = {"triples": [], "base": None, "relations": {}}
    if robot.platforms:
        wrong = [problem.message for problem in platform_problems(robot) if problem.severity != "note"]
        return as_json(found | {"mobility": str(mobility(robot)), "problems": wrong})
    with suppress(SymoroError):  # not an arm
        found["triples"] = [str(triple) for triple in triples(chain(Symbols(robot, Graph()), None))]
    try:
        parameters = base_parameters(robot)
        found["base"] = {"count": len(parameters.parameters), "standard": len(parameters.standard)}
        found["relations"] = parameters.relations
    except SymoroError as error:
        found["reason"] = str(error)
    return as_json(found)


TASKS: dict[str, Callable[..., bytes | results.Kept]] = {
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


def problems_data(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Problems as data; those of a document have their cells, too (`document.placed`)."""
    return [{"message": p.message, "severity": p.severity, "joint": p.joint, "line": p.line} for p in problems]
