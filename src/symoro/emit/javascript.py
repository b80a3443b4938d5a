"""JavaScript: a module with its types for TypeScript, a self-test and a package.json."""

from __future__ import annotations

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.target import Target, decimal
from symoro.ir.expr import Op
from symoro.ir.infix import Dialect

_KEYWORDS = """
    arguments await break case catch class const continue debugger default delete do else enum eval export extends false
    finally for function if implements import in instanceof interface let new null package private protected public
    return static super switch this throw true try typeof var void while with yield async of
    undefined NaN Infinity Math Number Object Array String Boolean Symbol Date JSON Map Set globalThis window self
    any unknown never number string boolean object type declare namespace module readonly
"""
#: Names that the templates use, and names of objects, which are not fields.
_OWN = """
    out parameters constants defaultParameters signOf select solve distance report failures given expected
    constructor prototype __proto__ hasOwnProperty toString valueOf
"""


def _write(package: Package) -> dict[str, str]:
    files = {
        f"{package.name}.mjs": "javascript/module.mjs",
        f"{package.name}.d.mts": "javascript/types.d.mts",
        "selftest.mjs": "javascript/selftest.mjs",
        "package.json": "javascript/package.json",
        "README.md": "javascript/README.md",
    }
    return render(package, files)


def _comment(text: str) -> str:
    """The text as one line that ends neither a comment nor a line (JavaScript has four ends of a line)."""
    return " ".join(text.replace("\u2028", " ").replace("\u2029", " ").split()).replace("*/", "* /")


TARGET = Target(
    name="javascript",
    title="JavaScript",
    suffix=".mjs",
    dialect=Dialect(
        functions={op: f"Math.{op.value}" for op in Op},
        select="({0} ? {1} : {2})",
        square=None,
    ),
    reserved=frozenset(f"{_KEYWORDS} {_OWN}".split()),
    write=_write,
    number=lambda value: decimal(value, "Infinity", "NaN"),
    truth="Number{0}",
    comment=_comment,
    iterates=True,
    check="node selftest.mjs",
    tools=("node",),
)
