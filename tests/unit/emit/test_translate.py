"""The translator takes a small part of C, keeps its meaning, and refuses what is outside that part."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from support.tools import needs_compiler, needs_node, needs_octave
from symoro.emit.translate.expressions import NotTranslated
from symoro.emit.translate.javascript import javascript
from symoro.emit.translate.matlab import matlab
from symoro.emit.translate.read import read
from symoro.runtime.shared_library import shared_library

#: Conditions that must not be evaluated, loops that go on early, copies of structs, rows, whole numbers, truth values.
PROGRAM = """
#define SIZE 4
typedef struct {
    double a[SIZE];
    int n;
} row;

/* The first place after `from` with a positive number; SIZE where there is none. */
static int place(const row *r, int from)
{
    int k = from;
    while (k < SIZE && !(r->a[k] > 0.0))
        k++;
    return k;
}

static int doubled(double m[2][SIZE], int k)
{
    m[k][0] *= 2.0;
    return k % 2 == 0 ? 7 / 2 : -1;
}

static double flat(int count, const double a[], int stride)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += a[i * stride + 1] / (i + 1);
    return sum;
}

double checked(const double x[SIZE], double out[8])
{
    row r, s;
    double m[2][SIZE] = { { 0 } };
    int odd = 0;
    memcpy(r.a, x, sizeof r.a);
    r.n = place(&r, 1);
    s = r;
    s.a[0] = 100.0; /* does not change r */
    for (int k = 0, last = SIZE; k < last; k++) {
        if (x[k] < 0.0)
            continue;
        odd += k % 2 == 1;
        m[k / 2][k % 2] = k < 3 && x[k + 1] > x[k] ? x[k] : -x[k];
        if (odd > 5 || (k == 3 && x[0] > 50.0))
            break;
    }
    for (int k = SIZE - 1; k >= 0; k -= 2)
        out[k] = r.a[k] + (odd ? 0.5 : 0.25) * s.a[0];
    out[0] = r.n;
    out[2] = doubled(m, 0) + doubled(m, 1);
    out[4] = m[0][0];
    out[5] = m[1][0];
    out[6] = flat(2, m[0], SIZE);
    out[7] = (x[0] > 0.0) == (x[1] > 0.0);
    return out[0] + out[7];
}
"""
ROWS = ([1.0, -2.0, 3.0, 0.5], [-1.0, -2.0, -3.0, -4.0], [2.0, 3.0, 4.0, 5.0], [60.0, 0.0, -1.0, 2.0])


def in_c() -> list[list[float]]:
    """What a compiler of C makes of it."""
    f = shared_library((("checked.c", f"#include <string.h>\n{PROGRAM}"),)).checked
    f.restype = ctypes.c_double
    found = []
    for row in ROWS:
        out = (ctypes.c_double * 8)()
        result = f((ctypes.c_double * 4)(*row), out)
        found.append([*out, result])
    return found


@needs_compiler
@needs_node
def test_javascript_computes_what_c_does(tmp_path: Path) -> None:
    """References, as in Julia, and no rewriting of expressions."""
    copies = """
const copy = (v) => ArrayBuffer.isView(v) ? v.slice() : typeof v !== "object" ? v : Object.assign(new v.constructor(),
    Object.fromEntries(Object.entries(v).map(([k, x]) => [k, copy(x)])));
"""
    calls = f"""
for (const row of {list(map(list, ROWS))}) {{
    const out = new Float64Array(8);
    const result = checked(Float64Array.from(row), out);
    console.log([...out, result].join(" "));
}}
"""
    (tmp_path / "checked.mjs").write_text(copies + javascript(read(PROGRAM)) + calls, encoding="utf-8")
    ran = subprocess.run(["node", tmp_path / "checked.mjs"], capture_output=True, text=True, check=True)
    assert [[float(x) for x in line.split()] for line in ran.stdout.splitlines()] == in_c()


@needs_compiler
@needs_octave
def test_octave_computes_what_c_does(tmp_path: Path) -> None:
    """Values, as in Fortran without references, and expressions that are rewritten."""
    rows = "; ".join(" ".join(map(str, row)) for row in ROWS)
    main = f"function main()\n    rows = [{rows}]';\n    for k = 1:{len(ROWS)}\n"
    main += "        [result, out] = checked(rows(:, k), zeros(8, 1));\n"
    main += "        fprintf('%.17g ', [out; result]);\n        fprintf('\\n');\n    end\nend\n"
    (tmp_path / "main.m").write_text(main + matlab(read(PROGRAM), {}), encoding="utf-8")
    command = ["octave-cli", "--norc", "--quiet", "--eval", "main"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [[float(x) for x in line.split()] for line in ran.stdout.splitlines()] == in_c()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("int f(int k) { k++; return k; }", "changes its parameter k"),
        ("int f(int k) { return k++; }", "inside an expression"),
        ("int f(double x) { int k = x; return k; }", "is no int"),
        ("int f(const double x[4]) { double y[3]; memcpy(y, x, sizeof y); return 0; }", "whole things of one type"),
        (
            "int f(const double x[4]) { double y[4]; memcpy(y, x, 2 * sizeof y[0]); return 0; }",
            "whole things of one type",
        ),
        ("int f(int k) { switch (k) { case 1: return 2; } return 0; }", "Switch is not translated"),
        ("int f(int k) { goto end; end: return k; }", "Goto is not translated"),
        ("int f(int k) { return g(k); }", "the function g is not known"),
        ("static int g(const double x[4]) { return 0; } int f(const double x[3]) { return g(x); }", "x is Type"),
        ("int f(long k) { return 0; }", "the type long is not known"),
        ("int f(int k) { double x[k]; return 0; }", "k is not known"),
    ],
)
def test_what_is_not_translated_is_said(code: str, reason: str) -> None:
    with pytest.raises(NotTranslated, match=reason):
        read(code)
