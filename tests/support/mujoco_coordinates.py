"""MuJoCo's coordinates for ours where joints are free or balls: x, y, z and rotations about x, y, z stand for them."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

Array = np.ndarray[Any, np.dtype[np.float64]]
_STEP = 1e-3
_STENCIL = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))


class Coordinates:
    """q and velocities of a MuJoCo model; its velocities are linear in the world and angular in the body.

    Ours are those of Pinocchio: of a floating base [v; ω] in its own frame, then those of the joints.
    """

    def __init__(self, model: Any, floating: bool) -> None:
        self.model, self.floating = model, floating

    def at(self, q: Array, x: Array) -> tuple[Array, Array]:
        """MuJoCo's q, and B of its velocities = B · ours; x is Pinocchio's q, in which the floating base is."""
        m = self.model
        B, qpos = np.eye(m.nv), m.qpos0.copy()
        at = -6 if self.floating else 0  # the place of our coordinate in q
        for j in range(m.njnt):
            kind, p, v = (int(a[j]) for a in (m.jnt_type, m.jnt_qposadr, m.jnt_dofadr))
            if kind == 0 and self.floating:
                qpos[p : p + 7] = [*x[:3], x[6], *x[3:6]]
                B[v : v + 3, v : v + 3] = pin.Quaternion(x[3:7]).matrix()
                at += 6
            elif kind >= 2:
                qpos[p] = q[at]
                at += 1
            else:
                at += self._turning(j, q[at:], qpos, B)
        return qpos, B

    def _turning(self, j: int, q: Array, qpos: Array, B: Array) -> int:
        """A ball joint, or a free joint inside; the number of our coordinates."""
        m = self.model
        kind, p, v = (int(a[j]) for a in (m.jnt_type, m.jnt_qposadr, m.jnt_dofadr))
        linear = 3 if kind == 0 else 0
        R = [_about(axis, angle) for axis, angle in enumerate(q[linear : linear + 3])]
        first = m.body_quat[m.jnt_bodyid[j]]
        start = pin.Quaternion(first[0], *first[1:]).matrix() if kind == 0 else np.eye(3)
        if kind == 0:
            qpos[p : p + 3] = m.body_pos[m.jnt_bodyid[j]] + start @ q[:3]
            B[v : v + 3, v : v + 3] = start
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, (start @ R[0] @ R[1] @ R[2]).ravel())
        qpos[p + linear : p + linear + 4] = quaternion
        w = slice(v + linear, v + linear + 3)
        B[w, w] = np.column_stack([(R[1] @ R[2]).T[:, 0], R[2].T[:, 1], np.eye(3)[:, 2]])
        return linear + 3

    def drift(self, q: Array, x: Array, v: Array) -> Array:
        """Ḃ v by differences of fourth order along the motion."""
        whole = np.zeros_like(v)
        for steps, weight in _STENCIL:
            moved, base = q + steps * _STEP * v[6 * self.floating :], x.copy()
            if self.floating:
                turned = pin.exp3(steps * _STEP * v[3:6])
                base[3:7] = pin.Quaternion(pin.Quaternion(x[3:7]).matrix() @ turned).coeffs()
            whole += weight * (self.at(moved, base)[1] @ v) / (12 * _STEP)
        return whole


def _about(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[[i, i, j, j], [i, j, i, j]] = c, -s, s, c
    return R
