"""Prints a program in JavaScript: a matrix is a typed array, row after row, and a row is a part of it."""

from __future__ import annotations

from symoro.emit.translate.expressions import zero
from symoro.emit.translate.printer import ATOM, BRACES, Printer, indices, scalars
from symoro.emit.translate.syntax import (
    BOOL,
    CHAR,
    DOUBLE,
    INT,
    Assign,
    At,
    Binary,
    CConstant,
    CFlat,
    CFunction,
    CNumber,
    Convert,
    CSource,
    Declare,
    Expression,
    Listed,
    Struct,
    Type,
)

_HEADERS = {"HUGE_VAL": "Infinity", "DBL_MAX": "Number.MAX_VALUE", "DBL_EPSILON": "Number.EPSILON"}
_ARRAYS = {INT: "Int32Array", DOUBLE: "Float64Array"}
_SAME = ("sqrt", "sin", "cos", "atan", "atan2", "floor")


_WORDS = "arguments case class const default delete export finally function in let new null this"
_FUNCTIONS = {name: f"Math.{name}" for name in _SAME} | {"fabs": "Math.abs", "isfinite": "Number.isFinite"}
_OPERATORS = {"==": "===", "!=": "!==", "whole /": "Math.trunc({2} / {3})"}
_SHAPES = BRACES | {
    "if": "if ({0}) {{",
    "while": "while ({0}) {{",
    "count": "for (let {0} = {1}; {0} < {2}; {0}++) {{",
}


class JavaScript(Printer):
    words = frozenset(_WORDS.split())
    functions = _FUNCTIONS
    headers = _HEADERS
    operators = _OPERATORS
    shapes = _SHAPES

    def constant(self, constant: CConstant) -> None:
        self.remark(constant.remark)
        self.put(f"{'export ' if constant.public else ''}const {constant.name} = {self.text(constant.value)};")

    def struct(self, struct: Struct) -> None:
        self.put()
        self.remark(struct.remark)
        self.put(f"export class {struct.name} {{")
        for name, kind, remark in struct.fields:
            self.put(f"    {self.name(name)} = {self.text(zero(kind))};{f' // {remark}' if remark else ''}")
        self.put("}")

    def function(self, function: CFunction) -> None:
        self.enter(function)
        self.put()
        self.remark(function.remark)
        parameters = ", ".join(self.name(p.name) for p in function.parameters)
        self.put(f"{'export ' if function.public else ''}function {self.name(function.name)}({parameters}) {{")
        self.block(function.body)
        self.put("}")

    # ---- expressions

    def letter(self, letter: str) -> str:
        return f'"{letter or " "}"'

    def at(self, x: At) -> str:
        base, places = indices(x)
        if base.type.base in self.source.structs or base.type.base == CHAR:
            return f"{self.text(base, ATOM)}[{self.text(places[0])}]"
        place = self.place(base.type, places[::-1])
        if not x.type.shape:
            return f"{self.text(base, ATOM)}[{self.text(place)}]"
        size = _size(x.type)
        end = Binary("+", place, CNumber(str(size), Type(INT)), Type(INT))
        return f"{self.text(base, ATOM)}.subarray({self.text(place)}, {self.text(end)})"

    def place(self, of: Type, places: list[Expression]) -> Expression:
        """Where an element or a row begins."""
        offset: Expression = CNumber("0", Type(INT))
        for k, index in enumerate(places):
            step = _size(Type(of.base, of.shape[k + 1 :]))
            if index == CNumber("0", Type(INT)):
                continue
            one = index if step == 1 else Binary("*", index, CNumber(str(step), Type(INT)), Type(INT))
            offset = one if offset == CNumber("0", Type(INT)) else Binary("+", offset, one, Type(INT))
        return offset

    def flat(self, x: CFlat) -> str:
        return self.text(x.base)

    def convert(self, x: Convert) -> tuple[str, int]:
        if x.operand.type.base == BOOL:
            return f"Number({self.text(x.operand)})", ATOM
        return self.expression(x.operand)

    def listed(self, x: Listed) -> str:
        base = x.type.base
        if not x.type.shape:
            return f"made({', '.join([base, *map(self.text, x.items)])})" if x.items else f"new {base}()"
        if base in self.source.structs:
            return f"Array.from({{ length: {x.type.shape[0]} }}, () => new {base}())"
        if base == CHAR:
            return f"[{', '.join(self.text(item) for item in scalars(x, x.type))}]"
        if not x.items:
            return f"new {_ARRAYS[base]}({_size(x.type)})"
        return f"{_ARRAYS[base]}.of({', '.join(self.text(item) for item in scalars(x, x.type))})"

    # ---- statements

    def declare(self, s: Declare) -> None:
        word = "let" if s.name in self.changed else "const"
        self.put(f"{word} {self.name(s.name)} = {self.fresh(zero(s.type) if s.value is None else s.value)};")

    def fresh(self, x: Expression) -> str:
        """A value that shares nothing with others."""
        return self.text(x) if x.type.scalar or isinstance(x, Listed) else f"copy({self.text(x)})"

    def assign(self, s: Assign) -> None:
        target = self.text(s.target)
        if s.target.type.scalar:
            self.put(f"{target} {s.op} {self.text(s.value)};")
        elif s.target.type.shape:
            zeros = isinstance(s.value, Listed) and not s.value.items
            self.put(f"{target}.fill(0);" if zeros else f"{target}.set({self.text(s.value)});")
        else:
            self.put(f"Object.assign({target}, {self.fresh(s.value)});")


def _size(of: Type) -> int:
    size = 1
    for n in of.shape:
        size *= n or 1
    return size


def javascript(source: CSource) -> str:
    """The classes, constants and functions of the program; it wants `fmax`, `fmin`, `copy` and `made`."""
    return JavaScript(source).program()
