"""The method as one text of Python that needs NumPy alone: what generated code in Python contains."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from symoro.findings import rows
from symoro.runtime.threads import PARSING

#: The modules of the method, each after those that it needs.
_MODULES = """
    representation arrangement pencil polish elimination backsubstitution chain translations distinct continuum solve
"""
_REPEATED = "Array = NDArray[Any]"  # each module has it
#: The codes of what errors of the method say.
_CODE = re.compile(r'Error\(\s*"positions\.(\w+)"')


@dataclass(frozen=True, slots=True)
class Packed:
    """The imports of other packages, and the code of all modules with their docstrings as comments."""

    imports: str
    code: str


@cache
def packed() -> Packed:
    """The method, without the imports of its modules from each other and of errors."""
    with PARSING:
        return _packed()


def _packed() -> Packed:
    texts = {name: _source(name) for name in _MODULES.split()}
    defined = Counter(name for text in texts.values() for name in _defined(ast.parse(text)))
    imports, parts = set[str](), [_REPEATED]
    for module, text in texts.items():
        tree = ast.parse(text)
        for name in _defined(tree):
            if defined[name] > 1:  # private names of several modules would be one here
                assert name.startswith("_"), name
                text = re.sub(rf"(?<![\w.]){name}\b", f"_{module}{name}", text)
        about = [f"# {line}".rstrip() for line in (ast.get_docstring(tree) or "").split("\n")]
        used = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        imports |= {ast.unparse(node) for node in used if not _own(node)}
        rest = text.split("\n")[max(node.end_lineno or 0 for node in used) :]
        code = "\n".join(line for line in rest if line != _REPEATED).strip("\n")
        parts.append("\n".join(["# ----", *about]) + f"\n\n{code}")
    codes = sorted({code for part in parts for code in _CODE.findall(part)})
    sentences = "".join(f"    {f'positions.{code}'!r}: {rows('positions')[code].texts['en']!r},\n" for code in codes)
    parts.insert(0, f"#: What errors say.\nSENTENCES = {{\n{sentences}}}")
    plain = sorted(imports, key=lambda line: ("numpy" in line, line.startswith("from"), line))
    return Packed("\n".join(plain), "\n\n\n".join(parts))


def _source(name: str) -> str:
    """The text of a module; properties that are computed once are those of the standard library there."""
    text = inspect.getsource(import_module(f"{__package__}.{name}"))
    return text.replace("from symoro.lazy import lazy", "from functools import cached_property as lazy")


def _own(node: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("symoro", "__future__"))


def _defined(tree: ast.Module) -> Iterator[str]:
    """The names that a module defines, but for the repeated one."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        for target in targets:
            yield from (x.id for x in ast.walk(target) if isinstance(x, ast.Name) and x.id != _REPEATED.split()[0])
