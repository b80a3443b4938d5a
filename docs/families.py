"""Writes docs/families.md, the table of models and families: python docs/families.py [--check]."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import symoro
from symoro.findings import Finding
from symoro.models.catalogue import entries
from symoro.robot.base import Base, BaseKind, Wheel
from symoro.robot.joint import Joint
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

PAGE = Path(__file__).parent / "families.md"
HEAD = """# Models and families

`docs/families.py` writes this page from the catalogue, and a test compares it with the code. Every model that has a
meaning for a family exists for it; a number stands for the reason why a model does not exist.

Families: {families}.

What the models of families mean, in the coordinates v that constraints leave (`docs/adding-a-family.md`):

- With closed loops, on wheels or with both, `qd`, `qdd`, `tau` and the results are those of v: of the active joints,
  and of passive joints that no constraint determines (springs in series). A floating base adds six rows, which come
  first.
- `gravity`, `coriolis_torques` and `friction` are projected by Gᵀ, and so are springs and wrenches: `bias` is their
  sum. In `coriolis`, C v are the Coriolis torques and Ȧ − 2C is skew-symmetric.
- `energies` are those of the motion that the constraints give. U of a floating base has its origin in frame 0. Of a
  robot with elastic joints, US is the energy of the springs, which U does not contain.
- `inverse_dynamics_derivatives` and `direct_dynamics_derivatives` have a row for each coordinate v, or for each motor
  of a platform. Columns by positions: three turns of a floating base about its own axes, the motions that legs leave
  to a platform, then joints. Wheels do not constrain positions: all joints have a column. Columns by velocities: the
  angular velocity of a floating base, whose linear velocity has no effect, then v. `inverse_dynamics_derivatives`
  takes the accelerations of all coordinates v, `VP0` of a floating base and those of passive joints included.
- `reactions` are the wrenches on the links of the open tree. The wrenches in the cut joints act on both sides of each
  cut. Where a loop is overdetermined (a planar loop, out of its plane), the cut joint carries nothing of that part.
- `jacobian`, `jacobian_inverse` and `jacobian_determinant` of closed loops are taken with respect to the motors, J G;
  q must be a closed configuration. `by="joints"` gives a column for each joint of the tree.
- `jacobian` of a floating robot or of a robot on wheels has the columns of the joints alone: J q̇ is the velocity of the
  link relative to the base, in frame 0. The velocity of the base is not in it.
- Models of parallel robots have the platform's pose and velocity as inputs: see [parallel robots](parallel.md). Their
  coordinates v are the components of V that the legs leave. The Jacobian matrices of links and of the platform,
  `manipulability` and `loop_kinematics` have a column for each motor. `energy_difference_regressor` takes `T_end` and
  `V_end`. A derivative by `T` is along the motions that the legs leave, a column for each component of v.
- Joints with a motor and a spring are two joints in dynamic models. q keeps the order of the joints, and in the place
  of joint j it has two elements: first the motor's position qm<j>, then the deformation qs<j>; the link's position is
  their sum. The comments of generated code have the names of all elements.

"""


def page() -> str:
    """The text of the page."""
    robots = families()
    reasons: dict[Finding, int] = {}
    rows = []
    for entry in entries():
        cells = [entry.reason(robot) for robot in robots.values()]
        marks = ["yes" if x is None else str(reasons.setdefault(x, len(reasons) + 1)) for x in cells]
        rows.append(f"| `{entry.name}` | {' | '.join(marks)} |")
    lines = [f"| model | {' | '.join(robots)} |", "|---" * (len(robots) + 1) + "|", *rows, ""]
    notes = [f"{n}. {reason}" for reason, n in reasons.items()]
    named = ", ".join(f"{name} (`{robot.name}`)" for name, robot in robots.items())
    return HEAD.format(families=named) + "\n".join([*lines, *notes]) + "\n"


def _geared() -> Robot:
    """An arm with a reversed, geared joint, and a joint that the first variable moves, too."""
    arm = symoro.load("planar2r")
    first, second = arm.joints
    joints = (replace(first, theta=as_value("-2*q1")), replace(second, theta=as_value("q2 - q1")))
    return replace(arm, name="planar2r with gears", joints=joints)


def families() -> dict[str, Robot]:
    """A robot of each family."""
    loop, vehicle = symoro.load("five-bar"), symoro.load("diff-drive-2r")
    afloat = Base(BaseKind.FLOATING, inertia=Inertia.symbolic(0))
    return {
        "tree": symoro.load("scara"),
        "passive": symoro.load("spring-mass"),
        "elastic": symoro.load("flexible-joints"),
        "floating": symoro.load("satellite"),
        "wheels": vehicle,
        "loops": loop,
        "loops, floating": replace(loop, name="five-bar afloat", base=afloat),
        "loops, wheels": on_wheels(loop),
        "functions": _geared(),
        "parallel": symoro.load("3rps"),
    }


def on_wheels(robot: Robot) -> Robot:
    """A robot with loops on two driven wheels; cut joints and mates come behind the wheels."""
    n, turn = robot.link_count, as_value("-pi/2")
    wheels = [Joint(n + k, name, 0, alpha=turn, r=as_value(r)) for k, name, r in ((1, "left", "W"), (2, "right", "-W"))]
    cut = [_behind(joint, n) for joint in robot.joints[n:]]
    return replace(
        robot,
        name=f"{robot.name} on wheels",
        joints=(*robot.joints[:n], *wheels, *cut),
        closures=tuple(closure.renumbered(lambda j: j + 2) for closure in robot.closures),
        base=Base(
            BaseKind.MOBILE, inertia=Inertia.symbolic(0), wheels=tuple(Wheel(j.index, as_value("RW")) for j in wheels)
        ),
        inertias=(*robot.inertias, *(Inertia.symbolic(j.index) for j in wheels)),
        drives=(*robot.drives, Drive(), Drive()),
        wrenches=(*robot.wrenches, Wrench(), Wrench()),
        values={**robot.values, "W": as_value("0.3"), "RW": as_value("0.1")},
    )


def _behind(joint: Joint, n: int) -> Joint:
    """A cut joint or a mate with an index greater by 2, and its variable under another name."""
    moved = replace(joint, index=joint.index + 2, parent=joint.parent + 2 * (joint.parent > n))
    return replace(moved, variable=f"cut{joint.index}", theta=as_value(0)) if joint.revolute else moved


def main(arguments: list[str]) -> int:
    text = page()
    if arguments == ["--check"]:
        return int(not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
