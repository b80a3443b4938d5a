"""Whatever `check` accepts is right: Newton-Euler, Lagrange and Pinocchio on robots that mix what files can say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.every_robot import Case, every_robot
from support.free_robots import Array, State
from support.multipliers import Multipliers, configured
from support.samples import some
from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.graph import Graph
from symoro.models.families import constraint_of, constraints
from symoro.models.problems import constraint_problems
from symoro.robot.base import BaseKind
from symoro.robot.check import check
from symoro.robot.joint import Joint

ROBOTS = some(6, of=2000)
#: Two motors of this robot cannot move independently of each other: q3 + NG q4 is constant in its first loop.
UNDETERMINED = 1490


def owners(case: Case) -> list[Joint]:
    return [joint for joint in case.bare.joints[: case.bare.link_count] if joint.variable]


def floats(case: Case) -> bool:
    return case.bare.base.kind is BaseKind.FLOATING


def places_left(case: Case, base: int) -> list[int]:
    """Where the velocities that constraints leave are among those of base and variables."""
    dependent: tuple[int, ...] = ()
    if constraints(case.bare):
        dependent = constraint_of(Symbols(case.bare, Graph())).dependent
    free = [base + n for n, joint in enumerate(owners(case)) if joint.index not in dependent]
    return [*range(6), *free] if floats(case) else free


def random_state(case: Case, seed: int) -> State:
    rng = np.random.default_rng(seed)
    inputs = {**symoro.inverse_dynamics(case.robot, optimize=False).inputs, "tau": None}
    count = sum(joint.actuated for joint in owners(case))
    state = {name: rng.uniform(-1, 1, shape or (count,)) for name, shape in inputs.items()}
    return configured(case, state)


def determined(case: Case) -> bool:
    """Whether Pinocchio's rows give the velocities of the dependent coordinates in the closed configuration."""
    base = 6 if case.bare.base.free else 0
    left = places_left(case, base)
    if not constraints(case.bare):
        return True
    none = np.zeros((sum(not wrench.is_zero for wrench in case.bare.wrenches), 6))
    state = {"q": case.q, "wrench": none}
    C, _ = Multipliers(case, state, left).rows(np.zeros(base + len(owners(case))))
    rest = [k for k in range(C.shape[1]) if k not in left]
    return bool(np.linalg.matrix_rank(C[:, rest], tol=1e-9) == len(rest))


def called(function: Any, state: State) -> Any:
    return function(**{name: state[name] for name in function.inputs})


def output(found: Any, name: str) -> Array:
    """An output of a model that has one or several."""
    return np.asarray(getattr(found, name) if hasattr(found, "_fields") else found)


def refuses(case: Case) -> None:
    """`symoro check` and the models of an undetermined robot give the reason."""
    assert any("can move while" in problem.message for problem in constraint_problems(case.robot))
    for name in ("direct_dynamics", "inverse_dynamics", "inertia_matrix"):
        with pytest.raises(NotApplicable, match="can move while"):
            getattr(symoro, name)(case.robot)


def by_lagrange(case: Case) -> Any:
    """The torques by Lagrange's equations, for trees with a motor for each variable; else None."""
    if case.shape != "tree" or floats(case) or not all(joint.actuated for joint in owners(case)):
        return None
    return symoro.inverse_dynamics(case.robot, method="lagrange", optimize=False).compile("numpy")


@pytest.mark.parametrize("seed", ROBOTS)
def test_dynamics(seed: int) -> None:
    """Accelerations of the multipliers' equations, and the torques that give them back."""
    case, optimize = every_robot(seed), seed % 3 == 0
    assert not [problem for problem in check(case.robot) if problem.severity == "error"]
    if not determined(case):
        refuses(case)
        return
    state = random_state(case, seed)
    base = 6 if case.bare.base.free else 0
    left = places_left(case, base)
    oracle = Multipliers(case, state, left)
    rates = np.r_[state["V0"], state["qd"]] if floats(case) else state["qd"]
    resting = oracle.motion(rates, np.zeros(len(left)))
    M, h = oracle.equations(resting.u)
    A, H = resting.G.T @ M @ resting.G, resting.G.T @ (M @ resting.ud + h)
    moved = [n for n, k in enumerate(left) if k >= base and owners(case)[k - base].actuated]
    tau = np.zeros(len(left))
    tau[moved] = state["tau"]
    v = np.linalg.solve(A, tau - H)
    condition = float(np.linalg.cond(A))

    models = {
        name: getattr(symoro, name)(case.robot, optimize=optimize).compile("numpy")
        for name in ("direct_dynamics", "inverse_dynamics", "inertia_matrix")
    }
    found = called(models["direct_dynamics"], state)
    QDP = output(found, "QDP")
    assert_close(np.r_[found.VP0, QDP] if floats(case) else QDP, v, 1e-9, condition)
    if case.bare.base.wheels:
        assert_close(found.V0, resting.u[:6], 1e-9)
    assert_close(called(models["inertia_matrix"], state), A, 1e-9)
    state["qdd"] = v[moved]
    found = called(models["inverse_dynamics"], state)
    if moved:
        assert_close(output(found, "GAM"), state["tau"], 1e-9, condition)
    if rest := [n for n in range(len(left)) if n not in moved and left[n] >= base]:
        assert_close(output(found, "QDP"), v[rest], 1e-9, condition)
    if floats(case):
        assert_close(found.VP0, v[:6], 1e-9, condition)
    if lagrange := by_lagrange(case):
        assert_close(called(lagrange, state), output(found, "GAM"), 1e-9, condition)


def test_an_undetermined_robot_is_refused() -> None:
    case = every_robot(UNDETERMINED)
    assert not determined(case)
    refuses(case)
