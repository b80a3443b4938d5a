"""Random mechanisms of mixed families from seeds: trees with loops, on floating bases and wheels, and platforms.

Platforms are on bases that are fixed, move as given, float or roll on wheels; some have arms on the base or on the
platform.

The legs of a platform are of different kinds. Each is drawn at a configuration of its own, and its attachment is where
its end is then, so that every mechanism is closed by construction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import count

import numpy as np
import pinocchio as pin

import symoro
from support.families import FAMILIES
from support.free_robots import Array, movable, with_floating_base
from support.loop_legs import KINDS as LOOP_LEGS
from support.loop_legs import end_pose
from support.mechanisms import Mechanism
from support.pinocchio_robot import placement, shift, turn
from support.platforms import joint_positions, with_random_inertias
from support.random_loops import Geometry, Growing, described
from support.random_robots import physical_inertia, random_robot
from support.wheeled_robots import Vehicle
from symoro.errors import NotApplicable
from symoro.ir.graph import Graph
from symoro.models.build import known_parameters
from symoro.models.parallel.leg_newton import geometry_of, joints_at_home
from symoro.models.parallel.mechanism import branches_of
from symoro.models.parallel.platform import PoseSymbols
from symoro.robot.base import Base, BaseKind, Frame, Pose, Wheel
from symoro.robot.joint import Joint, JointKind
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Attachment, ClosureKind, Robot
from symoro.robot.values import Symbol, as_value, evaluate

#: Chains of a leg's joints with the attachment behind them. U is two hinges and S three, whose axes meet.
SPATIAL = (
    ("UP", "spherical"), ("RU", "spherical"), ("PU", "spherical"), ("RP", "spherical"), ("RR", "spherical"),
    ("PU", "universal"), ("RU", "universal"), ("RRU", "universal"), ("RPU", "universal"),
    ("UPR", "revolute"), ("UPU", "revolute"), ("RRS", "fixed"), ("RPRS", "fixed"), ("UPU", "prismatic"),
)  # fmt: skip
#: Legs that may end at their last joint: elsewhere an end on its axis would leave a joint idle.
AT_JOINT = ("UP-spherical", "RP-spherical", "RRS-fixed", "RPRS-fixed")
PLANAR = (
    ("RR", "revolute"), ("PR", "revolute"), ("RP", "revolute"), ("RRR", "fixed"), ("RPR", "fixed"), ("RR", "prismatic"),
)  # fmt: skip
#: Where ties or motors are nearer to a singularity, formulations lose digits, and the mechanism is drawn again.
REGULAR = 0.01


@dataclass(frozen=True, eq=False)
class Case:
    """A mechanism at a closed configuration; `branch` has a working mode for each leg of a platform."""

    family: str
    robot: Robot
    at: Mechanism
    branch: tuple[int, ...] | None = None

    @property
    def springs(self) -> bool:
        return any(joint.elastic for joint in self.robot.joints)

    @property
    def options(self) -> dict[str, object]:
        return {"optimize": False} | ({} if self.branch is None else {"branch": self.branch})


# legs


@dataclass(frozen=True)
class DrawnLeg:
    """A leg, the pose of its end where it was drawn, and its attachment's kind."""

    robot: Robot
    end: Array
    kind: ClosureKind
    frame: str | None


def _table(T: Array) -> Pose:
    """A pose as values; rounding errors of zeros and ones go, so that planes stay planes."""
    near = np.where(np.abs(T - np.round(T)) < 1e-12, np.round(T), T)
    return tuple(tuple(as_value(float(x)) for x in row) for row in near)


def _rotation(rng: np.random.Generator) -> pin.SE3:
    return pin.SE3(pin.exp3(rng.normal(size=3)), np.zeros(3))


