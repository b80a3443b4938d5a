"""The package of one or several programs: its parts, which every target prints in its own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.emit.files import write_files
from symoro.emit.listing import CodeNames, CodePieces, Routine, cut, identifier, prepare, remark, routine
from symoro.emit.newton import Newton, NewtonDriver, driver
from symoro.emit.selftest import Golden, golden
from symoro.emit.target import Target
from symoro.emit.target import target as find_target
from symoro.emit.trace import Marks, Traced, traced, without_marks
from symoro.errors import TargetError
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import OpCount
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Program, Variable, split

# The parts of a package: what every target prints, in data that are the same for all languages.


@dataclass(frozen=True, slots=True)
class Source:
    """A program that becomes a function of a package: its name, title and known numbers, and where it comes from."""

    program: Program
    name: str
    title: str = ""
    defaults: Mapping[str, float] = field(default_factory=dict)
    about: tuple[str, ...] = ()
    description: Callable[[], tuple[str, ...]] = tuple  # lines that describe the robot, for who asks
    method: Newton | None = None  # what repeats the function, if it is a step
    inputs: Mapping[str, ArrayLike] = field(default_factory=dict)
    """Candidates for the inputs of its self-test, where random ones mean nothing; the first one is the example's."""
    bounds: Callable[[], Mapping[str, tuple[float | None, float | None]]] = dict
    """The least and greatest values that elements of inputs may have, by their names, for who asks."""

    @property
    def known(self) -> dict[str, float]:
        """The numbers of the parameters that have one."""
        numbers = {p.name: p.default for p in self.program.parameters if p.default is not None}
        return numbers | dict(self.defaults)


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter or a constant: its name in the code, its symbol, its meaning, and its number if it has one."""

    name: str
    symbol: str
    remark: str
    default: float | None = None


@dataclass(frozen=True, slots=True)
class Array:
    """An input or output array."""

    name: str
    symbol: str
    shape: tuple[int, ...]
    remark: str
    elements: tuple[str, ...]
    defaults: tuple[float, ...] | None = None  # of an optional input
    columns: tuple[str, ...] = ()  # of an output: the meaning of each column along its last axis, if they differ
    fallback: str = ""  # of an optional input: a name for its defaults, where the code needs one
    example: tuple[float, ...] = ()  # of an input: the numbers with which the example calls

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class PackageFunction:
    """One program as code: `setup` computes constants from the parameters, `main` the outputs from them and inputs.

    `program` is what both were printed from.
    """

    name: str
    title: str
    parameters: tuple[Field, ...]
    constants: tuple[Field, ...]
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    setup: Routine
    main: Routine
    ops: OpCount
    setup_ops: OpCount
    helpers: frozenset[str]  # the operations that occur
    golden: Golden
    about: tuple[str, ...]  # lines that say where the code comes from: version, options
    program: Program
    names: CodeNames  # those of the code, to which a target may add
    pieces: CodePieces  # of `main`, where it is long
    driver: NewtonDriver | None = None

    @property
    def required(self) -> tuple[Array, ...]:
        """The inputs that every call gives."""
        return tuple(a for a in self.inputs if a.defaults is None)

    @property
    def optional(self) -> tuple[Array, ...]:
        """The inputs that a call may leave out."""
        return tuple(a for a in self.inputs if a.defaults is not None)

    @property
    def driver_sizes(self) -> dict[str, int]:
        """The sizes of the outputs by their symbols."""
        return {a.symbol: a.size for a in self.outputs}

    @property
    def driver_places(self) -> dict[str, int]:
        """The places of the outputs, from 1, by their symbols."""
        return {a.symbol: k for k, a in enumerate(self.outputs, 1)}

    @property
    def driver_names(self) -> dict[str, str]:
        """The names of the outputs by their symbols."""
        return {a.symbol: a.name for a in self.outputs}

    @property
    def fallbacks(self) -> dict[str, str]:
        """The names of the optional inputs, each with the name of its defaults."""
        return {a.name: a.fallback for a in self.optional}


# The functions of a package in a closed loop: a law and what it controls, called in turn, for the self-test.
#
# Arrays are connected by their names: an output is the input of its name of the functions that follow, and an output
# `next_x` is the input x in the next period.


NEXT = "next_"
_TOLERANCE = {"double": 1e-9, "float": 1e-3}


@dataclass(frozen=True, slots=True)
class ClosedLoopArrays:
    """What a closed loop is given: arrays at its start, and arrays with a row for each period."""

    start: Mapping[str, ArrayLike]
    rows: Mapping[str, ArrayLike]


@dataclass(frozen=True, slots=True)
class LoopTest:
    """A closed loop with its result: `last` has the arrays that periods hand on, after the last one.

    `sizes` are those of all arrays that a function computes.
    """

    periods: int
    start: Mapping[str, list[float]]
    rows: Mapping[str, list[list[float]]]
    last: Mapping[str, list[float]]
    sizes: Mapping[str, int]
    tolerance: float


def loop_test(loop: ClosedLoopArrays, sources: Sequence[Source], precision: str) -> LoopTest | None:
    """The closed loop by the reference interpreter; None where a parameter has no number."""
    if any(p.name not in source.known for source in sources for p in source.program.parameters):
        return None
    rows = {name: np.asarray(x, dtype=float) for name, x in loop.rows.items()}
    start = {name: np.asarray(x, dtype=float) for name, x in loop.start.items()}
    now: dict[str, NDArray[Any]] = dict(start)
    periods = len(next(iter(rows.values())))
    for k in range(periods):
        now |= {name: x[k] for name, x in rows.items()}
        for source in sources:
            inputs = {array.name: now[array.name] for array in source.program.inputs if not array.optional}
            now |= evaluate(source.program, inputs, source.known)
        now |= {name.removeprefix(NEXT): x for name, x in now.items() if name.startswith(NEXT)}
    return LoopTest(
        periods,
        {name: x.tolist() for name, x in start.items()},
        {name: x.tolist() for name, x in rows.items()},
        {name: now[name].tolist() for name in start},
        {o.name: len(o.elements) for source in sources for o in source.program.outputs},
        _TOLERANCE[precision],
    )


# The package of one or several programs: the data with which every target writes its source files.


@dataclass(frozen=True, slots=True)
class Package:
    """Everything a target needs to write its files: functions, and the parameters that they share."""

    name: str
    title: str
    target: Target
    parameters: tuple[Field, ...]
    functions: tuple[PackageFunction, ...]
    description: Callable[[], tuple[str, ...]] = tuple  # lines that describe the robot, for who asks
    loop: LoopTest | None = None  # of its functions, for the self-test
    bounds: Callable[[], Mapping[str, tuple[float | None, float | None]]] = dict  # those of the first source

    @property
    def helpers(self) -> frozenset[str]:
        """The operations that occur, and `angles` where sines and cosines are computed together."""
        angles = {"angles"} if any(r.angles for f in self.functions for r in (f.main, *f.pieces.routines)) else set()
        return frozenset(angles).union(*(f.helpers for f in self.functions))


def package(
    sources: Sequence[Source],
    target: Target,
    name: str = "",
    title: str = "",
    loop: ClosedLoopArrays | None = None,
    marks: Marks | None = None,
) -> Package:
    """The package of several programs, not yet written; of one, it has the name of its function."""
    wanted = [name or sources[0].name, *(source.name for source in sources)]
    if repeated := {n for n in wanted[1:] if wanted[1:].count(n) > 1}:
        raise TargetError("targets.same_name", names=sorted(repeated))
    ready = [replace(s, program=prepare(s.program, target.inline_conditions)) for s in sources]
    names = CodeNames(target, [s.program for s in ready], wanted, marks)
    return Package(
        names.public[wanted[0]],
        target.comment(title or sources[0].title or wanted[0]),
        target,
        _shared_fields(sources, names, target),
        tuple(_function(s, r.program, names, target) for s, r in zip(sources, ready, strict=True)),
        sources[0].description,
        loop_test(loop, sources, target.precision) if loop else None,
        sources[0].bounds,
    )


def emit(
    program: Program,
    target: str,
    directory: Path | str,
    name: str,
    title: str = "",
    defaults: Mapping[str, float] | None = None,
    about: Sequence[str] = (),
    force: bool = False,
    precision: str = "double",
    inputs: Mapping[str, ArrayLike] | None = None,
) -> list[Path]:
    """Write the program as a package of files in the target's language; return the paths of the files.

    No file is overwritten that symoro did not make. With `force`, files that symoro made are, also if they were changed
    or belong to another model (see `emit.files`). The cases of the self-test have random inputs, or are chosen from
    `inputs`, arrays (CANDIDATES, ...) by name.
    """
    source = Source(program, name, title, defaults or {}, tuple(about), inputs=inputs or {})
    return emit_all([source], target, directory, force=force, precision=precision)


def emit_all(
    sources: Sequence[Source],
    target: str,
    directory: Path | str,
    name: str = "",
    title: str = "",
    force: bool = False,
    precision: str = "double",
    loop: ClosedLoopArrays | None = None,
) -> list[Path]:
    """Write several programs as one package, whose functions share the parameters.

    With a `loop`, its self-test also calls the functions in a closed loop, in a language that can iterate.
    """
    language = find_target(target, precision)
    if not language.iterates and any(source.method for source in sources):
        raise TargetError("targets.iterates", language=language.title)
    whole = package(sources, language, name, title, loop)
    return write_files(directory, language.write(whole), whole.name, force)


def traced_files(source: Source, target: str) -> dict[str, Traced]:
    """The files that `emit` would write for a program, each with the statements of its lines; nothing is written."""
    language = find_target(target)
    marks = Marks(on=True)
    files = language.write(package([source], language, marks=marks))
    return {name: traced(text, marks) for name, text in files.items()}


def package_name(name: str, target: Target) -> str:
    """The name as an identifier of the target's language that a package can have."""
    name = identifier(name)
    return name if target.can_name(name) else f"{name}_model"


