"""Kinds of loops, rows that remain, mobility."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize

import symoro
from support.close import assert_close
from support.kinematics import run
from support.loop_robots import (
    described,
    joint,
    long_chain_with_a_loop,
    oblique_sliding_cut,
    sliding_cut,
    spherical_four_bar,
    three_cranks,
    triangle,
    triangular_coupler,
)
from support.raised import raised
from symoro.errors import CannotClose, NotApplicable, OptionError, ShapeError
from symoro.models.problems import constraint_problems
from symoro.robot.robot import Robot
from symoro.robot.values import Bindings, as_value

KINDS = {
    "four-bar": ["planar"],
    "slider-crank": ["planar"],
    "five-bar": ["planar"],
    "test-loop": ["planar"],
    "sr400": ["planar"],
    "akr3000": ["planar", "planar"],
    "two-loops": ["planar", "planar"],
    "orthoglide": ["spatial", "spatial"],
}


@pytest.mark.parametrize("name", KINDS)
def test_library(name: str) -> None:
    found = symoro.mobility(name)
    assert [loop.kind for loop in found.loops] == KINDS[name]
    assert found.mobility == found.active
    assert found.rank == found.joints - found.active
    assert found.assembled


@pytest.mark.parametrize(
    ("robot", "kind", "rows"),
    [
        (sliding_cut(), "planar", ("vx", "wy")),
        (oblique_sliding_cut(), "planar", ("vx", "wx")),
        (spherical_four_bar(), "spherical", ("wx", "wy")),
        (long_chain_with_a_loop(), "planar", ("vx", "vy")),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_rows(robot: Robot, kind: str, rows: tuple[str, ...]) -> None:
    (loop,) = symoro.mobility(robot).loops
    assert loop.kind == kind
    assert len(loop.rows) == 2
    assert loop.rows[1] == rows[1]


def test_two_loops_share_links() -> None:
    first, second = symoro.mobility("two-loops").loops
    assert set(first.joints) & set(second.joints) == {8}
    first, second = symoro.mobility("akr3000").loops
    assert set(first.joints) & set(second.joints) == {2}


def test_shapes() -> None:
    model = symoro.loop_kinematics("akr3000")
    assert model.inputs == {"q": (10,), "qd": (6,)}
    assert model.outputs == {
        "Wa": (4, 6), "Wp": (4, 4), "Wac": (2, 6), "Wpc": (2, 4), "Wc": (2, 2), "psi": (4,), "phi": (2,),
        "W": (4, 6), "G": (10, 6),
    }  # fmt: skip


def doubled_four_bar() -> Robot:
    """A four-bar linkage with a second, parallel coupler: one of the two loops' equations follows from the others."""
    return described(
        "doubled-four-bar",
        [
            joint(1, 0, actuated=True),
            joint(2, 1, d="L1"),
            joint(3, 0, d="L4"),
            joint(4, 1, d="L1/2"),
            joint(5, 2, d="L4"),
            joint(6, 4, d="L4"),
            joint(7, 3, "fixed", d="L1"),
            joint(8, 3, "fixed", d="L1/2"),
        ],
        [(5, 7), (6, 8)],
        {"L1": 0.2, "L4": 0.5},
    )


def test_rows_that_other_loops_imply() -> None:
    """A parallelogram with a third bar moves although a count of its joints says that it cannot."""
    robot = doubled_four_bar()
    found = symoro.mobility(robot)
    assert (found.joints, found.rank, found.mobility) == (4, 3, 1)
    q = np.array([0.7, -0.7, 0.7, -0.7])
    assert_close(run(symoro.loop_kinematics(robot), q=q, qd=[1.0])["G"].T, [[1, -1, 1, -1]], 1e-12)
    assert_close(symoro.loop_geometry(robot).compile().branches([0.7]), [q], 1e-10)


def test_too_few_motors() -> None:
    robot = symoro.load("five-bar")
    weaker = replace(robot, joints=tuple(replace(j, actuated=j.index == 1) for j in robot.joints))
    assert "the motors do not fix the robot" in str(symoro.mobility(weaker))
    with raised("dynamics.loops_leave_free", NotApplicable):
        symoro.loop_kinematics(weaker)