def serial_leg(chain: str, kind: str, plane: bool, number: int, rng: np.random.Generator) -> DrawnLeg:
    """A chain of joints from the base; in a plane, its hinges are normal to it."""
    grown = Growing(rng)
    foot: Geometry = {"gamma": 2.1 * number + grown.number(-0.3, 0.3), "d": grown.number(0.5, 1)}
    grown.joints.append(described(1, 0, JointKind.FIXED, foot))
    grown.poses.append(placement(grown.joints[0], {}))
    link = 1
    for letter in chain:
        if letter in "US":
            first: Geometry = {"alpha": grown.number(0.4, 1.2), "d": grown.number(0.2, 0.6)}
            crossed: Geometry = {"alpha": "pi/2"}
            for step in (first, crossed) if letter == "U" else (first, crossed, crossed):
                link = grown.add(link, JointKind.REVOLUTE, step)
        else:
            joint = JointKind.PRISMATIC if letter == "P" else JointKind.REVOLUTE
            link = grown.add(link, joint, grown.step(plane, link, joint))
    at_joint = f"{chain}-{kind}" in AT_JOINT and rng.random() < 0.5
    frame, where = (None, pin.SE3.Identity()) if at_joint else ("end", _end(grown, kind, plane))
    frames = (Frame("end", link, _table(where.homogeneous)),) if frame else ()
    n = len(grown.joints)
    leg = Robot(
        f"{chain}-{kind}", tuple(grown.joints), (Inertia(), *map(Inertia.symbolic, range(2, n + 1))),
        (Drive(), *map(Drive.symbolic, range(2, n + 1))), frames=frames,
    )  # fmt: skip
    return DrawnLeg(leg, (grown.poses[link] * where).homogeneous, ClosureKind(kind), frame)


def _end(grown: Growing, kind: str, plane: bool) -> pin.SE3:
    """A frame on the last link; in a plane, its z is normal to it, or in it where the end slides."""
    link, rng = len(grown.joints), grown.rng
    if not plane:
        return shift("z", grown.number(-0.2, 0.2)) * _rotation(rng) * shift("x", grown.number(0.1, 0.3))
    upright = turn("x", -np.pi / 2) if grown.slides(link) else pin.SE3.Identity()
    turned = upright * turn("z", grown.number(-3, 3)) * shift("x", grown.number(0.1, 0.3))
    return turned * turn("x", np.pi / 2) if kind == "prismatic" else turned


def leg_with_loop(name: str, number: int, rng: np.random.Generator) -> DrawnLeg:
    make, kind = LOOP_LEGS[name]
    leg = make(rng, number)
    return DrawnLeg(leg, end_pose(leg, rng), ClosureKind(kind), "end")


def constraints_of(leg: DrawnLeg) -> int:
    """How many motions a spatial leg takes from the platform; a loop of four bars determines two of its joints."""
    joints = len(movable(leg.robot)) - 2 * len(leg.robot.cuts)
    return 6 - leg.kind.freedoms - joints


def _on_platform(leg: DrawnLeg, home: Array, rng: np.random.Generator) -> Pose:
    """The frame A on the platform that meets the leg's end."""
    E = pin.SE3(leg.end[:3, :3], leg.end[:3, 3])
    turned = {
        ClosureKind.SPHERICAL: _rotation(rng),
        ClosureKind.UNIVERSAL: turn("z", rng.uniform(-3, 3)) * turn("x", np.pi / 2) * turn("z", rng.uniform(-3, 3)),
        ClosureKind.REVOLUTE: turn("z", rng.uniform(-3, 3)),
        ClosureKind.PRISMATIC: shift("z", rng.uniform(-0.3, 0.3)),
    }
    return _table(np.linalg.inv(home) @ (E * turned.get(leg.kind, pin.SE3.Identity())).homogeneous)


# platforms


