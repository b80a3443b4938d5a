"""Random values and random robots: serial, trees, loops, elastic joints, every kind of base."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from symoro.robot.base import IDENTITY, Base, BaseKind, Frame
from symoro.robot.joint import Joint, JointKind, Limits
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Cut, Robot
from symoro.robot.values import FUNCTIONS, PI, ZERO, Apply, Bindings, Number, Symbol, Value, is_zero, symbols

letters = st.characters(codec="utf-8", exclude_categories=("Cs",))
texts = st.text(letters, max_size=12)
names = texts.filter(lambda text: bool(text.strip()))
symbol_names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(lambda name: name.lower() != "pi")
fractions = st.fractions() | st.decimals(allow_nan=False, allow_infinity=False, places=6).map(Fraction)
fractions |= st.floats(allow_nan=False, allow_infinity=False).map(lambda number: Fraction(repr(number)))
leaves = st.builds(Number, fractions) | st.builds(Symbol, symbol_names) | st.just(PI)


def applied(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    """One operator or function over values."""
    unary = [name for name, count in FUNCTIONS.items() if count == 1]
    binary = [name for name, count in FUNCTIONS.items() if count == 2]
    return st.one_of(
        st.builds(lambda f, a: Apply(f, (a,)), st.sampled_from(["neg", *unary]), inner),
        st.builds(lambda f, a, b: Apply(f, (a, b)), st.sampled_from(["+", "-", "*", "^", *binary]), inner, inner),
        st.builds(lambda a, b: Apply("/", (a, b)), inner, inner.filter(lambda value: not is_zero(value))),
    )


values = st.recursive(leaves, applied, max_leaves=12)

plain_numbers = st.builds(lambda p, q: Number(Fraction(p, q)), st.integers(-99, 99), st.sampled_from([1, 2, 5, 8, 3]))
plain_leaves = plain_numbers | st.sampled_from(["D3", "RL4", "L", "beta", "gamma", "E", "I"]).map(Symbol) | st.just(PI)
parameters = st.one_of(st.just(ZERO), plain_leaves, st.recursive(plain_leaves, applied, max_leaves=3))
rows = st.tuples(*[parameters] * 6)


def tables(kind: type) -> st.SearchStrategy[Any]:
    """Inertia, drive or wrench: nothing, all symbolic, or anything."""
    some = st.fixed_dictionaries({}, optional=dict.fromkeys(kind.names(), parameters)).map(
        lambda entries: kind(**entries)
    )
    return some | st.integers(0, 12).map(kind.symbolic)


poses = st.tuples(*[st.sampled_from([ZERO, Symbol("px"), Number(Fraction(1, 4))])] * 3).map(
    lambda at: tuple((*row[:3], place) for row, place in zip(IDENTITY[:3], at, strict=True)) + IDENTITY[3:]
)
limits = st.builds(Limits, *[st.none() | plain_leaves.filter(lambda value: bool(symbols(value)))] * 4)


@st.composite
def joints(draw: Any, index: int, parent: int, kind: JointKind, passive: bool = False) -> Joint:
    variable, geometry = None, {n: draw(parameters) for n in ("gamma", "b", "alpha", "d", "theta", "r")}
    if kind is not JointKind.FIXED:
        variable = draw(st.sampled_from(["q", "th", "x_"])) + str(index)
        offset = draw(parameters)
        position = Symbol(variable) if draw(st.booleans()) else Apply("+", (offset, Symbol(variable)))
        geometry["theta" if kind is JointKind.REVOLUTE else "r"] = position
    movable = kind is not JointKind.FIXED
    motion = {n: draw(parameters) for n in ("velocity", "acceleration", "effort")} if draw(st.booleans()) else {}
    return Joint(
        index=index,
        name=f"{draw(texts)} {index}" if draw(st.booleans()) else f"joint{index}",
        parent=parent,
        kind=kind,
        actuated=not passive and draw(st.booleans()),
        elastic=movable and draw(st.booleans()),
        variable=variable,
        stiffness=draw(parameters),
        rest=draw(parameters),
        limits=draw(limits),
        **geometry,
        **motion,
    )


@st.composite
def bases(draw: Any) -> Base:
    kind = draw(st.sampled_from(BaseKind))
    motion = {} if kind is BaseKind.FIXED else {"velocity": draw(rows), "acceleration": draw(rows)}
    return Base(kind, draw(poses), inertia=draw(tables(Inertia)), wrench=draw(tables(Wrench)), **motion)


@st.composite
def robots(draw: Any) -> Robot:
    """A valid robot."""
    links, cuts = draw(st.integers(1, 4)), draw(st.integers(0, 2))
    serial, kinds = draw(st.booleans()), st.sampled_from(JointKind)
    frames = [
        draw(joints(j, j - 1 if serial else draw(st.integers(0, j - 1)), draw(kinds))) for j in range(1, links + 1)
    ]
    for j in range(links + 1, links + cuts + 1):
        kind = draw(st.sampled_from([JointKind.REVOLUTE, JointKind.PRISMATIC]))
        frames.append(draw(joints(j, draw(st.integers(0, links)), kind, passive=True)))
    for j in range(links + cuts + 1, links + 2 * cuts + 1):
        frames.append(draw(joints(j, draw(st.integers(0, j - 1)), JointKind.FIXED)))
    size = sum(joint.movable for joint in frames[:links])
    coupled = size > 0 and draw(st.booleans())
    return Robot(
        name=draw(names),
        joints=tuple(frames),
        inertias=tuple(draw(tables(Inertia)) for _ in range(links)),
        drives=tuple(draw(tables(Drive)) for _ in range(links)),
        wrenches=tuple(draw(tables(Wrench)) for _ in range(links)),
        base=draw(bases()),
        gravity=tuple(draw(parameters) for _ in range(3)),
        frames=tuple(
            Frame(f"{draw(texts)}{i}.", draw(st.integers(0, links)), draw(poses))
            for i in range(draw(st.integers(0, 2)))
        ),
        cuts=tuple(Cut(k, k + cuts) for k in range(links + 1, links + cuts + 1)),
        values=Bindings(draw(st.dictionaries(st.sampled_from(["D3", "L", "unused"]), plain_numbers))),
        title=draw(texts),
        source=draw(texts),
        coupling=tuple(tuple(draw(parameters) for _ in range(size)) for _ in range(size)) if coupled else (),
    )
