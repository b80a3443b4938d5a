"""Velocities and accelerations of links, and J̇ q̇, the accelerations for zero q̈ (K97 §§ 4.2-4.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector, zeros
from symoro.models.families import constraint_of
from symoro.models.geometric.frames import FrameRef, bound_pose, carrier
from symoro.models.geometric.walk import place
from symoro.models.recursion import LinkMotion
from symoro.robot import topology

if TYPE_CHECKING:
    from symoro.models.geometric.frames import Pose

Twist = tuple[Vector, Vector]
"""Linear and angular part."""


def velocities(s: Symbols, link: FrameRef | None, frame: FrameRef | None) -> list[Result]:
    """[v; ω] of a link, or of each link; in its own frame unless another frame is given."""
    motion = LinkMotion(constraint_of(s, ("loops",)).with_velocities).begin(s.v0, s.w0, s.vd0, s.wd0)
    for j in _links(s, link):
        motion.turn(j)
        motion.move(j)
    return [
        _result(
            s,
            _named(s, "V"),
            link,
            frame,
            lambda n, P: velocity_at(motion, n, P),
            ("V", "W"),
        )
    ]


def accelerations(s: Symbols, link: FrameRef | None, frame: FrameRef | None) -> list[Result]:
    """[v̇; ω̇] of a link, or of each link, without gravity."""
    motion = LinkMotion(constraint_of(s, ("loops",)).moving).begin(s.v0, s.w0, s.vd0, s.wd0)
    return [_accelerated(s, _named(s, "VP"), link, frame, motion, ("VP", "WP"))]


def jdot_qdot(s: Symbols, link: FrameRef | None, frame: FrameRef | None) -> list[Result]:
    """J̇ q̇: [v̇; ω̇] for zero accelerations of the joints and of the base (K97 § 4.4).

    With closed loops the accelerations of the active joints are zero; those of the others follow (K97:12-14).
    """
    coasting = constraint_of(s, ("loops",)).without_motor_accelerations
    motion = LinkMotion(coasting).begin(s.v0, s.w0, zeros(s.graph, 3), zeros(s.graph, 3))
    return [_accelerated(s, "JPQP", link, frame, motion, ("VPJ", "WPJ"))]


def _accelerated(
    s: Symbols, name: str, link: FrameRef | None, frame: FrameRef | None, motion: LinkMotion, letters: tuple[str, str]
) -> Result:
    for j in _links(s, link):
        motion.turn(j)
        motion.accelerate(j)
    return _result(s, name, link, frame, lambda n, P: acceleration_at(motion, n, P), letters)


def velocity_at(motion: LinkMotion, n: int, P: Vector) -> Twist:
    """[v; ω] at the point P of link n, in frame n."""
    return motion.v[n] + motion.w[n].cross(P), motion.w[n]


def acceleration_at(motion: LinkMotion, n: int, P: Vector) -> Twist:
    """[v̇; ω̇] at the point P of link n, in frame n."""
    return motion.vd[n] + motion.U[n] @ P, motion.wd[n]


def _named(s: Symbols, letters: str) -> str:
    """The name of a result; VL or VPL where V and VP of the platform are inputs."""
    return f"{letters}L" if s.robot.takes == "platform" else letters


def _links(s: Symbols, link: FrameRef | None) -> tuple[int, ...]:
    """The links that the recursion visits, parents first."""
    if link is None:
        return s.outward
    return tuple(joint.index for joint in topology.path(s.robot, carrier(s.robot, link)[0]))


def _result(
    s: Symbols,
    name: str,
    link: FrameRef | None,
    frame: FrameRef | None,
    at: Callable[[int, Vector], Twist],
    letters: tuple[str, str],
) -> Result:
    """Six elements for a link; a row of six for each link where `link` is None."""
    links: list[FrameRef] = [link] if link is not None else list(range(1, s.robot.link_count + 1))
    elements: list[Expr] = []
    names: list[str] = []
    for wanted in links:
        n, pose = carrier(s.robot, wanted)
        A, P = bound_pose(s, pose)
        linear, angular = at(n, P)
        rotate = _rotation(s, n, (A, P), frame)
        elements += [*rotate(linear), *rotate(angular)]
        names += [f"{letter}{row}{n}" for letter in letters for row in (1, 2, 3)]
    shape = (6,) if link is not None else (len(links), 6)
    return Result(name, shape, tuple(elements), tuple(names))


def _rotation(s: Symbols, n: int, pose: Pose, frame: FrameRef | None) -> Callable[[Vector], Vector]:
    """The rotation of vectors from frame n to another frame; by default to the frame with this pose on link n."""
    if frame is None:
        return lambda x: pose[0].T @ x
    r, other = carrier(s.robot, frame)
    A, B = bound_pose(s, other)[0], place(s, r, n).A
    return lambda x: A.T @ (B @ x)
