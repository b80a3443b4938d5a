"""The library: every robot loads, is sound, is complete in numbers, and is the robot that it says it is."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from symoro.formats import load
from symoro.robot import library
from symoro.robot.check import check
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import ZERO, Symbol, Value, evaluate, is_zero, parse, symbols, to_text

Matrix = NDArray[np.float64]

COMPLETE = ["stanford", "th8", "puma560", "rx90", "general6r", "snake20"]
COUNTED = [*COMPLETE, "puma560-symmetric", "rx90-symmetric", "rx90-k13"]
ARMS = ["scara", "tx40", "ur5", "kr6", "youbot", "panda", "kuka-iiwa", "kuka-lwr"]
OTHERS = ["planar2r", "planar3r", *ARMS, "two-arm", "humanoid"]
MOVING = ["spring-mass", "flexible-arm", "flexible-joints", "satellite", "eel50", "diff-drive-2r"]
LOOPS = ["four-bar", "slider-crank", "five-bar", "test-loop", "sr400", "akr3000", "two-loops", "orthoglide"]
NAMES = sorted([*COUNTED, *OTHERS, *MOVING, *LOOPS])
POSSIBLE = [name for name in NAMES if name != "rx90-k13"]  # regrouped links need not be possible bodies


def numbers(robot: Robot) -> dict[str, float]:
    return {name: evaluate(value, {}) for name, value in robot.values.items()}


def column(robot: Robot, name: str) -> list[str]:
    """One geometric parameter of all joints, as text."""
    return [to_text(getattr(joint, name)) for joint in robot.joints]


def exact(text: str) -> list[str]:
    return [to_text(parse(item)) for item in text.split()]


def test_names() -> None:
    assert sorted(library.names()) == NAMES


@pytest.mark.parametrize("name", NAMES)
class TestEveryRobot:
    def test_loads_under_its_name(self, name: str) -> None:
        robot = load(name)
        assert robot.name == name
        assert robot.title
        assert len(robot.source) > 40

    def test_has_no_errors(self, name: str) -> None:
        assert [p for p in check(load(name)) if p.severity == "error"] == []

    def test_variables_are_q_and_the_index(self, name: str) -> None:
        assert all(j.variable == (f"q{j.index}" if j.movable else None) for j in load(name).joints)

    def test_has_a_number_for_each_parameter(self, name: str) -> None:
        robot = load(name)
        inputs = {s for wrench in robot.wrenches for value in parameters(wrench) for s in symbols(value)}
        inputs |= {f"{kind}{j.index}" for j in robot.joints for kind in ("q", "QP", "QDP", "GAM")}
        used = {s for value in parameters(robot) for s in symbols(value)} - inputs
        assert used == set(robot.values)


@pytest.mark.parametrize("name", POSSIBLE)
def test_links_are_possible_bodies(name: str) -> None:
    robot = load(name)
    assert [p for p in check(robot) if p.severity == "warning"] == []
    for inertia in robot.inertias:
        moments = np.linalg.eigvalsh(about_centre(inertia, numbers(robot)))
        assert moments[0] > 0
        assert moments[0] + moments[1] >= moments[2] * (1 - 1e-9)


def about_centre(inertia: Inertia, at: dict[str, float]) -> Matrix:
    p = {key: evaluate(value, at) for key, value in inertia.items()}
    centre = np.array([p["MX"], p["MY"], p["MZ"]]) / p["M"]
    tensor = np.array([[p["XX"], p["XY"], p["XZ"]], [p["XY"], p["YY"], p["YZ"]], [p["XZ"], p["YZ"], p["ZZ"]]])
    return tensor - p["M"] * (centre @ centre * np.eye(3) - np.outer(centre, centre))


@pytest.mark.parametrize("name", COUNTED)
class TestCountedRobots:
    def test_has_the_wrench_of_the_last_link_alone(self, name: str) -> None:
        robot = load(name)
        n = robot.link_count
        assert robot.wrench(n) == Wrench.symbolic(n)
        assert all(wrench.is_zero for wrench in robot.wrenches[:-1])

    def test_has_rotor_inertias_and_no_friction(self, name: str) -> None:
        robot = load(name)
        first = 3 if name == "rx90-k13" else 1
        for j, drive in enumerate(robot.drives, 1):
            assert drive == Drive(IA=Symbol(f"IA{j}") if j >= first else ZERO)

    def test_has_symbolic_gravity_along_z(self, name: str) -> None:
        robot = load(name)
        assert robot.gravity == (ZERO, ZERO, Symbol("G3"))
        assert numbers(robot)["G3"] == -9.81


@pytest.mark.parametrize("name", COMPLETE)
def test_complete_robots_have_all_parameters(name: str) -> None:
    robot = load(name)
    assert robot.inertias == tuple(Inertia.symbolic(j) for j in range(1, robot.link_count + 1))


SIX = "0 0 0 0 0 0"
TABLES = {
    "puma560": ("000000", "0 -pi/2 0 pi/2 -pi/2 pi/2", "0 0 D3 D4 0 0", "0 0 RL3 RL4 0 0"),
    "puma560-symmetric": ("000000", "0 -pi/2 0 pi/2 -pi/2 pi/2", "0 0 D3 D4 0 0", "0 0 RL3 RL4 0 0"),
    "rx90": ("000000", "0 pi/2 0 -pi/2 pi/2 -pi/2", "0 0 D3 0 0 0", "0 0 0 RL4 0 0"),
    "rx90-symmetric": ("000000", "0 pi/2 0 -pi/2 pi/2 -pi/2", "0 0 D3 0 0 0", "0 0 0 RL4 0 0"),
    "rx90-k13": ("000000", "0 pi/2 0 -pi/2 pi/2 -pi/2", "0 0 d3 0 0 0", "0 0 0 RL4 0 0"),
    "stanford": ("001000", "0 -pi/2 pi/2 0 -pi/2 pi/2", SIX, "0 RL2 q3 0 0 0"),
    "th8": ("011000", "0 0 -pi/2 0 -pi/2 pi/2", SIX, "0 q2 q3 0 0 0"),
    "tx40": ("000000", "0 -pi/2 0 pi/2 -pi/2 pi/2", "0 0 D3 0 0 0", "0 0 RL3 RL4 0 0"),
    "general6r": ("000000", "0 alpha2 alpha3 alpha4 alpha5 alpha6", "0 D2 D3 D4 D5 D6", "0 RL2 RL3 RL4 RL5 0"),
    "snake20": ("0" * 20, "pi/2 -pi/2 " * 10, "L " * 20, "0 " * 20),
    "scara": ("0001", "0 0 0 0", "0 D2 D3 0", "0 0 0 q4"),
}


@pytest.mark.parametrize("name", TABLES)
def test_geometry(name: str) -> None:
    robot = load(name)
    sigma, *rows = TABLES[name]
    assert "".join(str(joint.sigma) for joint in robot.joints) == sigma
    assert [column(robot, key) for key in ("alpha", "d", "r")] == [exact(row) for row in rows]
    assert [joint.parent for joint in robot.joints] == list(range(len(sigma)))
    assert set(column(robot, "gamma") + column(robot, "b")) == {"0"}


@pytest.mark.parametrize(
    ("name", "moments"), [("puma560", ["MX2", "MY3", "MZ4", "MZ6"]), ("rx90", ["MY2", "MY3", "MZ4", "MZ6"])]
)
def test_symmetric_variants(name: str, moments: list[str]) -> None:
    expected = {f"{key}{j}" for key in ("XX", "YY", "ZZ", "M") for j in range(1, 7)} | set(moments)
    assert inertial(load(f"{name}-symmetric")) == {symbol: symbol for symbol in expected}


def inertial(robot: Robot) -> dict[str, str]:
    """The inertial parameters that are not 0: name and link, and their text."""
    entries: list[tuple[str, Value]] = [
        (f"{key}{j}", value) for j, inertia in enumerate(robot.inertias, 1) for key, value in inertia.items()
    ]
    return {key: to_text(value) for key, value in entries if not is_zero(value)}


def test_rx90_k13_has_the_parameters_as_printed() -> None:
    printed = "ZZ1=ZZ1R XX2=XXR2 ZZ2=ZZR2 MX2=MXR2 MY2=MY2 XX3=XXR3 ZZ3=ZZR3 MY3=MYR3 XX4=XXR4 ZZ4=ZZR4 "
    printed += "XX5=XXR5 ZZ5=ZZR5 MY5=MYR5 XX6=XXR6 ZZ6=ZZ6"
    assert inertial(load("rx90-k13")) == dict(item.split("=") for item in printed.split())


def test_rx90_k13_is_rx90_symmetric_regrouped() -> None:
    """Written out by hand from GK88's relations for α = 0, π/2, 0, −π/2, π/2, −π/2."""
    s, k = numbers(load("rx90-symmetric")), numbers(load("rx90-k13"))
    d2, r, r2 = s["D3"] ** 2, s["RL4"], s["RL4"] ** 2
    m4 = s["M4"] + s["M5"] + s["M6"]
    forearm = s["YY4"] + 2 * r * s["MZ4"] + r2 * m4
    expected = {
        "XXR6": s["XX6"] - s["YY6"],
        "XXR5": s["XX5"] - s["YY5"] + s["YY6"],
        "ZZR5": s["ZZ5"] + s["YY6"],
        "MYR5": s["MZ6"],
        "XXR4": s["XX4"] - s["YY4"] + s["YY5"],
        "ZZR4": s["ZZ4"] + s["YY5"],
        "XXR3": s["XX3"] - s["YY3"] + forearm,
        "ZZR3": s["ZZ3"] + forearm,
        "MYR3": s["MY3"] + s["MZ4"] + r * m4,
        "XXR2": s["XX2"] - s["YY2"] - d2 * (s["M3"] + m4),
        "ZZR2": s["ZZ2"] + s["IA2"] + d2 * (s["M3"] + m4),
        "MXR2": s["D3"] * (s["M3"] + m4),
        "ZZ1R": s["ZZ1"] + s["IA1"] + s["YY2"] + s["YY3"] + d2 * (s["M3"] + m4),
    }
    assert {name: k[name] for name in expected} == pytest.approx(expected, rel=1e-9)


def test_tx40_has_offsets_with_which_it_stands_upright() -> None:
    assert column(load("tx40"), "theta") == exact("q1 q2-pi/2 q3+pi/2 q4 q5 q6")


def test_puma_numbers_are_those_published() -> None:
    """The shoulder's frame lies 0.2435 before the published one, along z."""
    p = numbers(load("puma560"))
    centre = [p[name] / p["M2"] for name in ("MX2", "MY2", "MZ2")]
    assert centre == pytest.approx([0.068, 0.006, -0.016 + 0.2435])
    assert np.diag(about_centre(load("puma560").inertia(2), p)) == pytest.approx([0.13, 0.524, 0.539])
    assert p["RL3"] == pytest.approx(0.2435 - 0.0934)


def test_names_of_joints_are_unique() -> None:
    for name in NAMES:
        joints = load(name).joints
        assert not any(a.name == b.name for a, b in combinations(joints, 2))


def test_the_page_has_a_row_for_every_robot() -> None:
    page = (Path(__file__).parents[3] / "docs" / "robots.md").read_text(encoding="utf-8")
    heads = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert {name.strip(" `") for head in heads for name in head.split(",")} == set(library.names())
