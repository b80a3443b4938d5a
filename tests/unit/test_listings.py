"""Listings read well: Python's own parser takes them apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

import symoro

MODELS = {
    f"{name} of {robot}{' as in the paper' * (not optimize)}": (name, robot, optimize)
    for robot in ("planar2r", "scara", "puma560", "stanford", "four-bar")
    for name in ("inverse_dynamics", "inertia_matrix", "coriolis", "energies", "energy_regressor", "direct_dynamics")
    for optimize in (False, True)
}


MODELS |= {
    "reciprocals of angles": ("analytical_jacobian", "satellite", False),
    "reciprocals of loops": ("velocities", "two-loops", False),
    "reciprocals of masses": ("operational_inertia", "spring-mass", False),
}
LINKS = {"analytical_jacobian": (3,)}
LONG = [title for title, (_, robot, optimize) in MODELS.items() if optimize and robot in ("puma560", "stanford")]


@pytest.mark.parametrize("title", [pytest.param(t, marks=[pytest.mark.long] * (t in LONG)) for t in MODELS])
def test_products_and_sums_read_well_and_names_are_known(title: str) -> None:
    name, robot, optimize = MODELS[title]
    model = getattr(symoro, name)(robot, *LINKS.get(name, ()), optimize=optimize)
    known = {v.name for v in (*model.program.input_variables(), *model.program.parameters)}
    for left, right in model.equations():
        tree = ast.parse(right.replace("…", "_"), mode="eval").body
        assert {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} <= known | FUNCTIONS, (left, right)
        known |= set(left.split(", "))
        for node in ast.walk(tree):
            check(node, f"{left} = {right}")


FUNCTIONS = {"sin", "cos", "sqrt", "sign", "abs", "solve", "exp", "atan2", "select", "pi", "max", "min"}


def check(node: ast.AST, line: str) -> None:
    """The rules for one product or sum: numbers first, no factor twice, no term twice."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        factors = [*flat(node, ast.Mult)]
        texts = [ast.unparse(f) for f in factors]
        numbers = [isinstance(f, ast.Constant) for f in factors]
        assert not any(numbers[1:]), f"a number inside a product: {line}"
        assert len(set(texts)) == len(texts), f"a square that is not written as one: {line}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        texts = [ast.unparse(t) for t in terms(node)]
        assert len(set(texts)) == len(texts), f"a term that is there twice: {line}"


def flat(node: ast.AST, kind: type[ast.operator]) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, kind):
        yield from flat(node.left, kind)
        yield from flat(node.right, kind)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.left, ast.BinOp):
        yield from flat(node.left, kind)
    else:
        yield node


def terms(node: ast.AST) -> Iterator[ast.AST]:
    """The terms of a sum without their signs."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield from terms(node.left)
        yield from terms(node.right)
    elif isinstance(node, ast.UnaryOp):
        yield from terms(node.operand)
    else:
        yield node
