"""From a robot and a row of the catalogue to a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from symoro.bind.interface import inputs, parameters, units
from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable, ProgramError
from symoro.findings import Finding
from symoro.ir.extract import Draft, Result, Tally, cost, draft
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input
from symoro.models.conditions import moves_no_inertia
from symoro.models.constraint import BASE
from symoro.models.entry import Algorithm, Entry, Form
from symoro.models.families import LEGS_OF_PLATFORM, constraint_of, kind
from symoro.models.results import Candidate, Sketch, say
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot

if TYPE_CHECKING:
    from symoro.models.search import Effort

#: A form of the constraints is not searched whose plain model counts so many times that of another form.
_HOPELESS = 2
_OF_THE_BUILDER = ("method", "optimize", "params", "at", "branch", "given")


def build(entry: Entry, robot: Robot, options: dict[str, Any]) -> Candidate:
    """The program of a model with checked options: the paper's form, or the cheapest that is known."""
    if entry.iterates and entry.family == "platform" and options.get("link") is None:
        raise NotApplicable("models.iterates", model=entry.name, robot=robot.name)
    if options.get("at") is not None:
        from symoro.models.loops.constraint import require_closed  # what closes loops, for robots that have them

        require_closed(Symbols(robot, Graph(), at=options["at"]))
    try:
        return _built(entry, robot, options)
    except ProgramError as error:  # an operation without a result, such as a division by an inertia that is zero
        reason = moves_no_inertia(robot) if entry.menu == "Dynamic" else None
        why = error.finding if reason is None else reason
        raise NotApplicable("models.does_not_exist", model=entry.name, robot=robot.name, reason=why) from error


def _built(entry: Entry, robot: Robot, options: dict[str, Any]) -> Candidate:
    sketches = _sketches(entry, robot, options)
    first = next(sketches)
    if not options["optimize"]:
        return first.written()
    from symoro.models.search import effort_of

    effort, plain = effort_of(options["optimize"], robot), first.draft.cost
    starts = {"": (first, sketches)}
    for form in entry.constraint_forms(robot)[1:]:
        try:
            sketches = _sketches(entry, robot, options, form)
            starts[form] = next(sketches), sketches
        except (NotApplicable, ProgramError):
            continue
    candidates, least = [], min(first.draft.cost[0] for first, _ in starts.values())
    for form, (first, sketches) in starts.items():
        counted = first.draft.cost
        # the same count: the model does not need what differs
        worthwhile = not form or (counted != plain and counted[0] <= effort.worthwhile * plain[0])
        if not worthwhile or counted[0] > _HOPELESS * least:
            first.draft.discard()
            continue
        best = _cheapest(entry, robot, chain([first], sketches), effort)
        candidates.append(replace(best, formulation=f"{best.formulation}; {form}") if form else best)
    if robot.platforms and options.get("params") == "base" and not entry.columns:
        # regrouping costs zeros that the lean form of some legs has, as those of Deltas; the results are the same
        candidates.append(_built(entry, robot, {**options, "params": "standard"}))
    return min(candidates, key=lambda one: cost(one.program))


def _cheapest(entry: Entry, robot: Robot, sketches: Iterator[Sketch], effort: Effort) -> Candidate:
    """The cheapest of all that one form of the constraints gives."""
    from symoro.ir.signature import without_idle_parameters  # with all passes: the paper's form needs none of them
    from symoro.models.search import cheapest

    if robot.platforms:
        return cheapest((_without_idle(entry, robot, sketch) for sketch in sketches), effort)
    candidate = cheapest(sketches, effort)
    return replace(candidate, program=without_idle_parameters(candidate.program))


def _without_idle(entry: Entry, robot: Robot, sketch: Sketch) -> Sketch:
    """A sketch without the parameters that have no effect in motions that the legs of a platform allow.

    The residual of the constraints is 0 in all of these motions: they say nothing about it.
    """
    from symoro.ir.signature import without_idle_parameters

    program = sketch.draft.write()
    names = tuple(array.name for array in program.inputs)
    from symoro.models.parallel.motions import around

    motions = around(robot, names) if entry.name != "loop_closure" else None
    return replace(sketch, draft=Draft.of(without_idle_parameters(program, motions))) if motions else sketch


def _sketches(entry: Entry, robot: Robot, options: dict[str, Any], constraint_form: str = "") -> Iterator[Sketch]:
    """What the algorithms of the chosen method write, the plain one first; those that do not apply are left out.

    `constraint_form` is the form in which constraints are applied.
    """
    refused, applies = [], False
    for name, form in entry.forms(options.get("method", "")).items():
        try:
            sketches = list(_of_form(entry, robot, options, constraint_form, name, form))
        except NotApplicable as reason:
            refused.append(reason)
        else:
            applies = True
            yield from sketches
    if not applies:
        raise refused[0]


