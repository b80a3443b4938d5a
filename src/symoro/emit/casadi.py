"""CasADi: a module that builds casadi.Function objects, for optimisation and optimal control, and its self-test."""

from __future__ import annotations

from dataclasses import replace

from symoro.emit.python import TARGET as PYTHON
from symoro.emit.python import write_module
from symoro.emit.target import decimal
from symoro.ir.evaluate import NUMPY_NAMES
from symoro.ir.expr import Op
from symoro.ir.infix import Dialect

#: The names of NumPy that CasADi writes in another way.
_OTHER = {Op.ASIN: "asin", Op.ACOS: "acos", Op.ATAN2: "atan2", Op.ABS: "fabs", Op.MIN: "fmin", Op.MAX: "fmax"}


TARGET = replace(
    PYTHON,
    name="casadi",
    title="Python with CasADi",
    dialect=Dialect(
        functions={op: f"ca.{name}" for op, name in (NUMPY_NAMES | _OTHER).items()} | {Op.EQUAL: "ca.eq({0}, {1})"},
        select="ca.if_else({0}, {1}, {2})",
        square=None,
    ),
    reserved=PYTHON.reserved | {"ca", "casadi"},
    write=lambda package: write_module(package, "casadi", readme=True),
    number=lambda value: decimal(value, "ca.inf", 'float("nan")'),
    iterates=False,
    modules=("casadi",),
)
