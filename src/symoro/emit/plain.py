"""What the targets to read have in common: equations in plain infix, whose names are legal in most languages."""

from __future__ import annotations

import keyword
from dataclasses import replace

from symoro.emit.listing import identifier
from symoro.emit.package import PackageFunction
from symoro.emit.target import Target, decimal
from symoro.emit.trace import without_marks
from symoro.ir.expr import Op
from symoro.ir.infix import PLAIN

_FUNCTIONS = [op.value for op in Op]


def plain(target: Target) -> Target:
    """The target with equations in plain infix: exact numbers, squares as **2."""
    return replace(
        target,
        dialect=PLAIN,
        reserved=frozenset((*keyword.kwlist, *_FUNCTIONS, "pi", "inf", "nan")),
        number=lambda value: decimal(value, "inf", "nan"),
        exact=str,
        inline_conditions=False,
        arrays_apart=True,
        cases=1,
    )


def results(function: PackageFunction) -> dict[str, list[tuple[str, str]]]:
    """The elements of each output: a name, and what it is; both are the same for a variable with the element's name.

    An element whose name is that of another variable is named by its array and its place.
    """
    used = {v.name for v in (*function.program.parameters, *function.program.input_variables())}
    used |= {
        without_marks(name) for line in (*function.setup.lines, *function.main.lines) for name in line.names if name
    }
    elements = {a.name: a.elements for a in function.outputs}
    elements_of: dict[str, list[tuple[str, str]]] = {a.name: [] for a in function.outputs}
    for store in function.main.stores:
        name, same = identifier(elements[store.array][store.index]), without_marks(store.text)
        if name != same and name in used:
            name = f"{store.array}_at_{store.index + 1}"
        used.add(name)
        elements_of[store.array].append((store.text if name == same else name, store.text))
    return elements_of
