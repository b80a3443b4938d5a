"""The links of a parallel robot by Pinocchio's legs and the platform's pose: poses, velocities, momenta, by hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin

from support.free_robots import Array
from support.platforms import Platform, joint_positions, random_motion, reachable_pose, with_random_inertias
from symoro.models.parallel.mechanism import structure
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate


@dataclass(frozen=True)
class Links:
    """A robot in a motion that its legs allow; u = [q̇; V]."""

    platform: Platform
    u: Array
    ud: Array

    @property
    def robot(self) -> Robot:
        return self.platform.robot

    @property
    def n(self) -> int:
        return len(self.platform.q)

    @property
    def V(self) -> Array:
        return self.u[self.n :]

    @property
    def VP(self) -> Array:
        return self.ud[self.n :]

    @property
    def motors(self) -> Array:
        """q̇ of the motors."""
        return self.platform.motors().T @ self.u

    @cached_property
    def left(self) -> list[int]:
        """The components of V that are the coordinates of the models."""
        return list(structure(self.robot).independent)

    @cached_property
    def G(self) -> Array:
        """u = G v for v = V[left]."""
        S = self.platform.freedoms()
        S = S @ np.linalg.inv(S[self.left])
        return np.array([self.platform.velocities(column) for column in S.T]).T

    @cached_property
    def coasting(self) -> Array:
        """u̇ where the coordinates v do not accelerate."""
        return self.ud - self.G @ self.VP[self.left]

    def frame(self, link: int) -> tuple[Array, Array, Array, Array]:
        """Pose (4, 4), [v; ω], its derivative, and the matrix of [v; ω] for u, of the link's frame in frame 0."""
        if link == self.robot.link_count:
            return self.platform.T, self.V, self.VP, np.hstack([np.zeros((6, self.n)), np.eye(6)])
        o, X = self.platform.o, self.platform.X
        where = pin.Frame(f"link{link}_{o.model.nframes}", o.joint_of[link], 0, o.pose_in[link], pin.FrameType.OP_FRAME)
        frame = o.model.addFrame(where)
        data = o.model.createData()
        q, v, a = self.platform.at, X @ self.u, X @ self.ud + self.platform.curve(self.u)
        pin.forwardKinematics(o.model, data, q, v, a)
        pin.updateFramePlacements(o.model, data)
        moving = pin.getFrameVelocity(o.model, data, frame, pin.LOCAL_WORLD_ALIGNED).vector
        changing = pin.getFrameClassicalAcceleration(o.model, data, frame, pin.LOCAL_WORLD_ALIGNED).vector
        J = pin.computeFrameJacobian(o.model, data, q, frame, pin.LOCAL_WORLD_ALIGNED) @ X
        return data.oMf[frame].homogeneous, moving, changing, J

    def inertia(self, link: int) -> tuple[float, Array, Array]:
        """Mass, first moments and inertia matrix of a link about its frame's origin, in frame 0."""
        p = {name: evaluate(x, self.platform.numbers) for name, x in self.robot.inertia(link).items()}
        R = self.frame(link)[0][:3, :3]
        J = np.array([[p["XX"], p["XY"], p["XZ"]], [p["XY"], p["YY"], p["YZ"]], [p["XZ"], p["YZ"], p["ZZ"]]])
        return p["M"], R @ np.array([p["MX"], p["MY"], p["MZ"]]), R @ J @ R.T

    def sums(self) -> tuple[float, Array, Array, Array]:
        """Mass, first moments, linear and angular momentum of all links about the origin of frame 0."""
        mass, moments, p, l = 0.0, np.zeros(3), np.zeros(3), np.zeros(3)
        for link in range(1, self.robot.link_count + 1):
            T, V, _, _ = self.frame(link)
            M, MS, J = self.inertia(link)
            own = M * V[:3] + np.cross(V[3:], MS)
            mass, moments, p = mass + M, moments + M * T[:3, 3] + MS, p + own
            l = l + J @ V[3:] + np.cross(MS, V[:3]) + np.cross(T[:3, 3], own)
        return mass, moments, p, l

    def joint_forces(self, name: str) -> Array:
        """IA q̈, or FV q̇ + FS sign(q̇), of each joint of the legs."""
        return self.platform.drive("IA") * self.ud[: self.n] if name == "rotors" else self.platform.friction(self.u)

    def at_motors(self, f: Array) -> Array:
        """The torques of the motors that do the same work as forces f at u, in every motion that the legs allow."""
        return np.linalg.lstsq(self.G.T @ self.platform.motors(), self.G.T @ f, rcond=None)[0]


def links(robot: Robot, seed: int) -> tuple[Links, np.random.Generator]:
    """The robot with random bodies in a random motion."""
    rng = np.random.default_rng(seed)
    other = with_random_inertias(robot, rng)
    T = reachable_pose(other, rng)
    platform = Platform(other, T, joint_positions(other, T))
    assert platform.closure() < 1e-11
    _, _, u, ud = random_motion(platform, rng)
    return Links(platform, u, ud), rng


def turned(R: Array, x: Array) -> Array:
    """[linear; angular] of frame 0 in the frame with axes R."""
    return np.r_[R.T @ x[:3], R.T @ x[3:]]


def weight(at: Links) -> Array:
    """What all coordinates need against gravity."""
    still = np.zeros_like(at.u)
    return at.platform.equations(still)[1]