def test_too_many_motors() -> None:
    """More motors than mobility is not described as its opposite."""
    robot = symoro.load("four-bar")
    stronger = replace(robot, joints=tuple(replace(j, actuated=j.index in (1, 3)) for j in robot.joints))
    assert "more motors than mobility" in str(symoro.mobility(stronger))
    expected = r"1 passive joints but 2 independent equations; its motors \(2\) are more than its mobility"
    with pytest.raises(NotApplicable, match=expected):
        symoro.loop_kinematics(stronger)
    with pytest.raises(NotApplicable, match=expected):
        symoro.inverse_dynamics(stronger)


def test_coordinates_that_motors_do_not_determine() -> None:
    """θ2 and θ3 depend on q2 + q3 alone where N3 = 1: nothing determines q2 − q3, though no expression is zero."""
    robot = symoro.load("four-bar")
    theta = {2: as_value("q2 + q3"), 3: as_value("q2 + N3*q3")}
    joints = tuple(replace(j, theta=theta.get(j.index, j.theta)) for j in robot.joints)
    tied = replace(robot, joints=joints, values=Bindings({**robot.values, "N3": as_value(1)}))
    with raised("dynamics.loose_and_tied", NotApplicable):
        symoro.inverse_dynamics(tied)
    (problem,) = constraint_problems(tied)
    assert "joints 2, 3 can move while all motors stand still" in problem.message
    free = tied.with_values({"N3": 2})
    assert not constraint_problems(free)
    assert symoro.inverse_dynamics(free).outputs == {"GAM": (1,)}


def test_a_loop_that_cannot_move_has_empty_models() -> None:
    robot = triangle()
    found = symoro.mobility(robot)
    assert (found.mobility, found.active, found.assembled) == (0, 0, True)
    q = symoro.loop_geometry(robot).compile()([])
    for name, shape in (("inverse_dynamics", (0,)), ("inertia_matrix", (0, 0)), ("bias", (0,))):
        assert getattr(symoro, name)(robot).compile()(q=q).shape == shape
    assert [note.code for note in symoro.base_parameters(robot).notes] == ["regressors.nothing_moves"]


PARALLEL = np.array([0.7, -0.7, 0.7, 0.7])
TRIANGLE = PARALLEL - [0, 0, 0, 0.8]  # joint 4 counts its angle from the side of the triangle


def crank_gaps(robot: Robot, q: np.ndarray) -> np.ndarray:
    """The gaps of the two loops of three cranks on a coupler, by complex numbers."""
    L1, D2, D3, G3 = (robot.values.numbers().get(name, 0.0) for name in ("L1", "D2", "D3", "G3"))
    z, z2, z3 = (np.exp(1j * x) for x in (q[0], q[2], q[3] + G3))
    ends = L1 * z + np.array([D2, D3 * np.exp(1j * G3)]) * (np.exp(1j * (q[0] + q[1])) - 1)
    gaps = ends - L1 * np.array([z2, z3])
    return np.concatenate([gaps.real, gaps.imag])


def rigid_assemblies(robot: Robot) -> list[np.ndarray]:
    """The two configurations of the triangular coupler in which its cranks are not parallel, by its derivation."""
    L1, D2, D3, G3 = (robot.values.numbers()[name] for name in ("L1", "D2", "D3", "G3"))
    y = 1 / complex(-D2 / 2, (D2 * np.cos(G3) - D3) / (2 * np.sin(G3)))
    found = []
    for side in (1, -1):
        a = -np.angle(y) + side * np.arccos(-L1 * abs(y) / 2)
        h = y * np.exp(1j * a)
        b, c = np.angle(np.exp(1j * a) + D2 * h), np.angle(np.exp(1j * a) + np.exp(1j * G3) * D3 * h)
        found.append(np.array([a, np.angle(1 + L1 * h) - a, b, c - G3]))
    return found


@pytest.mark.parametrize(
    ("robot", "offset"), [(three_cranks(), 0.0), (triangular_coupler(), 0.8)], ids=["line", "triangle"]
)
def test_three_cranks_close_as_derived(robot: Robot, offset: float) -> None:
    """Least squares of SciPy from many starts ends where the derivations of the two robots say, and nowhere else."""
    rigid = rigid_assemblies(robot) if offset else []
    reached = set()
    for start in np.random.default_rng(5).uniform(-np.pi, np.pi, (60, 4)):
        found = scipy.optimize.least_squares(lambda q: crank_gaps(robot, q), start, xtol=1e-15, ftol=1e-15, gtol=1e-15)
        if np.abs(found.fun).max() > 1e-13:
            continue
        a, b, c, d = found.x
        away = np.exp(1j * np.array([a + b, c - a, d + offset - a])) - 1  # turn of the coupler, angles between cranks
        near = [n for n, q in enumerate(rigid) if np.abs(np.exp(1j * q) - np.exp(1j * found.x)).max() < 1e-6]
        assert near or np.abs(away).max() < 1e-3  # half of the digits where the family is singular
        reached.add(near[0] if near else "parallel")
    assert reached == {"parallel", *range(len(rigid))}


