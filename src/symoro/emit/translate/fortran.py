"""Prints a program in Fortran 2008: arrays begin at 0, and the last index of C is the first one."""

from __future__ import annotations

import re

from symoro.emit.translate.lower import lowered, variables
from symoro.emit.translate.printer import ATOM, Printer, indices, public_structs, scalars
from symoro.emit.translate.syntax import (
    BOOL,
    CHAR,
    DOUBLE,
    INT,
    VOID,
    Assign,
    At,
    Binary,
    Block,
    CCall,
    CConstant,
    CFlat,
    CFunction,
    CNumber,
    Convert,
    CSource,
    Declare,
    Listed,
    Name,
    Return,
    Struct,
    Type,
)

_SCALARS = {INT: "integer", DOUBLE: "real(wp)", CHAR: "character", BOOL: "logical"}
_WORDS = """
    call cycle do else end exit function if in integer kind logical module none null only out real return result sign
    size spread stop sum then type use while wp max min merge mod abs sqrt sin cos atan atan2 reshape answer rank range
    index precision scale shape scan cross
"""
_LONGEST = 120


_FUNCTIONS = {"fabs": "abs", "floor": "floor_of"}
_OPERATORS = {"&&": ".and.", "||": ".or.", "!=": "/=", "not": ".not. ", "whole %": "mod({0}, {1})"}
_JUMPS = {"break": "exit", "continue": "cycle"}
_SHAPES = {
    "if": "if ({0}) then",
    "else": "else",
    "while": "do while ({0})",
    "forever": "do",
    "count": "do {0} = {1}, {3}",
    "end if": "end if",
    "end count": "end do",
    "end while": "end do",
}


