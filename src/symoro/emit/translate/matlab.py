"""Prints a program in MATLAB and Octave: functions give back what they change.

Arrays begin at 1 and the last index of C is the first one, so that one index through all elements means the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.emit.translate.effects import expressions, given_back, names, statements
from symoro.emit.translate.expressions import zero
from symoro.emit.translate.lower import lowered
from symoro.emit.translate.printer import ATOM, ENDS, Printer, scalars
from symoro.emit.translate.syntax import (
    BOOL,
    CHAR,
    Assign,
    At,
    Binary,
    Block,
    CCall,
    CFlat,
    CFunction,
    Convert,
    CSource,
    Declare,
    Expression,
    Listed,
    Name,
    Return,
    Struct,
)

_HEADERS = {"HUGE_VAL": "Inf", "DBL_MAX": "realmax", "DBL_EPSILON": "eps"}


_WORDS = "case catch else end error for function global if otherwise persistent switch try"
_FUNCTIONS = {"fabs": "abs", "fmax": "max", "fmin": "min"}
_OPERATORS = {"!=": "~=", "not": "~", "whole %": "rem({0}, {1})", "whole /": "fix({2} / {3})"}
_SHAPES = ENDS | {"count": "for {0} = {1}:{3}"}


class Matlab(Printer):
    words = frozenset(_WORDS.split())
    functions = _FUNCTIONS
    headers = _HEADERS
    operators = _OPERATORS
    shapes = _SHAPES
    line_remark = "%"

    def struct(self, struct: Struct) -> None:
        self.put()
        self.remark(struct.remark)
        self.put(f"function answer = new_{struct.name}()")
        for name, kind, remark in struct.fields:
            comment = f"  % {remark}" if remark else ""
            self.put(f"    answer.{self.name(name)} = {self.text(zero(kind))};{comment}")
        self.put("end")

    def function(self, function: CFunction) -> None:
        self.enter(function)
        self.put()
        self.remark(function.remark)
        results = [] if function.type.base == "void" else ["answer"]
        results += [self.name(p.name) for p in function.written]
        parameters = ", ".join(self.name(p.name) for p in function.parameters)
        self.put(f"function [{', '.join(results)}] = {self.name(function.name)}({parameters})")
        read = {n for s in statements(function.body) for x in expressions(s) for n in names(x)}
        for constant in self.source.constants.values():
            if constant.name in read and not constant.type.scalar:
                self.put(f"    {constant.name} = {self.text(constant.value)};")
        self.block(function.body)
        self.put("end")

    # ---- expressions

    def variable(self, x: Name) -> str:
        constant = self.source.constants.get(x.name)
        if constant is not None and constant.type.scalar:
            return self.text(constant.value)
        return super().variable(x)

    def letter(self, letter: str) -> str:
        return f"'{letter or ' '}'"

    def at(self, x: At) -> str:
        return self.from_one(x, "()")

    def flat(self, x: CFlat) -> str:
        return self.text(x.base)

    def convert(self, x: Convert) -> tuple[str, int]:
        if x.operand.type.base == BOOL:
            return f"double({self.text(x.operand)})", ATOM
        return self.expression(x.operand)

    def listed(self, x: Listed) -> str:
        sizes = [str(n) for n in reversed(x.type.shape)]
        if not x.type.shape:
            return self.record(x)
        if x.type.base in self.source.structs:
            return f"repmat(new_{x.type.base}(), {sizes[0]}, 1)"
        if x.type.base == CHAR:
            return f"'{''.join(self.letter(item.letter)[1] for item in scalars(x, x.type))}'"  # type: ignore[union-attr]
        if not x.items:
            return f"zeros({', '.join(sizes if len(sizes) > 1 else [*sizes, '1'])})"
        items = f"[{'; '.join(self.text(item) for item in scalars(x, x.type))}]"
        return items if len(sizes) == 1 else f"reshape({items}, {', '.join(sizes)})"

    def record(self, x: Listed) -> str:
        if not x.items:
            return f"new_{x.type.base}()"
        fields = [name for name, _, _ in self.source.structs[x.type.base].fields]
        entries = [f"'{self.name(n)}', {self.text(v)}" for n, v in zip(fields, x.items, strict=True)]
        return f"struct({', '.join(entries)})"

    # ---- statements

    def scope(self, body: Block) -> None:
        self.without_scope(body)

    def declare(self, s: Declare) -> None:
        if s.value is not None or not s.type.scalar:
            self.assign(Assign(Name(s.name, s.type), "=", zero(s.type) if s.value is None else s.value))

    def assign(self, s: Assign) -> None:
        if isinstance(s.value, CCall) and given_back(s.value, self.source.functions):
            return self.results([s.target], s.value)
        value = s.value if s.op == "=" else Binary(s.op[0], s.target, s.value, s.target.type)
        return self.put(f"{self.text(s.target)} = {self.text(value)};")

    def do(self, call: CCall) -> None:
        self.results([], call)

    def results(self, targets: list[Expression], call: CCall) -> None:
        """A call with what it gives back."""
        targets = [*targets, *given_back(call, self.source.functions)]
        self.put(f"[{', '.join(map(self.text, targets))}] = {self.text(call)};")

    def return_(self, s: Return) -> None:
        if s.value is not None:
            self.put(f"answer = {self.text(s.value)};")
        self.put("return;")


def matlab(source: CSource, renamed: Mapping[str, str]) -> str:
    """The functions of the program, some with other names."""
    return Matlab(lowered(source, lazy=True), renamed).program()
