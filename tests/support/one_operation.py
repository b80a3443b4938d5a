"""Functions of one operation, compiled."""

from __future__ import annotations

from typing import Any

from symoro.ir.expr import Op
from symoro.ir.program import Input, Instruction, Output, Program, Ref, Variable
from symoro.runtime import Function, compile_program


def operation(op: Op, arity: int = 1) -> Program:
    """y = op(x1, …) with an input for each argument."""
    names = [f"x{k}" for k in range(arity)]
    inputs = tuple(Input(name, (), (Variable(name),)) for name in names)
    instruction = Instruction(("y",), op, tuple(map(Ref, names)))
    return Program(inputs, (), (), (instruction,), (Output("Y", (), (Ref("y"),), ("Y",)),))


def compiled(op: Op, arity: int = 1, **options: Any) -> Function:
    return compile_program(operation(op, arity), "llvm", **options)
