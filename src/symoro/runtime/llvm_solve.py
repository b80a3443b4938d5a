"""Gaussian elimination with partial pivoting in every lane on its own: the block `solve` of a program.

Rows are exchanged by choices instead of branches: row i and row k change places in the lanes where the entry of row i
is larger. After all i > k the pivot is the largest entry of its column, as in LU with partial pivoting (Golub and Van
Loan, Matrix Computations, 3.4). Products are rounded before they are subtracted, so that the rows of a singular matrix
cancel: its solution is not a number.
"""

from __future__ import annotations

from symoro.runtime.llvm_lanes import Lanes

#: Larger systems are solved by loops on memory: straight-line code for them is long.
_UNROLLED = 8


def solve(w: Lanes, args: list[str], n: int) -> list[str]:
    """The solution of n equations; args are the matrix, row by row, and the right side."""
    rows = [[*args[n * i : n * (i + 1)], args[n * n + i]] for i in range(n)]
    return _straight(w, rows) if n <= _UNROLLED else _in_memory(w, rows)


def _straight(w: Lanes, rows: list[list[str]]) -> list[str]:
    n = len(rows)
    for k in range(n):
        for i in range(k + 1, n):
            _exchange(w, rows, k, i)
        rows[k][k] = _pivot(w, rows[k][k])
        for i in range(k + 1, n):
            factor = w.div(rows[i][k], rows[k][k])
            for j in range(k + 1, n + 1):
                rows[i][j] = w.sub(rows[i][j], w.mul(factor, rows[k][j]))
    solution: list[str] = []
    for i in reversed(range(n)):
        right = rows[i][n]
        for j, x in zip(reversed(range(i + 1, n)), solution, strict=True):
            right = w.sub(right, w.mul(rows[i][j], x))
        solution.append(w.div(right, rows[i][i]))
    return solution[::-1]


def _exchange(w: Lanes, rows: list[list[str]], k: int, i: int) -> None:
    """The row with the larger entry of column k becomes row k."""
    larger = w.compare("ogt", w.intrinsic("fabs", rows[i][k]), w.intrinsic("fabs", rows[k][k]))
    for j in range(k, len(rows) + 1):
        a, b = rows[k][j], rows[i][j]
        rows[k][j], rows[i][j] = w.choose(larger, b, a), w.choose(larger, a, b)


def _pivot(w: Lanes, value: str) -> str:
    """The pivot, or not a number if it is zero: that spreads to every unknown."""
    return w.choose(w.compare("oeq", value, w.constant(0.0)), w.constant(float("nan")), value)


def _in_memory(w: Lanes, rows: list[list[str]]) -> list[str]:
    n = len(rows)
    w.workspace = max(w.workspace, n * (n + 1))
    for k, value in enumerate(value for row in rows for value in row):
        w.lines.append(f"  store {w.type} {value}, ptr {_at(w, k)}")
    w.intrinsic("fabs", w.constant(0.0))  # declares it
    w.declared["solve"] = _LOOPS.format(
        T=w.type, B=w.truth, zero=w.constant(0.0), nan=w.constant(float("nan")), fabs=w.symbol("fabs")
    )
    w.lines.append(f"  call void @solve(ptr %work, i64 {n})")
    return [w.emit(f"load {w.type}, ptr {_at(w, (n + 1) * i + n)}") for i in range(n)]


def _at(w: Lanes, k: int) -> str:
    return w.emit(f"getelementptr {w.type}, ptr %work, i64 {k}")


