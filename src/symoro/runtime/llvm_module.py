"""The modules of a program as LLVM text: one state at a time, and many states at once."""

from __future__ import annotations

from symoro.ir.program import Program
from symoro.runtime.layout import Layout
from symoro.runtime.llvm_call import call_text
from symoro.runtime.llvm_lanes import Lanes
from symoro.runtime.llvm_rows import rows_text
from symoro.runtime.llvm_state import state_text


def state_module(program: Program, number: str, width: int, fma: bool, layout: Layout | None) -> str:
    """The code for one state, and the function that Python calls; `width` is the number of lanes of the machine."""
    lanes = Lanes(number, 1, fma)
    lines = state_text(program, lanes, width)
    return _module(lanes, [*lines, *(call_text(program, number, width, layout) if layout else ())])


def rows_module(program: Program, number: str, width: int, fma: bool) -> str:
    """The code for many states, `width` at once."""
    lanes = Lanes(number, width, fma)
    return _module(lanes, rows_text(program, lanes))


def _module(lanes: Lanes, lines: list[str]) -> str:
    attributes = "attributes #0 = { nounwind willreturn memory(none) }"
    return "\n".join([*lanes.declared.values(), *lines, attributes, ""])
