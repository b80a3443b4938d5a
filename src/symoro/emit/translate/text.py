"""The text of a C program without its remarks and directives, which are kept apart."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
