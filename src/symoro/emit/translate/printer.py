"""What the printers of all languages share: lines, precedence, and which method prints what."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.emit.translate.effects import changed
from symoro.emit.translate.expressions import zero
from symoro.emit.translate.syntax import (
    BOOL,
    INT,
    Assign,
    At,
    Binary,
    Block,
    CCall,
    CChoice,
    CConstant,
    CFlat,
    CFunction,
    CNumber,
    Convert,
    Count,
    CPart,
    CScope,
    CSource,
    Declare,
    Do,
    Expression,
    If,
    Jump,
    Letter,
    Listed,
    Name,
    Remark,
    Return,
    Statement,
    Struct,
    Type,
    Unary,
    While,
)

#: How tightly an operation holds its operands; a comparison holds none of the others.
_LEVEL = {"||": 1, "&&": 2} | dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 3) | {"+": 5, "-": 5}
COMPARES, _PRODUCT, _NOT, ATOM = 3, 6, 7, 9
#: Lines of `Printer.shapes` that several languages share.
BRACES = {"else": "} else {", "end if": "}", "end count": "}", "end while": "}"}
ENDS = {"if": "if {0}", "else": "else", "while": "while {0}", "end if": "end", "end count": "end", "end while": "end"}


def plus(x: Expression, more: int) -> Expression:
    """An integer and a number, which is put together with one that is there."""
    if isinstance(x, CNumber):
        return CNumber(str(int(x.text) + more), x.type)
    if isinstance(x, Binary) and x.op in ("+", "-") and isinstance(x.right, CNumber):
        more += int(x.right.text) if x.op == "+" else -int(x.right.text)
        x = x.left
    if not more:
        return x
    return Binary("+" if more > 0 else "-", x, CNumber(str(abs(more)), x.type), x.type)


def indices(x: At) -> tuple[Expression, list[Expression]]:
    """The array of an element and its indices, the last one first: the order of languages that count columns first."""
    base: Expression = x
    places = []
    while isinstance(base, At):
        places.append(base.index)
        base = base.base
    return base, places


def scalars(x: Expression, of: Type) -> list[Expression]:
    """The elements of a list, row after row, with its zeros."""
    if not of.shape:
        return [x]
    inner, rows = Type(of.base, of.shape[1:]), of.shape[0] or 0
    items = x.items if isinstance(x, Listed) and x.items else (zero(inner),) * rows
    return [element for item in items for element in scalars(item, inner)]


def public_structs(source: CSource) -> set[str]:
    """The structs that the caller of the program meets."""
    return {p.type.base for f in source.functions.values() if f.public for p in f.parameters} & set(source.structs)


class Printer:
    """Prints a program in a language.

    `words` are those that the language keeps for itself: such a name gets a line behind it. `headers` has its words for
    the constants of C's headers. `shapes` has the lines that
    begin and end a statement with others in it; a loop that counts has its variable {0}, the first number {1}, the end
    {2} and the last number {3}.
    """

    words: frozenset[str] = frozenset()
    operators: Mapping[str, str] = {}
    functions: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    jumps: Mapping[str, str] = {}
    shapes: Mapping[str, str] = {}
    line_remark = "//"
    end = ";"

    def __init__(self, source: CSource, renamed: Mapping[str, str] | None = None) -> None:
        self.source, self.renamed = source, renamed or {}
        self.lines: list[str] = []
        self.depth = 0
        self.parameters: dict[str, bool] = {}  # of the function that is printed: whether it is written
        self.changed: set[str] = set()

    def program(self) -> str:
        """The whole text."""
        for struct in self.source.structs.values():
            self.struct(struct)
        for constant in self.source.constants.values():
            self.constant(constant)
        for function in self.source.functions.values():
            self.function(function)
        return "\n".join(self.lines) + "\n"

    def struct(self, struct: Struct) -> None:
        raise NotImplementedError

    def constant(self, constant: CConstant) -> None:
        """Where a language has no constants, functions have them."""

    def function(self, function: CFunction) -> None:
        raise NotImplementedError

    # ---- lines

    def put(self, text: str = "") -> None:
        self.lines.append("    " * self.depth + text if text else "")

    def block(self, block: Block) -> None:
        self.depth += 1
        for statement in block:
            self.statement(statement)
        self.depth -= 1

    def without_scope(self, body: Block) -> None:
        """The statements of a language in which variables belong to their function."""
        for statement in body:
            self.statement(statement)

    def remark(self, text: str) -> None:
        for line in text.split("\n") if text else ():
            self.put(f"{self.line_remark} {line}".rstrip())

    def enter(self, function: CFunction) -> None:
        """Know the parameters and the variables that a function changes."""
        self.parameters = {p.name: p.written for p in function.parameters if p.reference}
        self.changed = changed(function.body, self.source.functions)

    # ---- names and expressions

    def name(self, name: str) -> str:
        return f"{name}_" if name in self.words else self.renamed.get(name, name)

    def text(self, x: Expression, level: int = 0) -> str:
        """An expression, in brackets if it holds its operands less tightly than what is around it."""
        text, inner_level = self.expression(x)
        return f"({text})" if inner_level < level else text

    def expression(self, x: Expression) -> tuple[str, int]:
        """The text of an expression and its level."""
        match x:
            case Binary():
                return self.binary(x)
            case Unary("-", operand):
                return f"-{self.text(operand, _PRODUCT + 1)}", _LEVEL["-"]
            case Unary(_, operand):
                return f"{self.operators.get('not', '!')}{self.text(operand, _NOT + 1)}", _NOT
            case CNumber():
                return self.number(x), ATOM
            case Name():
                return self.variable(x), ATOM
            case Letter(letter):
                return self.letter(letter), ATOM
            case At():
                return self.at(x), ATOM
            case CPart(base, name):
                return self.part(self.text(base, ATOM), name), ATOM
            case CFlat():
                return self.flat(x), ATOM
            case CCall():
                return self.call(x), ATOM
            case CChoice():
                return self.choice(x), 0
            case Convert(operand, type=kind) if kind.base == BOOL:
                return f"{self.text(operand, COMPARES + 1)} {self.operators.get('!=', '!=')} 0", COMPARES
            case Convert():
                return self.convert(x)
            case Listed():
                return self.listed(x), ATOM

    def binary(self, x: Binary) -> tuple[str, int]:
        level = _LEVEL.get(x.op, _PRODUCT)
        whole = x.op in ("/", "%") and x.type.base == INT
        op = self.operators.get(f"whole {x.op}" if whole else x.op, x.op)
        left, right = self.text(x.left, level + (level == COMPARES)), self.text(x.right, level + 1)
        if x.op == "||":  # an "and" inside an "or" has brackets, which some compilers want
            nested = isinstance(x.left, Binary) and x.left.op == "||"
            left, right = self.text(x.left, level if nested else COMPARES), self.text(x.right, COMPARES)
        if "{" in op:  # a function of the language
            return op.format(self.text(x.left), self.text(x.right), left, right), ATOM
        return f"{left} {op} {right}", level

    def number(self, x: CNumber) -> str:
        return x.text

    def variable(self, x: Name) -> str:
        return self.headers.get(x.name) or self.name(x.name)

    def letter(self, letter: str) -> str:
        raise NotImplementedError

    def at(self, x: At) -> str:
        raise NotImplementedError

    def from_one(self, x: At, brackets: str) -> str:
        """An element or a row where counting begins at 1 and the last index of C is the first one."""
        base, places = indices(x)
        subscripts = [":"] * len(x.type.shape) + [self.text(plus(i, 1)) for i in places]
        return f"{self.text(base, ATOM)}{brackets[0]}{', '.join(subscripts)}{brackets[1]}"

    def part(self, base: str, name: str) -> str:
        return f"{base}.{self.name(name)}"

    def flat(self, x: CFlat) -> str:
        raise NotImplementedError

    def call(self, x: CCall) -> str:
        return f"{self.functions.get(x.name, self.name(x.name))}({', '.join(map(self.text, x.arguments))})"

    def choice(self, x: CChoice) -> str:
        return f"{self.text(x.condition, 1)} ? {self.text(x.yes, 1)} : {self.text(x.no, 1)}"

    def convert(self, x: Convert) -> tuple[str, int]:
        """A scalar as a number of another type; a number as a condition is the same in all languages."""
        raise NotImplementedError

    def listed(self, x: Listed) -> str:
        raise NotImplementedError

    # ---- statements

    def statement(self, statement: Statement) -> None:
        match statement:
            case Declare():
                self.declare(statement)
            case Assign():
                self.assign(statement)
            case Do(call):
                self.do(call)
            case If():
                self.if_(statement)
            case Count():
                self.count(statement)
            case While():
                self.while_(statement)
            case Jump(word):
                self.put(self.jumps.get(word, word) + self.end)
            case Return():
                self.return_(statement)
            case Remark(text):
                self.remark(text)
            case CScope(body):
                self.scope(body)

    def scope(self, body: Block) -> None:
        self.put("{")
        self.block(body)
        self.put("}")

    def declare(self, s: Declare) -> None:
        raise NotImplementedError

    def assign(self, s: Assign) -> None:
        raise NotImplementedError

    def do(self, call: CCall) -> None:
        self.put(self.text(call) + self.end)

    def if_(self, s: If) -> None:
        self.put(self.shapes["if"].format(self.text(s.condition)))
        self.block(s.yes)
        if s.no:
            self.put(self.shapes["else"])
            self.block(s.no)
        self.put(self.shapes["end if"])

    def count(self, s: Count) -> None:
        level = COMPARES + 1
        first, end, last = (self.text(x, level) for x in (s.first, s.end, plus(s.end, -1)))
        self.put(self.shapes["count"].format(self.counter(s), first, end, last))
        self.block(s.body)
        self.put(self.shapes["end count"])

    def counter(self, s: Count) -> str:
        return self.variable(Name(s.name, Type(INT)))

    def while_(self, s: While) -> None:
        forever = isinstance(s.condition, CNumber) and "forever" in self.shapes
        self.put(self.shapes["forever" if forever else "while"].format(self.text(s.condition)))
        self.block(s.body)
        self.put(self.shapes["end while"])

    def return_(self, s: Return) -> None:
        self.put(f"return {self.text(s.value)}{self.end}" if s.value else f"return{self.end}")
