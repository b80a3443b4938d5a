"""Functions that look at closed loops, or at the pose and the constraints of a platform, in each call."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from symoro.errors import InputError, LoopWarning
from symoro.findings import Finding
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, total
from symoro.ir.program import Input, Program, Variable
from symoro.lazy import lazy
from symoro.runtime.function import Function, compile_program

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symoro.runtime.function import Values


#: The largest residual of closures without a warning, which rounded numbers have, and the largest velocity of what
#: follows from unit velocities.
OPEN, SINGULAR = 1e-3, 1e8


class WatchedFunction(Function):
    """A function that warns with `LoopWarning` where closures are open or singular at its q or T.

    `watch` gives W of `models.watch`; `codes` are those of the findings then.
    """

    def __init__(
        self, function: Function, at: str, watch: Callable[[], Function | None], robot: str, codes: tuple[str, str]
    ) -> None:
        self.__dict__.update(vars(function))
        self._function, self._at, self._make = function, at, watch
        self._name, self._codes = robot, codes
        self._place = self._order.index(at)

    def __reduce__(self) -> tuple[Any, ...]:
        return WatchedFunction, (self._function, self._at, self._make, self._name, self._codes)

    @property
    def residual(self) -> Any:
        """How far T, V and VP break the constraints of a platform, see `PlatformFunction`."""
        return self._function.residual  # type: ignore[attr-defined]

    @lazy
    def _watch(self) -> Function | None:
        """Made at the first call: a function that is never called needs none. None where closures say nothing."""
        return self._make()

    def __call__(self, *inputs: ArrayLike, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        inputs, named = _before_the_call(inputs, named)
        more = named if values is None else {**named, "values": values}  # without any it is a direct call
        outputs = self._function(*inputs, **more)  # first: it reports inputs that are missing
        if self._watch is None:
            return outputs
        at = named[self._at] if self._at in named else inputs[self._place]
        W = self._watch(at) if values is None else self._watch(at, values=values)
        if W.ndim == 1:
            gap, gain = W.tolist()
            right = gap <= OPEN**2 and gain <= SINGULAR**2
        else:
            right = (W <= _WATCHED).all()
        return outputs if right else self._warned(outputs, W, at)

    def _warned(self, outputs: Any, W: Any, at: Any) -> Any:
        """The outputs, with a warning at open closures, or at singular ones where they are closed.

        They are NaN where the legs do not reach a pose T. T without numbers is no state of the robot.
        """
        gap, gain = W[..., 0], W[..., 1]
        apart = gap > OPEN**2
        if self._at == "T":
            apart |= np.isnan(gap) & np.isfinite(np.asarray(at, dtype=float)).all(axis=(-1, -2))
            outputs = _blanked(outputs, self.program, apart) if apart.any() else outputs
        self._warn(gap, gain, apart)
        return outputs

    def _warn(self, gap: Any, gain: Any, apart: Any) -> None:
        if apart.any():
            place = _first(apart)
            residual, where = float(np.sqrt(gap[place])), _state(place)
            warn(LoopWarning(Finding(self._codes[0], robot=self._name, residual=residual, where=where)), stacklevel=4)
        elif (lost := ~(gain <= SINGULAR**2) & (gap <= OPEN**2)).any():
            warn(LoopWarning(Finding(self._codes[1], robot=self._name, where=_state(_first(lost)))), stacklevel=4)


_WATCHED = np.array([OPEN**2, SINGULAR**2])


class FiniteFunction(Function):
    """A function of a tree that warns with `LoopWarning` where its result is that of a singular state."""

    def __init__(self, function: Function, robot: str) -> None:
        self.__dict__.update(vars(function))
        self._function, self._name = function, robot

    def __reduce__(self) -> tuple[Any, ...]:
        return FiniteFunction, (self._function, self._name)

    def __call__(self, *inputs: ArrayLike, values: Values | None = None, **named: Any) -> Any:
        """The output; `values` replaces parameter values by name."""
        more = named if values is None else {**named, "values": values}
        result = self._function(*inputs, **more)
        small = np.abs(result) <= SINGULAR
        if not small.all():
            (output,) = self.program.outputs
            lost = ~small.all(axis=tuple(range(-len(output.shape), 0)))
            given = [*inputs, *(named[name] for name in self._order if name in named)]
            if all(np.isfinite(np.asarray(x, dtype=float)).all() for x in given):
                said = Finding("runtime.singular_jacobian", robot=self._name, where=_state(_first(lost)))
                warn(LoopWarning(said), stacklevel=2)
        return result


def _first(where: Any) -> tuple[int, ...]:
    """The place of the first state."""
    return tuple(int(k) for k in np.argwhere(where)[0])


def _state(place: tuple[int, ...]) -> Finding | str:
    """Which state of several it is."""
    number = place[0] if len(place) == 1 else place
    return Finding("runtime.at_state", state=str(number)) if place else ""


def _before_the_call(inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs, which are looked at after the call; copies where `out` is given, because it may lie on them."""
    if named.get("out") is None:
        return inputs, named
    copies = {name: x if name in ("out", "threads") else _copy(x) for name, x in named.items()}
    return tuple(map(_copy, inputs)), copies


