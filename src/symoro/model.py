"""The facade: a model is a robot, a program and where it comes from; what else there is to say of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from symoro.bind.interface import parameters, robot_numbers
from symoro.bind.symbols import Symbols
from symoro.errors import ModelError, NotApplicable, OptionError, SymoroError
from symoro.findings import Argument, Finding
from symoro.formats import valid_robot
from symoro.ir.expr import OpCount
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.models.build import build, known_parameters
from symoro.models.catalogue import find
from symoro.models.entry import Entry
from symoro.models.families import CLOSURES, FORMS
from symoro.options import FLAG, FRAME, NONE, Choice, Numbers, Option, Schema
from symoro.robot.robot import PLATFORM, Robot
from symoro.robot.symbolic import with_numbers
from symoro.robot.values import to_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from symoro.emit import Source
    from symoro.models.identification.base_parameters import BaseParameters
    from symoro.models.kinematic.singularities import Singularities
    from symoro.models.loops.mobility import Mobility
    from symoro.runtime import Function


#: The end of the names of models that are computed from the positions of the motors alone.
FROM_MOTORS = "_from_motors"
#: What is said of a result that is not finite, or very large, by what its function looks at.
_SINGULAR = {"result": "runtime.singular_jacobian", "angles": "runtime.singular_angles"}


@dataclass(frozen=True)
class Driver:
    """What runs a model that one evaluation of its program does not answer: it has branches, or it iterates.

    The program of the model has the equations that one reads. What a driver knows besides is an attribute of the
    model, too, as the derivation of an inverse geometric model. `reasons` are those of methods that did not answer.
    """

    reasons: tuple[tuple[str, Finding], ...] = field(default=(), kw_only=True, compare=False)

    def inputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        """Name and shape of each input array, in order."""
        return {array.name: array.shape for array in of.program.inputs}

    def outputs(self, of: Model) -> dict[str, tuple[int, ...]]:
        """Name and shape of each output array, in order."""
        return {array.name: array.shape for array in of.program.outputs}

    def counted(self, of: Model) -> Program:
        """The program whose operations are counted: all branches, or one step."""
        return of.program

    def in_short(self, of: Model) -> str:
        """What the model is, in a few words."""
        arrays = (", ".join(f"{n}{list(shape)}" for n, shape in part.items()) for part in (of.inputs, of.outputs))
        return f"{' -> '.join(arrays)}; {of.ops}"

    def compile(self, of: Model, backend: str) -> Any:
        """The function of the inputs."""
        raise NotImplementedError

    def require_program(self, of: Model) -> None:
        """An error where no other model can be made of the program: it does not have the inputs of the model."""

    def sources(self, of: Model) -> list[Source]:
        """What is written as code beside other models: the program alone."""
        return [of.source]

    def emit(self, of: Model, target: str, directory: str | Path, force: bool, precision: str) -> list[Path]:
        """Write the package of files."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, repr=False)
