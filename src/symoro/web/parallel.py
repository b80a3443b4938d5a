"""Parallel robots on the page: the legs for a pose of the platform, as a program that the page runs."""

from __future__ import annotations

from typing import Any

from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.passes import optimize
from symoro.ir.program import Program
from symoro.models.parallel.build import inputs, parameters
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.structure import Structure, bound_leg, branch_of, structure
from symoro.robot import topology
from symoro.robot.parallel import ParallelRobot
from symoro.web.program import program_data


def platform(robot: ParallelRobot) -> dict[str, Any]:
    """The legs for a pose of the platform, as a program for the page, and what of the pose can be chosen."""
    found = structure(robot)
    return {
        "program": program_data(_legs(robot, found)),
        "variables": [joint.variable for leg in robot.legs for joint in topology.with_variables(leg)],
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
