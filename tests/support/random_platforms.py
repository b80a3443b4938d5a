"""Random parallel robots of the library's kinds: other geometry, bodies and drives, with symbols for all of them.

The symbols are the same for all robots of a kind, so that a model is made once and takes numbers afterwards. What makes
a kind special stays: axes that are parallel, points that legs share, axes that meet in one point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

import symoro
from support.free_robots import Array
from support.platforms import with_random_inertias
from symoro.robot.parallel import ParallelRobot, placed_frame
from symoro.robot.robot import Attachment, Robot
from symoro.robot.values import Symbol, Value, as_value

Frame = dict[str, float | str]
"""Parameters of a frame: numbers become symbols, texts stay."""
RIGHT = "pi/2"


@dataclass(frozen=True)
class Layout:
    """Where the legs begin, where they meet the platform, their lengths, and a pose that they reach."""

    base: list[Frame]
    platform: list[Frame]
    home: Array
    lengths: Mapping[str, tuple[float, float]]


Draw = Callable[[np.random.Generator], Layout]


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def _around(rng: np.random.Generator, angles: Array, least: float, most: float, alpha: float = 0.0) -> list[Frame]:
    """Hinges on a circle whose axes are tangents of it, or nearly so; a little above or below each other."""
    return [
        {"gamma": x + rng.uniform(-0.1, 0.1), "b": rng.uniform(-0.05, 0.05), "d": rng.uniform(least, most)}
        | {"alpha": np.pi / 2 + rng.uniform(-alpha, alpha) if alpha else RIGHT}
        for x in angles
    ]


def _points(rng: np.random.Generator, angles: Array, radius: float) -> list[Frame]:
    """Points near a circle."""
    far = radius * rng.uniform(0.8, 1.2, len(angles))
    turned = angles + rng.uniform(-0.1, 0.1, len(angles))
    z = 0.1 * radius * rng.uniform(-1, 1, len(angles))
    rows = zip(far * np.cos(turned), far * np.sin(turned), z, strict=True)
    return [dict(zip("xyz", map(float, row), strict=True)) for row in rows]


def _gough_stewart(rng: np.random.Generator) -> Layout:
    feet, points = np.radians([-10, 10, 110, 130, 230, 250]), np.radians([-50, 50, 70, 170, 190, 290])
    return Layout(_around(rng, feet, 0.8, 1.2, 0.3), _points(rng, points, 0.6), at(z=rng.uniform(1, 1.2)), {})


def _with_shared_points(rng: np.random.Generator) -> Layout:
    made, (a, b, c) = _gough_stewart(rng), _points(rng, np.radians([-60, 60, 180]), 0.6)
    return replace(made, platform=[a, b, b, c, c, a])


def _hexa(rng: np.random.Generator) -> Layout:
    feet, points = np.radians([-20, 20, 100, 140, 220, 260]), np.radians([-36, 36, 84, 156, 204, 276])
    lengths = {"L1": (0.22, 0.28), "L2": (0.5, 0.6)}
    return Layout(_around(rng, feet, 0.28, 0.32, 0.2), _points(rng, points, 0.1), at(z=-0.45), lengths)


def _thirds(rng: np.random.Generator) -> Array:
    return np.radians([0, 120, 240]) + rng.uniform(-0.3, 0.3, 3)


def _planar(rng: np.random.Generator) -> Layout:
    angles = _thirds(rng) + np.pi / 2
    base: list[Frame] = [{"gamma": x, "d": rng.uniform(0.45, 0.55)} for x in angles]
    platform: list[Frame] = [{"gamma": x + rng.uniform(-0.3, 0.3), "d": rng.uniform(0.1, 0.2)} for x in angles]
    return Layout(base, platform, np.eye(4), {"L1": (0.27, 0.33), "L2": (0.27, 0.33)})


def _delta(rng: np.random.Generator) -> Layout:
    angles = _thirds(rng)
    base: list[Frame] = [{"gamma": x, "alpha": RIGHT, "d": rng.uniform(0.15, 0.25)} for x in angles]
    platform: list[Frame] = [{"gamma": x, "alpha": RIGHT, "d": rng.uniform(0.03, 0.08)} for x in angles]
    return Layout(base, platform, at(z=-0.6), {"L1": (0.27, 0.33), "L2": (0.65, 0.75)})


def _orthoglide(rng: np.random.Generator) -> Layout:
    axes = np.array([(np.pi / 2, np.pi / 2), (np.pi, np.pi / 2), (0, 0)]) + rng.uniform(-0.2, 0.2, (3, 2))
    base: list[Frame] = [{"gamma": g, "alpha": a, "d": rng.uniform(-0.03, 0.03)} for g, a in axes]
    platform: list[Frame] = [
        {"gamma": g, "alpha": a + np.pi / 2, "d": rng.uniform(-0.03, 0.03), "b": rng.uniform(-0.03, 0.03)}
        for g, a in axes
    ]
    return Layout(base, platform, np.eye(4), {"L2": (0.28, 0.34)})


def _hinges_and_sliders(rng: np.random.Generator) -> Layout:
    angles = _thirds(rng)
    base: list[Frame] = [{"gamma": x, "alpha": RIGHT, "d": rng.uniform(0.5, 0.7)} for x in angles]
    platform: list[Frame] = [{"gamma": x, "d": rng.uniform(0.35, 0.45)} for x in angles]
    return Layout(base, platform, at(z=rng.uniform(0.8, 1)), {})


def _eye(rng: np.random.Generator) -> Layout:
    def axes(*nominal: tuple[float, float]) -> list[Frame]:
        return [{"gamma": g + rng.uniform(-0.2, 0.2), "alpha": a + rng.uniform(-0.2, 0.2)} for g, a in nominal]

    right = np.pi / 2
    return Layout(axes((right, right), (2 * right, right), (0, 0)), axes((2 * right, right), (0, 0), (right, right)),
                  np.eye(4), {})  # fmt: skip


def _five_bar(rng: np.random.Generator) -> Layout:
    """The tool is fixed on the first arm, so that the arm gives its orientation."""
    a, b = rng.uniform(0.27, 0.33), rng.uniform(0.37, 0.43)
    d, (first, second) = rng.uniform(0.15, 0.25), np.array([2.1, -1.6]) + rng.uniform(-0.1, 0.1, 2)
    c, s = np.cos(first + second), np.sin(first + second)
    home = at(a * np.cos(first) + b * c - d, a * np.sin(first) + b * s)
    home[:2, :2] = (c, -s), (s, c)
    there: Frame = {"gamma": rng.uniform(-3, 3), "d": rng.uniform(0.01, 0.04)}
    return Layout([{"d": -d}, {"d": rng.uniform(0.15, 0.25)}], [{}, there], home, {"L1": (a, a), "L2": (b, b)})


def _arms(rng: np.random.Generator) -> Layout:
    turn = rng.uniform(-0.2, 0.2, (2, 2))
    base: list[Frame] = [
        {"gamma": x + t, "b": rng.uniform(-0.05, 0.05), "d": -rng.uniform(0.65, 0.75)}
        for x, t in zip((0, np.pi), turn[0], strict=True)
    ]
    platform: list[Frame] = [
        {"gamma": x + t, "alpha": np.pi + rng.uniform(-0.2, 0.2), "d": -rng.uniform(0.08, 0.12)}
        for x, t in zip((0, np.pi), turn[1], strict=True)
    ]
    return Layout(base, platform, at(z=0.3), {})


KINDS: Mapping[str, Draw] = {
    "3rps": _hinges_and_sliders,
    "agile-eye": _eye,
    "cooperating-arms": _arms,
    "delta": _delta,
    "five-bar-legs": _five_bar,
    "gough-stewart": _gough_stewart,
    "gough-stewart-63": _with_shared_points,
    "hexa": _hexa,
    "orthoglide-legs": _orthoglide,
    "planar-3rrr": _planar,
}


WITHOUT_DRIVE = ("IA6_2", "FV6_2", "FS6_2")
"""Of the last joint of the second arm, at which its loop is cut: a cut joint has no drive."""


def random_platform(kind: str, rng: np.random.Generator) -> Robot:
    """A robot of this kind."""
    layout, robot = KINDS[kind](rng), symoro.load(kind)
    assert robot.platforms
    values: dict[str, Value] = dict(robot.values)
    legs, attachments = [], []
    for i, (leg, attachment) in enumerate(zip(robot.legs, robot.attachments, strict=True), 1):
        legs.append(_begun(leg, _named(layout.base[i - 1], f"B_{i}", values)))
        pose = placed_frame(_named(layout.platform[i - 1], f"P_{i}", values))
        attachments.append(Attachment(attachment.kind, pose, attachment.frame))
        values |= {f"{n}_{i}": as_value(float(rng.uniform(*limits))) for n, limits in layout.lengths.items()}
    home = tuple(tuple(as_value(float(x)) for x in row) for row in layout.home)
    made = ParallelRobot(
        robot.platform, legs, attachments, kind, home=home, gravity=robot.gravity, values=values
    )  # fmt: skip
    found = with_random_inertias(made, rng)
    return found.with_values({name: 0 for name in WITHOUT_DRIVE if name in found.values})


def _begun(leg: Robot, first: Mapping[str, Value]) -> Robot:
    """The leg with other parameters of its first joint."""
    return replace(leg, joints=(replace(leg.joints[0], **first), *leg.joints[1:]))  # type: ignore[arg-type]


def _named(frame: Frame, end: str, values: dict[str, Value]) -> dict[str, Value]:
    """The parameters of a frame, with a symbol for each number; its number goes to the values."""
    found = {}
    for name, x in frame.items():
        if isinstance(x, str):
            found[name] = as_value(x)
        else:
            found[name], values[f"{name}{end}"] = Symbol(f"{name}{end}"), as_value(float(x))
    return found