class Model:
    """A model of a robot: read it, count it, write it as code, or run it."""

    robot: Robot
    program: Program
    name: str
    title: str
    citation: str
    options: Mapping[str, Any] = field(default_factory=dict)
    #: Which algorithm it is written by, and what a search chose for it.
    formulation: str = ""
    #: The row of the catalogue: of a derivative, that of the model which it is the derivative of.
    row: str = ""
    #: The parameters that `specialize` replaced by numbers.
    numbers: Mapping[str, str] = field(default_factory=dict)
    #: What finds positions: branches, or steps that are repeated. None where one evaluation is the answer.
    driver: Driver | None = field(default=None, compare=False)

    def __getattr__(self, name: str) -> Any:
        """What the driver knows besides."""
        driver = None if name.startswith("_") or name == "driver" else self.driver
        if driver is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(driver, name)

    @property
    def label(self) -> str:
        """The name that tells this model from others: robot, model, and the options that are not the defaults."""
        from symoro.models.identity import as_name

        return "_".join(filter(None, (self.robot.name, self.name, as_name(self._distinguishing(), self.numbers))))

    def __repr__(self) -> str:
        if self.driver is None:
            return f"<Model {self.name} of {self.robot.name}: {self.program.call}; {self.ops}>"
        return f"<Model {self.name} of {self.robot.name}: {self.driver.in_short(self)}>"

    def _repr_html_(self) -> str:
        from symoro.ir.notebook import html

        return html(self.program, self._code_title())

    def _repr_latex_(self) -> str:
        from symoro.ir.notebook import first_equations

        return first_equations(self.program)

    @property
    def ops(self) -> OpCount:
        """Operations of one evaluation: with a driver, of all branches or of one step."""
        return (self.driver.counted(self) if self.driver else self.program).ops

    @property
    def setup_ops(self) -> OpCount:
        """Operations done once for given parameters."""
        return (self.driver.counted(self) if self.driver else self.program).setup_ops

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each input array, in order."""
        return (self.driver or Driver()).inputs(self)

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each output array, in order."""
        return (self.driver or Driver()).outputs(self)

    @property
    def parameters(self) -> dict[str, float | None]:
        """The parameters that have an effect, with the robot's number for each; None where it has none."""
        return {p.name: p.default for p in self.program.parameters}

    @property
    def columns(self) -> tuple[str, ...]:
        """The parameter of each column of an identification model, in order; none for another model."""
        from symoro.models.identification.regressors.selection import column_names

        if self.name.removesuffix(FROM_MOTORS) != self.row or not find(self.row).columns:
            return ()
        return tuple(dict.fromkeys(name for array in self.program.outputs for name in column_names(array)))

    def by_column(self, values: ArrayLike, output: str | None = None) -> dict[str, NDArray[Any]]:
        """An output of an identification model as {parameter: its column}, of which any data frame can be made.

        All axes but the last become rows: of D, a row for each sample and joint. Of several outputs, say which it is.
        """
        from symoro.models.identification.regressors.selection import by_column

        if not self.columns:
            raise ModelError("models.no_columns", model=self.name)
        return by_column(self.program, values, output)

    def equations(self) -> list[tuple[str, str]]:
        """Every named variable and its right side, in order, those done once first."""
        from symoro.ir.infix import operand_term, statements, write

        lines = [
            (", ".join(s.names), write(s.right))
            for s in (*statements(self.program.setup), *statements(self.program.instructions))
        ]
        known = {name for name, _ in lines}
        for output in self.program.outputs:
            for name, element in zip(output.names, output.elements, strict=True):
                if name not in known:
                    lines.append((name, write(operand_term(element))))
        return lines

    def emit(
        self,
        target: str,
        directory: str | Path,
        force: bool = False,
        precision: str = "double",
        inputs: Mapping[str, ArrayLike] | None = None,
    ) -> list[Path]:
        """Write a package of files in a language into a directory; their paths. All files are written, or none.

        A file that symoro did not make is never overwritten. With `force`, files that symoro made are, also if they
        were changed since or belong to another model. `precision` is `double`, or `float` where a language has it.
        `inputs` are inputs for its self-test by name, (64, ...); without them the self-test takes random ones.
        What iterates is written with its driver in a real programming language, else a step of it alone.
        """
        if self.driver is not None:
            return self.driver.emit(self, target, directory, force, precision)
        from symoro.emit import emit_all

        source = replace(self.source, inputs=inputs) if inputs else self.source
        return emit_all([source], target, directory, force=force, precision=precision)

    @property
    def source(self) -> Source:
        """The program with the names, the numbers and the origin that generated code says."""
        from symoro.emit import Source
        from symoro.models.identity import origin

        about = tuple(origin(self.row or self.name, self.robot, self.options, self.numbers, self.formulation))
        name, title, numbers = self._code_name(), self._code_title(), self._defaults()
        inputs, bounds = self._assembled(), self._bounds
        return Source(self.program, name, title, numbers, about, self._description, inputs=inputs, bounds=bounds)

    def _bounds(self) -> dict[str, tuple[float | None, float | None]]:
        """The limits of joints by the names of the elements of q, qd and tau."""
        from symoro.bind.coordinates import Coordinates

        coordinates, bounds = Coordinates.of(self.robot), dict[str, tuple[float | None, float | None]]()
        for array in self.program.inputs:
            if array.name not in ("q", "qd", "tau"):
                continue
            joints = [self.robot.joint(int(v.meaning.link or 0)) for v in array.variables]
            high = coordinates.limit(joints, {"q": "upper", "qd": "velocity", "tau": "effort"}[array.name])
            low = coordinates.limit(joints, "lower", -inf) if array.name == "q" else -high
            for v, *ends in zip(array.variables, low, high, strict=True):
                least, most = (float(end) if isfinite(end) else None for end in ends)
                bounds[v.name] = (least, most)
        return bounds

    @property
    def sources(self) -> list[Source]:
        """The programs that generated code of the model has: what closes a robot may be one beside the model."""
        return self.driver.sources(self) if self.driver else [self.source]

    def _assembled(self) -> dict[str, NDArray[Any]]:
        """Inputs for self-test and example at which the robot is assembled: closed loops, or poses that legs reach."""
        if self.robot.platforms:
            from symoro.models.parallel.motions import sample_inputs

            return sample_inputs(self.robot, self.program)
        orientations = self._turned()
        if not self.robot.cuts:
            return orientations
        from symoro.models.loops.constraint import closed_inputs

        return orientations | closed_inputs(self.robot, self.program, self.options.get("at"))

    def _turned(self) -> dict[str, NDArray[Any]]:
        """Unit quaternions for the input quat, that of no turn first; rounded, so that processors write one text."""
        if not any(array.name == "quat" for array in self.program.inputs):
            return {}
        import numpy as np

        from symoro.emit.selftest import CANDIDATES

        quat = np.random.default_rng(0).normal(size=(CANDIDATES, 4))
        quat = (quat / np.sqrt((quat * quat).sum(axis=1, keepdims=True))).round(9)
        quat[0] = 0, 0, 0, 1
        return {"quat": quat}

    def _description(self) -> tuple[str, ...]:
        """The robot in the text of SYMORO+; a sentence where it has something that this text cannot say."""
        from symoro.formats import written

        try:
            return tuple(written(self.robot, "robot.par").splitlines())
        except SymoroError as error:
            return (f"(* the robot cannot be written here: {error} *)",)

    def __call__(self, *_: Any, **__: Any) -> Any:
        """A model is equations: what `compile` gives can be called."""
        raise TypeError(f"a model is equations: call what compile() gives, f = {self.name}(robot).compile(); f(…)")

    def compile(self, backend: str = "llvm", check: bool = True, dtype: DTypeLike = "float64") -> Any:
        """A fast function of the inputs; parameters default to the robot's numbers. It computes in the type `dtype`.

        It is a `Function`; where the model finds positions, a `Solver`.

        The function of a robot with loops or legs looks at its inputs in each call: it refuses a T that is no pose, and
        warns (`symoro.errors.LoopWarning`) where q does not close the loops, at dead points and singularities.
        `check=False` leaves this out.
        """
        from symoro.runtime.function import of_arrays

        if self.driver is not None:
            return self.driver.compile(self, backend)
        compiled = self._compiled(backend, dtype)
        if not check or backend not in of_arrays() or not self.row:  # inverse geometry, which has no row, has a status
            return compiled
        return self._ending(self._watching(self._looking(compiled, backend), backend))

    def _compiled(self, backend: str, dtype: DTypeLike) -> Function:
        from symoro.runtime.function import NamesLater, compile_program

        known = NamesLater(partial(known_parameters, self.robot))
        compiled: Function = compile_program(self.program, backend, self._defaults(), known, dtype)
        return compiled

    def _looking(self, compiled: Function, backend: str) -> Function:
        """The function of a platform that looks at T, and at the motion where the legs constrain the platform."""
        looks, branch = find(self.row).looks, self.options.get("branch")
        if self.robot.takes != PLATFORM or "pose" not in looks or "T" not in compiled.inputs:
            return compiled
        from symoro.models.parallel.mechanism import structure
        from symoro.runtime.checked import PlatformFunction, PoseFunction

        if "motion" not in looks or structure(self.robot, branch).freedom == 6:
            return PoseFunction(compiled)
        closure = straight_model("loop_closure", self.robot, branch=branch)
        return PlatformFunction(compiled, closure._compiled(backend, compiled.dtype))

    def _watching(self, compiled: Function, backend: str) -> Function:
        """The function that looks at closures."""
        row = find(self.row)
        closes = any(one.name == CLOSURES for one in row.constraints(self.robot))
        at = next((name for name in ("T", "q") if name in compiled.inputs), "")
        if not (closes and row.closed and at):
            return compiled
        from symoro.runtime.checked import WatchedFunction

        robot = self.robot if at == "q" else self.robot.taking(None)
        options = (self.options.get("at"), self.options.get("branch"))
        looks = partial(_watch, robot, *options, "motors" in row.looks, backend)
        of_joints = "runtime.legs_open" if self.robot.groups else "runtime.loops_open"
        apart = of_joints if at == "q" else "runtime.out_of_reach"
        singular = "runtime.dead_point" if at == "q" else "runtime.singular_pose"
        return WatchedFunction(compiled, at, looks, robot.name, (apart, singular))

    def _ending(self, compiled: Function) -> Function:
        """The function that looks at a result that grows without bound near singular states."""
        code = next((_SINGULAR[one] for one in find(self.row).looks if one in _SINGULAR), None)
        if code is None:
            return compiled
        from symoro.runtime.checked import FiniteFunction

        return FiniteFunction(compiled, self.robot.name, code)

    def derivative(self, by: str) -> Model:
        """The derivative of every output by an input array or a parameter, as a model of its own.

        By the orientation `quat` of a floating base it has three columns: by a turn of the base about its own axes.
        In dynamic models of closed loops, by `q` means along the loops: a column for each active joint. By the pose `T`
        of a platform it has a column for each component of V that the legs leave: along these motions.
        """
        from symoro.ir.derive import derivative
        from symoro.ir.passes import optimize
        from symoro.models.tangents import tangents

        if self.driver is not None:
            self.driver.require_program(self)
        if by not in (allowed := [*self.inputs, *self.parameters]):
            raise OptionError("models.no_derivative", model=self.name, by=by, allowed=allowed)
        at, branch, form = self.options.get("at"), self.options.get("branch"), self.formulation.rpartition("; ")[2]
        along = tangents(self.robot, find(self.row), at, branch, form if form in FORMS else "")
        known = parameters(Symbols(self.robot, Graph())) if self.robot.cuts and not self.robot.platforms else ()
        program = derivative(self.program, by, along=along, known=known)
        program = optimize(program) if self.options.get("optimize", True) else program
        name, title = f"{self.name}_by_{by}", f"{self.title}, derivative by {by}"
        return replace(self, program=program, name=name, title=title, driver=None)

    def specialize(self, values: Mapping[str, float | str] | None = None) -> Model:
        """The same model with numbers for some parameters folded in, those of the robot where none are given.

        A number is exact: 0.1 is 1/10, and "pi/2" is π/2. What was a parameter cannot be given any more.
        """
        from symoro.models.specialize import chosen, folded

        if self.driver is not None:
            self.driver.require_program(self)
        constants, optimized = chosen(self.robot, values), bool(self.options.get("optimize", True))
        program = folded(self.program, constants, passes=optimized)
        numbers = {**self.numbers, **{name: to_text(value) for name, value in constants.items()}}
        folding = replace(
            self, robot=with_numbers(self.robot, constants), program=program, numbers=numbers, driver=None
        )
        return folding._searched_again() if optimized else folding

    def _searched_again(self) -> Model:
        """The cheaper one of this model and of what a search finds for the robot as it is now."""
        from symoro.ir.extract import cost
        from symoro.models.specialize import same_interface

        try:
            entry = find(self.name).of(self.robot)
            built = build(entry, self.robot, dict(self.options))
        except ModelError:  # a derivative, or a model that needs what was folded
            return self
        cheaper = cost(built.program) < cost(self.program) and same_interface(built.program, self.program)
        return replace(self, program=built.program, formulation=built.formulation) if cheaper else self

    def latex(self, *, expanded: bool = False) -> str:
        """The equations in LaTeX, with intermediate variables or expanded."""
        from symoro.ir.latex import latex

        return latex(self.program, expanded=expanded)

    def to_sympy(self) -> dict[str, Any]:
        """The outputs as SymPy expressions of inputs and parameters."""
        from symoro.ir.sympy_bridge import to_sympy

        return to_sympy(self.program)

    def _defaults(self) -> dict[str, float]:
        return {p.name: p.default for p in self.program.parameters if p.default is not None}

    def _code_name(self) -> str:
        from symoro.models.identity import as_identifier

        return as_identifier(self.label)

    def _code_title(self) -> str:
        from symoro.models.identity import code_title

        return code_title(self.title, self.robot, self._distinguishing(), self.numbers, self.citation)

    def _distinguishing(self) -> dict[str, Any]:
        from symoro.models.identity import distinguishing

        if not self.row:
            return dict(self.options)
        in_name = ("given",) if FROM_MOTORS in self.name else ()
        options = {name: x for name, x in self.options.items() if name not in in_name}
        return distinguishing(find(self.row).of(self.robot), options)


