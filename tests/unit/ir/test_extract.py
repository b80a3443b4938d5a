"""From a graph to a program: sections, dead code, names."""

from support.small_programs import angles, equations, joints, program_of, rebuild
from symoro.ir.expr import Op
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.program import Literal, Ref, Variable
from symoro.ir.spec import validate


def test_what_depends_on_parameters_only_is_setup():
    g = Graph()
    q, a, b = angles(g, 1)[0], g.symbol("a"), g.symbol("b")
    program = validate(program_of(g, [a * b * q, a * b + 2]))
    assert {r for i in program.setup for r in i.results} == {"X1", "Y2"}
    assert [p.name for p in program.parameters] == ["a", "b"]
    assert program.setup_ops.total == 2
    assert program.ops.total == 1


def test_what_no_output_needs_is_not_there():
    g = Graph()
    q, a = angles(g, 1)[0], g.symbol("a")
    g.name(g.sin(q) * a, "dead")
    program = program_of(g, [q + q])
    assert program.ops.total == 1
    assert program.parameters == ()
    assert len(program.inputs[0].variables) == 3


def test_constants_and_leaves_are_outputs_as_they_are():
    g = Graph()
    q = angles(g, 1)[0]
    program = program_of(g, [-q, g.constant(-2), g.pi / 2])
    assert program.outputs[0].elements == (
        Ref("q1", True),
        Literal(g.constant(-2).constant),
        Literal((g.pi / 2).constant),
    )


def test_a_name_for_the_negative_flips_the_instruction():
    g = Graph()
    w = g.symbol("WI22")
    d = g.name(-(w**2), "DV222")
    s = g.name(-(w - g.symbol("q1")), "D")
    program = validate(program_of(g, [d * 3, s * 3, d + s], parameters="WI22"))
    assert equations(program)["DV222"] == "-WI22**2"
    assert equations(program)["D"] == "q1 - WI22"
    assert equations(program)["Y1"] == "3*DV222"
    assert equations(rebuild(program)) == equations(program)


def test_a_name_for_the_negative_of_an_even_function_keeps_the_meaning():
    g = Graph()
    q = angles(g, 1)[0]
    c = g.name(-abs(q), "K")
    program = validate(program_of(g, [c * 2]))
    assert equations(program)["Y1"] == "-2*K"
    assert equations(program)["K"] == "abs(q1)"


def test_no_two_variables_share_a_name():
    g = Graph()
    q, a = angles(g, 3), g.symbol("a")
    for j in range(3):
        g.name(q[j] * a, "W")
    g.name(q[0] + a, "q2")
    g.name(q[1] + a, "W_2")
    program = validate(program_of(g, [q[0] * a, q[1] * a, q[2] * a, q[0] + a, q[1] + a]))
    assert len({r for i in program.instructions for r in i.results}) == 5
    assert {"W", "W_2", "q2_2"} <= set(equations(program))


def test_the_first_name_stays_and_carries_its_meaning():
    g = Graph()
    q = angles(g, 1)[0]
    meaning = Meaning("a product", "m", 3, "K97:6")
    g.name(q * g.symbol("a"), "first", meaning)
    g.name(q * g.symbol("a"), "second")
    program = program_of(g, [q * g.symbol("a")])
    assert program.instructions[0].results == ("first",)
    assert program.instructions[0].meaning == meaning
    assert rebuild(program) == program


def test_what_is_used_once_has_no_name_and_an_output_has_one():
    g = Graph()
    a, b, c = angles(g, 3)
    program = validate(program_of(g, [(a + b) * c]))
    assert [i.anonymous for i in program.instructions] == [True, False]
    assert equations(program) == {"Y1": "c*(a + b)".replace("a", "q1").replace("b", "q2").replace("c", "q3")}


def test_a_result_that_crosses_from_setup_has_a_name():
    g = Graph()
    program = validate(program_of(g, [angles(g, 1)[0] * (g.symbol("a") + g.symbol("b"))]))
    assert not program.setup[0].anonymous


def test_solve_names_every_unknown_and_reuses_no_name():
    g = Graph()
    a, b, c = angles(g, 3)
    x, _ = g.solve([[a, b], [b, c]], [a, c])
    y, z = g.solve([[a, c], [b, c]], [b, c])
    g.name(z, "X1_unused1")
    program = validate(program_of(g, [x * 2, y + z]))
    assert sum(i.op is Op.SOLVE for i in program.instructions) == 2
    validate(rebuild(rebuild(program)))
    assert rebuild(program).ops == program.ops


def test_solve_of_parameters_is_setup():
    g = Graph()
    a, b, q = g.symbol("a"), g.symbol("b"), angles(g, 1)[0]
    x, y = g.solve([[a, b], [-b, a]], [g.one, g.zero])
    program = validate(program_of(g, [x * q, y * q]))
    assert [i.op for i in program.setup] == [Op.SOLVE]


def test_outputs_keep_shape_names_and_meanings():
    g = Graph()
    q = angles(g, 2)
    meanings = (Meaning("one"), Meaning("two"))
    result = Result("M", (1, 2), (q[0] + q[1], q[0]), ("M11", "M12"), meanings)
    program = validate(extract(g, [joints(2)], [Variable("a")], [result]))
    assert program.outputs[0].shape == (1, 2)
    assert program.outputs[0].meanings == meanings
    assert rebuild(program) == program
