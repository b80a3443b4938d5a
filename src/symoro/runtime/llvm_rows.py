"""The code for one state, and for many states, W at once, as LLVM text."""

from __future__ import annotations

from collections.abc import Callable

from symoro.ir.program import Literal, Output, Program, Ref
from symoro.runtime.llvm_lanes import Lanes, read_job
from symoro.runtime.llvm_text import (
    OF_MANY,
    OF_ONE,
    BodyText,
    StorePlace,
    copy_table,
    cut,
    is_huge,
    is_large,
    places,
    spread_table,
    tables,
)
from symoro.runtime.threads import CHUNK

#: Writes the function that Python calls, for a program, a type of numbers and a number of lanes.
CallOfPython = Callable[[Program, str, int], list[str]]


# The code for one state, and a loop of it over some states, as LLVM text.


def state_text(program: Program, lanes: Lanes, gather: int) -> list[str]:
    """`state(constants, inputs, outputs)`, and `states(job)` for a few states.

    Both return 0, or 1 if an angle is too large for our own sine. `state` stores results after everything is read, so
    that outputs may lie on inputs, and nothing when it returns 1. The sines of `gather` angles are computed at once.
    """
    pointers = ", ".join(f"ptr %{a}" for a in arrays(program))
    lanes.lines += [f"define internal i64 @state({pointers}) noinline nounwind {{"]
    start = len(lanes.lines)
    body = BodyText(program, lanes, _values(program, lanes))
    early = body.write_angles(gather)
    if any(map(is_huge, program.outputs)) and body.knows_angles():
        _begin_to_store(program, body)  # hundreds of results need not be kept until the end
        stored = places(program, is_huge, "%out")
        body.places = {name: where for name, where in stored.items() if name not in early}
        body.write_after(early)
    else:
        body.write_after(early)
        _begin_to_store(program, body)
    _state_stores(program, body)
    if any(map(is_huge, program.outputs)):
        cut(lanes.lines, lanes.lines.index("store:") + 1, OF_ONE, "%out0", "too.large")
    lanes.lines += ["  ret i64 0", "too.large:", "  ret i64 1", "}"]
    if lanes.workspace:
        lanes.lines.insert(start, f"  %work = alloca [{lanes.workspace} x {lanes.type}], align 64")
    return [*tables(program, lanes.number), *lanes.lines, *_states(program, lanes.number)]


def arrays(program: Program) -> list[str]:
    """The names of the pointers that `state` takes."""
    inputs = [f"in{k}" for k in range(len(program.inputs))]
    return ["constants", *inputs, *(f"out{k}" for k in range(len(program.outputs)))]


def _values(program: Program, lanes: Lanes) -> dict[str, str]:
    used = program.reads()
    values = {c.name: lanes.load("%constants", k) for k, c in enumerate(program.parameters) if c.name in used}
    for i, array in enumerate(program.inputs):
        values |= {v.name: lanes.load(f"%in{i}", k) for k, v in enumerate(array.variables) if v.name in used}
    return values


def _begin_to_store(program: Program, body: BodyText) -> None:
    """From here on results may be stored; nothing is if an angle is too large."""
    body.lanes.lines += [f"  br i1 {body.too_large() or 'false'}, label %too.large, label %store", "store:"]
    for i, output in enumerate(program.outputs):
        if is_huge(output):
            copy_table(body.lanes, i, output)


def _state_stores(program: Program, body: BodyText) -> None:
    """Store the elements that are not stored yet."""
    for i, output in enumerate(program.outputs):
        for k, element in enumerate(output.elements):
            known = isinstance(element, Literal) or element.name in body.places
            if not (known and is_huge(output)):
                body.store(element, StorePlace(f"%out{i}", k, False))


def _states(program: Program, number: str) -> list[str]:
    rows = [f"in{k}" for k in range(len(program.inputs))]
    steps = dict(zip(rows, (f"%step{k}" for k in range(len(rows))), strict=True))
    steps |= {f"out{k}": str(len(o.elements)) for k, o in enumerate(program.outputs)}
    lines = ["define i64 @states(ptr %job) nounwind {", "entry:", *read_job(program), "  br label %head"]
    lines += [
        "head:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %body ]",
        "  %any = phi i64 [ 0, %entry ], [ %some, %body ]",
    ]
    lines += ["  %more = icmp slt i64 %i, %n", "  br i1 %more, label %body, label %done", "body:"]
    for array, step in steps.items():
        lines += [f"  %offset.{array} = mul i64 %i, {step}"]
        lines += [f"  %row.{array} = getelementptr {number}, ptr %{array}, i64 %offset.{array}"]
    pointers = ["ptr %constants", *(f"ptr %row.{array}" for array in steps)]
    lines += [f"  %large = call i64 @state({', '.join(pointers)})", "  %some = or i64 %any, %large"]
    return [*lines, "  %next = add i64 %i, 1", "  br label %head", "done:", "  ret i64 %any", "}"]


