"""Reads a C program: structs, constants and functions with their statements."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from symoro.emit.translate.effects import changed, names
from symoro.emit.translate.expressions import LIBRARY, TRUE, CNames, NotTranslated, converted, zero
from symoro.emit.translate.syntax import (
    BOOL,
    DOUBLE,
    INT,
    Assign,
    Binary,
    Block,
    CConstant,
    CFunction,
    CNumber,
    Count,
    CParameter,
    CScope,
    CSource,
    Declare,
    Do,
    Expression,
    If,
    Jump,
    Name,
    Remark,
    Return,
    Statement,
    Struct,
    Type,
    While,
)

_REMARK = re.compile(r"/\*.*?\*/", re.DOTALL)
_CONDITIONAL = re.compile(r"^#ifdef __cplusplus\n.*?^#endif\n", re.DOTALL | re.MULTILINE)
_DEFINE = re.compile(r"^#define (\w+) (\S.*)$", re.MULTILINE)
_DIRECTIVE = re.compile(r"^#.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CodeText:
    """`alone` are remarks in lines of their own, by the line after them; `beside` are those behind code, by line."""

    code: str
    constants: dict[str, str]
    alone: dict[int, str]
    beside: dict[int, str]

    def remark(self, line: int) -> str:
        """What is said about the code that begins in a line; nothing is said twice."""
        remarks = self.alone.pop(line, ""), self.beside.pop(line, "")
        return "\n".join(text for text in remarks if text)


def read_text(text: str) -> CodeText:
    """The parts of a text; the code keeps its lines."""
    text = _CONDITIONAL.sub(lambda match: "\n" * match[0].count("\n"), text)
    alone: dict[int, str] = {}
    beside: dict[int, str] = {}
    for match in _REMARK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        if before:
            beside[line] = _words(match[0])
        else:
            after = line + match[0].count("\n") + 1
            if not text[match.end() :].startswith("\n\n"):
                alone[after] = "\n".join(filter(None, (alone.pop(line, ""), _words(match[0]))))
    code = _REMARK.sub(lambda match: "\n" * match[0].count("\n"), text)
    constants = {name: value.strip() for name, value in _DEFINE.findall(code)}
    return CodeText(_DIRECTIVE.sub("", code), constants, alone, beside)


def _words(remark: str) -> str:
    """The lines of a remark without what marks it."""
    lines = remark.removeprefix("/**<").removeprefix("/**").removeprefix("/*").removesuffix("*/").strip().split("\n")
    return "\n".join(line.strip().removeprefix("* ").removeprefix("*").rstrip("- ") for line in lines)


_ONE = CNumber("1", Type(INT))


def read(text: str) -> CSource:
    """The program of a text in C."""
    from pycparser.c_parser import CParser  # only who translates needs it

    known = read_text(text)
    source = CSource()
    for name, value in known.constants.items():
        base = INT if value.isdigit() else DOUBLE
        source.constants[name] = CConstant(name, Type(base), CNumber(value, Type(base)))
    reader = Reader(source, known)
    for node in CParser().parse(known.code).ext:
        reader.external(node)
    return source


class Reader:
    """Reads what is declared, one after the other; what is used is known before."""

    def __init__(self, source: CSource, text: CodeText) -> None:
        self.source, self.text, self.result = source, text, Type("void")

    def external(self, node: Any) -> None:
        kind, remark = type(node).__name__, self.text.remark(node.coord.line)
        if kind == "Typedef":
            self._struct(node, remark)
        elif kind == "FuncDef":
            self._function(node, remark)
        elif type(node.type).__name__ == "Enum":
            for item in node.type.values.enumerators:
                number = CNumber(item.value.value, Type(INT))
                self.source.constants[item.name] = CConstant(item.name, Type(INT), number)
        elif node.init is not None:
            scope, kind_of = CNames(self.source), self._type(node.type)
            value = scope.listed(node.init, kind_of)
            self.source.constants[node.name] = CConstant(
                node.name, kind_of, value, remark, "static" not in node.storage
            )

    def _struct(self, node: Any, remark: str) -> None:
        fields = [(f.name, self._type(f.type), self.text.remark(f.coord.line)) for f in node.type.type.decls]
        self.source.structs[node.name] = Struct(node.name, tuple(fields), remark)

    def _type(self, node: Any) -> Type:
        kind = type(node).__name__
        if kind == "ArrayDecl":
            inner = self._type(node.type)
            size = None if node.dim is None else CNames(self.source).number(node.dim)
            return Type(inner.base, (size, *inner.shape))
        if kind == "PtrDecl":
            return self._type(node.type)
        name = node.type.names[0]
        if name not in (INT, DOUBLE, "char", "void") and name not in self.source.structs:
            raise NotTranslated(f"{node.coord}: the type {name} is not known")
        return Type(name)

    def _function(self, node: Any, remark: str) -> None:
        declared = node.decl.type
        named = [p for p in (declared.args.params if declared.args else ()) if p.name is not None]
        parameters = [
            CParameter(p.name, self._type(p.type), type(p.type).__name__ in ("PtrDecl", "ArrayDecl")) for p in named
        ]
        scope = CNames(self.source, {p.name: Name(p.name, p.type) for p in parameters})
        self.result = self._type(declared.type)
        body = self._block(node.body, scope)
        written = changed(body, self.source.functions)
        if by_value := [p.name for p in parameters if p.name in written and not p.reference]:
            raise NotTranslated(f"{node.coord}: {node.decl.name} changes its parameter {by_value[0]}")
        self.source.functions[node.decl.name] = CFunction(
            node.decl.name,
            self.result,
            tuple(replace(p, written=p.name in written) for p in parameters),
            body,
            remark,
            "static" not in node.decl.storage,
        )

    def _block(self, node: Any, scope: CNames) -> Block:
        nodes = (node.block_items or ()) if type(node).__name__ == "Compound" else (node,)
        inner, statements = scope.inner(), list[Statement]()
        for each in nodes:
            if remark := self.text.remark(each.coord.line):
                statements.append(Remark(remark))
            statements += self._statement(each, inner)
        return tuple(statements)

    def _statement(self, node: Any, scope: CNames) -> list[Statement]:
        kind = type(node).__name__
        method = getattr(self, f"_{kind.lower()}", None)
        if method is None:
            raise NotTranslated(f"{node.coord}: {kind} is not translated as a statement")
        return method(node, scope)  # type: ignore[no-any-return]

    def _decl(self, node: Any, scope: CNames) -> list[Statement]:
        if type(node.type).__name__ == "PtrDecl":  # a name for a part of something
            scope.variables[node.name] = scope.read(node.init)
            return []
        kind = self._type(node.type)
        value = None if node.init is None else scope.listed(node.init, kind)
        scope.variables[node.name] = Name(node.name, kind)
        return [Declare(node.name, kind, value)]

    def _assignment(self, node: Any, scope: CNames) -> list[Statement]:
        target, value = scope.read(node.lvalue), scope.read(node.rvalue)
        if node.op == "|=":
            return [If(converted(value, BOOL), (Assign(target, "=", _ONE),))]
        return [Assign(target, node.op, converted(value, target.type.base) if target.type.scalar else value)]

    def _unaryop(self, node: Any, scope: CNames) -> list[Statement]:
        return [Assign(scope.read(node.expr), {"+": "+=", "-": "-="}[node.op[-1]], _ONE)]

    def _funccall(self, node: Any, scope: CNames) -> list[Statement]:
        name = node.name.name
        if name not in ("memcpy", "memmove", "memset"):
            call = scope.read(node)
            assert name not in LIBRARY
            return [Do(call)]  # type: ignore[arg-type]
        target = scope.read(node.args.exprs[0])
        value = zero(target.type) if name == "memset" else scope.read(node.args.exprs[1])
        if value.type != target.type or scope.size(node.args.exprs[2]) != scope.scalars(target.type):
            raise NotTranslated(f"{node.coord}: {name} is for whole things of one type")
        return [Assign(target, "=", value)]

    def _if(self, node: Any, scope: CNames) -> list[Statement]:
        no = self._block(node.iffalse, scope) if node.iffalse else ()
        return [If(scope.truth(node.cond), self._block(node.iftrue, scope), no)]

    def _while(self, node: Any, scope: CNames) -> list[Statement]:
        return [While(scope.truth(node.cond), self._block(node.stmt, scope))]

    def _for(self, node: Any, scope: CNames) -> list[Statement]:
        scope, start = scope.inner(), list[Statement]()
        for each in getattr(node.init, "decls", [node.init] if node.init else []):
            start += self._statement(each, scope)
        condition = scope.truth(node.cond) if node.cond else TRUE
        body = self._block(node.stmt, scope)
        step = self._statement(node.next, scope) if node.next else []
        counted = self._counted(start, condition, step, body)
        ends = bool(body) and isinstance(body[-1], Return | Jump)
        loop = While(condition, (*_before_continue(body, step), *([] if ends else step)))
        whole = counted or [*start, loop]
        return whole if len(whole) == 1 else [CScope(tuple(whole))]

    def _counted(
        self, begin: list[Statement], condition: Expression, step: list[Statement], body: Block
    ) -> list[Statement] | None:
        """The loop as one that counts, if it is one."""
        if not (isinstance(condition, Binary) and condition.op in ("<", "<=") and isinstance(condition.left, Name)):
            return None
        name, end = condition.left, condition.right
        first = [s for s in begin if isinstance(s, Declare) and s.name == name.name]
        if step != [Assign(name, "+=", _ONE)] or not first or first[0].value is None:
            return None
        if changed(body, self.source.functions) & ({name.name} | names(end)):
            return None
        if condition.op == "<=":
            end = Binary("+", end, _ONE, end.type)
        return [*(s for s in begin if s != first[0]), Count(name.name, first[0].value, end, body)]

    def _break(self, node: Any, scope: CNames) -> list[Statement]:
        return [Jump("break")]

    def _continue(self, node: Any, scope: CNames) -> list[Statement]:
        return [Jump("continue")]

    def _return(self, node: Any, scope: CNames) -> list[Statement]:
        if node.expr is None:
            return [Return()]
        value = scope.read(node.expr)
        return [Return(converted(value, self.result.base) if self.result.scalar else value)]

    def _compound(self, node: Any, scope: CNames) -> list[Statement]:
        return list(self._block(node, scope))


def _before_continue(block: Block, step: list[Statement]) -> Block:
    """The body of a loop whose step is done before it goes on."""
    statements = list[Statement]()
    for statement in block:
        if statement == Jump("continue"):
            statements += step
        if isinstance(statement, If):
            yes, no = (_before_continue(part, step) for part in (statement.yes, statement.no))
            statement = If(statement.condition, yes, no)
        statements.append(statement)
    return tuple(statements)
