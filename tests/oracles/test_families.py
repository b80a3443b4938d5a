"""Gravity, Coriolis torques, energies, friction and reactions of constrained and floating robots against Pinocchio."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.families import (
    FAMILIES,
    Projected,
    drawn,
    projected,
    value,
    weightless,
    without_drives,
    without_friction,
    without_rotors,
    without_wrenches,
)
from support.free_robots import Array, State, Tree, driven, movable
from support.loops import Loops, on_link
from support.pinocchio_robot import Oracle
from support.samples import some
from symoro.bind.interface import robot_numbers
from symoro.robot.base import Base, BaseKind
from symoro.robot.robot import Robot
from symoro.robot.values import as_value
from symoro.robot.values import evaluate as value_of

EACH = pytest.mark.parametrize("family", FAMILIES)
SOME = pytest.mark.parametrize("seed", some(2, of=30))


@EACH
@SOME
def test_gravity(family: str, seed: int) -> None:
    robot, state = drawn(family, seed)
    still = {name: x if name in ("q", "quat") else 0 * x for name, x in state.items()}
    expected = projected(without_drives(robot), still | {"wrench": np.zeros((0, 6))}).forces
    for method in ("newton-euler", "composite-links"):
        assert_close(value(symoro.gravity(robot, optimize=False, method=method), state)["Q"], expected, 1e-9)


def coriolis_reference(robot: Robot, state: State) -> Array:
    coasting = state | {"qdd": 0 * state["qdd"], "wrench": np.zeros((0, 6))}
    return projected(weightless(without_drives(robot)), coasting).forces


@EACH
@SOME
def test_coriolis_torques(family: str, seed: int) -> None:
    robot, state = drawn(family, seed)
    found = value(symoro.coriolis_torques(robot, optimize=seed % 3 == 2), state)["CQP"]
    assert_close(found, coriolis_reference(robot, state), 1e-9)


@pytest.mark.parametrize("family", [name for name in FAMILIES if "floating" not in name])
@SOME
def test_coriolis_matrix(family: str, seed: int) -> None:
    """C q̇ are the Coriolis torques, and Ȧ − 2C is skew-symmetric along the motion."""
    robot, state = drawn(family, seed)
    C = value(symoro.coriolis(robot, optimize=False), state)["C"]
    assert_close(C @ state["qd"], coriolis_reference(robot, state), 1e-9)
    A = symoro.inertia_matrix(robot, optimize=False)
    step = 1e-5 * projected(robot, state).motion.u[-len(state["q"]) :]
    change = (value(A, {"q": state["q"] + step})["A"] - value(A, {"q": state["q"] - step})["A"]) / 2e-5
    skew = change - 2 * C
    assert np.abs(skew + skew.T).max() <= 1e-6 * (1 + np.abs(change).max())


@EACH
@SOME
def test_friction(family: str, seed: int) -> None:
    robot, state = drawn(family, seed)
    motion, numbers = projected(robot, state).motion, robot_numbers(robot)
    n = len(state["q"])
    drives = [robot.drive(j) for j in movable(robot)]
    FV, FS = (np.array([value_of(getattr(drive, name), numbers) for drive in drives]) for name in ("FV", "FS"))
    joints = motion.u[-n:]
    expected = motion.G[-n:].T @ (FV * joints + FS * np.sign(joints))
    base = 6 if robot.base.kind is BaseKind.FLOATING else 0
    assert_close(value(symoro.friction(robot, optimize=False), state)["GAMF"], expected[base:], 1e-9)


@EACH
@SOME
def test_energies(family: str, seed: int) -> None:
    robot, state = drawn(family, seed)
    at = projected(robot, state)
    found = value(symoro.energies(robot, optimize=False), state)
    assert_close(found["E"], at.motion.u @ at.tree.M @ at.motion.u / 2, 1e-9)
    potential = pin.computePotentialEnergy(at.tree.o.model, at.tree.o.data, at.tree.q)
    assert_close(found["U"], potential, 1e-9)


@EACH
@SOME
def test_the_bias_is_the_sum_of_its_parts(family: str, seed: int) -> None:
    robot, state = drawn(family, seed)
    state["wrench"] = np.zeros_like(state.get("wrench", np.zeros((0, 6))))
    parts = {name: value(getattr(symoro, name)(robot, optimize=False), state) for name in PARTS}
    whole = value(symoro.bias(robot, optimize=False), state)["H"]
    rubbing = parts["friction"]["GAMF"]
    total = parts["gravity"]["Q"] + parts["coriolis_torques"]["CQP"]
    total[len(total) - len(rubbing) :] += rubbing
    assert_close(whole, total, 1e-9)


PARTS = ("gravity", "coriolis_torques", "friction")


@EACH
@SOME
def test_power_balance(family: str, seed: int) -> None:
    """Along a motion the energy changes by the power of the motors less that of friction."""
    robot, state = drawn(family, seed)
    robot = without_drives(robot)
    state = {name: x for name, x in state.items() if name != "wrench"}
    inverse = value(symoro.inverse_dynamics(robot, optimize=False), state)
    at = projected(robot, state)
    energies = symoro.energies(robot, optimize=False)
    Q = value(symoro.gravity(robot, optimize=False), state)["Q"]
    u = np.r_[state["V0"], state["qd"]] if robot.base.kind is BaseKind.FLOATING else state["qd"]
    V0 = state.get("V0", np.zeros(6))
    VP0 = inverse.get("VP0", np.zeros(6)) - np.r_[np.cross(V0[3:], V0[:3]), np.zeros(3)]
    motion = at.motion.u[-len(state["q"]) :]

    def kinetic(h: float) -> float:
        moved = state | {"q": state["q"] + h * motion, "qd": state["qd"] + h * state["qdd"], "V0": V0 + h * VP0}
        return float(value(energies, moved)["E"])

    change = (kinetic(1e-5) - kinetic(-1e-5)) / 2e-5
    assert_close(change + Q @ u, inverse["GAM"] @ state["qd"], 1e-6)


@pytest.mark.parametrize("family", ["floating", "loops", "loops-floating"])
@SOME
def test_reactions(family: str, seed: int) -> None:
    """Pinocchio's joint forces with the wrenches of the cuts on both sides; passive joints carry their rotors only."""
    robot, state = drawn(family, seed)
    robot = without_friction(robot)
    inverse = value(symoro.inverse_dynamics(robot, optimize=False), state)
    at = projected(robot, state)
    if "VP0" in inverse:
        at.motion.ud[:6] = inverse["VP0"]
    model, data = at.tree.o.model, at.tree.o.data
    forces = at.tree.forces
    if robot.cuts:
        apply_cuts(robot, at.tree.o, state["q"], value(symoro.cut_wrenches(robot, optimize=False), state)["FC"], forces)
    ud = np.zeros(model.nv)
    ud[[*range(6 * robot.base.free), *at.tree.o.velocity_index]] = at.motion.ud
    if robot.base.free:  # Pinocchio takes the spatial acceleration
        ud[:3] -= np.cross(state["V0"][3:], state["V0"][:3])
    needed = pin.rnea(model, data, at.tree.q, at.tree.v, ud, forces)
    R = value(symoro.reactions(robot, optimize=False), state)["R"]
    joints = movable(robot)
    expected = np.array([data.f[at.tree.o.joint_of[j]].vector for j in joints])
    found = R[[j - 1 for j in joints]]
    assert_close(found, expected, 1e-8)
    rotors = (at.tree.M @ at.motion.ud + at.tree.h)[-len(joints) :] - links_alone(robot, state, at)[-len(joints) :]
    idle = [n for n, j in enumerate(joints) if not robot.joint(j).actuated]
    carried = needed[at.tree.o.velocity_index][idle] + rotors[idle]
    assert np.abs(carried).max(initial=0) <= 1e-8 * (1 + np.abs(R).max())
    direct = symoro.direct_reactions(robot, optimize=False)
    again = value(direct, state | {"tau": inverse["GAM"]})
    assert_close(again["R"], R, 1e-6)


