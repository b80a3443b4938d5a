"""Closed loops: closure, branches, constraint matrices and motion, against Pinocchio and differences in time."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.kinematics import Reference, run
from support.loop_robots import long_chain_with_a_loop, oblique_sliding_cut, sliding_cut, spherical_four_bar
from support.pinocchio_robot import placement
from support.samples import named
from symoro.bind.interface import robot_numbers
from symoro.robot.robot import Robot
from symoro.solve.loops import Assembly

#: Positions of the active joints in which the robots are far from singular.
POSITIONS = {
    "four-bar": [0.8],
    "slider-crank": [0.7],
    "five-bar": [2.0, 1.0],
    "test-loop": [0.3, 1.6],
    "sr400": [0.1, -1.2, 0.2, 0.3, 0.4, 0.3],
    "akr3000": [0.2, 0.9, 0.5, 0.3, 0.4, -0.2],
    "two-loops": [0.2, 1.1, -0.6, 0.4],
    "orthoglide": [0.03, -0.05, 0.04],
    "sliding-cut": [0.7],
    "oblique-sliding-cut": [0.7],
    "spherical-four-bar": [0.6],
    "long": [0.1, 0.4, -0.3, 0.2, 0.5, -0.6, 0.3, 0.2, 0.1, 0.4, -0.2, 0.8],
}
OWN = {make().name: make for make in (sliding_cut, oblique_sliding_cut, spherical_four_bar, long_chain_with_a_loop)}
NAMES = list(POSITIONS)


def robot_of(name: str) -> Robot:
    return OWN[name]() if name in OWN else symoro.load(name)


@pytest.fixture(scope="module", params=NAMES)
def case(request: pytest.FixtureRequest) -> tuple[Robot, Assembly, np.ndarray]:
    """A robot, its assembly, and a closed configuration."""
    robot = robot_of(request.param)
    assembly = symoro.loop_geometry(robot).compile("numpy")
    return robot, assembly, _any_branch(assembly, np.array(POSITIONS[request.param]))


def _any_branch(assembly: Assembly, qa: np.ndarray) -> np.ndarray:
    """One closed configuration; finding all of them would take longer."""
    assembler = assembly.assembler()
    for seed in range(10):
        q, closed = assembler.newton(assembler.starts(qa, np.random.default_rng(seed), 32))
        values = np.linalg.svd(assembler.gap(q[closed]).dE[:, :, list(assembler.passive)], compute_uv=False)
        if closed.any():
            best: np.ndarray = q[closed][int((values[:, -1] / values[:, 0]).argmax())]
            return best
    raise AssertionError("no closed configuration")


def cut_gaps(robot: Robot, q: np.ndarray, qc: np.ndarray) -> list[np.ndarray]:
    """mate⁻¹ · cut frame for each cut, by Pinocchio's placements: the identity where the loop is closed (K97:2)."""
    reference, numbers = Reference(robot, q), robot_numbers(robot)

    def pose(index: int) -> pin.SE3:
        if index <= robot.link_count:
            return reference.pose(index)
        joint = robot.joint(index)
        fixed = pose(joint.parent) * placement(joint, numbers)
        if joint.fixed:
            return fixed
        x = qc[[cut.joint for cut in robot.cuts].index(index)]
        turn = pin.SE3(pin.utils.rotate("z", x), np.zeros(3))
        return fixed * (turn if joint.revolute else pin.SE3(np.eye(3), np.array([0, 0, x])))

    return [(pose(cut.mate).inverse() * pose(cut.joint)).homogeneous for cut in robot.cuts]


def test_frames_of_a_cut_coincide(case: tuple[Robot, Assembly, np.ndarray]) -> None:
    robot, assembly, q = case
    assert np.abs(assembly.gap(q)).max() < 1e-12
    for gap in cut_gaps(robot, q, assembly.cut(q)):
        assert np.abs(gap - np.eye(4)).max() < 1e-12


def motion(case: tuple[Robot, Assembly, np.ndarray], h: float) -> tuple[np.ndarray, ...]:
    """q̇ and q̈ of the active joints (random), of the tree and of the cut joints (by differences)."""
    _, assembly, q = case
    assembler = assembly.assembler()
    active = list(assembler.active)
    va, aa = np.random.default_rng(4).normal(size=(2, len(active)))

    def at(t: float) -> np.ndarray:
        start = q.copy()
        start[active] = q[active] + va * t + aa * t * t / 2
        found, closed = assembler.newton(start[None])
        assert closed[0]
        return found[0]

    qs = [at(t) for t in (-2 * h, -h, 0.0, h, 2 * h)]
    rates = []
    for values in (qs, [assembly.cut(x) for x in qs]):
        x = np.unwrap(np.array(values), axis=0)
        first = (x[0] - 8 * x[1] + 8 * x[3] - x[4]) / (12 * h)
        second = (-x[0] + 16 * x[1] - 30 * x[2] + 16 * x[3] - x[4]) / (12 * h * h)
        rates += [first, second]
    return va, aa, *rates


