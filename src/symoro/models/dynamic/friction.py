"""Friction of a drive: viscous, Coulomb (asymmetric too), static with the Stribeck effect, an offset (K13:7.26)."""

from __future__ import annotations

from collections.abc import Iterator

from symoro.ir.expr import Expr
from symoro.ir.ops import Op
from symoro.symbols import Symbols


def friction_terms(s: Symbols, j: int, v: Expr) -> Iterator[Expr]:
    """The terms of the friction of drive j at velocity v; those of absent parameters are 0.

    FV v + FS sign v is K97:20. FA makes Coulomb friction FS + FA forward and FS − FA backward, FO is a constant, FST
    the static friction, which fades to FS with the velocity as exp(−BST |v|) (K13:7.26).
    """
    FV, FS, FA, FO, FST, BST = (s.drive(name, j) for name in ("FV", "FS", "FA", "FO", "FST", "BST"))
    sign, speed = direction(s, j, v)
    yield FV * v
    yield FS * sign
    yield FA * (sign * sign)
    yield FO
    if not FST.is_zero:
        yield (FST - FS) * (sign * s.graph.apply(Op.EXP, -(BST * speed)))


def direction(s: Symbols, j: int, v: Expr) -> tuple[Expr, Expr]:
    """sign v and |v|; with a smoothing velocity VS, v/√(v² + VS²) and v²/√(v² + VS²), which have derivatives."""
    VS = s.drive("VS", j)
    if VS.is_zero:
        return s.graph.sign(v), abs(v)
    smooth = v / s.graph.sqrt(v * v + VS * VS)
    return smooth, v * smooth
