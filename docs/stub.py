"""Writes src/symoro/__init__.pyi, the types and help of every public name: python docs/stub.py [--check].

The functions of the models are made when they are asked for, so that editors and type checkers cannot see them. The
stub shows them: names, aliases, options with what they allow, and the help text.
"""

from __future__ import annotations

import sys
from pathlib import Path

import symoro
from symoro.models.catalogue import entries
from symoro.models.entry import Entry, Option
from symoro.models.help import text

FILE = Path(symoro.__file__).with_suffix(".pyi")
HEAD = '''"""{doc}"""

# Written by docs/stub.py: change the catalogue, and write it again.

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

{imports}

__all__ = [
{names}
]
'''
KINDS = {
    "frame": "int | str",
    "link": "int | str",
    "flag": "bool",
    "configuration": "Sequence[float]",
    "branches": "int | Sequence[int]",
}


def stub() -> str:
    """The text of the file."""
    modules = {**symoro._LAZY, "SymoroError": "symoro.errors"}
    imports = "\n".join(f"from {modules[name]} import {name} as {name}" for name in sorted(modules, key=modules.get))
    names = "\n".join(f'    "{name}",' for name in symoro.__all__)
    head = HEAD.format(doc=(symoro.__doc__ or "").strip() + "\n", imports=imports, names=names)
    return "\n".join([head, *map(function, entries())])


def function(entry: Entry) -> str:
    """The model's function with its help, and its aliases."""
    options = [f"    {option.name}: {annotation(option)}," for option in entry.all_options]
    doc = "\n".join(f"    {line}".rstrip() for line in text(entry).splitlines()).strip()
    aliases = "".join(f"{alias} = {entry.name}\n" for alias in entry.aliases)
    head = [f"def {entry.name}(", "    robot: Robot | str | Path,", *options, ") -> Model:"]
    return "\n".join([*head, f'    """{doc}\n    """\n']) + (f"\n{aliases}" if aliases else "")


def annotation(option: Option) -> str:
    """The type of an option, and its default."""
    kind = KINDS.get(option.kind) or f"Literal[{', '.join(_quoted(option.choices))}]"
    kind = f"bool | {kind}" if option.kind == "effort" else kind
    if option.required:
        return kind
    return f"{kind} | None = None" if option.default is None else f"{kind} = {_literal(option.default)}"


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _quoted(choices: tuple[str, ...]) -> list[str]:
    return [f'"{choice}"' for choice in choices]


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        return int(not FILE.exists() or FILE.read_text(encoding="utf-8") != stub())
    FILE.write_text(stub(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
