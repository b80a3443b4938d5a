"""Parallel robots: the regressor of a platform and its legs along measured motions of the motors.

The motors are filtered as the joints of any robot. The pose T of the platform follows by the forward geometry, tracked
from the home pose or from a measured one; V = J_p q̇ and V̇ = J_p q̈ + J̇_p q̇ (K10:60).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from symoro.errors import DataError, NotApplicable
from symoro.formats import valid_robot
from symoro.identification.arrays import Array
from symoro.identification.subject.platform_branch import PlatformBranch, PlatformKinematics, kinematics_of
from symoro.identification.subject.straight_lines import exists
from symoro.identification.subject.subject import Subject
from symoro.ir.meaning import Meaning
from symoro.model import model
from symoro.models.identification.parameters import FRICTION, OFFSET
from symoro.models.parallel.base_parameters import PlatformBaseParameters, base_parameters
from symoro.platforms.inverse import inverse_geometry
from symoro.platforms.poses import parallel
from symoro.robot.joint import Joint
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate, symbols

_SMALL = 1e-3


@dataclass(frozen=True)
class PlatformSubject(Subject):
    """A parallel robot to identify; `alike`: its legs share their parameters."""

    alike: bool = False

    @property
    def platform(self) -> ParallelRobot:
        return parallel(self.given)

    @cached_property
    def parameters(self) -> PlatformBaseParameters:
        """The base parameters, friction among them."""
        return base_parameters(self.platform, friction=True, alike=self.alike)

    @property
    def relations(self) -> Mapping[str, str]:
        return self.parameters.relations

    @property
    def columns(self) -> tuple[str, ...]:
        return self.parameters.parameters

    @cached_property
    def inertial(self) -> tuple[str, ...]:
        return tuple(name for name in self.columns if not name.startswith((*FRICTION, *OFFSET)))

    @cached_property
    def meanings(self) -> dict[str, Meaning]:
        every = dict(zip(self.regressor.columns, self.regressor.program.outputs[0].columns, strict=True))
        return {name: every[name] for name in self.columns}

    @cached_property
    def expected(self) -> dict[str, float]:
        numbers = self.parameters.numbers
        return {name: numbers[name] for name in self.inertial} if numbers.keys() >= set(self.inertial) else {}

    # joints

    @cached_property
    def variables(self) -> tuple[Joint, ...]:
        """The motors: their positions are q."""
        robot = self.platform
        return tuple(robot.joints[robot.first_joints[i] + j - 1] for i, j in robot.motors)

    @property
    def moving(self) -> tuple[Joint, ...]:
        return self.variables

    # numbers

    @cached_property
    def _kept(self) -> list[int]:
        return [self.regressor.columns.index(name) for name in self.columns]

    def evaluate(self, q: Array, qd: Array, qdd: Array, base: dict[str, Array] | None = None) -> Array:
        """D, (samples, motors, columns); `base` has T, V and VP of the platform."""
        assert base is not None
        D: Array = self.compiled(base["T"], base["V"], base["VP"])
        return D[..., self._kept]

    @cached_property
    def filled(self) -> Array:
        """All elements of D: every motor moves every leg."""
        return np.ones((len(self.variables), len(self.columns)), dtype=bool)

    @property
    def kinematics(self) -> PlatformKinematics:
        return kinematics_of(self.platform)

    def carried(self, q: Array, qd: Array, qdd: Array, pose: Array | None = None) -> dict[str, Array]:
        """T, V and VP of the platform for a motion of the motors; `pose` is the first one, where it is measured."""
        T = self._tracked(q, self._from_home(q[0]) if pose is None else poses(pose))
        V, VP = self.kinematics.motion(T, qd, qdd)
        return {"T": T, "V": V, "VP": VP}

    def _from_home(self, q: Array) -> Array:
        """The pose for first positions of the motors, on the way of the motors from home; else the home pose."""
        branch = PlatformBranch(self.kinematics)
        found = branch.reached(branch.unturned(q)[None])[0]
        return found if np.isfinite(found).all() else branch.home

    def _tracked(self, q: Array, start: Array) -> Array:
        """The poses along a motion in one assembly; behind a singularity each from the one before."""
        found = PlatformBranch(self.kinematics).along(start, q)
        for k in np.flatnonzero(~exists(found)).tolist():
            found[k] = self.kinematics.tracker(q[k], guess=found[k - 1] if k else start).T[0]
            if not np.isfinite(found[k]).all():
                where = f"{self.given.name}: no pose of the platform was found at sample {k}"
                raise DataError(f"{where}: look for wrong columns or units, or give the measured pose of the platform")
        return found

    def motor_positions(self, pose: Array) -> Array:
        """Positions of the motors for measured poses, in the branches of the model; NaN for samples that are none."""
        known = np.isfinite(pose).all(axis=1)
        T = poses(pose[known] if known.any() else pose)
        every = inverse_geometry(self.platform).compile()(T).q  # (samples, branches, motors)
        legs = np.array([i for i, _ in self.platform.motors])
        best, least = every[:, 0], np.inf
        for chosen in product(range(every.shape[1]), repeat=len(self.platform.legs)):
            q = every[:, np.array(chosen)[legs], np.arange(every.shape[2])]
            _, error = self.kinematics.tracker._step(T[0], q[0])
            if np.isfinite(error) and error < least:
                best, least = q, float(error)
        if not np.isfinite(best).all() or least > 1e-6:
            raise DataError(f"{self.given.name}: its legs do not reach a measured pose")
        found = np.full((len(pose), best.shape[1]), np.nan)
        found[known] = best
        return found

    # the robot of a result

    def robot_with(self, values: Mapping[str, float]) -> Robot:
        """The robot with numbers for its symbols that have these base parameters, near those of the description."""
        known = self.platform.values.numbers()
        groups = self._groups(known)
        K = np.array([[self._factor(name, names, known) for names in groups.values()] for name in self.columns])
        p = np.array([np.mean([known[n] for n in names]) for names in groups.values()])
        beta = np.array([values[name] for name in self.columns])
        S = np.maximum(np.abs(p), _SMALL) ** 2
        found = p + S * (K.T @ np.linalg.lstsq((K * S) @ K.T, beta - K @ p, rcond=1e-12)[0])
        return self.given.with_values(
            {n: float(x) for names, x in zip(groups.values(), found, strict=True) for n in names}
        )

    def _groups(self, known: Mapping[str, float]) -> dict[str, list[str]]:
        """The symbols of inertial parameters and drives; those of legs alike are in one group."""
        tables = [self.platform.platform, *self.platform.inertias, *self.platform.drives]
        names = {n for table in tables for _, value in table.items() for n in symbols(value) if n in known}
        groups: dict[str, list[str]] = {}
        for name in sorted(names):
            stem, _, leg = name.rpartition("_")
            groups.setdefault(stem if self.alike and leg.isdigit() else name, []).append(name)
        return groups

    def _factor(self, column: str, names: list[str], known: Mapping[str, float]) -> float:
        """∂β/∂π: relations are linear in the symbols of a group."""
        value = self.parameters.values[column]
        own = [n for n in names if n in symbols(value)]
        if not own:
            return 0.0
        return evaluate(value, {**known, **dict.fromkeys(own, 1.0)}) - evaluate(
            value, {**known, **dict.fromkeys(own, 0.0)}
        )


def poses(pose: Array) -> Array:
    """T (..., 4, 4) from x, y, z and a quaternion x, y, z, w."""
    pose = np.asarray(pose, dtype=float)
    if not np.isfinite(pose).all() or not np.linalg.norm(pose[..., 3:], axis=-1).all():
        raise DataError("pose has samples that are none (allowed: x, y, z and a quaternion x, y, z, w that is not 0)")
    T = np.zeros((*pose.shape[:-1], 4, 4))
    T[..., :3, 3], T[..., 3, 3] = pose[..., :3], 1.0
    T[..., :3, :3] = Rotation.from_quat(pose[..., 3:].reshape(-1, 4)).as_matrix().reshape(*pose.shape[:-1], 3, 3)
    return T


def subject_of(
    robot: Robot | str | Path, described_friction: bool = True, offset: bool | None = None, alike: bool = False
) -> Subject:
    """The subject of any robot."""
    described = valid_robot(robot, parallel=True)
    if not described.parallel:
        if alike:
            raise NotApplicable(f"{described.name}: alike is for the legs of parallel robots")
        return Subject.of(described, described_friction, offset)
    if not described_friction or offset is not None:
        raise NotApplicable(f"{described.name}: friction of a parallel robot is that of its description (FV, FS, FO)")
    return _platform(parallel(described), alike)


@lru_cache(maxsize=8)
def _platform(given: ParallelRobot, alike: bool) -> PlatformSubject:
    return PlatformSubject(given, model("dynamic_regressor", given, params="base", alike=alike), alike)
