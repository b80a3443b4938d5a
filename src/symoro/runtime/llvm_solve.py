"""Gaussian elimination with partial pivoting as LLVM text: the block `solve` of a program."""

from __future__ import annotations

#: solve(w, n): w holds the n x n matrix row by row, then the right side, which becomes the solution (not a number when
#: the matrix is singular). Variables of the loops live in memory; the optimiser moves them to registers.
SOLVE = """
define internal void @solve(ptr noalias %w, i64 %n) {
entry:
  %nn = mul i64 %n, %n
  %b = getelementptr double, ptr %w, i64 %nn
  %last = sub i64 %n, 1
  br label %column

; for k = 0 ... n-1: find the largest entry of column k in the rows i = k ... n-1
column:
  %k = phi i64 [ 0, %entry ], [ %k.next, %column.end ]
  %k.more = icmp slt i64 %k, %n
  br i1 %k.more, label %search, label %back
search:
  %i = phi i64 [ %k, %column ], [ %i.next, %search.body ]
  %best = phi i64 [ %k, %column ], [ %best.next, %search.body ]
  %most = phi double [ -1.0, %column ], [ %most.next, %search.body ]
  %i.more = icmp slt i64 %i, %n
  br i1 %i.more, label %search.body, label %found
search.body:
  %i.row = mul i64 %i, %n
  %i.at = add i64 %i.row, %k
  %i.ptr = getelementptr double, ptr %w, i64 %i.at
  %i.value = load double, ptr %i.ptr
  %size = call double @llvm.fabs.f64(double %i.value)
  %larger = fcmp ogt double %size, %most
  %best.next = select i1 %larger, i64 %i, i64 %best
  %most.next = select i1 %larger, double %size, double %most
  %i.next = add i64 %i, 1
  br label %search

; most is 0 when the column is zero, and -1 when nothing in it is a number
found:
  %regular = fcmp ogt double %most, 0.0
  br i1 %regular, label %swap.start, label %singular
swap.start:
  %k.start = mul i64 %k, %n
  %p.start = mul i64 %best, %n
  %k.row = getelementptr double, ptr %w, i64 %k.start
  %p.row = getelementptr double, ptr %w, i64 %p.start
  %k.right = getelementptr double, ptr %b, i64 %k
  %p.right = getelementptr double, ptr %b, i64 %best
  %k.b = load double, ptr %k.right
  %p.b = load double, ptr %p.right
  store double %p.b, ptr %k.right
  store double %k.b, ptr %p.right
  br label %swap
swap:
  %j = phi i64 [ %k, %swap.start ], [ %j.next, %swap.body ]
  %j.more = icmp slt i64 %j, %n
  br i1 %j.more, label %swap.body, label %eliminate.start
swap.body:
  %k.ptr = getelementptr double, ptr %k.row, i64 %j
  %p.ptr = getelementptr double, ptr %p.row, i64 %j
  %k.value = load double, ptr %k.ptr
  %p.value = load double, ptr %p.ptr
  store double %p.value, ptr %k.ptr
  store double %k.value, ptr %p.ptr
  %j.next = add i64 %j, 1
  br label %swap

; rows r = k+1 ... n-1: row r -= factor * row k
eliminate.start:
  %pivot.ptr = getelementptr double, ptr %k.row, i64 %k
  %pivot = load double, ptr %pivot.ptr
  %right = load double, ptr %k.right
  %k.next = add i64 %k, 1
  br label %eliminate
eliminate:
  %r = phi i64 [ %k.next, %eliminate.start ], [ %r.next, %row.end ]
  %r.more = icmp slt i64 %r, %n
  br i1 %r.more, label %row.start, label %column.end
row.start:
  %r.start = mul i64 %r, %n
  %r.row = getelementptr double, ptr %w, i64 %r.start
  %r.head = getelementptr double, ptr %r.row, i64 %k
  %r.value = load double, ptr %r.head
  %factor = fdiv double %r.value, %pivot
  %r.right = getelementptr double, ptr %b, i64 %r
  %r.b = load double, ptr %r.right
  %r.change = fmul double %factor, %right
  %r.new = fsub double %r.b, %r.change
  store double %r.new, ptr %r.right
  br label %row
row:
  %c = phi i64 [ %k.next, %row.start ], [ %c.next, %row.body ]
  %c.more = icmp slt i64 %c, %n
  br i1 %c.more, label %row.body, label %row.end
row.body:
  %c.from = getelementptr double, ptr %k.row, i64 %c
  %c.to = getelementptr double, ptr %r.row, i64 %c
  %c.above = load double, ptr %c.from
  %c.old = load double, ptr %c.to
  %c.change = fmul double %factor, %c.above
  %c.new = fsub double %c.old, %c.change
  store double %c.new, ptr %c.to
  %c.next = add i64 %c, 1
  br label %row
row.end:
  %r.next = add i64 %r, 1
  br label %eliminate
column.end:
  br label %column

; back substitution: m = n-1 ... 0
back:
  %m = phi i64 [ %last, %column ], [ %m.next, %sum.end ]
  %m.more = icmp sge i64 %m, 0
  br i1 %m.more, label %sum.start, label %end
sum.start:
  %m.start = mul i64 %m, %n
  %m.row = getelementptr double, ptr %w, i64 %m.start
  %m.right = getelementptr double, ptr %b, i64 %m
  %m.b = load double, ptr %m.right
  %m.after = add i64 %m, 1
  br label %sum
sum:
  %s = phi i64 [ %m.after, %sum.start ], [ %s.next, %sum.body ]
  %total = phi double [ %m.b, %sum.start ], [ %total.next, %sum.body ]
  %s.more = icmp slt i64 %s, %n
  br i1 %s.more, label %sum.body, label %sum.end
sum.body:
  %s.ptr = getelementptr double, ptr %m.row, i64 %s
  %s.value = load double, ptr %s.ptr
  %x.ptr = getelementptr double, ptr %b, i64 %s
  %x.value = load double, ptr %x.ptr
  %s.change = fmul double %s.value, %x.value
  %total.next = fsub double %total, %s.change
  %s.next = add i64 %s, 1
  br label %sum
sum.end:
  %m.ptr = getelementptr double, ptr %m.row, i64 %m
  %m.value = load double, ptr %m.ptr
  %x = fdiv double %total, %m.value
  store double %x, ptr %m.right
  %m.next = sub i64 %m, 1
  br label %back

singular:
  %f = phi i64 [ 0, %found ], [ %f.next, %fill ]
  %f.more = icmp slt i64 %f, %n
  br i1 %f.more, label %fill, label %end
fill:
  %f.ptr = getelementptr double, ptr %b, i64 %f
  store double 0x7FF8000000000000, ptr %f.ptr
  %f.next = add i64 %f, 1
  br label %singular
end:
  ret void
}
"""
