"""Robots from compiled models of MuJoCo, and back. The tool is imported only to make a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import NotApplicable, RobotError
from symoro.findings import Finding
from symoro.formats import mjcf, valid_robot
from symoro.formats._report import Report
from symoro.formats.mujoco.bodies import WORLD
from symoro.formats.mujoco.equalities import following, linear
from symoro.formats.mujoco.motors import held_part, with_motors
from symoro.formats.tree.description import (
    Bounds,
    FrameOf,
    JointOf,
    Kind,
    Link,
    LoopJoint,
    Mass,
    Tree,
    Weld,
    place_at_zero,
)
from symoro.formats.tree.loops import aligned, hinged
from symoro.formats.tree.poses import Array, of_quaternion, pose, shift
from symoro.formats.tree.robot import robot_of
from symoro.robot.robot import Robot

_KINDS: tuple[Kind, ...] = ("floating", "ball", "prismatic", "revolute")


def from_mujoco(model: Any, name: str = "robot") -> Robot:
    """The robot of a `mujoco.MjModel`: bodies, joints, sites, armature, damping, friction, springs, constraints.

    Contacts, tendons and actuators are not carried over.
    """
    if not hasattr(model, "jnt_stiffness"):
        raise RobotError("tools.mujoco_model", type=type(model).__name__)
    report = Report(None)
    return robot_of(_CompiledModel(model, report).tree(name), report).robot


def to_mujoco(robot: Robot | str | Path) -> Any:
    """The `mujoco.MjModel` of a robot with numbers."""
    robot = valid_robot(robot)
    if robot.platforms:
        raise NotApplicable("tools.platform", robot=robot.name)
    import mujoco

    return mujoco.MjModel.from_xml_string(mjcf.write_text(robot))


class _CompiledModel:
    """Reads the arrays of a compiled model."""

    def __init__(self, model: Any, report: Report) -> None:
        self.model, self.report = model, report

    def name(self, body: int) -> str:
        return WORLD if body == 0 else self.model.body(body).name or f"body{body}"

    def tree(self, name: str) -> Tree:
        m = self.model
        links = [Link(WORLD)]
        joints: list[JointOf] = []
        frames: list[FrameOf] = []
        for body in range(1, m.nbody):
            last = self.last(body)
            links += [Link(f"{self.name(body)}_{k}", named=False) for k in range(1, m.body_jntnum[body])]
            links.append(Link(self.name(body), self.mass(body).seen_from(last), named=False))
            joints += self.joints(body)
            frames.append(FrameOf(self.name(body), self.name(body), last))
        for site in range(m.nsite):
            body = int(m.site_bodyid[site])
            there = self.last(body) @ pose(of_quaternion(*m.site_quat[site]), m.site_pos[site])
            if m.site(site).name:
                frames.append(FrameOf(m.site(site).name, self.name(body), there))
        weightless = int(m.opt.disableflags) & _gravity_bit()
        part = 1.0 if weightless else self.compensated()
        self.note_options()
        held = CompiledEqualities(m, joints, lambda body: (self.name(body), self.last(body)), self.report)
        return Tree(
            name=name,
            root=WORLD,
            links=tuple(links),
            joints=with_motors(held.joints, self.driven(), bool(held.closures or held.welds), self.report),
            frames=tuple(frames),
            closures=tuple(held.closures),
            welds=tuple(held.welds),
            gravity=tuple(float((1 - part) * x) for x in m.opt.gravity),
        )

    def note_options(self) -> None:
        """Warnings of the air or water around the robot, and of forces that are switched off, as for a file."""
        import mujoco

        option, bits = self.model.opt, mujoco.mjtDisableBit.__members__
        if media := [name for name in mjcf.MEDIUM if np.any(getattr(option, name))]:
            self.report.add(Finding("mjcf.medium", names=media))
        switches = [(name, f"mjDSBL_{name.upper()}") for name in mjcf.SWITCHES]
        if off := [name for name, bit in switches if bit in bits and int(option.disableflags) & int(bits[bit])]:
            self.report.add(Finding("mjcf.flags", names=off))

    def compensated(self) -> float:
        """The part of gravity that forces on the bodies hold."""
        m, moving = self.model, np.flatnonzero((self.model.body_weldid > 0) & (self.model.body_mass > 0))
        parts = {self.name(int(body)): (float(m.body_gravcomp[body]), None) for body in moving}
        return held_part(parts, [bool(held) for held in m.jnt_actgravcomp], self.report)

    def driven(self) -> set[str]:
        """The joints that an actuator moves, by itself or by a fixed tendon."""
        m = self.model
        joints = {int(m.actuator_trnid[k, 0]) for k in range(m.nu) if m.actuator_trntype[k] <= 1}
        tendons = {int(m.actuator_trnid[k, 0]) for k in range(m.nu) if m.actuator_trntype[k] == _by_tendon()}
        for start, count in ((int(m.tendon_adr[k]), int(m.tendon_num[k])) for k in tendons):
            joints |= {int(m.wrap_objid[k]) for k in range(start, start + count) if m.wrap_type[k] == _of_joint()}
        return {m.joint(k).name for k in joints}

    def last(self, body: int) -> Array:
        """The frame of a body in the frame of its last joint."""
        m = self.model
        if not m.body_jntnum[body]:
            return np.eye(4)
        joint = int(m.body_jntadr[body] + m.body_jntnum[body] - 1)
        return np.eye(4) if m.jnt_type[joint] == 0 else shift(-m.jnt_pos[joint])

    def mass(self, body: int) -> Mass:
        m = self.model
        where = pose(of_quaternion(*m.body_iquat[body]), m.body_ipos[body])
        return Mass.at_centre(float(m.body_mass[body]), np.diag(m.body_inertia[body]), where)

    def joints(self, body: int) -> Iterator[JointOf]:
        m, name = self.model, self.name(body)
        parent = int(m.body_parentid[body])
        link = self.name(parent)
        there = self.last(parent) @ pose(of_quaternion(*m.body_quat[body]), m.body_pos[body])
        count = int(m.body_jntnum[body])
        if not count:
            yield JointOf(f"{name}_fixed", "fixed", link, name, there)
        for k in range(count):
            j = int(m.body_jntadr[body]) + k
            child = name if k == count - 1 else f"{name}_{k + 1}"
            at = np.zeros(3) if m.jnt_type[j] == 0 else m.jnt_pos[j]
            usual = f"{name}_joint" if count == 1 else f"{name}_joint{k + 1}"
            yield self.joint(j, m.joint(j).name or usual, link, child, there @ shift(at))
            there, link = shift(-at), child

    def joint(self, j: int, name: str, parent: str, child: str, origin: Array) -> JointOf:
        m = self.model
        kind, v = _KINDS[int(m.jnt_type[j])], int(m.jnt_dofadr[j])
        plain = kind in ("revolute", "prismatic")
        limited = plain and bool(m.jnt_limited[j])
        damping = np.ravel(m.dof_damping[v])[0]
        return JointOf(
            name=name,
            kind=kind,
            parent=parent,
            child=child,
            origin=origin,
            axis=m.jnt_axis[j] if plain else np.array([0.0, 0.0, 1.0]),
            zero=float(m.qpos0[m.jnt_qposadr[j]]) if plain else 0.0,
            bounds=Bounds(*(float(x) for x in m.jnt_range[j])) if limited else Bounds(),
            damping=float(damping) if kind != "floating" else 0.0,
            friction=float(m.dof_frictionloss[v]) if kind != "floating" else 0.0,
            armature=float(m.dof_armature[v]),
            stiffness=float(np.ravel(m.jnt_stiffness[j])[0]) if plain else 0.0,
            rest=float(m.qpos_spring[m.jnt_qposadr[j]]) if plain else 0.0,
        )


def _by_tendon() -> int:
    import mujoco

    return int(mujoco.mjtTrn.mjTRN_TENDON)


def _of_joint() -> int:
    import mujoco

    return int(mujoco.mjtWrap.mjWRAP_JOINT)


def _gravity_bit() -> int:
    import mujoco

    return int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)


def read_file(path: str) -> Robot:
    """The robot of a file that MuJoCo compiles."""
    import mujoco

    return from_mujoco(mujoco.MjModel.from_xml_path(path))


# The equality constraints of a compiled model of MuJoCo: loops, welds, and joints that follow others.


_CONNECT, _WELD, _JOINT = 0, 1, 2
_Place = tuple[str, Array]
Home = Callable[[int], _Place]
"""The link of a body by its number, and the body's pose there."""


