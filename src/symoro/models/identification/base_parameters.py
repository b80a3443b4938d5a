"""The base inertial parameters of a robot: names, relations, matrix, and the robot that has them (GK88)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symoro.bind.binding import bind, value_of
from symoro.bind.interface import robot_numbers
from symoro.bind.symbols import Symbols
from symoro.errors import OptionError
from symoro.findings import Finding, Sentence, sentence
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Variable
from symoro.lazy import lazy
from symoro.models.families import constraints
from symoro.models.identification.base.forms import Coefficients
from symoro.models.identification.base.model_parameters import base_robot, model_base_set, relation_value
from symoro.models.identification.base.tree import BaseSet, tree_base_set
from symoro.models.identification.columns import INERTIAL, Key, own_value
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO, Symbol, Value, evaluate, is_zero, symbols, to_text

if TYPE_CHECKING:
    from symoro.models.identification.base.constraint_regrouping import ConstraintRegrouping

_FRICTION = ("FV", "FS", "FA", "FO", "FST")

_CAUSES = {"loops": "regressors.by_loops", "wheels": "regressors.by_wheels", "coordinates": "regressors.by_coordinates"}
#: The reason of parameters without effect.
NO_EFFECT = "regressors.no_effect"


@dataclass(frozen=True, repr=False)
class BaseParameters:
    """The base parameters of a robot, and their relations to the robot's own (standard) parameters."""

    given: Robot
    """The robot with its standard parameters."""
    minimal: BaseSet
    """The base parameters by letters and link, friction among them if asked for."""
    values: dict[str, Value]
    """Every parameter in terms of the robot's own."""
    eliminated: dict[str, Sentence]
    """The parameters that are not base parameters, with the reason: a text, whose `finding` has it as data."""
    friction: bool = False
    """Whether friction parameters are included."""
    loops: ConstraintRegrouping | None = None
    """How closed loops regroup the parameters of the open tree; None without loops, or if the search failed."""
    wheels: ConstraintRegrouping | None = None
    """How rolling wheels regroup the parameters of a base on a plane; None without wheels, or if the search failed."""
    coordinates: ConstraintRegrouping | None = None
    """How joint coordinates that are functions of the variables regroup the tree's; None where all are plain."""
    notes: tuple[Finding, ...] = ()
    """How the relations of constraints were found, and on which branch they hold."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names: ZZR1, XXR2, XY2 …, rotor inertias that do not regroup, and friction if asked for."""
        return tuple(self.values)

    @lazy
    def inertial(self) -> tuple[str, ...]:
        """The names of the parameters of links, without rotor inertias and friction."""
        return tuple(self.minimal.names[p] for p in self.minimal.base if p[0] in INERTIAL)

    @property
    def standard(self) -> tuple[str, ...]:
        """The names of the robot's own parameters that are not 0: the columns of `matrix`."""
        return tuple(self.minimal.standard.values())

    @lazy
    def relations(self) -> dict[str, str]:
        """Every parameter in terms of the robot's own, as text: {"ZZR1": "ZZ1 + YY2 + …", "XY2": "XY2"}."""
        return {name: to_text(value) for name, value in self.values.items()}

    @lazy
    def numbers(self) -> dict[str, float]:
        """The base parameters whose number follows from the robot's numbers."""
        known = robot_numbers(self.given)
        values = {name: own_value(self.given, key) for key, name in self.minimal.standard.items()}
        known |= {name: evaluate(v, known) for name, v in values.items() if symbols(v) <= known.keys()}
        return {name: evaluate(v, known) for name, v in self.values.items() if symbols(v) <= known.keys()}

    @lazy
    def matrix(self) -> NDArray[Any]:
        """K with base = K · standard: numbers if the robot has all of them, else values of its geometry."""
        entries = self.symbolic_matrix
        known = robot_numbers(self.given)
        if all(symbols(x) <= known.keys() for x in entries.flat):
            return np.array([[evaluate(x, known) for x in row] for row in entries]).reshape(entries.shape)
        return entries

    @lazy
    def symbolic_matrix(self) -> NDArray[Any]:
        """The same matrix, always with values of the robot's geometry."""
        shape = len(self.parameters), len(self.standard)
        entries = np.full(shape, ZERO, dtype=object)
        column = {key: k for k, key in enumerate(self.minimal.standard)}
        for row, relation in enumerate(self.minimal.base.values()):
            for key, x in relation.items():
                entries[row, column[key]] = value_of(x.expr)
        return entries

    @lazy
    def robot(self) -> Robot:
        """A robot with the same dynamics whose own parameters are the base parameters."""
        return base_robot(self.given, self.minimal, self.numbers)

    def latex(self) -> str:
        """The relations in LaTeX, as an `align` environment."""
        from symoro.ir.latex import latex

        graph = Graph()
        used = sorted({name for value in self.values.values() for name in symbols(value)})
        exprs = tuple(bind(graph, value) for value in self.values.values())
        result = Result("", (len(exprs),), exprs, tuple(self.values))
        return latex(extract(graph, (), [Variable(name) for name in used], [result]), expanded=True)

    def __len__(self) -> int:
        return len(self.parameters)

    def __repr__(self) -> str:
        names = [*self.parameters[:4], "…", *self.parameters[-2:]] if len(self) > 7 else self.parameters
        return f"<BaseParameters of {self.given.name}: {len(self)}, {', '.join(names)}>"

    def _repr_latex_(self) -> str:
        return self.latex()

    def __str__(self) -> str:
        width = max(map(len, self.parameters), default=0)
        lines = [f"{len(self)} base parameters of {self.given.title or self.given.name}"]
        lines += [name if name == text else f"{name:<{width}} = {text}" for name, text in self.relations.items()]
        return "\n".join(lines)


