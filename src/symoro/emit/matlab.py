"""MATLAB and Octave: a file for each function, one with the parameters, and a self-test."""

from __future__ import annotations

from dataclasses import replace

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.target import Target, decimal
from symoro.ir.expr import Op
from symoro.ir.infix import Dialect

_KEYWORDS = """
    break case catch classdef continue else elseif end endfor endfunction endif endwhile enumeration events for function
    global if methods otherwise parfor persistent properties return spmd switch try while unwind_protect until do
    arguments import
"""
#: Functions and constants that generated code calls, or that a variable should not hide.
_LIBRARY = """
    sin cos tan asin acos atan atan2 exp sqrt abs sign min max pi Inf NaN inf nan eps ans i j e I J E NA double single
    zeros ones size numel reshape isnan isfinite isinf isfield fieldnames struct true false error fprintf printf disp
    nargin nargout exist isempty any all real imag log gamma beta diff sum prod norm inv det eye load clear
"""
#: Names that the templates use.
_OWN = """
    setup parameters constants select smaller larger arc_sine arc_cosine root solve_system selftest report distance
    varargin varargout
"""


def _write(package: Package) -> dict[str, str]:
    shared = {
        f"{package.name}_parameters.m": "matlab/parameters.m",
        "selftest.m": "matlab/selftest.m",
        "README.md": "matlab/README.md",
    }
    texts: dict[str, str] = {}
    for function in package.functions:
        one = replace(package, functions=(function,))
        if function.driver:
            texts |= render(one, {f"{function.name}_solve.m": "matlab/solve.m"})
        texts |= render(
            one, {f"{function.name}.m": "matlab/function.m", f"{function.name}_set_up.m": "matlab/set_up.m"}
        )
    return texts | render(package, shared)


TARGET = Target(
    name="matlab",
    title="MATLAB and Octave",
    suffix=".m",
    dialect=Dialect(
        functions={
            Op.SQRT: "root",
            Op.ASIN: "arc_sine",
            Op.ACOS: "arc_cosine",
            Op.MIN: "smaller",
            Op.MAX: "larger",
        },
        select="select({0}, {1}, {2})",
        square=None,
    ),
    reserved=frozenset(f"{_KEYWORDS} {_LIBRARY} {_OWN}".split()),
    write=_write,
    number=lambda value: decimal(value, "Inf", "NaN"),
    truth="double{0}",
    comment=lambda text: " ".join(text.split()),
    longest=63,
    iterates=True,
    check="octave-cli --norc --quiet selftest.m",
    tools=("octave-cli",),
)
