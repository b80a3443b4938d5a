"""Parallel robots on the page: where legs meet the platform, and the legs for a pose of the platform as a program.

The page shows a parallel robot, but does not edit it: its document carries the text of its file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from symoro.errors import SymoroError
from symoro.formats import toml
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.passes import optimize
from symoro.ir.program import Program
from symoro.models.geometric.frames import carrier
from symoro.models.parallel.build import inputs, parameters
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.structure import Structure, bound_leg, branch_of, structure
from symoro.robot import topology
from symoro.robot.parallel import Attachment, ParallelRobot
from symoro.robot.values import Value, to_text
from symoro.web.program import program_data
from symoro.web.requests import Document, Parallel


def parallel_part(robot: ParallelRobot, text: str) -> dict[str, Any]:
    """What a document has beside the tables of the legs."""
    if not text:
        raise SymoroError(f"{robot.name}: the page shows parallel robots of the library and of files only")
    return {
        "text": text,
        "home": _rows(robot.home),
        "inertia": {name: to_text(value) for name, value in robot.platform.items()},
        "attachments": [_attachment(robot, i, a) for i, a in enumerate(robot.attachments)],
    }


def _attachment(robot: ParallelRobot, i: int, a: Attachment) -> dict[str, Any]:
    """A leg's end: its link among those of all legs, the frame there, and the frame on the platform."""
    leg = robot.legs[i]
    link, end = carrier(leg, robot.end(i))
    return {
        "kind": a.kind.value,
        "pose": _rows(a.pose),
        "link": robot.first_joints[i] + link,
        "end": _rows(end),
        "joints": leg.link_count,
    }


def _rows(pose: Sequence[Sequence[Value]]) -> list[list[str]]:
    return [[to_text(value) for value in row] for row in pose]


def read_parallel(document: Document, part: Parallel) -> ParallelRobot:
    """The robot of the text that the document carries."""
    robot = toml.read_text(part.text, document.name).robot
    if not isinstance(robot, ParallelRobot):
        raise SymoroError(f"{document.name}: the text of the parallel robot describes another kind of robot")
    return replace(robot, title=document.title)


def platform(robot: ParallelRobot) -> dict[str, Any]:
    """The legs for a pose of the platform, as a program for the page, and what of the pose can be chosen."""
    found = structure(robot)
    return {
        "program": program_data(_legs(robot, found)),
        "variables": [joint.variable for leg in robot.legs for joint in topology.movable(leg)],
        "independent": list(found.independent),
    }


def _legs(robot: ParallelRobot, found: Structure) -> Program:
    """QL: the joints of all legs in the branches that reach the home pose; OK where a leg reaches; E the gaps."""
    letters = Letters(robot, Graph(cancel=True))
    legs = [bound_leg(letters, i, branch, found.chosen[i]) for i, branch in enumerate(found.branches)]
    q = [leg.s.q[j] for leg in legs for j in leg.s.variables]
    ok = [branch_of(letters, i, branch, found.chosen[i]).ok for i, branch in enumerate(found.branches)]
    gaps = [x for leg in legs for x in leg.residual]
    results = [
        Result(name, (len(x),), tuple(x), tuple(f"{name}{k + 1}" for k in range(len(x))))
        for name, x in (("QL", q), ("OK", ok), ("E", gaps))
    ]
    return optimize(extract(letters.graph, inputs(letters, ("T",)), parameters(letters), results))
