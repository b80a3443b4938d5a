"""What a row of the catalogue is: a model's names, inputs, options, algorithms, and the robots it exists for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from operator import index
from typing import Any, Literal

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable, OptionError, RobotError, SymoroError
from symoro.findings import Argument, Finding, ModelArgument, sentence
from symoro.ir.extract import Result
from symoro.models.conditions import moving_base, open_structure
from symoro.models.families import ALL, EVERY, LEGS, PLATFORM, POSE, ConstraintRow, Kind, constraints, kind
from symoro.options import FLAG, NONE, Choice, Option, Reference, Schema
from symoro.options import Kind as OptionKind
from symoro.robot import topology
from symoro.robot.base import BaseKind
from symoro.robot.robot import GIVEN as GIVEN_COORDINATES
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs

Applies = Callable[[Robot], Finding | None]
"""None when a model exists for the robot, else the reason why it does not."""
Algorithm = Callable[..., list[Result]]
"""From symbols and options to results."""
Layouts = Callable[[Symbols], Iterable[Any]]


@dataclass(frozen=True)
class ModelOption(Option):
    """An option of a model. Where it is not required, None stands for its default."""

    on: tuple[Kind, ...] = EVERY
    """The families whose models have it."""
    optional_on: tuple[Kind, ...] = ()
    """The families whose models do not need it although it is required."""

    @property
    def argument(self) -> Argument:
        return ModelArgument(self.name)

    def checked(self, value: Any, about: Any = None, error: type[SymoroError] = OptionError) -> Any:
        return self.default if value is None and not self.required else super().checked(value, about, error)


# What values of options of models may be.


@dataclass(frozen=True)
class FrameNumber(Reference):
    """A number from 0, or the name of one of the robot's frames; the name of a joint becomes its number."""

    def accepts(self, value: Any, about: Robot | None = None) -> bool:
        return super().accepts(value) and (about is None or self.taken(value, about) is not None)

    def allowed(self, about: Robot | None = None) -> Sequence[Any]:
        if about is None:
            return super().allowed()
        names = dict.fromkeys([*(f.name for f in about.frames), *(j.name for j in about.joints[: _last_frame(about)])])
        return [Finding("models.numbers_to", most=_last_frame(about)), *map(repr, names)]

    def taken(self, value: Any, about: Robot | None = None) -> Any:
        if about is None:
            return value
        try:
            frame = about.frame_ref(value) if isinstance(value, str) else index(value)
        except RobotError:
            return None
        return frame if isinstance(frame, str) or 0 <= frame <= _last_frame(about) else None

    def field(self) -> dict[str, Any]:
        return {"kind": "frame"}


def _last_frame(robot: Robot) -> int:
    return robot.link_count if robot.platforms else len(robot.joints)


@dataclass(frozen=True)
class NumberOfEach(OptionKind):
    """A number for each of something; a text has commas between them. `field` is the kind of its field on the page."""

    annotation: str
    kind: str
    what: Finding
    of: Callable[[Any, Robot], tuple[float, ...] | None] = field(repr=False)
    """The numbers of a value; None where it is not allowed."""
    allows: Callable[[Robot], Finding] = field(repr=False)

    def accepts(self, value: Any, about: Robot | None = None) -> bool:
        return about is None or self.of(value, about) is not None

    def allowed(self, about: Robot | None = None) -> Sequence[Any]:
        return [self.what if about is None else self.allows(about)]

    def taken(self, value: Any, about: Robot | None = None) -> Any:
        return value if about is None else self.of(value, about)

    def field(self) -> dict[str, Any]:
        return {"kind": self.kind}


def _positions(value: Any, robot: Robot) -> tuple[float, ...] | None:
    """Positions of all movable joints of a robot with loops."""
    try:
        positions = tuple(map(float, value.split(",") if isinstance(value, str) else value))
    except (TypeError, ValueError):
        return None
    right = robot.cuts and len(positions) == len(topology.with_variables(robot)) and all(map(isfinite, positions))
    return positions if right else None


def _positions_of(robot: Robot) -> Finding:
    names = [str(joint.variable) for joint in topology.with_variables(robot)]
    return Finding("models.number_for_each", names=names) if robot.cuts else Finding("models.with_loops")


