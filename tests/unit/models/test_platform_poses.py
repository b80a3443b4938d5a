"""A matrix that is no pose of a platform: compiled models refuse it, and give NaN where it is not finite."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.errors import InputError, MissingParameter, ShapeError
from symoro.models.parallel import platform
from symoro.solve.branches import Status

STILL = np.zeros(6)


def home() -> np.ndarray[Any, Any]:
    T = np.eye(4)
    T[2, 3] = 1.1
    return T


def reflected() -> np.ndarray[Any, Any]:
    T = home()
    T[0, 0] = -1
    return T


def stretched() -> np.ndarray[Any, Any]:
    T = home()
    T[:3, :3] *= 1 + 1e-5
    return T


def transposed() -> np.ndarray[Any, Any]:
    return home().T


@pytest.fixture(scope="module")
def inverse() -> Any:
    return symoro.inverse_dynamics("gough-stewart", optimize=False).compile("numpy")


@pytest.mark.parametrize("wrong", [reflected(), stretched(), transposed(), np.zeros((4, 4))])
def test_a_matrix_that_is_no_pose_is_refused(inverse: Any, wrong: np.ndarray[Any, Any]) -> None:
    with pytest.raises(InputError, match=r"input T is no pose: it differs by .* \(allowed: 1e-6\)"):
        inverse(wrong, STILL, STILL)
    with raised("runtime.pose_at", InputError, index="(1,)"):
        inverse(T=np.array([home(), wrong]), V=STILL, VP=STILL)


def test_a_pose_that_is_not_finite_gives_no_numbers(inverse: Any) -> None:
    unknown = home()
    unknown[3, 0] = np.nan  # a number that no equation reads
    found = inverse(np.array([home(), unknown, np.full((4, 4), np.nan)]), STILL, STILL)
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1:]).all()
    assert np.isnan(inverse(unknown, STILL, STILL)).all()
    assert np.array_equal(found[0], inverse(home(), STILL, STILL))


def test_several_outputs_and_the_memory_of_the_caller() -> None:
    energies = symoro.energies("gough-stewart", optimize=False).compile("numpy")
    found = energies(np.array([home(), np.full((4, 4), np.nan)]), STILL)
    assert np.isfinite([found.E[0], found.U[0]]).all()
    assert np.isnan([found.E[1], found.U[1]]).all()
    assert np.isnan(energies(np.full((4, 4), np.nan), STILL).U)
    bias = symoro.bias("gough-stewart", optimize=False).compile("numpy")
    out = np.zeros((2, 6))
    assert bias(np.array([home(), np.full((4, 4), np.nan)]), STILL, out=out) is out
    assert np.isnan(out[1]).all()
    assert np.isfinite(out[0]).all()


def test_rounded_poses_and_other_processes(inverse: Any) -> None:
    rounded = np.round(symoro.workspace("gough-stewart", rx=[0.3]).T[0], 7)
    assert np.isfinite(inverse(rounded, STILL, STILL)).all()
    again = pickle.loads(pickle.dumps(inverse))
    with raised("runtime.pose", InputError):
        again(reflected(), STILL, STILL)


def test_platforms_with_constraints_refuse_it_before_they_warn() -> None:
    model = symoro.jdot_qdot("planar-3rrr", optimize=False).compile("numpy")
    with raised("runtime.pose", InputError):
        model(reflected(), STILL)
    with raised("runtime.pose_here", InputError):
        symoro.singularities("planar-3rrr").at(reflected())


def test_a_guess_that_does_not_lead_to_an_assembly_proves_nothing() -> None:
    robot = symoro.load("planar-3rrr")
    q = symoro.inverse_geometry(robot).compile("numpy")(np.eye(4)).q[0]
    forward = symoro.forward_geometry(robot, optimize=False).compile("numpy")
    far = np.eye(4)
    far[0, 3] = 5.0
    lost = forward(q, guess=far)
    assert not lost.valid.any()
    assert lost.status is Status.INCOMPLETE
    assert forward(q, guess=np.eye(4)).valid.all()
    assert forward(q, guess=reflected()).status is Status.INVALID
    assert forward(q * np.nan, guess=np.eye(4)).status is Status.INVALID


def test_branches_of_legs_are_sorted_by_their_distance_from_positions() -> None:
    robot = symoro.load("five-bar-legs")
    T = platform.home(robot)
    legs = symoro.inverse_geometry(robot).compile()
    every = legs(T, joints=True)
    near = np.append(every.q[0, :2] + 2 * np.pi, every.q[1, 2:]) + 0.01  # the first leg in another turn and branch
    assert np.abs(legs(T, joints=True, nearest=near).q[0] - near).max() < 0.010001
    motors = every.q[1, [0, 2]]
    assert np.abs(legs([T, T], nearest=motors).q[:, 0] - motors).max() < 1e-12
    with pytest.raises(ShapeError):
        legs(T, nearest=near)


def test_regrouped_parameters_never_need_more_operations() -> None:
    standard, base = (symoro.inverse_dynamics("delta", params=params) for params in ("standard", "base"))
    assert base.ops.total <= standard.ops.total


@pytest.mark.parametrize(
    "work",
    [
        lambda robot: symoro.forward_geometry(robot).compile()([0.5, 2.0]),
        lambda robot: symoro.inverse_geometry(robot).compile()(np.eye(4)),
        lambda robot: symoro.singularities(robot).at(np.eye(4)),
        symoro.workspace,
        symoro.excite,
    ],
)
def test_a_length_without_a_number_is_named(work: Any) -> None:
    with pytest.raises(MissingParameter) as error:
        work(without_a_length())
    assert error.value.names == ("L1_1",)


def test_base_parameters_name_a_length_for_which_they_took_an_arbitrary_number() -> None:
    with raised("platforms.few_poses_of_symbols") as error:
        symoro.base_parameters(without_a_length())
    assert "L1_1" in str(error.value)


def without_a_length() -> symoro.Robot:
    robot = symoro.load("five-bar-legs")
    return replace(robot, values={name: x for name, x in robot.values.items() if name != "L1_1"})
