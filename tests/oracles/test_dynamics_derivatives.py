"""Derivatives of the dynamic models: Pinocchio's for trees, differences and the law ∂v̇ = −A⁻¹ ∂Γ for every family."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import symoro
from support.close import assert_close
from support.every_robot import Case, every_robot
from support.free_robots import Array, State, movable, random_state, with_floating_base
from support.multipliers import Multipliers, configured
from support.pinocchio_robot import external_forces, oracle
from support.platform_links import Links, links
from support.random_robots import random_robot
from support.samples import named, some
from symoro.bind.interface import robot_numbers
from symoro.bind.symbols import Symbols
from symoro.ir.evaluate import evaluate as evaluated
from symoro.ir.graph import Graph
from symoro.models.families import constraint_of, constraints
from symoro.models.parallel.platform import moved
from symoro.robot import library
from symoro.robot.base import Base
from symoro.robot.link import Drive
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate

OPTIMIZED = pytest.mark.parametrize("optimize", [False, True], ids=["plain", "searched"])


def called(function: Any, state: State, **values: Any) -> Any:
    return function(**{name: state[name] for name in function.inputs}, **values)


# trees, beside Pinocchio's derivatives


def tree(seed: int) -> Robot:
    robot = random_robot(seed, joints=1 + seed % 6, structure="tree", kinds="mixed", moving_base=0)
    return with_floating_base(robot, seed) if seed % 2 else robot


class Reference:
    """Derivatives by Pinocchio, with the drives, and accelerations of a base that are classical ones."""

    def __init__(self, robot: Robot, state: State, vd: Array) -> None:
        floating, numbers = robot.base.free, robot_numbers(robot)
        self.o = o = oracle(robot, numbers, free=floating)
        base = 6 * floating
        index = [*range(base), *o.velocity_index]
        V0 = state.get("V0", np.zeros(6))
        declared = [j for j in range(1, robot.link_count + 1) if not robot.wrench(j).is_zero]
        forces = external_forces(o, dict(zip(declared, state.get("wrench", ()), strict=True)))
        q, v = o.q(state["q"], state.get("quat")), o.v(state["qd"], V0)
        a = np.zeros(o.model.nv)
        a[index] = vd
        a[:base][:3] -= np.cross(V0[3:], V0[:3])[: base // 2]
        by_q, by_v, M = pin.computeRNEADerivatives(o.model, o.data, q, v, a, forces)
        M = np.triu(M) + np.triu(M, 1).T
        if floating:  # the spatial acceleration of the base is v̇ − ω × v
            by_v = by_v.copy()
            by_v[:, 3:6] += M[:, :3] @ _hat(V0[:3])
        drive = {
            n: np.array([evaluate(getattr(robot.drive(j), n), numbers) for j in movable(robot)]) for n in Drive.names()
        }
        rotors, friction = np.r_[np.zeros(base), drive["IA"]], np.r_[np.zeros(base), drive["FV"]]
        columns = index[3:] if floating else index
        self.A = M[np.ix_(index, index)] + np.diag(rotors)
        self.by_q = by_q[np.ix_(index, columns)]
        self.by_v = by_v[np.ix_(index, columns)] + np.diag(friction)[:, len(index) - len(columns) :]
        signs = np.r_[np.zeros(base), drive["FS"] * np.sign(state["qd"])]
        torques = pin.rnea(o.model, o.data, q, v, a, forces)[index]
        self.torques = torques + rotors * vd + friction * np.r_[V0[:base], state["qd"]] + signs


def _hat(v: Array) -> Array:
    return np.cross(v, np.eye(3)).T


@OPTIMIZED
@pytest.mark.parametrize("seed", some(8, of=200, long=20))
def test_trees_agree_with_pinocchio(seed: int, optimize: bool) -> None:
    robot = tree(seed)
    inverse = symoro.inverse_dynamics_derivatives(robot, optimize=optimize)
    state = random_state(inverse.program, seed)
    vd = np.r_[state.get("VP0", np.zeros(0)), state["qdd"]]
    expected, found = Reference(robot, state, vd), called(inverse.compile("numpy"), state)
    assert_close(found.GAM, expected.torques, 1e-9)
    assert_close(found.dGAM_dq, expected.by_q, 1e-9)
    assert_close(found.dGAM_dqd, expected.by_v, 1e-9)
    assert_close(found.A, expected.A, 1e-9)

    state["tau"] = found.GAM[-len(state["qdd"]) :]
    direct = symoro.direct_dynamics_derivatives(robot, optimize=optimize).compile("numpy")
    found = called(direct, state)
    expected = Reference(robot, state, found.QDP)
    condition = float(np.linalg.cond(expected.A))
    assert_close(expected.torques, np.r_[np.zeros(len(found.QDP) - len(state["tau"])), state["tau"]], 1e-9, condition)
    assert_close(found.AI, np.linalg.inv(expected.A), 1e-9, condition)
    assert_close(found.dQDP_dq, -np.linalg.solve(expected.A, expected.by_q), 1e-9, condition)
    assert_close(found.dQDP_dqd, -np.linalg.solve(expected.A, expected.by_v), 1e-9, condition)


# every family, beside differences

#: Small against the way to a dead point of a random loop; rounding makes an error of 1e-12 of the values.
STEP = 5e-4
STENCIL = {1: 45 / 60, 2: -9 / 60, 3: 1 / 60}


@dataclass(frozen=True)
class Path:
    """States by a parameter; `rate` is how fast the fastest coordinate moves."""

    at: Callable[[float], State]
    rate: float = 1.0

    def difference(self, f: Callable[[State], Array]) -> Array:
        """df at 0, with an error of the sixth order."""
        h = STEP / max(1.0, self.rate)
        terms = (w * (np.asarray(f(self.at(k * h))) - np.asarray(f(self.at(-k * h)))) for k, w in STENCIL.items())
        return np.asarray(sum(terms)) / h


def differences(f: Callable[[State], Array], paths: Iterator[Path]) -> Array:
    """A column for each path."""
    return np.array([path.difference(f) for path in paths]).T


def displaced(state: State, name: str, direction: Array) -> Path:
    return Path(lambda h: {**state, name: state[name] + h * direction}, float(np.abs(direction).max()))


def turned(state: State, axis: Array) -> Path:
    """The base turned about an axis of its own."""
    base = Rotation.from_quat(state["quat"])
    return Path(lambda h: {**state, "quat": (base * Rotation.from_rotvec(h * axis)).as_quat()})


def positions(case: Case, state: State) -> Iterator[Path]:
    """Turns of a floating base, then motions of the joints that keep loops closed, by Pinocchio's rows."""
    if "quat" in state:
        yield from (turned(state, axis) for axis in np.eye(3))
    joints = replace(case, bare=replace(case.bare, base=Base()))
    names = tuple(row.name for row in constraints(case.bare) if row.holonomic)
    left = {j for j in constraint_of(Symbols(case.bare, Graph()), names).left if j > 0}
    owners = [j.index for j in case.bare.joints[: case.bare.link_count] if j.variable]
    places = [n for n, j in enumerate(owners) if j in left]
    still = np.zeros(len(places))
    G = Multipliers(joints, {"q": state["q"], "wrench": state.get("wrench", ())}, places).motion(still, still).G
    yield from (displaced(state, "q", column) for column in G.T)


