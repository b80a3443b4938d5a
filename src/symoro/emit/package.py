"""The package of a program: the data with which every target writes its source files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from symoro.emit.files import write_files
from symoro.emit.listing import Routine, remark, routine
from symoro.emit.names import Names, identifier
from symoro.emit.prepare import prepare
from symoro.emit.selftest import Golden, golden
from symoro.emit.target import Target
from symoro.emit.target import target as find_target
from symoro.ir.meaning import Meaning
from symoro.ir.ops import OpCount
from symoro.ir.program import Program, Variable
from symoro.ir.split import split


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

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Package:
    """Everything a target needs to write its files."""

    name: str
    title: str
    target: Target
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
    about: tuple[str, ...] = ()  # lines that say where the code comes from: version, options


def package(
    program: Program,
    target: Target,
    name: str,
    title: str = "",
    defaults: Mapping[str, float] | None = None,
    about: Sequence[str] = (),
) -> Package:
    """The package of a program, not yet written."""
    name = package_name(name, target)
    known = {p.name: p.default for p in program.parameters if p.default is not None} | dict(defaults or {})
    ready = prepare(program, target.inline_conditions)
    names = Names(target, ready, (name, f"{name}_setup", f"{name}_parameters"))
    setup, main = split(ready)
    return Package(
        name,
        target.comment(title or name),
        target,
        _fields(program.parameters, names, target, known),
        _fields(main.parameters, names, target, {}),
        tuple(_input(program, names, target)),
        tuple(_output(program, names, target)),
        routine(setup, names, target),
        routine(main, names, target),
        program.ops,
        program.setup_ops,
        frozenset(i.op.value for i in (*ready.setup, *ready.instructions)),
        golden(program, known),
        tuple(map(target.comment, about)),
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
) -> list[Path]:
    """Write the program as a package of files in the target's language; return the paths of the files.

    No file is overwritten that symoro did not make. With `force`, files that symoro made are, also if they were changed
    or belong to another model (see `emit.files`).
    """
    language = find_target(target)
    made = package(program, language, name, title, defaults, about)
    return write_files(directory, language.write(made), made.name, force)


def package_name(name: str, target: Target) -> str:
    """The name as an identifier of the target's language."""
    name = identifier(name)
    return f"{name}_model" if name in target.reserved else name


def _fields(
    variables: Sequence[Variable], names: Names, target: Target, defaults: Mapping[str, float]
) -> tuple[Field, ...]:
    return tuple(
        Field(names.variables[v.name], v.name, target.comment(remark(v.meaning)), defaults.get(v.name))
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
