"""Robots on wheels, and their motion by Lagrange multipliers on Pinocchio's free-flyer model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pinocchio as pin

import symoro
from support.free_robots import Array, State, Tree, driven
from support.pinocchio_robot import Oracle, oracle
from support.random_loops import random_closed_robot
from support.random_robots import physical_inertia, random_robot
from symoro.bind.interface import robot_numbers
from symoro.robot.base import Base, BaseKind, Wheel
from symoro.robot.joint import Joint
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, as_value
from symoro.robot.values import evaluate as value_of

UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def tricycle() -> Robot:
    """The differential drive's arm on another base: a steered and driven front wheel, two wheels that are towed."""
    robot = symoro.load("diff-drive-2r")
    left, right, turret, arm = robot.joints
    steer = Joint(5, "steer", 0, d=as_value("0.5"))
    front = Joint(6, "front", 5, alpha=as_value("-pi/2"))
    towed = tuple(replace(joint, actuated=False) for joint in (left, right))
    radius = Symbol("R")
    base = replace(robot.base, wheels=tuple(Wheel(j, radius) for j in (1, 2, 6)))
    inertias = (*robot.inertias, robot.inertia(1), robot.inertia(1))
    return replace(
        robot, name="tricycle", joints=(*towed, turret, arm, steer, front), base=base, inertias=inertias,
        drives=(*robot.drives, robot.drive(1), robot.drive(1)), wrenches=(*robot.wrenches, *robot.wrenches[:2]),
    )  # fmt: skip


@dataclass
class Vehicle:
    """A base that gets wheels; their joints come after those of an arm."""

    rng: np.random.Generator
    joints: list[Joint]
    wheels: list[Wheel] = field(default_factory=list)

    def number(self, low: float, high: float) -> float:
        return round(float(self.rng.uniform(low, high)), 4)

    def add(self, parent: int, actuated: bool, **geometry: float | str) -> int:
        j = len(self.joints) + 1
        values = {name: as_value(x) for name, x in geometry.items()}
        self.joints.append(Joint(j, f"joint{j}", parent, actuated=actuated, **values))  # type: ignore[arg-type]
        return j

    def roll(self, parent: int, actuated: bool, **geometry: float | str) -> None:
        wheel = self.add(parent, actuated, alpha="-pi/2", **geometry)
        self.wheels.append(Wheel(wheel, as_value(self.number(0.05, 0.3))))

    def axle(self, actuated: bool) -> None:
        """Two wheels on one axis, anywhere and across any direction."""
        line = {"gamma": self.number(-3, 3), "d": self.number(-0.3, 0.3)}
        self.roll(0, actuated, **line, r=self.number(0.1, 0.5))
        self.roll(0, actuated, **line, r=self.number(-0.5, -0.1))

    def steered(self, actuated: bool, trail: float) -> None:
        """A wheel on a vertical axis; a castor where it has no motors and trails."""
        fork = self.add(0, actuated, gamma=self.number(-3, 3), d=self.number(0.3, 0.8), b=self.number(-0.1, 0.3))
        self.roll(fork, actuated, d=trail, r=self.number(-0.1, 0.1))


def random_vehicle(seed: int) -> Robot:
    """A differential drive or a tricycle with any arms on it, and castors."""
    rng = np.random.default_rng(seed)
    arms = random_robot(seed, joints=int(rng.integers(1, 5)), structure="tree", moving_base=0)
    vehicle = Vehicle(rng, list(arms.joints))
    steering = seed % 2 == 1
    vehicle.axle(actuated=not steering)
    if steering:
        vehicle.steered(actuated=True, trail=vehicle.number(0, 0.2))
    for _ in range(int(rng.integers(0, 3))):
        vehicle.steered(actuated=False, trail=vehicle.number(-0.3, -0.1))
    new = range(arms.link_count + 1, len(vehicle.joints) + 1)
    values = {f"{n}{j}": as_value(float(x)) for j in (0, *new) for n, x in physical_inertia(rng).items()}
    values |= {f"{n}{j}": as_value(float(rng.uniform(0, 1))) for j in new for n in ("IA", "FV", "FS")}
    none = tuple(type(arms.wrenches[0])() for _ in new)
    return replace(
        arms, joints=tuple(vehicle.joints),
        base=Base(BaseKind.MOBILE, inertia=Inertia.symbolic(0), wheels=tuple(vehicle.wheels)),
        inertias=(*arms.inertias, *map(Inertia.symbolic, new)), drives=(*arms.drives, *map(Drive.symbolic, new)),
        wrenches=(*arms.wrenches, *none), values={**arms.values, **values},  # type: ignore[arg-type]
    )  # fmt: skip


