"""Elements of large outputs that are numbers, mostly zeros: they lie in a table, instead of one line of code each."""

from __future__ import annotations

from symoro.ir.program import Literal, Output, Program
from symoro.runtime.llvm_lanes import BITS, Lanes, literal

_LARGE, _HUGE = 64, 300


def is_large(output: Output) -> bool:
    """Does the code for many states write the output from memory, by a loop?"""
    return len(output.elements) > _LARGE


def is_huge(output: Output) -> bool:
    """Does the code for one state, too, copy the numbers from the table? For fewer elements that takes longer.

    LLVM needs twice the time to compile hundreds of stores of numbers.
    """
    return len(output.elements) > _HUGE


def tables(program: Program, number: str) -> list[str]:
    """The tables @fixed of the large outputs, with zeros for elements that are computed."""
    lines = []
    for i, output in enumerate(program.outputs):
        if is_large(output):
            numbers = _numbers(output)
            texts = ", ".join(f"{number} {literal(x, number)}" for x in numbers)
            lines.append(f"@fixed{i} = internal constant [{len(numbers)} x {number}] [{texts}]")
    return lines


def _numbers(output: Output) -> list[float]:
    return [float(e.value) if isinstance(e, Literal) else 0.0 for e in output.elements]


def copy_table(w: Lanes, i: int, output: Output) -> None:
    """Copy a table into the row of output i; a table of zeros need not be read."""
    size = len(output.elements) * BITS[w.number][0] // 8
    if any(_numbers(output)):
        w.declared["llvm.memcpy.p0.p0.i64"] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
        w.lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %out{i}, ptr @fixed{i}, i64 {size}, i1 false)")
    else:
        w.declared["llvm.memset.p0.i64"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
        w.lines.append(f"  call void @llvm.memset.p0.i64(ptr %out{i}, i8 0, i64 {size}, i1 false)")


def spread_table(w: Lanes, i: int, elements: int, before: str) -> list[str]:
    """Lines that fill the vectors of %wide with a table; `before` is the label of the part that comes first."""
    mask = f"{w.vector('i32')} zeroinitializer"
    return [
        f"  br label %fixed{i}",
        f"fixed{i}:",
        f"  %f{i} = phi i64 [ 0, %{before} ], [ %f{i}.next, %fixed{i} ]",
        f"  %f{i}.from = getelementptr {w.number}, ptr @fixed{i}, i64 %f{i}",
        f"  %f{i}.one = load {w.number}, ptr %f{i}.from",
        f"  %f{i}.first = insertelement {w.type} poison, {w.number} %f{i}.one, i64 0",
        f"  %f{i}.all = shufflevector {w.type} %f{i}.first, {w.type} poison, {mask}",
        f"  %f{i}.to = getelementptr {w.type}, ptr %wide{i}, i64 %f{i}",
        f"  store {w.type} %f{i}.all, ptr %f{i}.to",
        f"  %f{i}.next = add i64 %f{i}, 1",
        f"  %f{i}.more = icmp slt i64 %f{i}.next, {elements}",
        f"  br i1 %f{i}.more, label %fixed{i}, label %fixed{i}.end",
        f"fixed{i}.end:",
    ]
