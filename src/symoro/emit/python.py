"""Python: one module of plain NumPy, and its self-test."""

from __future__ import annotations

import builtins
import keyword
import sys
from typing import Any

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.target import Target, decimal, one_line
from symoro.ir.evaluate import NUMPY_NAMES
from symoro.ir.infix import Dialect

_OWN = "np numpy sys collections functools batch parameters constants set_up self selftest PARAMETERS DEFAULTS Result"

#: Modules that a package would hide from Python and NumPy, in the folder where it is.
_MODULES = frozenset(sys.stdlib_module_names) | {"test", "numpy"}


def _comment(text: str) -> str:
    """The text as one line that is safe in a comment and in a docstring."""
    return one_line(text).replace("\\", "/").replace('"', "'")


def write_module(package: Package, folder: str = "python", readme: bool = False, **more: Any) -> dict[str, str]:
    """A module and its self-test by the templates of a folder; a page that says how to use them, if there is one."""
    files = {
        f"{package.name}.py": f"{folder}/module.py",
        f"{package.name}_selftest.py": f"{folder}/selftest.py",
    }
    return render(package, files | ({"README.md": f"{folder}/README.md"} if readme else {}), **more)


TARGET = Target(
    name="python",
    title="Python with NumPy",
    suffix=".py",
    dialect=Dialect(
        functions={op: f"np.{name}" for op, name in NUMPY_NAMES.items()},
        select="np.where({0}, {1}, {2})",
        square=None,
    ),
    reserved=frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins)) | set(_OWN.split()),
    write=write_module,
    number=lambda value: decimal(value, "np.inf", "np.nan"),
    truth="1.0*{0}",
    comment=_comment,
    iterates=True,
    check="python {name}_selftest.py",
    tools=("python",),
    taken=_MODULES,
    modules=("numpy",),
)
