"""Programs as data for the page: they compute what Pinocchio computes, and rows and groups are complete."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pinocchio as pin

import symoro
from support.close import assert_close
from support.pinocchio_robot import oracle
from symoro.web.program import program_data


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
