"""The parts of a package: what every target prints, in data that are the same for all languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

from numpy.typing import ArrayLike

from symoro.emit.listing import Routine
from symoro.emit.names import Names
from symoro.emit.newton import Driver, Newton
from symoro.emit.pieces import Pieces
from symoro.emit.selftest import Golden
from symoro.ir.ops import OpCount
from symoro.ir.program import Program


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
    """Candidates for the inputs of its self-test, where random ones mean nothing."""

    @property
    def known(self) -> dict[str, float]:
        """The numbers of the parameters that have one."""
        own = {p.name: p.default for p in self.program.parameters if p.default is not None}
        return own | dict(self.defaults)


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
class Function:
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
    names: Names  # those of the code, to which a target may add
    pieces: Pieces  # of `main`, where it is long
    driver: Driver | None = None

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
