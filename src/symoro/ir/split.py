"""Splits a program in two: the setup, which computes constants from parameters, and the main program of each call."""

from __future__ import annotations

from symoro.ir.meaning import Meaning
from symoro.ir.program import Output, Program, Ref, Variable

#: The name of the only output of a setup program.
CONSTANTS = "constants"


def split(program: Program) -> tuple[Program, Program]:
    """The setup program (parameters to constants) and the main one, whose parameters are these constants.

    A constant is a result of the setup, or a parameter, that the instructions or the outputs read.
    """
    read = program.reads()
    direct = [p for p in program.parameters if p.name in read]
    meanings = {name: i.meaning for i in program.setup for name in i.results}
    computed = [Variable(name, meaning or Meaning()) for name, meaning in meanings.items() if name in read]
    constants = (*direct, *computed)
    names = tuple(c.name for c in constants)
    output = Output(CONSTANTS, (len(names),), tuple(map(Ref, names)), names, tuple(c.meaning for c in constants))
    setup = Program((), program.parameters, (), program.setup, (output,))
    return setup, Program(program.inputs, constants, (), program.instructions, program.outputs)
