"""Base parameters as people read them: names and relations of the papers, matrix, robot, text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.raised import raised
from symoro.bind.interface import robot_numbers
from symoro.errors import NotApplicable
from symoro.models.identification.base.rank import dependent_columns, rank_of
from symoro.robot.base import Base, BaseKind
from symoro.robot.joint import Joint, JointKind
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import Bindings, Symbol, as_value

#: GK88 § 9, as printed.
SCEMI = [
    "ZZR1", "XXR2", "XY2", "XZR2", "YZ2", "ZZR2", "MXR2", "MY2", "XXR3", "XY3", "XZ3",
    "YZ3", "ZZR3", "MX3", "MYR3", "XXR4", "XY4", "XZ4", "YZ4", "ZZR4", "MX4", "MYR4",
    "XXR5", "XY5", "XZ5", "YZ5", "ZZR5", "MX5", "MYR5", "XXR6", "XY6", "XZ6", "YZ6",
    "ZZ6", "MX6", "MY6",
]  # fmt: skip

#: K13's appendix, for symmetric links.
SYMMETRIC = [
    "ZZR1", "XXR2", "ZZR2", "MXR2", "MY2", "XXR3", "ZZR3", "MYR3", "IA3", "XXR4", "ZZR4",
    "IA4", "XXR5", "ZZR5", "MYR5", "IA5", "XXR6", "ZZ6", "IA6",
]  # fmt: skip


def scemi() -> Robot:
    """GK88's robot has the geometry of the RX-90; rotors are left out there."""
    robot = symoro.load("rx90")
    return replace(robot, drives=(Drive(),) * 6)


def test_the_scemi_robot_has_the_printed_names() -> None:
    assert list(symoro.base_parameters(scemi()).parameters) == SCEMI


def test_the_scemi_robots_relations() -> None:
    """GK88 § 9 with YY3, which the print lost."""
    relations = symoro.base_parameters(scemi()).relations
    assert relations["ZZR1"] == "ZZ1 + YY2 + YY3 + D3^2*(M3 + M4 + M5 + M6)"
    assert relations["XXR2"] == "XX2 - YY2 - D3^2*(M3 + M4 + M5 + M6)"
    assert relations["XZR2"] == "XZ2 - D3*MZ3"
    assert relations["ZZR2"] == "ZZ2 + D3^2*(M3 + M4 + M5 + M6)"
    assert relations["MXR2"] == "MX2 + D3*(M3 + M4 + M5 + M6)"
    assert relations["XXR3"] == "XX3 + YY4 + 2*RL4*MZ4 + RL4^2*(M4 + M5 + M6) - YY3"
    assert relations["MYR3"] == "MY3 + MZ4 + RL4*(M4 + M5 + M6)"
    assert relations["MYR4"] == "MY4 - MZ5"
    assert relations["XXR5"] == "XX5 + YY6 - YY5"
    assert relations["XXR6"] == "XX6 - YY6"
    assert relations["XY2"] == "XY2"


def test_the_symmetric_rx90_has_the_names_of_the_appendix() -> None:
    found = symoro.base_parameters("rx90-symmetric")
    assert list(found.parameters) == SYMMETRIC
    assert found.relations["ZZR1"].startswith("ZZ1 + IA1 + YY2")
    assert found.inertial == tuple(name for name in SYMMETRIC if not name.startswith("IA"))


def test_what_is_eliminated_has_a_reason() -> None:
    found = symoro.base_parameters(scemi())
    assert found.eliminated["XX1"] == "no effect on the torques"
    assert found.eliminated["M2"] == "no effect on the torques"
    assert found.eliminated["MZ3"] == "regrouped in XZR2"
    assert found.eliminated["YY2"] == "regrouped in ZZR1, XXR2"
    assert len(found.eliminated) + len(found.parameters) == len(found.standard) == 60


def test_a_base_robot_is_its_own_base() -> None:
    once = symoro.base_parameters("rx90").robot
    again = symoro.base_parameters(once)
    assert again.parameters == symoro.base_parameters("rx90").parameters
    assert not again.eliminated
    assert again.robot.inertias == once.inertias


