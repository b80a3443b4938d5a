"""Coordinates of robots: joints by index, and a pose with six velocities for each free body."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.close import assert_close
from symoro.bind.coordinates import Coordinates, poses, quaternions
from symoro.ir.evaluate import evaluate
from symoro.motion.writing import Writer

ROBOTS = ("rx90", "stanford", "four-bar", "satellite", "3rps")


@pytest.mark.parametrize("name", ROBOTS)
def test_a_difference_is_the_velocity_that_advances_from_one_to_the_other(name: str) -> None:
    c = Coordinates.of(symoro.load(name))
    a, b = (c.random(np.random.default_rng(seed), 5) for seed in (1, 2))
    assert a.shape == (5, len(c.names)) == (5, len(c.units))
    reached, v = c.advance(a, c.difference(a, b)), c.difference(a, b)
    assert v.shape == (5, len(c.joints) + 6 * len(c.bodies))
    assert_close(c.difference(reached, b), np.zeros_like(v), 1e-12)
    assert_close(c.advance(c.advance(a, v, 0.25), v, 0.75)[:, 7 * len(c.bodies) :], b[:, 7 * len(c.bodies) :], 1e-12)


@pytest.mark.parametrize("name", ["satellite", "3rps"])
def test_the_rate_of_a_free_body_is_the_derivative_of_its_advance(name: str) -> None:
    (body,) = Coordinates.of(symoro.load(name)).bodies
    rng = np.random.default_rng(0)
    x, V, h = np.r_[rng.normal(size=3), rng.normal(size=4)], rng.normal(size=6), 1e-5
    x[3:] /= np.linalg.norm(x[3:])
    w = Writer()
    quat, twist = w.vector("quat", 4), w.vector("V", 6)
    rate = evaluate(w.program(rate=body.rate(w.graph, quat, twist)), {"quat": x[3:], "V": V}, {})["rate"]
    ahead, behind = (body.advance(x, s * h * V) for s in (1, -1))
    assert_close((ahead - behind) / (2 * h), rate, 1e-9)


def test_velocities_are_in_the_frames_that_models_take() -> None:
    """V of a platform is in the world, V0 of a base in its own frame."""
    turned = np.r_[np.zeros(3), 0, 0, np.sin(np.pi / 4), np.cos(np.pi / 4)]  # a quarter turn about z
    forward = np.r_[1.0, np.zeros(5)]
    (platform,), (base,) = (Coordinates.of(symoro.load(name)).bodies for name in ("3rps", "satellite"))
    assert_close(platform.advance(turned, forward)[:3], [1, 0, 0], 1e-15)
    assert_close(base.advance(turned, forward)[:3], [0, 1, 0], 1e-15)


def test_poses_and_quaternions_are_inverse() -> None:
    x = Coordinates.of(symoro.load("satellite")).random(np.random.default_rng(3), 4)
    T = poses(x[:, :3], x[:, 3:7])
    again = quaternions(T)
    assert_close(np.abs((again * x[:, 3:7]).sum(-1)), np.ones(4), 1e-12)
    assert np.isnan(poses(np.zeros(3), np.zeros(4))[:3, :3]).all()


def test_names_units_and_limits() -> None:
    c = Coordinates.of(symoro.load("stanford"))
    assert (c.names[2], c.units[:4]) == ("q3", ("rad", "rad", "m", "rad"))
    panda = Coordinates.of(symoro.load("panda"))
    lower, upper = panda.limits
    assert (lower < upper).all()
    assert np.isfinite(lower).all()
    lower, _ = Coordinates.of(symoro.load("satellite")).limits
    assert np.isinf(lower[:7]).all()
