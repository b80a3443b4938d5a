"""Arms for inverse geometry, their forward geometry by NumPy products, and a search that shares nothing with symoro."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.optimize import least_squares

from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate

Array = np.ndarray
DEGREES = "pi/180"


def arm(name: str, alpha: Sequence[float], d: Sequence[float], r: Sequence[float], kinds: str = "RRRRRR") -> Robot:
    """A serial arm from modified DH parameters, angles in degrees; r stands for θ of a prismatic joint."""
    rows = []
    for a, b, c, kind in zip(alpha, d, r, kinds, strict=True):
        row: dict[str, object] = {"alpha": f"{a}*{DEGREES}", "d": b}
        row |= {"kind": "prismatic", "theta": f"{c}*{DEGREES}"} if kind == "P" else {"r": c}
        rows.append(row)
    return Robot.from_mdh(rows, name)


#: Arms of public data sheets, and made-up ones: (α in degrees, d, r, kinds).
ARMS = {
    "kr6-like": arm("kr6", (0, -90, 0, -90, 90, -90), (0, .025, .455, .035, 0, 0), (.4, 0, 0, .42, 0, .08)),
    "irb2400-like": arm("irb2400", (0, -90, 0, -90, 90, -90), (0, .1, .705, .135, 0, 0), (.615, 0, 0, .755, 0, .085)),
    "lrmate-like": arm("lrmate", (0, -90, 0, -90, 90, -90), (0, .05, .33, .035, 0, 0), (.33, 0, 0, .335, 0, .08)),
    "ur10e": arm("ur10e", (0, 90, 0, 0, 90, -90), (0, 0, -.6127, -.57155, 0, 0), (.1807, 0, 0, .17415, .11985, .11655)),
    "generic-shoulder": arm("generic", (0, -75, 30, 80, -90, 90), (0, .2, .5, .1, 0, 0), (.3, .1, .15, .4, 0, .1)),
    "wrist-first": arm("reversed", (0, -90, 90, -80, -30, 75), (0, 0, 0, .1, .5, .2), (.1, 0, .4, .15, .1, .3)),
    "wrist-inside": arm("inside", (0, 40, -90, 70, 90, -50), (0, .3, 0, 0, .2, .25), (.1, .2, 0, .3, .1, .2)),
    "slanted-wrist": arm("slanted", (0, -90, 0, -90, 60, -60), (0, .1, .5, .05, 0, 0), (.4, 0, 0, .42, 0, .08)),
    "parallel-last": arm("last", (0, 50, -70, 80, 0, 0), (0, .2, .3, .1, .4, .3), (.1, .2, .15, .3, .05, .1)),
    "gantry-wrist": arm("gantry", (0, 90, 90, 0, 90, -90), (0,) * 6, (0, 90, 0, .1, 0, .2), "PPPRRR"),
    "PRR-wrist": arm("prr", (0, -70, 30, 80, -90, 90), (0, .2, .5, .1, 0, 0), (0, .1, .15, .4, 0, .1), "PRRRRR"),
    "RPR-wrist": arm("rpr", (0, -70, 30, 80, -90, 90), (0, .2, .5, .1, 0, 0), (.3, 0, .15, .4, 0, .1), "RPRRRR"),
    "RRP-wrist": arm("rrp", (0, -70, 30, 80, -90, 90), (0, .2, .5, .1, 0, 0), (.3, .1, 0, .4, 0, .1), "RRPRRR"),
    "RPP-wrist": arm("rpp", (0, 0, -90, 0, -90, 90), (0,) * 6, (0,) * 6, "RPPRRR"),
    "PRP-middle": arm("prp", (0, 30, 70, -60, 50, 80), (0, .2, .1, .3, .2, .1), (0, .1, 0, .2, 0, .1), "PRPRPR"),
    "youbot-like": arm("youbot", (0, -90, 0, 0, -90), (0, .033, .155, .135, 0), (.147, 0, 0, 0, .2), "RRRRR"),
    "scara-rrpr": arm("rrpr", (0, 0, 0, 180), (0, .3, .25, 0), (.2, 0, 0, .1), "RRPR"),
    "planar-3r": arm("planar", (0, 0, 0), (0, .5, .4), (0, 0, 0), "RRR"),
    "planar-prr": arm("prr3", (0, 90, 0), (0, .1, .4), (0, 0, 0), "PRR"),
    "gantry": arm("ppp", (0, 90, 90), (0, 0, 0), (0, 90, 0), "PPP"),
    "anthropomorphic-3r": arm("elbow", (0, 90, 0), (0, .1, .5), (.3, 0, .05), "RRR"),
    "spatial-4r": arm("four", (0, 90, 0, -90), (0, .1, .4, .3), (.2, 0, .1, .1), "RRRR"),
    "one-joint": arm("one", (40,), (.2,), (.1,), "R"),
    "slider": arm("slider", (40,), (.2,), (0,), "P"),
    "two-joints": arm("two", (0, 70), (0, .3), (.2, .1), "RR"),
}  # fmt: skip


def forward(robot: Robot, q: Array) -> Array:
    """T (..., 4, 4) of a serial arm: the product Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r) of its rows."""
    q = np.asarray(q, dtype=float)
    T = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
    for k, (fixed, slides) in enumerate(_links(robot)):
        T = T @ fixed @ _motion(q[..., k], slides)
    return T


@cache
def _links(robot: Robot) -> list[tuple[Array, bool]]:
    """The fixed part of each joint's transformation, at q = 0, and whether the joint is prismatic."""
    joints = topology.outward(robot)
    numbers = dict(robot.values.numbers()) | {str(j.variable): 0.0 for j in joints}
    links = []
    for joint in joints:
        T = np.eye(4)
        for axis, turn, shift in ((2, "gamma", "b"), (0, "alpha", "d"), (2, "theta", "r")):
            T = T @ _screw(axis, evaluate(getattr(joint, turn), numbers), evaluate(getattr(joint, shift), numbers))
        links.append((T, joint.prismatic))
    return links


