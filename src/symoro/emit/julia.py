"""Julia: a module of functions over any real type, and its self-test; our tests only parse it."""

from __future__ import annotations

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.target import Target, decimal
from symoro.ir.expr import Op
from symoro.ir.infix import Dialect

_KEYWORDS = """
    abstract baremodule begin break catch const continue do else elseif end export false finally for function global if
    import in isa let local macro module mutable outer primitive public quote return struct true try type using where
    while nothing missing
"""
#: Names of Julia that a variable should not hide.
_LIBRARY = """
    sin cos tan asin acos atan exp sqrt abs sign min max ifelse pi im e Inf NaN Base Core Main Real Float64 Float32 Int
    Any Vector Matrix Array Tuple NamedTuple zeros ones fill size length sum zip map isnan isfinite isequal println
    print string convert promote_type eltype
"""
#: Names that the templates use.
_OWN = "T parameters constants Parameters root arc_sine arc_cosine sign_of solve_system distance report failures"


def _write(package: Package) -> dict[str, str]:
    files = {
        f"{package.name}.jl": "julia/module.jl",
        "selftest.jl": "julia/selftest.jl",
        "README.md": "julia/README.md",
    }
    return render(package, files)


TARGET = Target(
    name="julia",
    title="Julia",
    suffix=".jl",
    dialect=Dialect(
        functions={
            Op.SQRT: "root",
            Op.ASIN: "arc_sine",
            Op.ACOS: "arc_cosine",
            Op.ATAN2: "atan",
            Op.SIGN: "sign_of",
        },
        select="ifelse({0} != 0, {1}, {2})",
        square=None,
    ),
    reserved=frozenset(f"{_KEYWORDS} {_LIBRARY} {_OWN}".split()),
    write=_write,
    number=lambda value: decimal(value, "Inf", "NaN"),
    truth="ifelse({0}, 1.0, 0.0)",
    comment=lambda text: " ".join(text.split()).replace("#=", "# =").replace("=#", "= #"),
    inline_conditions=False,
    iterates=True,
    check="julia selftest.jl",
    tools=("julia",),
)
