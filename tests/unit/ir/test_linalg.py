"""Vectors and matrices against NumPy."""

import numpy as np
import pytest

from support.close import assert_close
from support.small_programs import angles, program_of
from symoro.ir.evaluate import evaluate
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, hat, identity, zeros

RNG = np.random.default_rng(3)


def number(g, vector, values):
    return evaluate(program_of(g, list(vector), n=len(values), parameters=""), {"q": values}, {})["Y"]


def test_products_are_those_of_numpy():
    g = Graph()
    x = RNG.normal(size=15)
    q = angles(g, 15)
    A, B = Matrix(g, (q[:3], q[3:6], q[6:9])), Matrix(g, (q[3:6], q[9:12], q[0:3]))
    u, v = Vector(g, q[9:12]), Vector(g, q[12:15])
    nA, nB = x[:9].reshape(3, 3), np.stack([x[3:6], x[9:12], x[0:3]])
    nu, nv = x[9:12], x[12:15]
    assert_close(number(g, A @ v, x), nA @ nv, 1e-14)
    assert_close(number(g, (A @ B).column(1), x), (nA @ nB)[:, 1], 1e-14)
    assert_close(number(g, (A.T - B * 2 + -A)[2], x), (nA.T - nB * 2 - nA)[2], 1e-14)
    assert_close(number(g, u.cross(v), x), np.cross(nu, nv), 1e-14)
    assert_close(number(g, hat(u) @ v, x), np.cross(nu, nv), 1e-14)
    assert_close(number(g, [u.dot(v), A[1, 2]], x), [nu @ nv, nA[1, 2]], 1e-14)
    assert_close(number(g, 3 * (u - v) + -u, x), 3 * (nu - nv) - nu, 1e-14)


def test_zeros_and_ones_cost_nothing():
    g = Graph()
    v = Vector(g, angles(g, 3))
    assert (identity(g, 3) @ v).elements == v.elements
    assert (v.cross(v)).is_zero
    assert zeros(g, 3).is_zero
    assert (v + zeros(g, 3)).elements == v.elements
    assert v[1:].elements == v.elements[1:]
    assert identity(g, 3).shape == (3, 3)


def test_sizes_must_match():
    g = Graph()
    v = Vector(g, angles(g, 3))
    with pytest.raises(ValueError, match="zip"):
        v + Vector(g, angles(g, 2))
