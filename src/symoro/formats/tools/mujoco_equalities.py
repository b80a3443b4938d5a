"""The equality constraints of a compiled model of MuJoCo: loops, welds, and joints that follow others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from symoro.findings import Finding
from symoro.formats._report import Report
from symoro.formats.mujoco.equalities import following, linear
from symoro.formats.tree.description import JointOf, LoopJoint, Weld, place_at_zero
from symoro.formats.tree.loops import aligned, hinged
from symoro.formats.tree.poses import Array, of_quaternion, pose, shift

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
        if kind == _JOINT and m.eq_obj2id[k] >= 0 and linear(m.eq_data[k][:5]):
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
        names = [m.joint(int(j[k])).name for j in (m.eq_obj1id, m.eq_obj2id)]
        places = {joint.name: n for n, joint in enumerate(self.joints)}
        if not all(name in places for name in names):
            self.report.add(Finding("tools.unnamed_joints", number=k))
            return
        one, two = (places[name] for name in names)
        self.joints[one] = following(self.joints[one], self.joints[two], m.eq_data[k][:5])

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
