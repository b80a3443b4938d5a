"""Which joints of a MuJoCo model have motors, and which have springs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symoro.findings import Finding
from symoro.formats._report import Report
from symoro.formats.tree.description import JointOf


def with_motors(joints: Iterable[JointOf], driven: set[str], loops: bool, report: Report) -> tuple[JointOf, ...]:
    """The joints, active or passive; `driven` are those with an actuator.

    A joint with a spring and without an actuator is passive. An active joint has no spring beside its motor. In a file
    with loops the joints with an actuator are active, if there are any.
    """
    made = []
    for joint in joints:
        if joint.stiffness and (joint.name in driven or joint.mimic is not None):
            report.add(Finding("mjcf.spring", joint=joint.name), joint.line)
            joint = replace(joint, stiffness=0.0, rest=0.0)
        active = joint.name in driven if loops and driven else not joint.stiffness
        made.append(replace(joint, active=active))
    return tuple(made)
