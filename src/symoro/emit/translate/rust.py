"""Prints a program in Rust."""

from __future__ import annotations

from symoro.emit.translate.effects import expressions, names, statements
from symoro.emit.translate.expressions import LIBRARY, zero
from symoro.emit.translate.printer import ATOM, BRACES, Printer
from symoro.emit.translate.syntax import (
    BOOL,
    CHAR,
    DOUBLE,
    INT,
    Assign,
    At,
    CCall,
    CChoice,
    CConstant,
    CFlat,
    CFunction,
    CNumber,
    Convert,
    Count,
    CParameter,
    CSource,
    Declare,
    Expression,
    Listed,
    Name,
    Struct,
    Type,
)

_SCALARS = {INT: "i32", DOUBLE: "f64", CHAR: "u8", BOOL: "bool"}


_WORDS = "as box const crate dyn enum final fn impl in let loop match mod move mut pub ref type use"
_HEADERS = {"HUGE_VAL": "f64::INFINITY", "DBL_MAX": "f64::MAX", "DBL_EPSILON": "f64::EPSILON"}
_FUNCTIONS = {name: f"math::{name}" for name in LIBRARY}
_SHAPES = BRACES | {
    "if": "if {0} {{",
    "while": "while {0} {{",
    "forever": "loop {{",
    "count": "for {0} in {1}..{2} {{",
}


class Rust(Printer):
    words = frozenset(_WORDS.split())
    functions = _FUNCTIONS
    headers = _HEADERS
    shapes = _SHAPES

    def constant(self, constant: CConstant) -> None:
        self.put()
        self.doc(constant.remark, constant.public)
        kept = "pub static" if constant.public else "const"
        self.put(f"{kept} {constant.name}: {self.type(constant.type)} = {self.text(constant.value)};")

    def doc(self, text: str, public: bool) -> None:
        for line in text.split("\n") if text else ():
            self.put(f"{'///' if public else '//'} {line}".rstrip())

    def struct(self, struct: Struct) -> None:
        self.put()
        self.doc(struct.remark, True)
        name = self.name(struct.name)
        self.put("#[derive(Clone, Copy, Debug)]")
        self.put(f"pub struct {name} {{")
        for field, kind, remark in struct.fields:
            self.put(f"    pub {self.name(field)}: {self.type(kind)},{f' // {remark}' if remark else ''}")
        self.put("}")
        self.put()
        self.put(f"impl {name} {{")
        self.put(f"    pub const ZERO: {name} = {name} {{")
        for field, kind, _ in struct.fields:
            self.put(f"        {self.name(field)}: {self.text(zero(kind))},")
        self.put("    };")
        self.put("}")

    def function(self, function: CFunction) -> None:
        self.enter(function)
        self.put()
        self.doc(function.remark, function.public)
        parameters = ", ".join(f"{self.name(p.name)}: {self.parameter(p)}" for p in function.parameters)
        result = "" if function.type.base == "void" else f" -> {self.type(function.type)}"
        self.put(f"{'pub ' if function.public else ''}fn {self.name(function.name)}({parameters}){result} {{")
        self.block(function.body)
        self.put("}")

    def parameter(self, p: CParameter) -> str:
        kind = self.type(p.type)
        return f"&{'mut ' if p.written else ''}{kind}" if p.reference else kind

    def type(self, of: Type) -> str:
        base = _SCALARS.get(of.base) or self.name(of.base)
        for n in reversed(of.shape):
            base = f"[{base}]" if n is None else f"[{base}; {n}]"
        return base

    # ---- expressions

    def variable(self, x: Name) -> str:
        """A parameter that refers to a scalar is read through the reference."""
        text = super().variable(x)
        return f"(*{text})" if x.name in self.parameters and x.type.scalar else text

    def letter(self, letter: str) -> str:
        return f"b'{letter}'" if letter else "0"

    def at(self, x: At) -> str:
        index = x.index.text if isinstance(x.index, CNumber) else f"{self.text(x.index, ATOM)} as usize"
        return f"{self.text(x.base, ATOM)}[{index}]"

    def flat(self, x: CFlat) -> str:
        return f"{self.text(x.base, ATOM)}.flat()"

    def call(self, x: CCall) -> str:
        function = self.source.functions.get(x.name)
        if function is None:
            return super().call(x)
        arguments = [self.argument(a, p) for a, p in zip(x.arguments, function.parameters, strict=True)]
        return f"{self.name(x.name)}({', '.join(arguments)})"

    def argument(self, x: Expression, p: CParameter) -> str:
        if not p.reference:
            return self.text(x)
        if isinstance(x, CFlat):
            return f"{self.text(x.base, ATOM)}.flat{'_mut' if p.written else ''}()"
        if isinstance(x, Name) and x.name in self.parameters:
            return self.name(x.name)
        return f"&{'mut ' if p.written else ''}{self.text(x, ATOM)}"

    def choice(self, x: CChoice) -> str:
        return f"if {self.text(x.condition)} {{ {self.whole(x.yes)} }} else {{ {self.whole(x.no)} }}"

    def convert(self, x: Convert) -> tuple[str, int]:
        text = self.text(x.operand)
        if x.type.base == INT:
            return f"i32::from({text})", ATOM
        return f"f64::from({f'u8::from({text})' if x.operand.type.base == BOOL else text})", ATOM

    def listed(self, x: Listed) -> str:
        if x.items and x.type.shape:
            return f"[{', '.join(map(self.text, x.items))}]"
        if x.items:
            fields = [name for name, _, _ in self.source.structs[x.type.base].fields]
            entries = [f"{self.name(n)}: {self.text(v)}" for n, v in zip(fields, x.items, strict=True)]
            return f"{self.name(x.type.base)} {{ {', '.join(entries)} }}"
        base = {DOUBLE: "0.0", INT: "0", CHAR: "0"}.get(x.type.base, f"{self.name(x.type.base)}::ZERO")
        for n in reversed(x.type.shape):
            base = f"[{base}; {n}]"
        return base

    # ---- statements

    def counter(self, s: Count) -> str:
        used = any(s.name in names(x) for inner in statements(s.body) for x in expressions(inner))
        return super().counter(s) if used else "_"

    def whole(self, x: Expression) -> str:
        """A variable to which is assigned, or from which is copied: a parameter through its reference."""
        if isinstance(x, Name) and x.name in self.parameters:
            return f"*{self.name(x.name)}"
        return self.text(x)

    def declare(self, s: Declare) -> None:
        mutable = "mut " if s.name in self.changed else ""
        value = self.whole(s.value if s.value is not None else zero(s.type))
        self.put(f"let {mutable}{self.name(s.name)}: {self.type(s.type)} = {value};")

    def assign(self, s: Assign) -> None:
        self.put(f"{self.whole(s.target)} {s.op} {self.whole(s.value)};")


def rust(source: CSource) -> str:
    """The program in Rust; it wants a module `math` with the functions of the mathematical library."""
    return Rust(source).program()