def _branches(value: Any, robot: Robot) -> tuple[int, ...] | None:
    """A number for each leg of a parallel robot, or one for all."""
    legs = len(getattr(robot, "legs", ()))
    numbers = value.split(",") if isinstance(value, str) else [value] if isinstance(value, int) else value
    try:
        branches = tuple(int(one) if isinstance(one, str) else index(one) for one in numbers)
    except (TypeError, ValueError):
        return None
    if len(branches) not in (1, legs) or min(branches) < 0:
        return None
    return branches * legs if len(branches) == 1 else branches


def _branches_of(robot: Robot) -> Finding:
    return Finding("models.number_for_each_leg", legs=len(getattr(robot, "legs", ())))


FRAME = FrameNumber(Finding("options.frame"))
CONFIGURATION = NumberOfEach(
    "Sequence[float]", "configuration", Finding("models.position_of_each"), _positions, _positions_of
)
BRANCHES = NumberOfEach(
    "int | Sequence[int]", "branches", Finding("models.number_of_each_leg"), _branches, _branches_of
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """An output of a model: what it is, its unit or the name of its units in `vocabulary.MOTION_UNITS`, its shape.

    In shapes n is the number of movable joints, m that of motors (m = n without loops and passive joints), p that of
    parameters, k that of loops, e that of equations. A floating base adds six rows and columns, which come first.
    """

    name: str
    meaning: str
    unit: str
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a method: the paper's own, or one with fewer operations."""

    name: str
    algorithm: Algorithm
    layouts: Layouts | None = None
    """Where the algorithm takes a layout: the layouts that a search begins with."""
    trials: int = 1
    """How many times the usual number of operations the search for a layout may count, where programs are long."""


@dataclass(frozen=True, slots=True)
class Method:
    """An algorithm for some families of robots; the first form is the paper's own."""

    name: str
    forms: tuple[Form, ...]
    on: tuple[Kind, ...] = EVERY
    on_request: bool = False
    """Whether it is used only where it is asked for by its name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One model: everything about it is in this row.

    `methods` of one name for different families are one method for users. Of the forms of a method, or of all methods
    where none is chosen, a search by counted operations picks one. `inputs` are those of a tree; constraints and a
    floating base change them (`build.inputs_of`).
    """

    name: str
    menu: str
    methods: tuple[Method, ...]
    inputs: tuple[str, ...]
    citation: str
    oracle: str
    outputs: tuple[Quantity, ...] = ()
    """What the outputs are; those of identification models have the meanings of their columns."""
    aliases: tuple[str, ...] = ()
    options: tuple[ModelOption, ...] = ()
    applies: Applies = field(default=lambda robot: None)
    """A condition beside the families of the methods: None, or the reason why the model does not exist."""
    applies_with: tuple[tuple[str, Applies], ...] = ()
    """Flags with which the model exists for more robots: where one is set, its condition takes the place of `applies`.
    """
    automatic: bool = True
    """Whether the method "auto", the cheapest of all, is offered and is the default."""
    follows: tuple[str, ...] | Literal["all"] = ()
    """The constraints that hold in the model: its velocities are those of the coordinates that they leave."""
    solves: tuple[Kind, ...] = ()
    """The families for which it finds the accelerations of coordinates without motors: only the motors' are inputs."""
    more: tuple[str, ...] = ()
    """Inputs beside `inputs`: q where constraints make the model depend on it, V0 and VP0 where the base floats."""
    closed: bool = True
    """Whether q must satisfy the constraints that the model follows: then derivatives by q go along them."""
    springs_apart: tuple[Kind, ...] = ()
    """The families for which motor and spring of a joint are two joints: where forces matter."""
    columns: bool = False
    """Whether it is an identification model: its outputs have a column for each parameter, and its algorithm takes the
    options `rotors`, `friction` and `offset` as one `Columns`."""
    platform_inputs: tuple[str, ...] = ()
    """The inputs of the model of a platform, where they are not T, V, VP in the places of q, qd, qdd."""
    looks: tuple[Literal["pose", "motion", "motors", "result", "angles"], ...] = ("pose",)
    """What a compiled function looks at in each call: whether T of a platform is a pose; whether the motion is one that
    the constraints of the platform allow; whether its motors hold it; whether the first result is that of a singular
    state of the Jacobian matrix, or of the angles of an orientation. Where q must satisfy closures, it looks at them,
    too."""
    iterates: bool = False
    """Whether the model of a platform is found by iteration, so that it has no program."""
    family: Kind | None = None
    """The family whose model it is; None: of all."""

    @property
    def title(self) -> str:
        """What the model is, for people: a row of `findings/titles.toml`."""
        return sentence(f"titles.{self.name}")

    def of(self, robot: Robot) -> Entry:
        """The model as it is for this robot's family."""
        return replace(self.of_kind(kind(robot)), citation=self._citation(robot))

    def of_kind(self, family: Kind) -> Entry:
        """The model as it is for a family."""
        methods = tuple(method for method in self.methods if family in method.on)
        inputs = self._inputs_of_platform() if family in POSE else self.inputs
        if family in LEGS and self.platform_inputs:  # it needs less of a platform than its motion
            inputs = ("q",)
        iterates = self.iterates and family in POSE
        return replace(self, methods=methods, inputs=inputs, iterates=iterates, family=family)

    def _inputs_of_platform(self) -> tuple[str, ...]:
        """T, V and VP of a platform are in the places of q, qd and qdd."""
        pose = {"qd": "V", "qdd": "VP", "q_end": "T_end", "qd_end": "V_end"}
        others = (pose.get(name, name) for name in self.inputs if name != "q")
        return self.platform_inputs or ("T", *others)

    def _citation(self, robot: Robot) -> str:
        """The equations of a tree, then those that make the model of the robot differ from it."""
        citations = [self.citation, *(row.citation for row in self.constraints(robot))]
        if kind(robot) == "passive" and "passive" in self.solves:
            citations.append("K10:67-82")
        if robot.base.kind is BaseKind.FLOATING and self.follows == "all":
            citations.append("K10:83-112")
        return ", ".join(citations)

    def constraints(self, robot: Robot) -> tuple[ConstraintRow, ...]:
        """The constraints of the robot that hold in the model."""
        return tuple(row for row in constraints(robot) if self.follows == "all" or row.name in self.follows)

    def constraint_forms(self, robot: Robot) -> tuple[str, ...]:
        """The forms in which these constraints can be applied, the usual one first."""
        return tuple(dict.fromkeys(["", *(form for row in self.constraints(robot) for form in row.forms)]))

    def prepared(self, robot: Robot) -> Robot:
        """The robot as the model takes it."""
        return motor_spring_pairs(robot) if kind(robot) in self.springs_apart else robot

    def reason(self, robot: Robot, chosen: Mapping[str, Any] | None = None) -> Finding | None:
        """Why the model does not exist for the robot, with these options; None where it does."""
        applies = next((other for flag, other in self.applies_with if chosen and chosen.get(flag)), self.applies)
        if any(kind(robot) in method.on for method in self.methods):
            return applies(robot)
        reasons = (reason(robot) for reason in (applies, moving_base, open_structure))
        return next((one for one in reasons if one is not None), Finding("models.of_family"))

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of the methods, the default first."""
        names = tuple(dict.fromkeys(method.name for method in self.methods))
        return ("auto", *names) if self.automatic and names != ("",) else names

    @property
    def all_options(self) -> tuple[ModelOption, ...]:
        """Those of the row; `method` where there is a choice, `optimize`, `at` of loops, `branch` of legs, `given`."""
        method = ModelOption("method", Choice(self.choices), self.choices[0], "algorithm", "algorithme", on=ALL)
        of_row = tuple(option for option in self.options if option is not AT)
        loops = self.follows == "all" or "loops" in self.follows or of_row != self.options
        options = [*of_row, *((method,) if self.choices != ("",) else ()), OPTIMIZE, *((AT,) if loops else ())]
        options += [BRANCH] if any("platform" in method.on for method in self.methods) else []
        options.append(GIVEN)
        if self.family is None:
            return tuple(options)
        known = (option for option in options if self.family in option.on)
        return tuple(replace(o, required=False) if self.family in o.optional_on else o for o in known)

    def forms(self, method: str) -> dict[str, Form]:
        """The forms of a method under names for people, the paper's own form first."""
        chosen = [m for m in self.methods if m.name == method or (method == "auto" and not m.on_request)]
        return {f"{m.name}, {form.name}" if m.name else form.name: form for m in chosen for form in m.forms}

    def checked(self, robot: Robot, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """All options with their values; errors name what is allowed."""
        return Schema(self.name, self.all_options, argument=ModelArgument).checked(chosen, robot)

    def require(self, robot: Robot, chosen: Mapping[str, Any] | None = None) -> None:
        """Raise where the model does not exist for the robot, with these options."""
        reason = self.reason(robot, chosen)
        if reason is not None:
            raise NotApplicable("models.does_not_exist", model=self.name, robot=robot.name, reason=reason)


def method(
    algorithm: Algorithm, *fewer: Form, name: str = "", on: tuple[Kind, ...] = EVERY, on_request: bool = False
) -> Method:
    """A method with its plain form, and forms with fewer operations."""
    return Method(name, (Form("plain", algorithm), *fewer), on, on_request)


OPTIMIZE = ModelOption(
    "optimize",
    FLAG | Choice(("fast", "best")),
    True,
    "lower the number of operations: fast (as True) or with a long search; False gives the paper's own form",
    "réduire le nombre d'opérations : rapidement ou par une longue recherche ; sinon la forme de l'article",
    on=ALL,
)
BRANCH = ModelOption(
    "branch",
    BRANCHES | NONE,
    None,
    "parallel robots: the branch of each leg; the robot's working mode by default",
    "robots parallèles : la branche de chaque jambe ; par défaut le mode de fonctionnement du robot",
    on=POSE,
)
GIVEN = ModelOption(
    "given",
    Choice(GIVEN_COORDINATES) | NONE,
    None,
    "the coordinates that the model takes: platform, joints, or motors alone; those that the robot takes by default",
    "les coordonnées que prend le modèle : platform, joints, ou motors seuls ; par défaut celles que prend le robot",
    on=ALL,
)
SPACE = ModelOption(
    "space",
    Choice(("platform", "motors")),
    "platform",
    "parallel robots: the coordinates, those that the legs leave to the platform or the motors",
    "robots parallèles : les coordonnées, celles que les jambes laissent à la plateforme ou celles des moteurs",
    on=POSE,
)
ALIKE = ModelOption(
    "alike",
    FLAG,
    False,
    "parallel robots: the same parameters of all legs share one column",
    "robots parallèles : les mêmes paramètres de toutes les jambes partagent une colonne",
    on=PLATFORM,
)
AT = ModelOption(
    "at",
    CONFIGURATION | NONE,
    None,
    "a closed configuration at which the independent equations of loops are chosen",
    "une configuration fermée où les équations indépendantes des boucles sont choisies",
)
PARAMS = ModelOption(
    "params",
    Choice(("standard", "base")),
    "standard",
    "inertial parameters: as given, or regrouped to the fewest",
    "paramètres inertiels : comme donnés, ou regroupés au minimum",
    on=ALL,
)
TIP = ModelOption(
    "link",
    FRAME | NONE,
    None,
    "the link or named frame; the only tip, or the platform, where none is given",
    "le corps ou le repère nommé ; le seul corps terminal, ou la plateforme, si aucun n'est donné",
    on=ALL,
)
TASK = ModelOption(
    "task",
    Choice(("all", "position")),
    "all",
    "the rows: all of [v; ω], or the position's",
    "les lignes : toutes celles de [v ; ω], ou celles de la position",
    on=ALL,
)
COLUMNS = (
    PARAMS,
    ModelOption(
        "rotors",
        FLAG | NONE,
        None,
        "columns of rotor inertias: all or none; those that the robot has where not said",
        "colonnes des inerties de rotors : toutes ou aucune ; sinon celles du robot",
        on=ALL,
    ),
    ModelOption(
        "friction",
        FLAG | NONE,
        None,
        "columns of friction: all or none; those that the robot has where not said",
        "colonnes des frottements : toutes ou aucune ; sinon celles du robot",
        on=ALL,
    ),
    ModelOption(
        "offset",
        FLAG | NONE,
        None,
        "columns of torque offsets: all or none; those that the robot has where not said",
        "colonnes des décalages de couple : toutes ou aucune ; sinon celles du robot",
        on=ALL,
    ),
)
