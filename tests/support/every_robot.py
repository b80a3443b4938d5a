"""Random robots over everything that a file can say: families, coordinates, springs, payloads and bases together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
from scipy.optimize import newton

from support.coordinates import COUPLED, OWN, with_functions
from support.free_robots import Array, with_floating_base, with_springs
from support.pinocchio_robot import Loads
from support.random_loops import random_closed_robot
from support.random_robots import random_robot
from support.wheeled_robots import loops_on_wheels, random_vehicle
from symoro.bind.interface import robot_numbers
from symoro.robot.base import Base, BaseKind
from symoro.robot.joint import Joint
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs
from symoro.robot.values import Symbol, as_value, evaluate

#: Coordinates that are linear in their variable, as those of joints with a motor and a spring must be.
LINEAR = ("-{q}", "{q} + 1/3", "2*{q}", "NG*{q} - pi/4", "-{q}/3", "{q} - {p}", "{q} + {p}/2", "-{q} + NG*{p}")
#: Coordinates that take every value.
ONTO = tuple(form for form in (*OWN, *COUPLED) if form not in ("{q}^2 + {q}", "{q} + {q}*{p}/5"))


@dataclass(frozen=True)
class Case:
    """A robot, and its parts as they are known to an oracle."""

    robot: Robot
    bare: Robot
    """The same without payloads, and with joints of motors and springs apart."""
    loads: Loads
    q: Array
    """A configuration of `bare` in which the loops are closed."""
    shape: str


def every_robot(seed: int) -> Case:
    """Seeds give all shapes and bases in turn; the rest is drawn."""
    rng = np.random.default_rng(seed)
    shape = ("tree", "loops", "tree", "wheels", "loops", "tree", "loops and wheels")[seed % 7]
    robot, x = _shaped(shape, seed, rng)
    if "wheels" not in shape:
        robot = _on_base(robot, int(rng.integers(3)), seed)
    arms = _arms(robot, shape)
    if rng.random() < 0.6:
        robot = with_springs(robot, seed, 0.4) if shape == "tree" else _with_spring(robot, arms, rng)
    if rng.random() < 0.7:
        robot = with_functions(robot, seed, lambda joint: _may_follow(joint, arms), _own_forms)
    loads = _loads(robot, rng)
    bare = motor_spring_pairs(robot)
    return Case(_loaded(robot, loads), bare, _bodies(robot, bare, loads), _configuration(robot, bare, x), shape)


def _shaped(shape: str, seed: int, rng: np.random.Generator) -> tuple[Robot, Array]:
    """A robot, and coordinates of its movable joints: closed ones where it has loops."""
    if shape == "loops":
        return random_closed_robot(seed)
    if shape == "loops and wheels":
        return loops_on_wheels(seed)
    if shape == "wheels":
        robot = random_vehicle(seed)
    else:
        structure, kinds = str(rng.choice(["serial", "tree"])), str(rng.choice(["mixed", "revolute", "prismatic"]))
        robot = random_robot(seed, joints=int(rng.integers(1, 6)), structure=structure, kinds=kinds, moving_base=0)
    return robot, rng.uniform(-1, 1, sum(joint.movable for joint in robot.joints))


def _on_base(robot: Robot, base: int, seed: int) -> Robot:
    if base == 2:
        return with_floating_base(robot, seed)
    return replace(robot, base=Base(BaseKind.MOVING)) if base else robot


def _arms(robot: Robot, shape: str) -> list[int]:
    """The movable joints that no loop and no wheel determines and that carry no wheel."""
    tree = [joint for joint in robot.joints[: robot.link_count] if joint.movable]
    if shape == "tree":
        return [joint.index for joint in tree]
    if shape == "wheels":
        first = min(wheel.joint for wheel in robot.base.wheels)
        return [joint.index for joint in tree if joint.index < first]
    free = [joint for joint in tree if "wheel" not in joint.name]
    return [free[-1].index]  # the arm on a loop


def _with_spring(robot: Robot, arms: list[int], rng: np.random.Generator) -> Robot:
    """A spring in the place of a motor of an arm, or between the motor and its link."""
    j, values = int(rng.choice(arms)), {"KS": as_value(float(rng.uniform(1, 50)))}
    spring = {"elastic": True, "stiffness": Symbol("KS"), "rest": as_value("0.1")}
    joint = replace(robot.joint(j), actuated=bool(rng.integers(2)), **spring)  # type: ignore[arg-type]
    joints = tuple(joint if old.index == j else old for old in robot.joints)
    return replace(robot, joints=joints, values={**robot.values, **values})  # type: ignore[arg-type]


def _may_follow(joint: Joint, arms: list[int]) -> bool:
    return joint.index in arms and not joint.elastic


def _own_forms(joint: Joint) -> tuple[str, ...]:
    return LINEAR if joint.elastic else ONTO


def _loads(robot: Robot, rng: np.random.Generator) -> dict[int, tuple[float, Array, Array]]:
    """Mass, centre of mass and tensor there of bodies on links."""
    links = rng.choice(np.arange(1, robot.link_count + 1), int(rng.integers(0, 3)))
    found = {}
    for link in map(int, links):
        root = rng.normal(size=(3, 3))
        found[link] = (float(rng.uniform(0.5, 2)), rng.normal(size=3) * 0.2, root @ root.T * 0.01 + 0.05 * np.eye(3))
    return found


def _loaded(robot: Robot, loads: dict[int, tuple[float, Array, Array]]) -> Robot:
    for link, (mass, centre, tensor) in loads.items():
        robot = robot.attach(Inertia.from_com(mass, centre.tolist(), tensor.tolist()), link)
    return robot


def _bodies(robot: Robot, bare: Robot, loads: dict[int, tuple[float, Array, Array]]) -> Loads:
    """The payloads on the links of the robot with motors and springs apart."""
    link = {joint.name: joint.index for joint in bare.joints}
    return {link[robot.joint(j).name]: pin.Inertia(*load) for j, load in loads.items()}


def _configuration(robot: Robot, bare: Robot, x: Array) -> Array:
    """The variables at which the joints have these coordinates; a spring is deformed a little."""
    numbers, found = robot_numbers(robot), {}
    tree = [joint for joint in robot.joints[: robot.link_count] if joint.movable]
    for joint, goal in zip(tree, x, strict=True):
        if name := joint.variable:
            found[name] = _solved(joint, numbers, found, float(goal))
    for joint in tree:
        if joint.elastic and joint.actuated:
            found[f"qm{joint.index}"], found[f"qs{joint.index}"] = found[str(joint.variable)] - 0.3, 0.3
    return np.array([found[joint.variable] for joint in bare.joints[: bare.link_count] if joint.variable])


def _solved(joint: Joint, numbers: dict[str, float], known: dict[str, float], goal: float) -> float:
    def gap(q: float) -> float:
        return evaluate(joint.position, {**numbers, **known, str(joint.variable): q}) - goal

    if joint.variable == str(joint.position):
        return goal
    return float(newton(gap, goal, tol=1e-14))