def test_the_matrix_gives_the_numbers() -> None:
    robot = symoro.load("puma560")
    found = symoro.base_parameters(robot)
    known = robot_numbers(robot)
    base = found.matrix @ np.array([known[name] for name in found.standard])
    assert found.matrix.shape == (40, 66)
    np.testing.assert_allclose(base, [found.numbers[name] for name in found.parameters], rtol=1e-14)


def test_the_matrix_of_an_unknown_geometry_has_expressions() -> None:
    robot = replace(scemi(), values=Bindings())
    found = symoro.base_parameters(robot)
    column = found.standard.index("M3")
    assert found.matrix.dtype == object
    assert found.matrix[found.parameters.index("MXR2"), column] == Symbol("D3")
    assert found.numbers == {}


def test_friction_where_asked() -> None:
    plain, full = symoro.base_parameters("scara"), symoro.base_parameters("scara", friction=True)
    assert len(plain.parameters) == 11
    assert full.parameters[11:] == ("FV1", "FS1", "FV2", "FS2", "FV3", "FS3", "FV4", "FS4")
    assert full.matrix.shape == (19, len(full.standard))
    assert full.matrix[-1, -1] == 1
    assert full.inertial == plain.inertial


@pytest.mark.parametrize("ending", ["par", "toml"])
def test_the_base_robot_is_written_and_read(tmp_path: Path, ending: str) -> None:
    found = symoro.base_parameters("rx90")
    symoro.write(found.robot, tmp_path / f"base.{ending}")
    read = symoro.load(tmp_path / f"base.{ending}")
    assert read.inertias == found.robot.inertias
    model = symoro.inverse_dynamics(read, optimize=False)
    assert (model.ops.mul, model.ops.add) == (251, 238)
    assert {name for name in model.parameters if not name.startswith(("FX", "D3", "RL4", "G3"))} == set(
        found.parameters
    )


def test_text_and_latex() -> None:
    found = symoro.base_parameters("scara")
    assert str(found).splitlines()[:2] == [
        "11 base parameters of SCARA arm (RRRP)",
        "ZZR1 = ZZ1 + IA1 + D2^2*(M2 + M3)",
    ]
    assert r"\mathrm{ZZR}_{1} &= \mathrm{ZZ}_{1}" in found.latex()
    assert len(found) == 11


def test_regrouped_parameters_are_computed_once() -> None:
    model = symoro.inverse_dynamics("rx90", params="base", optimize=False)
    names = [name for name, _ in model.equations()]
    assert names.index("ZZR1") < names.index("S2")
    assert (model.ops.mul, model.ops.add) == (251, 238)
    assert "M6" in model.parameters


@pytest.mark.parametrize(
    ("name", "mul", "add"), [("rx90-symmetric", 158, 113), ("puma560", 263, 250), ("puma560-symmetric", 182, 142)]
)
def test_the_counts_of_the_customised_model(name: str, mul: int, add: int) -> None:
    ops = symoro.inverse_dynamics(name, params="base", optimize=False).ops
    assert (ops.mul, ops.add) == (mul, add)


def planar(**of_link_2: str) -> Robot:
    """Two parallel axes across gravity, the second link with some parameters only."""
    return Robot(
        name="planar",
        joints=(Joint(1, "a", 0, alpha=as_value("pi/2")), Joint(2, "b", 1, d=Symbol("L"))),
        inertias=(Inertia(), Inertia(**{name: as_value(text) for name, text in of_link_2.items()})),
        gravity=tuple(map(as_value, (0, 0, "G3"))),
    )