def loops_on_wheels(seed: int) -> tuple[Robot, Array]:
    """A robot with loops on a differential drive or a tricycle, and q where the loops are closed."""
    robot, q = random_closed_robot(seed)
    n, rng = robot.link_count, np.random.default_rng(seed)
    vehicle = Vehicle(rng, list(robot.joints[:n]))
    vehicle.axle(actuated=seed % 2 == 0)
    if seed % 2:
        vehicle.steered(actuated=True, trail=vehicle.number(0, 0.2))
    new = range(n + 1, len(vehicle.joints) + 1)
    named = [replace(j, name=f"wheel{j.index}") if j.index in new else j for j in vehicle.joints]
    later = {j: j + len(new) * (j > n) for j in range(len(robot.joints) + 1)}
    loose = [replace(_renamed(j), index=later[j.index], parent=later[j.parent]) for j in robot.joints[n:]]
    values = {f"{name}{j}": as_value(float(x)) for j in (0, *new) for name, x in physical_inertia(rng).items()}
    finished = replace(
        robot, joints=(*named, *loose), closures=tuple(one.renumbered(later.__getitem__) for one in robot.closures),
        base=Base(BaseKind.MOBILE, inertia=Inertia.symbolic(0), wheels=tuple(vehicle.wheels)),
        inertias=(*robot.inertias, *map(Inertia.symbolic, new)), drives=(*robot.drives, *(Drive() for _ in new)),
        wrenches=(*robot.wrenches, *(Wrench() for _ in new)), values={**robot.values, **values},  # type: ignore[arg-type]
    )  # fmt: skip
    return finished, np.r_[q, rng.normal(size=len(new))]


def _renamed(joint: Joint) -> Joint:
    """A cut joint with another variable; 0 stands for the variable itself."""
    if joint.fixed:
        return joint
    return replace(joint, variable=f"cut{joint.index}", **{"theta" if joint.revolute else "r": as_value(0)})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Rolled:
    """The motion of a rolling robot for velocities and torques of its motors; u is the velocity of base and joints."""

    u: Array
    accelerations: Array  # of the base's components, then of the joints
    spin: Array  # ω × v of the base: its acceleration less that of its components
    condition: float  # of the motors' equations


def rolled(robot: Robot, state: State) -> Rolled:
    """Lagrange's multipliers: M u̇ + h = τ + Cᵀ λ, C u̇ = −Ċ u."""
    free = replace(robot, base=Base(BaseKind.FLOATING, inertia=robot.base.inertia))
    o = oracle(free, robot_numbers(robot), free=True)
    act = [6 + k for k in driven(robot)]
    C, _ = touching(robot, o, state["q"], np.zeros(6 + len(state["q"])))
    rest = [k for k in range(C.shape[1]) if k not in act]
    G = np.zeros((C.shape[1], len(act)))
    G[act] = np.eye(len(act))
    G[rest] = -np.linalg.pinv(C[:, rest], rcond=1e-10) @ C[:, act]
    u = G @ state["qd"]
    _, drift = touching(robot, o, state["q"], u)
    tree = Tree(free, {**state, "V0": u[:6], "quat": UPRIGHT}, u[6:])
    spin = np.r_[np.cross(u[3:6], u[:3]), np.zeros(len(u) - 3)]
    right = tree.torques(state["tau"]) - tree.h - tree.M @ spin
    system = np.block([[tree.M, C.T], [C, np.zeros((len(C), len(C)))]])
    x = np.linalg.lstsq(system, np.r_[right, -drift], rcond=1e-12)[0][: len(u)]
    return Rolled(u, x, spin, float(np.linalg.cond(G.T @ tree.M @ G) * np.linalg.cond(G)))


def touching(robot: Robot, o: Oracle, q: Array, u: Array) -> tuple[Array, Array]:
    """C of what stands still (vz ωx ωy of the base, the points of the wheels on the ground), and Ċ u.

    The base is upright at the origin, so that its frame is the world's. A point on the ground is the radius below the
    centre of its wheel: its velocity v + ω × p is 0, and as p is constant that of u̇ = 0 changes by v̇ + ω̇ × p.
    """
    at, v = o.q(q, UPRIGHT), o.v(u[6:], u[:6])
    pin.forwardKinematics(o.model, o.data, at, v, 0 * v)
    pin.computeJointJacobians(o.model, o.data, at)
    columns = [*range(6), *o.velocity_index]
    rows, drift = [np.eye(len(u))[[2, 3, 4]]], [np.zeros(3)]
    for wheel in robot.base.wheels:
        carrier = o.joint_of[wheel.joint]
        down = np.array([0, 0, -value_of(wheel.radius, robot_numbers(robot))])
        J = pin.getJointJacobian(o.model, o.data, carrier, pin.LOCAL_WORLD_ALIGNED)[:, columns]
        rows.append((J[:3] - pin.skew(down) @ J[3:])[:2])
        change = pin.getClassicalAcceleration(o.model, o.data, carrier, pin.LOCAL_WORLD_ALIGNED)
        drift.append((change.linear + np.cross(change.angular, down))[:2])
    return np.vstack(rows), np.hstack(drift)