def velocities(state: State) -> Iterator[Path]:
    if "quat" in state:
        yield from (displaced(state, "V0", axis) for axis in np.eye(6)[3:])
    yield from (displaced(state, "qd", axis) for axis in np.eye(len(state["qd"])))


@OPTIMIZED
@pytest.mark.parametrize("seed", some(7, of=200, long=20))
def test_every_robot_agrees_with_differences(seed: int, optimize: bool) -> None:
    case = every_robot(seed)
    inverse = symoro.inverse_dynamics_derivatives(case.robot, optimize=optimize)
    direct = symoro.direct_dynamics_derivatives(case.robot, optimize=optimize)
    state = configured(case, {**random_state(inverse.program, seed), **random_state(direct.program, seed)})
    f, g = inverse.compile("numpy"), direct.compile("numpy")
    found = called(f, state)

    base = 6 if case.bare.base.free else 0
    floating = 6 if "quat" in state else 0
    dependent = constraint_of(Symbols(case.bare, Graph())).dependent
    owners = [j.index for j in case.bare.joints[: case.bare.link_count] if j.variable]
    left = [*range(floating), *(base + n for n, j in enumerate(owners) if j not in dependent)]
    known = {name: x for name, x in state.items() if not floating or name != "VP0"}
    peer = Multipliers(case, known, left)
    motion = peer.motion(np.r_[state.get("V0", np.zeros(6))[:floating], state["qd"]], np.zeros(len(left)))
    M, h = peer.equations(motion.u)
    A, H = motion.G.T @ M @ motion.G, motion.G.T @ (M @ motion.ud + h)
    vd = np.r_[state.get("VP0", np.zeros(6))[:floating], state["qdd"]]
    assert_close(found.A, A, 1e-9)
    assert_close(found.GAM, A @ vd + H, 1e-9)
    assert_close(found.dGAM_dq, differences(lambda x: called(f, x).GAM, positions(case, state)), 1e-8)
    assert_close(found.dGAM_dqd, differences(lambda x: called(f, x).GAM, velocities(state)), 1e-8)

    result, condition = called(g, state), float(np.linalg.cond(A))
    moving = state | {"VP0": result.QDP[:floating]} if floating else state
    forced = called(f, {**moving, "qdd": result.QDP[floating:]})
    motors = [n for n, k in enumerate(left) if k >= base and case.bare.joint(owners[k - base]).actuated]
    tau = np.zeros(len(left))
    tau[motors] = state["tau"]
    assert_close(forced.GAM, tau, 1e-9, condition)
    assert_close(result.AI, np.linalg.inv(A), 1e-9, condition)
    assert_close(result.dQDP_dq, -np.linalg.solve(A, forced.dGAM_dq), 1e-9, condition)
    assert_close(result.dQDP_dqd, -np.linalg.solve(A, forced.dGAM_dqd), 1e-9, condition)


