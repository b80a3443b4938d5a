"""C99: a header, a source, a self-test, an example and a CMake project."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

from symoro.emit.files import render
from symoro.emit.package import Package, PackageFunction
from symoro.emit.target import Target, decimal, one_line
from symoro.ir.expr import Op
from symoro.ir.infix import Dialect
from symoro.kernels.polynomials import LARGEST_ANGLE, POLYNOMIALS

#: The keywords of C and C++, because the header serves both.
_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class compl concept const_cast
    consteval constexpr constinit co_await co_return co_yield decltype delete dynamic_cast explicit export false friend
    module mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid typename using
    virtual wchar_t xor xor_eq typeof
"""
#: Macros and functions of the headers that generated code meets.
_LIBRARY = """
    I E NULL EOF NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS errno complex
    imaginary linux unix i386 assert main signgam
    M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 FP_NAN FP_INFINITE
    FP_ZERO FP_SUBNORMAL FP_NORMAL
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
    fmin fmod fpclassify frexp gamma hypot ilogb isfinite isgreater isgreaterequal isinf isless islessequal
    islessgreater isnan isnormal isunordered j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround
    modf nan nearbyint nextafter nexttoward pow remainder remquo rint round scalb scalbln scalbn signbit significand
    sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn drem exp10 pow10 finite abs labs div ldiv
    printf stdin stdout stderr exit abort malloc free
"""
#: Names that the templates use.
_OWN = """
    setup parameters sign_of smaller larger solve_in_place distance report failures error worst
    angle sine cosine sines_and_cosines sine_and_cosine LARGEST_ANGLE
"""
#: Headers of the language and of POSIX, which <name.h> would not find beside a file of the same name.
_HEADERS = """
    aio alloca assert complex cpio ctype dirent dlfcn endian errno fcntl features fenv float fmtmsg fnmatch ftw glob grp
    iconv inttypes io iso646 langinfo libgen limits locale malloc math memory monetary mqueue ndbm netdb nl_types poll
    process pthread pwd regex sched search semaphore setjmp signal spawn stdalign stdarg stdatomic stdbool stdckdint
    stddef stdint stdio stdlib stdnoreturn string strings stropts syslog tar termios tgmath threads time trace uchar
    ulimit unistd utime utmpx values wchar wctype windows wordexp
"""
WARNINGS = "-std=c99 -Wall -Wextra -pedantic -Wconversion"
#: What the function for sines and cosines is made of; the coefficients have the lowest power first.
TURNS = {
    "largest_angle": LARGEST_ANGLE,
    "sine_of": POLYNOMIALS["sin", "double"][::-1],
    "cosine_of": POLYNOMIALS["cos", "double"][::-1],
}


def _comment(text: str) -> str:
    """The text as one line without the begin or end of a comment, trigraphs and continuations."""
    text = one_line(text).replace("\\", "/").replace("??", "? ?")
    return text.replace("*/", "* /").replace("/*", "/ *")


def _write(package: Package) -> dict[str, str]:
    files = {
        f"{package.name}.h": "c/header.h",
        f"{package.name}.c": "c/source.c",
        "selftest.c": "c/selftest.c",
        "main.c": "c/main.c",
        "CMakeLists.txt": "c/CMakeLists.txt",
        "Makefile": "c/Makefile",
        "README.md": "c/README.md",
    }
    size = 4 if package.target.precision == "float" else 8
    return render(package, files, stack=max(stack(function, size) for function in package.functions), **TURNS)


def stack(function: PackageFunction, size: int) -> int:
    """The bytes of stack of a call in which each scalar of some bytes has its own place, as without optimisation."""
    parts = function.pieces.routines or (function.main,)
    scalars = max(part.scalars for part in (function.setup, *parts))
    pointers = 16 * (len(function.inputs) + len(function.outputs) + 8)
    return size * (scalars + function.pieces.size) + pointers


DOUBLE = Target(
    name="c",
    title="C99",
    suffix=".c",
    dialect=Dialect(
        functions={Op.ABS: "fabs", Op.SIGN: "sign_of", Op.MIN: "smaller", Op.MAX: "larger"},
        select="({0} != 0 ? {1} : {2})",
        square=None,
    ),
    reserved=frozenset(f"{_KEYWORDS} {_LIBRARY} {_OWN}".split()),
    write=_write,
    number=lambda value: decimal(value, "INFINITY", "NAN"),
    comment=_comment,
    iterates=True,
    check=f"cc -O2 {WARNINGS} {{name}}.c selftest.c -lm -o selftest && ./selftest",
    tools=("cc",),
    piece=1000,
    angles_first=True,
    taken=frozenset(_HEADERS.split()),
)
_FUNCTIONS = {op: f"{op.value}f" for op in (Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN2, Op.EXP, Op.SQRT)}
TARGET = replace(
    DOUBLE,
    single=replace(
        DOUBLE,
        title="C99 in single precision",
        dialect=replace(DOUBLE.dialect, functions={**DOUBLE.dialect.functions, **_FUNCTIONS, Op.ABS: "fabsf"}),
        reserved=DOUBLE.reserved | {f"{name}f" for name in _LIBRARY.split()},
        number=lambda value: f"{value!r}f" if isfinite(value) else decimal(value, "INFINITY", "NAN"),
        real="float",
        precision="float",
        angles_first=False,
    ),
)
