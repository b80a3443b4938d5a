"""The text of a program."""

import contextlib
import random

import pytest

from support.raised import raised
from support.small_programs import angles, program_of
from symoro.errors import ProgramError, SymoroError
from symoro.ir.expr import PI, Constant, Op
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Instruction, Literal, Output, Program, Ref, Variable
from symoro.ir.text import dump, parse

TEXT = """symoro program 1
input q [2] text="joint positions"
  q1 label="1" unit="rad" link=1
  q2 label="2" default=0.5
input w [] optional
  w
parameter M2 default=1.5 text="mass \\"of\\" 2" unit="kg" link=2 equation="K97:1"
parameter "odd name"
setup
  K = mul #1/2 M2 text=""
instructions
  S2 = sin q2
  %1 = add -S2 #-3*pi/4
  x y = solve S2 K #1 #0.5 %1 -"odd name" text="a system"
output GAM [2,1] meanings
  GAM1 = -x text="torque" unit="N.m"
  GAM2 = #0
output E []
  E = w
"""


def test_every_kind_of_line_reads_and_writes():
    program = parse(TEXT)
    assert dump(program) == TEXT
    assert program.inputs[1] == Input("w", (), (Variable("w"),), optional=True)
    assert program.parameters[0] == Variable("M2", Meaning('mass "of" 2', "kg", 2, "K97:1"), 1.5)
    assert program.setup[0].meaning == Meaning()
    assert program.instructions[1].args[1] == Literal(-PI * Constant(PI.coefficient * 3 / 4))
    assert program.instructions[2].op is Op.SOLVE
    assert program.outputs[0].meanings == (Meaning("torque", "N.m"), Meaning())
    assert program.outputs[1] == Output("E", (), (Ref("w"),), ("E",))


def test_the_smallest_program():
    empty = Program((), (), (), (), ())
    assert parse(dump(empty)) == empty
    assert parse("symoro program 1") == empty


def test_readable_lines():
    g = Graph()
    q = angles(g, 2)
    g.name(g.sin(q[1]) * g.symbol("QP1"), "WI12")
    text = dump(program_of(g, [g.sin(q[1]) * g.symbol("QP1") * g.pi], parameters="QP1"))
    assert "  S2 = sin q2\n" in text
    assert "  WI12 = mul S2 QP1\n" in text or "  WI12 = mul QP1 S2\n" in text
    assert "  Y1 = mul #pi WI12\n" in text


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, "symoro program 2", "first line must be 'symoro program 1'"),
        (2, "inputs q [2]", "input, parameter, setup, instructions, output"),
        (2, "input q", "input, parameter"),
        (2, "input q (2)", r"not a shape such as \[\], \[6\]"),
        (2, "input q- [2]", "is not a name"),
        (2, "  q1", "an indented line belongs to"),
        (2, "input q [2] color=1", "allowed, each once: text=, unit=, link=, equation="),
        (2, "parameter a text=hello", "must be a JSON string"),
        (2, 'parameter a text="\\q"', "must be a JSON string"),
        (2, "parameter a link=1.5", "must be a whole number"),
        (2, "parameter a default=much", "must be a number"),
        (2, "parameter a link=1 link=1", "each once"),
        (2, 'parameter a text="open', "quote that is not closed"),
        (2, "output Y [] other", "input, parameter"),
        (3, "instructions\n  a = frobnicate b", "unknown operation 'frobnicate' .allowed: .*sqrt"),
        (3, "instructions\n  a = add b", "add with 1 result.* takes 2 arguments, not 1"),
        (3, "instructions\n  a b = sin c", "sin with 2 result"),
        (3, "instructions\n  a b = solve c", "takes 6 arguments, not 1"),
        (3, "instructions\n  a add b c", "NAME = OPERATION ARGUMENTS"),
        (3, "instructions\n  = add b c", "NAME = OPERATION ARGUMENTS"),
        (3, "instructions\n  a = const", "unknown operation 'const'"),
        (3, "instructions\n  a = sin #1/0", "not a finite number such as #2"),
        (3, "instructions\n  a = sin #1e999", "not a finite number"),
        (3, "instructions\n  a = sin #__import__", "not a finite number"),
        (3, "instructions\n  a = sin --b", "is not a name"),
        (3, "output Y [1]\n  Y1 b", "NAME = VALUE"),
    ],
)
def test_bad_text_says_which_line_and_what_is_allowed(line, text, message):
    text = text if line == 1 else f"symoro program 1\n{text}"
    with pytest.raises(ProgramError, match=f"line {line}: .*{message}"):
        parse(text)


def test_what_reads_but_breaks_a_rule_is_an_error_too():
    with raised("programs.invalid", ProgramError):
        parse("symoro program 1\ninstructions\n  a = sin b\n")


def test_unusual_names_are_quoted():
    odd = 'a b="c"\n#-é\u2028'
    program = Program(
        (Input("a.b", (1,), (Variable("-x"),)),),
        (Variable(odd),),
        (),
        (Instruction(("#1",), Op.ADD, (Ref(odd, True), Ref("-x"))),),
        (Output("", (1,), (Ref("#1", True),), ("1",)),),
    )
    assert parse(dump(program)) == program


def test_random_damage_ends_in_a_program_or_an_error():
    rng = random.Random(1)
    alphabet = TEXT + '\\"%#=[]-\t\x00é'
    for _ in range(1500):
        text = list(TEXT)
        for _ in range(rng.randint(1, 4)):
            where = rng.randrange(len(text))
            text[where : where + rng.randint(0, 3)] = rng.choices(alphabet, k=rng.randint(0, 3))
        with contextlib.suppress(SymoroError):
            parse("".join(text))
