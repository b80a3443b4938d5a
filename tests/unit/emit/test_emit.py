"""Packages: names, files, golden texts and what their self-tests hold."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.emit import emit, target, targets
from symoro.emit.listing import CodeNames, identifier, prepare
from symoro.emit.selftest import golden
from symoro.errors import TargetError
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Op
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Instruction, Program, Ref, Variable
from symoro.robot.base import BaseKind

GOLDEN = Path(__file__).parent / "golden"
ANY_PROGRAM = [name for name in targets() if name not in ("fmi", "simulink")]  # these take direct models only


def pendulum() -> Program:
    """GAM1 = (J + M L²) qdd + M L G3 sin q + FS sign qd, small enough to read as golden files."""
    g = Graph()
    inputs = [
        Input("q", (1,), (Variable("q1", Meaning("position", "rad")),), meaning=Meaning("joint position", "rad")),
        Input("qd", (1,), (Variable("QP1"),), meaning=Meaning("joint velocity", "rad/s")),
        Input("qdd", (1,), (Variable("QDP1"),), meaning=Meaning("joint acceleration", "rad/s²")),
        Input("wrench", (1, 2), (Variable("FX1"), Variable("I", default=2.0)), optional=True),
    ]
    parameters = [
        Variable("L", Meaning("length", "m"), default=0.5),
        Variable("M", Meaning("mass", "kg")),
        Variable("lambda", Meaning("friction", "N·m")),
        Variable("G3"),
    ]
    q, qd, qdd, torque = g.symbol("q1", "1"), g.symbol("QP1"), g.symbol("QDP1"), g.symbol("I")
    L, M = g.symbol("L"), g.symbol("M")
    inertia = g.name(M * L * L, "ZZ1", Meaning("moment of inertia", "kg·m²", 1, "K97:1"))
    gravity = g.name(M * L * g.symbol("G3") * g.sin(q), "N1", Meaning("moment of gravity", "N·m", 1, "K97:2"))
    friction = g.select(g.less(abs(qd), g.lift(0.01)), g.zero, g.symbol("lambda") * g.sign(qd))
    gam = g.name(inertia * qdd + gravity + friction - torque, "GAM1")
    return extract(g, inputs, parameters, [Result("GAM", (1,), (gam,), ("GAM1",), (Meaning("joint torque", "N·m"),))])


def test_unknown_targets_are_refused_with_the_known_ones(tmp_path: Path) -> None:
    with raised("targets.unknown", TargetError):
        emit(pendulum(), "cobol", tmp_path, "pendulum")


@pytest.mark.parametrize("name", targets())
def test_targets_are_what_the_table_says(name: str) -> None:
    assert target(name).name == name
    assert target(name).suffix.startswith(".")


@pytest.mark.parametrize("name", ANY_PROGRAM)
def test_emitted_files_are_the_golden_ones(name: str, tmp_path: Path) -> None:
    """Run with UPDATE_GOLDEN=1 to accept what is emitted now."""
    files = emit(pendulum(), name, tmp_path, "pendulum", "Inverse dynamics of a pendulum", {"G3": -9.81})
    folder = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        folder.mkdir(parents=True, exist_ok=True)
    shown = [f for f in files if "selftest" not in f.name and (name == "c" or f.name.startswith("pendulum"))]
    for file in shown:
        kept = folder / f"{file.name}.txt"
        if os.environ.get("UPDATE_GOLDEN"):
            kept.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
        assert file.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ANY_PROGRAM)
def test_emitting_twice_writes_the_same(name: str, tmp_path: Path) -> None:
    first = [f.read_text(encoding="utf-8") for f in emit(pendulum(), name, tmp_path / "a", "x")]
    assert first == [f.read_text(encoding="utf-8") for f in emit(pendulum(), name, tmp_path / "b", "x")]


@pytest.mark.parametrize(
    ("text", "name"), [("rx90-k13", "rx90_k13"), ("2R", "x2R"), ("_a", "x_a"), ("α1", "u03B11"), ("", "x")]
)
def test_identifiers_are_legal_and_close(text: str, name: str) -> None:
    assert identifier(text) == name


def test_names_differ_from_reserved_ones_and_from_each_other() -> None:
    g = Graph()
    words = ["I", "I_", "x", "X", "switch"]
    total = g.zero
    for word in words:
        total = total + g.symbol(word) * g.symbol("q1")
    q = Input("double", (1,), (Variable("q1"),))
    program = extract(g, [q], map(Variable, words), [Result("x", (1,), (total,), ("x1",))])
    ready = prepare(program, True)
    names = CodeNames(target("c"), [ready]).inside(ready).variables
    assert names["I"] == "I_"
    assert names["I_"] == "I__"
    assert names["switch"] == "switch_"
    assert names["X"] == "X"
    insensitive = CodeNames(replace(target("c"), case_sensitive=False), [ready]).inside(ready)
    everything = [*insensitive.variables.values(), *insensitive.arrays.values()]
    assert len({n.casefold() for n in everything}) == len(everything)


def test_preparing_drops_what_no_output_needs_and_names_what_cannot_stay_in_place() -> None:
    dead = Instruction(("dead",), Op.ADD, (Ref("q1"), Ref("q1")))
    shared = Instruction(("%1",), Op.MUL, (Ref("q1"), Ref("q1")))
    truth = Instruction(("%2",), Op.LESS, (Ref("%1"), Ref("q1")))
    last = Instruction(("%3",), Op.ADD, (Ref("%1"), Ref("%2")))
    base = pendulum()
    output = replace(base.outputs[0], elements=(Ref("%3"),))
    program = Program(base.inputs[:1], (), (), (dead, shared, truth, last), (output,))
    ready = prepare(program, True)
    assert [i.results[0] for i in ready.instructions] == ["X1", "X2", "GAM1"]
    assert evaluate(ready, {"q": [0.5]}, {}) == evaluate(program, {"q": [0.5]}, {})


def test_golden_vectors_are_what_evaluate_says_and_keep_the_defaults() -> None:
    program = pendulum()
    case = golden(program, {"G3": -9.81}, cases=7)
    assert case.parameters["G3"] == -9.81
    assert 0.5 <= case.parameters["M"] <= 1.5
    inputs = {i.name: case.inputs[i.name].reshape(7, *i.shape) for i in program.inputs}
    np.testing.assert_array_equal(evaluate(program, inputs, case.parameters)["GAM"], case.outputs["GAM"])
    assert case.tolerance == 1e-12


def test_golden_vectors_avoid_cases_where_rounding_decides() -> None:
    """asin beyond its domain, and a difference of nearly equal numbers."""
    g = Graph()
    q = g.symbol("q1")
    program = extract(
        g, [Input("q", (1,), (Variable("q1"),))], [], [Result("x", (1,), (g.apply(Op.ASIN, q),), ("x1",))]
    )
    assert np.isfinite(golden(program, {}).outputs["x"]).all()


def test_results_of_inverse_geometry_say_what_they_are(tmp_path: Path) -> None:
    model = symoro.inverse_geometry("planar2r", link="tip", task="position")
    assert all(len(output.meanings) == len(output.elements) for output in model.program.outputs)
    texts = {file.suffix: file.read_text(encoding="utf-8") for file in model.emit("c", tmp_path)}
    for output, name in zip(model.program.outputs, ("q", "valid", "free_", "error_", "state"), strict=True):
        for meaning in output.meanings:
            assert meaning.text in texts[".h"].partition(f"@param[out] {name} ")[2]
            assert meaning.text in texts[".md"].partition(f"- `{name}`: ")[2].partition("- `")[0]


def test_calls_of_calls_have_no_line_that_fortran_cuts_off(tmp_path: Path) -> None:
    g = Graph()
    names = [f"x{k}" for k in range(48)]
    largest = g.symbol(names[0])
    for name in names[1:]:
        largest = g.apply(Op.MAX, largest, g.symbol(name))
    made = extract(g, [Input("x", (48,), tuple(map(Variable, names)))], (), [Result("y", (1,), (largest,), ("Y1",))])
    (module,) = (path for path in emit(made, "fortran", tmp_path, "chain") if path.name == "chain.f90")
    code = [line for line in module.read_text(encoding="utf-8").split("\n") if not line.lstrip().startswith("!")]
    assert max(len(line.partition(" !")[0]) for line in code) <= 132


@pytest.mark.parametrize("robot", ["diff-drive-2r", "planar2r"])
def test_code_without_passes_has_no_variable_that_nothing_reads(robot: str, tmp_path: Path) -> None:
    """Sums of a plain model lose terms when they are written, and their products are not needed any more."""
    symoro.inverse_dynamics(robot, optimize=False).emit("c", tmp_path)
    (source,) = tmp_path.glob("*dynamics*.c")
    text = source.read_text(encoding="utf-8")
    names = re.findall(r"const double (\w+) = ", text)
    assert names
    assert [name for name in names if len(re.findall(rf"\b{name}\b", text)) == 1] == []


@pytest.mark.parametrize("language", ["c", "cpp", "fortran", "rust", "javascript", "python", "matlab", "julia"])
def test_headers_say_what_the_acceleration_of_a_base_is(language: str, tmp_path: Path) -> None:
    robot = symoro.load("planar2r")
    moved = replace(robot, base=replace(robot.base, kind=BaseKind.MOVING))
    symoro.inverse_dynamics(moved).emit(language, tmp_path)
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()]
    said = "acceleration of the base [of its origin; angular] in frame 0; gravity is not added to it"
    assert any(said in text.replace("&#39;", "'") for text in texts)
    if language == "c":
        assert any("NULL stands for zero, a base that does not accelerate (not -g" in text for text in texts)
