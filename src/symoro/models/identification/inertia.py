"""Linear maps between frames: of a link's ten inertial parameters, of twists, and of what a joint senses of them.

A row is a linear form of a link's parameters, {"XX": coefficient, …}. A twist [v; w] is kept the same way. Entries
that are 0 are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias, TypeVar

from symoro.models.identification.coefficients import Coefficient, Coefficients

Row: TypeAlias = dict[str, Coefficient]
Map: TypeAlias = Mapping[str, Row]
"""Each new entry as a row of the old ones; an entry that is not listed stays as it is."""
K = TypeVar("K")


def clean(row: Iterable[tuple[str, Coefficient]]) -> Row:
    """Without zeros."""
    return {name: x for name, x in row if not x.is_zero}


def accumulate(into: dict[K, Coefficient], factor: Coefficient, row: Mapping[K, Coefficient]) -> None:
    """into += factor · row."""
    for name, x in row.items():
        term = factor * x
        total = into[name] + term if name in into else term
        if total.is_zero:
            into.pop(name, None)
        else:
            into[name] = total


def pullback(form: Row, change: Map) -> Row:
    """The form of the old parameters that has the value which `form` has for the new ones."""
    result: Row = {}
    for name, x in form.items():
        accumulate(result, x, change.get(name, {name: x.field.one}))
    return result


def image(change: Map, twist: Row) -> Row:
    """The new entries of a twist."""
    result = {name: x for name, x in twist.items() if name not in change}
    for name, row in change.items():
        entry: Row = {}
        for old, x in row.items():
            if old in twist:
                accumulate(entry, x, {name: twist[old]})
        result |= entry
    return result


# the inertial parameters of a body of frame j, seen from a frame that is turned or shifted against it


def inertia_turn_x(c: Coefficient, s: Coefficient) -> Map:
    """J' = R J Rᵀ, MS' = R MS with R = Rx."""
    cc, ss, cs = c * c, s * s, c * s
    return {
        "XY": clean((("XY", c), ("XZ", -s))),
        "XZ": clean((("XY", s), ("XZ", c))),
        "YY": clean((("YY", cc), ("ZZ", ss), ("YZ", -(cs + cs)))),
        "ZZ": clean((("YY", ss), ("ZZ", cc), ("YZ", cs + cs))),
        "YZ": clean((("YY", cs), ("ZZ", -cs), ("YZ", cc - ss))),
        "MY": clean((("MY", c), ("MZ", -s))),
        "MZ": clean((("MY", s), ("MZ", c))),
    }


def inertia_turn_z(c: Coefficient, s: Coefficient) -> Map:
    """J' = R J Rᵀ, MS' = R MS with R = Rz."""
    cc, ss, cs = c * c, s * s, c * s
    return {
        "XX": clean((("XX", cc), ("YY", ss), ("XY", -(cs + cs)))),
        "YY": clean((("XX", ss), ("YY", cc), ("XY", cs + cs))),
        "XY": clean((("XX", cs), ("YY", -cs), ("XY", cc - ss))),
        "XZ": clean((("XZ", c), ("YZ", -s))),
        "YZ": clean((("XZ", s), ("YZ", c))),
        "MX": clean((("MX", c), ("MY", -s))),
        "MY": clean((("MX", s), ("MY", c))),
    }


def inertia_shift(axis: str, p: Coefficient) -> Map:
    """MS' = MS + M p, J' = J + 2 (p·MS) I − p MSᵀ − MS pᵀ + M (p·p I − p pᵀ) with p along x or z."""
    one, MP = p.field.one, f"M{axis}"
    others = [letter for letter in "XYZ" if letter != axis]
    result: dict[str, Row] = {MP: clean(((MP, one), ("M", p)))}
    for letter in others:
        own, mixed = letter * 2, "".join(sorted((axis, letter)))
        result[own] = clean(((own, one), (MP, p + p), ("M", p * p)))
        result[mixed] = clean(((mixed, one), (f"M{letter}", -p)))
    return result


# a twist [v; w] of frame i, seen from a frame that is turned or shifted against it


def twist_turn(axis: str, c: Coefficient, s: Coefficient) -> Map:
    """v' = Rᵀ v, w' = Rᵀ w with R about x or z."""
    first, second = ("Y", "Z") if axis == "X" else ("X", "Y")
    return {
        f"{letter}{name}": row
        for letter in "VW"
        for name, row in (
            (first, clean(((letter + first, c), (letter + second, s)))),
            (second, clean(((letter + first, -s), (letter + second, c)))),
        )
    }


def twist_shift(axis: str, p: Coefficient) -> Map:
    """v' = v + w × p with p along x or z."""
    one = p.field.one
    if axis == "X":
        return {"VY": clean((("VY", one), ("WZ", p))), "VZ": clean((("VZ", one), ("WY", -p)))}
    return {"VX": clean((("VX", one), ("WY", p))), "VY": clean((("VY", one), ("WX", -p)))}


def sensed(prismatic: bool, twist: Row) -> Row:
    """What the torque of a joint senses of a body that accelerates by a twist: its momentum along the joint's axis.

    About z the momentum of a body is p = z × MS and L = J z, along z it is p = M z and L = MS × z; the form is
    v·p + w·L.
    """
    table = _ALONG_Z if prismatic else _ABOUT_Z
    return {name: twist[v] if sign > 0 else -twist[v] for v, name, sign in table if v in twist}


_ALONG_Z = (("VZ", "M", 1), ("WX", "MY", 1), ("WY", "MX", -1))
_ABOUT_Z = (("VX", "MY", -1), ("VY", "MX", 1), ("WX", "XZ", 1), ("WY", "YZ", 1), ("WZ", "ZZ", 1))


def unit(field: Coefficients, name: str) -> Row:
    """The form that is one entry."""
    return {name: field.one}
