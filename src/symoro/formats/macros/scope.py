"""Properties, arguments and macros of xacro files, and the texts that use them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symoro.formats._xml import Element
from symoro.formats.macros.data import load
from symoro.formats.macros.expressions import CONSTANTS, FILES, ExpressionError, evaluate
from symoro.formats.macros.roots import OutsideError, Roots

_PIECE = re.compile(r"\$\$+(?=[{(])|\$\{([^}]*)\}|\$\(([^)]*)\)")
_MAX_TEXT = 100_000


@dataclass(slots=True)
class Macro:
    """A macro: its parameters with their defaults (None: none), and what it inserts."""

    name: str
    params: dict[str, str | None]
    body: list[Element]


@dataclass(slots=True)
class Globals:
    """What all scopes share: arguments, macros and the folders."""

    roots: Roots
    arguments: dict[str, str]
    macros: dict[str, Macro] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)

    @property
    def here(self) -> Path:
        """The folder of the file that is expanded: that of the last one included."""
        return self.files[-1].parent if self.files else self.roots.folder

    def find(self, name: str) -> Path:
        """The path of a file by its name, from the folder of the file that names it, or in a package."""
        path = Path(name)
        if name.startswith("package://"):
            package, _, rest = name[len("package://") :].partition("/")
            path = self.roots.package(package) / rest
        return self.roots.allowed(path if path.is_absolute() else self.here / path)

    def data(self, name: Any) -> Any:
        """What a YAML file says."""
        if not isinstance(name, str):
            raise ExpressionError("xacro.no_file_name", name=name)
        try:
            return load(self.find(name))
        except OutsideError as error:
            raise ExpressionError(error.finding) from error


class Scope:
    """Names of properties and blocks; a name that is not here is looked for in the scope around it."""

    def __init__(self, shared: Globals, around: Scope | None = None) -> None:
        self.shared, self.around = shared, around
        self.properties: dict[str, Any] = {}
        self.blocks: dict[str, list[Element]] = {}
        self.busy: set[str] = set()

    def find(self, name: str) -> Any:
        """The value of a property; a text is evaluated when it is first used."""
        scope: Scope | None = self
        while scope is not None and name not in scope.properties:
            scope = scope.around
        if scope is None:
            if name in FILES:
                return self.shared.data
            if name in CONSTANTS:
                return CONSTANTS[name]
            raise ExpressionError("xacro.not_defined", name=name)
        if name in scope.busy:
            raise ExpressionError("xacro.circular", name=name)
        value = scope.properties[name]
        if isinstance(value, str):
            scope.busy.add(name)
            try:
                value = literal(scope.text(value))
            finally:
                scope.busy.discard(name)
            if not isinstance(value, str):
                scope.properties[name] = value
        return value

    def block(self, name: str) -> list[Element]:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.blocks:
                return scope.blocks[name]
            scope = scope.around
        raise ExpressionError("xacro.no_block", name=name)

    def text(self, text: str) -> Any:
        """A text with its expressions evaluated; a text that is one expression gives its value."""
        pieces: list[Any] = []
        end = 0
        for match in _PIECE.finditer(text):
            pieces += [text[end : match.start()], self._piece(match)]
            end = match.end()
        pieces = [piece for piece in (*pieces, text[end:]) if piece != ""]
        if len(pieces) == 1:
            return pieces[0]
        joined = "".join(map(_shown, pieces))
        if len(joined) > _MAX_TEXT:
            raise ExpressionError("xacro.long_text", most=_MAX_TEXT)
        return joined

    def _piece(self, match: re.Match[str]) -> Any:
        if match[1] is not None:
            inner = str(self.text(match[1])) if "$(" in match[1] else match[1]
            return evaluate(inner, self.find)
        if match[2] is not None:
            return self._substitution(match[2].split())
        return match[0][1:]

    def _substitution(self, words: list[str]) -> Any:
        match words:
            case ["arg", name]:
                if name not in self.shared.arguments:
                    raise ExpressionError("xacro.no_argument", name=name)
                return literal(self.text(self.shared.arguments[name]))
            case ["find", package]:
                try:
                    return str(self.shared.roots.package(package))
                except OutsideError as error:
                    raise ExpressionError(error.finding) from error
            case ["optenv", _, *default]:
                return " ".join(default)
            case ["dirname"]:
                return str(self.shared.roots.folder)
            case ["eval", *_]:
                return evaluate(" ".join(words[1:]), self.find)
        joined = " ".join(words)
        raise ExpressionError("xacro.substitution", words=joined)

    def true(self, text: str) -> bool:
        """Whether the value of a condition is true."""
        value = literal(self.text(text))
        if isinstance(value, bool | int | float):
            return bool(value)
        raise ExpressionError("xacro.neither", text=text)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def literal(value: Any) -> Any:
    """A text as the number or the truth value that it says; any other value as it is."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text) if "_" not in text else value
        except ValueError:
            continue
    return value
