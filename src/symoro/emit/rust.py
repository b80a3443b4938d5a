"""Rust: a crate without the standard library, its self-test and an example."""

from __future__ import annotations

from dataclasses import replace

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.target import Target, decimal
from symoro.ir.expr import Op
from symoro.ir.infix import Dialect

_KEYWORDS = """
    as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop match mod move
    mut pub ref return self Self static struct super trait true type union unsafe use where while abstract become box do
    final macro override priv try typeof unsized virtual yield
    bool char str i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 Some None Ok Err Option Result
    Box Vec String Default Clone Copy drop main core std
"""
#: Names that the templates use.
_OWN = "Real Parameters math setup parameters select sign_of smaller larger solve_in_place distance report failures"
_C_NAMES = ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan2", "exp")


def _write(package: Package) -> dict[str, str]:
    files = {
        "lib.rs": "rust/lib.rs",
        "selftest.rs": "rust/selftest.rs",
        "main.rs": "rust/main.rs",
        "Cargo.toml": "rust/Cargo.toml",
        "README.md": "rust/README.md",
    }
    return render(package, files)


_DOUBLE = Target(
    name="rust",
    title="Rust",
    suffix=".rs",
    dialect=Dialect(
        functions={
            **{Op(name): f"math::{name}" for name in _C_NAMES},
            Op.ABS: "math::abs",
            Op.SIGN: "math::sign_of",
            Op.MIN: "math::smaller",
            Op.MAX: "math::larger",
        },
        select="math::select({0}, {1}, {2})",
        square=None,
    ),
    reserved=frozenset(f"{_KEYWORDS} {_OWN}".split()),
    write=_write,
    number=lambda value: decimal(value, "Real::INFINITY", "Real::NAN"),
    truth="math::truth{0}",
    comment=lambda text: " ".join(text.split()),
    inline_conditions=False,
    real="f64",
    iterates=True,
    check="cargo test --offline --quiet --test {name}_selftest -- --nocapture",
    tools=("cargo",),
    piece=1000,
    taken=frozenset({"alloc", "build", "deps", "examples", "incremental", "proc_macro", "test"}),
)
TARGET = replace(_DOUBLE, single=replace(_DOUBLE, title="Rust in single precision", real="f32", precision="float"))
