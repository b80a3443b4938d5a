"""The package of the general inverse geometric model: the method whole in C, an arm's numbers and its self-test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from symoro.emit.files import write_files
from symoro.emit.package import package_name
from symoro.emit.render import render
from symoro.emit.target import Target
from symoro.emit.target import target as find_target
from symoro.errors import TargetError

Numbers = Sequence[float]


@dataclass(frozen=True, slots=True)
class Case:
    """A pose, row by row, and its branches: a case of the self-test."""

    pose: Numbers
    branches: Sequence[Numbers]


@dataclass(frozen=True, slots=True)
class InversePackage:
    """Everything that the templates need.

    `kinds` has R or P for each joint; `links` are the displacements between joints, row by row; `virtual` are the axes
    of the joints that the method adds to an arm with fewer than six.
    """

    name: str
    title: str
    target: Target
    kinds: str
    links: Sequence[Numbers]
    virtual: Sequence[Numbers]
    cases: Sequence[Case] = ()


_SOURCES = {"{name}.h": "c/inverse/header.h", "{name}.c": "c/inverse/source.c"}
_OTHERS = {
    "selftest.c": "c/inverse/selftest.c",
    "main.c": "c/inverse/main.c",
    "CMakeLists.txt": "c/CMakeLists.txt",
    "README.md": "c/inverse/README.md",
}


def inverse_package(
    target: str,
    name: str,
    title: str,
    kinds: str,
    links: Sequence[Numbers],
    virtual: Sequence[Numbers],
    cases: Sequence[Case] = (),
) -> InversePackage:
    """The package, not yet written."""
    if target != "c":
        raise TargetError(f"no target {target!r} for the general inverse geometric model: choose c")
    language = find_target(target)
    return InversePackage(package_name(name, language), language.comment(title), language, kinds, links, virtual, cases)


def sources(package: InversePackage) -> dict[str, str]:
    """The header and the source alone, {file name: text}."""
    return render(package, {file.format(name=package.name): template for file, template in _SOURCES.items()})


def emit_inverse(package: InversePackage, directory: Path | str, force: bool = False) -> list[Path]:
    """Write the package of files; return their paths. `force` is that of `emit`."""
    return write_files(directory, {**sources(package), **render(package, _OTHERS)}, package.name, force)
