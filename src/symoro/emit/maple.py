"""Maple: procedures that take numbers or symbols, and their self-test."""

from __future__ import annotations

import re

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.target import Target, decimal
from symoro.ir.expr import Constant, Op
from symoro.ir.infix import Dialect

_FUNCTIONS = {
    Op.ASIN: "arcsin",
    Op.ACOS: "arccos",
    Op.ATAN2: "angle_of",
    Op.SIGN: "sign_of",
    Op.MIN: "min",
    Op.MAX: "max",
    Op.LESS: "piecewise({0} < {1}, 1, 0)",
    Op.LESS_EQUAL: "piecewise({0} <= {1}, 1, 0)",
    Op.EQUAL: "piecewise({0} = {1}, 1, 0)",
}
_KEYWORDS = """
    and assuming break by catch description do done elif else end error export fi finally for from global if implies in
    intersect local minus mod module next not od option options or proc quit read return save stop subset then to try
    union use uses while xor
    switch case default class double float int char void bool const static struct return function goto continue
"""
#: Names of Maple, and of giac, which reads its syntax.
_LIBRARY = """
    I Pi PI D O E gamma Catalan Digits infinity undefined true false FAIL NULL constants abs arccos arcsin arctan cos
    exp ln log max min sin sqrt tan sign signum piecewise evalf table list op nops seq map zip add mul sum product
    Matrix Vector lambda e i pi euler_gamma inf nan C Q R Z N A_ x y z t n m s det inv rank trace norm diff int limit
    solve series order degree coeff lcoeff content primpart normal expand factor simplify subs eval unapply rhs lhs left
    right length size member print lprint printf cat convert type whattype assign unassign restart iquo irem floor ceil
    round trunc frac random rand sort Psi Zeta Beta GAMMA Ei Si Ci Li erf erfc W LambertW UTPN UTPC UTPT UTPF
    Heaviside Dirac re im arg conj line point circle plane triangle square cone cube sphere polygon plot
"""
#: Names of giac's settings, colours and statements in other languages: none of them can be a variable there.
_GIAC = """
    ATANH Archive ClrIO Col CopyVar CyclePic DIGITS DelFold DelVar Dialog Disp DispG DispHome DrawFunc DrawInv DrawParm
    DrawPol DrawSlp DropDown DrwCtour ERROR EXP EndDlog FALSE False Input InputStr LineTan LineVert MSE NewFold NewPic
    Output Pause PopUp RandSeed ReLU Request Row RplcPic SCALEADD SCHUR SIN SVD SVL SWAPCOL SWAPROW SetFold SortA SortD
    TRUE Text Title True Unarchiv acyclic adaptive axes bandwidth base bins bipartite black blue brown confrac connected
    cyan de deSolve del dfc2f directed div epaisseur expln expression fadeev faire ffunction filled fpour frames
    ftantque fullparfrac func gauss15 gold green grey hasard identifier integer label labels lis magenta momentum navy
    nonnegint nstep of olive orange ou parfrac pas pink planar plex polynom pour purple quadrant1 quadrant2 quadrant3
    quadrant4 randseed rational recule red repeat repete repeter revlex rombergm rombergt rond saute sauve set si signe
    simpson spring srand step style symbol tantque tdeg teal thickness threads throw title titre topology trames
    trapeze trapezoid tree tstep unfactored ustep violet vstep weighted weights white xstep yellow ystep zstep
"""
#: More of them are made of such words.
_COMPOSED = "(DOM|epaisseur|gl|ligne|line|lp|nlp|point)_.*|.*_(decay|line|loss|mode|point|rate|solver|variables)"
#: Names that the templates use.
_OWN = "parameters constants_of found_of worst_of sign_of angle_of solve_system distance_of report_of"


def _comment(text: str) -> str:
    """The text as one line; giac reads brackets and signs of comments also behind #."""
    return re.sub(r"""[][(){}"'\\*#`]|//""", " ", " ".join(text.split()))


def _exact(constant: Constant) -> str:
    return str(constant).replace("pi", "Pi") if constant.exact else _number(float(constant))


def _number(value: float) -> str:
    return decimal(value, "infinity", "undefined")


def _write(package: Package) -> dict[str, str]:
    files = {
        f"{package.name}.mpl": "maple/package.mpl",
        "selftest.mpl": "maple/selftest.mpl",
        "README.md": "maple/README.md",
    }
    return render(package, files)


TARGET = Target(
    name="maple",
    title="Maple",
    suffix=".mpl",
    dialect=Dialect(functions=_FUNCTIONS, select="piecewise({0} <> 0, {1}, {2})", square="{0}^2"),
    reserved=frozenset(f"{_KEYWORDS} {_LIBRARY} {_GIAC} {_OWN}".split()),
    write=_write,
    number=_number,
    exact=_exact,
    comment=_comment,
    inline_conditions=False,
    forbidden=_COMPOSED,
    cases=5,
    check="echo 'maple_mode(1):' | cat - {name}.mpl selftest.mpl > selftest.giac && giac selftest.giac 2>&1",
    tools=("giac",),
)
