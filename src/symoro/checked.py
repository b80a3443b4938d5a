"""Compiled models that look at closed loops, or at the constraints of a platform, at each call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from symoro.errors import LoopWarning
from symoro.models.build import build, known_parameters
from symoro.models.catalogue import find
from symoro.models.families import load
from symoro.robot.robot import Robot
from symoro.runtime.backends import compile_program, of_arrays
from symoro.runtime.function import Function

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symoro.models.loops.state import LoopCheck, LoopState
    from symoro.runtime.parameters import Values


class CheckedFunction(Function):
    """A function that warns with `LoopWarning` where its q is open or at a dead point, and then computes."""

    def __init__(self, function: Function, check: LoopCheck) -> None:
        self.__dict__.update(vars(function))
        self._function = function
        self._check = check
        self._place = [i.name for i in self.program.inputs if not i.optional].index("q")

    def __reduce__(self) -> tuple[Any, ...]:
        return CheckedFunction, (self._function, self._check)

    def __call__(self, *inputs: ArrayLike, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        inputs, named = _kept(inputs, named)
        found = self._function(*inputs, values=values, **named)  # first: it reports inputs that are missing
        self._check.warn(named["q"] if "q" in named else inputs[self._place], values, stacklevel=3)
        return found

    def closure(self, q: ArrayLike, values: Values | None = None) -> LoopState:
        """The residual of the loops at q, and the condition of the equations of the passive joints."""
        return self._check.state(q, values)


def _kept(inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs, which are looked at after the call; copies where `out` is given, because it may lie on them."""
    if named.get("out") is None:
        return inputs, named
    copies = {name: x if name in ("out", "threads") else _copy(x) for name, x in named.items()}
    return tuple(map(_copy, inputs)), copies


def _copy(given: Any) -> Any:
    return given.copy() if isinstance(given, np.ndarray) else given


#: The largest residual of the constraints of a platform without a warning.
CONSISTENT = 1e-6


class PlatformFunction(Function):
    """A function of a platform with fewer than six freedoms: it warns where T, V or VP break its constraints."""

    def __init__(self, function: Function, closure: Function) -> None:
        self.__dict__.update(vars(function))
        self._function = function
        self._closure = closure

    def __reduce__(self) -> tuple[Any, ...]:
        return PlatformFunction, (self._function, self._closure)

    def __call__(self, *inputs: ArrayLike, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        inputs, named = _kept(inputs, named)
        found = self._function(*inputs, values=values, **named)  # first: it reports inputs that are missing
        names = [i.name for i in self.program.inputs]
        given = dict(zip(names, inputs, strict=False)) | {name: named[name] for name in names if name in named}
        motion = {name: given[name] for name in ("T", "V", "VP") if name in given}
        error = max(float(np.max(x, initial=0.0)) for x in self.residual(**motion, values=values))
        if not error <= CONSISTENT:
            warn(f"the constraints of the platform are broken: the residual is {error:.3g}", LoopWarning, stacklevel=2)
        return found

    def residual(
        self, T: ArrayLike, V: ArrayLike | None = None, VP: ArrayLike | None = None, values: Values | None = None
    ) -> tuple[Any, ...]:
        """How far T, V and VP break the constraints: the largest residual of each that is given."""
        still = np.zeros(6)
        found = self._closure(T, still if V is None else V, still if VP is None else VP, values=values)
        kept = [found.E, *([found.EV] if V is not None else []), *([found.EVP] if VP is not None else [])]
        return tuple(np.abs(x).max(-1) for x in kept)


#: The models of parallel robots that depend on velocities, which constraints must allow.
_MOVING = ("inverse_dynamics", "direct_dynamics", "bias", "jdot_qdot", "cut_wrenches")


def platform_function(
    robot: Robot, row: str, branch: tuple[int, ...] | None, compiled: Function, backend: str
) -> Function:
    """A function of a parallel robot; where its legs constrain the platform, it looks at the constraints."""
    if row not in _MOVING or backend not in of_arrays() or load(_STRUCTURE)(robot, branch).freedom == 6:
        return compiled
    entry = find("loop_closure").of(robot)
    program = build(entry, robot, entry.checked(robot, {"branch": branch})).program
    defaults = {p.name: p.default for p in program.parameters if p.default is not None}
    known = set(known_parameters(robot))
    return PlatformFunction(compiled, compile_program(program, backend, defaults, known, compiled.dtype))


_STRUCTURE = "symoro.models.parallel.structure:structure"
