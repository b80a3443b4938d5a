"""Asks the memory for the rows of a later block while a block is computed, as LLVM text.

A processor foresees by itself which memory is read next, if rows are short. Rows longer than a cache line, which are
read piece by piece, it does not foresee: inverse dynamics of a robot with 28 joints then waits as long as it
computes. The requests are spread evenly over the lines of a block, because many at once wait for each other. A request
for memory that does not exist has no effect.
"""

from __future__ import annotations

from symoro.ir.program import Program
from symoro.runtime.llvm_lanes import Lanes

#: How many blocks ahead; bytes of a cache line.
_AHEAD, _LINE = 2, 64
#: Outputs with more elements are bound by the memory itself, which requests do not make faster.
_MANY = 32
#: LLVM's number of the cache into which the memory is fetched: the second, which has room for all blocks ahead.
_SECOND_CACHE = 2


def add_requests(program: Program, w: Lanes, first: int) -> None:
    """Put the requests of a block between its lines, from line `first` to the last."""
    requests = [request for array, size, write in _arrays(program, w) for request in _requests(w, array, size, write)]
    if not requests:
        return
    w.declared["llvm.prefetch.p0"] = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
    block = w.lines[first:]
    del w.lines[first:]
    for k, line in enumerate(block):
        start, stop = (len(requests) * at // len(block) for at in (k, k + 1))
        w.lines += [text for request in requests[start:stop] for text in request]
        w.lines.append(line)


def _arrays(program: Program, w: Lanes) -> list[tuple[str, int, int]]:
    """Name and elements of a row of each array with long rows, and 1 if it is written."""
    read = [(f"in{k}", len(i.variables), 0) for k, i in enumerate(program.inputs) if not i.optional]
    written = [(f"out{k}", len(o.elements), 1) for k, o in enumerate(program.outputs) if len(o.elements) <= _MANY]
    return [found for found in (*read, *written) if found[1] * w.bits // 8 > _LINE]


def _requests(w: Lanes, array: str, size: int, write: int) -> list[list[str]]:
    """The lines of each request for the W rows of an array."""
    bytes_of_rows = w.width * size * w.bits // 8
    found = []
    for at in range(0, bytes_of_rows, _LINE):
        place = f"%ahead.{array}.{at}"
        found.append(
            [
                f"  {place} = getelementptr i8, ptr %row.{array}.0, i64 {_AHEAD * bytes_of_rows + at}",
                f"  call void @llvm.prefetch.p0(ptr {place}, i32 {write}, i32 {_SECOND_CACHE}, i32 1)",
            ]
        )
    return found
