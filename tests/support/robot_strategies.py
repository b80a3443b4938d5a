"""Random values and random robots for Hypothesis: serial, trees, loops, elastic joints, every kind of base."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any
from unicodedata import category

from hypothesis import strategies as st

from symoro.bind.binding import bind
from symoro.errors import SymoroError
from symoro.ir.graph import Graph
from symoro.robot.base import IDENTITY, Base, BaseKind, Frame, Pose
from symoro.robot.joint import GEOMETRY, Joint, JointKind, Limits
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot, cut_closures
from symoro.robot.values import FUNCTIONS, ONE, PI, ZERO, Apply, Bindings, Number, Symbol, Value, is_zero

letters = st.characters(codec="utf-8", exclude_categories=("Cs",))
texts = st.text(letters, max_size=12)
names = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=12).filter(str.strip)
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


def can_be_computed(value: Value) -> bool:
    """Whether models can use a value: it is neither 1/(a - a), nor sqrt(-1), nor 2^a."""
    try:
        bind(Graph(), value)
    except SymoroError:
        return False
    return True


class Builder:
    """Builds a robot from a few drawn values and texts, so that one example stays small."""

    def __init__(self, pool: list[Value], words: list[str], seed: int) -> None:
        self.pool, self.words, self.random = pool, words, Random(seed)

    def coin(self) -> bool:
        return self.random.random() < 0.5

    def value(self) -> Value:
        return self.random.choice(self.pool) if self.coin() else ZERO

    def word(self) -> str:
        return self.random.choice(self.words)

    def name(self) -> str:
        """A word without control characters."""
        return "".join(letter for letter in self.word() if category(letter) != "Cc")

    def table(self, kind: type, link: int) -> Any:
        """Inertia, drive or wrench: nothing, all symbolic, or anything."""
        chosen = self.random.choice(["nothing", "symbolic", "anything"])
        if chosen == "symbolic":
            return kind.symbolic(link)
        return kind(**{name: self.value() for name in kind.names()}) if chosen == "anything" else kind()

    def tables(self, kind: type, links: int) -> tuple[Any, ...]:
        return tuple(self.table(kind, link) for link in range(1, links + 1))

    def pose(self) -> Pose:
        places = [self.random.choice([ZERO, Symbol("px"), Number(Fraction(1, 4))]) for _ in range(3)]
        return (*((*row[:3], place) for row, place in zip(IDENTITY[:3], places, strict=True)), IDENTITY[3])

    def base(self) -> Base:
        kind = self.random.choice(list(BaseKind))
        moves = kind is not BaseKind.FIXED and self.coin()
        motion = {n: tuple(self.value() for _ in range(6)) for n in ("velocity", "acceleration")} if moves else {}
        return Base(kind, self.pose(), inertia=self.table(Inertia, 0), wrench=self.table(Wrench, 0), **motion)

    def limits(self) -> Limits:
        return Limits(*(self.random.choice([None, Symbol("L"), Symbol("E")]) for _ in range(4)))

    def joint(self, index: int, parent: int, kind: JointKind, cut: bool = False) -> Joint:
        movable, variable = kind is not JointKind.FIXED, None
        parameters: dict[str, Any] = {name: self.value() for name in (*GEOMETRY, "stiffness", "rest")}
        if movable:
            variable = self.random.choice(["q", "th", "x_"]) + str(index)
            position = Symbol(variable) if self.coin() else Apply("+", (self.value(), Symbol(variable)))
            parameters["theta" if kind is JointKind.REVOLUTE else "r"] = position
        if self.coin():
            parameters |= {name: self.value() for name in ("velocity", "acceleration", "effort")}
        return Joint(
            index=index,
            name=f"{self.name()} {index}" if self.coin() else f"joint{index}",
            parent=parent,
            kind=kind,
            actuated=not cut and self.coin(),
            elastic=movable and not cut and self.coin(),
            variable=variable,
            limits=self.limits() if self.coin() else Limits(),
            **parameters,
        )

    def joints(self, links: int, cuts: int) -> tuple[Joint, ...]:
        serial, choice, pick = self.coin(), self.random.choice, self.random.randrange
        movable = (JointKind.REVOLUTE, JointKind.PRISMATIC)
        tree = [
            self.joint(
                j, j - 1 if serial else pick(j), choice((JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.FIXED))
            )
            for j in range(1, links + 1)
        ]
        cut = [self.joint(j, pick(links + 1), choice(movable), cut=True) for j in range(links + 1, links + cuts + 1)]
        last = range(links + cuts + 1, links + 2 * cuts + 1)
        return (*tree, *cut, *(self.joint(j, pick(j), JointKind.FIXED) for j in last))

    def coupling(self, i: int, k: int) -> Value:
        """An element of a matrix that has an inverse."""
        return ONE if i == k else self.value() if i > k else ZERO

    def robot(self, name: str) -> Robot:
        links, cuts = self.random.randint(1, 5), self.random.choice([0, 0, 1, 2])
        joints = self.joints(links, cuts)
        size = sum(joint.movable for joint in joints[:links]) if self.coin() else 0
        numbers = {symbol: self.random.randint(-9, 9) for symbol in ("D3", "L", "unused") if self.coin()}
        frames = range(self.random.randrange(3))
        return Robot(
            name=name,
            joints=joints,
            inertias=self.tables(Inertia, links),
            drives=tuple(replace(drive, N=ZERO) if size else drive for drive in self.tables(Drive, links)),
            wrenches=self.tables(Wrench, links),
            base=self.base(),
            gravity=tuple(self.value() for _ in range(3)),
            frames=tuple(Frame(f"{self.name()}{i}.", self.random.randint(0, links), self.pose()) for i in frames),
            closures=cut_closures(joints, ((k, k + cuts) for k in range(links + 1, links + cuts + 1))),
            values=Bindings(numbers),
            title=self.word(),
            source=self.word(),
            coupling=tuple(tuple(self.coupling(i, k) for k in range(size)) for i in range(size)),
        )


robots = st.builds(
    lambda pool, words, seed, name: Builder(pool, words, seed).robot(name),
    st.lists(parameters.filter(can_be_computed), min_size=1, max_size=6),
    st.lists(texts, min_size=1, max_size=4),
    st.integers(0, 2**32 - 1),
    names,
)
"""Valid robots: serial and trees, with loops, elastic joints, and every kind of base."""
