"""Rewrites programs for languages without `a ? b : c`, or in which a call that changes its arguments is a statement.

What an expression cannot hold goes into variables before its statement. The order in which C evaluates is kept, and
what C does not evaluate is not evaluated: the index of an array may be outside it then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from symoro.emit.translate.effects import blocks, given_back, inside, parts
from symoro.emit.translate.expressions import TRUE, negated
from symoro.emit.translate.syntax import (
    BOOL,
    VOID,
    Assign,
    At,
    Binary,
    Block,
    CCall,
    CChoice,
    CFlat,
    CFunction,
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
    Listed,
    Name,
    Return,
    Statement,
    Type,
    Unary,
    While,
)


def lowered(source: CSource, lazy: bool) -> CSource:
    """The program; `lazy` says that the language's "and" and "or" do not evaluate more than they need."""
    functions = {name: _Lower(source.functions, lazy).function(f) for name, f in source.functions.items()}
    return replace(source, functions=functions)


@dataclass(slots=True)
class _Lower:
    functions: Mapping[str, CFunction]
    lazy: bool
    new_variables: int = 0
    before: list[Statement] = field(default_factory=list)

    def function(self, function: CFunction) -> CFunction:
        return replace(function, body=self.block(function.body))

    def block(self, block: Block) -> Block:
        lowered = list[Statement]()
        for statement in block:
            lowered += self.statement(statement)
        return tuple(lowered)

    def statement(self, s: Statement) -> list[Statement]:
        """The statements in the place of one."""
        if isinstance(s, While):
            return [self.loop(s)]
        if isinstance(s, Declare | Assign | Return) and isinstance(s.value, CChoice):
            return self.chosen(s, s.value)
        outer, self.before = self.before, []
        simple = self.simple(s)
        result = [*self.before, simple]
        self.before = outer
        return result

    def simple(self, s: Statement) -> Statement:
        """A statement whose expressions are simple; what they need is put into `before`."""
        match s:
            case Declare(name, kind, value) if value is not None:
                return Declare(name, kind, self.value(value))
            case Assign(target, op, value):
                return Assign(self.simplified(target), op, self.value(value) if op == "=" else self.simplified(value))
            case Do(call) if call.type != Type(VOID):  # the result is not used
                self.new_variables += 1
                self.before.append(Declare(f"unused{self.new_variables}", call.type))
                return Assign(Name(f"unused{self.new_variables}", call.type), "=", self.arguments(call))
            case Do(call):
                return Do(self.arguments(call))
            case Return(value) if value is not None:
                return Return(self.simplified(value))
            case If(condition):
                condition = self.simplified(condition)
                return If(condition, *(self.block(part) for part in blocks(s)))
            case Count(name, first, end, body):
                return Count(name, self.simplified(first), self.simplified(end), self.block(body))
            case CScope(body):
                return CScope(self.block(body))
        return s

    def value(self, x: Expression) -> Expression:
        """A call may be the whole right side of an assignment."""
        return self.arguments(x) if isinstance(x, CCall) else self.simplified(x)

    def arguments(self, call: CCall) -> CCall:
        return replace(call, arguments=tuple(map(self.simplified, call.arguments)))

    def chosen(self, s: Declare | Assign | Return, value: CChoice) -> list[Statement]:
        """A statement for each case of a choice."""
        one: Callable[[Expression], Statement]
        declared = list[Statement]()
        if isinstance(s, Declare):
            declared, target = [Declare(s.name, s.type)], Name(s.name, s.type)
            one = lambda x: Assign(target, "=", x)  # noqa: E731
        else:
            one = lambda x: replace(s, value=x)  # noqa: E731
        return [*declared, *self.statement(If(value.condition, (one(value.yes),), (one(value.no),)))]

    def loop(self, s: While) -> While:
        outer, self.before = self.before, []
        condition = self.simplified(s.condition)
        before, self.before = self.before, outer
        if not before:
            return While(condition, self.block(s.body))
        return While(TRUE, (*before, If(negated(condition), (Jump("break"),)), *self.block(s.body)))

    def simplified(self, x: Expression) -> Expression:
        match x:
            case CChoice():
                return self.variable(x.type, lambda target: self.statement(Assign(target, "=", x)))
            case CCall() if given_back(x, self.functions):
                call = self.arguments(x)
                return self.variable(x.type, lambda target: [Assign(target, "=", call)])
            case CCall():
                return self.arguments(x)
            case Binary("&&" | "||", left, right) if self.careful(right):
                return self.variable(Type(BOOL), lambda target: self.stepwise(target, x.op, left, right))
            case Binary(op, left, right):
                return Binary(op, self.simplified(left), self.simplified(right), x.type)
            case Unary(op, operand):
                return Unary(op, self.simplified(operand), x.type)
            case Convert(operand):
                return Convert(self.simplified(operand), x.type)
            case At(base, index):
                return At(self.simplified(base), self.simplified(index), x.type)
            case CPart(base, name):
                return CPart(self.simplified(base), name, x.type)
            case CFlat(base):
                return CFlat(self.simplified(base), x.type)
            case Listed(items):
                return Listed(tuple(map(self.simplified, items)), x.type)
        return x

    def careful(self, x: Expression) -> bool:
        """Whether something must not be evaluated in vain, or cannot stay in an expression."""
        operands = list(inside(x))
        if any(isinstance(y, CChoice) or (isinstance(y, CCall) and given_back(y, self.functions)) for y in operands):
            return True
        return not self.lazy and any(isinstance(y, At) or (isinstance(y, CCall) and parts(y)) for y in operands)

    def stepwise(self, target: Name, op: str, left: Expression, right: Expression) -> list[Statement]:
        condition = target if op == "&&" else negated(target)
        first, then = Assign(target, "=", left), Assign(target, "=", right)
        return [*self.statement(first), *self.statement(If(condition, (then,)))]

    def variable(self, kind: Type, value: Callable[[Name], list[Statement]]) -> Name:
        """A new variable, which statements give its value."""
        self.new_variables += 1
        target = Name(f"value{self.new_variables}", kind)
        self.before += [Declare(target.name, kind), *value(target)]
        return target


def variables(function: CFunction) -> list[Declare]:
    """All variables of a function, each once; those that count loops too."""

    def walk(block: Block) -> list[Declare]:
        declared = list[Declare]()
        for s in block:
            if isinstance(s, Declare):
                declared.append(s)
            if isinstance(s, Count):
                declared.append(Declare(s.name, Type("int")))
            for inner in blocks(s):
                declared += walk(inner)
        return declared

    return list({(d.name, d.type): d for d in walk(function.body)}.values())
