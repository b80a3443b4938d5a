"""Prints a program in C++: references in the place of pointers, and nothing that is left to the preprocessor."""

from __future__ import annotations

from symoro.emit.translate.expressions import LIBRARY
from symoro.emit.translate.printer import ATOM, BRACES, Printer
from symoro.emit.translate.syntax import (
    DOUBLE,
    INT,
    Assign,
    At,
    CConstant,
    CFlat,
    CFunction,
    Convert,
    CParameter,
    CSource,
    Declare,
    Listed,
    Struct,
    Type,
)

_HEADERS = {
    "HUGE_VAL": "std::numeric_limits<double>::infinity()",
    "DBL_MAX": "std::numeric_limits<double>::max()",
    "DBL_EPSILON": "std::numeric_limits<double>::epsilon()",
}


_FUNCTIONS = {name: f"std::{name}" for name in LIBRARY}
_SHAPES = BRACES | {
    "if": "if ({0}) {{",
    "while": "while ({0}) {{",
    "count": "for (int {0} = {1}; {0} < {2}; {0}++) {{",
}


class Cpp(Printer):
    functions = _FUNCTIONS
    headers = _HEADERS
    shapes = _SHAPES

    def constant(self, constant: CConstant) -> None:
        self.remark(constant.remark)
        self.put(f"const {self.variable_of(constant.type, constant.name)} = {self.text(constant.value)};")

    def struct(self, struct: Struct) -> None:
        self.put()
        self.remark(struct.remark)
        self.put(f"struct {struct.name} {{")
        for name, kind, remark in struct.fields:
            self.put(f"    {self.variable_of(kind, name)};{f' // {remark}' if remark else ''}")
        self.put("};")

    def function(self, function: CFunction) -> None:
        self.enter(function)
        self.put()
        self.remark(function.remark)
        parameters = ", ".join(map(self.parameter, function.parameters))
        self.put(f"inline {function.type.base} {function.name}({parameters})")
        self.put("{")
        self.block(function.body)
        self.put("}")

    def parameter(self, p: CParameter) -> str:
        if not p.reference:
            return f"{p.type.base} {p.name}"
        const = "" if p.written else "const "
        if p.type.shape == (None,):
            return f"{const}{p.type.base} *{p.name}"
        return f"{const}{self.variable_of(p.type, f'(&{p.name})' if p.type.shape else f'&{p.name}')}"

    def variable_of(self, kind: Type, name: str) -> str:
        return f"{kind.base} {name}{''.join(f'[{n}]' for n in kind.shape)}"

    # ---- expressions

    def letter(self, letter: str) -> str:
        return f"'{letter}'" if letter else "0"

    def at(self, x: At) -> str:
        return f"{self.text(x.base, ATOM)}[{self.text(x.index)}]"

    def flat(self, x: CFlat) -> str:
        return f"&{self.text(x.base, ATOM)}[0][0]"

    def convert(self, x: Convert) -> tuple[str, int]:
        return f"{INT if x.type.base == INT else DOUBLE}({self.text(x.operand)})", ATOM

    def listed(self, x: Listed) -> str:
        return f"{'' if x.type.shape else x.type.base}{{{', '.join(map(self.text, x.items))}}}"

    # ---- statements

    def declare(self, s: Declare) -> None:
        const = "" if s.name in self.changed or s.value is None else "const "
        value = f" = {self.text(s.value)}" if s.value is not None else "{}" if not s.type.scalar else ""
        self.put(f"{const}{self.variable_of(s.type, s.name)}{value};")

    def assign(self, s: Assign) -> None:
        target, value = self.text(s.target), self.text(s.value)
        if not s.target.type.shape:
            self.put(f"{target} {s.op} {value};")
        elif isinstance(s.value, Listed):
            self.put(f"std::memset({target}, 0, sizeof({target}));")
        else:
            self.put(f"std::memmove({target}, {value}, sizeof({target}));")


def cpp(source: CSource) -> str:
    """The structs, constants and functions of the program, for a namespace of a header."""
    return Cpp(source).program()
