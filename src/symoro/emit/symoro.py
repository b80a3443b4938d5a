"""The text file of SYMORO+: tables of the parameters in its header, then NAME = expression; (K13, appendix)."""

from __future__ import annotations

from symoro.emit.files import render
from symoro.emit.package import Package
from symoro.emit.plain import plain, results
from symoro.emit.target import Target
from symoro.ir.infix import PLAIN


def _write(package: Package) -> dict[str, str]:
    return render(package, {f"{package.name}.txt": "symoro/model.txt"}, results=results)


TARGET = plain(
    Target(
        name="symoro",
        title="The text file of SYMORO+",
        suffix=".txt",
        dialect=PLAIN,
        reserved=frozenset(),
        write=_write,
        comment=lambda text: " ".join(text.split()).replace("(*", "( *").replace("*)", "* )"),
    )
)