def _function(source: Source, ready: Program, names: CodeNames, target: Target) -> PackageFunction:
    program, inside = source.program, names.inside(ready)
    setup, main = split(ready)
    cases = golden(program, source.known, target.cases, target.precision, inputs=source.inputs)
    return PackageFunction(
        names.public[source.name],
        target.comment(source.title or source.name),
        _fields(program.parameters, inside, target, source.known),
        _fields(main.parameters, inside, target, {}),
        tuple(_input(source, inside, target)),
        tuple(_output(program, inside, target)),
        routine(setup, inside, target),
        routine(main, inside, target),
        program.ops,
        program.setup_ops,
        frozenset(i.op.value for i in (*ready.setup, *ready.instructions)),
        cases,
        tuple(map(target.comment, source.about)),
        ready,
        inside,
        cut(main, inside, target),
        driver(source.method, program, cases.parameters, target.precision) if source.method else None,
    )


def _shared_fields(sources: Sequence[Source], names: CodeNames, target: Target) -> tuple[Field, ...]:
    """The parameters of all programs, each once."""
    fields: dict[str, Field] = {}
    for source in sources:
        for one in _fields(source.program.parameters, names, target, source.known):
            fields.setdefault(one.symbol, one)
    return tuple(fields.values())


def _fields(
    variables: Sequence[Variable], names: CodeNames, target: Target, defaults: Mapping[str, float]
) -> tuple[Field, ...]:
    return tuple(
        Field(without_marks(names.variables[v.name]), v.name, target.comment(remark(v.meaning)), defaults.get(v.name))
        for v in variables
    )