class CompiledEqualities:
    """Reads the arrays of the constraints that are active; what cannot be carried over is listed."""

    def __init__(self, model: Any, joints: list[JointOf], home: Home, report: Report) -> None:
        self.model, self.home, self.report = model, home, report
        self.joints = joints
        self.closures: list[LoopJoint] = []
        self.welds: list[Weld] = []
        for k in np.flatnonzero(model.eq_active0):
            self.read(int(k))
        self.closures = hinged(self.closures)

    def read(self, k: int) -> None:
        m = self.model
        kind, name = int(m.eq_type[k]), m.equality(k).name
        if kind == _JOINT and (m.eq_obj2id[k] < 0 or linear(m.eq_data[k][:5])):
            self.follow(k)
        elif kind in (_CONNECT, _WELD):
            first, second = self.sites(k) if m.eq_objtype[k] == _site() else self.bodies(k)
            (a, at_a), (b, at_b) = first, second
            if kind == _WELD:
                self.welds.append(Weld(name or f"weld{k}", a, b, at_a, at_b))
            else:
                worlds = [place_at_zero(self.joints, link) for link in (a, b)]
                at_b = aligned(at_b, worlds[1], worlds[0] @ at_a)
                self.closures.append(LoopJoint(name or f"connect{k}", "ball", a, b, at_a, at_b))
        else:
            self.report.add(Finding("tools.equality", name=name or k))

    def follow(self, k: int) -> None:
        m = self.model
        names = [m.joint(int(j[k])).name for j in (m.eq_obj1id, m.eq_obj2id) if j[k] >= 0]
        places = {joint.name: n for n, joint in enumerate(self.joints)}
        if not all(name in places for name in names):
            self.report.add(Finding("tools.unnamed_joints", number=k))
            return
        follower, *masters = (places[name] for name in names)
        master = self.joints[masters[0]] if masters else None
        self.joints[follower] = following(self.joints[follower], master, m.eq_data[k][:5])

    def sites(self, k: int) -> Iterator[_Place]:
        m = self.model
        for site in (int(m.eq_obj1id[k]), int(m.eq_obj2id[k])):
            link, where = self.home(int(m.site_bodyid[site]))
            yield link, where @ pose(of_quaternion(*m.site_quat[site]), m.site_pos[site])

    def bodies(self, k: int) -> tuple[_Place, _Place]:
        """connect: a point in each body; weld: the pose of the second body in the first."""
        m, data = self.model, self.model.eq_data[k]
        (a, in_a), (b, in_b) = (self.home(int(body[k])) for body in (m.eq_obj1id, m.eq_obj2id))
        if m.eq_type[k] == _CONNECT:
            return (a, in_a @ shift(data[:3])), (b, in_b @ shift(data[3:6]))
        return (a, in_a @ pose(of_quaternion(*data[6:10]), data[3:6])), (b, in_b)


def _site() -> int:
    import mujoco

    return int(mujoco.mjtObj.mjOBJ_SITE)
