"""Legs whose loops determine joints on the way to their end, against Pinocchio's open legs with multipliers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import fsolve

import symoro
from support.close import assert_close
from support.loop_legs import KINDS, pose_near_home, random_robot
from support.packages import run_self_test
from support.platform_regressors import require_columns
from support.platforms import Platform, joint_positions, random_motion, with_random_inertias
from symoro.emit import emit_all, target
from symoro.models.parallel.motions import random_motions
from symoro.models.parallel.platform import home
from symoro.robot.parallel import with_legs
from symoro.robot.robot import Robot
from symoro.robot.values import as_value, evaluate
from symoro.runtime import Function
from symoro.solve.given import model as make


def some(*first: tuple[str, int], seeds: int) -> list[object]:
    """All kinds with some seeds, of which the first ones belong to the short tests."""
    every = [(kind, seed) for kind in KINDS for seed in range(seeds)]
    return [pytest.param(*one, marks=() if one in first else pytest.mark.long) for one in every]


def case(kind: str, seed: int) -> tuple[Platform, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return placed(random_robot(kind, seed), rng), rng


def placed(robot: Robot, rng: np.random.Generator) -> Platform:
    """The robot with random inertias at a pose near home."""
    heavy = with_random_inertias(robot, rng)
    T = pose_near_home(heavy, rng)
    platform = Platform(heavy, T, joint_positions(heavy, T))
    assert platform.closure() < 1e-11
    return platform


def forms(robot: Robot, name: str, **options: str) -> Function:
    return make(name, robot, optimize=False, **options).compile("numpy")


@pytest.mark.long
@pytest.mark.parametrize(("kind", "seed"), some(("planar four-bar", 0), seeds=5))
def test_dynamics_are_those_of_multipliers(kind: str, seed: int) -> None:
    platform, rng = case(kind, seed)
    robot, T = platform.robot, platform.T
    V, VP, u, ud = random_motion(platform, rng)
    assert_close(forms(robot, "inverse_dynamics")(T, V, VP), platform.torques(u, ud), 1e-9)
    tau = rng.normal(size=len(robot.motors))
    assert_close(forms(robot, "direct_dynamics")(T, V, tau), platform.acceleration(u, tau), 1e-9, 10)
    assert_close(forms(robot, "jacobian_inverse")(T) @ V, platform.motors().T @ u, 1e-9)


@pytest.mark.long
def test_springs_of_passive_joints_pull() -> None:
    """A spring on a joint that the loop determines, and one on the forearm: the torques of the motors have both."""
    robot, springs = random_robot("planar four-bar", 1), {3: (4.0, 0.2), 5: (2.5, -0.4)}
    legs = tuple(
        replace(
            leg,
            joints=tuple(
                replace(j, elastic=True, stiffness=as_value(springs[j.index][0]), rest=as_value(springs[j.index][1]))
                if j.index in springs
                else j
                for j in leg.joints
            ),
        )
        for leg in robot.legs
    )
    rng = np.random.default_rng(3)
    platform = placed(with_legs(robot, legs), rng)
    sprung, T = platform.robot, platform.T
    V, VP, u, ud = random_motion(platform, rng)
    places = {3: 1, 5: 3}  # of the joints 2 to 5 of a leg
    needed = np.zeros(len(u))
    for leg in range(3):
        for j, (k, rest) in springs.items():
            at = 4 * leg + places[j]
            needed[at] = k * (platform.q[at] - rest)
    assert_close(forms(sprung, "inverse_dynamics")(T, V, VP), platform.torques(u, ud, needed), 1e-9)
    energies = forms(sprung, "energies")(T, V)
    parts = [
        0.5 * springs[j][0] * (platform.q[4 * leg + places[j]] - springs[j][1]) ** 2
        for leg in range(3)
        for j in springs
    ]
    assert_close(energies.US, np.sum(parts), 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_redundant_motors_have_the_least_torques(kind: str) -> None:
    """All hinges of the first loop's base have motors: the least torques that give the motion."""
    robot = random_robot(kind, 2)
    legs = tuple(
        replace(leg, joints=tuple(replace(j, actuated=j.actuated or j.name == "rocker") for j in leg.joints))
        for leg in robot.legs
    )
    rng = np.random.default_rng(4)
    platform = placed(with_legs(robot, legs), rng)
    more, T = platform.robot, platform.T
    V, VP, u, ud = random_motion(platform, rng)
    assert len(more.motors) == len(robot.motors) + 3
    assert_close(forms(more, "inverse_dynamics")(T, V, VP), platform.torques(u, ud), 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["planar four-bar"])
