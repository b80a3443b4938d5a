"""Compiled models that look at closed loops, or at the pose and the constraints of a platform, at each call."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from symoro.errors import InputError, LoopWarning
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
#: The most that `pose_error` gives for a pose whose numbers are right to 1e-6.
_POSE = 2e-11


class PoseFunction(Function):
    """A function of a pose T of a platform: it refuses a matrix that is no pose.

    Where T has numbers that are not finite, as where there is no assembly, the results are NaN.
    """

    def __init__(self, function: Function) -> None:
        self.__dict__.update(vars(function))
        self._function = function
        self._names = [i.name for i in self.program.inputs]

    def __reduce__(self) -> tuple[Any, ...]:
        return PoseFunction, (self._function,)

    def __call__(self, *inputs: ArrayLike, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        inputs, named = _kept(inputs, named)
        more = named if values is None else {**named, "values": values}  # without any it is a direct call
        found = self._function(*inputs, **more)  # first: it reports inputs that are missing
        T = named["T"] if "T" in named else inputs[0]
        away = _pose_error()(T)
        poses = away <= _POSE
        right = poses.all() if poses.ndim else poses
        return found if right else self._without(found, np.asarray(T, dtype=float), away)

    def _without(self, found: Any, T: Any, away: Any) -> Any:
        """The results with NaN where T is not finite; an error where it is, and is no pose."""
        unknown = ~np.isfinite(T).all(axis=(-1, -2))
        if np.any(wrong := ~(away <= _POSE) & ~unknown):
            place = tuple(int(k) for k in np.argwhere(wrong)[0])
            where = f" at {place}" if place else ""
            by = float(np.sqrt(np.asarray(away)[place]))
            raise InputError(
                f"input T{where} is no pose: it differs by {by:.3g} from a rotation and a translation (allowed: 1e-6)"
            )
        parts = found if isinstance(found, tuple) else (found,)
        made = [_blank(x, len(o.shape), unknown) for x, o in zip(parts, self.program.outputs, strict=True)]
        return type(found)(*made) if isinstance(found, tuple) else made[0]


def _blank(x: Any, axes: int, where: Any) -> Any:
    """An output with NaN in some states, in its own memory; `axes` are those of one state."""
    mask = np.reshape(where, (*where.shape, *(1,) * axes))
    if np.ndim(x) == 0:
        return np.where(mask, np.nan, x)[()]
    np.copyto(x, np.nan, where=mask)
    return x


@cache
def _pose_error() -> Function:
    """How far T is from a pose; compiled at the first use."""
    found: Function = compile_program(load("symoro.models.parallel.pose:pose_error")())
    return found


class PlatformFunction(PoseFunction):
    """A function of a platform with fewer than six freedoms: it warns where T, V or VP break its constraints."""

    def __init__(self, function: Function, closure: Function) -> None:
        super().__init__(function)
        self._closure = closure

    def __reduce__(self) -> tuple[Any, ...]:
        return PlatformFunction, (self._function, self._closure)

    def __call__(self, *inputs: ArrayLike, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        inputs, named = _kept(inputs, named)
        found = super().__call__(*inputs, values=values, **named)
        given = dict(zip(self._names, inputs, strict=False)) | {n: named[n] for n in self._names if n in named}
        motion = {name: given[name] for name in ("T", "V", "VP") if name in given}
        error = max(float(np.max(x, initial=0.0)) for x in self.residual(**motion, values=values))
        if not error <= CONSISTENT:
            said = f"the constraints of the platform are broken: the residual is {error:.3g} (allowed: {CONSISTENT:g})"
            warn(said, LoopWarning, stacklevel=2)
        return found

    def residual(
        self, T: ArrayLike, V: ArrayLike | None = None, VP: ArrayLike | None = None, values: Values | None = None
    ) -> tuple[Any, ...]:
        """How far T, V and VP break the constraints: the largest residual of each that is given."""
        still = np.zeros(6)
        found = self._closure(T, still if V is None else V, still if VP is None else VP, values=values)
        kept = [found.E, *([found.EV] if V is not None else []), *([found.EVP] if VP is not None else [])]
        return tuple(np.abs(x).max(-1) for x in kept)


#: Rows of models that look at T themselves: inverse geometry, which has no row, answers `invalid`; a step of Newton's
#: method may begin at a matrix that is no pose, and its driver looks at the last one.
_OWN_LOOK = ("", "loop_step")
#: The models of parallel robots that depend on velocities, which constraints must allow.
_MOVING = ("inverse_dynamics", "direct_dynamics", "bias", "jdot_qdot", "cut_wrenches")


def platform_function(
    robot: Robot, row: str, branch: tuple[int, ...] | None, compiled: Function, backend: str
) -> Function:
    """A function of a parallel robot that looks at T, and at the constraints where its legs constrain the platform."""
    if backend not in of_arrays() or row in _OWN_LOOK or "T" not in compiled.inputs:
        return compiled
    structure = load("symoro.models.parallel.structure:structure")
    if row not in _MOVING or structure(robot, branch).freedom == 6:
        return PoseFunction(compiled)
    entry = find("loop_closure").of(robot)
    program = build(entry, robot, entry.checked(robot, {"branch": branch})).program
    defaults = {p.name: p.default for p in program.parameters if p.default is not None}
    known = set(known_parameters(robot))
    return PlatformFunction(compiled, compile_program(program, backend, defaults, known, compiled.dtype))
