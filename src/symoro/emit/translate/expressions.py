"""Reads the expressions of C: names get their types, and every conversion is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from symoro.emit.translate.syntax import (
    BOOL,
    CHAR,
    DOUBLE,
    INT,
    At,
    Binary,
    CCall,
    CChoice,
    CFlat,
    CFunction,
    CNumber,
    Convert,
    CPart,
    CSource,
    Expression,
    Letter,
    Listed,
    Name,
    Type,
    Unary,
)

#: Functions of the mathematical library and the type of their results.
LIBRARY = {name: Type(DOUBLE) for name in ("fabs", "sqrt", "sin", "cos", "atan", "atan2", "floor", "fmax", "fmin")} | {
    "isfinite": Type(BOOL)
}
#: Constants of the headers of C.
HEADERS = ("HUGE_VAL", "DBL_MAX", "DBL_EPSILON")
TRUE = CNumber("true", Type(BOOL))
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class NotTranslated(Exception):
    """A piece of C that is outside the part which is translated: a mistake of ours, never of a user."""


@dataclass(slots=True)
class CNames:
    """What names mean: variables, and names for parts of others."""

    source: CSource
    variables: dict[str, Expression] = field(default_factory=dict)

    def inner(self) -> CNames:
        return CNames(self.source, dict(self.variables))

    def read(self, node: Any) -> Expression:
        """An expression."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise NotTranslated(f"{node.coord}: {type(node).__name__} is not translated")
        return method(node)  # type: ignore[no-any-return]

    def truth(self, node: Any) -> Expression:
        return converted(self.read(node), BOOL)

    def number(self, node: Any) -> int:
        """The value of a constant expression."""
        if type(node).__name__ == "BinaryOp" and node.op == "*":
            return self.number(node.left) * self.number(node.right)
        match self.read(node):
            case CNumber(text):
                return int(text)
            case Name(name) if name in self.source.constants:
                value = self.source.constants[name].value
                if isinstance(value, CNumber):
                    return int(value.text)
        raise NotTranslated(f"{node.coord}: the size of an array is a number or a constant")

    def listed(self, node: Any, wanted: Type) -> Expression:
        """The value of a declaration."""
        if type(node).__name__ == "Constant" and node.type == "string":
            letters = [Letter(x) for x in node.value[1:-1]]
            return Listed((*letters, *[Letter("")] * ((wanted.shape[0] or 0) - len(letters))), wanted)
        if type(node).__name__ != "InitList":
            return converted(self.read(node), wanted.base) if wanted.scalar else self.read(node)
        inner = self._inner(wanted)
        if all(map(_zero, node.exprs)):
            return Listed((), wanted)
        items = [self.listed(x, kind) for x, kind in zip(node.exprs, inner, strict=False)]
        return Listed((*items, *map(zero, inner[len(items) :])), wanted)

    def _inner(self, of: Type) -> list[Type]:
        if of.shape:
            return [Type(of.base, of.shape[1:])] * (of.shape[0] or 0)
        return [kind for _, kind, _ in self.source.structs[of.base].fields]

    def size(self, node: Any) -> int:
        """The number of scalars in a size in bytes, as sizeof gives it."""
        name = type(node).__name__
        if name == "BinaryOp" and node.op == "*":
            return self.number(node.left) * self.size(node.right)
        if name == "UnaryOp" and node.op == "sizeof":
            return self.scalars(self.read(node.expr).type)
        raise NotTranslated(f"{node.coord}: a size is the one of a whole thing")

    def scalars(self, of: Type) -> int:
        struct = self.source.structs.get(of.base)
        one = 1 if struct is None else sum(self.scalars(kind) for _, kind, _ in struct.fields)
        return one * prod(n or 0 for n in of.shape)

    def _Constant(self, node: Any) -> Expression:
        if node.type == "char":
            return Letter(node.value[1:-1])
        return CNumber(node.value, Type(INT if node.type == "int" else DOUBLE))

    def _ID(self, node: Any) -> Expression:
        if node.name in self.variables:
            return self.variables[node.name]
        if node.name in self.source.constants:
            return Name(node.name, self.source.constants[node.name].type)
        if node.name in HEADERS:
            return Name(node.name, Type(DOUBLE))
        raise NotTranslated(f"{node.coord}: {node.name} is not known")

    def _ArrayRef(self, node: Any) -> Expression:
        base, index = self.read(node.name), converted(self.read(node.subscript), INT)
        if not base.type.shape:
            raise NotTranslated(f"{node.coord}: it is not an array")
        return At(base, index, Type(base.type.base, base.type.shape[1:]))

    def _StructRef(self, node: Any) -> Expression:
        base = self.read(node.name)
        kinds = {name: kind for name, kind, _ in self.source.structs[base.type.base].fields}
        return CPart(base, node.field.name, kinds[node.field.name])

    def _UnaryOp(self, node: Any) -> Expression:
        operand = self.read(node.expr)
        if node.op in ("&", "*"):  # parameters refer to what the caller has, so that both are nothing to say
            return operand
        if node.op == "!":
            return negated(converted(operand, BOOL))
        if node.op == "-":
            return Unary("-", operand, operand.type)
        raise NotTranslated(f"{node.coord}: {node.op} inside an expression is not translated")

    def _BinaryOp(self, node: Any) -> Expression:
        left, right = self.read(node.left), self.read(node.right)
        if node.op in ("&&", "||"):
            return Binary(node.op, converted(left, BOOL), converted(right, BOOL), Type(BOOL))
        base = self._common(node, left.type, right.type)
        result = BOOL if node.op in _COMPARISONS else base
        return Binary(node.op, converted(left, base), converted(right, base), Type(result))

    def _common(self, node: Any, left: Type, right: Type) -> str:
        bases = {left.base, right.base}
        if left.shape or right.shape or not (left.scalar and right.scalar):
            raise NotTranslated(f"{node.coord}: {node.op} is for scalars")
        if bases in ({CHAR}, {BOOL}) and node.op in ("==", "!="):
            return left.base
        return DOUBLE if DOUBLE in bases else INT

    def _TernaryOp(self, node: Any) -> Expression:
        condition, yes, no = self.truth(node.cond), self.read(node.iftrue), self.read(node.iffalse)
        base = yes.type.base if yes.type == no.type else self._common(node, yes.type, no.type)
        if not yes.type.scalar:
            return CChoice(condition, yes, no, yes.type)
        return CChoice(condition, converted(yes, base), converted(no, base), Type(base))

    def _FuncCall(self, node: Any) -> Expression:
        name, arguments = node.name.name, [self.read(x) for x in (node.args.exprs if node.args else ())]
        if name in LIBRARY:
            return CCall(name, tuple(converted(x, DOUBLE) for x in arguments), LIBRARY[name])
        function = self.source.functions.get(name)
        if function is None:
            raise NotTranslated(f"{node.coord}: the function {name} is not known")
        return CCall(name, tuple(_arguments(function, arguments)), function.type)


