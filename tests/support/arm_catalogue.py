"""The catalogue of inverse geometry: arms of every kind, and robots with closed loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

import symoro
from support import loop_robots
from support.arms import ARMS, arm
from support.loop_robots import described, joint
from symoro.robot.robot import Robot
from symoro.robot.values import Value, as_value, to_text


@dataclass(frozen=True)
class Case:
    """An arm: how to make it, the frame whose pose is wanted, and the joints that are given."""

    make: Callable[[], Robot]
    link: int | None = None
    given: tuple[int, ...] = ()


def of_library(name: str, link: int | None = None, given: tuple[int, ...] = ()) -> Case:
    return Case(partial(symoro.load, name), link, given)


def _random(seed: int, kinds: str, what: str = "") -> Robot:
    """A random arm; `what` names the three neighbouring axes that meet ("456" …), or is empty."""
    rng = np.random.default_rng(seed)
    n = len(kinds)
    alpha, d = rng.uniform(-120, 120, n).round(1), rng.uniform(-0.5, 0.5, n).round(3)
    r = rng.uniform(-0.5, 0.5, n).round(3)
    if what:
        first = int(what[0]) - 1
        d[first + 1 : first + 3], r[first + 1] = 0, 0
    return arm(f"random-{kinds}-{seed}{what}".lower(), alpha.tolist(), d.tolist(), r.tolist(), kinds)


def _calibrated(name: str, size: float) -> Robot:
    """An arm with errors of this size in all angles and lengths, as a calibration finds them."""
    robot = symoro.load(name)
    rng = np.random.default_rng(7)

    def moved(value: Value) -> Value:
        return as_value(f"{to_text(value)} + {size * rng.normal():.12f}")

    joints = [replace(j, **{k: moved(getattr(j, k)) for k in ("alpha", "d", "r", "theta")}) for j in robot.joints]  # type: ignore[arg-type]
    return replace(robot, name=f"{name}-calibrated", joints=tuple(joints))


_WRIST = ((0, -90, 0, -90, 90, -90), (0, 0, 0.6, 0, 0, 0), (0.2, 0, 0, 0.55, 0.12, 0.15))
_SLANTED = ((0, 90, 180, 90, 60, 60), (0, 0, 0.3, 0, 0, 0), (0.27, 0, 0.01, -0.25, -0.09, -0.2))
_LIBRARY = ("puma560", "rx90", "stanford", "ur5", "kr6", "youbot", "scara", "th8", "tx40", "planar2r", "planar3r")

#: Arms by name: those of the library, of `support.arms`, offset wrists, random and calibrated ones.
CATALOGUE: dict[str, Case] = {
    **{name: of_library(name) for name in (*_LIBRARY, "general6r", "flexible-joints")},
    "two-arm, arm 1": of_library("two-arm", 3),
    "two-arm, arm 2": of_library("two-arm", 6),
    "kuka-iiwa, q3 given": of_library("kuka-iiwa", None, (3,)),
    "kuka-lwr, q3 given": of_library("kuka-lwr", None, (3,)),
    "panda, q7 given": of_library("panda", None, (7,)),
    "humanoid, leg": of_library("humanoid", 23),
    "humanoid, arm, waist given": of_library("humanoid", 17, (2, 3)),
    "snake20, q1 to q14 given": of_library("snake20", None, tuple(range(1, 15))),
    **{name: Case(lambda name=name: ARMS[name]) for name in ARMS},
    "offset wrist": Case(partial(arm, "offset-wrist", *_WRIST)),
    "60-degree wrist": Case(partial(arm, "wrist-60", *_SLANTED)),
    **{f"random wrist {what}": Case(partial(_random, 20 + k, "RRRRRR", what))
       for k, what in enumerate(("456", "345", "123"))},
    **{f"random {kinds}": Case(partial(_random, 30 + k, kinds))
       for k, kinds in enumerate(("RRRRRR", "RRPRRR", "RRRRPR", "RPRRPR", "RRPPRR", "RRRRR", "RRRR"))},
    "puma560, calibrated": Case(partial(_calibrated, "puma560", 1e-3)),
    "ur5, calibrated": Case(partial(_calibrated, "ur5", 1e-3)),
    "kr6, calibrated": Case(partial(_calibrated, "kr6", 1e-4)),
}  # fmt: skip


# closed loops


def parallelogram() -> Robot:
    """The four-bar linkage with equal opposite bars."""
    return replace(symoro.load("four-bar"), name="parallelogram").with_values(
        {"L1": 0.3, "L2": 0.5, "L3": 0.3, "L4": 0.5}
    )


def cylinder() -> Robot:
    """A boom on a passive joint that a cylinder lifts: the inverted slider-crank."""
    joints = [
        joint(1, 0, d="E"),
        joint(2, 1, "prismatic", True, alpha="-pi/2"),
        joint(3, 0),
        joint(4, 2, alpha="pi/2"),
        joint(5, 3, "fixed", d="L"),
    ]
    return described("cylinder", joints, [(4, 5)], {"E": 0.4, "L": 0.7})


def rssr() -> Robot:
    """A crank and a rocker on skew axes, and a rod between them with a ball joint and a universal joint."""
    joints = [
        joint(1, 0, actuated=True),
        joint(2, 1, d="A"),
        joint(3, 2, alpha="pi/2"),
        joint(4, 3, alpha="pi/2"),
        joint(5, 4, alpha="pi/2", d="L"),
        joint(6, 5, alpha="pi/2"),
        joint(7, 6, d="B"),
        joint(8, 0, "fixed", gamma="gam", b="h", alpha="twist", d="D"),
    ]
    return described(
        "rssr", joints, [(7, 8)], {"A": 0.2, "L": 0.9, "B": 0.5, "gam": 0.4, "h": 0.1, "twist": 1.1, "D": 0.7}
    )


_LOOPS = ("four-bar", "five-bar", "slider-crank", "test-loop", "sr400", "akr3000", "two-loops", "orthoglide")
#: Robots with closed loops by name.
LOOPS: dict[str, Callable[[], Robot]] = {
    **{name: partial(symoro.load, name) for name in _LOOPS},
    "parallelogram": parallelogram,
    "cylinder": cylinder,
    "rssr": rssr,
    "spherical four-bar": loop_robots.spherical_four_bar,
    "sliding cut": loop_robots.sliding_cut,
}
