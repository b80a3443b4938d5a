"""From a robot and a row of the catalogue to a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from symoro.errors import NotApplicable, ProgramError
from symoro.interface import inputs, parameters, units
from symoro.ir.draft import Draft, Tally, draft
from symoro.ir.extract import Result
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input
from symoro.models.conditions import moves_no_inertia
from symoro.models.constraint import BASE
from symoro.models.entry import Entry, Form
from symoro.models.families import constraint_of, kind, load
from symoro.models.progress import say
from symoro.models.results import Candidate, Sketch
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot
from symoro.symbols import Symbols

Algorithm = Callable[..., list[Result]]
_OF_THE_BUILDER = ("method", "optimize", "params", "at")


def build(entry: Entry, robot: Robot, options: dict[str, Any]) -> Candidate:
    """The program of a model with checked options: the paper's form, or the cheapest that is known."""
    if kind(robot) == "parallel":
        made: Candidate = load("symoro.models.parallel.build:build")(entry, robot, options)
        return made
    if options.get("at") is not None:
        from symoro.models.loops.constraint import require_closed  # what closes loops, for robots that have them

        require_closed(Symbols(robot, Graph(), at=options["at"]))
    try:
        return _built(entry, robot, options)
    except ProgramError as error:  # an operation without a result, such as a division by an inertia that is zero
        reason = moves_no_inertia(robot) if entry.menu == "Dynamic" else None
        raise NotApplicable(f"{entry.name} of {robot.name}: {reason or error}") from error


def _built(entry: Entry, robot: Robot, options: dict[str, Any]) -> Candidate:
    sketches = _sketches(entry, robot, options)
    if not options["optimize"]:
        return next(sketches).written()
    from symoro.ir.effect import without_idle_parameters  # with all passes: the paper's form needs none of them
    from symoro.models.search import cheapest, effort_of

    found = cheapest(sketches, effort_of(options["optimize"]))
    return replace(found, program=without_idle_parameters(found.program))


def _sketches(entry: Entry, robot: Robot, options: dict[str, Any]) -> Iterator[Sketch]:
    """What the algorithms of the chosen method write, the plain one first; those that do not apply are left out."""
    refused, found = [], False
    for name, form in entry.forms(options.get("method", "")).items():
        try:
            sketches = list(_of_form(entry, robot, options, name, form))
        except NotApplicable as reason:
            refused.append(reason)
        else:
            found = True
            yield from sketches
    if not found:
        raise refused[0]


def _of_form(entry: Entry, robot: Robot, options: dict[str, Any], name: str, form: Form) -> Iterator[Sketch]:
    """What the algorithm of a form writes; one that takes a layout writes with the layouts that count least."""
    algorithm: Algorithm = load(form.algorithm)
    if not form.layouts:
        yield Sketch(_draft(entry, _symbols(robot, options, Graph()), options, algorithm), name)
        return
    from symoro.models.search import best_layouts, effort_of

    say(f"{name}: which frames")
    trial = _symbols(robot, options, Graph(cancel=True))  # one graph for all trials: they share most of their nodes
    tally = Tally(trial.parameter_names)
    best = best_layouts(
        robot,
        load(form.layouts)(robot),
        lambda one: tally(_results(entry, trial, options, algorithm, layout=one)),
        effort_of(options["optimize"]),
    )
    trial.graph.dissolve()
    for layout in best:
        symbols = _symbols(robot, options, Graph(cancel=True))
        yield Sketch(_draft(entry, symbols, options, algorithm, layout=layout), f"{name}: {layout}")


def _symbols(robot: Robot, options: dict[str, Any], graph: Graph) -> Symbols:
    s = Symbols(robot, graph, at=options.get("at"))
    if options.get("params") != "base":
        return s
    from symoro.models.identification.base.model_parameters import regrouped

    return replace(s, regrouped=regrouped(s))


def _results(entry: Entry, s: Symbols, options: dict[str, Any], algorithm: Algorithm, **choices: Any) -> list[Result]:
    own = {name: value for name, value in options.items() if name not in _OF_THE_BUILDER}
    if not entry.columns:
        return algorithm(s, **own, **choices)
    from symoro.models.identification.regressors.selection import Columns

    return algorithm(s, Columns(**own), **choices)


def _draft(entry: Entry, s: Symbols, options: dict[str, Any], algorithm: Algorithm, **choices: Any) -> Draft:
    """The program that one algorithm writes, as it is."""
    results = [_meant(entry, s, result) for result in _results(entry, s, options, algorithm, **choices)]
    return draft(s.graph, inputs_of(entry, s), parameters(s), results)


def _meant(entry: Entry, s: Symbols, result: Result) -> Result:
    """A result with the meaning that its row gives to it; the poses T2_, T3_ … of several links are all T."""
    rows = {quantity.name: quantity for quantity in entry.outputs}
    row = rows.get(result.name) or rows.get(result.name.rstrip("0123456789_"))
    if row is None or result.meanings:
        return result
    return replace(result, meanings=(Meaning(row.meaning, units(s.robot, row.unit)),) * len(result.elements))


def inputs_of(entry: Entry, s: Symbols) -> tuple[Input, ...]:
    """The inputs of a model of the symbols' robot: of a tree, those of the row.

    Velocities are those of the coordinates that the constraints leave. A model that solves takes the accelerations
    and torques of the motors alone. The motion of a base that a constraint or the model itself determines is no input.
    """
    c = constraint_of(s, tuple(row.name for row in entry.constraints(s.robot)))
    left, solves = tuple(j for j in c.left if j > 0), kind(s.robot) in entry.solves
    joints = {"qd": left, "qdd": left, "qd_end": left} | ({"qdd": s.active, "tau": s.active} if solves else {})
    found = {"V0", "VP0"} if BASE[0] in c.dependent else {"VP0"} if solves and BASE[0] in c.left else set()
    floats = s.robot.base.kind is BaseKind.FLOATING
    wanted = {"q": bool(c.dependent), "V0": floats, "VP0": floats}
    more = [name for name in entry.more if wanted[name]]
    names = (*(name for name in more if name == "q"), *entry.inputs, *(name for name in more if name != "q"))
    return inputs(s, (name for name in names if name not in found), joints)


def known_parameters(robot: Robot) -> tuple[str, ...]:
    """The names of all parameters of a robot, whether or not they have an effect in a model."""
    if robot.parallel:
        names: tuple[str, ...] = load("symoro.models.parallel.letters:Letters")(robot, Graph()).parameter_names
        return names
    return Symbols(robot, Graph()).parameter_names
