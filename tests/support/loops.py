"""Random closed loops, closed configurations, and the loops' constraints by Pinocchio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pinocchio as pin
from scipy.optimize import least_squares

from support.close import assert_close
from support.free_robots import Array, Tree, driven, movable
from support.pinocchio_robot import placement, shift, turn
from support.random_robots import random_robot
from symoro.bind.interface import robot_numbers
from symoro.robot.joint import Joint, JointKind
from symoro.robot.robot import Robot, cut_closures
from symoro.robot.values import ZERO, Symbol, as_value


def pose_parameters(T: pin.SE3) -> dict[str, float]:
    """γ b α d θ r of a pose: Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r)."""
    R, (x, y, z) = T.rotation, T.translation
    if R[2, 2] > 1 - 1e-12:  # a turn about z
        gamma = float(np.arctan2(y, x))
        theta = float(np.arctan2(R[1, 0], R[0, 0])) - gamma
        return {"gamma": gamma, "b": float(z), "alpha": 0.0, "d": float(np.hypot(x, y)), "theta": theta, "r": 0.0}
    alpha = float(np.arctan2(np.hypot(R[0, 2], R[1, 2]), R[2, 2]))
    gamma, theta = float(np.arctan2(R[0, 2], -R[1, 2])), float(np.arctan2(R[2, 0], R[2, 1]))
    first = (turn("z", gamma) * turn("x", alpha)).rotation
    columns = np.column_stack([np.array([0.0, 0.0, 1.0]), first[:, 0], first[:, 2]])
    b, d, r = np.linalg.solve(columns, T.translation)
    result = {"gamma": gamma, "b": b, "alpha": alpha, "d": d, "theta": theta, "r": r}
    again = turn("z", gamma) * shift("z", b) * turn("x", alpha) * shift("x", d) * turn("z", theta) * shift("z", r)
    assert_close(again.homogeneous, T.homogeneous, 1e-10)
    return {name: float(x) for name, x in result.items()}


def random_loop(seed: int) -> tuple[Robot, Array]:
    """A chain from the base back to it, spatial or planar, with an arm on it; and q where it is closed."""
    rng = np.random.default_rng(seed)
    spatial = seed % 2 == 0
    m = int(rng.integers(6, 8)) if spatial else int(rng.integers(3, 6))
    motors = m + 1 - (6 if spatial else 3)
    robot = random_robot(seed, joints=m + 1, structure="serial", kinds="revolute", moving_base=0)
    joints = [replace(j, actuated=j.index <= motors) for j in robot.joints[:m]]
    for k, joint in enumerate(joints):
        alpha = rng.uniform(0.4, 1.4) * rng.choice([-1, 1]) if spatial else 0.0
        lengths = {"d": rng.uniform(0.3, 1.0) if k else 0.0, "r": rng.uniform(-0.5, 0.5) if spatial else 0.0}
        joints[k] = replace(
            joint,
            **{n: as_value(round(float(x), 4)) for n, x in {"alpha": alpha, **lengths}.items()},  # type: ignore[arg-type]
            theta=Symbol(f"q{joint.index}"), gamma=ZERO, b=ZERO,
        )  # fmt: skip
    joints.append(replace(robot.joints[m], parent=int(rng.integers(1, m + 1))))  # the arm
    q = rng.uniform(-2, 2, m + 1)
    if rng.random() < 0.5:  # tilt the whole robot
        joints[0] = replace(joints[0], gamma=as_value("0.7"), alpha=as_value("0.9"))
    numbers = robot_numbers(robot)
    T = pin.SE3.Identity()
    for joint, x in zip(joints[:m], q, strict=False):
        T = T * placement(joint, numbers) * turn("z", x)
    cut_alpha = round(float(rng.uniform(0.4, 1.2)), 4) if spatial else 0.0
    cut = Joint(m + 2, "cut", m, JointKind.REVOLUTE, actuated=False, alpha=as_value(cut_alpha), d=as_value("0.6"))
    T = T * placement(cut, numbers) * turn("z", float(rng.uniform(-2, 2)))
    mate = Joint(m + 3, "mate", 0, JointKind.FIXED, **{n: as_value(x) for n, x in pose_parameters(T).items()})  # type: ignore[arg-type]
    closed = replace(robot, joints=(*joints, cut, mate), closures=cut_closures([cut], [(m + 2, m + 3)]))
    return closed, q


def on_link(robot: Robot, frame: Joint, numbers: Mapping[str, float]) -> tuple[int, pin.SE3]:
    """The link that carries a fixed frame, and the frame's place on it; a mate may be fixed on another mate."""
    where = placement(frame, numbers)
    while frame.parent > robot.link_count:
        frame = robot.joint(frame.parent)
        where = placement(frame, numbers) * where
    return frame.parent, where