def _of_form(
    entry: Entry, robot: Robot, options: dict[str, Any], constraint_form: str, name: str, form: Form
) -> Iterator[Sketch]:
    """What the algorithm of a form writes; one that takes a layout writes with the layouts that count least."""
    algorithm = form.algorithm
    if not form.layouts:
        cancel = bool(robot.platforms) and bool(options["optimize"])
        yield Sketch(
            _draft(entry, symbols_of(robot, options, Graph(cancel=cancel), constraint_form), options, algorithm), name
        )
        return
    from symoro.models.search import best_layouts, effort_of

    say(Finding("progress.frames", form=name))
    # one graph for all trials: they share most of their nodes
    trial = symbols_of(robot, options, Graph(cancel=True), constraint_form)
    tally = Tally(trial.parameter_names)
    effort = effort_of(options["optimize"], robot)
    best = best_layouts(
        trial.robot,
        form.layouts(trial),
        lambda one: tally(_results(entry, trial, options, form.algorithm, layout=one)),
        replace(effort, counted=form.trials * effort.counted),
    )
    trial.graph.dissolve()
    for layout in best:
        symbols = symbols_of(robot, options, Graph(cancel=True), constraint_form)
        yield Sketch(_draft(entry, symbols, options, form.algorithm, layout=layout), f"{name}: {layout}")


def symbols_of(robot: Robot, options: Mapping[str, Any], graph: Graph, constraint_form: str = "") -> Symbols:
    """The letters of a robot in which a model with these options is written."""
    base = options.get("params") == "base"
    if robot.platforms:
        from symoro.models.parallel.constraint import carried_symbols

        return replace(carried_symbols(robot, graph, options.get("branch"), base), form=constraint_form)
    s = letters_of(robot, graph, options.get("at"), constraint_form)
    if not base:
        return s
    from symoro.models.identification.base.model_parameters import regrouped

    return replace(s, regrouped=regrouped(s))


def letters_of(robot: Robot, graph: Graph, at: tuple[float, ...] | None, form: str) -> Symbols:
    """The letters of a robot without a platform, which know its legs where loops are seen as such."""
    if form != LEGS_OF_PLATFORM:
        return Symbols(robot, graph, at=at, form=form)
    if len(robot.cuts) < 2:  # without legs of platforms, which take long to import
        raise NotApplicable("models.no_meeting_link", robot=robot.name)
    from symoro.models.meeting_loops import loop_symbols

    return loop_symbols(robot, graph, at, form)


def _results(entry: Entry, s: Symbols, options: dict[str, Any], algorithm: Algorithm, **choices: Any) -> list[Result]:
    chosen = {name: value for name, value in options.items() if name not in _OF_THE_BUILDER}
    if not entry.columns:
        return algorithm(s, **chosen, **choices)
    from symoro.models.identification.regressors.selection import Columns

    return algorithm(s, Columns(**chosen), **choices)


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
    of_pose = s.robot.takes == "platform"
    q = s.beside_legs if of_pose else s.variables
    joints = {"q": q, "q_end": q, "qd": left, "qdd": left, "qd_end": left}
    joints |= {"qdd": tuple(j for j in s.active if j in q), "tau": s.active} if solves else {}
    determined = {"V0", "VP0"} if BASE[0] in c.dependent else {"VP0"} if solves and BASE[0] in c.left else set()
    floats = s.robot.base.kind is BaseKind.FLOATING
    wanted = {"q": bool(c.dependent) and not of_pose, "V0": floats, "VP0": floats}
    more = [name for name in entry.more if wanted[name]]
    of_row = _with_joints(entry.inputs) if of_pose and q and not entry.platform_inputs else entry.inputs
    names = (*(name for name in more if name == "q"), *of_row, *(name for name in more if name != "q"))
    return inputs(s, (name for name in names if name not in determined), joints)


def _with_joints(names: tuple[str, ...]) -> tuple[str, ...]:
    """The inputs of a platform, and behind them those of the joints that belong to no leg."""
    of = {"T": "q", "V": "qd", "VP": "qdd", "T_end": "q_end", "V_end": "qd_end"}
    first = tuple(name for name in names if name in of)
    return (*first, *(of[name] for name in first), *(name for name in names if name not in of))


def known_parameters(robot: Robot) -> tuple[str, ...]:
    """The names of all parameters of a robot, whether or not they have an effect in a model."""
    return Symbols(robot, Graph()).parameter_names
