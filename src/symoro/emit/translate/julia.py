"""Prints a program in Julia: structs and arrays are references there, so that copies are written.

Arrays begin at 1 and the last index of C is the first one, so that a matrix has its elements in the same order.
"""

from __future__ import annotations

from symoro.emit.translate.expressions import zero
from symoro.emit.translate.printer import ATOM, ENDS, Printer, scalars
from symoro.emit.translate.syntax import (
    CHAR,
    DOUBLE,
    INT,
    Assign,
    At,
    Block,
    CCall,
    CConstant,
    CFlat,
    CFunction,
    Convert,
    CSource,
    Declare,
    Expression,
    Listed,
    Name,
    Struct,
    Type,
)

_HEADERS = {"HUGE_VAL": "Inf", "DBL_MAX": "floatmax(Float64)", "DBL_EPSILON": "eps(Float64)"}
_SCALARS = {INT: "Int", DOUBLE: "Float64", CHAR: "Char"}


_WORDS = "begin catch const do else end export for function global if in isa let local type using"
_FUNCTIONS = {"fabs": "abs", "atan2": "atan"}
_OPERATORS = {"whole /": "÷"}
_SHAPES = ENDS | {"count": "for {0} in {1}:{3}"}


class Julia(Printer):
    words = frozenset(_WORDS.split())
    functions = _FUNCTIONS
    headers = _HEADERS
    operators = _OPERATORS
    shapes = _SHAPES
    line_remark = "#"
    end = ""

    def constant(self, constant: CConstant) -> None:
        self.remark(constant.remark)
        self.put(f"const {constant.name} = {self.text(constant.value)}")

    def struct(self, struct: Struct) -> None:
        self.put()
        self.remark(struct.remark)
        self.put(f"mutable struct {struct.name}")
        for name, kind, remark in struct.fields:
            self.put(f"    {self.name(name)}::{self.type(kind)}{f' # {remark}' if remark else ''}")
        self.put("end")
        self.put()
        values = ", ".join(self.text(zero(kind)) for _, kind, _ in struct.fields)
        self.put(f"{struct.name}() = {struct.name}({values})")
        self.put()
        self.put(f"function copy_into!(target::{struct.name}, from::{struct.name})")
        for name, _, _ in struct.fields:
            self.put(f"    target.{self.name(name)} = deepcopy(from.{self.name(name)})")
        self.put("end")

    def type(self, of: Type) -> str:
        base = _SCALARS.get(of.base, of.base)
        return f"Array{{{base}, {len(of.shape)}}}" if of.shape else base

    def function(self, function: CFunction) -> None:
        self.enter(function)
        self.put()
        self.remark(function.remark)
        parameters = ", ".join(self.name(p.name) for p in function.parameters)
        self.put(f"function {self.name(function.name)}({parameters})")
        self.block(function.body)
        if function.type.base == "void":
            self.put("    return nothing")
        self.put("end")

    # ---- expressions

    def letter(self, letter: str) -> str:
        return f"'{letter or ' '}'"

    def at(self, x: At) -> str:
        return self.from_one(x, "[]")

    def flat(self, x: CFlat) -> str:
        return f"vec({self.text(x.base)})"

    def call(self, x: CCall) -> str:
        arguments = [self.argument(a) for a in x.arguments]
        return f"{self.functions.get(x.name, self.name(x.name))}({', '.join(arguments)})"

    def argument(self, x: Expression) -> str:
        """A row is given as a view, so that a function can change it."""
        text = self.text(x)
        return f"@view({text})" if isinstance(x, At) and x.type.shape else text

    def convert(self, x: Convert) -> tuple[str, int]:
        return f"{_SCALARS[x.type.base]}({self.text(x.operand)})", ATOM

    def listed(self, x: Listed) -> str:
        sizes = ", ".join(str(n) for n in reversed(x.type.shape))
        if not x.type.shape:
            return f"{x.type.base}({', '.join(map(self.text, x.items))})"
        if x.type.base in self.source.structs:
            return f"[{x.type.base}() for _ in 1:{sizes}]"
        if not x.items:
            return f"fill(' ', {sizes})" if x.type.base == CHAR else f"zeros({_SCALARS[x.type.base]}, {sizes})"
        items = f"[{', '.join(self.text(item) for item in scalars(x, x.type))}]"
        return items if len(x.type.shape) == 1 else f"reshape({items}, {sizes})"

    # ---- statements

    def scope(self, body: Block) -> None:
        self.without_scope(body)

    def declare(self, s: Declare) -> None:
        value = zero(s.type) if s.value is None else s.value
        self.put(f"{self.name(s.name)} = {self.fresh(value)}")

    def fresh(self, x: Expression) -> str:
        """A value that shares nothing with others."""
        return self.text(x) if x.type.scalar or isinstance(x, CCall | Listed) else f"deepcopy({self.text(x)})"

    def assign(self, s: Assign) -> None:
        target = self.text(s.target)
        if s.target.type.scalar:
            self.put(f"{target} {s.op} {self.text(s.value)}")
        elif s.target.type.shape:
            self.put(f"{target} .= {'0' if isinstance(s.value, Listed) and not s.value.items else self.text(s.value)}")
        elif isinstance(s.target, Name) and s.target.name in self.parameters:
            self.put(f"copy_into!({target}, {self.text(s.value)})")
        else:
            self.put(f"{target} = {self.fresh(s.value)}")


def julia(source: CSource) -> str:
    """The structs, constants and functions of the program."""
    return Julia(source).program()
