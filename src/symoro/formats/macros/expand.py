"""Expands the tags of xacro: property, arg, include, macro, insert_block, if, unless, element, attribute, call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from symoro.findings import Finding
from symoro.formats._report import MAX_TEXT, Report
from symoro.formats._xml import MAX_ELEMENTS, Element, parse
from symoro.formats.macros.expressions import ExpressionError
from symoro.formats.macros.roots import OutsideError
from symoro.formats.macros.scope import Globals, Macro, Scope

# The parameters of a macro: names, `*block`, `**contents`, and defaults such as `length:=0.3`, `prefix:=^|''`.


_VALUE = r"(?:\^\|?)?(?:'[^']*'|\$\{[^}]*\}|\$\([^)]*\)|[^\s'$])*"
_PARAMETER = re.compile(rf"\s*(?P<name>\*{{0,2}}[^\s:=]+)(?::?=(?P<default>{_VALUE}))?")


def macro_of(element: Element) -> Macro:
    """The macro that an element defines."""
    name = element.get("name").removeprefix("xacro:")
    if not name:
        raise ExpressionError("xacro.unnamed")
    return Macro(name, dict(_parameters(element.get("params"))), element.children)


def _parameters(text: str) -> list[tuple[str, str | None]]:
    parameters, rest = [], text.strip()
    while rest:
        match = _PARAMETER.match(rest)
        if match is None or not match[0]:
            raise ExpressionError("xacro.parameter", text=rest[:40])
        parameters.append((match["name"], match["default"]))
        rest = rest[match.end() :].strip()
    return parameters


def pieces(default: str) -> tuple[bool, str | None]:
    """Whether a default takes the value of the scope around (^), and its own text, if there is one."""
    outer = default.startswith("^")
    text: str | None = default[1:].lstrip("|") if outer else default
    if outer and not default.startswith("^|"):
        text = None
    if text is not None and len(text) > 1 and text[0] == text[-1] == "'":
        text = text[1:-1]
    return outer, text


MAX_INCLUDES, MAX_CALLS = 20, 100
PREFIX = "xacro:"
_Handler = Callable[["Expander", Element, Scope], Iterator[Element]]


class Expander:
    """Expands elements; the report gets what cannot be expanded, with its file and line."""

    def __init__(self, shared: Globals, report: Report) -> None:
        self.shared, self.report = shared, report
        self.count = self.calls = 0
        self.files = shared.files

    def root(self, element: Element) -> Element:
        """The robot element without any xacro tag."""
        target = Element(element.tag, dict(element.attributes), element.line)
        scope = Scope(self.shared)
        try:
            self._fill(target, element, scope)
        except (ExpressionError, OutsideError) as error:  # in an attribute of the robot element itself
            self._stop(error.finding, element)
        except RecursionError:
            self.report.add(Finding("xacro.nested"))
        self.report.raise_errors()
        return target

    def _fill(self, target: Element, element: Element, scope: Scope) -> None:
        """The attributes and children of an element, expanded."""
        for name, text in element.attributes.items():
            if not name.startswith(("xmlns", PREFIX)):
                target.attributes[name] = str(self._text(text, element, scope))
            else:
                target.attributes.pop(name, None)
        target.text = element.text
        for child in self.expanded(element.children, scope):
            if child.tag == f"{PREFIX}attribute":
                target.attributes[child.get("name")] = child.get("value")
            else:
                target.children.append(child)

    def expanded(self, elements: list[Element], scope: Scope) -> Iterator[Element]:
        for element in elements:
            self.count += 1
            if self.count > MAX_ELEMENTS:
                self._stop(Finding("xacro.elements", most=MAX_ELEMENTS), element)
            try:
                yield from self._one(element, scope)
            except (ExpressionError, OutsideError) as error:
                self._stop(error.finding, element)

    def _stop(self, reason: Finding, element: Element) -> None:
        self.report.add(Finding("files.key", key=f"<{element.tag}>", reason=reason), element.line)
        self.report.raise_errors()

    def _one(self, element: Element, scope: Scope) -> Iterator[Element]:
        tag = element.tag
        if not tag.startswith(PREFIX):
            target = Element(tag, {}, element.line)
            self._fill(target, element, scope)
            yield target
        elif (handler := _HANDLERS.get(tag[len(PREFIX) :])) is not None:
            yield from handler(self, element, scope)
        else:
            yield from self._call(tag[len(PREFIX) :], element, scope)

    def _text(self, text: str, element: Element, scope: Scope) -> object:
        return scope.text(text) if "$" in text else text

    # the tags

    def _property(self, element: Element, scope: Scope) -> Iterator[Element]:
        name, target = str(self._text(element.get("name"), element, scope)), scope
        if element.get("scope") == "parent":
            target = scope.around or scope
        while element.get("scope") == "global" and target.around is not None:
            target = target.around
        if "value" in element.attributes:
            value = scope.text(element.get("value")) if "$" in element.get("value") else element.get("value")
            target.properties[name] = value
        elif "default" in element.attributes:
            try:
                scope.find(name)
            except ExpressionError:
                target.properties[name] = element.get("default")
        else:
            target.blocks[name] = element.children
        yield from ()

    def _arg(self, element: Element, scope: Scope) -> Iterator[Element]:
        if "default" in element.attributes:
            default = str(scope.text(element.get("default")))
            self.shared.arguments.setdefault(element.get("name"), default)
        yield from ()

    def _include(self, element: Element, scope: Scope) -> Iterator[Element]:
        name = str(scope.text(element.get("filename")))
        if len(self.files) >= MAX_INCLUDES:
            raise ExpressionError("xacro.includes", most=MAX_INCLUDES)
        real = self.shared.find(name)
        if real.stat().st_size > 4 * MAX_TEXT:
            raise OutsideError("xacro.large_file", file=name, most=MAX_TEXT)
        text = real.read_bytes().decode("utf-8", errors="replace")
        self.files.append(real)
        yield from self.expanded(parse(text, self.report, str(real)).children, scope)
        self.files.pop()

    def _macro(self, element: Element, scope: Scope) -> Iterator[Element]:
        macro = macro_of(element)
        self.shared.macros[macro.name] = macro
        yield from ()

    def _insert(self, element: Element, scope: Scope) -> Iterator[Element]:
        yield from self.expanded(scope.block(str(scope.text(element.get("name")))), scope)

    def _if(self, element: Element, scope: Scope) -> Iterator[Element]:
        if scope.true(element.get("value")):
            yield from self.expanded(element.children, scope)

    def _unless(self, element: Element, scope: Scope) -> Iterator[Element]:
        if not scope.true(element.get("value")):
            yield from self.expanded(element.children, scope)

    def _element(self, element: Element, scope: Scope) -> Iterator[Element]:
        target = Element(str(scope.text(element.get(f"{PREFIX}name"))), {}, element.line)
        self._fill(target, element, scope)
        yield target

    def _attribute(self, element: Element, scope: Scope) -> Iterator[Element]:
        value = {"name": element.get("name"), "value": str(scope.text(element.get("value")))}
        yield Element(element.tag, value, element.line)

    def _dynamic(self, element: Element, scope: Scope) -> Iterator[Element]:
        yield from self._call(str(scope.text(element.get("macro"))), element, scope)

    def _call(self, name: str, element: Element, scope: Scope) -> Iterator[Element]:
        macro = self.shared.macros.get(name)
        if macro is None:
            if not self.shared.macros:
                raise ExpressionError("xacro.no_macros", name=name)
            raise ExpressionError("xacro.no_macro", name=name, known=self.shared.macros)
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise ExpressionError("xacro.calls", most=MAX_CALLS)
        yield from list(self.expanded(macro.body, self._inside(macro, element, scope)))
        self.calls -= 1

    def _inside(self, macro: Macro, element: Element, scope: Scope) -> Scope:
        """The scope of a macro's body: its parameters."""
        inside = Scope(self.shared, scope)
        arguments = {
            name: scope.text(text) for name, text in element.attributes.items() if not name.startswith("xmlns")
        }
        blocks = list(self.expanded(element.children, scope))
        for name, default in macro.params.items():
            if name.startswith("*"):
                if not blocks:
                    raise ExpressionError("xacro.needs_block", macro=macro.name, name=name)
                block = blocks.pop(0)
                inside.blocks[name.lstrip("*")] = block.children if name.startswith("**") else [block]
            elif name in arguments and name != "macro":
                inside.properties[name] = arguments.pop(name)
            else:
                inside.properties[name] = _default(macro, name, default, scope)
        if unknown := [name for name in arguments if name not in macro.params and name != "macro"]:
            raise ExpressionError("xacro.no_parameter", macro=macro.name, names=unknown)
        return inside


def _default(macro: Macro, name: str, default: str | None, scope: Scope) -> object:
    if default is None:
        raise ExpressionError("xacro.needs_parameter", macro=macro.name, name=name)
    outer, text = pieces(default)
    if outer:
        try:
            return scope.find(name)
        except ExpressionError:
            if text is None:
                raise
    return scope.text(text or "")


_HANDLERS: dict[str, _Handler] = {
    "property": Expander._property,
    "arg": Expander._arg,
    "include": Expander._include,
    "macro": Expander._macro,
    "insert_block": Expander._insert,
    "if": Expander._if,
    "unless": Expander._unless,
    "element": Expander._element,
    "attribute": Expander._attribute,
    "call": Expander._dynamic,
}
