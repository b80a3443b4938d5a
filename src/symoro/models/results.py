"""What an algorithm returns: named arrays of expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from symoro.ir.draft import Draft
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix
from symoro.ir.program import Program
from symoro.symbols import BASE_ACCELERATION, BASE_VELOCITY, Symbols


@dataclass(frozen=True, slots=True)
class Sketch:
    """A program that is not written yet, and the formulation that it comes from."""

    draft: Draft
    formulation: str

    def written(self) -> Candidate:
        return Candidate(self.draft.write(), self.formulation)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program and the formulation that it comes from."""

    program: Program
    formulation: str


def by_joint(s: Symbols, name: str, values: Mapping[int, Expr], joints: Sequence[int] | None = None) -> Result:
    """A vector with an element for each variable, or for each of these joints: GAM1, GAM2 …"""
    joints = s.variables if joints is None else joints
    elements = tuple(values[j] for j in joints)
    names = tuple(f"{name}{j}" for j in joints)
    for x, n, j in zip(elements, names, joints, strict=True):
        s.name_scalar(n, j, x)
    return Result(name, (len(elements),), elements, names)


def by_number(s: Symbols, name: str, values: Iterable[Expr]) -> Result:
    """A vector whose elements are numbered: H1, H2 …"""
    elements = tuple(values)
    names = tuple(f"{name}{n}" for n in range(1, len(elements) + 1))
    for x, n in zip(elements, names, strict=True):
        s.graph.name(x, n)
    return Result(name, (len(elements),), elements, names)


def base_motion(name: str, elements: Iterable[Expr]) -> Result:
    """V0 or VP0: velocity or acceleration [linear; angular] of the base."""
    return Result(name, (6,), tuple(elements), BASE_VELOCITY if name == "V0" else BASE_ACCELERATION)


def matrix(s: Symbols, name: str, rows: Matrix, labels: Sequence[Sequence[int]] | None = None) -> Result:
    """A matrix; its elements are named by row and column (or by `labels`): T12, A1_10."""
    height, width = rows.shape
    row_labels, column_labels = labels or (range(1, height + 1), range(1, width + 1))
    wide = max((*row_labels, *column_labels), default=0) > 9
    names = tuple(f"{name}{i}{'_' if wide else ''}{k}" for i in row_labels for k in column_labels)
    elements = tuple(x for row in rows for x in row)
    for x, n in zip(elements, names, strict=True):
        s.graph.name(x, n)
    return Result(name, (height, width), elements, names)
