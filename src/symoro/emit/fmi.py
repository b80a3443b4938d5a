"""FMI 3.0 and 2.0: a direct dynamic model as a unit for model exchange and co-simulation, with its sources in C."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import quoteattr

from symoro.emit.c import DOUBLE as C
from symoro.emit.c import TURNS
from symoro.emit.files import render
from symoro.emit.package import Package, Source
from symoro.emit.package import package as write_package
from symoro.errors import TargetError
from symoro.findings import Finding
from symoro.ir.derive import derivative

_NEEDS = {"q": "positions", "qd": "velocities", "tau": "torques"}


def _write(package: Package) -> dict[str, str]:
    require_motion(package, Finding("targets.unit_of_fmi"))
    unit = _with_derivatives(package)
    variables = _variables(package)
    files = {
        f"{package.name}.h": "c/header.h",
        f"{package.name}.c": "c/source.c",
        "unit.h": "fmi/unit.h",
        "fmi2.c": "fmi/fmi2.c",
        "fmi3.c": "fmi/fmi3.c",
        "modelDescription.xml": "fmi/modelDescription.xml",
        "modelDescription2.xml": "fmi/modelDescription2.xml",
        "buildDescription.xml": "fmi/buildDescription.xml",
        "build.py": "fmi/build.py",
        "README.md": "fmi/README.md",
    }
    function = package.functions[0]
    n = function.required[0].size
    token = uuid5(NAMESPACE_URL, f"symoro/{package.name}/{package.title}/{function.ops}")
    units = {"s": {"s": 1}} | {v.unit: base_of(v.unit) for v in variables if v.unit}
    return render(
        unit,
        files,
        token=str(token),
        attribute=quoteattr,
        variables=variables,
        units=units,
        n=n,
        starts=[v.start for v in variables[: 2 * n]],
        **TURNS,
    )


def _with_derivatives(package: Package) -> Package:
    """The model, and its derivatives by q, qd and tau."""
    function = package.functions[0]
    numbers = {field.symbol: field.default for field in package.parameters if field.default is not None}
    model = Source(function.program, function.name, function.title, numbers, function.about)
    by_all = derivative(function.program, tuple(_NEEDS))
    name, title = f"{function.name}_derivatives", f"Derivatives of {function.name} by q, qd and tau"
    return write_package([model, Source(by_all, name, title, numbers)], package.target, package.name, package.title)


@dataclass(frozen=True, slots=True)
class UnitVariable:
    """A variable of the unit as a modelDescription has it; `derivative` is the reference of what it is the rate of."""

    name: str
    reference: int
    causality: str
    text: str
    unit: str = ""
    variability: str = "continuous"
    initial: str = ""
    start: float | None = None
    lower: float | None = None
    upper: float | None = None
    derivative: int = 0


def _variables(package: Package) -> list[UnitVariable]:
    """q, qd, QDP, tau and the parameters, in the order of their references; that of the time is 0."""
    function = package.functions[0]
    inputs = {array.name: array.variables for array in function.program.inputs}
    n, bounds = len(inputs["q"]), package.bounds()
    rows = []
    for part, name in enumerate(("q", "qd", "QDP", "tau")):
        for k, v in enumerate(inputs["qd" if name == "QDP" else name], 1):
            rate_of = (part - 1) * n + k if name in ("qd", "QDP") else 0
            row = UnitVariable(f"{name}{k}", part * n + k, "output", v.meaning.text, v.meaning.unit, derivative=rate_of)
            if name == "QDP":
                text = v.meaning.text.replace("velocity", "acceleration", 1)
                rows.append(replace(row, text=text, unit=f"{v.meaning.unit}²", initial="calculated"))
                continue
            lower, upper = bounds.get(v.name, (None, None))
            start = min(max(0.0, -inf if lower is None else lower), inf if upper is None else upper)
            row = replace(row, start=start, lower=lower, upper=upper)
            rows.append(replace(row, causality="input") if name == "tau" else replace(row, initial="exact"))
    units = {p.name: p.meaning.unit for p in function.program.parameters}
    for k, f in enumerate(package.parameters):
        unit = units.get(f.symbol, "")
        rows.append(UnitVariable(f.symbol, 1 + 4 * n + k, "parameter", f.remark, unit, "fixed", "exact", f.default))
    return rows


_BASE = {
    "m": {"m": 1},
    "kg": {"kg": 1},
    "s": {"s": 1},
    "rad": {"rad": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
}


def base_of(unit: str) -> dict[str, int]:
    """A unit such as N·m·s/rad in the units of the standard; empty where it has another one."""
    exponents: dict[str, int] = {}
    for side, part in zip((1, -1), unit.split("/"), strict=False):
        for factor in part.split("·"):
            name, power = factor.rstrip("²³"), {"²": 2, "³": 3}.get(factor[-1:], 1)
            if name != "1" and name not in _BASE:
                return {}
            for base, exponent in _BASE.get(name, {}).items():
                exponents[base] = exponents.get(base, 0) + side * power * exponent
    return {base: exponent for base, exponent in exponents.items() if exponent}


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
    title="FMI",
    suffix=".c",
    reserved=C.reserved | {"unit", "instance", "fmi3"},
    write=_write,
    iterates=False,
    check="python build.py && python -m fmpy validate {name}.fmu",
    tools=("cc", "python"),
    modules=("fmpy",),
)
