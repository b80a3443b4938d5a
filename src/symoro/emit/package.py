"""The package of one or several programs: the data with which every target writes its source files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from numpy.typing import ArrayLike

from symoro.emit.files import write_files
from symoro.emit.listing import remark, routine
from symoro.emit.loop import Loop, LoopTest, loop_test
from symoro.emit.names import Names, identifier
from symoro.emit.newton import driver
from symoro.emit.parts import Array, Field, Function, Source
from symoro.emit.pieces import cut
from symoro.emit.prepare import prepare
from symoro.emit.selftest import golden
from symoro.emit.target import Target
from symoro.emit.target import target as find_target
from symoro.emit.trace import Marks, Traced, traced, without_marks
from symoro.errors import TargetError
from symoro.ir.meaning import Meaning
from symoro.ir.program import Program, Variable
from symoro.ir.split import split


@dataclass(frozen=True, slots=True)
class Package:
    """Everything a target needs to write its files: functions, and the parameters that they share."""

    name: str
    title: str
    target: Target
    parameters: tuple[Field, ...]
    functions: tuple[Function, ...]
    description: Callable[[], tuple[str, ...]] = tuple  # lines that describe the robot, for who asks
    loop: LoopTest | None = None  # of its functions, for the self-test

    @property
    def helpers(self) -> frozenset[str]:
        """The operations that occur."""
        return frozenset[str]().union(*(f.helpers for f in self.functions))


def package(
    sources: Sequence[Source],
    target: Target,
    name: str = "",
    title: str = "",
    loop: Loop | None = None,
    marks: Marks | None = None,
) -> Package:
    """The package of several programs, not yet written; of one, it has the name of its function."""
    wanted = [name or sources[0].name, *(source.name for source in sources)]
    if repeated := {n for n in wanted[1:] if wanted[1:].count(n) > 1}:
        raise TargetError(f"two programs of a package have the same name: {', '.join(sorted(repeated))}")
    ready = [replace(s, program=prepare(s.program, target.inline_conditions)) for s in sources]
    names = Names(target, [s.program for s in ready], wanted, marks)
    return Package(
        names.public[wanted[0]],
        target.comment(title or sources[0].title or wanted[0]),
        target,
        _shared_fields(sources, names, target),
        tuple(_function(s, r.program, names, target) for s, r in zip(sources, ready, strict=True)),
        sources[0].description,
        loop_test(loop, sources, target.precision) if loop else None,
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
    loop: Loop | None = None,
) -> list[Path]:
    """Write several programs as one package, whose functions share the parameters.

    With a `loop`, its self-test also calls the functions in a closed loop, in a language that can iterate.
    """
    language = find_target(target, precision)
    if not language.iterates and any(source.method for source in sources):
        raise TargetError(
            f"{language.title} cannot hold what iterates: write the step alone, or choose another language"
        )
    made = package(sources, language, name, title, loop)
    return write_files(directory, language.write(made), made.name, force)


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


def _function(source: Source, ready: Program, names: Names, target: Target) -> Function:
    program, inside = source.program, names.inside(ready)
    setup, main = split(ready)
    cases = golden(program, source.known, target.cases, target.precision, inputs=source.inputs)
    return Function(
        names.public[source.name],
        target.comment(source.title or source.name),
        _fields(program.parameters, inside, target, source.known),
        _fields(main.parameters, inside, target, {}),
        tuple(_input(program, inside, target)),
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


def _shared_fields(sources: Sequence[Source], names: Names, target: Target) -> tuple[Field, ...]:
    """The parameters of all programs, each once."""
    fields: dict[str, Field] = {}
    for source in sources:
        for field in _fields(source.program.parameters, names, target, source.known):
            fields.setdefault(field.symbol, field)
    return tuple(fields.values())


def _fields(
    variables: Sequence[Variable], names: Names, target: Target, defaults: Mapping[str, float]
) -> tuple[Field, ...]:
    return tuple(
        Field(without_marks(names.variables[v.name]), v.name, target.comment(remark(v.meaning)), defaults.get(v.name))
        for v in variables
    )


def _input(program: Program, names: Names, target: Target) -> list[Array]:
    return [
        Array(
            names.arrays[i.name],
            i.name,
            i.shape,
            target.comment(remark(i.meaning)),
            tuple(v.name for v in i.variables),
            tuple(v.default or 0.0 for v in i.variables) if i.optional else None,
            fallback=names.fresh(f"default_{i.name}") if i.optional else "",
        )
        for i in program.inputs
    ]


def _output(program: Program, names: Names, target: Target) -> list[Array]:
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
