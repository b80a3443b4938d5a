"""Base parameters of closed loops: as many as the rank of the closed robot's regressor, and the same torques."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.constrained import motor_torques
from support.free_robots import Array, Tree, driven, movable
from support.loop_robots import described, joint
from support.loops import Loops, closed_configuration, gap
from support.numeric_rank import Rank, rank_of
from support.raised import raised
from support.random_robots import physical_inertia
from support.samples import named
from symoro.bind.interface import robot_numbers
from symoro.errors import CannotClose, OptionError, ShapeError
from symoro.models.identification.base_parameters import BaseParameters
from symoro.robot import library
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import Number, as_value, evaluate, symbols

NAMES = [name for name in library.names() if symoro.load(name).cuts]
COUNTS = {  # of the tree, and with the loops
    "four-bar": (9, 8), "five-bar": (12, 11), "slider-crank": (7, 6), "test-loop": (8, 4), "sr400": (53, 42),
    "akr3000": (63, 59), "two-loops": (52, 24), "orthoglide": (62, 35),
}  # fmt: skip
EVERY_BRANCH = {
    "four-bar": 8, "five-bar": 11, "slider-crank": 6, "test-loop": 7, "sr400": 50, "akr3000": 59, "two-loops": 46,
    "orthoglide": 56,
}  # fmt: skip
SLOW = ("akr3000", "two-loops", "orthoglide")
LIBRARY = named(NAMES, SLOW)


def states(robot: Robot, start: Array, count: int, seed: int) -> list[tuple[Array, Array, Array]]:
    """Closed configurations on the branch of `start`, with velocities and accelerations of the motors."""
    rng = np.random.default_rng(seed)
    assembly = symoro.loop_geometry(robot).compile("numpy")
    active = driven(robot)
    q, found = np.array(start), []
    for _ in range(20 * count):
        try:
            ahead = assembly(start[active] + rng.uniform(-0.4, 0.4, len(active)), guess=q)
        except CannotClose:
            continue
        J = Loops(Tree(robot, idle(robot, ahead), np.zeros(len(ahead)))).J[
            :, [k for k in range(len(q)) if k not in active]
        ]
        values = np.linalg.svd(J, compute_uv=False)
        if np.abs(gap(robot, ahead)).max() < 1e-10 and values[-1] > 1e-2 * values[0]:
            found.append((ahead, *rng.normal(size=(2, len(active)))))
        if len(found) == count:
            return found
    raise AssertionError(f"{robot.name}: few closed configurations on the branch")


def idle(robot: Robot, q: Array) -> dict[str, Array]:
    return {"q": q, "wrench": np.zeros((sum(not w.is_zero for w in robot.wrenches), 6))}


def inert(robot: Robot) -> Robot:
    """The robot without friction and wrenches: its torques are linear in the inertial parameters."""
    drives = tuple(Drive(IA=drive.IA) for drive in robot.drives)
    return replace(robot, drives=drives, wrenches=tuple(type(w)() for w in robot.wrenches))


def closed_rank(robot: Robot, start: Array) -> Rank:
    """The rank of the closed robot's regressor: a column is the plain model with one parameter 1 and the others 0."""
    standard = symoro.base_parameters(robot, guess=start).standard
    model = symoro.inverse_dynamics(inert(robot), optimize=False).compile("numpy")
    q, qd, qdd = (np.array(x) for x in zip(*states(robot, start, 60, 5), strict=True))
    none = dict.fromkeys(standard, 0.0)
    columns = [np.ravel(model(q=q, qd=qd, qdd=qdd, values=none | {name: 1.0})) for name in standard]
    return rank_of(np.array(columns).T)


@pytest.fixture(scope="module")
def base() -> dict[str, BaseParameters]:
    return {}


def of(base: dict[str, BaseParameters], name: str) -> BaseParameters:
    if name not in base:
        base[name] = symoro.base_parameters(symoro.load(name))
    return base[name]


def test_all_loops_of_the_library_are_here() -> None:
    assert set(NAMES) == set(COUNTS)


@pytest.mark.parametrize("name", LIBRARY)
def test_the_count_is_the_rank(name: str, base: dict[str, BaseParameters]) -> None:
    found = of(base, name)
    assert found.loops is not None
    assert (len(found.loops.tree.base), len(found)) == COUNTS[name]
    rank = closed_rank(found.given, np.array(found.loops.branch))
    print(f"{name}: {rank}")
    assert rank.dropped < 1e-9
    assert rank.rank == len(found)