def test_base_parameters_give_the_same_torques(kind: str) -> None:
    robot = with_random_inertias(random_robot(kind, 3), np.random.default_rng(5))
    T, V, VP = random_motions(robot, 24)
    GAM = forms(robot, "inverse_dynamics")(T, V, VP)
    assert_close(forms(robot, "inverse_dynamics", params="base")(T, V, VP), GAM, 1e-9)


@pytest.mark.long
def test_columns_of_the_regressor_give_the_torques() -> None:
    require_columns(with_random_inertias(random_robot("planar four-bar", 3), np.random.default_rng(5)))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["planar four-bar", "planar slider-crank"])
def test_energy_is_kept_while_the_platform_falls(kind: str) -> None:
    robot = with_random_inertias(random_robot(kind, 1), np.random.default_rng(6))
    smooth = robot.with_values({name: 0 for name in robot.values if name[:2] in ("FV", "FS")})
    s = symoro.simulate(smooth, duration=0.3, T0=home(smooth), method="DOP853", rtol=1e-10, period=0.02)
    assert not s.stopped
    total = s.energy.kinetic + s.energy.potential
    assert s.energy.kinetic.max() > 0.1
    assert_close(total, np.full_like(total, total[0]), 1e-6)
    assert s.plant.gap(s.states, {}).max() < 1e-9


@pytest.mark.long
def test_all_branches_of_a_leg_are_those_that_scipy_finds() -> None:
    """The four-bar linkage as complex numbers, closed by SciPy from many starts."""
    platform, _ = case("planar four-bar", 0)
    solver = symoro.inverse_geometry(platform.robot).compile("numpy")
    for i in range(3):
        s = solver(platform.T, joints=True)
        assert str(s.status) == "incomplete"  # a search cannot prove that these are all
        q = s.q[:, solver.leg == i]
        q = q[np.isfinite(q).all(-1)]
        assert_close(q[0], platform.q[solver.leg == i], 1e-9)
        others = configurations(platform, i)
        apart = np.abs(np.exp(1j * q[:, None]) - np.exp(1j * others)).max(-1)
        assert apart.shape == (len(q), len(q))
        assert max(apart.min(0).max(), apart.min(1).max()) < 1e-7


def configurations(platform: Platform, i: int) -> np.ndarray:
    """The angles of crank, coupler, rocker and forearm of leg i."""
    robot, rng = platform.robot, np.random.default_rng(0)
    stand, _, coupler, rocker, forearm, cut, mate = robot.legs[i].joints
    gamma, reach, a, base, e, c, h = (
        evaluate(x, {}) for x in (stand.gamma, stand.d, coupler.d, rocker.d, forearm.d, cut.d, mate.d)
    )
    frame = next(f for f in robot.legs[i].frames if f.name == "end")
    on_forearm = complex(*(evaluate(row[3], {}) for row in frame.pose[:2]))
    point = complex(*(platform.T @ [*(evaluate(x, {}) for x in robot.attachments[i].point), 1])[:2])
    goal = point * np.exp(-1j * gamma) - reach

    def open_by(q: np.ndarray) -> list[float]:
        coupling = np.exp(1j * (q[0] + q[1]))
        loop = a * np.exp(1j * q[0]) + h * coupling - base - c * np.exp(1j * q[2])
        end = a * np.exp(1j * q[0]) + coupling * np.exp(0.6j) * (e + on_forearm * np.exp(1j * q[3])) - goal
        return [loop.real, loop.imag, end.real, end.imag]

    found: list[np.ndarray] = []
    for start in rng.uniform(-np.pi, np.pi, (300, 4)):
        x, _, code, _ = fsolve(open_by, start, full_output=True, xtol=1e-13)
        closed = code == 1 and np.abs(open_by(x)).max() < 1e-10
        if closed and all(np.abs(np.exp(1j * x) - np.exp(1j * y)).max() > 1e-6 for y in found):
            found.append(x)
    return np.array(found)


@pytest.mark.long
def test_code_of_a_leg_without_a_closed_form_passes_its_self_test(tmp_path: Path) -> None:
    robot = random_robot("planar slider-crank", 0)
    source = make("jacobian_inverse", robot, optimize=False).source
    emit_all([source], "c", tmp_path)
    run_self_test(target("c"), tmp_path, (source,))
