"""Shapes, names, sparsity and errors of the dynamic models."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.raised import raised
from support.random_robots import random_robot
from symoro.bind.interface import robot_numbers
from symoro.errors import NotApplicable, OptionError
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Op
from symoro.models.catalogue import entries
from symoro.robot.robot import Robot
from symoro.solve.given import model

DYNAMIC = [entry for entry in entries() if entry.menu == "Dynamic"]


def test_inputs_and_outputs_of_the_public_models() -> None:
    state = {"q": (6,), "qd": (6,)}
    puma = symoro.load("puma560")
    expected = {
        "inertia_matrix": ({"q": (6,)}, {"A": (6, 6)}),
        "bias": (state, {"H": (6,)}),
        "gravity": ({"q": (6,)}, {"Q": (6,)}),
        "coriolis": (state, {"C": (6, 6)}),
        "coriolis_torques": (state, {"CQP": (6,)}),
        "lagrange_coefficients": ({"q": (6,)}, {"A": (6, 6), "B": (6, 21), "Q": (6,)}),
        "energies": (state, {"E": (), "U": ()}),
        "direct_dynamics": ({**state, "tau": (6,)}, {"QDP": (6,)}),
        "reactions": ({**state, "qdd": (6,)}, {"R": (6, 6)}),
        "direct_reactions": ({**state, "tau": (6,)}, {"QDP": (6,), "R": (6, 6)}),
        "friction": ({"qd": (6,)}, {"GAMF": (6,)}),
    }
    for name, (inputs, outputs) in expected.items():
        m = model(name, puma, optimize=False)
        assert {k: v for k, v in m.inputs.items() if k != "wrench"} == inputs, name
        assert m.outputs == outputs, name


@pytest.mark.long
def test_auto_is_the_cheapest_method() -> None:
    puma = symoro.load("puma560-symmetric")
    for name in ("inertia_matrix", "bias", "direct_dynamics"):
        chosen = model(name, puma).ops.total
        methods = next(e for e in DYNAMIC if e.name == name).of(puma).choices
        assert chosen <= min(model(name, puma, method=m).ops.total for m in methods)


@pytest.mark.parametrize("name", ["flexible-arm", "flexible-joints", "spring-mass", "satellite"])
@pytest.mark.parametrize(
    ("kind", "recursion"), [("inverse_dynamics", "newton-euler"), ("direct_dynamics", "recursive")]
)
def test_auto_is_the_cheapest_method_of_springs_and_free_bases(name: str, kind: str, recursion: str) -> None:
    totals = [model(kind, name, method=method).ops.total for method in (recursion, "inertia-matrix")]
    assert model(kind, name).ops.total == min(totals)


@pytest.mark.parametrize("name", ["four-bar", "diff-drive-2r", "satellite", "flexible-arm", "puma560"])
def test_every_robot_knows_auto(name: str) -> None:
    for make in (symoro.inverse_dynamics, symoro.direct_dynamics, symoro.inertia_matrix, symoro.bias):
        made = make(name, method="auto", optimize=False)
        assert made.equations() == make(name, optimize=False).equations()


def test_a_method_of_other_robots_is_refused() -> None:
    with pytest.raises(OptionError, match=r"'inertia-matrix' is not allowed \(allowed: auto, newton-euler, lagrange\)"):
        symoro.inverse_dynamics("puma560", method="inertia-matrix")


def test_a_tree_has_an_inertia_matrix_with_zeros_between_branches() -> None:
    robot = symoro.load("two-arm")
    for method in ("composite-links", "renaud", "lin", "walker-orin"):
        program = symoro.inertia_matrix(robot, method=method, optimize=False).program
        q = np.random.default_rng(0).normal(size=program.inputs[0].shape)
        A = evaluate(program, {"q": q}, robot_numbers(robot))["A"]
        assert np.count_nonzero(A) < A.size


def test_the_factorisation_divides_once_a_joint_and_fills_nothing() -> None:
    """Two arms of three joints on one base: as many multiplications as twice one arm."""

    def arms(count: int) -> Robot:
        one = random_robot(3, joints=3, kinds="revolute", moving_base=0.0)
        joints, inertias = [], []
        for arm in range(count):
            for j in one.joints:
                index = j.index + 3 * arm
                parent = j.parent + 3 * arm if j.parent else 0
                theta = type(j)(index, "x", parent).theta
                joints.append(type(j)(index, f"joint{index}", parent, alpha=j.alpha, d=j.d, theta=theta))
                inertias.append(type(one.inertia(1)).symbolic(index))
        return Robot("arms", tuple(joints), tuple(inertias))

    single, double = (symoro.direct_dynamics(arms(n), method="inertia-matrix", optimize=False).ops for n in (1, 2))
    assert (double.mul, double.add, double.div) == (2 * single.mul, 2 * single.add, 2 * single.div)
    assert single.div <= 3


def test_recursive_direct_dynamics_grows_linearly() -> None:
    def count(n: int) -> int:
        robot = random_robot(1, joints=n, kinds="revolute", moving_base=0.0)
        long_one = Robot(
            "chain",
            tuple(type(j)(j.index, f"joint{j.index}", j.index - 1, alpha=robot.joint(3).alpha, d=robot.joint(3).d)
                  for j in robot.joints),
            robot.inertias,
        )  # fmt: skip
        return symoro.direct_dynamics(long_one, method="recursive", optimize=False).ops.total

    a, b, c = count(10), count(20), count(30)
    assert c - b == b - a


def test_no_division_but_by_inertias() -> None:
    """Only the factorisations divide; the inertia matrix takes links without mass, Walker-Orin's excepted."""
    robot = symoro.load("puma560")
    for method in ("composite-links", "renaud", "lin"):
        program = symoro.inertia_matrix(robot, method=method, optimize=False).program
        assert not [i for i in (*program.setup, *program.instructions) if i.op is Op.DIV]


def test_names_are_those_of_the_papers() -> None:
    names = {name for name, _ in symoro.inertia_matrix("puma560", method="composite-links", optimize=False).equations()}
    assert {"AS13", "JP113", "MSP14", "A11", "A12", "A66"} <= names
    names = {name for name, _ in symoro.bias("puma560", method="newton-euler", optimize=False).equations()}
    assert {"WI12", "DV222", "VSP13", "H1", "H6"} <= names
    names = {name for name, _ in symoro.lagrange_coefficients("planar2r", optimize=False).equations()}
    assert {"A11", "B1_12", "B2_11", "Q1"} <= names


def test_models_on_a_moving_base() -> None:
    robot = next(r for r in map(random_robot, range(50)) if r.base.kind.value == "moving")
    with raised("dynamics.base_must_stand", NotApplicable):
        symoro.bias(robot, method="lin")
    assert "V0" in symoro.bias(robot).inputs
    assert "V0" in symoro.direct_dynamics(robot, optimize=False).inputs
    assert list(symoro.gravity(robot).inputs) == ["q"]


def test_an_unknown_method_lists_the_allowed_ones() -> None:
    with pytest.raises(OptionError, match="auto, composite-links, renaud, lin, walker-orin"):
        symoro.inertia_matrix("puma560", method="crba")


@pytest.mark.parametrize("entry", DYNAMIC, ids=lambda entry: entry.name)
def test_every_algorithm_of_the_menu_exists(entry) -> None:  # type: ignore[no-untyped-def]
    forms = [form for method in entry.methods for form in method.forms]
    assert all(callable(form.algorithm) for form in forms)
    assert all(callable(form.layouts) for form in forms if form.layouts)