@pytest.mark.parametrize("name", LIBRARY)
def test_torques_are_the_same(name: str, base: dict[str, BaseParameters]) -> None:
    found = of(base, name)
    assert found.loops is not None
    q, qd, qdd = (np.array(x) for x in zip(*states(found.given, np.array(found.loops.branch), 10, 6), strict=True))
    expected = symoro.inverse_dynamics(inert(found.given), optimize=False).compile("numpy")(q=q, qd=qd, qdd=qdd)
    for robot, options in ((found.robot, {}), (found.given, {"params": "base"})):
        model = symoro.inverse_dynamics(inert(robot), optimize=False, **options).compile("numpy")
        assert_close(model(q=q, qd=qd, qdd=qdd), expected, 1e-9)


@pytest.mark.parametrize("name", LIBRARY)
def test_every_coefficient_is_symbolic(name: str, base: dict[str, BaseParameters]) -> None:
    found = of(base, name)
    assert found.loops is not None
    assert not found.loops.numeric
    assert found.notes
    looped = {n for n, reason in found.eliminated.items() if reason.startswith("closed loop")}
    assert len(looped) == len(found.loops.tree.base) - len(found)


def test_sr400_has_39_without_rotors_and_42_with_those_of_its_motors() -> None:
    robot = symoro.load("sr400")
    without = symoro.base_parameters(replace(robot, drives=tuple(Drive() for _ in robot.drives)))
    assert len(without) == len(without.inertial) == 39
    assert len(without.loops.tree.base) == 50  # type: ignore[union-attr]
    assert len(symoro.base_parameters(robot)) == 42


@pytest.mark.parametrize("name", LIBRARY)
def test_models_are_right_on_every_branch(name: str) -> None:
    """params="base" regroups only what holds on every branch; the reference is Pinocchio's tree."""
    robot = inert(symoro.load(name))
    found = symoro.base_parameters(robot, every_branch=True)
    assert len(found) == EVERY_BRANCH[name] < COUNTS[name][0]
    models = [symoro.inverse_dynamics(robot, params="base", optimize=False).compile("numpy")]
    models += [symoro.inverse_dynamics(found.robot, optimize=False).compile("numpy")]
    rng = np.random.default_rng(8)
    for seed in range(8):
        q = closed_configuration(robot, seed)
        qd, qdd = rng.normal(size=(2, len(driven(robot))))
        expected = motor_torques(robot, {**idle(robot, q), "qd": qd, "qdd": qdd})
        for model in models:
            assert_close(model(q=q, qd=qd, qdd=qdd), expected, 1e-9)


def test_models_are_right_for_other_numbers() -> None:
    """A model does not use the relations that hold for equal lengths only: its lengths may change."""
    robot = planar(0)
    found = symoro.base_parameters(robot)
    assert found.loops is not None
    assert found.loops.special
    assert not found.loops.general
    assert "regressors.recognised_while_equal" in [note.code for note in found.notes]
    model = symoro.inverse_dynamics(robot, params="base").compile("numpy")
    for seed in range(3):
        lengths = dict(zip(("L0", "L1", "L2", "L3"), np.random.default_rng(seed).uniform(0.5, 0.7, 4), strict=True))
        other = replace(robot, values=dict(robot.values) | {n: as_value(float(x)) for n, x in lengths.items()})  # type: ignore[arg-type]
        q = closed_configuration(other, seed)
        state = {**idle(other, q), "qd": np.array([0.7]), "qdd": np.array([-0.4])}
        torques = model(q=q, qd=state["qd"], qdd=state["qdd"], values=lengths)
        assert_close(torques, motor_torques(other, state), 1e-9)


def test_a_guess_chooses_the_branch() -> None:
    robot = symoro.load("sr400")
    crossed = symoro.loop_geometry(robot).compile("numpy").branches([0, 0.3, 0, 0, 0, 1.0])
    counts = {len(symoro.base_parameters(robot, guess=q)) for q in crossed}
    assert counts == {42, 50}
    with pytest.raises(ShapeError):
        symoro.base_parameters(robot, guess=[0.0])
    with raised("regressors.guess_of_every_branch", OptionError):
        symoro.base_parameters(robot, guess=crossed[0], every_branch=True)
    with raised("regressors.guess_without_loops", OptionError):
        symoro.base_parameters("puma560", guess=[0.0] * 6)


