"""Parameter values: their names are checked, none may be missing, and the constants are computed from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches

from symoro.errors import MissingParameter, ParameterError
from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program
from symoro.ir.split import CONSTANTS
from symoro.runtime.kernel import Array


class Parameters:
    """The parameters of a setup program with their default values."""

    def __init__(self, setup: Program, defaults: Mapping[str, float], known: Collection[str]) -> None:
        self.setup = setup
        own = {p.name: p.default for p in setup.parameters if p.default is not None}
        names = [p.name for p in setup.parameters]
        self.defaults = own | {n: _number(n, defaults[n]) for n in names if n in defaults}
        self.known = frozenset(names) | frozenset(known) | frozenset(defaults)

    def constants(self, values: Mapping[str, float]) -> Array:
        """The constants that the main program reads; these values replace the defaults."""
        self._check(values)
        given = self.defaults | {n: _number(n, v) for n, v in values.items()}
        missing = [p.name for p in self.setup.parameters if p.name not in given]
        if missing:
            raise MissingParameter(missing)
        return evaluate(self.setup, {}, given)[CONSTANTS]

    def _check(self, values: Mapping[str, float]) -> None:
        for name in values:
            if name not in self.known:
                close = get_close_matches(str(name), sorted(self.known), n=3)
                hint = f"did you mean {' or '.join(close)}?" if close else self._listing()
                raise ParameterError(f"no parameter {name!r}: {hint}")

    def _listing(self) -> str:
        names = sorted(self.known)
        if not names:
            return "there are none"
        return "known are " + ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def _number(name: str, value: float) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ParameterError(f"the value of {name} must be one number, not {value!r}") from None
