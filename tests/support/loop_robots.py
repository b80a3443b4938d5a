"""Closed-loop robots that the library does not have."""

from __future__ import annotations

from dataclasses import replace

from symoro.formats import load
from symoro.robot.joint import Joint, JointKind
from symoro.robot.robot import Robot, cut_closures
from symoro.robot.values import as_value

PASSIVE = {"actuated": False}


def joint(index: int, parent: int, kind: str = "revolute", actuated: bool = False, **geometry: object) -> Joint:
    values = {name: as_value(value) for name, value in geometry.items()}  # type: ignore[arg-type]
    return Joint(index, f"joint{index}", parent, JointKind(kind), actuated and kind != "fixed", **values)  # type: ignore[arg-type]


def described(name: str, joints: list[Joint], cuts: list[tuple[int, int]], values: dict[str, float]) -> Robot:
    zero = as_value(0)
    return Robot(
        name, tuple(joints), closures=cut_closures(joints, cuts), gravity=(zero, zero, zero),
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
    """Three cranks of the same length L1 on one straight coupler: a parallelogram with a third crank.

    A count of joints and equations says that it cannot move. It moves with parallel cranks, and it closes in no other
    way. The ends of the cranks are L1 z, D2 + L1 z2 and D3 + L1 z3 with numbers z of length 1; the coupler turned by u
    needs L1 (z2 − z) = D2 (u − 1) and L1 (z3 − z) = D3 (u − 1). So z3 = (1 − k) z + k z2 with k = D3/D2, and
    |z3|² = 1 − 2 k (1 − k) (1 − Re(z̄ z2)) is 1 only for z2 = z. The two flat configurations of the family, z = ±1,
    are singular: the rank of the equations is 3 on the family, 2 there.
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


def triangular_coupler() -> Robot:
    """Three cranks of the same length L1 on a triangular coupler, which is the triangle of the pivots.

    It moves with parallel cranks (rank 3), and it closes in two other ways in which it is rigid (rank 4). With
    h = (u − 1)/L1 the ends of the cranks need |z + D2 h| = 1 and |z + w D3 h| = 1, where w turns by G3. For h = 0 the
    cranks are parallel. Else, with y = z̄ h: Re(1/y) = −D2/2 and Re(w̄/y) = −D3/2. So
    1/y = −D2/2 + i (D2 cos G3 − D3)/(2 sin G3), whose length is the radius R of the circle through the pivots. |u| = 1
    leaves cos(q1 + arg y) = −L1/(2 R): two configurations for L1 < 2 R.
    """
    return described(
        "triangular-coupler",
        [
            joint(1, 0, actuated=True),
            joint(2, 1, d="L1"),
            joint(3, 0, d="D2"),
            joint(4, 0, gamma="G3", d="D3"),
            joint(5, 2, d="D2"),
            joint(6, 2, gamma="G3", d="D3"),
            joint(7, 3, "fixed", d="L1"),
            joint(8, 4, "fixed", d="L1"),
        ],
        [(5, 7), (6, 8)],
        {"L1": 0.3, "D2": 0.5, "D3": 0.4, "G3": 0.8},
    )