def test_few_parameters_make_few_base_parameters() -> None:
    """A point mass at the second joint gives ZZ1 and MX1 at once, which are one parameter."""
    found = symoro.base_parameters(planar(M="M2"))
    assert found.relations == {"ZZR1": "L^2*M2"}
    assert found.minimal.names["MX", 1] == "MXR1"
    model = symoro.dynamic_regressor(planar(M="M2"), params="base")
    assert model.columns == ("ZZR1",)
    state = [np.array(x) for x in ([0.3, 0.2], [1.0, -0.5], [0.7, 0.4])]
    values = {"L": 0.5, "G3": -9.81}
    expected = symoro.inverse_dynamics(planar(M="M2")).compile("numpy")(*state, values=values | {"M2": 2.0})
    assert_close(model.compile("numpy")(*state, values=values)[:, 0] * 0.5, expected, 1e-14)
    same = symoro.inverse_dynamics(found.robot).compile("numpy")(*state, values=values | {"ZZR1": 0.5})
    assert_close(same, expected, 1e-14)


def test_a_robot_of_geometry_alone_has_all_parameters() -> None:
    robot = replace(scemi(), inertias=(Inertia(),) * 6)
    assert list(symoro.base_parameters(robot).parameters) == SCEMI


def test_a_free_base_keeps_its_own_parameters() -> None:
    robot = replace(planar(), base=Base(BaseKind.FLOATING), inertias=tuple(Inertia.symbolic(j) for j in (1, 2)))
    robot = replace(robot, base=replace(robot.base, inertia=Inertia.symbolic(0)))
    found = symoro.base_parameters(robot)
    assert len(found.parameters) == 10 + 7 + 7
    assert found.relations["MR0"] == "M0 + M1 + M2"


def test_a_coupling_keeps_rotor_and_link_apart() -> None:
    """The rotor turns with the motor, which several joints may move."""
    robot = replace(scemi(), drives=tuple(Drive(IA=Symbol(f"IA{j}")) for j in range(1, 7)))
    coupling = tuple(tuple(as_value(int(i == k or (i, k) == (2, 1))) for k in range(6)) for i in range(6))
    assert "IA1" not in symoro.base_parameters(robot).parameters
    coupled = replace(robot, coupling=coupling)
    assert "IA1" in symoro.base_parameters(coupled).parameters
    state = np.random.default_rng(0).normal(size=(3, 6))
    expected = symoro.inverse_dynamics(coupled, optimize=False).compile("numpy")(*state)
    torque = symoro.inverse_dynamics(coupled, params="base", optimize=False).compile("numpy")(*state)
    np.testing.assert_allclose(torque, expected, rtol=1e-11)


def test_a_spring_keeps_rotor_and_link_apart() -> None:
    assert {"IA1", "IA2"} <= set(symoro.base_parameters("flexible-joints").parameters)
    with raised("models.springs_in_series", NotApplicable):
        symoro.dynamic_regressor("flexible-joints")


def test_numbers_that_make_a_divisor_zero_are_refused() -> None:
    """With a symbol for the angle of its prismatic joint, the relations divide by cos(a)."""
    robot = Robot(
        name="slider",
        joints=(
            Joint(1, "lift", 0, JointKind.PRISMATIC),
            Joint(2, "turn", 1),
            Joint(3, "arm", 2, JointKind.PRISMATIC, alpha=Symbol("a")),
        ),
        inertias=tuple(Inertia.symbolic(j) for j in (1, 2, 3)),
        values=Bindings({"a": "pi/2"}),
    )
    with raised("regressors.divisor", NotApplicable):
        symoro.inverse_dynamics(robot, params="base")
    number = replace(
        robot, joints=(*robot.joints[:2], replace(robot.joints[2], alpha=as_value("pi/2"))), values=Bindings()
    )
    assert symoro.inverse_dynamics(number, params="base").ops.total


def test_as_many_columns_are_kept_as_the_rank_where_one_is_hardly_seen() -> None:
    """A column that differs from the sum of two others by 1e-8 is not one of those that depend on them."""
    rng = np.random.default_rng(0)
    a, b, c, d = rng.normal(size=(4, 40))
    rows = np.column_stack([a, b, a + b + 1e-8 * c, d, a - d])
    assert rank_of(rows).rank == 4
    assert dependent_columns(rows, range(5), 4) == [4]