def test_constraint_matrices_give_the_motion_of_passive_joints(case: tuple[Robot, Assembly, np.ndarray]) -> None:
    robot, assembly, q = case
    va, aa, qd, qdd, cd, cdd = motion(case, 1e-3)
    passive = list(assembly.assembler().passive)
    m = run(symoro.loop_kinematics(robot), q=q, qd=va)
    assert_close(m["W"] @ va, qd[passive], 1e-7)
    assert_close(m["G"] @ va, qd, 1e-7)
    assert np.abs(m["Wa"] @ va + m["Wp"] @ qd[passive]).max() < 1e-7 * (1 + np.abs(qd).max())
    scale = 1 + np.abs(qdd).max() + np.abs(cdd).max()
    assert np.abs(m["Wac"] @ va + m["Wpc"] @ qd[passive] + m["Wc"] @ cd).max() < 1e-7 * (1 + np.abs(cd).max())
    assert np.abs(m["Wa"] @ aa + m["Wp"] @ qdd[passive] + m["psi"]).max() < 1e-5 * scale
    assert np.abs(m["Wac"] @ aa + m["Wpc"] @ qdd[passive] + m["Wc"] @ cdd + m["phi"]).max() < 1e-5 * scale


def test_motion_of_links_is_that_of_pinocchio(case: tuple[Robot, Assembly, np.ndarray]) -> None:
    """symoro gets the motion of the active joints, Pinocchio that of all joints."""
    robot, _, q = case
    va, aa, qd, qdd, _, _ = motion(case, 1e-3)
    link = robot.link_count
    reference = Reference(robot, q, qd, qdd)
    (V,) = run(symoro.velocities(robot, link), q=q, qd=va).values()
    assert_close(V, reference.velocity(link), 1e-7)
    (VP,) = run(symoro.accelerations(robot, link), q=q, qd=va, qdd=aa).values()
    assert_close(VP, reference.acceleration(link), 1e-5)


def test_newton_steps_close_the_loops(case: tuple[Robot, Assembly, np.ndarray]) -> None:
    """Six steps of the emitted program close the loops."""
    robot, assembly, q = case
    model = symoro.loop_step(robot)
    assembler = assembly.assembler()
    at = q.copy()
    at[list(assembler.passive)] += 1e-3
    for _ in range(6):
        at = run(model, q=at)["Q"]
    assert np.abs(run(model, q=at)["E"]).max() < 1e-12


# branches, counted by elimination


def circles(a: np.ndarray, r: float, b: np.ndarray, s: float) -> list[np.ndarray]:
    """Where two circles meet."""
    d = np.linalg.norm(b - a)
    x = (d * d + r * r - s * s) / (2 * d)
    if abs(x) > r:
        return []
    along = (b - a) / d
    across = np.array([-along[1], along[0]]) * np.sqrt(r * r - x * x)
    return [a + x * along + across, a + x * along - across]


def e(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])


def count_four_bar(n: dict[str, float], q: list[float]) -> int:
    return len(circles(n["L1"] * e(q[0]), n["L2"], np.array([n["L4"], 0]), n["L3"]))


def count_slider_crank(n: dict[str, float], q: list[float]) -> int:
    height = n["E"] - n["L1"] * np.sin(q[0])
    return 2 if abs(height) < n["L2"] else 0


def count_five_bar(n: dict[str, float], q: list[float]) -> int:
    return len(circles(n["L1"] * e(q[0]), n["L2"], np.array([n["L0"], 0]) + n["L3"] * e(q[1]), n["L4"]))


def count_test_loop(n: dict[str, float], q: list[float]) -> int:
    return len(circles(n["d"] * e(q[0]), n["d"], n["d"] * e(q[1]), n["d"]))


def count_sr400(n: dict[str, float], q: list[float]) -> int:
    """Link 3 turns about O3 with the arm d8; the rod of the length d3 turns about O8."""
    return len(circles(n["d3"] * e(q[1]), n["d8"], -n["d8"] * e(q[5]), n["d3"]))


def count_akr3000(n: dict[str, float], q: list[float]) -> int:
    """Each cylinder and its link form a triangle: first the arm, then the forearm."""
    total = 0
    for pin_on_arm in circles(np.zeros(2), n["D14"], np.array([n["D4"], 0]), abs(q[2])):
        arm = np.arctan2(pin_on_arm[1], pin_on_arm[0]) - n["gam14"]
        total += len(circles(n["D7"] * e(arm), n["D13"], np.array([n["D3"], 0]), abs(q[1])))
    return total