# Asks the memory for the rows of a later block while a block is computed, as LLVM text.
#
# A processor foresees by itself which memory is read next, if rows are short. Rows longer than a cache line, which are
# read piece by piece, it does not foresee: inverse dynamics of a robot with 28 joints then waits as long as it
# computes. The requests are spread evenly over the lines of a block, because many at once wait for each other. A
# request for memory that does not exist has no effect.


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
    return [row for row in (*read, *written) if row[1] * w.bits // 8 > _LINE]


def _requests(w: Lanes, array: str, size: int, write: int) -> list[list[str]]:
    """The lines of each request for the W rows of an array."""
    bytes_of_rows = w.width * size * w.bits // 8
    requests = []
    for at in range(0, bytes_of_rows, _LINE):
        place = f"%ahead.{array}.{at}"
        requests.append(
            [
                f"  {place} = getelementptr i8, ptr %row.{array}.0, i64 {_AHEAD * bytes_of_rows + at}",
                f"  call void @llvm.prefetch.p0(ptr {place}, i32 {write}, i32 {_SECOND_CACHE}, i32 1)",
            ]
        )
    return requests


# The code for many states, W at once, as LLVM text: rows are read and written where they lie in row-major arrays.
#
# G columns of W rows are read as pieces of G numbers and transposed in registers by log2 G exchanges between pairs of
# vectors; results are written the same way backwards. Nothing outside the rows is read or written, so that the last
# block needs no code of its own: it is the last W rows once more.


def rows_text(program: Program, lanes: Lanes) -> list[str]:
    """`rows(job)` for at least W states; it returns 0, or 1 if an angle was too large for our own sine.

    Every thread calls it with the same job; they take states from the job's counter until all are done.
    """
    w = lanes
    _begin(program, w)
    first = len(w.lines)
    values = _constants(program, w)
    for i in range(len(program.inputs)):
        values |= _loads(program, w, i)
    body = BodyText(program, w, values, places(program, is_large, "%wide"))
    body.write()
    elements = [[] if is_large(o) else [body.operand(e) for e in o.elements] for o in program.outputs]
    large = body.too_large()
    add_requests(program, w, first)
    block = "block"
    if any(map(is_huge, program.outputs)):
        block = cut(w.lines, first, OF_MANY, "%counter", "done") or block
    for i, output in enumerate(program.outputs):
        block = _stores(w, i, output, elements[i], block, body)
    _end(w, large, block)
    start = w.lines.index("entry:") + 1
    w.lines[start:start] = _memory(program, w)
    return [*tables(program, w.number), *w.lines]


# the frame around a block


def _begin(program: Program, w: Lanes) -> None:
    w.lines += ["define i64 @rows(ptr %job) nounwind {", "entry:", *read_job(program)]
    w.lines += [f"  %last = sub i64 %n, {w.width}", "  br label %chunk"]
    w.lines += ["chunk:", "  %seen = phi i64 [ 0, %start ], [ %some, %end ]"]
    w.lines += [f"  %from = atomicrmw add ptr %counter, i64 {CHUNK} monotonic", f"  %past = add i64 %from, {CHUNK}"]
    w.lines += ["  %left = icmp slt i64 %from, %n", "  br i1 %left, label %block, label %done", "done:"]
    w.lines += ["  ret i64 %seen", "block:", "  %at = phi i64 [ %from, %chunk ], [ %next, %end ]"]
    w.lines += ["  %any = phi i64 [ %seen, %chunk ], [ %some, %end ]"]
    w.lines += ["  %inside = icmp slt i64 %at, %last", "  %i = select i1 %inside, i64 %at, i64 %last"]
    steps = {f"in{k}": f"%step{k}" for k in range(len(program.inputs))}
    steps |= {f"out{k}": str(len(o.elements)) for k, o in enumerate(program.outputs)}
    for array, step in steps.items():
        w.lines.append(f"  %start.{array} = mul i64 %i, {step}")
        w.lines.append(f"  %row.{array}.0 = getelementptr {w.number}, ptr %{array}, i64 %start.{array}")
        for r in range(1, w.width):
            last = f"%row.{array}.{r - 1}"
            w.lines.append(f"  %row.{array}.{r} = getelementptr {w.number}, ptr {last}, i64 {step}")


def _end(w: Lanes, large: str | None, block: str) -> None:
    w.lines += [
        "  br label %end",
        "end:",
        f"  %this = zext i1 {large or 'false'} to i64",
        "  %some = or i64 %any, %this",
    ]
    w.lines += [f"  %next = add i64 %at, {w.width}", "  %within = icmp slt i64 %next, %past"]
    w.lines += ["  %rest = icmp slt i64 %next, %n", "  %again = and i1 %within, %rest"]
    w.lines += ["  br i1 %again, label %block, label %chunk", "}"]


def _memory(program: Program, w: Lanes) -> list[str]:
    """The memory that a block needs; elements of large outputs that are numbers are put into it once."""
    large = [(i, len(o.elements)) for i, o in enumerate(program.outputs) if is_large(o)]
    lines = [f"  %work = alloca [{w.workspace} x {w.type}], align 64"] if w.workspace else []
    lines += [f"  %wide{i} = alloca [{elements} x {w.type}], align 64" for i, elements in large]
    before = "entry"
    for i, elements in large:
        lines += spread_table(w, i, elements, before)
        before = f"fixed{i}.end"
    return [*lines, "  br label %start", "start:"]


# reading


def _constants(program: Program, w: Lanes) -> dict[str, str]:
    used = program.reads()
    return {c.name: w.spread(w.load("%constants", k)) for k, c in enumerate(program.parameters) if c.name in used}


def _loads(program: Program, w: Lanes, i: int) -> dict[str, str]:
    names = [v.name for v in program.inputs[i].variables]
    used, values = program.reads(), dict[str, str]()
    for first, size in _groups(len(names), w.width):
        group = names[first : first + size]
        if any(name in used and name not in values for name in group):
            pieces = [_piece(w, f"%row.in{i}.{r}", first, size) for r in range(w.width)]
            joined = [_join(w, pieces[k::size], size) for k in range(size)]
            values |= dict(zip(group, transposed(w, joined), strict=True))
    return values


def _group(elements: int, width: int) -> int:
    """How many columns are transposed at once: a power of two, at most W / 2."""
    return 1 << (min(elements, max(width // 2, 1)).bit_length() - 1) if elements else 1


def _groups(elements: int, width: int) -> list[tuple[int, int]]:
    """The first column and the size of each group. Columns that are left over make a smaller group, or overlap one."""
    size = _group(elements, width)
    groups = [(first, size) for first in range(0, elements - size + 1, size)]
    left = elements % size
    last = min(size, max(2, 1 << (left - 1).bit_length()))
    return [*groups, (elements - last, last)] if left else groups


def _piece(w: Lanes, row: str, first: int, size: int) -> str:
    kind = w.vector(w.number, size)
    address = w.emit(f"getelementptr {w.number}, ptr {row}, i64 {first}")
    return w.emit(f"load {kind}, ptr {address}, align {w.bits // 8}")


def _join(w: Lanes, pieces: list[str], size: int) -> str:
    """The pieces one after the other in one vector."""
    if size == 1:
        value = "poison"
        for lane, piece in enumerate(pieces):
            value = w.emit(f"insertelement {w.type} {value}, {w.number} {piece}, i64 {lane}")
        return value
    while len(pieces) > 1:
        kind, mask = w.vector(w.number, size), _mask(range(2 * size))
        pairs = zip(pieces[::2], pieces[1::2], strict=True)
        pieces = [w.emit(f"shufflevector {kind} {a}, {kind} {b}, {mask}") for a, b in pairs]
        size *= 2
    return pieces[0]


def _mask(lanes: range | list[int]) -> str:
    return f"<{len(lanes)} x i32> <{', '.join(f'i32 {lane}' for lane in lanes)}>"


def transposed(w: Lanes, vectors: list[str]) -> list[str]:
    """G vectors whose segments of G lanes are the rows of matrices: those of the transposed matrices.

    Stage d exchanges, between the vectors i and i + d, what has bit d of its column set in one and clear in the other.
    """
    size, columns, d = len(vectors), list(vectors), 1
    while d < size:
        for i in range(size):
            if not i & d:
                a, b = columns[i], columns[i + d]
                upper = [lane if not lane & d else w.width + lane - d for lane in range(w.width)]
                lower = [lane + d if not lane & d else w.width + lane for lane in range(w.width)]
                columns[i], columns[i + d] = _shuffle(w, a, b, upper), _shuffle(w, a, b, lower)
        d *= 2
    return columns


def _shuffle(w: Lanes, a: str, b: str, lanes: list[int]) -> str:
    return w.emit(f"shufflevector {w.type} {a}, {w.type} {b}, {_mask(lanes)}")


# writing


def _stores(w: Lanes, i: int, output: Output, values: list[str], block: str, body: BodyText) -> str:
    """Write the rows of output i; returns the label of the part in which the code goes on."""
    if not is_large(output):
        for first, size in _groups(len(values), w.width):
            _columns(w, i, values[first : first + size], str(first))
        return block
    for k, element in enumerate(output.elements):
        if isinstance(element, Ref) and element.name not in body.places:
            body.store(element, StorePlace(f"%wide{i}", k, element.negative))
    return _column_loop(w, i, len(output.elements), block)


def _column_loop(w: Lanes, i: int, elements: int, block: str) -> str:
    size = _group(elements, w.width)
    w.lines += [f"  br label %wide{i}.loop", f"wide{i}.loop:"]
    w.lines += [f"  %c{i} = phi i64 [ 0, %{block} ], [ %c{i}.next, %wide{i}.loop ]"]
    w.lines += [f"  %c{i}.fits = icmp slt i64 %c{i}, {elements - size}"]
    w.lines += [f"  %c{i}.at = select i1 %c{i}.fits, i64 %c{i}, i64 {elements - size}"]
    columns = []
    for k in range(size):
        column = w.emit(f"add i64 %c{i}.at, {k}")
        address = w.emit(f"getelementptr {w.type}, ptr %wide{i}, i64 {column}")
        columns.append(w.emit(f"load {w.type}, ptr {address}"))
    _columns(w, i, columns, f"%c{i}.at")
    w.lines += [f"  %c{i}.next = add i64 %c{i}, {size}", f"  %c{i}.more = icmp slt i64 %c{i}.next, {elements}"]
    w.lines += [f"  br i1 %c{i}.more, label %wide{i}.loop, label %wide{i}.end", f"wide{i}.end:"]
    return f"wide{i}.end"


def _columns(w: Lanes, i: int, columns: list[str], first: str) -> None:
    """Write a group of columns of output i, which begins at column `first`."""
    size = len(columns)
    kind = w.vector(w.number, size)
    for k, vector in enumerate(transposed(w, columns)):
        for segment in range(w.width // size):
            lanes = range(segment * size, (segment + 1) * size)
            if size == 1:
                piece = w.emit(f"extractelement {w.type} {vector}, i64 {segment}")
            else:
                piece = w.emit(f"shufflevector {w.type} {vector}, {w.type} poison, {_mask(lanes)}")
            row = f"%row.out{i}.{segment * size + k}"
            address = w.emit(f"getelementptr {w.number}, ptr {row}, i64 {first}")
            w.lines.append(f"  store {kind} {piece}, ptr {address}, align {w.bits // 8}")


# The modules of a program as LLVM text: one state at a time, and many states at once.


def state_module(program: Program, number: str, width: int, fma: bool, call: CallOfPython | None = None) -> str:
    """The code for one state, and the function that Python calls; `width` is the number of lanes of the machine."""
    lanes = Lanes(number, 1, fma)
    lines = state_text(program, lanes, width)
    return _module(lanes, [*lines, *(call(program, number, width) if call else ())])


def rows_module(program: Program, number: str, width: int, fma: bool) -> str:
    """The code for many states, `width` at once."""
    lanes = Lanes(number, width, fma)
    return _module(lanes, rows_text(program, lanes))


def _module(lanes: Lanes, lines: list[str]) -> str:
    attributes = "attributes #0 = { nounwind willreturn memory(none) }"
    return "\n".join([*lanes.declared.values(), *lines, attributes, ""])