@lru_cache(maxsize=32)
def _watch(
    robot: Robot, at: tuple[float, ...] | None, branch: tuple[int, ...] | None, motors: bool, backend: str
) -> Function | None:
    """What looks at closures of a robot; None where they do not determine what follows."""
    from symoro.models.watch import watch
    from symoro.runtime.function import NamesLater, compile_program

    try:
        program = watch(robot, {"at": at, "branch": branch}, motors)
    except NotApplicable:
        return None
    compiled: Function = compile_program(
        program, backend, robot_numbers(robot), NamesLater(partial(known_parameters, robot))
    )
    return compiled


def straight_model(name: str, robot: Robot | str | Path, *args: Any, **options: Any) -> Model:
    """The model of this name or alias as one straight-line program of the joints or of the pose of a platform.

    Positional options come in the order of the catalogue. `solve.given.model` takes the motors alone, too.
    """
    row = find(name)
    options = by_name(row, args) | options
    described = taking(robot, options)
    row.require(described, options)
    described = row.prepared(described)
    entry = row.of(described)
    chosen = entry.checked(described, options)
    built = build(entry, described, chosen)
    return Model(
        described, built.program, entry.name, entry.title, entry.citation, chosen, built.formulation, row=entry.name
    )


def taking(robot: Robot | str | Path, options: Mapping[str, Any]) -> Robot:
    """The robot in the coordinates that the option `given` names."""
    described, given = valid_robot(robot), options.get("given")
    if given is not None and not (isinstance(given, str) and given in described.may_take):
        value = given if isinstance(given, str) else f"{given!r:.60}"
        raise OptionError(
            "positions.given", option=Argument("given"), value=value, robot=described.name, allowed=described.may_take
        )
    return described.taking(given or described.given)


