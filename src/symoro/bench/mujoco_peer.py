"""MuJoCo as a library to compare with: the robot written as MJCF, without contacts and actuators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mujoco
import numpy as np

from symoro.bench.cases import Array, BenchCase, require_equal
from symoro.bench.timing import Call, call
from symoro.findings import Finding
from symoro.formats import mjcf
from symoro.robot.robot import Robot

#: States of a loop over calls: from Python, MuJoCo computes one state at a time.
_LOOP = 500


def calls(case: BenchCase, robot: Robot) -> tuple[Call, Call] | Finding:
    """MuJoCo's function of one state, and a loop over it; the state is written into its arrays, as a user does."""
    functions: Mapping[str, Callable[[Any, Any], Callable[..., Any]]] = {
        "inverse_dynamics": _inverse,
        "direct_dynamics": _direct,
        "inertia_matrix": _inertia,
    }
    if case.name not in functions:
        return Finding("bench.no_model", model=case.name)
    try:
        model = mujoco.MjModel.from_xml_string(mjcf.write_text(robot))
    except ValueError as error:  # MuJoCo's own: bodies that move must have a mass
        return Finding("bench.unread", reason=str(error).strip().partition("\n")[0])
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    f = functions[case.name](model, mujoco.MjData(model))
    order = [int(model.joint(j.name).dofadr[0]) for j in robot.joints if j.movable]
    states = [_in_order(x, order) for x in case.states]
    one = [np.ascontiguousarray(x[0]) for x in states]
    ours = f(*one)
    require_equal(case, ours[np.ix_(*[order] * ours.ndim)], "MuJoCo")
    few = list(zip(*(x[:_LOOP] for x in states), strict=True))
    return call(f, *one), call(lambda: [f(*state) for state in few], states=len(few))


def _in_order(states: Array, order: list[int]) -> Array:
    ordered = np.empty_like(states)
    ordered[:, order] = states
    return ordered


def _inverse(model: Any, data: Any) -> Callable[..., Array]:
    torque: Array = data.qfrc_inverse
    position, velocity, acceleration = data.qpos, data.qvel, data.qacc

    def function(q: Array, qd: Array, qdd: Array) -> Array:
        position[:], velocity[:], acceleration[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        return torque

    return function


def _direct(model: Any, data: Any) -> Callable[..., Array]:
    acceleration: Array = data.qacc
    position, velocity, force = data.qpos, data.qvel, data.qfrc_applied

    def function(q: Array, qd: Array, tau: Array) -> Array:
        position[:], velocity[:], force[:] = q, qd, tau
        mujoco.mj_forward(model, data)
        return acceleration

    return function


def _inertia(model: Any, data: Any) -> Callable[..., Array]:
    position, full = data.qpos, np.zeros((model.nv, model.nv))

    def function(q: Array) -> Array:
        position[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        mujoco.mj_fullM(model, data, full)
        return full

    return function
