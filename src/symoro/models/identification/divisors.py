"""Relations of a symbolic geometry may divide by it; the robot's own numbers must not make that 0."""

from __future__ import annotations

from collections.abc import Iterable

from symoro.errors import NotApplicable
from symoro.interface import robot_numbers
from symoro.ir.expr import Expr
from symoro.ir.extract import reachable
from symoro.ir.ops import Op
from symoro.models.identification.values import value_of
from symoro.robot.values import evaluate, symbols, to_text
from symoro.symbols import Symbols


def require_divisors(s: Symbols, exprs: Iterable[Expr]) -> None:
    """Raise where an expression divides by what is 0 with the robot's numbers."""
    known = robot_numbers(s.robot)
    for node in reachable(exprs):
        if node.op is Op.DIV:
            divisor = value_of(node.args[1])
            if symbols(divisor) <= known.keys() and abs(evaluate(divisor, known)) < 1e-12:
                raise NotApplicable(
                    f"the base parameters of {s.robot.name} with its symbols divide by {to_text(divisor)}, which is 0 "
                    f"with its numbers (put the numbers of {', '.join(sorted(symbols(divisor)))} into its geometry)"
                )
