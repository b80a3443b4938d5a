"""From a program back to a graph."""

from support.small_programs import angles, equations, program_of, rebuild
from symoro.ir.extract import Replay
from symoro.ir.graph import Graph


def test_given_values_replace_variables_and_fold():
    g = Graph()
    a, b, _ = angles(g, 3)
    program = program_of(g, [g.cos(a) * g.symbol("a") + g.sin(b)])
    other = Graph()
    made = rebuild(program, other, {"q1": other.pi / 2, "a": other.constant(7)})
    assert equations(made) == {"S2": "sin(q2)"}
    assert made.parameters == ()
    assert len(made.inputs[0].variables) == 3


def test_names_and_labels_survive():
    g = Graph()
    a, b, _ = angles(g, 3)
    w = g.name(g.sin(a + b) * b, "WI12")
    program = program_of(g, [w * w, w + b])
    assert rebuild(program) == program
    assert set(equations(rebuild(program, Graph(angle_sums=True)))) == set(equations(program))


def test_angle_sums_are_found_in_a_finished_program():
    g = Graph()
    a, b, _ = angles(g, 3)
    plain = program_of(g, [g.sin(a) * g.cos(b) + g.cos(a) * g.sin(b)])
    assert equations(rebuild(plain, Graph(angle_sums=True))) == {"S12": "sin(q1 + q2)"}


def test_values_are_expressions_of_the_graph():
    g = Graph()
    a, b, _ = angles(g, 3)
    program = program_of(g, [g.name(a * b, "P") + 1])
    other = Graph()
    replay = Replay(program, other)
    assert replay.values["P"] is other.symbol("q1") * other.symbol("q2")
    assert replay.results()[0].elements[0] is replay.values["P"] + 1