def base_parameters(
    robot: Robot, *, friction: bool = False, guess: Sequence[float] | None = None, every_branch: bool = False
) -> BaseParameters:
    """The base inertial parameters of a robot, rotor inertias included, and friction if asked for.

    `guess` is a closed configuration q of the tree's joints: it chooses the branch on which the loops are assembled.
    Without it that is the branch of the robot's home, where it has one. `every_branch` gives the parameters of models
    with params="base", whose relations hold on all branches.
    The modules of loops and wheels are imported where a robot needs them: they bring the numeric search.
    """
    if guess is not None and every_branch:
        raise OptionError("regressors.guess_of_every_branch")
    if guess is not None and not robot.cuts:
        raise OptionError("regressors.guess_without_loops", robot=robot.name)
    s = Symbols(robot, Graph())
    if every_branch:
        return _of_set(s, model_base_set(s), friction)
    tree = tree_base_set(s)
    if robot.cuts:
        from symoro.models.identification.base.loop_search import of_loops
        from symoro.models.loops.closing import home_of

        loops, notes = of_loops(s, tree, home_of(s) if guess is None else guess)
        return _of_set(s, loops.minimal if loops else model_base_set(s), friction, {"loops": loops}, notes)
    if constraints(robot):
        from symoro.models.identification.base.wheels import of_motion

        motion, notes = of_motion(s, tree)
        cause = "wheels" if robot.base.wheels else "coordinates"
        return _of_set(s, motion.minimal if motion else tree, friction, {cause: motion}, notes)
    return _of_set(s, tree, friction)


def _of_set(
    s: Symbols,
    base_set: BaseSet,
    friction: bool,
    causes: Mapping[str, ConstraintRegrouping | None] | None = None,
    notes: tuple[Finding, ...] = (),
) -> BaseParameters:
    """The parameters of a set; `causes` says which constraints regroup the tree's."""
    regrouped = {name: cause for name, cause in (causes or {}).items() if cause is not None}
    minimal = _with_friction(s, base_set) if friction else base_set
    values = {minimal.names[p]: relation_value(relation, minimal.standard) for p, relation in minimal.base.items()}
    gone = {name: reason(minimal, key, regrouped) for key, name in minimal.standard.items() if key not in minimal.base}
    return BaseParameters(s.robot, minimal, values, gone, friction, notes=notes, **(causes or {}))


def reason(minimal: BaseSet, key: Key, causes: Mapping[str, ConstraintRegrouping] | None = None) -> Sentence:
    """Why one of the robot's own parameters is no base parameter."""
    what = regrouped_in(minimal.names[p] for p, relation in minimal.base.items() if key in relation)
    cause = next((name for name, cause in (causes or {}).items() if key in cause.tree.base), None)
    return what if cause is None else sentence(_CAUSES[cause], reason=what)


def regrouped_in(names: Iterable[str]) -> Sentence:
    """The reason of a parameter that these base parameters contain."""
    into = tuple(names)
    return sentence("regressors.regrouped_in", names=into) if into else sentence(NO_EFFECT)


def _with_friction(s: Symbols, base_set: BaseSet) -> BaseSet:
    """The set with the friction that the robot has."""
    names, one = friction_names(s), Coefficients(s.graph).one
    base = base_set.base | {key: {key: one} for key in names}
    return BaseSet(base_set.standard | names, base_set.names | names, base, base_set.dependent)


def friction_names(s: Symbols) -> dict[Key, str]:
    """The friction parameters that are not 0, with their names; drives that share a symbol share a parameter."""
    names: dict[str, Key] = {}
    for j in range(1, s.robot.link_count + 1):
        for letters in _FRICTION:
            if not is_zero(value := own_value(s.robot, (letters, j))):
                names.setdefault(value.name if isinstance(value, Symbol) else f"{letters}{s.label[j]}", (letters, j))
    return {key: name for name, key in names.items()}
