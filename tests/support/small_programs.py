"""Small programs for the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.ir.expr import Expr, Op
from symoro.ir.extract import Result, extract, rebuilt
from symoro.ir.graph import Graph
from symoro.ir.infix import statements, write
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Program, Variable
from symoro.ir.spec import validate


def joints(n: int) -> Input:
    return Input("q", (n,), tuple(Variable(f"q{j}", label=str(j)) for j in range(1, n + 1)))


def angles(graph: Graph, n: int) -> list[Expr]:
    return [graph.symbol(f"q{j}", str(j)) for j in range(1, n + 1)]


def program_of(
    graph: Graph, elements: Sequence[Expr], n: int = 3, parameters: str = "a b c d", name: str = "Y"
) -> Program:
    """A program of q (n) and the parameters with one output vector."""
    names = tuple(f"{name}{i + 1}" for i in range(len(elements)))
    result = Result(name, (len(elements),), tuple(elements), names)
    return extract(graph, [joints(n)], [Variable(p) for p in parameters.split()], [result])


def equations(program: Program) -> dict[str, str]:
    """What infix prints, by the names."""
    found = (*statements(program.setup), *statements(program.instructions))
    return {" ".join(s.names): write(s.right) for s in found}


def array(name: str, n: int, optional: bool = False) -> Input:
    variables = tuple(Variable(f"{name}{i + 1}", default=0.25 * i if optional else None) for i in range(n))
    return Input(name, (n,), variables, optional, Meaning("given */ // \\ values", "rad"))


def result(name: str, shape: tuple[int, ...], elements: Sequence[Expr]) -> Result:
    return Result(name, shape, tuple(elements), tuple(f"{name}{i + 1}" for i in range(len(elements))))


def every_operation() -> Program:
    """Each operation with variables, with signs, inside others and alone."""
    g = Graph()
    q, qd = array("q", 4), array("qd", 2, optional=True)
    a, b, c, d = (g.symbol(v.name, str(i + 1)) for i, v in enumerate(q.variables))
    e, f = (g.symbol(v.name) for v in qd.variables)
    m, k = g.symbol("M1"), g.symbol("K")
    safe = a / (1 + abs(a))
    unary = [g.apply(op, safe) for op in (Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.EXP, Op.ABS, Op.SIGN)]
    sums = [g.sqrt(abs(b)), g.atan2(a, -b), -g.atan2(-m, k), g.sign(a - a * g.one), g.sign(e), a - (b - (c - d))]
    extremes = [g.apply(Op.MIN, a, -b), -g.apply(Op.MAX, a, b * c), g.apply(Op.MIN, m, k), g.apply(Op.MAX, m, -a)]
    truths = [g.apply(op, x, y) for op in (Op.LESS, Op.LESS_EQUAL, Op.EQUAL) for x, y in ((a, b), (m, k), (c, c * 1))]
    mixed = [truths[0] - truths[1] * 3, -g.apply(Op.LESS, b, a), g.apply(Op.LESS, d, c) / (2 + g.apply(Op.LESS, c, d))]
    chosen = [
        g.select(g.less(a, b), g.sqrt(abs(a)), -b),
        g.select(a - b, c, d),
        -g.select(g.less(m, k), a, m),
        g.select(g.apply(Op.EQUAL, a, a + 0 * b), b, c),
        a * g.select(g.less(c, d) * g.less(a, b), m, k),
    ]
    matrix = [[a + 3, b, -m], [c, 4 - d, a * b], [g.one, g.zero, 2 + abs(k)]]
    three = g.solve(matrix, (a, -b, m))
    fixed = g.solve([[m + 2, k], [g.one, k + 3]], (m, k))
    products = [-a * b * (c - d), (a - b) ** 2, 1 / (2 + a * a), -(a + b) / (3 + c * c), 2 * a, a * 1e-7 - 3.5e9]
    everything = [*unary, *sums, *extremes, *truths, *mixed, *chosen, *products, f]
    results = [
        result("all", (len(everything),), everything),
        result("X", (3,), three),
        result("Y", (1,), fixed[1:]),
        result("A", (2, 3), (a, g.zero, g.pi, -g.one, m, -(b + c))),
    ]
    return validate(extract(g, [q, qd], [Variable("M1"), Variable("K", Meaning("stiffness", "N/m"))], results))


def reserved_words() -> Program:
    """Names that languages forbid, as arrays, inputs, parameters and intermediate variables."""
    words = ["lambda", "I", "E", "y0", "j1", "gamma", "double", "sin", "np", "abs", "for", "None", "setup", "main", "α"]
    words += ["end", "End", "D", "d", "Pi", "PI", "type", "fn", "function", "Sin", "nan", "NaN", "N", "wp", "T"]
    words += ["threads", "base", "lp_x"]
    g = Graph()
    inputs = [
        Input("in", (3,), tuple(Variable(n) for n in ("if", "and", "exp"))),
        Input("class", (2, 2), tuple(Variable(n) for n in ("x", "X", "new", "_"))),
    ]
    symbols = [g.symbol(v.name) for i in inputs for v in i.variables]
    parameters = [Variable(w) for w in words]
    total = g.zero
    for k, word in enumerate(words):
        total = g.name(total * g.sin(symbols[k % 7]) + g.symbol(word), f"while{k % 3}" if k % 2 else "switch")
    setup = g.name(g.symbol("I") * g.symbol("E") + g.symbol("lambda"), "return")
    results = [result("float", (2,), (total, setup * symbols[0])), result("def", (), (g.name(total * setup, "int"),))]
    return validate(extract(g, inputs, parameters, results))


def many_joints(n: int = 13) -> Program:
    """More than 12 joints: names of sums of angles must stay distinct."""
    g = Graph()
    q = [g.symbol(f"q{i + 1}", str(i + 1)) for i in range(n)]
    sines = [g.sin(q[0] + q[i]) * g.cos(q[i]) for i in range(n)] + [g.sin(q[0] + q[1] + q[i]) for i in range(n)]
    return validate(extract(g, [array("q", n)], [], [result("GAM", (2 * n,), sines)]))


def six_equations() -> Program:
    g = Graph()
    entries = array("a", 36), array("b", 6)
    a, b = ([g.symbol(v.name) for v in i.variables] for i in entries)
    rows = [[a[6 * i + j] + (2 if i == 5 - j else 0) for j in range(6)] for i in range(6)]
    return validate(extract(g, entries, [], [result("x", (6,), g.solve(rows, b))]))


def constants_only() -> Program:
    """No parameters, an input that nothing reads, an input without elements, outputs that are numbers."""
    g = Graph()
    return extract(g, [array("q", 2), array("none", 0)], [], [result("J", (2, 2), (g.one, g.zero, -g.pi, g.lift(2.5)))])


def rebuild(program: Program, graph: Graph | None = None, given: Mapping[str, Expr] | None = None) -> Program:
    """The same program, built again and written."""
    return rebuilt(program, graph, given).write()
