"""Linear forms of inertial parameters, how they pass a joint, and coefficients that know whether they are zero."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Context, Decimal
from functools import cache
from random import Random
from typing import Any, Generic, TypeAlias, TypeVar

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.robot.joint import Joint
from symoro.robot.values import Apply, Number, Symbol, Value

# Linear algebra with coefficients of the geometry: expressions that know whether they are zero.
#
# Whether sin²α + cos²α − 1 or D3·SA2/SA2 − D3 vanishes decides which parameters can be regrouped. Each coefficient
# carries its expression and its value, to fifty digits, at one generic point: every symbol of the robot has a number of
# its own there, drawn from its name. An identity holds there, and what is not an identity does not. Numbers of the
# robot's tables are taken as they are. A sum below 1e-12 of its terms is zero, the same limit as where a robot is read.
# Coefficients with the same value share the expression that was made first, so that cancelled terms disappear.
# A row is a mapping from names to coefficients without those that are zero. A `Span` is the subspace that rows span.


_EXACT = Context(prec=50)
_SAME = Context(prec=30)
_CANCELLED = Decimal("1e-12")
K = TypeVar("K", bound=Hashable)


class Coefficient:
    """An expression of parameters and its value at the generic point."""

    __slots__ = ("expr", "field", "number")

    def __init__(self, field: Coefficients, expr: Expr, number: Decimal) -> None:
        self.field, self.expr, self.number = field, expr, number

    @property
    def is_zero(self) -> bool:
        return not self.number

    @property
    def is_one(self) -> bool:
        return self.expr is self.field.one.expr

    @property
    def is_number(self) -> bool:
        return self.expr.constant is not None

    def __neg__(self) -> Coefficient:
        return Coefficient(self.field, -self.expr, -self.number)

    def __add__(self, other: Coefficient) -> Coefficient:
        a, b = self.number, other.number
        if not a or not b:
            return other if not a else self
        total = _EXACT.add(a, b)
        if abs(total) <= _CANCELLED * max(abs(a), abs(b)):
            return self.field.zero
        return self.field.make(self.expr + other.expr, total)

    def __sub__(self, other: Coefficient) -> Coefficient:
        return self + -other

    def __mul__(self, other: Coefficient) -> Coefficient:
        if not self.number or not other.number:
            return self.field.zero
        return self.field.make(self.expr * other.expr, _EXACT.multiply(self.number, other.number))

    def __truediv__(self, other: Coefficient) -> Coefficient:
        if not self.number:
            return self.field.zero
        return self.field.make(self.expr / other.expr, _EXACT.divide(self.number, other.number))

    def __repr__(self) -> str:
        return f"{self.expr!r} ~ {float(self.number):.4g}"


class Coefficients:
    """Makes the coefficients of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known: dict[Decimal, Expr] = {}
        self.zero = Coefficient(self, graph.zero, Decimal(0))
        self.one = self.constant(1)
        self.half = self.one / self.constant(2)

    def constant(self, value: int) -> Coefficient:
        """A whole number."""
        return self.make(self.graph.constant(value), Decimal(value)) if value else self.zero

    def make(self, expr: Expr, number: Decimal) -> Coefficient:
        """A coefficient. If its value was made before, it has the expression that was made then."""
        if not number or expr.is_zero:
            return self.zero
        known = self._known.setdefault(_SAME.plus(abs(number)), expr if number > 0 else -expr)
        return Coefficient(self, known if number > 0 else -known, number)

    def value(self, value: Value, expr: Expr) -> Coefficient:
        """The coefficient of a value of the robot's tables; `expr` is the same value as an expression."""
        return self.make(expr, _decimal(_generic(value)))

    def turn(self, value: Value, angle: Expr) -> tuple[Coefficient, Coefficient]:
        """Cosine and sine of an angle; `angle` is the same value as an expression."""
        number, graph = _generic(value), self.graph
        cosine, sine = _decimal(_point().cos(number)), _decimal(_point().sin(number))
        return self.make(graph.cos(angle), cosine), self.make(graph.sin(angle), sine)


# rows


