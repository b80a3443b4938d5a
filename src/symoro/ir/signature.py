"""Fingerprints of expressions: two variables are the same function of the inputs when their fingerprints are equal.

A program is evaluated once over the integers modulo a prime (2¹²⁷ − 1 by default), at a random point. Additions,
multiplications and divisions are exact there; the sine and the cosine of an angle become a random point of
s² + c² = 1, and those of a sum of angles follow from it. Other functions become random numbers that depend on their
arguments alone. Two different rational functions of degree d agree at such a point with probability d / 2¹²⁷ at most
(Schwartz, Zippel).
"""

from __future__ import annotations

import hashlib

from symoro.ir.constant import Constant
from symoro.ir.ops import Op
from symoro.ir.program import Instruction, Literal, Operand, Program, Ref

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