def by_name(entry: Entry, args: tuple[Any, ...]) -> dict[str, Any]:
    """Positional options by their names."""
    names = [option.name for option in entry.all_options]
    if len(args) > len(names):
        raise TypeError(f"{entry.name} takes a robot and at most {len(names)} options: {', '.join(names)}")
    return dict(zip(names, args, strict=False))


def generate(
    models: Sequence[Model],
    target: str,
    directory: str | Path,
    name: str = "",
    force: bool = False,
    precision: str = "double",
) -> list[Path]:
    """Write models of one robot as a package of files in a language; their paths. All files are written, or none.

    The functions share the structure of parameters. `name` is that of the package, by default the robot's. `force` and
    `precision` are as in `Model.emit`.
    """
    from symoro.emit import emit_all

    if not models:
        raise ModelError("models.empty_package")
    robots = list(dict.fromkeys(model.robot.name for model in models))
    if len(robots) > 1:
        raise ModelError("models.package_of_robots", robots=robots)
    every = [source for model in models for source in model.sources]
    sources = list({source.name: source for source in every}.values())  # models may share what closes the robot
    if len(sources) == 1:
        return emit_all(sources, target, directory, name, force=force, precision=precision)
    if len(models) == 1:
        return emit_all(sources, target, directory, name or models[0]._code_name(), force=force, precision=precision)
    title = f"{len(models)} models of {models[0].robot.title or robots[0]}"
    return emit_all(sources, target, directory, name or robots[0], title, force, precision)