def _copy(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


#: The largest residual of the constraints of a platform without a warning.
CONSISTENT = 1e-6
#: The most that `_pose_error` gives for a pose whose numbers are right to 1e-6.
_POSE = 2e-11


class PoseFunction(Function):
    """A function of a pose T of a platform: it refuses a matrix that is no pose.

    Where T has numbers that are not finite, as where there is no assembly, the results are NaN.
    """

    def __init__(self, function: Function) -> None:
        self.__dict__.update(vars(function))
        self._function = function
        self._place = self._order.index("T")

    def __reduce__(self) -> tuple[Any, ...]:
        return PoseFunction, (self._function,)

    def __call__(self, *inputs: ArrayLike, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        inputs, named = _before_the_call(inputs, named)
        more = named if values is None else {**named, "values": values}  # without any it is a direct call
        outputs = self._function(*inputs, **more)  # first: it reports inputs that are missing
        T = named["T"] if "T" in named else inputs[self._place]
        away = _pose_error()(T)
        poses = away <= _POSE
        right = poses.all() if poses.ndim else poses
        return outputs if right else self._without(outputs, np.asarray(T, dtype=float), away)

    def _without(self, outputs: Any, T: Any, away: Any) -> Any:
        """The results with NaN where T is not finite; an error where it is, and is no pose."""
        unknown = ~np.isfinite(T).all(axis=(-1, -2))
        if np.any(wrong := ~(away <= _POSE) & ~unknown):
            place = tuple(int(k) for k in np.argwhere(wrong)[0])
            by = float(np.sqrt(np.asarray(away)[place]))
            if place:
                raise InputError("runtime.pose_at", index=str(place), by=by)
            raise InputError("runtime.pose", by=by)
        return _blanked(outputs, self.program, unknown)


def _blanked(outputs: Any, program: Program, where: Any) -> Any:
    """The output, or the tuple of outputs, of a program with NaN in some states."""
    parts = outputs if isinstance(outputs, tuple) else (outputs,)
    blank = [_blank(x, len(o.shape), where) for x, o in zip(parts, program.outputs, strict=True)]
    return type(outputs)(*blank) if isinstance(outputs, tuple) else blank[0]


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
    compiled: Function = compile_program(_pose_program())
    return compiled


def _pose_program() -> Program:
    """AWAY: the sum of squares of Rᵀ R − 1, det R − 1 and the last row − (0, 0, 0, 1); a reflection has det R = −1.

    It is NaN where one of these numbers is.
    """
    g, names = Graph(), [[f"T{i}{k}" for k in range(1, 5)] for i in range(1, 5)]
    T = Matrix(g, (Vector(g, map(g.symbol, row)) for row in names))
    R = Matrix(g, (row[:3] for row in T.rows[:3]))
    square = R.T @ R
    shape = [square[i, k] - int(i == k) for i in range(3) for k in range(i, 3)]
    turned = R[0].cross(R[1]).dot(R[2]) - 1
    last = [x - int(k == 3) for k, x in enumerate(T.rows[3])]
    away = total(g, (x * x for x in (*shape, turned, *last)))
    pose = Input("T", (4, 4), tuple(Variable(name) for row in names for name in row))
    return extract(g, [pose], (), [Result("AWAY", (), (away,), ("AWAY",))])


class PlatformFunction(PoseFunction):
    """A function of a platform with fewer than six freedoms: it warns where T, V or VP break its constraints."""

    def __init__(self, function: Function, closure: Function) -> None:
        super().__init__(function)
        self._closure = closure

    def __reduce__(self) -> tuple[Any, ...]:
        return PlatformFunction, (self._function, self._closure)

    def __call__(self, *inputs: ArrayLike, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        inputs, named = _before_the_call(inputs, named)
        outputs = super().__call__(*inputs, values=values, **named)
        by_name = dict(zip(self._order, inputs, strict=False)) | {n: named[n] for n in self._order if n in named}
        motion = {name: by_name[name] for name in ("T", "V", "VP") if name in by_name}
        residuals = self.residual(**motion, values=values)
        if any((x > CONSISTENT).any() for x in residuals):  # NaN where legs do not reach T, which is another warning
            error = max(float(np.nanmax(x)) for x in residuals)
            warn(LoopWarning(Finding("runtime.platform_open", residual=error, most=CONSISTENT)), stacklevel=2)
        return outputs

    def residual(
        self, T: ArrayLike, V: ArrayLike | None = None, VP: ArrayLike | None = None, values: Values | None = None
    ) -> tuple[Any, ...]:
        """How far T, V and VP break the constraints: the largest residual of each that is given."""
        still = np.zeros(6)
        residuals = self._closure(T, still if V is None else V, still if VP is None else VP, values=values)
        wanted = [residuals.E, *([residuals.EV] if V is not None else []), *([residuals.EVP] if VP is not None else [])]
        return tuple(np.abs(x).max(-1) for x in wanted)
