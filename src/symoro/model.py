"""The facade: a model is a robot, a program and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symoro.errors import ModelError, OptionError, SymoroError, TargetError
from symoro.formats import valid_robot
from symoro.ir.graph import Graph
from symoro.ir.ops import OpCount
from symoro.ir.program import Program
from symoro.models.build import build, known_parameters
from symoro.models.catalogue import entries, find
from symoro.models.entry import Entry
from symoro.models.families import load
from symoro.robot.robot import Robot
from symoro.robot.substitute import with_numbers
from symoro.robot.values import to_text
from symoro.symbols import Symbols

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from symoro.emit import Source
    from symoro.runtime import Function


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

    @property
    def label(self) -> str:
        """The name that tells this model from others: robot, model, and the options that are not the defaults."""
        from symoro.models.identity import as_name

        return "_".join(filter(None, (self.robot.name, self.name, as_name(self._distinguishing(), self.numbers))))

    def __repr__(self) -> str:
        return f"<Model {self.name} of {self.robot.name}: {self.program.call}; {self.ops}>"

    def _repr_html_(self) -> str:
        from symoro.ir.notebook import html

        return html(self.program, self._code_title())

    def _repr_latex_(self) -> str:
        from symoro.ir.notebook import first_equations

        return first_equations(self.program)

    @property
    def ops(self) -> OpCount:
        """Operations of one evaluation."""
        return self.program.ops

    @property
    def setup_ops(self) -> OpCount:
        """Operations done once for given parameters."""
        return self.program.setup_ops

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each input array, in order."""
        return {array.name: array.shape for array in self.program.inputs}

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each output array, in order."""
        return {array.name: array.shape for array in self.program.outputs}

    @property
    def parameters(self) -> dict[str, float | None]:
        """The parameters that have an effect, with the robot's number for each; None where it has none."""
        return {p.name: p.default for p in self.program.parameters}

    @property
    def columns(self) -> tuple[str, ...]:
        """The parameter of each column of an identification model, in order; none for another model."""
        from symoro.models.identification.regressors.table import column_names

        if not any(entry.columns for entry in entries() if entry.name == self.name):
            return ()
        return tuple(dict.fromkeys(name for array in self.program.outputs for name in column_names(array)))

    def by_column(self, values: ArrayLike, output: str | None = None) -> dict[str, NDArray[Any]]:
        """An output of an identification model as {parameter: its column}, of which any data frame can be made.

        All axes but the last become rows: of D, a row for each sample and joint. Of several outputs, say which it is.
        """
        from symoro.models.identification.regressors.table import by_column

        if not self.columns:
            raise ModelError(f"the columns of {self.name} have no names: only those of identification models do")
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
        """
        from symoro.emit import emit_all

        source = replace(self.source, inputs=inputs) if inputs else self.source
        return emit_all([source], target, directory, force=force, precision=precision)

    @property
    def source(self) -> Source:
        """The program with the names, the numbers and the origin that generated code says."""
        from symoro.emit import Source
        from symoro.models.identity import origin

        about = tuple(origin(self.row or self.name, self.robot, self.options, self.numbers, self.formulation))
        poses = load("symoro.models.parallel.numbers:sample_inputs")(self) if self.robot.parallel else {}
        name, title, numbers = self._code_name(), self._code_title(), self._defaults()
        return Source(self.program, name, title, numbers, about, self._description, inputs=poses)

    def _description(self) -> tuple[str, ...]:
        """The robot in the text of SYMORO+; a sentence where it has something that this text cannot say."""
        from symoro.formats import written

        try:
            return tuple(written(self.robot, "robot.par").splitlines())
        except SymoroError as error:
            return (f"(* the robot cannot be written here: {error} *)",)

    def compile(self, backend: str = "llvm", check_loops: bool = False, dtype: DTypeLike = "float64") -> Function:
        """A fast function of the inputs; parameters default to the robot's numbers. It computes in the type `dtype`.

        With `check_loops`, the function of a robot with closed loops warns at each call where q is open or at a dead
        point (`symoro.errors.LoopWarning`), and its method `closure(q)` gives the residual and the condition. By
        default nothing is checked: a check takes longer than most models.
        """
        from symoro.runtime.backends import compile_program
        from symoro.runtime.parameters import NamesLater

        known = NamesLater(partial(known_parameters, self.robot))
        compiled = compile_program(self.program, backend, self._defaults(), known, dtype)
        if self.robot.parallel:
            from symoro.checked import platform_function

            return platform_function(self.robot, self.row, self.options.get("branch"), compiled, backend)
        return self._checked(compiled, backend) if check_loops else compiled

    def _checked(self, compiled: Function, backend: str) -> Function:
        """The function that looks at the loops of its q."""
        from symoro.checked import CheckedFunction
        from symoro.models.loops.constraint import Loops
        from symoro.models.loops.state import LoopCheck, slope_by_q
        from symoro.runtime.backends import of_arrays

        if backend not in of_arrays():
            raise TargetError(f"check_loops needs one of {', '.join(of_arrays())}, not {backend}")
        if not self.robot.cuts or "q" not in self.inputs:
            why = "the robot has no closed loops" if not self.robot.cuts else "the model does not depend on q"
            raise ModelError(f"{self.name} of {self.robot.name}: there are no loops to check ({why})")
        closure, passive = model("loop_closure", self.robot), Loops(Symbols(self.robot, Graph())).places
        by_q = partial(slope_by_q, closure.derivative("q").compile(backend))
        return CheckedFunction(compiled, LoopCheck(self.robot.name, closure.compile(backend), by_q, passive))

    def derivative(self, by: str) -> Model:
        """The derivative of every output by an input array or a parameter, as a model of its own.

        By the orientation `quat` of a floating base it has three columns: by a turn of the base about its own axes.
        In dynamic models of closed loops, by `q` means along the loops: a column for each active joint.
        """
        from symoro.ir.derive import derivative
        from symoro.ir.passes import optimize
        from symoro.models.tangents import tangents

        if by not in (allowed := [*self.inputs, *self.parameters]):
            names = ", ".join(allowed)
            raise OptionError(f"{self.name} has no derivative by {by!r} (allowed, inputs and parameters: {names})")
        program = derivative(self.program, by, along=tangents(self.robot, find(self.row), self.options.get("at")))
        program = optimize(program) if self.options.get("optimize", True) else program
        return replace(self, program=program, name=f"{self.name}_by_{by}", title=f"{self.title}, derivative by {by}")

    def specialize(self, values: Mapping[str, float | str] | None = None) -> Model:
        """The same model with numbers for some parameters folded in, those of the robot where none are given.

        A number is exact: 0.1 is 1/10, and "pi/2" is π/2. What was a parameter cannot be given any more.
        """
        from symoro.models.specialize import chosen, folded

        given, optimized = chosen(self.robot, values), bool(self.options.get("optimize", True))
        program = folded(self.program, given, passes=optimized)
        numbers = {**self.numbers, **{name: to_text(value) for name, value in given.items()}}
        folding = replace(self, robot=with_numbers(self.robot, given), program=program, numbers=numbers)
        return folding._searched_again() if optimized else folding

    def _searched_again(self) -> Model:
        """The cheaper one of this model and of what a search finds for the robot as it is now."""
        from symoro.ir.draft import cost
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

        return distinguishing(find(self.row).of(self.robot), self.options) if self.row else dict(self.options)


def model(name: str, robot: Robot | str | Path, *args: Any, **options: Any) -> Model:
    """The model of this name or alias for a robot; positional options come in the order of the catalogue."""
    found = find(name)
    described = valid_robot(robot, parallel=True)
    found.require(described)
    described = found.prepared(described)
    entry = found.of(described)
    chosen = entry.checked(described, _by_name(found, args) | options)
    built = build(entry, described, chosen)
    return Model(
        described, built.program, entry.name, entry.title, entry.citation, chosen, built.formulation, row=entry.name
    )


def _by_name(entry: Entry, args: tuple[Any, ...]) -> dict[str, Any]:
    names = [option.name for option in entry.all_options]
    if len(args) > len(names):
        raise TypeError(f"{entry.name} takes a robot and at most {len(names)} options: {', '.join(names)}")
    return dict(zip(names, args, strict=False))


def function(entry: Entry) -> Callable[..., Model]:
    """The public function of a row of the catalogue, with its own signature and help."""
    from inspect import Parameter, Signature

    from symoro.models.help import text

    def make(robot: Robot | str | Path, *args: Any, **options: Any) -> Model:
        if entry.platform and entry.platform.procedure and (described := valid_robot(robot, parallel=True)).parallel:
            made: Model = load(entry.platform.procedure)(described, *args, **options)
            return made
        return model(entry.name, robot, *args, **options)

    listed = [Parameter("robot", Parameter.POSITIONAL_OR_KEYWORD)]
    for option in entry.all_options:
        default = Parameter.empty if option.required else option.default
        listed.append(Parameter(option.name, Parameter.POSITIONAL_OR_KEYWORD, default=default))
    make.__name__ = make.__qualname__ = entry.name
    make.__doc__ = text(entry)
    make.__signature__ = Signature(listed, return_annotation=Model)  # type: ignore[attr-defined]
    return make
