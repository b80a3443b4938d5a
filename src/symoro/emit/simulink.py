"""Simulink: a direct dynamic model as an S-function in C, whose states are positions and velocities."""

from __future__ import annotations

from dataclasses import replace

from symoro.emit.c import DOUBLE as C
from symoro.emit.c import TURNS
from symoro.emit.files import render
from symoro.emit.fmi import require_motion
from symoro.emit.package import Package
from symoro.findings import Finding


def _write(package: Package) -> dict[str, str]:
    require_motion(package, Finding("targets.s_function"))
    files = {
        f"{package.name}.h": "c/header.h",
        f"{package.name}.c": "c/source.c",
        f"{package.name}_sfun.c": "simulink/sfun.c",
        "README.md": "simulink/README.md",
    }
    return render(package, files, **TURNS)


TARGET = replace(
    C,
    name="simulink",
    title="S-function of Simulink",
    write=_write,
    iterates=False,
    check="mex {name}_sfun.c {name}.c",
    tools=("mex",),
)