def mobility(robot: Robot | str | Path, q: Sequence[float] | None = None) -> Mobility:
    """The kinds of a robot's loops, the rank of their equations, and what is left to move.

    The rank is that at arbitrary closed configurations, or at the closed configuration `q` of all joints: mechanisms
    with more equations than they need, such as three cranks on a triangular coupler, move in special ones only. Where
    families of closed configurations have different ranks, the result says that it is not decided.
    Of a parallel robot it is the freedom of the platform, and which of its motions follow from others.
    """
    from symoro.models.loops import mobility as of_loops
    from symoro.models.parallel import motions as of_platforms

    described = valid_robot(robot).taking(None)
    if described.platforms:
        _require_default(described, {"q": q})
        return cast("Mobility", of_platforms.mobility(described))
    return of_loops.mobility(described, q)


def _require_default(robot: Robot, options: Mapping[str, Any]) -> None:
    """An error for options that mean nothing where legs carry a platform."""
    for name, value in options.items():
        if value is not None:
            raise OptionError("platforms.option", option=Argument(name), robot=robot.name)


SINGULARITIES = Schema(
    "singularities",
    (
        Option(
            "link", FRAME | NONE, None, "A link or a named frame; else the only tip.", "Un corps ou un repère nommé."
        ),
        Option("task", Choice(("auto", "position", "pose")), "auto", "What is meant of it.", "Ce qui en est étudié."),
    ),
)


