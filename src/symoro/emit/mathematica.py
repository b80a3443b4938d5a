"""Mathematica: a package of functions that take numbers or symbols, and its self-test."""

from __future__ import annotations

from math import isfinite

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.target import Target, decimal
from symoro.ir.expr import Constant, Op
from symoro.ir.infix import Dialect

_FUNCTIONS = {
    Op.SQRT: "Sqrt[{0}]",
    Op.SIN: "Sin[{0}]",
    Op.COS: "Cos[{0}]",
    Op.TAN: "Tan[{0}]",
    Op.ASIN: "ArcSin[{0}]",
    Op.ACOS: "ArcCos[{0}]",
    Op.ATAN2: "angle[{1}, {0}]",
    Op.EXP: "Exp[{0}]",
    Op.ABS: "Abs[{0}]",
    Op.SIGN: "Sign[{0}]",
    Op.MIN: "Min[{0}, {1}]",
    Op.MAX: "Max[{0}, {1}]",
    Op.LESS: "If[{0} < {1}, 1, 0]",
    Op.LESS_EQUAL: "If[{0} <= {1}, 1, 0]",
    Op.EQUAL: "If[{0} == {1}, 1, 0]",
}
#: Names of the system in capital letters only, and names that the templates use.
_NAMES = "C D E I K N O CDF PDF GCD LCM parameters constants angle distance report failures"


def _number(value: float) -> str:
    return repr(value).replace("e", "*^") if isfinite(value) else decimal(value, "Infinity", "Indeterminate")


def _exact(constant: Constant) -> str:
    return str(constant).replace("pi", "Pi") if constant.exact else _number(float(constant))


def _write(package: Package) -> dict[str, str]:
    files = {
        f"{package.name}.wl": "mathematica/package.wl",
        "selftest.wl": "mathematica/selftest.wl",
        "README.md": "mathematica/README.md",
    }
    return render(package, files)


TARGET = Target(
    name="mathematica",
    title="Mathematica",
    suffix=".wl",
    dialect=Dialect(functions=_FUNCTIONS, select="If[{0} != 0, {1}, {2}]", square="{0}^2"),
    reserved=frozenset(_NAMES.split()),
    write=_write,
    number=_number,
    exact=_exact,
    comment=lambda text: " ".join(text.split()).replace("(*", "( *").replace("*)", "* )").replace("\\", "/"),
    inline_conditions=False,
    forbidden=r"[A-Z]+[a-z]+.*",  # the names of the system begin with a capital letter and have small ones
    joint="$",
    cases=3,
    check="mathics --quiet --file selftest.wl",
    tools=("mathics",),
)