def links_alone(robot: Robot, state: State, at: Projected) -> Array:
    """What the links need at the coordinates of the tree, without drives and without the wrenches in cuts."""
    tree = projected(without_rotors(robot), state).tree
    return np.asarray(tree.M @ at.motion.ud + tree.h)


def apply_cuts(robot: Robot, o: Oracle, q: Array, FC: Array, forces: Any) -> None:
    """Add the wrench of each cut, which is at the frame of its mate, to the two links that the cut connects."""
    pin.forwardKinematics(o.model, o.data, o.q(q, None))
    for cut, wrench in zip(robot.cuts, FC, strict=True):
        last, where = on_link(robot, robot.joint(cut.mate), robot_numbers(robot))
        mate = o.data.oMi[o.joint_of[last]] * o.pose_in[last] * where
        for link, sign in ((robot.joint(cut.joint).parent, 1), (last, -1)):
            at = o.joint_of[link]
            forces[at] = forces[at] + (o.data.oMi[at].inverse() * mate).act(pin.Force(sign * wrench))


@pytest.mark.parametrize("seed", some(2, of=10))
def test_cut_wrenches_of_loops_on_wheels(seed: int) -> None:
    """With the wrenches of the cuts on the tree, the passive joints of the loops need no torque."""
    robot, state = drawn("loops-wheels", seed)
    robot = without_friction(robot)
    FC = value(symoro.cut_wrenches(robot, optimize=False), state)["FC"]
    at, still = projected(robot, state), Base()
    joints = {name: x for name, x in state.items() if name != "wrench"}
    loops = Loops(Tree(without_wrenches(replace(robot, base=still)), joints, at.motion.u[6:]))
    free = [2 if robot.joint(cut.joint).prismatic else 5 for cut in robot.cuts]
    carried = loops.J.T @ np.hstack([np.delete(row, k) for row, k in zip(FC, free, strict=True)])
    needed = (at.tree.M @ (at.motion.ud + at.spin) + at.tree.h)[6:] - carried
    idle = [
        n for n, j in enumerate(movable(robot)) if not robot.joint(j).actuated and "wheel" not in robot.joint(j).name
    ]
    assert np.abs(needed[idle]).max() <= 1e-8 * (1 + np.abs(FC).max())


@pytest.mark.parametrize("family", ["loops", "floating", "wheels"])
def test_motor_torques_of_coupled_motors(family: str) -> None:
    """τm·q̇m = Γ·q̇ for q̇ = Jqm q̇m of the active joints; passive joints are not coupled."""
    robot, state = drawn(family, 3)
    joints, active = movable(robot), driven(robot)
    Jqm = np.eye(len(joints))
    Jqm[active[0], active[-1]] = 0.5
    coupled = replace(robot, coupling=tuple(tuple(as_value(x) for x in row) for row in Jqm.tolist()))
    GAM = value(symoro.inverse_dynamics(coupled, optimize=False), state)["GAM"]
    found = value(symoro.motor_torques(coupled, optimize=False), state)["TAUM"]
    assert_close(found, Jqm[np.ix_(active, active)].T @ GAM, 1e-9)