def _arguments(function: CFunction, arguments: list[Expression]) -> list[Expression]:
    """The arguments as the parameters want them: the first row of a matrix stands for all of it, row after row."""
    fitted = []
    for parameter, argument in zip(function.parameters, arguments, strict=True):
        if parameter.type.scalar and not parameter.reference:
            argument = converted(argument, parameter.type.base)
        if parameter.type.shape == (None,) and isinstance(argument, At) and argument.index == CNumber("0", Type(INT)):
            argument = CFlat(argument.base, parameter.type)
        kind = argument.type
        if kind.base != parameter.type.base or not _fits(kind.shape, parameter.type.shape):
            raise NotTranslated(f"{function.name}: {parameter.name} is {parameter.type}, not {kind}")
        fitted.append(argument)
    return fitted


def negated(condition: Expression) -> Expression:
    if isinstance(condition, Convert) and condition.operand.type.base == INT:
        return Binary("==", condition.operand, CNumber("0", Type(INT)), Type(BOOL))
    return Unary("!", condition, Type(BOOL))


def _fits(shape: tuple[int | None, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(shape) == 1 if wanted == (None,) else shape == wanted


def zero(of: Type) -> Expression:
    """Nothing of a type."""
    if not of.scalar:
        return Listed((), of)
    return Letter("") if of.base == CHAR else CNumber("0" if of.base == INT else "0.0", of)


def _zero(node: Any) -> bool:
    if type(node).__name__ == "InitList":
        return all(map(_zero, node.exprs))
    return type(node).__name__ == "Constant" and node.type in ("int", "double") and float(node.value) == 0.0


def converted(x: Expression, base: str) -> Expression:
    """A scalar as one of another type."""
    if x.type.base == base:
        return x
    if x.type.shape or not x.type.scalar or CHAR in (x.type.base, base) or (x.type.base, base) == (DOUBLE, INT):
        raise NotTranslated(f"{x} is no {base}")
    if isinstance(x, CNumber) and base == DOUBLE:
        return CNumber(f"{x.text}.0", Type(DOUBLE))
    if isinstance(x, Unary) and x.op == "-":
        return Unary("-", converted(x.operand, base), Type(base))
    if isinstance(x, CChoice) and base != BOOL:
        return CChoice(x.condition, converted(x.yes, base), converted(x.no, base), Type(base))
    return Convert(x, Type(base))
