"""Writes docs/targets.md, the table of the languages of generated code: python docs/targets.py."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import symoro
from symoro.emit import Target, target, targets
from symoro.emit.inverse import LANGUAGES

PAGE = Path(__file__).parent / "targets.md"
HEAD = """# Languages of generated code

`Model.emit(target, folder)` and `symoro generate ROBOT MODEL... --target TARGET` write a model as a package of files.
`symoro.generate([model, ...], target, folder)` and the command with several models write one package, whose functions
share the parameters of the robot. `docs/targets.py` writes this page: it emits the inverse dynamics of the PUMA 560
({ops}) in every language (for FMI and Simulink the direct dynamics) and runs the command of each README. The time is
that of the whole command: a compiler, the start of an interpreter, 20 cases (3 to 5 in the symbolic systems). It is
from one run on one machine, and is here to compare.

"""
NOTES = """
What every language of a package has: `set_up` (what depends on the parameters only, computed once) apart from the
function of each call; the robot's numbers as defaults of named parameters, each with its meaning and unit; no state
that calls share; a self-test with the results of the reference interpreter (`evaluate`), to 1e-12 of 1 + max|result|.
C, CUDA, C++, Fortran and Rust allocate no memory.

- **Precision.** `precision="float"` (`--precision float`) writes C, CUDA, Fortran and Rust in single precision; their
  self-tests are to 1e-5. C++ and Julia take the scalar of the caller: float, double, dual numbers.
- **Names.** A package whose name is a keyword, a module of Python, a header of C or another name that the language
  needs is called `NAME_model`: of a robot `platform`, several models in Python are `platform_model.py`.
- **CUDA** has a kernel for each model and a C function that launches it; [Models on a GPU](gpu.md) says more. The
  command of the table runs it on the CPU; `make check` runs it on a device.
- **C++** has one header of templates. An array is whatever has `[k]`, or `(i, j)` for a matrix: pointers,
  `std::array`, vectors and matrices of Eigen.
- **Rust** is `no_std` and has no dependencies; sine and the like are those of the C library, or with the feature `libm`
  of the crate itself, which then needs no library. No compiler for wasm32 is at hand: it is not executed there.
- **Fortran** calls with keyword arguments: inputs, outputs, then optional inputs. Its package is one of fpm, too.
- **Mathematica and Maple** take numbers or symbols and give expressions. Names have `$` for `_` in Mathematica.
  Mathics and giac run them in our tests.
- **Julia is not executed in our tests**, because it is in no package registry that they use: a parser checks its
  grammar.
- **LaTeX, HTML, Markdown and the text of SYMORO+** are to read. Our tests run the equations of the page and of the
  text with Python against `evaluate`; of LaTeX they check the structure.
- **Long functions** are cut in pieces of 1000 lines in C, C++, Fortran and Rust, because compilers need much time or
  give up on many thousand lines. The direct model of the eel with 50 links (13 000 instructions) passes its self-test
  in every language that our tests run, in seconds: 1 s in CasADi and giac, 4 s in JAX, about ten in compilers and nvcc,
  15 s in Mathics.
- **JAX** is not for programs of many thousand operations in `jax.jit`, whose time grows fast (minutes for the eel).
  Without `jax.jit`, functions run operation by operation. The self-test does so for more than 1000 lines.
- **What iterates** is written whole in C, C++, Fortran, Rust, JavaScript, MATLAB, Julia and Python.
  `symoro.loop_geometry(robot).emit(...)` writes the step of Newton's method and the driver around it (`NAME_solve`): it
  closes the loops from a guess, or says that they do not close. It has no search for other starts and no pseudoinverse
  at singular configurations, as `compile()` has. The other targets get the step alone.
- **The general inverse geometry**, for arms without a closed form, is the second table. The method is written once, in
  C, and `emit/translate/` reads that text and prints it in the other languages; the package in Python has our modules
  of NumPy in one file. The other targets have no loops and arrays, and refuse it.
- **FMI and Simulink** take the direct dynamics of an open robot on a fixed base whose numbers are known. fmpy
  validates and simulates the units of 3.0 and 2.0 in our tests. No Simulink is at hand there: the S-function is
  compiled and called with a stand-in for `simstruc.h`.

A new language is [one file and its templates](adding-a-target.md).
"""


INVERSE = """
The general inverse geometric model, `symoro.inverse_geometry("general6r").emit(...)`: an eigenvalue problem of size 16
with its solver. The self-test has ten poses with all their branches.

| language | files | code | executed by | time |
|---|---|---|---|---|
"""


def main() -> None:
    model, moving = symoro.inverse_dynamics("puma560"), symoro.direct_dynamics("puma560")
    lines = ["| target | language | files | code | executed by | time |", "|---|---|---|---|---|---|"]
    lines += [_row(name, moving if name in ("fmi", "simulink") else model) for name in targets()]
    inverse = symoro.inverse_geometry("general6r")
    whole = [_inverse_row(name, inverse) for name in targets() if name in LANGUAGES]
    page = HEAD.format(ops=model.ops) + "\n".join(lines) + "\n" + INVERSE + "\n".join(whole) + "\n" + NOTES
    PAGE.write_text(page, encoding="utf-8")


def _inverse_row(name: str, inverse: Any) -> str:
    language = target(name)
    with tempfile.TemporaryDirectory() as folder:
        files = inverse.emit(name, folder)
        listed = ", ".join(f"`{f.name.replace('general6r_inverse_geometry', 'NAME')}`" for f in files)
        code = sum(f.stat().st_size for f in files if f.suffix == language.suffix and "selftest" not in f.name)
        shown = " | ".join(_executed(language, "general6r_inverse_geometry", folder))
        return f"| {language.title} | {listed} | {code / 1000:.0f} kB | {shown} |"


def _row(name: str, model: symoro.Model) -> str:
    language = target(name)
    with tempfile.TemporaryDirectory() as folder:
        files = model.emit(name, folder)
        code = sum(f.stat().st_size for f in files if f.suffix == language.suffix and "selftest" not in f.name)
        written = model.source.name.replace("_", language.joint)
        listed = ", ".join(f"`{f.name.replace(written, 'NAME')}`" for f in files)
        size = f"{code / 1000:.0f} kB"
        shown = " | ".join(_executed(language, model.source.name, folder))
        return f"| `{name}` | {language.title} | {listed} | {size} | {shown} |"


def _executed(language: Target, name: str, folder: str) -> tuple[str, str]:
    """How the self-test is run, and how long it takes; a dash where it cannot be run here."""
    if not language.check:
        return "the tests read it back", "–"
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    shown = f"`{language.check.format(name='NAME')}`".replace("|", "\\|")
    tools = all(shutil.which(tool, path=path) for tool in language.tools)
    if not tools or not all(map(importlib.util.find_spec, language.modules)):
        return f"{shown}, not executed in CI", "–"
    command = language.check.format(name=name)
    start = time.perf_counter()
    subprocess.run(command, shell=True, cwd=folder, env=os.environ | {"PATH": path}, check=True, capture_output=True)
    return shown, f"{time.perf_counter() - start:.1f} s"


if __name__ == "__main__":
    main()
