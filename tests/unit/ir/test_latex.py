"""LaTeX: names, structure, and formulas that read back."""

import math
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings

from support.program_strategies import points, programs
from support.raised import raised
from support.small_programs import angles, program_of, rebuild
from symoro.errors import ProgramError
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Op
from symoro.ir.graph import Graph
from symoro.ir.latex import latex, latex_name
from symoro.ir.program import Program


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("S2", "S_{2}"),
        ("GAM1", r"\Gamma_{1}"),
        ("WI12", r"\mathrm{WI}_{12}"),
        ("theta3", r"\theta_{3}"),
        ("QP1", r"\dot{q}_{1}"),
        ("QDP10", r"\ddot{q}_{10}"),
        ("C1_m2", "C_{1,m2}"),
        ("m", "m"),
        ("dGAM1_dq2", r"\frac{\partial \Gamma_{1}}{\partial q_{2}}"),
        ("a b_{$", r"\mathtt{a b\_\{\$}"),
    ],
)
def test_names(name, form):
    assert latex_name(name) == form


def lines(program, **options):
    text = latex(program, **options)
    assert text.startswith("\\begin{align}\n")
    assert text.endswith("\n\\end{align}\n")
    balanced(text)
    return text.removeprefix("\\begin{align}\n").removesuffix("\n\\end{align}\n").split(" \\\\\n")


def balanced(text: str) -> None:
    """Braces, environments and \\left ... \\right pair up, nested."""
    open_ones: list[str] = []
    for token in re.findall(r"\\[{}]|\\begin\{\w+\}|\\end\{\w+\}|\\left|\\right|[{}]", text):
        if token in (r"\{", r"\}"):
            continue
        if token == "{" or token == r"\left" or token.startswith(r"\begin"):
            open_ones.append(token)
        else:
            partner = {"}": "{", r"\right": r"\left"}.get(token) or token.replace("end", "begin", 1)
            assert open_ones.pop() == partner
    assert not open_ones


def test_one_line_for_each_named_variable():
    g = Graph()
    a, b, _ = angles(g, 3)
    w = g.name(g.sin(a) * b, "WI12")
    k = g.symbol("a") * 2
    made = lines(program_of(g, [w * w * k, -w / (a - b), g.symbol("b")]))
    assert made == [
        r"X_{1} &= 2\, a",
        r"S_{1} &= \sin\left(q_{1}\right)",
        r"\mathrm{WI}_{12} &= q_{2}\, S_{1}",
        r"Y_{1} &= X_{1}\, \mathrm{WI}_{12}^{2}",
        r"Y_{2} &= -\frac{\mathrm{WI}_{12}}{q_{1} - q_{2}}",
        r"Y_{3} &= b",
    ]
    assert lines(program_of(g, [w * k]), setup=False)[0] == r"S_{1} &= \sin\left(q_{1}\right)"


def test_expanded_has_outputs_only():
    g = Graph()
    a, b, _ = angles(g, 3)
    w = g.name(a - b, "W")
    made = lines(program_of(g, [w * w, g.sin(-w) - w]), expanded=True)
    assert made == [
        r"Y_{1} &= \left(q_{1} - q_{2}\right)^{2}",
        r"Y_{2} &= q_{2} - q_{1} - \sin\left(q_{1} - q_{2}\right)",
    ]


def test_expanded_has_a_limit():
    g = Graph()
    a, b, _ = angles(g, 3)
    for _ in range(60):
        a, b = a * b + 1, a
    with raised("programs.too_long", ProgramError, most=5000):
        latex(program_of(g, [a]), expanded=True)
    assert latex(program_of(g, [a]))


def test_deep_formulas_need_no_recursion():
    g = Graph()
    x = angles(g, 1)[0]
    for _ in range(1500):
        x = g.sin(x) / 2
    assert lines(program_of(g, [x]), expanded=True)