def planar(seed: int) -> Robot:
    """Four-bars and five-bars with random lengths; every third one is a parallelogram by its numbers."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.3, 0.9, 2)
    lengths = dict(zip(("L0", "L1", "L2", "L3", "L4"), rng.uniform(0.5, 0.7, 5).tolist(), strict=True))
    if seed % 3 == 0:
        lengths |= {"L1": a, "L3": a, "L2": b, "L0": b}
    five = seed % 3 == 1
    joints = [joint(1, 0, actuated=True), joint(2, 1, d="L1"), joint(3, 0, actuated=five, d="L0")]
    joints += [joint(4, 3, d="L3")] if five else []
    joints += [
        joint(len(joints) + 1, 2, d="L2"),
        joint(len(joints) + 2, len(joints), "fixed", d="L4" if five else "L3"),
    ]
    n = len(joints) - 2
    robot = described(f"planar{seed}", joints, [(n + 1, n + 2)], lengths)
    inertias = tuple(Inertia.symbolic(j) for j in range(1, n + 1))
    values = dict(robot.values) | {name: as_value(float(x)) for name, x in _inertial(n, rng).items()}
    gravity = tuple(as_value(x) for x in (0, -9.81, 0))
    return replace(robot, inertias=inertias, gravity=gravity, drives=(Drive(),) * n, values=values)  # type: ignore[arg-type]


def _inertial(n: int, rng: np.random.Generator) -> dict[str, float]:
    return {f"{name}{j}": x for j in range(1, n + 1) for name, x in physical_inertia(rng).items()}


def renumbered(robot: Robot, seed: int) -> Robot:
    """The robot with other lengths; lengths that were equal stay equal."""
    rng = np.random.default_rng(seed)
    change: dict[float, float] = {}
    old = robot_numbers(robot)
    new = {n: old[n] * change.setdefault(old[n], rng.uniform(0.93, 1.07)) for n in ("L0", "L1", "L2", "L3", "L4")}
    return replace(robot, values=dict(robot.values) | {n: as_value(float(x)) for n, x in new.items()})  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(10))
def test_coefficients_of_random_loops_hold_at_another_geometry(seed: int) -> None:
    robot = planar(seed)
    found = symoro.base_parameters(robot)
    assert found.loops is not None
    assert not found.loops.numeric
    assert bool(found.loops.special) == (seed % 3 == 0)
    other = renumbered(robot, seed)
    again = symoro.base_parameters(other, guess=found.loops.branch)
    assert again.parameters == found.parameters
    numbers = robot_numbers(other)
    own = np.array([[evaluate(x, numbers) for x in row] for row in found.symbolic_matrix])
    assert any(symbols(x) for x in found.symbolic_matrix.flat if not isinstance(x, Number))
    q, qd, qdd = (np.array(x) for x in zip(*states(other, np.array(again.loops.branch), 6, seed), strict=True))  # type: ignore[union-attr]
    model = symoro.inverse_dynamics(other, optimize=False).compile("numpy")
    expected = model(q=q, qd=qd, qdd=qdd)
    values = dict(zip(found.parameters, own @ [numbers[n] for n in found.standard], strict=True))
    reduced = symoro.inverse_dynamics(again.robot, optimize=False).compile("numpy")
    got = reduced(q=q, qd=qd, qdd=qdd, values=values)
    assert_close(got, expected, 1e-9)
    assert len(movable(robot)) == len(found.loops.branch)


def test_a_guess_may_have_angles_beyond_a_half_turn() -> None:
    """A joint that has turned further is the same configuration: the guess of another number of turns is as good."""
    f = symoro.loop_geometry("four-bar").compile()
    guess = f([4.0], guess=f([0.3]))
    found = symoro.base_parameters("four-bar", guess=guess)
    assert len(found) == COUNTS["four-bar"][1]
    turned = symoro.base_parameters("four-bar", guess=guess - [2 * np.pi, 0, -2 * np.pi])
    assert turned.relations == found.relations