def _spatial_legs(rng: np.random.Generator) -> list[DrawnLeg]:
    """Legs of different kinds that leave three to six degrees of freedom."""
    while True:
        legs = []
        for number in range(int(rng.integers(2, 5))):
            if rng.random() < 0.15:
                legs.append(leg_with_loop(str(rng.choice(["spatial coupler", "spatial forearm"])), number, rng))
            else:
                legs.append(serial_leg(*SPATIAL[int(rng.integers(len(SPATIAL)))], False, number, rng))
        if sum(map(constraints_of, legs)) <= 3 and sum(len(movable(leg.robot)) for leg in legs) <= 14:
            return legs


def _planar_legs(rng: np.random.Generator) -> list[DrawnLeg]:
    legs = []
    for number in range(int(rng.integers(2, 5))):
        if rng.random() < 0.25:
            legs.append(leg_with_loop(str(rng.choice(["planar four-bar", "planar slider-crank"])), number, rng))
        else:
            legs.append(serial_leg(*PLANAR[int(rng.integers(len(PLANAR)))], True, number, rng))
    return legs


def _with_springs(leg: Robot, rng: np.random.Generator) -> Robot:
    """Springs on some joints, all of which are passive yet."""
    joints, values = [], {}
    for joint in leg.joints:
        if joint.movable and joint.index <= leg.link_count and rng.random() < 0.2:
            j = joint.index
            joint = replace(joint, elastic=True, stiffness=Symbol(f"K{j}"), rest=Symbol(f"REST{j}"))
            values |= {f"K{j}": as_value(float(rng.uniform(1, 9))), f"REST{j}": as_value(float(rng.normal()))}
        joints.append(joint)
    return replace(leg, joints=tuple(joints), values={**leg.values, **values})  # type: ignore[arg-type]


def _with_motors(legs: list[Robot], chosen: set[tuple[int, int]]) -> list[Robot]:
    """Motors on these joints; a spring there goes."""

    def joint(i: int, j: Joint) -> Joint:
        return replace(j, actuated=(i, j.index) in chosen, elastic=j.elastic and (i, j.index) not in chosen)

    return [replace(leg, joints=tuple(joint(i, j) for j in leg.joints)) for i, leg in enumerate(legs)]


def _assembled(drawn: list[DrawnLeg], rng: np.random.Generator, name: str, plane: bool) -> Robot:
    """The platform on the legs, which have no motors yet."""
    home = np.eye(4)
    home[:3, 3] = np.mean([leg.end[:3, 3] for leg in drawn], axis=0)
    home[:3, :3] = turn("z", rng.uniform(-1, 1)).rotation if plane else _rotation(rng).rotation
    attachments = [Attachment(leg.kind, _on_platform(leg, home, rng), leg.frame) for leg in drawn]
    wrench = Wrench(*(Symbol(f"{n}P") for n in Wrench.names())) if rng.random() < 0.5 else Wrench()
    gravity = tuple(as_value(float(x)) for x in rng.uniform(-10, 10, 3))
    legs = [_with_springs(leg.robot, rng) for leg in drawn]
    return ParallelRobot(
        Inertia.symbolic("P"), legs, attachments, name, home=_table(home), platform_wrench=wrench, gravity=gravity
    )


def _numbered(robot: Robot, rng: np.random.Generator) -> Robot:
    missing = [name for name in known_parameters(robot) if name not in robot.values]
    return with_random_inertias(robot.with_values(dict.fromkeys(missing, 1)), rng)


def _home(robot: Robot) -> Array:
    numbers = robot.values.numbers()
    return np.array([[evaluate(x, numbers) for x in row] for row in robot.home])


def _driven(robot: Robot, at: Mechanism, rng: np.random.Generator) -> Robot | None:
    """The robot with motors that hold it: as many as degrees of freedom, or more; None where a few trials fail."""
    freedom = at.motions.shape[1]
    joints = [(i, j) for i, leg in enumerate(robot.legs) for j in movable(leg)]
    for _ in range(30):
        extra = int(rng.integers(0, 3)) if rng.random() < 0.4 else 0
        if freedom + extra > len(joints):
            continue
        chosen = [joints[int(k)] for k in rng.choice(len(joints), freedom + extra, replace=False)]
        held = at.motions[[joints.index(one) for one in chosen]]
        if np.linalg.cond(held) < 1 / REGULAR:
            legs = _with_motors(list(robot.legs), set(chosen))
            return ParallelRobot(
                robot.platform, legs, robot.attachments, robot.name, home=robot.home, gravity=robot.gravity,
                platform_wrench=robot.platform_wrench, values=robot.values,
            )  # fmt: skip
    return None