class Fortran(Printer):
    words = frozenset(_WORDS.split())
    functions = _FUNCTIONS
    operators = _OPERATORS
    jumps = _JUMPS
    shapes = _SHAPES
    line_remark = "!"
    end = ""

    def __init__(self, source: CSource) -> None:
        super().__init__(source)
        everything = (*source.functions, *source.constants, *source.structs)
        self.globals = {name: self.fresh(name, set()) for name in everything}
        self.locals: dict[tuple[str, Type], str] = {}

    def fresh(self, name: str, taken: set[str]) -> str:
        """A name that differs from others also where capital letters do not count."""
        while name.lower() in taken | self.words:
            name += "_"
        return name

    def put(self, text: str = "") -> None:
        """A line, or several where it is long."""
        space = "    " * self.depth
        while len(space) + len(text) > _LONGEST and not text.startswith("!"):
            places = [m.end() for m in re.finditer(r"'.'|[ ,]+", text) if m[0][0] != "'"]
            cut = max((p for p in places if p < _LONGEST - len(space)), default=0)
            if cut < 6:
                break
            self.lines.append(f"{space}{text[:cut].rstrip()} &")
            text = f"    & {text[cut:]}"
        self.lines.append(space + text if text else "")

    def declarations(self) -> str:
        """Constants and types."""
        self.depth = 1
        for name in (*public_structs(self.source), *(f.name for f in self.source.functions.values() if f.public)):
            self.put(f"public :: {self.globals[name]}")
        arms = [c for c in self.source.constants.values() if not c.type.scalar and c.type.base in self.source.structs]
        for constant in self.source.constants.values():
            if constant not in arms:
                self.constant(constant)
        for struct in self.source.structs.values():
            self.struct(struct)
        for constant in arms:
            self.put()
            self.constant(constant)
        return self.taken()

    def procedures(self) -> str:
        self.depth = 1
        for function in self.source.functions.values():
            self.function(function)
        return self.taken()

    def taken(self) -> str:
        text, self.lines = "\n".join(self.lines) + "\n", []
        return text

    def constant(self, c: CConstant) -> None:
        self.remark(c.remark)
        public = ", public" if c.public else ""
        name = f"{self.globals[c.name]}{self.shape(c.type)}"
        self.put(f"{self.type(c.type)}, parameter{public} :: {name} = {self.text(c.value)}")

    def struct(self, struct: Struct) -> None:
        self.put()
        self.remark(struct.remark)
        self.put(f"type :: {self.globals[struct.name]}")
        for name, kind, remark in struct.fields:
            first = {CHAR: " = ' '", INT: " = 0", DOUBLE: " = 0.0_wp"}.get(kind.base, "")
            first = first if struct.name in public_structs(self.source) else ""
            comment = f"  ! {remark}" if remark else ""
            self.put(f"    {self.type(kind)} :: {self.name(name)}{self.shape(kind)}{first}{comment}")
        self.put("end type")

    def type(self, of: Type) -> str:
        return _SCALARS.get(of.base) or f"type({self.globals[of.base]})"

    def shape(self, of: Type) -> str:
        if not of.shape:
            return ""
        return f"({', '.join('0:*' if n is None else f'0:{n - 1}' for n in reversed(of.shape))})"

    def function(self, function: CFunction) -> None:
        declared = [*((p.name, p.type) for p in function.parameters), *((d.name, d.type) for d in variables(function))]
        taken = {name.lower() for name in self.globals.values()}
        self.locals = {}
        for key in declared:
            self.locals[key] = self.fresh(key[0], taken)
            taken.add(self.locals[key].lower())
        arguments = ", ".join(self.locals[p.name, p.type] for p in function.parameters)
        void = function.type.base == VOID
        self.put()
        self.remark(function.remark)
        name = self.globals[function.name]
        self.put(f"subroutine {name}({arguments})" if void else f"function {name}({arguments}) result(answer)")
        self.depth += 1
        for p in function.parameters:
            intent = "inout" if p.written else "in"
            self.put(f"{self.type(p.type)}, intent({intent}) :: {self.locals[p.name, p.type]}{self.shape(p.type)}")
        if not void:
            self.put(f"{self.type(function.type)} :: answer")
        for d in variables(function):
            self.put(f"{self.type(d.type)} :: {self.locals[d.name, d.type]}{self.shape(d.type)}")
        self.depth -= 1
        self.block(function.body)
        self.put(f"end {'subroutine' if void else 'function'}")

    # ---- expressions

    def variable(self, x: Name) -> str:
        return self.locals.get((x.name, x.type)) or self.globals.get(x.name, x.name)

    def number(self, x: CNumber) -> str:
        return ".true." if x.type.base == BOOL else x.text if x.type.base == INT else f"{x.text}_wp"

    def letter(self, letter: str) -> str:
        return f"'{letter or ' '}'"

    def part(self, base: str, name: str) -> str:
        return f"{base}%{self.name(name)}"

    def at(self, x: At) -> str:
        base, places = indices(x)
        return f"{self.text(base, ATOM)}({', '.join([':'] * len(x.type.shape) + [self.text(i) for i in places])})"

    def flat(self, x: CFlat) -> str:
        return self.text(x.base)

    def call(self, x: CCall) -> str:
        name = self.functions.get(x.name) or self.globals.get(x.name, x.name)
        return f"{name}({', '.join(map(self.text, x.arguments))})"

    def binary(self, x: Binary) -> tuple[str, int]:
        if x.left.type.base == BOOL and x.op in ("==", "!="):
            op = ".eqv." if x.op == "==" else ".neqv."
            return f"({self.text(x.left, ATOM)} {op} {self.text(x.right, ATOM)})", ATOM
        return super().binary(x)

    def convert(self, x: Convert) -> tuple[str, int]:
        if x.operand.type.base == BOOL:
            unit = "" if x.type.base == INT else ".0_wp"
            return f"merge(1{unit}, 0{unit}, {self.text(x.operand)})", ATOM
        return f"real({self.text(x.operand)}, wp)", ATOM

    def listed(self, x: Listed) -> str:
        if not x.items and x.type.base not in self.source.structs:
            return {INT: "0", DOUBLE: "0.0_wp", CHAR: "' '"}[x.type.base]
        if not x.type.shape:
            fields = [kind for _, kind, _ in self.source.structs[x.type.base].fields]
            values = [self.text(item) for item, _ in zip(x.items, fields, strict=bool(x.items))]
            return f"{self.globals[x.type.base]}({', '.join(values)})"
        items = f"[{', '.join(self.text(item) for item in scalars(x, x.type))}]"
        if len(x.type.shape) == 1:
            return items
        return f"reshape({items}, [{', '.join(str(n) for n in reversed(x.type.shape))}])"

    # ---- statements

    def scope(self, body: Block) -> None:
        self.without_scope(body)

    def declare(self, s: Declare) -> None:
        if s.value is not None:
            self.assign(Assign(Name(s.name, s.type), "=", s.value))

    def assign(self, s: Assign) -> None:
        value = s.value if s.op == "=" else Binary(s.op[0], s.target, s.value, s.target.type)
        self.put(f"{self.text(s.target)} = {self.text(value)}")

    def do(self, call: CCall) -> None:
        self.put(f"call {self.text(call)}")

    def return_(self, s: Return) -> None:
        if s.value is not None:
            self.put(f"answer = {self.text(s.value)}")
        self.put("return")


def fortran(source: CSource) -> dict[str, str]:
    """The parts of a module: what stands before `contains`, and the procedures."""
    printer = Fortran(lowered(source, lazy=False))
    return {"declarations": printer.declarations(), "procedures": printer.procedures()}
