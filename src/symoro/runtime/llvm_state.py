"""The code for one state, and a loop of it over some states, as LLVM text."""

from __future__ import annotations

from symoro.ir.program import Literal, Program
from symoro.runtime.llvm_fixed import copy_table, is_huge, tables
from symoro.runtime.llvm_lanes import Lanes, read_job
from symoro.runtime.llvm_parts import OF_ONE, cut
from symoro.runtime.llvm_text import Body, Place, places


def state_text(program: Program, lanes: Lanes, gather: int) -> list[str]:
    """`state(constants, inputs, outputs)`, and `states(job)` for a few states.

    Both return 0, or 1 if an angle is too large for our own sine. `state` stores results after everything is read, so
    that outputs may lie on inputs, and nothing when it returns 1. The sines of `gather` angles are computed at once.
    """
    lanes.lines += [f"define internal i64 @state({', '.join(f'ptr %{a}' for a in arrays(program))}) noinline {{"]
    start = len(lanes.lines)
    body = Body(program, lanes, _values(program, lanes))
    early = body.write_angles(gather)
    if any(map(is_huge, program.outputs)) and body.knows_angles():
        _begin_to_store(program, body)  # hundreds of results need not be kept until the end
        found = places(program, is_huge, "%out")
        body.places = {name: where for name, where in found.items() if name not in early}
        body.write_after(early)
    else:
        body.write_after(early)
        _begin_to_store(program, body)
    _stores(program, body)
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


def _begin_to_store(program: Program, body: Body) -> None:
    """From here on results may be stored; nothing is if an angle is too large."""
    body.lanes.lines += [f"  br i1 {body.too_large() or 'false'}, label %too.large, label %store", "store:"]
    for i, output in enumerate(program.outputs):
        if is_huge(output):
            copy_table(body.lanes, i, output)


def _stores(program: Program, body: Body) -> None:
    """Store the elements that are not stored yet."""
    for i, output in enumerate(program.outputs):
        for k, element in enumerate(output.elements):
            known = isinstance(element, Literal) or element.name in body.places
            if not (known and is_huge(output)):
                body.store(element, Place(f"%out{i}", k, False))


def _states(program: Program, number: str) -> list[str]:
    rows = [f"in{k}" for k in range(len(program.inputs))]
    steps = dict(zip(rows, (f"%step{k}" for k in range(len(rows))), strict=True))
    steps |= {f"out{k}": str(len(o.elements)) for k, o in enumerate(program.outputs)}
    lines = ["define i64 @states(ptr %job) {", "entry:", *read_job(program), "  br label %head"]
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
