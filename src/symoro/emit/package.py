"""The package of a program: the data with which every target writes its source files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from numpy.typing import ArrayLike

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


def package(
    program: Program,
    target: Target,
    name: str,
    title: str = "",
    defaults: Mapping[str, float] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
) -> Package:
    """The package of a program, not yet written; `inputs` are candidates for the cases of its self-test."""
    name = _package_name(name, target)
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
        golden(program, known, inputs=inputs),
    )


def emit(
    program: Program,
    target: str,
    directory: Path | str,
    name: str,
    title: str = "",
    defaults: Mapping[str, float] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
) -> list[Path]:
    """Write the program as a package of files in the target's language; return the paths of the files.

    The cases of the self-test have random inputs, or are chosen from `inputs`, arrays (CANDIDATES, ...) by name.
    """
    language = find_target(target)
    files = language.write(package(program, language, name, title, defaults, inputs))
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    return [folder / file for file in files]


def _package_name(name: str, target: Target) -> str:
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
