"""Writes src/symoro/__init__.pyi, the types and help of every public name: python docs/stub.py [--check].

The functions of the models are made when they are asked for, so that editors and type checkers cannot see them. The
stub shows them: names, aliases, options with what they allow, and the help text.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path

import symoro
from symoro.models.catalogue import entries
from symoro.models.entry import Entry, ModelOption
from symoro.models.help import text

FILE = Path(symoro.__file__).with_suffix(".pyi")
HEAD = '''"""{doc}"""

# Written by docs/stub.py: change the catalogue, and write it again.

{imports}

__all__ = [
{names}
]
'''
#: Names in annotations that are not those of symoro.
OTHERS = {
    "Callable": "collections.abc",
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "Path": "pathlib",
    "Any": "typing",
    "Literal": "typing",
    "ArrayLike": "numpy.typing",
    "Controller": "symoro.motion.controller",
    "Law": "symoro.motion.scenario",
    "Singularities": "symoro.models.kinematic.singularities",
    "Source": "symoro.identification.process.measurements",
    "Stop": "symoro.motion.fixed",
    "Target": "symoro.motion.pose_path",
    "Trajectory": "symoro.motion.trajectory",
    "Wrench": "symoro.motion.scenario",
}


def stub() -> str:
    """The text of the file."""
    modules = {**symoro._LAZY, "SymoroError": "symoro.errors"}
    optioned = [getattr(symoro, name) for name in modules if hasattr(getattr(symoro, name), "schema")]
    body = "\n".join([*map(with_options, optioned), *map(function, entries())])
    for of in optioned:
        del modules[of.__name__]
    classes = {name: module for of in optioned for name, module in classes_of(of).items()}
    used = {name: module for name, module in (OTHERS | classes).items() if re.search(rf"\b{name}\b", body)}
    plain: dict[str, list[str]] = {}
    for name, module in used.items():
        if name not in modules:
            plain.setdefault(module, []).append(name)
    ours = {module for module in plain if module.startswith("symoro")}
    lines = [f"from {module} import {', '.join(sorted(plain[module]))}" for module in ours]
    lines += [f"from {module} import {name}" for module in plain.keys() - ours for name in plain[module]]
    lines += [f"from {module} import {name} as {name}" for name, module in modules.items()]
    names = "\n".join(f'    "{name}",' for name in symoro.__all__)
    return (
        HEAD.format(doc=(symoro.__doc__ or "").strip() + "\n", imports=sorted_imports(lines), names=names) + "\n" + body
    )


def sorted_imports(lines: list[str]) -> str:
    """Imports in the order that ruff asks for: of the standard library, of NumPy, of ours."""
    ours = sorted((line for line in lines if " symoro" in line), key=lambda line: line.split()[1:4:2])
    numpy = [line for line in lines if " numpy" in line]
    standard: dict[str, list[str]] = {}
    for line in sorted(line for line in lines if line not in (*ours, *numpy)):
        standard.setdefault(line.split()[1], []).append(line.split()[3])
    first = [f"from {module} import {', '.join(sorted(names))}" for module, names in standard.items()]
    return "\n\n".join("\n".join(part) for part in (first, numpy, ours) if part)


def classes_of(of: Callable[..., object]) -> dict[str, str]:
    """The classes that annotations of a function name, with the modules that define them."""
    names = set(re.findall(r"\w+", " ".join(map(str, of.__annotations__.values()))))
    known = vars(sys.modules[of.__module__])
    kinds = {name: known[name] for name in names if isinstance(known.get(name), type)}
    return {name: kind.__module__ for name, kind in kinds.items() if kind.__module__.startswith("symoro.")}


def with_options(of: Callable[..., object]) -> str:
    """A function whose options are those of a schema."""
    parameters, keywords = [], False
    for p in inspect.signature(of).parameters.values():
        if p.kind is inspect.Parameter.KEYWORD_ONLY and not keywords:
            parameters.append("    *,")
            keywords = True
        default = "" if p.default is inspect.Parameter.empty else f" = {_literal(p.default)}"
        parameters += _parameter(f"    {p.name}: {p.annotation}{default},")
    doc = "\n".join(f"    {line}".rstrip() for line in (inspect.getdoc(of) or "").splitlines()).strip()
    head = [f"def {of.__name__}(", *parameters, f") -> {of.__annotations__['return']}:"]
    return "\n".join([*head, f'    """{doc}{_end(doc)}"""\n'])


def function(entry: Entry) -> str:
    """The model's function with its help, and its aliases."""
    options = [f"    {option.name}: {annotation(option)}," for option in entry.all_options]
    doc = "\n".join(f"    {line}".rstrip() for line in text(entry).splitlines()).strip()
    aliases = "".join(f"{alias} = {entry.name}\n" for alias in entry.aliases)
    head = [f"def {entry.name}(", "    robot: Robot | str | Path,", *options, ") -> Model:"]
    return "\n".join([*head, f'    """{doc}{_end(doc)}"""\n']) + (f"\n{aliases}" if aliases else "")


def annotation(option: ModelOption) -> str:
    """The type of an option, and its default."""
    kind = option.kind.annotation
    return kind if option.required else f"{kind} = {_literal(option.default)}"


def _parameter(line: str) -> list[str]:
    """The line of a parameter; each word of a long literal has a line of its own."""
    if len(line) <= 120:
        return [line]
    head, _, rest = line.partition("[")
    words, _, tail = rest.rpartition("]")
    ends = ["    ]", f"    {tail[1:]}"] if tail.startswith(" |") else [f"    ]{tail}"]  # as ruff writes it
    return [f"{head}[", *(f"        {word}," for word in words.split(", ")), *ends]


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _end(doc: str) -> str:
    """What stands before the closing quotes of a help text: a line break behind several lines."""
    return "\n    " if "\n" in doc else ""


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        return int(not FILE.exists() or FILE.read_text(encoding="utf-8") != stub())
    FILE.write_text(stub(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
