"""Every rule of a valid program has a program that breaks it."""

from dataclasses import replace

import pytest

from support.raised import raised
from symoro.errors import ProgramError
from symoro.ir.expr import Op
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Instruction, Output, Program, Ref, Variable
from symoro.ir.spec import validate, violations

GOOD = Program(
    (Input("q", (2,), (Variable("q1"), Variable("q2"))),),
    (Variable("a"),),
    (Instruction(("K",), Op.MUL, (Ref("a"), Ref("a"))),),
    (Instruction(("%1",), Op.SIN, (Ref("q1"),)), Instruction(("Y1",), Op.ADD, (Ref("%1"), Ref("K")))),
    (Output("Y", (1,), (Ref("Y1"),), ("Y1",)),),
)


def extra(*instructions, section="instructions"):
    return replace(GOOD, **{section: (*getattr(GOOD, section), *instructions)})


def test_a_good_program_is_returned():
    assert validate(GOOD) is GOOD


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (extra(Instruction(("Y1",), Op.SIN, (Ref("q1"),))), "Y1 is defined more than once"),
        (extra(Instruction(("q1",), Op.SIN, (Ref("q1"),))), "q1 is defined more than once"),
        (replace(GOOD, inputs=(Input("q", (3,), GOOD.inputs[0].variables),)), "shape (3,) but 2 variables"),
        (replace(GOOD, inputs=(*GOOD.inputs, Input("q", (0,), ()))), "input q is given more than once"),
        (replace(GOOD, outputs=GOOD.outputs * 2), "output Y is given more than once"),
        (extra(Instruction(("Z",), Op.SIN, (Ref("none"),))), "Z reads none, which is not defined before it"),
        (extra(Instruction(("Z",), Op.SIN, (Ref("Z"),))), "Z reads Z"),
        (extra(Instruction(("Z",), Op.SIN, (Ref("q1"),)), section="setup"), "setup: Z reads q1"),
        (extra(Instruction(("Z",), Op.ADD, (Ref("q1"),))), "add takes 2 arguments, not 1"),
        (extra(Instruction(("Z", "W"), Op.SIN, (Ref("q1"),))), "sin has one result, not 2"),
        (extra(Instruction(("Z", "W"), Op.SOLVE, (Ref("q1"),))), "solve takes 6 arguments, not 1"),
        (extra(Instruction(("Z",), Op.SYMBOL, ())), "symbol is not an instruction"),
        (extra(Instruction(("Z",), Op.ITEM, (Ref("q1"),))), "item is not an instruction"),
        (replace(GOOD, outputs=(Output("Y", (1,), (Ref("no"),), ("Y1",)),)), "output Y reads no, which nothing"),
        (replace(GOOD, outputs=(Output("Y", (2,), (Ref("Y1"),), ("Y1",)),)), "output Y has shape (2,) but 1"),
        (replace(GOOD, outputs=(Output("Y", (1,), (Ref("Y1"),), ()),)), "output Y has shape"),
        (
            replace(GOOD, outputs=(Output("Y", (1,), (Ref("Y1"),), ("Y1",), (Meaning(), Meaning())),)),
            "1 elements but 2 meanings",
        ),
        (extra(Instruction(("%2",), Op.SIN, (Ref("q1"),))), "%2 has no name of its own and is used 0 times"),
        (extra(Instruction(("Z",), Op.SIN, (Ref("%1"),))), "%1 has no name of its own and is used 2 times"),
    ],
)
def test_each_violation_is_a_sentence(program, message):
    assert any(message in str(v) for v in violations(program)), list(violations(program))
    with raised("programs.invalid", ProgramError):
        validate(program)


def test_all_violations_come_at_once():
    bad = extra(Instruction(("Z",), Op.ADD, (Ref("u"),)), Instruction(("W",), Op.SIN, (Ref("v"),)))
    assert len(list(violations(bad))) == 3
