"""Fingerprints of expressions, and parameters that a program reads although its outputs do not depend on them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import ProgramError
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Constant, Op
from symoro.ir.extract import Replay, extract, of_the_last
from symoro.ir.graph import Graph
from symoro.ir.program import Instruction, Literal, Operand, Program, Ref

# Fingerprints of expressions: two variables are the same function of the inputs when their fingerprints are equal.
#
# A program is evaluated once over the integers modulo a prime (2¹²⁷ − 1 by default), at a random point. Additions,
# multiplications and divisions are exact there; the sine and the cosine of an angle become a random point of
# s² + c² = 1, and those of a sum of angles follow from it. Other functions become random numbers that depend on their
# arguments alone. Two different rational functions of degree d agree at such a point with probability d / 2¹²⁷ at most
# (Schwartz, Zippel).


PRIME = 2**127 - 1


def _random(*key: object) -> int:
    """A pseudo-random number that depends on the key only."""
    return int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=24).digest(), "big")


class Signatures:
    """The fingerprint of every variable of a program."""

    def __init__(self, program: Program, prime: int = PRIME) -> None:
        self.prime = prime
        self.of: dict[str, int] = {}
        self._added: dict[str, tuple[Operand, ...]] = {}  # the operands of each variable that is a sum
        self._sums: dict[str, dict[object, int]] = {}  # the terms of those that are inside an angle
        for variable in (*program.input_variables(), *program.parameters):
            self.of[variable.name] = _random("symbol", variable.name) % prime
        for instruction in (*program.setup, *program.instructions):
            self._run(instruction)

    def read(self, operand: Operand) -> int:
        """The fingerprint of an operand, from 1 − prime to prime − 1."""
        if isinstance(operand, Literal):
            return self._constant(operand.value)
        value = self.of[operand.name]
        return -value if operand.negative else value

    def _run(self, i: Instruction) -> None:
        args = [self.read(a) for a in i.args]
        op = i.op
        if op is Op.ADD:
            value = (args[0] + args[1]) % self.prime
            self._added[i.results[0]] = i.args
        elif op is Op.MUL:
            value = args[0] * args[1] % self.prime
        elif op is Op.DIV:
            value = args[0] * self._inverse(args[1]) % self.prime
        elif op is Op.SIN or op is Op.COS:
            cosine, sine = self._turn(self._terms(i.args))
            value = cosine if op is Op.COS else sine
        else:
            self._run_other(i, [x % self.prime for x in args])
            return
        self.of[i.results[0]] = value

    def _run_other(self, i: Instruction, args: list[int]) -> None:
        for k, name in enumerate(i.results):
            key = ("solve", k) if i.op is Op.SOLVE else (i.op.value,)
            self.of[name] = _random(*key, *args) % self.prime

    def _terms(self, operands: tuple[Operand, ...]) -> dict[object, int]:
        """The terms of a sum: variables and constants, each with a whole factor."""
        total: dict[object, int] = {}
        for operand in operands:
            sign = -1 if isinstance(operand, Ref) and operand.negative else 1
            inner = {operand.value: 1} if isinstance(operand, Literal) else self._terms_of(operand.name)
            for key, times in inner.items():
                total[key] = total.get(key, 0) + sign * times
        return total

    def _terms_of(self, name: str) -> dict[object, int]:
        """The terms of a variable; those of the sums that it reads are found before its own."""
        pending = [name] if name in self._added else []
        while pending:
            last = self._added[pending[-1]]
            inner = [a.name for a in last if isinstance(a, Ref) and a.name in self._added and a.name not in self._sums]
            if inner:
                pending += inner
            else:
                self._sums[pending.pop()] = self._terms(last)
        return self._sums.get(name, {name: 1})

    def _turn(self, terms: dict[object, int]) -> tuple[int, int]:
        """Cosine and sine of a sum of angles."""
        cosine, sine = 1, 0
        for key, times in terms.items():
            c, s = self._point_of_circle(key if isinstance(key, Constant) else self.of[str(key)])
            for _ in range(abs(times)):
                s_now = s if times > 0 else -s
                cosine, sine = (cosine * c - sine * s_now) % self.prime, (sine * c + cosine * s_now) % self.prime
        return cosine, sine

    def _point_of_circle(self, key: object) -> tuple[int, int]:
        t = _random("angle", key) % self.prime
        below = self._inverse(1 + t * t)
        return (1 - t * t) * below % self.prime, 2 * t * below % self.prime

    def _constant(self, value: Constant) -> int:
        if isinstance(value.coefficient, float):
            sign, magnitude = (-1, -value) if value.coefficient < 0 else (1, value)
            return sign * _random("float", magnitude.coefficient) % self.prime
        top, bottom = value.coefficient.numerator, value.coefficient.denominator
        exact = top if bottom == 1 else top * self._inverse(bottom)
        return exact * (_random("pi") if value.pi else 1) % self.prime

    def _inverse(self, x: int) -> int:
        """1/x; 0 for 0."""
        x %= self.prime
        return pow(x, -1, self.prime) if x else 0


# The fingerprints of a program, which two passes read.


@of_the_last
def fingerprints(program: Program) -> Mapping[str, int]:
    """Of every variable."""
    return Signatures(program).of


# Parameters that a program reads although its outputs do not depend on them.
#
# An algorithm may add a parameter in one place and subtract it in another. Such a parameter costs operations, and a
# large number for it costs accuracy. The outputs are the same for all its values, so that it is replaced by a constant.


_STATES, _SEED, _SMALL = 3, 7, 1e-9
#: How far values are varied about known numbers.
_NEAR = 0.03


@dataclass(frozen=True, slots=True)
class Around:
    """Where a program is looked at, if it has no numbers at arbitrary inputs: its states, and values to stay near.

    Parameters without a number here may have any.
    """

    states: Sequence[Mapping[str, NDArray[Any]]]
    numbers: Mapping[str, float]


def without_idle_parameters(program: Program, around: Around | None = None) -> Program:
    """The same function without the parameters that have no effect, in the states of `around` if it is given."""
    idle = idle_parameters(program, around)
    for value in (0, 1) if idle else ():
        try:
            folded = _folded(program, idle, value)
        except ProgramError:  # the program divides by what became 0
            continue
        if around is None or _agree(program, folded, around):
            return folded
    return program


def _agree(program: Program, folded: Program, around: Around) -> bool:
    """Whether two programs have the same outputs: atan2(x L, y L) is 0 where L is replaced by 0, not its limit."""
    rng = np.random.default_rng(_SEED)
    numbers = {p.name: around.numbers.get(p.name, float(rng.uniform(0.4, 1.6))) for p in program.parameters}
    for arrays in around.states:
        state = {array.name: rng.uniform(-1.0, 1.0, array.shape) for array in program.inputs} | dict(arrays)
        first, second = (
            evaluate(one, state, {p.name: numbers[p.name] for p in one.parameters}) for one in (program, folded)
        )
        for name, x in first.items():
            if not np.allclose(x, second[name], rtol=_SMALL, atol=_SMALL, equal_nan=True):
                return False
    return True


def idle_parameters(program: Program, around: Around | None = None) -> tuple[str, ...]:
    """The parameters on which no output depends, at random inputs and values of the parameters, or near those given.

    Outputs are analytic functions of the parameters almost everywhere: what has no effect there has none at all.
    """
    names = [p.name for p in program.parameters]
    if not names:
        return ()
    rng = np.random.default_rng(_SEED)
    # Each row of a parameter is a run: in run k, parameter k has another value; in the last run all have the first.
    first, other = rng.uniform(0.4, 1.6, (2, len(names)))
    if around:
        known = np.array([around.numbers.get(name, np.nan) for name in names])
        near = [known + _NEAR * x * np.where(known == 0, 1.0, known) for x in (first - 1, other)]
        first, other = np.where(np.isnan(known), (first, other), near)
    runs = np.where(np.eye(len(names) + 1, len(names), dtype=bool), other, first)
    moved = np.zeros(len(names), dtype=bool)
    for arrays in around.states if around else [{}] * _STATES:
        state = {array.name: rng.uniform(-1.0, 1.0, array.shape) for array in program.inputs} | dict(arrays)
        inputs = {name: np.broadcast_to(x, (len(runs), *x.shape)) for name, x in state.items()}
        values: dict[str, Any] = {name: runs[:, k] for k, name in enumerate(names)}
        moved |= _changes(evaluate(program, inputs, values))
        if moved.all():
            return ()
    return tuple(name for name, has_effect in zip(names, moved, strict=True) if not has_effect)


def _changes(outputs: dict[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Whether an output of a run differs from the last run; one that is not a number does."""
    changed = None
    for values in outputs.values():
        if not values.size:
            continue
        flat = values.reshape(len(values), -1)
        with np.errstate(all="ignore"):
            small = np.abs(flat[:-1] - flat[-1]) <= _SMALL * (1 + np.abs(flat[-1]).max())
        differs = ~small.all(axis=1)
        changed = differs if changed is None else changed | differs
    return np.zeros(0, dtype=bool) if changed is None else changed


def _folded(program: Program, names: tuple[str, ...], value: int) -> Program:
    graph = Graph(cancel=True)
    results = Replay(program, graph, dict.fromkeys(names, graph.lift(value))).results()
    left = [p for p in program.parameters if p.name not in names]
    return extract(graph, program.inputs, left, results)
