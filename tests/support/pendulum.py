"""A small program and what it computes, for tests of functions that Python calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from symoro.ir.expr import Op
from symoro.ir.program import Input, Instruction, Output, Program, Ref, Variable
from symoro.runtime import Function, compile_program


def pendulum(outputs: int = 1) -> Program:
    """GAM_j = m qdd_j + g sin(q_j), U_jk = q_j qdd_k."""
    inputs = tuple(Input(n, (3,), tuple(Variable(f"{n}{j}") for j in range(3))) for n in ("q", "qdd"))
    lines = [Instruction((f"s{j}",), Op.SIN, (Ref(f"q{j}"),)) for j in range(3)]
    lines += [Instruction((f"w{j}",), Op.MUL, (Ref("g"), Ref(f"s{j}"))) for j in range(3)]
    lines += [Instruction((f"i{j}",), Op.MUL, (Ref("m"), Ref(f"qdd{j}"))) for j in range(3)]
    lines += [Instruction((f"GAM{j}",), Op.ADD, (Ref(f"w{j}"), Ref(f"i{j}"))) for j in range(3)]
    lines += [Instruction((f"U{j}{k}",), Op.MUL, (Ref(f"q{j}"), Ref(f"qdd{k}"))) for j in range(3) for k in range(3)]
    gam = Output("GAM", (3,), tuple(Ref(f"GAM{j}") for j in range(3)), tuple(f"GAM{j}" for j in range(3)))
    names = tuple(f"U{j}{k}" for j in range(3) for k in range(3))
    u = Output("U", (3, 3), tuple(map(Ref, names)), names)
    return Program(inputs, (Variable("m"), Variable("g")), (), tuple(lines), (gam, u)[:outputs])


VALUES = {"m": 2.0, "g": 9.81}


def make(outputs: int = 1, dtype: str = "float64") -> Function:
    return compile_program(pendulum(outputs), "llvm", VALUES, dtype=dtype)


def expected(q: Any, qdd: Any) -> np.ndarray:
    return 2.0 * np.asarray(qdd, float) + 9.81 * np.sin(np.asarray(q, float))