def _branches(letters: PoseSymbols, i: int) -> int:
    """How many branches leg i has."""
    return len(branches_of(letters, i)) or len(joints_at_home(geometry_of(letters.robot), i))


def _moded(robot: Robot, rng: np.random.Generator) -> tuple[tuple[int, ...] | None, Array] | None:
    """Random branches of the legs, or those that reach home, and the joints there."""
    home, letters = _home(robot), PoseSymbols(robot, Graph())
    for trial in range(4):
        try:
            counts = [_branches(letters, i) for i in range(len(robot.legs))]
            branch = tuple(int(rng.integers(n)) for n in counts) if trial < 3 else None
            q = joint_positions(robot, home, branch)
        except NotApplicable:
            continue
        if np.isfinite(q).all() and Mechanism(robot, home, q).closure() < 1e-9:
            return branch, q
    return None


def _platform_case(family: str, seed: int) -> Case:
    plane = "planar" in family
    for attempt in count():
        rng = np.random.default_rng([seed, attempt])
        drawn = (_planar_legs if plane else _spatial_legs)(rng)
        bare = _numbered(_assembled(drawn, rng, f"{family.replace(' ', '-')}-{seed}", plane), rng)
        case = _placed(family, bare, rng)
        if case is not None:
            return _on_base(_with_tree(case, seed) if "arms" in family else case, seed)
    raise AssertionError


def _with_tree(case: Case, seed: int) -> Case:
    """The same platform with joints that belong to no leg: arms on the base or on the platform."""
    rng, platform, old = np.random.default_rng([seed, 9]), case.robot.parts.tree, case.robot
    tree = random_robot(seed, joints=2, structure="tree", moving_base=0)
    n = tree.link_count + 1
    # what is fixed on the base has no part in the energies and the momentum of Pinocchio
    places = [n if j.fixed else int(rng.choice([0, n])) for j in tree.joints]
    joints = [
        replace(j, parent=j.parent or at, actuated=j.movable, elastic=False)
        for j, at in zip(tree.joints, places, strict=True)
    ]
    both = Robot(
        "tree", (*joints, replace(platform.joint(1), index=n)), (*tree.inertias, *platform.inertias),
        (*tree.drives, *platform.drives), (*(Wrench() for _ in joints), *platform.wrenches),
    )  # fmt: skip
    robot = ParallelRobot(
        both, old.legs, old.attachments, old.name, home=old.home, gravity=old.gravity,
        values={**tree.values, **old.values},
    )  # fmt: skip
    q = np.r_[case.at.q, rng.normal(size=len(movable(tree)))]
    return replace(case, robot=robot, at=replace(case.at, robot=robot, q=q))


