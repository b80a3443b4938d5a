"""A robot beside a model of Pinocchio: joints are matched by their names, because their orders differ."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from support.close import assert_close
from support.table_numbers import table
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate


def configuration(model: pin.Model, robot: Robot, x: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Pinocchio's q of ours, and where our velocities are."""
    q, there = pin.neutral(model), []
    for value, joint in zip(x, (j for j in robot.joints if j.variable), strict=True):
        one = model.joints[model.getJointId(joint.name)]
        q[one.idx_q : one.idx_q + one.nq] = [value] if one.nq == 1 else [np.cos(value), np.sin(value)]
        there.append(one.idx_v)
    return q, there


def assert_same(robot: Robot, model: pin.Model) -> None:
    """Torques with rotors, and the frames of links, at a random motion."""
    ours, data = table(robot), model.createData()
    x, xd, xdd = (np.random.default_rng(k).uniform(-1, 1, ours.G.shape[1]) for k in range(3))
    q, there = configuration(model, robot, x)
    v, a = np.zeros(model.nv), np.zeros(model.nv)
    v[there], a[there] = xd, xdd
    IA = np.array([evaluate(robot.drive(j.index).IA, robot.values.numbers()) for j in robot.joints if j.variable])
    assert_close(ours.torques(x, xd, xdd) + IA * xdd, pin.rnea(model, data, q, v, a)[there], 1e-9)
    pin.framesForwardKinematics(model, data, q)
    frames = ours.frames(x)
    for k, frame in enumerate(model.frames):
        if frame.name in frames and frame.type == pin.FrameType.BODY:
            assert_close(frames[frame.name], data.oMf[k].homogeneous, 1e-9)
