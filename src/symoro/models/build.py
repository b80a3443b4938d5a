"""From a robot and a row of the catalogue to a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from symoro.errors import NotApplicable
from symoro.interface import inputs, parameters
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.passes import cost, optimize
from symoro.ir.program import Program
from symoro.models.entry import Algorithm, Entry
from symoro.models.identification.regrouping import regrouped
from symoro.robot.robot import Robot
from symoro.symbols import Symbols

_OF_THE_BUILDER = ("method", "optimize", "params")


def build(entry: Entry, robot: Robot, options: dict[str, Any]) -> Program:
    """The program of a model with checked options: the paper's form, or the cheapest that is known."""
    candidates = _candidates(entry, robot, options)
    return min(map(optimize, candidates), key=cost) if options["optimize"] else next(candidates)


def _candidates(entry: Entry, robot: Robot, options: dict[str, Any]) -> Iterator[Program]:
    """What the algorithms of the chosen method write, the plain one first; those that do not apply are left out."""
    refused, found = [], False
    for algorithm in entry.algorithms(options.get("method", "")):
        try:
            program = write(entry, robot, options, algorithm)
        except NotApplicable as reason:
            refused.append(reason)
        else:
            found = True
            yield program
    if not found:
        raise refused[0]


def write(entry: Entry, robot: Robot, options: dict[str, Any], algorithm: Algorithm) -> Program:
    """The program that one algorithm writes, as it is."""
    s = Symbols(robot, Graph())
    if options.get("params") == "base":
        s = replace(s, regrouped=regrouped(s))
    results = algorithm(s, **{name: value for name, value in options.items() if name not in _OF_THE_BUILDER})
    return extract(s.graph, inputs(s, entry.inputs), parameters(s), results)
