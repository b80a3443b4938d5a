"""The compiled models of a robot from a URDF file beside Pinocchio's functions."""

from __future__ import annotations

from typing import Any

import numpy as np

import symoro
from support.close import assert_close
from support.pinocchio_urdf import Peer
from symoro.robot.robot import Robot


def assert_models_are(robot: Robot, theirs: Peer) -> None:
    """Geometry, energies, Jacobian, dynamics of a robot without friction; direct dynamics where all links have mass."""
    q, qd, qdd = (np.random.default_rng(k).uniform(-1.5, 1.5, theirs.G.shape[1]) for k in range(3))
    tip = robot.frames[-1].name

    def value(model: str, *inputs: np.ndarray, **options: Any) -> Any:
        return getattr(symoro, model)(robot, optimize=False, **options).compile()(*inputs)

    assert_close(value("forward_geometry", q, link=tip), theirs.frames(q)[tip], 1e-9)
    kinetic, potential = theirs.energies(q, qd)
    energies = value("energies", q, qd)
    assert_close([energies.E, energies.U], [kinetic, potential], 1e-9)
    if q.size:
        A = theirs.inertia(q)
        assert_close(value("jacobian", q, link=tip, frame=0), theirs.jacobian(q, tip), 1e-9)
        assert_close(value("inverse_dynamics", q, qd, qdd), theirs.torques(q, qd, qdd), 1e-9)
        assert_close(value("inertia_matrix", q), A, 1e-9)
        if np.linalg.cond(A) < 1e12:
            tau = theirs.torques(q, qd, qdd)
            assert_close(value("direct_dynamics", q, qd, tau), qdd, 1e-9, np.linalg.cond(A))
