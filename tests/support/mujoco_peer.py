"""An MJCF file as MuJoCo compiles it: poses, inertia matrix and inverse dynamics without contacts and actuators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

mujoco.set_mju_user_warning(lambda text: None)  # else MuJoCo writes its warnings into a file in the current folder
Array = np.ndarray[Any, np.dtype[np.float64]]


class MuJoCo:
    """MuJoCo's model of a file."""

    def __init__(self, path: Path) -> None:
        self._take(mujoco.MjModel.from_xml_path(str(path)))

    @classmethod
    def of(cls, model: Any) -> MuJoCo:
        """A compiled model."""
        made = cls.__new__(cls)
        made._take(model)
        return made

    def _take(self, model: Any) -> None:
        self.model = model
        flag = mujoco.mjtDisableBit
        for bit in (flag.mjDSBL_CONSTRAINT, flag.mjDSBL_ACTUATION, flag.mjDSBL_SPRING, flag.mjDSBL_DAMPER):
            self.model.opt.disableflags |= int(bit)
        self.model.opt.density = self.model.opt.viscosity = 0
        self.data = mujoco.MjData(self.model)

    @property
    def plain(self) -> bool:
        """Whether there are hinges and slides only."""
        return bool(np.all(self.model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE)))

    def at(self, q: Array, qd: Array, qdd: Array) -> None:
        self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(self.model, self.data)

    def inertia(self) -> Array:
        A = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, A)
        return A

    def frames(self) -> dict[str, Array]:
        """The poses of bodies and sites that have a name."""
        found = {}
        for k in range(1, self.model.nbody):
            if name := self.model.body(k).name:
                found[name] = _pose(self.data.xmat[k], self.data.xpos[k])
        for k in range(self.model.nsite):
            if name := self.model.site(k).name:
                found.setdefault(name, _pose(self.data.site_xmat[k], self.data.site_xpos[k]))
        return found


def _pose(rotation: Array, point: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation.reshape(3, 3), point
    return T
