"""The skeleton of a robot at a configuration: where its frames are, joints as axes, links as lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.bind.coordinates import Coordinates
from symoro.bind.interface import inputs, parameters
from symoro.bind.symbols import Symbols
from symoro.errors import CannotClose, InputError, ShapeError
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.models.geometric.frames import Pose, bound_pose, carrier, compose
from symoro.models.geometric.transform import homogeneous, plain
from symoro.models.loops.closing import closed_configuration
from symoro.models.loops.constraint import Loops
from symoro.models.parallel.constraint import platform_symbols
from symoro.models.parallel.platform import home
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.runtime import compile_program
from symoro.runtime.checked import PoseFunction
from symoro.runtime.outputs import real_array
from symoro.solve.assemblies import forward_geometry, pose_of_guess

if TYPE_CHECKING:
    from symoro.runtime import Function

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """Poses (4, 4) of the frames in the world by number, 0 the base, and by name; a line of points for each joint.

    The line of joint j goes from the frame of its antecedent to frame j: along z by b, along x by d, along z by r.
    `ties` has a line for each leg that holds a platform, from its last link to the platform's origin. `ends` has a line
    for each named frame away from the frame of its link: the forearm of an arm whose tool has a name.
    Of many configurations all arrays have leading axes.
    """

    poses: Mapping[int, Array]
    named: Mapping[str, Array]
    lines: Mapping[int, Array]
    ties: tuple[Array, ...] = ()
    ends: Mapping[str, Array] = field(default_factory=dict)

    @property
    def points(self) -> Array:
        """Every point, one a row."""
        frames = [pose[..., :3, 3].reshape(-1, 3) for pose in (*self.poses.values(), *self.named.values())]
        lines = (*self.lines.values(), *self.ties)  # those of `ends` go between frames
        return np.vstack([*frames, *(line.reshape(-1, 3) for line in lines)])

    @property
    def size(self) -> float:
        """The largest extent along an axis of the world; 1 for a robot of one point."""
        return float(np.ptp(self.points, axis=0).max()) or 1.0


def skeleton(robot: Robot, q: ArrayLike | None = None, values: Mapping[str, float] | None = None) -> Skeleton:
    """The skeleton at a configuration q of all movable joints; without one, where q is 0, or where the loops close.

    Of a robot with a platform, q is the pose T of the platform, by default its home, with joints that belong to no leg
    at 0; or the positions of the motors of its legs and of these joints; or those of all joints.
    q with leading axes are many configurations.
    """
    s = _symbols(robot)
    at = _resting(s) if q is None else _placed(s, q)
    function, shape = drawing(robot)
    return shape(function(*at, values=values))


def plane_normal(robot: Robot, shape: Skeleton) -> int | None:
    """The axis of the world along which a planar mechanism is seen: no joint moves anything along it."""
    joints = [joint for joint in robot.joints if joint.movable and joint.index in shape.poses]
    if robot.base.free or not joints:
        return None
    along = np.ones(3, dtype=bool)
    for joint in joints:
        axes = np.abs(shape.poses[joint.index][..., :3, 2].reshape(-1, 3))
        along &= (axes > 1 - 1e-9).all(0) if joint.revolute else (axes < 1e-9).all(0)
    return int(along.argmax()) if along.sum() == 1 else None


def drawing(robot: Robot) -> tuple[Function, Callable[[Sequence[Array]], Skeleton]]:
    """A function of the pose T of a platform and q of joints that do not follow it, and the skeleton of its results."""
    s = _symbols(robot)
    world = bound_pose(s, robot.base.pose)
    poses = {j: homogeneous(s, f"T{j}_", compose(world, _pose(s, j))) for j in range(len(s.robot.joints) + 1)}
    named = {f.name: homogeneous(s, f"F{n}_", compose(world, _pose(s, f.name))) for n, f in enumerate(robot.frames)}
    along = [s.bind(x) for joint in s.robot.joints for x in (joint.b, joint.r)]
    shifts = Result("B", (len(s.robot.joints), 2), tuple(along), tuple(f"B{n}" for n in range(len(along))))
    ties = [_tie(s, world, n) for n in range(len(robot.attachments))]
    results = [*poses.values(), *named.values(), *ties, shifts]
    arrays = inputs(s, ["T", "q"] if s.free else ["q"], {"q": s.beside_legs})
    program = extract(s.graph, arrays, parameters(s), results)
    defaults = {p.name: p.default for p in program.parameters if p.default is not None}

    def shape(arrays: Sequence[Array]) -> Skeleton:
        frames = dict(zip(poses, arrays, strict=False))
        lines = {
            j.index: _line(frames, j, shift)
            for j, shift in zip(s.robot.joints, np.moveaxis(arrays[-1], -2, 0), strict=True)
            if not j.free
        }
        held = arrays[len(poses) + len(named) : -1]
        of_names = dict(zip(named, arrays[len(poses) :], strict=False))
        ends = {f.name: np.stack([frames[f.link][..., :3, 3], of_names[f.name][..., :3, 3]], -2) for f in robot.frames}
        return Skeleton(frames, of_names, lines, tuple(held), ends)

    function = compile_program(program, "numpy", defaults, s.parameter_names)
    return PoseFunction(function) if s.free else function, shape


def _symbols(robot: Robot) -> Symbols:
    return platform_symbols(robot, Graph(), None, base=False) if robot.platforms else Symbols(robot, Graph())


def _tie(s: Symbols, world: Pose, i: int) -> Result:
    """A line of a closure: from the last link of the leg over its end and the attachment to the platform's origin."""
    parts, (platform,) = s.robot.parts, s.free
    link, end = carrier(parts.legs[i], parts.end(i))
    last = compose(world, _pose(s, parts.first_joints[i] + link))
    of_platform = compose(world, _pose(s, platform))
    met = compose(of_platform, bound_pose(s, parts.attachments[i].pose))
    points = [last[1], compose(last, bound_pose(s, end))[1], met[1], of_platform[1]]
    names = tuple(f"H{i}_{k}_{axis}" for k in range(4) for axis in "xyz")
    return Result(f"H{i}_", (4, 3), tuple(x for point in points for x in point), names)