def count_two_loops(n: dict[str, float], q: list[float]) -> int:
    """The bracket 8 on O3 and the rod 6; then the rod 7 between the wrist's arm and the bracket."""
    elbow = n["d3"] * e(q[1])
    pivot = n["d12"] * np.array([-np.sin(n["g12"]), np.cos(n["g12"])])
    wrist = elbow + n["d4"] * e(q[1] + q[2])
    corners = circles(elbow, n["d7"], pivot, n["d3"])
    return sum(len(circles(wrist, n["d7"], corner, n["d4"])) for corner in corners)


def count_orthoglide(n: dict[str, float], q: list[float]) -> int:
    """Three spheres give the platform's place, three quadrics in a quaternion its orientation; each leg folds twice."""
    a, d = n["a"], n["d4"]
    sliders = np.array([[0, 0, q[0]], [q[1] - a, 0, a], [0, q[2] - a, a]])
    return 8 * sum(orientations(place - sliders) for place in spheres(sliders, d))


def spheres(centres: np.ndarray, r: float) -> list[np.ndarray]:
    """Where three spheres of one radius meet."""
    normal = np.cross(centres[1] - centres[0], centres[2] - centres[0])
    rows = np.array([centres[1] - centres[0], centres[2] - centres[0], normal])
    right = [(centres[k] @ centres[k] - centres[0] @ centres[0]) / 2 for k in (1, 2)] + [normal @ centres[0]]
    foot = np.linalg.solve(rows, right)
    height = r * r - (foot - centres[0]) @ (foot - centres[0])
    if height < 0:
        return []
    up = normal / np.linalg.norm(normal) * np.sqrt(height)
    return [foot + up, foot - up]


def orientations(legs: np.ndarray) -> int:
    """Real rotations R with (l × u)·R u = 0 for the first axes u = y, z, x of the legs.

    In a quaternion (w, x, y, z) these are three quadrics without squares: the identity and the half turns about the
    axes solve them, and with w = 1 elimination leaves one polynomial in x, which has the others and the identity.
    """
    import sympy

    x, y, z = sympy.symbols("x y z")
    leg = [[sympy.Rational(Fraction(float(v)).limit_denominator(10**4)) for v in row] for row in legs]
    R = sympy.Matrix([
        [1 + x**2 - y**2 - z**2, 2 * (x * y - z), 2 * (x * z + y)],
        [2 * (x * y + z), 1 - x**2 + y**2 - z**2, 2 * (y * z - x)],
        [2 * (x * z - y), 2 * (y * z + x), 1 - x**2 - y**2 + z**2],
    ])  # fmt: skip
    equations = []
    for row, axis in zip(leg, (1, 2, 0), strict=True):
        u = sympy.Matrix([int(k == axis) for k in range(3)])
        equations.append(sympy.expand((sympy.Matrix(row).cross(u).T * R * u)[0]))
    basis = sympy.groebner(equations, z, y, x, order="lex")
    (last,) = [p for p in basis.exprs if p.free_symbols == {x}]
    polynomial = sympy.Poly(last, x)
    return 3 + sympy.Poly(polynomial / sympy.gcd(polynomial, polynomial.diff(x)), x).count_roots()


COUNTS: dict[str, Callable[[dict[str, float], list[float]], int]] = {
    "four-bar": count_four_bar,
    "slider-crank": count_slider_crank,
    "five-bar": count_five_bar,
    "test-loop": count_test_loop,
    "sr400": count_sr400,
    "akr3000": count_akr3000,
    "two-loops": count_two_loops,
    "orthoglide": count_orthoglide,
}
#: Other positions: some where the loops cannot be closed at all.
MORE = {
    "slider-crank": [[2.5]],
    "five-bar": [[2.8, 0.2], [0.5, 2.5]],
    "akr3000": [[0.2, 0.7, 0.6, 0, 0, 0], [0.2, 0.9, 0.8, 0, 0, 0]],
    "two-loops": [[0, 0.4, 0.9, 0]],
    "sr400": [[0, 0.3, 0, 0, 0, 1.0]],
}


@pytest.mark.parametrize("name", named(COUNTS, {"orthoglide"}))
def test_the_number_of_branches_is_that_of_elimination(name: str) -> None:
    robot = symoro.load(name)
    assembly = symoro.loop_geometry(robot).compile()
    for qa in [POSITIONS[name], *MORE.get(name, [])]:
        found = assembly.branches(qa)
        assert len(found) == COUNTS[name](robot_numbers(robot), qa)
        for q in found:
            for gap in cut_gaps(robot, q, assembly.cut(q)):
                assert np.abs(gap - np.eye(4)).max() < 1e-12
