"""A robot with numbers as a tree of links and joints, for formats that have no modified DH parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from symoro.errors import FormatError, MissingParameter
from symoro.findings import Finding, Place
from symoro.formats.tree.description import Bounds, FrameOf, JointOf, Link, LoopJoint, Mass, Mimic, Tree
from symoro.formats.tree.poses import Array, X, Z, inverse, pose, shift, turn
from symoro.robot.base import BaseKind
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot, parameters
from symoro.robot.springs import variables
from symoro.robot.values import Value, evaluate, is_zero, symbols, to_text

_ON_AXIS = 1e-12
_FRICTION = ("FA", "FO", "FST", "VS")


def tree_of(robot: Robot) -> Tree:
    """The tree; an error names the symbols without a number, and the coordinates that are not linear."""
    return _TreeWriter(robot, _numbers(robot)).tree()


def not_carried(robot: Robot) -> list[str]:
    """What no tree of links and joints holds."""
    lost = {
        "the coupling of motors": bool(robot.coupling),
        "wrenches": any(not robot.wrench(link).is_zero for link in range(robot.link_count + 1)),
        "symbols": any(symbols(value) - variables(robot).keys() for value in _all(robot)),
        "friction other than FV and FS": any(not is_zero(getattr(d, x)) for d in robot.drives for x in _FRICTION),
        "the motion of the base": robot.base.kind in (BaseKind.MOVING, BaseKind.MOBILE),
    }
    return [what for what, there in lost.items() if there]


def reduces(robot: Robot) -> bool:
    """Whether transmissions have reductions, which not every format holds."""
    return any(not is_zero(drive.N) for drive in robot.drives)


def springs_behind_motors(robot: Robot) -> bool:
    """Whether springs are between motors and links; a joint of a file has one coordinate, so it is written as rigid."""
    return any(joint.elastic and joint.actuated for joint in robot.joints)


def _all(robot: Robot) -> Iterator[Value]:
    yield from parameters((robot.inertias, robot.drives, robot.base, robot.gravity, robot.frames))
    for joint in robot.joints:
        yield from (joint.gamma, joint.b, joint.alpha, joint.d, joint.theta, joint.r)


def _numbers(robot: Robot) -> dict[str, float]:
    numbers, joint_variables = robot.values.numbers(), variables(robot)
    missing = sorted(
        {name for value in _all(robot) for name in symbols(value)} - numbers.keys() - joint_variables.keys()
    )
    if missing:
        raise MissingParameter(missing)
    return {**numbers, **dict.fromkeys(joint_variables, 0.0)}


@dataclass(frozen=True, slots=True)
class _TreeWriter:
    robot: Robot
    numbers: Mapping[str, float]

    def number(self, value: Value) -> float:
        return evaluate(value, self.numbers)

    def tree(self) -> Tree:
        robot = self.robot
        names, places = self.links()
        links = [Link(names[j], self.mass(j).seen_from(inverse(places[j]))) for j in range(robot.link_count + 1)]
        taken = set(names)
        frames = [frame for frame in robot.frames if frame.name not in taken]
        return Tree(
            name=robot.name,
            root=names[0],
            links=tuple(links),
            joints=tuple(self.joint(joint, names, places) for joint in robot.joints[: robot.link_count]),
            frames=tuple(
                FrameOf(frame.name, names[frame.link], inverse(places[frame.link]) @ self.array(frame.pose))
                for frame in frames
            ),
            closures=tuple(self.closures(names, places)),
            floating=robot.base.kind is BaseKind.FLOATING,
            gravity=self.gravity(),
            pose=self.array(robot.base.pose) @ places[0],
        )

    def array(self, rows: tuple[tuple[Value, ...], ...]) -> Array:
        return np.array([[self.number(value) for value in row] for row in rows])

    def gravity(self) -> tuple[float, ...]:
        """Gravity in the world, in which the base may be turned."""
        gravity = np.array([self.number(value) for value in self.robot.gravity])
        floating = self.robot.base.kind is BaseKind.FLOATING
        return tuple(float(x) for x in (gravity if floating else self.array(self.robot.base.pose)[:3, :3] @ gravity))

    def links(self) -> tuple[list[str], list[Array]]:
        """Name and frame of each link: a named frame of the robot on the joint's axis, else frame j itself."""
        names: list[str] = []
        places: list[Array] = []
        others = {frame.name for frame in self.robot.frames}
        for j in range(self.robot.link_count + 1):
            kind = self.robot.joint(j).kind.value if j else "base"
            frames = [(f.name, self.array(f.pose)) for f in self.robot.frames if f.link == j and f.name not in names]
            fit = [(name, T) for name, T in frames if _fits(T, kind)]
            name = f"{self.robot.joint(j).name}_link" if j else "base"
            while name in others or name in names:
                name += "_"
            name, T = fit[0] if fit else (name, np.eye(4))
            names.append(name)
            places.append(T)
        return names, places

    def mass(self, j: int) -> Mass:
        v = {name: self.number(value) for name, value in self.robot.inertia(j).items()}
        J = np.array([[v["XX"], v["XY"], v["XZ"]], [v["XY"], v["YY"], v["YZ"]], [v["XZ"], v["YZ"], v["ZZ"]]])
        return Mass(v["M"], np.array([v["MX"], v["MY"], v["MZ"]]), J)

    def at_zero(self, joint: Joint) -> Array:
        """The constant transformation of a joint, where all variables are 0 (K97 § 2)."""
        gamma, b, alpha, d, theta, r = (self.number(getattr(joint, name)) for name in _GEOMETRY)
        first = pose(turn(Z, gamma)) @ shift(b * Z) @ pose(turn(X, alpha)) @ shift(d * X)
        return np.asarray(first @ pose(turn(Z, theta)) @ shift(r * Z))

    def joint(self, joint: Joint, names: list[str], places: list[Array]) -> JointOf:
        j, place = joint.index, places[joint.index]
        origin = inverse(places[joint.parent]) @ self.at_zero(joint) @ place
        axis = place[:3, :3].T @ Z
        if joint.fixed:
            return JointOf(joint.name, "fixed", names[joint.parent], names[j], origin)
        mimic, sign = self.follows(joint)
        drive, limits = self.robot.drive(j), joint.limits
        bounds = (limits.lower, limits.upper, limits.velocity, limits.effort)
        return JointOf(
            name=joint.name,
            kind="revolute" if joint.revolute else "prismatic",
            parent=names[joint.parent],
            child=names[j],
            origin=origin,
            axis=sign * axis,
            bounds=Bounds(*(None if value is None else self.number(value) for value in bounds)),
            damping=self.number(drive.FV),
            friction=self.number(drive.FS),
            armature=self.number(drive.IA),
            stiffness=self.number(joint.stiffness) if joint.elastic and not joint.actuated else 0.0,
            rest=self.number(joint.rest),
            active=joint.actuated,
            mimic=mimic,
            reduction=self.number(drive.N) or 1.0,
        )

    def follows(self, joint: Joint) -> tuple[Mimic | None, float]:
        """What a joint follows, and the sign of its own variable."""
        joint_variables = variables(self.robot)
        used = sorted(symbols(joint.position) & joint_variables.keys())
        zero = self.number(joint.position)
        slopes = [evaluate(joint.position, {**self.numbers, name: 1.0}) - zero for name in used]
        double = [evaluate(joint.position, {**self.numbers, name: 2.0}) - zero for name in used]
        linear = len(used) == 1 and abs(double[0] - 2 * slopes[0]) < 1e-12 * (1 + abs(double[0]))
        if linear and used[0] == joint.variable and abs(abs(slopes[0]) - 1) < 1e-15:
            return None, float(np.sign(slopes[0]))
        if linear and joint.variable is None:
            return Mimic(self.robot.joint(joint_variables[used[0]]).name, slopes[0]), 1.0
        raise FormatError(
            [
                Finding(
                    "trees.coordinate", place=Place(joint=joint.index), name=joint.moving, value=to_text(joint.position)
                )
            ]
        )

    def closures(self, names: list[str], places: list[Array]) -> Iterator[LoopJoint]:
        for cut in self.robot.cuts:
            joint = self.robot.joint(cut.joint)
            (a, at_a), (b, at_b) = (self.on_link(frame) for frame in (joint, self.robot.joint(cut.mate)))
            yield LoopJoint(
                name=joint.name,
                kind="revolute" if joint.revolute else "prismatic",
                parent=names[a],
                child=names[b],
                in_parent=inverse(places[a]) @ at_a,
                in_child=inverse(places[b]) @ at_b,
            )

    def on_link(self, joint: Joint) -> tuple[int, Array]:
        """The link on which a cut joint or a mate is, and its frame there; a mate may be on another mate."""
        link, T = joint.parent, self.at_zero(joint)
        while link > self.robot.link_count:
            T, link = self.at_zero(self.robot.joint(link)) @ T, self.robot.joint(link).parent
        return link, T


_GEOMETRY = ("gamma", "b", "alpha", "d", "theta", "r")


def _fits(T: Array, kind: str) -> bool:
    """Whether a frame of a link can be that of its joint: its origin is on the axis of a revolute joint."""
    if kind == "base":
        return bool(np.array_equal(T, np.eye(4)))
    return kind in ("prismatic", "fixed") or bool(np.abs(T[:2, 3]).max() <= _ON_AXIS)
