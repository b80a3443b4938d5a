"""The state in which the simulation of a parallel robot begins."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from symoro.errors import MotionError, ShapeError
from symoro.model import model
from symoro.models.parallel.numbers import home
from symoro.motion.limits import active_limits, inside
from symoro.motion.plant import put_right
from symoro.motion.platform_plant import PlatformPlant
from symoro.motion.profile import Array
from symoro.motion.trajectory import Trajectory
from symoro.platforms.forward import forward_geometry
from symoro.platforms.poses import is_rigid
from symoro.robot.parallel import ParallelRobot
from symoro.runtime import Function, compile_program
from symoro.runtime.arrays import real_array

_OPEN = 1e-6
"""The residual of pose and velocity above which the legs do not allow them."""
Values = Mapping[str, float]


def first_of_platform(
    plant: PlatformPlant, trajectory: Trajectory | None, given: Mapping[str, ArrayLike | None], values: Values
) -> Array:
    """The state (..., size) at a pose of the platform or positions of the motors; else where the trajectory begins."""
    for name in ("position", "quat"):
        if given.get(name) is not None:
            raise MotionError(f"{name}0 is that of a free base (allowed for a parallel robot: T0 or q0, V0 or qd0)")
    start = {"q": given.get("q"), "qd": given.get("qd")}
    if trajectory is not None:
        motion = trajectory(0.0)
        start["q"] = motion.q if start["q"] is None and given.get("T") is None else start["q"]
        start["qd"] = motion.qd if start["qd"] is None and given.get("V0") is None else start["qd"]
    T, near = _pose(plant, given.get("T"), start["q"], values)
    V = _velocity(plant, T, given.get("V0"), start["qd"], values)
    _require_allowed(plant, T, V, values)
    state = _state(plant, T, V, near, values)
    inside("q0", state[..., plant.places["q"]], active_limits(plant.robot, plant.motors))
    return state


def reached(robot: ParallelRobot, q: Array, values: Values) -> Array:
    """The pose of the platform for positions (..., motors) of the motors, by Newton's method from the home pose."""
    found = forward_geometry(robot).compile()(q, guess=home(robot), values=values)
    if not found.valid.all():
        raise MotionError(
            f"{robot.name}: no pose of the platform near the home pose has the positions {_text(q)} of the motors "
            "(a pose T0 can be given in their place)"
        )
    T: Array = found.T[..., 0, :, :]
    return T


def _text(q: Array) -> str:
    return np.array2string(np.asarray(q), precision=4, threshold=12, separator=", ")


def _motors(plant: PlatformPlant, name: str, given: ArrayLike) -> Array:
    found = real_array(f"{name}0", given)
    if found.shape[-1:] != (plant.motors,) or not np.isfinite(found).all():
        shape = f"({plant.motors},) or (..., {plant.motors})"
        raise ShapeError(f"{name}0 must be finite numbers of shape {shape}, one for each motor, not {found.shape}")
    return found


def _pose(plant: PlatformPlant, T: ArrayLike | None, q: ArrayLike | None, values: Values) -> tuple[Array, Array]:
    """The pose, and positions of the motors near which angles are taken."""
    if T is not None and q is not None:
        raise MotionError("T0 and q0 both say where the platform begins: give one of them")
    if q is not None:
        motors = _motors(plant, "q", q)
        return reached(plant.platform, motors, values), motors
    pose = home(plant.platform) if T is None else real_array("T0", T)
    if pose.shape[-2:] != (4, 4):
        raise ShapeError(f"T0 must have shape (4, 4) or (..., 4, 4), not {pose.shape}")
    if not np.all(is_rigid(pose)):
        raise MotionError("T0 is no pose: it is not a rotation and a translation (allowed: an error of 1e-6)")
    return pose, np.zeros(plant.motors)


def _velocity(plant: PlatformPlant, T: Array, V: ArrayLike | None, qd: ArrayLike | None, values: Values) -> Array:
    if V is not None and qd is not None:
        raise MotionError("V0 and qd0 both say how the platform begins to move: give one of them")
    if V is not None:
        twist = real_array("V0", V)
        if twist.shape[-1:] != (6,) or not np.isfinite(twist).all():
            raise ShapeError(f"V0 must be finite numbers of shape (6,) or (..., 6), [v; ω], not {twist.shape}")
        return twist
    rates = np.zeros(plant.motors) if qd is None else _motors(plant, "qd", qd)
    if not rates.any():
        return np.zeros((*rates.shape[:-1], 6))
    J = model("jacobian", plant.robot).compile()
    return np.asarray((J(T, values=_own(J, values)) @ rates[..., None])[..., 0])


def _require_allowed(plant: PlatformPlant, T: Array, V: Array, values: Values) -> None:
    """An error where the legs do not reach the pose, or do not allow pose or velocity."""
    name, still = plant.robot.name, np.zeros(6)
    apart = plant.apart(T, values=_own(plant.apart, values))
    if not np.max(apart) <= _OPEN:
        raise MotionError(
            f"the legs of {name} do not reach or do not allow the first pose of its platform: the residual is "
            f"{np.max(apart):.2g} (symoro.mobility says which directions are free)"
        )
    if plant.allowed is None:
        return
    closure = model("loop_closure", plant.robot).compile()
    against = np.abs(closure(T, V, still, values=_own(closure, values)).EV).max()
    if not against <= _OPEN:
        raise MotionError(
            f"the legs of {name} do not allow the first velocity of its platform: the residual is {against:.2g} "
            "(symoro.mobility says which directions are free)"
        )


def _state(plant: PlatformPlant, T: Array, V: Array, near: Array, values: Values) -> Array:
    """The state, put right."""
    leading = np.broadcast_shapes(T.shape[:-2], V.shape[:-1], near.shape[:-1])
    quat = Rotation.from_matrix(T[..., :3, :3].reshape(-1, 3, 3)).as_quat().reshape(*T.shape[:-2], 4)
    none = np.zeros(plant.motors)
    parts = [np.broadcast_to(x, (*leading, x.shape[-1])) for x in (T[..., :3, 3], quat, V, near, none)]
    right = compile_program(put_right(plant))
    state = np.ascontiguousarray(np.concatenate(parts, axis=-1))
    found: Array = right(state, values=_own(right, values))
    return found


def _own(function: Function, values: Values) -> dict[str, float]:
    return {name: x for name, x in values.items() if name in function.parameters.known}