def _pose(s: Symbols, frame: int | str) -> Any:
    """A frame in frame 0; a cut joint's where its mate is."""
    n, pose = carrier(s.robot, frame)
    return compose(plain(s, 0, n), bound_pose(s, pose))


def _placed(s: Symbols, q: ArrayLike) -> Sequence[ArrayLike]:
    """The inputs of the program: of a platform its pose, also for positions of its motors, and other joints."""
    numbers = real_array("q", q)
    if not np.isfinite(numbers).all():
        what = "T" if numbers.shape[-2:] == (4, 4) else "q"
        raise InputError("pictures.not_finite", robot=s.robot.name, what=what)
    if not s.free:
        return [numbers]
    if numbers.shape[-2:] == (4, 4):
        return [numbers, *_others(s, np.zeros(len(s.beside_legs)))]
    coordinates = Coordinates.of(s.robot)
    if numbers.shape[-1:] == (len(coordinates.joints),) != (len(coordinates.shown),):
        beside = [joint not in coordinates.followers for joint in coordinates.joints]
        return [pose_of_guess(s.robot, numbers), *_others(s, numbers[..., beside])]
    if numbers.shape != (len(coordinates.shown),):
        names = [str(joint.variable) for joint in coordinates.shown]
        raise ShapeError("pictures.pose_or_positions", robot=s.robot.name, names=names)
    driving = [joint in coordinates.driving for joint in coordinates.shown]
    assemblies = forward_geometry(s.robot).compile()(numbers[driving])
    if not assemblies.valid.any():
        raise CannotClose("pictures.no_assembly", robot=s.robot.name)
    poses = assemblies.T[assemblies.valid]
    nearest: Array = poses[np.abs(poses - home(s.robot)).max((-1, -2)).argmin()]
    return [nearest, *_others(s, numbers[np.invert(driving)])]


def _resting(s: Symbols) -> Sequence[ArrayLike]:
    if s.free:
        return [home(s.robot), *_others(s, np.zeros(len(s.beside_legs)))]
    if not s.robot.cuts:
        return [np.zeros(len(s.variables))]
    closed = closed_configuration(s, Loops(s).every)
    if closed is None:
        raise CannotClose("pictures.not_closed", robot=s.robot.name)
    return [closed]


def _others(s: Symbols, q: Array) -> list[Array]:
    """The input of the joints that belong to no leg, where there are any."""
    return [q] if s.beside_legs else []


def _line(frames: Mapping[int, Array], joint: Joint, shift: Array) -> Array:
    """From the origin of the antecedent's frame to that of frame j by b, d and r."""
    before, after = frames[joint.parent], frames[joint.index]
    start, end = before[..., :3, 3], after[..., :3, 3]
    rise, climb = shift[..., :1] * before[..., :3, 2], shift[..., 1:] * after[..., :3, 2]
    return np.stack([start, start + rise, end - climb, end], axis=-2)