def accumulate(into: dict[K, Coefficient], factor: Coefficient, row: Mapping[K, Coefficient]) -> None:
    """into += factor · row."""
    for name, x in row.items():
        term = factor * x
        total = into[name] + term if name in into else term
        if total.is_zero:
            into.pop(name, None)
        else:
            into[name] = total


class Span(Generic[K]):
    """A subspace that grows row by row, in reduced echelon form: each basis row has a 1 where the others have nothing.

    `order` lists the columns; the first ones become pivots first. `most` is the largest dimension of the subspace.
    """

    def __init__(
        self, order: Sequence[K], rows: Iterable[Mapping[K, Coefficient]] = (), most: int | None = None
    ) -> None:
        self.order = order
        self.most = len(order) if most is None else most
        self._basis: dict[K, dict[K, Coefficient]] = {}
        for row in rows:
            self.include(row)

    @property
    def basis(self) -> Mapping[K, dict[K, Coefficient]]:
        """Pivot and row, in the order of the columns."""
        return {name: self._basis[name] for name in self.order if name in self._basis}

    @property
    def full(self) -> bool:
        return len(self._basis) >= self.most

    def include(self, row: Mapping[K, Coefficient]) -> None:
        """Add a row to those that span the subspace."""
        if self.full:
            return
        rest = self.reduced(row)
        pivot = self._pivot(rest)
        if pivot is None:
            return
        lead = rest[pivot]
        new = rest if lead.is_one else {name: x / lead for name, x in rest.items()}
        for other in self._basis.values():
            if pivot in other:
                accumulate(other, -other[pivot], new)
        self._basis[pivot] = new

    def _pivot(self, row: Mapping[K, Coefficient]) -> K | None:
        """The first column whose entry is a number, because a symbol may be 0 and is a bad divisor; else the first."""
        columns = [name for name in self.order if name in row]
        return next((name for name in columns if row[name].is_number), next(iter(columns), None))

    def reduced(self, row: Mapping[K, Coefficient]) -> dict[K, Coefficient]:
        """The row minus its part in the subspace: nothing is left at the pivots."""
        rest = dict(row)
        for pivot, form in self._basis.items():
            if pivot in row:
                accumulate(rest, -row[pivot], form)
        return rest


# the generic point


@cache
def _point() -> Any:
    """Arithmetic of sixty digits."""
    from mpmath import MPContext

    context = MPContext()
    context.dps = 60
    return context


def _decimal(number: Any) -> Decimal:
    return Decimal(str(_point().nstr(number, 55, strip_zeros=False)))


def _generic(value: Value) -> Any:
    """The value at the generic point."""
    if isinstance(value, Number):
        return _point().mpf(value.value.numerator) / value.value.denominator
    if isinstance(value, Symbol):
        return _point().mpf(Random(value.name).getrandbits(180)) / (1 << 179) + 0.25
    arguments = [_generic(argument) for argument in value.arguments]
    return _apply(value, arguments)


def _apply(value: Apply, x: list[Any]) -> Any:
    match value.function:
        case "+":
            return x[0] + x[1]
        case "-":
            return x[0] - x[1]
        case "*":
            return x[0] * x[1]
        case "/":
            return x[0] / x[1]
        case "^":
            return x[0] ** x[1]
        case "neg":
            return -x[0]
        case "pi":
            return +_point().pi
        case "abs" | "sign" | "min" | "max":
            return {"abs": abs, "sign": _point().sign, "min": min, "max": max}[value.function](*x)
    return getattr(_point(), value.function)(*x)


# Linear forms of a link's inertial parameters, twists of a link, and how both pass a joint to the next link.
#
# A form is a row {"XX": coefficient, …} over the ten inertial parameters of a link. A twist [v; w] is a row over VX …
# WZ. Entries that are 0 are left out. A joint is a few steps, turns and shifts along x and z, and then its own motion.
# The steps change forms and twists by linear maps. The motion gives a space: all that a form or twist becomes while q
# varies.


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
        square, mixed = letter * 2, "".join(sorted((axis, letter)))
        result[square] = clean(((square, one), (MP, p + p), ("M", p * p)))
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