def _on_base(case: Case, seed: int) -> Case:
    """The same platform on the base of its family: what the legs do depends on the motion against the base alone."""
    rng, at = np.random.default_rng([seed, 8]), case.at
    if case.family.startswith("wheeled"):
        return _on_wheels(case, rng, steering=bool(seed // len(FAMILY) % 2))
    if case.family.startswith("floating"):
        quat = rng.normal(size=4)
        robot = with_floating_base(case.robot, seed)
        return replace(case, robot=robot, at=replace(at, robot=robot, quat=quat / np.linalg.norm(quat)))
    if case.family.startswith("moved"):
        V0, VP0 = (tuple(as_value(float(x)) for x in rng.normal(size=6)) for _ in range(2))
        robot = replace(case.robot, base=Base(BaseKind.MOVING, velocity=V0, acceleration=VP0))
        return replace(
            case, robot=robot, at=replace(at, robot=robot, VP0=np.array([float(evaluate(x, {})) for x in VP0]))
        )
    return case


def _on_wheels(case: Case, rng: np.random.Generator, steering: bool) -> Case:
    """The same platform on a differential drive or a tricycle; springs are on some wheels without motors."""
    old, tree = case.robot, case.robot.parts.tree
    *arms, platform = tree.joints
    vehicle = Vehicle(rng, list(arms))
    vehicle.axle(actuated=not steering)
    if steering:
        vehicle.steered(actuated=True, trail=vehicle.number(0, 0.2))
    for _ in range(int(rng.integers(0, 2))):
        vehicle.steered(actuated=False, trail=vehicle.number(-0.3, -0.1))
    new, n = range(len(arms) + 1, len(vehicle.joints) + 1), len(vehicle.joints) + 1
    joints = [replace(j, parent=n) if j.parent == platform.index else j for j in vehicle.joints[: len(arms)]]
    joints += [replace(j, name=f"wheel{j.index}") for j in vehicle.joints[len(arms) :]]
    values = {f"{name}{j}": as_value(float(x)) for j in (0, *new) for name, x in physical_inertia(rng).items()}
    values |= {f"{name}{j}": as_value(float(rng.uniform(0, 1))) for j in new for name in ("IA", "FV", "FS")}
    for k in [j - 1 for j in new if not joints[j - 1].actuated and rng.random() < 0.3]:
        j = joints[k].index
        joints[k] = replace(joints[k], elastic=True, stiffness=Symbol(f"K{j}"), rest=Symbol(f"REST{j}"))
        values |= {f"K{j}": as_value(float(rng.uniform(1, 9))), f"REST{j}": as_value(float(rng.normal()))}
    both = Robot(
        "tree", (*joints, replace(platform, index=n)),
        (*tree.inertias[:-1], *map(Inertia.symbolic, new), tree.inertias[-1]),
        (*tree.drives[:-1], *map(Drive.symbolic, new), tree.drives[-1]),
        (*tree.wrenches[:-1], *(Wrench() for _ in new), tree.wrenches[-1]),
    )  # fmt: skip
    robot = ParallelRobot(
        both, old.legs, old.attachments, old.name, home=old.home, gravity=old.gravity,
        base=Base(BaseKind.MOBILE, inertia=Inertia.symbolic(0), wheels=tuple(vehicle.wheels)),
        values={**old.values, **values},
    )  # fmt: skip
    q = np.r_[case.at.q, rng.normal(size=len(new))]
    return replace(case, robot=robot, at=replace(case.at, robot=robot, q=q))


def _placed(family: str, bare: Robot, rng: np.random.Generator) -> Case | None:
    """The robot with motors at a pose near home in random branches; None where it is singular or cannot move."""
    mode = _moded(bare, rng)
    if mode is None:
        return None
    branch, q = mode
    at = Mechanism(bare, _home(bare), q)
    if at.regular < REGULAR or not 0 < at.motions.shape[1] <= 6:
        return None
    robot = _driven(bare, at, rng)
    if robot is None:
        return None
    N = at.motions
    for far in (0.1, 0.03, 0.01):
        there = replace(at, robot=robot).near(N @ rng.uniform(-far, far, N.shape[1]))
        assert there.T is not None
        q = joint_positions(robot, there.T, branch)
        if not np.isfinite(q).all():
            continue
        wrench = rng.normal(size=(1, 6)) if not robot.platform_wrench.is_zero else None
        there = Mechanism(robot, there.T, q, wrench=wrench)
        if there.closure() < 1e-11 and there.regular > REGULAR / 3 and _held(there):
            return Case(family, robot, there, branch)
    return None


def _held(at: Mechanism) -> bool:
    return bool(np.linalg.cond(at.motors().T @ at.motions) < 3 / REGULAR)


# trees


def _tree_case(family: str, seed: int) -> Case:
    """A robot with loops, wheels or a floating base, with springs on some passive joints."""
    robot, q = FAMILIES[family](seed)
    rng = np.random.default_rng([seed, 7])
    if q is None:
        q = rng.normal(size=len(movable(robot)))
    joints, values = [], {}
    for joint in robot.joints:
        j = joint.index
        if j <= robot.link_count and joint.movable and not joint.actuated and rng.random() < 0.3:
            joint = replace(joint, elastic=True, stiffness=Symbol(f"K{j}"), rest=Symbol(f"REST{j}"))
            values |= {f"K{j}": as_value(float(rng.uniform(1, 9))), f"REST{j}": as_value(float(rng.normal()))}
        joints.append(joint)
    robot = replace(robot, joints=tuple(joints), values={**robot.values, **values})  # type: ignore[arg-type]
    quat = rng.normal(size=4)
    quat = quat / np.linalg.norm(quat) if robot.base.free and not robot.base.wheels else None
    wrenches = sum(not w.is_zero for w in robot.wrenches)
    wrench = rng.normal(size=(wrenches, 6)) if wrenches else None
    return Case(family, robot, Mechanism(robot, None, q, quat, wrench))


FAMILY: tuple[tuple[str, Callable[[str, int], Case]], ...] = (
    ("planar platform", _platform_case),
    ("loops", _tree_case),
    ("floating spatial platform", _platform_case),
    ("loops-floating", _tree_case),
    ("arms planar platform", _platform_case),
    ("spatial platform", _platform_case),
    ("loops-wheels", _tree_case),
    ("moved spatial platform", _platform_case),
    ("floating planar platform", _platform_case),
    ("wheeled arms planar platform", _platform_case),
    ("spatial platform", _platform_case),
    ("loops-floating", _tree_case),
    ("moved planar platform", _platform_case),
    ("floating arms spatial platform", _platform_case),
    ("loops-wheels", _tree_case),
    ("wheeled spatial platform", _platform_case),
)
"""The families in turn."""


def family_of(seed: int) -> str:
    return FAMILY[seed % len(FAMILY)][0]


@cache
def random_mechanism(seed: int) -> Case:
    """The mechanism of a seed."""
    family, make = FAMILY[seed % len(FAMILY)]
    return make(family, seed)


# families that no model has yet


def _with_joint(parent: int, kind: JointKind = JointKind.REVOLUTE) -> Robot:
    """A platform with one more joint."""
    robot = symoro.load("3rps")
    n = robot.link_count
    return replace(
        robot, joints=(*robot.joints, Joint(n + 1, "more", parent, kind)),
        inertias=(*robot.inertias, Inertia()), drives=(*robot.drives, Drive()), wrenches=(*robot.wrenches, Wrench()),
    )  # fmt: skip


def _loops_with_another_motor() -> Robot:
    robot, _ = FAMILIES["loops"](0)
    passive = next(joint.index for joint in robot.joints if joint.movable and not joint.actuated)
    return replace(robot, joints=tuple(replace(j, actuated=j.actuated or j.index == passive) for j in robot.joints))


REFUSED: dict[str, Callable[[], tuple[Robot, str]]] = {
    "platform that slides on the ground": lambda: (
        replace(symoro.load("3rps"), base=Base(BaseKind.MOBILE)),
        "on a mobile base without wheels is not supported",
    ),
    "legs that roll": lambda: (
        replace(symoro.load("3rps"), base=Base(BaseKind.MOBILE, wheels=(Wheel(1, as_value(1)),))),
        "the base does not roll on it",
    ),
    "arm on a leg": lambda: (_with_joint(1), "it is on a link of a leg"),
    "loops with redundant motors": lambda: (_loops_with_another_motor(), "are more than its mobility"),
    "two platforms": lambda: (_with_joint(0, JointKind.FREE), "a second platform is not supported"),
}  # fmt: skip
"""Families with the words of their refusal."""
