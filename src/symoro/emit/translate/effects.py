"""What a piece of a program changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symoro.emit.translate.syntax import (
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
    Declare,
    Do,
    Expression,
    If,
    Listed,
    Name,
    Return,
    Statement,
    Unary,
    While,
)


def root(target: Expression) -> str:
    """The variable of which a target is a part."""
    while isinstance(target, At | CPart | CFlat):
        target = target.base
    assert isinstance(target, Name), target
    return target.name


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions from which one is made."""
    match expression:
        case At(base, index):
            return base, index
        case CPart(base) | CFlat(base):
            return (base,)
        case CCall(_, items) | Listed(items):
            return items
        case Unary(_, operand) | Convert(operand):
            return (operand,)
        case Binary(_, left, right):
            return left, right
        case CChoice(condition, yes, no):
            return condition, yes, no
    return ()


def inside(expression: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of."""
    yield expression
    for part in parts(expression):
        yield from inside(part)


def names(expression: Expression) -> set[str]:
    """The variables that an expression reads."""
    return {x.name for x in inside(expression) if isinstance(x, Name)}


def blocks(statement: Statement) -> tuple[Block, ...]:
    match statement:
        case If(_, yes, no):
            return yes, no
        case Count(_, _, _, body) | While(_, body) | CScope(body):
            return (body,)
    return ()


def expressions(statement: Statement) -> tuple[Expression, ...]:
    """The expressions of a statement, without those of the statements in it."""
    match statement:
        case Declare(_, _, value) | Return(value):
            return () if value is None else (value,)
        case Assign(target, _, value):
            return target, value
        case Do(call):
            return (call,)
        case If(condition) | While(condition):
            return (condition,)
        case Count(_, first, end):
            return first, end
    return ()


def statements(block: Block) -> Iterator[Statement]:
    """All statements of a block, with those inside others."""
    for statement in block:
        yield statement
        for inner in blocks(statement):
            yield from statements(inner)


def changed(block: Block, functions: Mapping[str, CFunction]) -> set[str]:
    """The variables that a block changes after their declaration."""
    changes: set[str] = set()
    for statement in statements(block):
        if isinstance(statement, Assign):
            changes.add(root(statement.target))
        for expression in expressions(statement):
            for part in inside(expression):
                if isinstance(part, CCall) and part.name in functions:
                    changes |= {root(argument) for argument in given_back(part, functions)}
    return changes


def given_back(call: CCall, functions: Mapping[str, CFunction]) -> list[Expression]:
    """The arguments that a call changes."""
    function = functions.get(call.name)
    parameters = function.parameters if function else ()
    return [a for a, p in zip(call.arguments, parameters, strict=bool(function)) if p.written]