class Loops:
    """Jacobian J and drift of the loops' constraints J q̇ = 0 by Pinocchio: velocities of cut frame and mate agree."""

    def __init__(self, tree: Tree) -> None:
        robot, o = tree.robot, tree.o
        model, data = o.model, o.data
        self.rows: list[Array] = []
        self.drift: list[Array] = []
        q, v = tree.q, tree.v
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.computeJointJacobians(model, data, q)
        for cut in robot.cuts:
            joint, mate = robot.joint(cut.joint), robot.joint(cut.mate)
            last, where = on_link(robot, mate, tree.numbers)
            hold = o.pose_in[last] * where
            at = data.oMi[o.joint_of[last]] * hold
            other = o.pose_in[joint.parent] * (
                (data.oMi[o.joint_of[joint.parent]] * o.pose_in[joint.parent]).inverse() * at
            )
            sides = ((o.joint_of[joint.parent], other), (o.joint_of[last], hold))
            J, drift = np.zeros((6, model.nv)), np.zeros(6)
            for sign, (carrier, where) in zip((1, -1), sides, strict=True):
                X = where.toActionMatrixInverse()
                J += sign * X @ pin.getJointJacobian(model, data, carrier, pin.LOCAL)
                twist, spatial = where.actInv(data.v[carrier]), where.actInv(data.a[carrier])
                classical = spatial.vector.copy()
                classical[:3] += np.cross(twist.angular, twist.linear)
                drift += sign * classical
                if sign > 0:
                    w = twist.angular
            free = 2 if joint.prismatic else 5
            rate = -(J @ v)[free]  # of the cut joint
            z = np.array([0.0, 0.0, 1.0])
            drift[:3] += 2 * joint.prismatic * np.cross(w, rate * z)
            drift[3:] += joint.revolute * np.cross(w, rate * z)
            kept = [row for row in range(6) if row != free]
            self.rows.append(J[np.ix_(kept, o.velocity_index)])
            self.drift.append(drift[kept])
        self.J, self.gamma = np.vstack(self.rows), np.hstack(self.drift)

    def consistent(self, active: list[int], qd: Array) -> Array:
        """The velocities of all joints for those of the active ones."""
        passive = [k for k in range(self.J.shape[1]) if k not in active]
        full = np.zeros(self.J.shape[1])
        full[active] = qd
        full[passive] = -np.linalg.pinv(self.J[:, passive], rcond=1e-10) @ (self.J[:, active] @ qd)
        return full


def _cut_poses(robot: Robot, q: Array) -> list[pin.SE3]:
    """The mate of each cut seen from the cut joint's frame before that joint moves."""
    numbers = robot_numbers(robot) | {str(robot.joint(j).variable): x for j, x in zip(movable(robot), q, strict=True)}

    def pose(j: int) -> pin.SE3:
        if j == 0:
            return pin.SE3.Identity()
        joint = robot.joint(j)
        return pose(joint.parent) * _placed(joint, numbers)

    starts = [(robot.joint(cut.joint), cut.mate) for cut in robot.cuts]
    return [(pose(joint.parent) * placement(joint, numbers)).inverse() * pose(mate) for joint, mate in starts]


def gap(robot: Robot, q: Array) -> Array:
    """The distance of the two frames of each cut, without the motion of the cut joint; zero where loops are closed."""
    errors: list[float] = []
    for cut, T in zip(robot.cuts, _cut_poses(robot, q), strict=True):
        if robot.joint(cut.joint).prismatic:
            errors += [*T.translation[:2], *pin.log3(T.rotation)]
        else:
            errors += [*T.translation, T.rotation[0, 2], T.rotation[1, 2], 1 - T.rotation[2, 2]]  # and not turned over
    return np.array(errors)


def cut_positions(robot: Robot, q: Array) -> Array:
    """The variables of the cut joints where the loops are closed."""
    poses = zip(robot.cuts, _cut_poses(robot, q), strict=True)
    return np.array(
        [
            T.translation[2] if robot.joint(cut.joint).prismatic else np.arctan2(T.rotation[1, 0], T.rotation[0, 0])
            for cut, T in poses
        ]
    )


def _placed(joint: Joint, numbers: dict[str, float]) -> pin.SE3:
    still = placement(joint, numbers)
    if joint.fixed:
        return still
    x = numbers[str(joint.variable)]
    move = pin.SE3(pin.utils.rotate("z", x), np.zeros(3)) if joint.revolute else pin.SE3(np.eye(3), np.array([0, 0, x]))
    return still * move


def closed_configuration(robot: Robot, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    for _ in range(50):
        found = least_squares(
            lambda q: gap(robot, q), rng.uniform(-1.5, 1.5, len(movable(robot))), xtol=1e-15, gtol=1e-15
        )
        q = np.asarray(found.x)
        if np.abs(found.fun).max() < 1e-11 and regularity(robot, q) > 1e-3:
            return q
    raise AssertionError("the loops do not close")


def regularity(robot: Robot, q: Array) -> float:
    """How well the loops determine the passive joints: 0 where passive joints can move alone."""
    idle = {"q": q, "wrench": np.zeros((sum(not w.is_zero for w in robot.wrenches), 6))}
    J = Loops(Tree(robot, idle, np.zeros(len(q)))).J[:, [k for k in range(len(q)) if k not in driven(robot)]]
    values = np.linalg.svd(J, compute_uv=False)
    return float(values[-1] / values[0]) if len(values) == J.shape[1] else 0.0


def regular_configuration(robot: Robot, draws: int = 8) -> Array:
    """Of several closed configurations the one with the largest regularity."""
    return max((closed_configuration(robot, seed) for seed in range(draws)), key=lambda q: regularity(robot, q))
