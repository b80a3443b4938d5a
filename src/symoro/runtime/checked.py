"""Functions that look at closed loops, or at the pose and the constraints of a platform, in each call."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Protocol
from warnings import warn

import numpy as np

from symoro.errors import InputError, LoopWarning
from symoro.findings import Finding
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, total
from symoro.ir.program import Input, Program, Variable
from symoro.runtime.function import Function, compile_program

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symoro.runtime.parameters import Values


class ClosureCheck(Protocol):
    """Looks at closed loops at configurations q."""

    def state(self, q: Any, values: Any = None) -> Any:
        """The residual of the loops, and the condition of the equations of the passive joints."""

    def warn(self, q: Any, values: Any = None, stacklevel: int = 3) -> None:
        """A `LoopWarning` where loops are open or the motors are at a dead point."""


class CheckedFunction(Function):
    """A function that warns with `LoopWarning` where its q is open or at a dead point, and then computes."""

    def __init__(self, function: Function, check: ClosureCheck) -> None:
        self.__dict__.update(vars(function))
        self._function = function
        self._check = check
        self._place = [i.name for i in self.program.inputs if not i.optional].index("q")

    def __reduce__(self) -> tuple[Any, ...]:
        return CheckedFunction, (self._function, self._check)

    def __call__(self, *inputs: ArrayLike, values: Values | None = None, **named: Any) -> Any:
        """The output, or a named tuple of several outputs; `values` replaces parameter values by name."""
        inputs, named = _before_the_call(inputs, named)
        outputs = self._function(*inputs, values=values, **named)  # first: it reports inputs that are missing
        self._check.warn(named["q"] if "q" in named else inputs[self._place], values, stacklevel=3)
        return outputs

    def closure(self, q: ArrayLike, values: Values | None = None) -> Any:
        """The residual of the loops at q, and the condition of the equations of the passive joints."""
        return self._check.state(q, values)


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
        parts = outputs if isinstance(outputs, tuple) else (outputs,)
        blank = [_blank(x, len(o.shape), unknown) for x, o in zip(parts, self.program.outputs, strict=True)]
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
        error = max(float(np.max(x, initial=0.0)) for x in self.residual(**motion, values=values))
        if not error <= CONSISTENT:
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
