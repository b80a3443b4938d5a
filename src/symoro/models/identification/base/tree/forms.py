"""Linear forms of a link's inertial parameters, twists of a link, and how both pass a joint to the next link.

A form is a row {"XX": coefficient, …} over the ten inertial parameters of a link. A twist [v; w] is a row over VX … WZ.
Entries that are 0 are left out. A joint is a few steps, turns and shifts along x and z, and then its own motion. The
steps change forms and twists by linear maps. The motion gives a space: all that a form or twist becomes while q varies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from symoro.models.identification.base.tree.coefficients import Coefficient, Coefficients, accumulate
from symoro.robot.joint import Joint
from symoro.robot.values import Value
from symoro.symbols import Symbols

#: The entries of a twist: the linear ones first.
TWIST = ("VX", "VY", "VZ", "WX", "WY", "WZ")

Row: TypeAlias = dict[str, Coefficient]
Map: TypeAlias = Mapping[str, Row]
"""Each new entry as a row of the old ones; an entry that is not listed stays as it is."""
Step: TypeAlias = tuple[str, Coefficient] | tuple[str, Coefficient, Coefficient]
"""A shift along an axis, or a turn about one by its cosine and sine."""


def clean(row: Iterable[tuple[str, Coefficient]]) -> Row:
    """A row without the entries that are 0."""
    return {name: x for name, x in row if not x.is_zero}


def unit(field: Coefficients, name: str) -> Row:
    """The row with one entry, which is 1."""
    return {name: field.one}


def pullback(form: Row, change: Map) -> Row:
    """The form in the old parameters that has the same value as `form` in the new ones."""
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


# steps and the motion of a joint


def steps_of(s: Symbols, field: Coefficients, joint: Joint) -> list[Step]:
    """The steps from the antecedent to frame j, without the motion of joint j."""

    def turn(axis: str, angle: Value) -> Step:
        return axis, *field.turn(angle, s.bind(angle))

    def shift(axis: str, length: Value) -> Step:
        return axis, field.value(length, s.bind(length))

    along = () if joint.prismatic else (shift("Z", joint.r),)
    about = () if joint.revolute else (turn("Z", joint.theta),)
    steps = (turn("Z", joint.gamma), shift("Z", joint.b), turn("X", joint.alpha), shift("X", joint.d), *about, *along)
    return [step for step in steps if not (step[1].is_one if len(step) == 3 else step[1].is_zero)]


def backward(steps: Iterable[Step]) -> list[Step]:
    """The steps in the opposite direction."""
    return [(x[0], x[1], -x[2]) if len(x) == 3 else (x[0], -x[1]) for x in reversed([*steps])]


class Passage:
    """The way to the next link: some steps, then the motion of a joint, of which all positions count."""

    def __init__(self, field: Coefficients, steps: Iterable[Step], joint: Joint) -> None:
        self.field, self.joint = field, joint
        steps = [*steps]
        self.inertia_maps = inertia_maps(steps)
        self.twist_maps = [_twist_map(*step) for step in steps]

    def twists(self, twist: Row) -> Iterator[Row]:
        """A basis of all that a twist of the first link becomes in the frame of the next one while q varies."""
        for change in self.twist_maps:
            twist = image(change, twist)
        if self.joint.revolute:
            yield {n: x for n, x in twist.items() if n in ("VZ", "WZ")}
            turning = {n: x for n, x in twist.items() if n not in ("VZ", "WZ")}
            yield turning
            yield _quarter(turning, (("VX", "VY"), ("WX", "WY")))
        else:
            yield twist
            if self.joint.prismatic:
                zero = self.field.zero
                yield clean((("VX", twist.get("WY", zero)), ("VY", -twist.get("WX", zero))))

    def forms(self, form: Row) -> tuple[Row, list[Row]]:
        """A form of the first link in the parameters of the next: the constant part, a basis of what varies with q."""
        for change in self.inertia_maps:
            form = pullback(form, change)
        if self.joint.revolute:
            return self._turning(form)
        if self.joint.prismatic:
            return form, _sliding(form, self.field)
        return form, []

    def _turning(self, form: Row) -> tuple[Row, list[Row]]:
        """Under a rotation about z: XX + YY, ZZ, MZ and M stay, XZ YZ MX MY turn by q, XX − YY and XY by 2q."""
        zero, one = self.field.zero, self.field.one
        XX, YY = form.get("XX", zero), form.get("YY", zero)
        mean, difference = self.field.half * (XX + YY), XX - YY
        constant: Row = {n: x for n, x in form.items() if n in ("ZZ", "MZ", "M")}
        constant |= {} if mean.is_zero else {"XX": mean, "YY": mean}
        once: Row = {n: x for n, x in form.items() if n in ("XZ", "YZ", "MX", "MY")}
        changing = [once, _quarter(once, (("XZ", "YZ"), ("MX", "MY")))]
        if "XY" in form or not difference.is_zero:
            changing += [{"XX": one, "YY": -one}, {"XY": one}]
        return constant, changing


def inertia_maps(steps: Iterable[Step]) -> list[Map]:
    """For each step: the parameters of a body seen from the frame before it."""
    return [_inertia_map(*step) for step in steps]


def _inertia_map(axis: str, first: Coefficient, second: Coefficient | None = None) -> Map:
    if second is None:
        return inertia_shift(axis, first)
    return inertia_turn_x(first, second) if axis == "X" else inertia_turn_z(first, second)


def _twist_map(axis: str, first: Coefficient, second: Coefficient | None = None) -> Map:
    return twist_shift(axis, first) if second is None else twist_turn(axis, first, second)


def _sliding(form: Row, field: Coefficients) -> list[Row]:
    """The coefficients of r and r² of a form under a shift by r along z."""
    zero = field.zero
    XX, YY, XZ, YZ, MZ = (form.get(n, zero) for n in ("XX", "YY", "XZ", "YZ", "MZ"))
    both = XX + YY
    return [clean((("MX", -XZ), ("MY", -YZ), ("MZ", both + both), ("M", MZ))), clean((("M", both),))]


def _quarter(row: Row, pairs: tuple[tuple[str, str], ...]) -> Row:
    """The row with each pair of entries turned by a right angle."""
    result: Row = {}
    for x, y in pairs:
        if y in row:
            result[x] = -row[y]
        if x in row:
            result[y] = row[x]
    return result
