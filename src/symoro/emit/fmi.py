"""FMI 3.0: a direct dynamic model as a unit for model exchange and co-simulation, with its sources in C."""

from __future__ import annotations

from dataclasses import replace
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import quoteattr

from symoro.emit.c import DOUBLE as C
from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.errors import TargetError
from symoro.findings import Finding

_NEEDS = {"q": "positions", "qd": "velocities", "tau": "torques"}


def _write(package: Package) -> dict[str, str]:
    require_motion(package, Finding("targets.unit_of_fmi"))
    files = {
        f"{package.name}.h": "c/header.h",
        f"{package.name}.c": "c/source.c",
        "fmi3.c": "fmi/fmi3.c",
        "modelDescription.xml": "fmi/modelDescription.xml",
        "buildDescription.xml": "fmi/buildDescription.xml",
        "build.py": "fmi/build.py",
        "README.md": "fmi/README.md",
    }
    token = uuid5(NAMESPACE_URL, f"symoro/{package.name}/{package.title}/{package.functions[0].ops}")
    return render(package, files, token=str(token), attribute=quoteattr)


def require_motion(package: Package, what: Finding) -> None:
    """An error unless the package is one function of q, qd and tau that gives QDP, and all numbers are known."""
    function = package.functions[0]
    required = {a.symbol: a.size for a in function.required}
    outputs = {a.symbol: a.size for a in function.outputs}
    sizes = {*required.values(), *outputs.values()}
    if len(package.functions) > 1 or set(required) != set(_NEEDS) or set(outputs) != {"QDP"} or len(sizes) > 1:
        raise TargetError("targets.no_motion", package=package.name, what=what)
    if unknown := [f.symbol for f in package.parameters if f.default is None]:
        raise TargetError("targets.no_numbers", package=package.name, what=what, names=unknown)


TARGET = replace(
    C,
    name="fmi",
    title="FMI 3.0",
    suffix=".c",
    reserved=C.reserved | {"unit", "instance", "fmi3"},
    write=_write,
    iterates=False,
    check="python build.py && python -m fmpy validate {name}.fmu",
    tools=("cc", "python"),
    modules=("fmpy",),
)
