"""C++14: one header of function templates over the scalar type, a self-test, an example and a CMake project."""

from __future__ import annotations

from symoro.emit.c import TARGET as C
from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.target import Target, decimal
from symoro.ir.expr import Op
from symoro.ir.infix import Dialect

#: Names that the templates use, in the namespace and in functions.
_OWN = """
    T Parameters Setup std Eigen detail sign_of smaller larger truth choose solve_in_place element size_t
    numeric_limits array vector
"""
WARNINGS = "-std=c++14 -Wall -Wextra -pedantic -Wconversion"


def _number(value: float) -> str:
    return f"T({decimal(value, 'std::numeric_limits<double>::infinity()', 'std::numeric_limits<double>::quiet_NaN()')})"


#: Functions of the C library, which a namespace cannot be called after.
_FUNCTIONS = """
    atexit atof atoi atol bsearch calloc clock ctime difftime fclose feof ferror fflush fgetc fgets fopen fputc fputs
    fread freopen fscanf fseek ftell fwrite getc getchar getenv gets gmtime index localeconv localtime mblen memchr
    memcmp memcpy memmove memset mktime perror putc putchar puts qsort raise rand read realloc remove rename rewind
    rindex scanf select setbuf setlocale signal sleep sprintf srand sscanf strcat strchr strcmp strcpy strlen strtod
    system time tmpfile tmpnam ungetc wait write
"""


def _write(package: Package) -> dict[str, str]:
    files = {
        f"{package.name}.hpp": "cpp/header.hpp",
        "selftest.cpp": "cpp/selftest.cpp",
        "main.cpp": "cpp/main.cpp",
        "CMakeLists.txt": "cpp/CMakeLists.txt",
        "README.md": "cpp/README.md",
    }
    return render(package, files)


TARGET = Target(
    name="cpp",
    title="C++14",
    suffix=".hpp",
    dialect=Dialect(
        functions={
            Op.SIGN: "detail::sign_of<T>",
            Op.MIN: "detail::smaller<T>",
            Op.MAX: "detail::larger<T>",
        },
        select="detail::choose<T>(detail::truth({0}), {1}, {2})",
        square=None,
    ),
    reserved=C.reserved | frozenset(_OWN.split()),
    write=_write,
    number=_number,
    truth="T({0} ? 1.0 : 0.0)",
    comment=C.comment,
    iterates=True,
    check=f"c++ -O1 {WARNINGS} selftest.cpp -o selftest && ./selftest",
    tools=("c++",),
    piece=1000,
    taken=frozenset(_FUNCTIONS.split()),
)