#: solve(w, n): w holds rows of n + 1 vectors, the matrix and the right side, which becomes the solution.
_LOOPS = """
define internal void @solve(ptr %w, i64 %n) noinline nounwind {{
entry:
  %pitch = add i64 %n, 1
  %last = sub i64 %n, 1
  br label %column

; k = 0 ... n-1
column:
  %k = phi i64 [ 0, %entry ], [ %k.next, %column.end ]
  %k.start = mul i64 %k, %pitch
  %k.row = getelementptr {T}, ptr %w, i64 %k.start
  %diagonal = getelementptr {T}, ptr %k.row, i64 %k
  %k.next = add i64 %k, 1
  br label %search

; the rows i > k change places with row k where their entry of column k is larger
search:
  %i = phi i64 [ %k.next, %column ], [ %i.next, %exchanged ]
  %i.more = icmp slt i64 %i, %n
  br i1 %i.more, label %exchange, label %pivot
exchange:
  %i.start = mul i64 %i, %pitch
  %i.row = getelementptr {T}, ptr %w, i64 %i.start
  %i.at = getelementptr {T}, ptr %i.row, i64 %k
  %a.i = load {T}, ptr %i.at
  %a.k = load {T}, ptr %diagonal
  %size.i = call {T} @{fabs}({T} %a.i)
  %size.k = call {T} @{fabs}({T} %a.k)
  %larger = fcmp ogt {T} %size.i, %size.k
  br label %swap
swap:
  %j = phi i64 [ %k, %exchange ], [ %j.next, %swap ]
  %j.k = getelementptr {T}, ptr %k.row, i64 %j
  %j.i = getelementptr {T}, ptr %i.row, i64 %j
  %upper = load {T}, ptr %j.k
  %lower = load {T}, ptr %j.i
  %new.k = select {B} %larger, {T} %lower, {T} %upper
  %new.i = select {B} %larger, {T} %upper, {T} %lower
  store {T} %new.k, ptr %j.k
  store {T} %new.i, ptr %j.i
  %j.next = add i64 %j, 1
  %j.more = icmp sle i64 %j.next, %n
  br i1 %j.more, label %swap, label %exchanged
exchanged:
  %i.next = add i64 %i, 1
  br label %search

; row r -= factor * row k for the rows r > k
pivot:
  %found = load {T}, ptr %diagonal
  %is.zero = fcmp oeq {T} %found, {zero}
  %divisor = select {B} %is.zero, {T} {nan}, {T} %found
  store {T} %divisor, ptr %diagonal
  br label %below
below:
  %r = phi i64 [ %k.next, %pivot ], [ %r.next, %subtracted ]
  %r.more = icmp slt i64 %r, %n
  %k.more = icmp slt i64 %k.next, %n
  br i1 %r.more, label %eliminate, label %column.end
eliminate:
  %r.start = mul i64 %r, %pitch
  %r.row = getelementptr {T}, ptr %w, i64 %r.start
  %r.at = getelementptr {T}, ptr %r.row, i64 %k
  %r.value = load {T}, ptr %r.at
  %factor = fdiv {T} %r.value, %divisor
  br label %subtract
subtract:
  %c = phi i64 [ %k.next, %eliminate ], [ %c.next, %subtract ]
  %c.from = getelementptr {T}, ptr %k.row, i64 %c
  %c.to = getelementptr {T}, ptr %r.row, i64 %c
  %c.above = load {T}, ptr %c.from
  %c.old = load {T}, ptr %c.to
  %c.change = fmul {T} %factor, %c.above
  %c.new = fsub {T} %c.old, %c.change
  store {T} %c.new, ptr %c.to
  %c.next = add i64 %c, 1
  %c.more = icmp sle i64 %c.next, %n
  br i1 %c.more, label %subtract, label %subtracted
subtracted:
  %r.next = add i64 %r, 1
  br label %below
column.end:
  br i1 %k.more, label %column, label %back

; back substitution: m = n-1 ... 0
back:
  %m = phi i64 [ %last, %column.end ], [ %m.next, %divide ]
  %m.start = mul i64 %m, %pitch
  %m.row = getelementptr {T}, ptr %w, i64 %m.start
  %m.right = getelementptr {T}, ptr %m.row, i64 %n
  %m.b = load {T}, ptr %m.right
  br label %sum
sum:
  %s = phi i64 [ %last, %back ], [ %s.next, %sum.body ]
  %total = phi {T} [ %m.b, %back ], [ %total.next, %sum.body ]
  %s.more = icmp sgt i64 %s, %m
  br i1 %s.more, label %sum.body, label %divide
sum.body:
  %s.ptr = getelementptr {T}, ptr %m.row, i64 %s
  %s.value = load {T}, ptr %s.ptr
  %s.start = mul i64 %s, %pitch
  %s.row = getelementptr {T}, ptr %w, i64 %s.start
  %x.ptr = getelementptr {T}, ptr %s.row, i64 %n
  %x.value = load {T}, ptr %x.ptr
  %s.change = fmul {T} %s.value, %x.value
  %total.next = fsub {T} %total, %s.change
  %s.next = sub i64 %s, 1
  br label %sum
divide:
  %m.ptr = getelementptr {T}, ptr %m.row, i64 %m
  %m.value = load {T}, ptr %m.ptr
  %x = fdiv {T} %total, %m.value
  store {T} %x, ptr %m.right
  %m.next = sub i64 %m, 1
  %m.more = icmp sge i64 %m.next, 0
  br i1 %m.more, label %back, label %end
end:
  ret void
}}
"""
