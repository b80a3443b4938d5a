"""Splits a program in two: the setup, which computes constants from parameters, and the main program of each call."""

from __future__ import annotations

from dataclasses import dataclass, field

from symoro.ir.meaning import Meaning
from symoro.ir.program import Output, Program, Ref, Variable
from symoro.ir.words import words

#: The name of the only output of a setup program.
CONSTANTS = "constants"


@dataclass(frozen=True, slots=True)
class Main(Program):
    """A main program that knows the words of its instructions and outputs, by which compiled code is found again."""

    whole: Program = field(compare=False, repr=False)
    """The program that it is the main part of: the words are those of its instructions and outputs."""
    known: list[str] = field(compare=False, repr=False)

    def words(self) -> list[str]:
        same = self.instructions is self.whole.instructions and self.outputs is self.whole.outputs
        return self.known if same else words(self)


def split(program: Program) -> tuple[Program, Main]:
    """The setup program (parameters to constants) and the main one, whose parameters are these constants.

    A constant is a result of the setup, or a parameter, that the instructions or the outputs read.
    """
    written = words(program)
    read = set(written)  # with other words, which are not names of parameters or results of the setup
    direct = [p for p in program.parameters if p.name in read]
    meanings = {name: i.meaning for i in program.setup for name in i.results}
    computed = [Variable(name, meaning or Meaning()) for name, meaning in meanings.items() if name in read]
    constants = (*direct, *computed)
    names = tuple(c.name for c in constants)
    output = Output(CONSTANTS, (len(names),), tuple(map(Ref, names)), names, tuple(c.meaning for c in constants))
    setup = Program((), program.parameters, (), program.setup, (output,))
    return setup, Main(program.inputs, constants, (), program.instructions, program.outputs, program, written)