def test_every_operation_is_written():
    g = Graph()
    a, b, c = angles(g, 3)
    e = [g.sqrt(a / (b * c)), g.atan2(a, b), g.apply(Op.EXP, -a), abs(a - b), g.sign(c), g.apply(Op.MIN, a, b)]
    e += [g.apply(Op.MAX, a, b), g.apply(Op.TAN, a), g.apply(Op.ASIN, a), g.apply(Op.ACOS, a)]
    e += [g.select(g.less(a, b), c, -g.apply(Op.EQUAL, a, b)), 3 * g.pi * a, a * 1e-9, g.apply(Op.LESS_EQUAL, a, b)]
    e += g.solve([[a, b], [b, c]], [g.one, g.pi / 2])
    text = "\n".join(lines(program_of(g, e)))
    for part in (
        r"\sqrt{\frac{q_{1}}{q_{2}\, q_{3}}}",
        r"\operatorname{atan2}",
        r"\begin{cases}",
        r"\left|",
        r"\arcsin",
    ):
        assert part in text
    assert r"3\pi\, q_{1}" in text
    assert (
        r"\begin{bmatrix} q_{1} & q_{2} \\ q_{2} & q_{3} \end{bmatrix}^{-1} \begin{bmatrix} 1 \\ \frac{\pi}{2}" in text
    )
    assert r"^{-1}" in "\n".join(lines(program_of(g, e), expanded=True))


def test_no_two_variables_look_the_same():
    g = Graph()
    made = lines(program_of(g, [g.symbol("q_1") * g.symbol("q1")], parameters="q_1"))
    assert made == [r"Y_{1} &= q_{1}\, \mathtt{q\_1}"] or made == [r"Y_{1} &= \mathtt{q\_1}\, q_{1}"]


# A reader of the part of LaTeX that formulas without choices, comparisons and systems are written in.

_WORDS = {
    r"\sin": "sin",
    r"\cos": "cos",
    r"\tan": "tan",
    r"\arcsin": "asin",
    r"\arccos": "acos",
    r"\operatorname{atan2}": "atan2",
    r"\operatorname{sign}": "sign",
    r"\exp": "exp",
    r"\min": "min",
    r"\max": "max",
    r"\left(": "(",
    r"\right)": ")",
    r"\, ": "*",
    r" \cdot ": "*",
    r"\pi": "*pi",
}


def to_python(text: str) -> str:
    text = re.sub(r"(?<![\d])\\pi", "pi", text)
    text = re.sub(r"([A-Za-z])_\{([\w,]+)\}", lambda m: m[1] + m[2].replace(",", "_"), text)
    text = text.replace(r"\left|", "abs(").replace(r"\right|", ")")
    for word, python in _WORDS.items():
        text = text.replace(word, python)
    inner = r"\{([^{}]*)\}"
    while "{" in text:
        before = text
        text = re.sub(r"\^" + inner, r"**(\1)", text)
        text = re.sub(r"\\sqrt" + inner, r"sqrt(\1)", text)
        text = re.sub(r"\\frac" + inner + inner, r"((\1)/(\2))", text)
        assert text != before, text
    return text


FUNCTIONS = {n: getattr(math, n) for n in ("sin", "cos", "tan", "asin", "acos", "atan2", "exp", "sqrt", "pi")}
FUNCTIONS |= {"sign": lambda x: float(np.sign(x)), "abs": abs, "min": min, "max": max}
UNREAD = (Op.SELECT, Op.LESS, Op.LESS_EQUAL, Op.EQUAL, Op.SOLVE)


@settings(max_examples=100, deadline=None)
@given(programs(), points)
def test_formulas_read_back(program: Program, point):
    inputs, parameters = point
    assume(not any(i.op in UNREAD for i in (*program.setup, *program.instructions)))
    expected = evaluate(program, inputs, parameters)
    assume(all(np.abs(v).max() < 1e6 for v in expected.values()))
    try:
        program = rebuild(program)
    except ProgramError:
        assume(False)
    for expanded in (False, True):
        names = {**parameters, **dict(zip(("q1", "q2", "q3"), inputs["q"], strict=True))}
        names.update(zip(("x1", "x2"), inputs["x"], strict=True))
        for line in filter(None, lines(program, expanded=expanded)):
            left, right = line.split(" &= ")
            names[to_python(left)] = eval(to_python(right), dict(FUNCTIONS), names)
        for output in program.outputs:
            for name, value in zip(output.names, expected[output.name].reshape(-1), strict=True):
                assert names[name] == pytest.approx(value, rel=1e-9, abs=1e-9)
