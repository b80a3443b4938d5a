"""The shortest time that the multiplications of a batch can take, from the instructions that LLVM emits.

A processor starts a fixed number of multiplications in a cycle, fused with an addition or not, whatever else it does
beside them. The limit of a batch is the number of these instructions in a block of W states, times the time of one,
divided by W. That time is measured in a loop of independent multiplications with additions. Additions, transposing,
loads and stores are not in the limit. AMD's Zen 4 starts them on other ports; where they share the ports of the
multiplications (Intel), no code can reach the limit. Only the instructions of x86 are known here.
"""

from __future__ import annotations

import ctypes
import re

import llvmlite.binding as llvm

from symoro.bench.timing import Call, call
from symoro.ir.program import Program
from symoro.runtime.llvm_machine import code, machine, rows_module

_MULTIPLICATION = re.compile(r"^\s+v(?:mul|fn?m(?:add|sub)\d+)p[ds]\s", re.MULTILINE)
#: Independent multiplications, more than a processor has under way at a time, and how often the loop runs.
_INDEPENDENT, _TIMES = 16, 4096


def multiplications(program: Program) -> int:
    """How many instructions of a block of W states multiply."""
    host = machine()
    text = rows_module(program, "double", host.lanes(8), host.fma)
    found = len(_MULTIPLICATION.findall(host.target().emit_assembly(llvm.parse_assembly(text))))
    if not found:
        raise SystemExit("port_limit.py counts instructions of x86 processors that have FMA: there are none here")
    return found


def probe() -> Call:
    """A call that multiplies and adds; what is measured of a "state" is the time of one instruction."""
    made = code(("probe", machine().lanes(8)), ("probe",), _text)
    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(made.address("probe"))
    function.made = made  # type: ignore[attr-defined]  # it keeps the code alive
    return call(function, _TIMES, states=_INDEPENDENT * _TIMES)


def _text() -> str:
    """`probe(n)`: xₖ ← ½ xₖ + 1 for each k, n times."""
    width, every = machine().lanes(8), range(_INDEPENDENT)
    kind, fma = f"<{width} x double>", f"@llvm.fma.v{width}f64"
    half, one = (f"{kind} splat (double {x})" for x in (0.5, 1.0))
    return "\n".join(
        [
            f"declare {kind} {fma}({kind}, {kind}, {kind})",
            "define double @probe(i64 %n) {",
            "entry:",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
            *(f"  %x{k} = phi {kind} [ splat (double {k}.0), %entry ], [ %y{k}, %loop ]" for k in every),
            *(f"  %y{k} = call {kind} {fma}({kind} %x{k}, {half}, {one})" for k in every),
            "  %next = add i64 %i, 1",
            "  %more = icmp slt i64 %next, %n",
            "  br i1 %more, label %loop, label %done",
            "done:",
            f"  %s0 = fadd {kind} %y0, zeroinitializer",
            *(f"  %s{k} = fadd {kind} %s{k - 1}, %y{k}" for k in every[1:]),
            f"  %found = extractelement {kind} %s{_INDEPENDENT - 1}, i64 0",
            "  ret double %found",
            "}",
        ]
    )