@SINGULARITIES.function
def singularities(robot: Robot | str | Path, link: int | str | None = None, task: str = "auto") -> Singularities:
    """The factors of the determinant of a link's Jacobian matrix: it is singular where one of them is zero.

    Of a parallel robot, `at(T)` of the result gives the condition numbers of its legs and of its platform.
    """
    from symoro.models.geometric.frames import chosen_frame
    from symoro.models.kinematic import singularities as of_links
    from symoro.models.parallel import motions as of_platforms

    described = valid_robot(robot).taking(None)
    if described.platforms:
        _require_default(described, {"link": link, "task": task if task != "auto" else None})
        return cast("Singularities", of_platforms.PlatformSingularities(described))
    return of_links.singularities(described, chosen_frame(described, link), task)


BASE_PARAMETERS = Schema(
    "base_parameters",
    (
        Option("friction", FLAG, False, "With parameters of friction.", "Avec les paramètres de frottement."),
        Option("guess", Numbers("joint") | NONE, None, "A closed configuration.", "Une configuration fermée."),
        Option("every_branch", FLAG, False, "Those of every branch.", "Ceux de toutes les branches."),
        Option("alike", FLAG, False, "The legs have the same parameters.", "Les jambes ont les mêmes paramètres."),
    ),
)


@BASE_PARAMETERS.function
def base_parameters(
    robot: Robot | str | Path,
    *,
    friction: bool,
    guess: float | Sequence[float] | None,
    every_branch: bool,
    alike: bool,
) -> BaseParameters:
    """The fewest inertial parameters that give a robot's torques, with their relations (GK88).

    Rotor inertias are among them where they do not regroup; friction parameters where asked. Of a robot with closed
    loops `guess` is a closed configuration q that says the branch; else the branch with the fewest is taken.
    `every_branch` gives those of models with params="base", whose relations hold however the loops are assembled.
    `alike` says that all legs of a parallel robot have the same parameters.
    """
    described = valid_robot(robot).taking(None)
    if described.platforms:
        from symoro.models.parallel import base_parameters as of_platforms

        _require_default(described, {"guess": guess})
        return of_platforms.base_parameters(described, friction=friction, alike=alike)
    from symoro.models.identification.base_parameters import base_parameters

    near = [guess] if isinstance(guess, float | int) else guess
    return base_parameters(described, friction=friction, guess=near, every_branch=every_branch)
