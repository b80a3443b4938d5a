"""Programs that are counted before they are written, and the words by which compiled code is found."""

from dataclasses import replace

import pytest

from support.small_programs import angles, program_of
from symoro.ir.extract import Draft, Pass, cost
from symoro.ir.graph import Graph
from symoro.ir.passes import PASSES, Attempts
from symoro.ir.program import split
from symoro.runtime.cache import digest
from symoro.solve.given import model


@pytest.mark.parametrize("run", PASSES, ids=lambda run: run.__name__)
@pytest.mark.parametrize("name", ["inverse_dynamics", "direct_reactions"])
def test_a_draft_costs_what_its_program_costs(name, run):
    program = model(name, "planar2r", optimize=False).program
    draft = run.draft(program)
    written = draft.write()
    assert (draft.cost, draft.size) == (cost(written), len(written.instructions))


def test_a_block_is_one_instruction_and_many_operations():
    program = model("direct_dynamics", "four-bar", optimize=False).program
    draft = PASSES[0].draft(program)
    assert (draft.cost, draft.size) == (cost(draft.write()), len(draft.write().instructions))


def test_a_graph_that_is_dissolved_cannot_be_used():
    g = Graph()
    x, y, _ = angles(g, 3)
    total = x + y
    g.dissolve()
    with pytest.raises(AttributeError):
        total - x


def test_a_pass_that_does_not_help_is_tried_once():
    g = Graph()
    x, y, z = angles(g, 3)
    tried = []

    @Pass
    def in_vain(program):
        tried.append(program)
        return Draft.of(program)

    attempts, program = Attempts(), program_of(g, [x * y + z])
    assert [attempts(in_vain, program) for _ in range(2)] == [None, None]
    assert tried == [program]


def test_other_instructions_have_another_name():
    _, main = split(model("inverse_dynamics", "planar2r").program)
    first = main.instructions[0]
    other = replace(main, instructions=(replace(first, args=tuple(-a for a in first.args)), *main.instructions[1:]))
    assert len({digest(main), digest(other)}) == 2


def test_the_constants_are_those_that_are_read():
    program = model("inverse_dynamics", "planar2r").program
    setup, main = split(program)
    read = program.reads()
    known = [p.name for p in program.parameters] + [name for i in program.setup for name in i.results]
    assert [p.name for p in main.parameters] == [name for name in known if name in read]
    assert setup.outputs[0].shape == (len(main.parameters),)
