"""The keys of compiled code on disk: other programs and other sources have other keys."""

from __future__ import annotations

import ast
import importlib.util
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from support.one_operation import operation
from symoro.ir.expr import Constant, Op
from symoro.ir.program import Literal
from symoro.runtime import llvm_machine
from symoro.runtime.cache import digest


def test_programs_have_a_digest_of_their_own() -> None:
    assert digest(operation(Op.SIN)) == digest(operation(Op.SIN))
    assert len({digest(operation(op)) for op in (Op.SIN, Op.COS, Op.SQRT)}) == 3
    program = operation(Op.SIN)
    line, output = program.instructions[0], program.outputs[0]
    others = (
        replace(program, instructions=(replace(line, args=(-line.args[0],)),)),
        replace(program, outputs=(replace(output, elements=(-output.elements[0],)),)),
        replace(program, outputs=(replace(output, elements=(Literal(Constant(Fraction(1, 3))),)),)),
        replace(program, inputs=(replace(program.inputs[0], optional=True),)),
    )
    assert len({digest(p) for p in (program, *others)}) == 5


def test_code_of_other_sources_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of the sources has every module of the runtime and of the kernels that the text of code comes from."""
    read: set[str] = set()
    way = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.add(path.stem) or way(path))
    llvm_machine._writers.__wrapped__()
    needed, new = set[str](), {"symoro.runtime.direct.code"}
    while new:
        needed |= new
        new = {name for module in new for name in imported(module)} - needed
    assert {name.rpartition(".")[2] for name in needed} <= read | {"kernel"}


def imported(module: str) -> set[str]:
    """The modules of the runtime and of the kernels that a module names in its imports."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {node.module or "" for node in nodes}
    names |= {f"{node.module}.{part.name}" for node in nodes if node.module == "symoro.runtime" for part in node.names}
    return {name for name in names if name.startswith(("symoro.runtime.", "symoro.kernels."))}
