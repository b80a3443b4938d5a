"""Loops that determine their joints only together: exact polynomials, published counts, a search from many starts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import symoro
from support.compared_branches import compared_loop
from support.coupled_robots import BASE, BODY, COUPLED
from support.samples import named
from symoro.bind.interface import robot_numbers
from symoro.bind.symbols import Symbols
from symoro.errors import CannotClose
from symoro.ir.graph import Graph
from symoro.solve.coupled import complex_closure, generic_solutions

Array = np.ndarray[Any, Any]

#: How many complex solutions there are. A body on three rods in the plane has 6 (E. Primrose, F. Freudenstein, B. Roth,
#: Six-bar motion, Arch. Rational Mech. Anal. 1967), a spherical one 8 (C. Gosselin, J. Sefrioui, M. Richard, On the
#: direct kinematics of spherical three-degree-of-freedom parallel manipulators, J. Mech. Des. 1994), cylinders on balls
#: 16 (P. Nanua, K. Waldron, V. Murthy, Direct kinematic solution of a Stewart platform, 1990), times two for each ball
#: of three axes. The legs of the orthoglide meet in a point, where three spheres meet twice; three linear equations of
#: the rotation are quadrics of the quaternion, 8; times two for each universal joint.
COUNTS = {
    "three-rrr": 6,
    "three-rpr": 6,
    "six-bar": 6,
    "spherical-platform": 8,
    "three-rps": 16 * 2**3,
    "orthoglide": 2 * 8 * 2**3,
}
TRACED = {"three-rrr", "three-rpr", "six-bar", "spherical-platform"}
SLOW = {"three-rrr", "three-rpr", "spherical-platform", "three-rps", "orthoglide"}


@pytest.mark.parametrize("name", named(COUNTS, SLOW))
def test_monodromy_finds_the_known_number_of_complex_solutions(name: str) -> None:
    s = Symbols(COUPLED[name](), Graph())
    found = generic_solutions(complex_closure(s, robot_numbers(s.robot)))
    assert len(found.x) == COUNTS[name]
    assert found.traced == (name in TRACED)


@pytest.mark.long
@pytest.mark.parametrize("name", named(COUNTS, SLOW, {"three-rps", "spherical-platform"}))
def test_a_search_finds_no_other_branch(name: str) -> None:
    """Gauss and Newton's method on products of NumPy, from up to 2,400 starts at each position of the motors."""
    record = compared_loop(COUPLED[name](), {"orthoglide": 3, "three-rps": 3}.get(name, 8), 1)
    assert record.method == "continuation"
    assert record.poses == record.generating
    assert record.lost == 0
    assert record.worst < 1e-12


# bodies on three rods in the plane


def rods(name: str, qa: Array) -> tuple[Array, list[float]]:
    """Where the rods begin, as complex numbers, and their lengths."""
    third = BASE["b3"] * np.exp(1j * BASE["g3"])
    start = np.array([0, BASE["b2"], third], dtype=complex)
    if name == "three-rpr":
        return start, list(qa)
    turned = np.array([*qa[:2], BASE["g3"] + qa[-1]]) if name == "three-rrr" else BASE["g3"] + np.array([qa[0]] * 3)
    cranks = np.array([0.4, 0.45, 0.35] if name == "three-rrr" else [0, 0, 0.35])
    return start + cranks * np.exp(1j * turned), [0.5, 0.55, 0.6]


def angles_of_the_body(start: Array, lengths: list[float]) -> list[float]:
    """The angles at which rods hold the body, by one exact polynomial of t = tan(φ/2).

    The body's points are a_k, from the first one. With p from the start of the first rod to the body and
    v_k = R a_k − e_k + e_1: p·p = m_1², 2 p·v_k = m_k² − m_1² − v_k·v_k. The two linear equations give
    p = n / (v_2 × v_3), and n·n = m_1² (v_2 × v_3)² is the polynomial.
    """
    t = sympy.Symbol("t")
    c, s = (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)
    points = [BODY["p2"], BODY["p3"] * np.exp(1j * BODY["a3"])]
    m = [sympy.Rational(x) for x in lengths]
    v, right = [], []
    for k, a in enumerate(points, start=1):
        ax, ay = sympy.Rational(complex(a).real), sympy.Rational(complex(a).imag)
        e = complex(start[k] - start[0])
        x, y = c * ax - s * ay - sympy.Rational(e.real), s * ax + c * ay - sympy.Rational(e.imag)
        v.append((x, y))
        right.append((m[k] ** 2 - m[0] ** 2 - x**2 - y**2) / 2)
    (x2, y2), (x3, y3) = v
    across = x2 * y3 - y2 * x3
    n = (right[0] * y3 - right[1] * y2, x2 * right[1] - x3 * right[0])
    numerator = sympy.fraction(sympy.together(n[0] ** 2 + n[1] ** 2 - m[0] ** 2 * across**2))[0]
    roots = sympy.Poly(sympy.expand(numerator), t).real_roots()
    return [2 * float(sympy.atan(root.evalf(30))) for root in roots]


@pytest.mark.long
@pytest.mark.parametrize("name", named(("six-bar", "three-rpr", "three-rrr"), {"three-rrr"}))
def test_a_body_on_three_rods_is_where_an_exact_polynomial_has_it(name: str) -> None:
    f = symoro.loop_geometry(COUPLED[name]()).compile("numpy")
    motors, rng = f.assembler().active, np.random.default_rng(2)
    body = {"six-bar": (2, 3), "three-rpr": (0, 4), "three-rrr": (0, 3, 4)}[name]
    turned = np.pi / 2 if name == "three-rpr" else 0.0
    seen = 0
    for _ in range(6):
        qa = rng.uniform(0.4, 0.9, len(motors)) if name == "three-rpr" else rng.uniform(-np.pi, np.pi, len(motors))
        ours = f.branches(qa)
        exact = np.exp(1j * np.array(angles_of_the_body(*rods(name, qa))))
        assert len(ours) == len(exact)
        assert np.abs(f.gap(ours)).max(initial=0.0) < 1e-12
        for z in np.exp(1j * (ours[:, list(body)].sum(axis=1) + turned)):
            assert np.abs(exact - z).min() < 1e-9
        seen += len(ours)
    assert seen > 6


@pytest.mark.long
def test_a_body_that_moves_while_the_motors_stand_still_is_refused() -> None:
    """On rods of one length from points like its own, the body moves on a circle without turning."""
    f = symoro.loop_geometry(COUPLED["three-rpr"]()).compile("numpy")
    like_the_base = {"p2": BASE["b2"], "a3": BASE["g3"], "p3": BASE["b3"]}
    with pytest.raises(CannotClose, match="infinitely many ways"):
        f.branches([0.7, 0.7, 0.7], values=like_the_base)
