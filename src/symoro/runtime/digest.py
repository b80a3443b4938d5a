"""A short name for a program: programs with the same inputs, instructions and outputs have the same one."""

from __future__ import annotations

import hashlib

from symoro.ir.program import Program
from symoro.ir.split import Main
from symoro.ir.words import words


def digest(program: Program) -> str:
    """A hexadecimal number of a main program."""
    names = (v.name for v in (*program.input_variables(), *program.parameters))
    shapes = (
        [(i.shape, i.optional) for i in program.inputs],
        [o.shape for o in program.outputs],
        len(program.parameters),
    )
    written = program.words() if isinstance(program, Main) else words(program)
    return hashlib.sha256(f"{shapes} {' '.join([*names, *written])}".encode()).hexdigest()
