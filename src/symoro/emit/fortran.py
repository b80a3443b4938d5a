"""Fortran 2008: a module, a self-test, an example and a manifest for fpm."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, isnan

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.target import Target
from symoro.ir.expr import Op
from symoro.ir.infix import Dialect

_KEYWORDS = """
    abstract allocatable allocate assign associate asynchronous backspace bind block call case character class close
    codimension common complex contains contiguous continue critical cycle data deallocate deferred dimension do double
    elemental else elseif elsewhere end enddo endfile endif entry enum enumerator equivalence error exit extends
    external final flush forall format function generic go goto if implicit import include inquire inout in out integer
    intent interface intrinsic kind len lock logical module namelist none nopass nullify only open operator optional
    parameter pass pause pointer precision print private procedure program protected public pure read real recursive
    result return rewind save select sequence stop submodule subroutine sync target then to type unlock use value
    volatile wait where while write
"""
_INTRINSICS = """
    abs acos acosh aimag aint all allocated anint any asin asinh associated atan atan2 atanh bessel_j0 bessel_j1 btest
    ceiling char cmplx conjg cos cosh count cpu_time cshift dble digits dim dot_product dprod epsilon erf erfc exp
    exponent floor fraction gamma huge hypot iachar iand ichar index int ior ishft lbound log log10 matmul max maxloc
    maxval merge min minloc minval mod modulo nearest nint norm2 not pack present product radix random_number range
    repeat reshape scale scan shape sign sin sinh size spread sqrt sum tan tanh tiny transfer transpose trim ubound
    unpack verify
"""
#: Names that the templates use.
_OWN = """
    wp setup parameters not_known infinity real32 real64 int32 int64 iso_fortran_env sign_of smaller larger select_
    solve_in_place number ieee_arithmetic ieee_is_nan ieee_is_finite report distance failures worst error i j k n
    selftest main
"""
WARNINGS = "-std=f2008 -Wall -Wextra -pedantic -Wconversion -Wno-compare-reals"


def _number(value: float) -> str:
    if isnan(value):
        return "not_known"
    if not isfinite(value):
        return "infinity" if value > 0 else "-infinity"
    return f"{value!r}_wp"


def _write(package: Package) -> dict[str, str]:
    files = {
        f"{package.name}.f90": "fortran/module.f90",
        "selftest.f90": "fortran/selftest.f90",
        "main.f90": "fortran/main.f90",
        "fpm.toml": "fortran/fpm.toml",
        "README.md": "fortran/README.md",
    }
    return render(package, files)


_DOUBLE = Target(
    name="fortran",
    title="Fortran 2008",
    suffix=".f90",
    dialect=Dialect(
        functions={Op.SIGN: "sign_of", Op.MIN: "smaller", Op.MAX: "larger"},
        select="merge({1}, {2}, {0} /= 0.0_wp)",
        square=None,
        times=" * ",
        divide=" / ",
    ),
    reserved=frozenset(f"{_KEYWORDS} {_INTRINSICS} {_OWN}".split()),
    write=_write,
    number=_number,
    truth="merge(1.0_wp, 0.0_wp, {0})",
    comment=lambda text: " ".join(text.split()),
    case_sensitive=False,
    inline_conditions=False,
    longest=63,
    real="real64",
    iterates=True,
    check=f"gfortran -O2 {WARNINGS} {{name}}.f90 selftest.f90 -o selftest && ./selftest",
    tools=("gfortran",),
    piece=1000,
)
TARGET = replace(
    _DOUBLE, single=replace(_DOUBLE, title="Fortran 2008 in single precision", real="real32", precision="float")
)
