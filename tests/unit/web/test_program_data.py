"""Programs as data for the page: they compute what Pinocchio computes, and rows and groups are complete."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.pinocchio_robot import oracle
from support.small_programs import angles, program_of
from symoro.ir.evaluate import evaluate
from symoro.ir.graph import Graph
from symoro.web.program import expanded_data, program_data


def run(data: dict[str, Any], inputs: dict[str, list[float]]) -> dict[str, list[float]]:
    """What the page does: the instructions, one after the other."""
    values = {s: data["symbols"][s]["default"] for s in data["parameters"]}
    for array in data["inputs"]:
        given = inputs.get(array["name"], [data["symbols"][s].get("default") or 0.0 for s in array["symbols"]])
        values.update(zip(array["symbols"], given, strict=True))

    def read(operand: list[float]) -> float:
        return operand[1] * values[operand[0]] if len(operand) == 2 else operand[0]

    meaning = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "sin": math.sin, "cos": math.cos}
    for op, results, args in data["instructions"]:
        values[results[0]] = meaning[op](*map(read, args))
    return {output["name"]: [read(e) for e in output["elements"]] for output in data["outputs"]}


def test_the_data_of_inverse_dynamics_give_pinocchios_torques() -> None:
    robot = symoro.load("rx90-symmetric")
    data = program_data(symoro.inverse_dynamics(robot).program)
    peer = oracle(robot, robot.values.numbers())
    rng = np.random.default_rng(1)
    q, qd, qdd = (rng.uniform(-1, 1, 6) for _ in range(3))
    found = run(data, {"q": q.tolist(), "qd": qd.tolist(), "qdd": qdd.tolist()})["GAM"]
    still = run(data, {"q": q.tolist(), "qd": [0.0] * 6, "qdd": [0.0] * 6})["GAM"]
    assert_close(np.array(still), pin.computeGeneralizedGravity(peer.model, peer.data, peer.q(q)), 1e-9)
    assert len(found) == 6


def test_rows_and_groups_are_complete() -> None:
    program = symoro.direct_dynamics("rx90").program
    data = program_data(program)
    named = [r for i in (*program.setup, *program.instructions) if not i.anonymous for r in i.results]
    defined = [data["symbols"][s]["name"] for row in data["rows"] for s in row["defines"]]
    assert set(named) <= set(defined)
    assert len(defined) == len(set(defined))
    assert [g["first"] for g in data["groups"]] == list(np.cumsum([0, *(g["count"] for g in data["groups"])])[:-1])
    for row in data["rows"]:
        right = row["text"].partition(" = ")[2]
        words = set(re.findall(r"[A-Za-z]\w*", right)) - {"sin", "cos", "sqrt", "atan2", "pi"}
        assert {data["symbols"][s]["name"] for s in row["reads"]} == words
        marks = {int(s) for s in re.findall(r"htmlData\{s=(\d+)\}", row["tex"])}
        assert marks == set(row["reads"]) | set(row["defines"])


@pytest.mark.parametrize(
    ("robot", "model", "options"),
    [
        ("planar2r", "inverse_dynamics", {"params": "base"}),
        ("planar2r", "direct_dynamics", {"method": "inertia-matrix"}),
        ("stanford", "forward_geometry", {"link": 6}),
        ("rx90", "inverse_dynamics", {"params": "base"}),
    ],
)
def test_written_out_rows_have_the_values_of_the_model(robot: str, model: str, options: dict[str, Any]) -> None:
    program = getattr(symoro, model)(robot, **options).program
    data = expanded_data(program)
    rng = np.random.default_rng(3)
    given = {v.name: rng.uniform(0.2, 1) for v in (*program.input_variables(), *program.parameters)}
    arrays = {a.name: np.reshape([given[v.name] for v in a.variables], a.shape) for a in program.inputs}
    expected = evaluate(program, arrays, given)
    wanted = {n: x for o in program.outputs for n, x in zip(o.names, np.ravel(expected[o.name]), strict=True)}
    found = dict(given)
    for row in data["rows"]:
        left, _, right = row["text"].partition(" = ")
        if "size" in row:
            assert int(row["size"]) > 1000
            continue
        found[left] = eval(right, {"sin": math.sin, "cos": math.cos, "sign": np.sign, "pi": math.pi}, found)
        assert left not in wanted or abs(found[left] - wanted[left]) < 1e-9 * (1 + abs(wanted[left]))
    large = {row["text"] for row in data["rows"] if "size" in row}
    assert set(wanted) - set(found) == large
    assert large < set(wanted)


def test_written_out_rows_name_no_intermediate_variables() -> None:
    program = symoro.inverse_dynamics("planar2r", params="base").program
    data = expanded_data(program)
    kinds = [s["kind"] for s in program_data(program)["symbols"]]
    angles = {s for row in data["rows"] if "sin" in row["text"] or "cos" in row["text"] for s in row["defines"]}
    for row in data["rows"]:
        assert all(kinds[s] in ("input", "parameter") or s in angles for s in row["reads"])
        marks = {int(s) for s in re.findall(r"htmlData\{s=(\d+)\}", row["tex"])}
        assert marks == set(row["reads"]) | set(row["defines"])


def test_a_result_that_is_too_long_to_write_out_says_how_long() -> None:
    g = Graph()
    a, b, _ = angles(g, 3)
    short = a + b
    for _ in range(200):
        a, b = a * b + 1, a
    data = expanded_data(program_of(g, [short, a]))
    assert [group["kind"] for group in data["groups"]] == ["results", "large"]
    assert [row.get("size", "")[:9] for row in data["rows"]] == ["", "about 10^"]