def _input(source: Source, names: CodeNames, target: Target) -> list[Array]:
    return [
        Array(
            names.arrays[i.name],
            i.name,
            i.shape,
            target.comment(remark(i.meaning)),
            tuple(v.name for v in i.variables),
            tuple(v.default or 0.0 for v in i.variables) if i.optional else None,
            fallback=names.fresh(f"default_{i.name}") if i.optional else "",
            example=_example(source, i),
        )
        for i in source.program.inputs
    ]


def _example(source: Source, array: Input) -> tuple[float, ...]:
    """The numbers of an input in the example: the first candidate, else its defaults, else 0."""
    if array.name in source.inputs:
        return tuple(map(float, np.ravel(np.asarray(source.inputs[array.name])[0])))
    return tuple(v.default or 0.0 for v in array.variables)


def _output(program: Program, names: CodeNames, target: Target) -> list[Array]:
    return [
        Array(
            names.arrays[o.name],
            o.name,
            o.shape,
            target.comment(_common(o.meanings)),
            o.names,
            columns=() if _common(o.meanings) else tuple(target.comment(_in_short(m)) for m in o.columns),
        )
        for o in program.outputs
    ]


def _in_short(meaning: Meaning) -> str:
    """Text and unit, without the equation, which is the same for all columns."""
    return remark(replace(meaning, equation=""))


def _common(meanings: Sequence[Meaning]) -> str:
    """The remark that all elements share; empty if they differ."""
    remarks = {remark(m) for m in meanings}
    return remarks.pop() if len(remarks) == 1 else ""
