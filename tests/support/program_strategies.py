"""Random programs for Hypothesis: not simplified, with signs, constants and shared values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from symoro.ir.expr import Constant, Op
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Instruction, Literal, Operand, Output, Program, Ref, Variable

Q = ("q1", "q2", "q3")
X = ("x1", "x2")
PARAMETERS = ("a", "b", "m")

constants = st.one_of(
    st.builds(lambda p, q: Constant(Fraction(p, q)), st.integers(-6, 6), st.sampled_from((1, 2, 3, 4))),
    st.builds(lambda p, q: Constant(Fraction(p, q), pi=True), st.integers(1, 6), st.sampled_from((2, 3, 4, 6))),
    st.builds(lambda x: Constant(x), st.floats(-3, 3, allow_subnormal=False)),
)
texts = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=8)
meanings = st.builds(Meaning, texts, texts, st.none() | st.integers(0, 200), texts)


class Writer:
    """Writes instructions whose values stay small and whose derivatives exist."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.setup: list[Instruction] = []
        self.instructions: list[Instruction] = []
        self.fixed = set(PARAMETERS)  # what depends on parameters only
        self.names = [*Q, *X, *PARAMETERS]

    def put(self, op: Op, *args: Operand, count: int = 1) -> Ref:
        names = tuple(f"V{len(self.setup) + len(self.instructions) + 1}_{i}" for i in range(count))
        constant = all(isinstance(a, Literal) or a.name in self.fixed for a in args)
        self.fixed |= set(names) if constant else set()
        (self.setup if constant else self.instructions).append(Instruction(names, op, args))
        self.names += names
        return Ref(names[0])

    def value(self) -> Operand:
        if self.draw(st.integers(0, 5)) == 0:
            return Literal(self.draw(constants))
        return Ref(self.draw(st.sampled_from(self.names)), self.draw(st.booleans()))

    def variable(self) -> Ref:
        return Ref(self.draw(st.sampled_from(self.names)), self.draw(st.booleans()))

    def leaf(self) -> Ref:
        return Ref(self.draw(st.sampled_from((*Q, *X, *PARAMETERS))), self.draw(st.booleans()))

    def bounded(self) -> Ref:
        return self.put(Op.SIN, self.variable())

    def positive(self) -> Ref:
        x = self.bounded()
        return self.put(Op.ADD, Literal(Constant(Fraction(3, 2))), x)

    def compare(self) -> Ref:
        """A comparison of an input or parameter with a constant: rounding cannot change its result."""
        op = self.draw(st.sampled_from((Op.LESS, Op.LESS_EQUAL, Op.EQUAL)))
        return self.put(op, self.leaf(), Literal(self.draw(constants)))

    def angles(self) -> Ref:
        """f C C ± f S S and the like, multiplied in any order."""
        u, v = (Ref(self.draw(st.sampled_from((*angles, *self.names)))) for angles in (Q[:2], Q[2:]))
        kinds = self.draw(st.sampled_from(((0, 0, 1, 1), (1, 1, 0, 0), (0, 1, 1, 0), (0, 1, 0, 1), (1, 0, 0, 1))))
        trig = [self.put((Op.COS, Op.SIN)[k], w) for k, w in zip(kinds, (u, v, u, v), strict=True)]
        factor = Ref(self.draw(st.sampled_from((*X, *PARAMETERS))))
        left = self.product(factor, trig[0], trig[1])
        right = self.product(factor, trig[2], trig[3])
        return self.put(Op.ADD, left, -right if self.draw(st.booleans()) else right)

    def product(self, a: Ref, b: Ref, c: Ref) -> Ref:
        match self.draw(st.integers(0, 2)):
            case 0:
                return self.put(Op.MUL, b, c)
            case 1:
                return self.put(Op.MUL, self.put(Op.MUL, a, b), c)
            case _:
                return self.put(Op.MUL, a, self.put(Op.MUL, -b, c))

    def solve(self) -> Ref:
        n = self.draw(st.integers(2, 3))
        matrix: list[Operand] = [self.bounded() for _ in range(n * n)]
        for i in range(n):
            matrix[n * i + i] = self.put(Op.ADD, matrix[n * i + i], Literal(Constant(Fraction(4))))
        return self.put(Op.SOLVE, *matrix, *(self.value() for _ in range(n)), count=n)

    def step(self) -> Ref:
        """One more operation on values that exist."""
        op = self.draw(st.sampled_from([*Op]))
        match op:
            case Op.ADD | Op.CONST | Op.MIN | Op.MAX:
                return self.put(Op.ADD if op is Op.CONST else op, self.value(), self.value())
            case Op.MUL | Op.ITEM:
                return self.put(Op.MUL, self.value(), self.draw(st.sampled_from((self.variable, self.bounded)))())
            case Op.SYMBOL:
                return self.angles()
            case Op.DIV:
                return self.put(op, self.value(), self.positive())
            case Op.SQRT:
                return self.put(op, self.positive())
            case Op.SIN | Op.COS | Op.ABS:
                return self.put(op, self.value())
            case Op.TAN | Op.ASIN | Op.ACOS:
                return self.put(op, self.put(Op.MUL, Literal(Constant(Fraction(1, 2))), self.bounded()))
            case Op.ATAN2:
                return self.put(op, self.value(), self.positive())
            case Op.EXP:
                return self.put(op, self.bounded())
            case Op.SIGN:
                return self.put(op, self.leaf())
            case Op.LESS | Op.LESS_EQUAL | Op.EQUAL:
                return self.compare()
            case Op.SELECT:
                return self.put(op, self.compare(), self.value(), self.value())
            case _:
                return self.solve()


def variables(names: tuple[str, ...], labelled: bool = False) -> tuple[Variable, ...]:
    return tuple(Variable(n, label=n[1:] if labelled else None) for n in names)


@st.composite
def programs(draw: Any, most: int = 8, angles: bool = False) -> Program:
    """A program of inputs q (3) and x (2), parameters a, b, m, and outputs Y (a vector) and Z (a scalar).

    With `angles` its steps are sums of products of sines and cosines.
    """
    writer = Writer(draw)
    for _ in range(draw(st.integers(1, most))):
        (writer.angles if angles else writer.step)()
    n = draw(st.integers(1, 3))
    latest = st.sampled_from(writer.names[-8:])
    elements = (Ref(writer.names[-1]), *(Ref(draw(latest), draw(st.booleans())) for _ in range(n - 1)), writer.value())
    return Program(
        (Input("q", (3,), variables(Q, labelled=True)), Input("x", (2,), variables(X))),
        variables(PARAMETERS),
        tuple(writer.setup),
        tuple(writer.instructions),
        (
            Output("Y", (n,), elements[:n], tuple(f"Y{i + 1}" for i in range(n))),
            Output("Z", (), elements[n:], ("Z",)),
        ),
    )


def point(seed: int) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Inputs and parameters for the programs above, away from ties."""
    rng = np.random.default_rng(seed)
    inputs = {"q": rng.uniform(-2, 2, 3), "x": rng.uniform(-2, 2, 2)}
    return inputs, dict(zip(PARAMETERS, rng.uniform(0.5, 2, 3).tolist(), strict=True))


points = st.integers(0, 10_000).map(point)
