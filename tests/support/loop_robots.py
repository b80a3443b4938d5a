"""Closed-loop robots that the library does not have."""

from __future__ import annotations

from dataclasses import replace

from symoro.formats import load
from symoro.robot.joint import Joint, JointKind
from symoro.robot.robot import Cut, Robot
from symoro.robot.values import as_value

PASSIVE = {"actuated": False}


def joint(index: int, parent: int, kind: str = "revolute", actuated: bool = False, **geometry: object) -> Joint:
    values = {name: as_value(value) for name, value in geometry.items()}  # type: ignore[arg-type]
    return Joint(index, f"joint{index}", parent, JointKind(kind), actuated and kind != "fixed", **values)  # type: ignore[arg-type]


def described(name: str, joints: list[Joint], cuts: list[tuple[int, int]], values: dict[str, float]) -> Robot:
    zero = as_value(0)
    return Robot(
        name, tuple(joints), cuts=tuple(Cut(k, m) for k, m in cuts), gravity=(zero, zero, zero),
        values={n: as_value(x) for n, x in values.items()},  # type: ignore[arg-type]
    )  # fmt: skip


def sliding_cut() -> Robot:
    """The slider-crank, cut at its slide: the cut joint is prismatic, along x0 at the height E."""
    return described(
        "sliding-cut",
        [
            joint(1, 0, actuated=True),
            joint(2, 1, d="L1"),
            joint(3, 2, d="L2"),
            joint(4, 0, "prismatic", gamma="pi/2", alpha="pi/2", d="E"),
            joint(5, 3, "fixed", gamma="pi/2", alpha="pi/2"),
        ],
        [(4, 5)],
        {"L1": 0.2, "L2": 0.6, "E": 0.05},
    )


def oblique_sliding_cut() -> Robot:
    """The same with a slide whose frame is turned about the slide: no axis of it is normal to the plane."""
    robot = sliding_cut()
    turned = [replace(j, theta=as_value("0.4")) if j.index > 3 else j for j in robot.joints]
    return replace(robot, name="oblique-sliding-cut", joints=tuple(turned))


def spherical_four_bar() -> Robot:
    """Four axes that meet in a point."""
    return described(
        "spherical-four-bar",
        [
            joint(1, 0, actuated=True),
            joint(2, 1, alpha="0.5"),
            joint(3, 0, alpha="1.2"),
            joint(4, 2, alpha="1.1"),
            joint(5, 3, "fixed", alpha="0.9"),
        ],
        [(4, 5)],
        {},
    )


def long_chain_with_a_loop() -> Robot:
    """Fourteen joints, two branches from the base, and a parallelogram far out on one of them."""
    bar = load("four-bar")
    links = [joint(j, j - 1, actuated=True, alpha="pi/2" if j % 2 else "-pi/2", d="L1") for j in range(1, 11)]
    links += [joint(11, 0, actuated=True, alpha="0.3", d="L4")]
    links += [joint(12, 10, actuated=True), joint(13, 12, d="L1"), joint(14, 10, d="L4")]
    links += [joint(15, 13, d="L2"), joint(16, 14, "fixed", d="L3")]
    return replace(described("long", links, [(15, 16)], {}), values=bar.values)


def triangle() -> Robot:
    """Three bars and no motor: the loop closes in two ways, and nothing can move."""
    return described(
        "triangle",
        [joint(1, 0), joint(2, 1, d="L1"), joint(3, 2, d="L2"), joint(4, 0, "fixed", d="L3")],
        [(3, 4)],
        {"L1": 0.4, "L2": 0.5, "L3": 0.6},
    )


def three_cranks() -> Robot:
    """Three parallel cranks of the same length on one coupler: a parallelogram with a third crank.

    A count says that it cannot move, and it cannot where it is assembled with crossed cranks.
    """
    return described(
        "three-cranks",
        [
            joint(1, 0, actuated=True),
            joint(2, 1, d="L1"),
            joint(3, 0, d="D2"),
            joint(4, 0, d="D3"),
            joint(5, 2, d="D2"),
            joint(6, 2, d="D3"),
            joint(7, 3, "fixed", d="L1"),
            joint(8, 4, "fixed", d="L1"),
        ],
        [(5, 7), (6, 8)],
        {"L1": 0.3, "D2": 0.5, "D3": 0.9},
    )