def _motion(q: Array, slides: bool) -> Array:
    T = np.zeros((*q.shape, 4, 4))
    T[..., 2, 2] = T[..., 3, 3] = 1
    if slides:
        T[..., 0, 0] = T[..., 1, 1] = 1
        T[..., 2, 3] = q
        return T
    T[..., 0, 0] = T[..., 1, 1] = np.cos(q)
    T[..., 1, 0] = np.sin(q)
    T[..., 0, 1] = -T[..., 1, 0]
    return T


def _screw(axis: int, angle: float, length: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    T = np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]]) if axis == 0 else np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    return np.block([[T, length * np.eye(3)[:, axis : axis + 1]], [np.zeros((1, 3)), np.ones((1, 1))]])


def prismatic(robot: Robot) -> Array:
    return np.array([joint.prismatic for joint in topology.outward(robot) if joint.variable])


def configuration(robot: Robot, rng: np.random.Generator) -> Array:
    """Random positions of all joints."""
    slides = prismatic(robot)
    return np.where(slides, rng.uniform(-0.6, 0.9, len(slides)), rng.uniform(-3.1, 3.1, len(slides)))


def apart(robot: Robot, a: Array, b: Array) -> Array:
    """The largest difference of joint positions, angles modulo a turn."""
    difference = a - b
    turned = (difference + np.pi) % (2 * np.pi) - np.pi
    return np.abs(np.where(prismatic(robot), difference, turned)).max(-1)


def search(robot: Robot, T: Array, starts: int, rng: np.random.Generator) -> Array:
    """Every configuration that a least-squares search from random starts finds for a pose, (k, joints)."""
    found: list[Array] = []
    n = len(prismatic(robot))

    def residual(q: Array) -> Array:
        return (forward(robot, q) - T)[:3].ravel()

    def slope(q: Array) -> Array:
        moved = forward(robot, q + 1e-6 * np.vstack([np.eye(n), -np.eye(n)]))[:, :3].reshape(2 * n, 12)
        return (moved[:n] - moved[n:]).T / 2e-6

    for _ in range(starts):
        start = configuration(robot, rng) * 1.3
        result = least_squares(residual, start, slope, xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=60)
        if np.abs(residual(result.x)).max() < 1e-9 and not any(apart(robot, result.x, q) < 1e-5 for q in found):
            found.append(result.x)
    return np.array(found).reshape(len(found), -1)