def test_mobility_of_a_mechanism_with_dependent_equations() -> None:
    """Three parallel cranks on a straight coupler always move; the flat configurations decide nothing."""
    robot = three_cranks()
    found = symoro.mobility(robot)
    assert (found.rank, found.mobility, found.assembled, found.decided) == (3, 1, True, True)
    at = symoro.mobility(robot, q=PARALLEL)
    assert (at.rank, at.mobility, at.assembled, at.decided) == (3, 1, True, True)
    flat = symoro.mobility(robot, q=[1e-8, 0.0, 0.0, 0.0])
    assert not flat.decided
    assert "not decided: no closed configuration was found that is not singular (rank 2" in str(flat)
    with raised("loops.rank", NotApplicable):
        symoro.loop_kinematics(robot, at=[1e-8, 0.0, 0.0, 0.0])
    for model in (symoro.loop_kinematics(robot), symoro.loop_kinematics(robot, at=[0.7, -0.7000001, 0.7, 0.7])):
        assert_close(run(model, q=PARALLEL, qd=[1.0])["G"].T, [[1, -1, 1, 1]], 1e-12)


def test_mobility_at_a_configuration() -> None:
    """Three cranks on a triangular coupler move where they are parallel; assembled otherwise they do not."""
    robot = triangular_coupler()
    general = symoro.mobility(robot)
    assert (general.rank, general.mobility, general.decided) == (4, 0, False)
    assert "not decided: its closed configurations have different ranks (rank 3" in str(general)
    found = symoro.mobility(robot, q=TRIANGLE)
    assert (found.rank, found.mobility, found.assembled, found.decided) == (3, 1, True, True)
    for q in rigid_assemblies(robot):
        assert np.abs(crank_gaps(robot, q)).max() < 1e-15
        found = symoro.mobility(robot, q=q)
        assert (found.rank, found.mobility, found.assembled, found.decided) == (4, 0, True, True)
    assert symoro.mobility("four-bar", q=symoro.loop_geometry("four-bar").compile()(0.3)).mobility == 1


@pytest.mark.parametrize(
    ("q", "error", "reason"),
    [
        ([0.7, 0.0, 0.7, 0.7], CannotClose, "open at the given configuration"),
        ([0.7, 0.7], ShapeError, "q must have 4 finite positions"),
        ([0.7, np.nan, 0.7, 0.7], ShapeError, "q must have 4 finite positions"),
    ],
)
def test_mobility_at_a_wrong_configuration(q: list[float], error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        symoro.mobility(three_cranks(), q=q)


def test_models_of_a_mechanism_that_moves_in_a_special_geometry() -> None:
    robot = triangular_coupler()
    with raised("loops.rank", NotApplicable):
        symoro.loop_kinematics(robot)
    with raised("dynamics.loops_tie_motors", NotApplicable):
        symoro.loop_kinematics(robot, at=rigid_assemblies(robot)[0])
    model = symoro.loop_kinematics(robot, at=TRIANGLE)
    assert_close(run(model, q=TRIANGLE, qd=[1.0])["G"].T, [[1, -1, 1, 1]], 1e-12)
    assert symoro.inverse_dynamics(robot, at=TRIANGLE).derivative("q").outputs == {"dGAM_dq": (1, 1)}
    f = symoro.loop_geometry(robot, at=TRIANGLE).compile()
    assert_close(f(0.9, guess=TRIANGLE), TRIANGLE + 0.2 * np.array([1, -1, 1, 1]), 1e-12)
    assert len(symoro.base_parameters(robot, guess=TRIANGLE)) == 1


@pytest.mark.parametrize("wrong", [[0.1, 0.2], "left", [0.1, 0.2, np.inf, 0.4], 3])
def test_a_configuration_that_is_none(wrong: object) -> None:
    with pytest.raises(OptionError, match="a number for each of q1, q2, q3, q4"):
        symoro.inverse_dynamics(three_cranks(), at=wrong)
    with pytest.raises(OptionError, match="allowed: for robots with closed loops"):
        symoro.inverse_dynamics("rx90", at=[0.0] * 6)