# platforms

QUICK = ("3rps", "orthoglide-legs")
LARGEST = {"cooperating-arms"}
PLATFORMS = pytest.mark.parametrize(
    "name", named(library.parallel_names(), set(library.parallel_names()) - {*QUICK}, LARGEST)
)


@cache
def at(name: str) -> Links:
    return links(symoro.load(name), 1)[0]


@PLATFORMS
def test_platforms_agree_with_differences(name: str) -> None:
    place = at(name)
    state = {"T": place.platform.T, "V": place.V, "VP": place.VP}
    f, g = of(symoro.inverse_dynamics_derivatives, name), of(symoro.direct_dynamics_derivatives, name)
    found = f(state)
    assert_close(found["GAM"], of(symoro.inverse_dynamics, name)(state)["GAM"], 1e-9)

    def along(direction: Array) -> Path:
        return Path(lambda h: {**state, "T": moved(state["T"], h * direction)}, float(np.abs(direction).max()))

    def value(x: State) -> Array:
        return f(x)["GAM"]

    assert_close(found["dGAM_dq"], differences(value, (along(column) for column in place.G[place.n :].T)), 1e-8)
    units = [np.eye(6)[k] for k in place.left]
    assert_close(found["dGAM_dqd"], differences(value, (displaced(state, "V", unit) for unit in units)), 1e-8)
    assert_close(found["A"], differences(value, (displaced(state, "VP", unit) for unit in units)), 1e-8)

    result = g({**state, "tau": found["GAM"]})
    inverse, condition = np.linalg.pinv(found["A"]), float(np.linalg.cond(found["A"]))
    assert_close(result["QDP"], place.VP[place.left], 1e-9, condition)
    assert_close(result["AI"] @ found["A"], np.eye(len(place.left)), 1e-9, condition)
    assert_close(result["dQDP_dq"], -inverse @ found["dGAM_dq"], 1e-9, condition)
    assert_close(result["dQDP_dqd"], -inverse @ found["dGAM_dqd"], 1e-9, condition)


def of(make: Callable[..., symoro.Model], name: str) -> Callable[[State], dict[str, Array]]:
    """The paper's form of a model, with the bodies of the random robot; it looks at nothing."""
    program, numbers = make(name, optimize=False).program, at(name).platform.numbers
    return lambda x: evaluated(program, {array.name: x[array.name] for array in program.inputs}, numbers)
