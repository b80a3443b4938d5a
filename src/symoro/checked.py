"""A compiled model of a robot with closed loops that looks at the loops at each call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
        found = self._function(*inputs, values=values, **named)  # first: it reports inputs that are missing
        self._check.warn(named["q"] if "q" in named else inputs[self._place], values, stacklevel=3)
        return found

    def closure(self, q: ArrayLike, values: Values | None = None) -> LoopState:
        """The residual of the loops at q, and the condition of the equations of the passive joints."""
        return self._check.state(q, values)
