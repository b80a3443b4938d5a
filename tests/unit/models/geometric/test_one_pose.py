"""One pose is answered by the code itself; whatever it does not take goes the general way, with the same answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symoro
from support.arms import apart, configuration, forward
from support.one_pose import assert_same, made, with_entry
from support.raised import raised
from symoro.errors import InputError, MissingParameter, ShapeError
from symoro.robot.joint import Limits
from symoro.robot.robot import Robot
from symoro.robot.values import as_value
from symoro.solve.branches import Branches
from symoro.solve.closed import ClosedForm

Status = symoro.Status
#: Arms with eight, four and two branches, and with a prismatic joint; and one with a second look at lost branches.
QUICK = ("puma560", "ur5", "youbot-like", "scara-rrpr", "two-joints")
NAMES = (*QUICK, "parallel-last")
LIMITS = (
    Limits(as_value(-2), as_value("2.5")),
    Limits(as_value(1), as_value(8)),
    Limits(),
    Limits(as_value("-2.8"), None),
)


def poses(name: str) -> Iterator[np.ndarray]:
    """Poses of every kind: reachable, singular, out of reach, and none at all."""
    robot, rng = made(name)[0], np.random.default_rng(4)
    for q in [configuration(robot, rng) for _ in range(20)]:
        yield forward(robot, q)
        T = forward(robot, np.round(q / (np.pi / 4)) * np.pi / 4)
        yield T
        yield with_entry(T, (0, 3), T[0, 3] + 9)
    yield from (with_entry(T, place, x) for place in ((0, 3), (1, 1), (3, 0)) for x in (np.nan, np.inf, 1e200, 0.7))


@pytest.mark.parametrize("name", [*QUICK, pytest.param("parallel-last", marks=pytest.mark.long)])
def test_the_answer_is_that_of_numpy(name: str) -> None:
    _, f, reference = made(name)
    for T in poses(name):
        with np.errstate(all="ignore"):
            wanted = reference(T)
        if wanted.status is Status.UNREACHABLE:  # what is far away has no exact distance
            assert f(T).status is Status.UNREACHABLE
            assert not f(T).valid.any()
        else:
            found = f(T)
            turns = np.round((found.q - wanted.q) / (2 * np.pi))  # −π and π are one angle
            assert_same(replace(found, q=found.q - 2 * np.pi * turns), wanted, 1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_usual_poses_take_the_short_way_with_the_answer_of_the_long_one(name: str) -> None:
    robot, f, _ = made(name)
    short = 0
    for T in poses(name):
        at_once = f._at_once(T)
        short += at_once is not None
        if at_once is not None:
            assert_same(at_once, the_long_way(f, T))
            assert at_once.status is (Status.COMPLETE if at_once.valid.any() else Status.UNREACHABLE)
            reached = forward(robot, at_once.q[at_once.valid])
            assert np.abs(reached - T).max(initial=0.0) < 1e-9
            assert np.isnan(at_once.q[~at_once.valid]).all()
    assert short >= 20


def the_long_way(f: ClosedForm, T: np.ndarray) -> Branches:
    """The long way."""
    return f(T, nearest_rotation=False, values={})


def test_a_given_joint_is_the_second_array() -> None:
    robot = symoro.load("kuka-iiwa")
    f = symoro.inverse_geometry(robot, redundant={3: "q3"}).compile()
    rng = np.random.default_rng(0)
    for q in [configuration(robot, rng) for _ in range(10)]:
        T, r = forward(robot, q), q[[2]]
        at_once = f._at_once(T, r)
        assert at_once is not None
        assert_same(f(T, r), at_once)
        assert apart(robot, at_once.q[at_once.valid], q).min() < 1e-7
        for form in (r.tolist(), r.astype(">f8"), np.repeat(r, 2)[::2]):
            assert_same(f(T, form), at_once)
    assert f._at_once(T) is None
    assert f._at_once(T, r, r) is None
    assert f._at_once(T, np.zeros(2)) is None
    assert f._at_once(T, r[None]) is None
    for call in (lambda: f(T), lambda: f(T, [0.1, 0.2])):
        with pytest.raises(ShapeError):
            call()


def forms(T: np.ndarray) -> dict[str, Any]:
    misaligned = np.zeros(16 * 8 + 1, np.uint8)[1:].view(np.float64).reshape(4, 4)
    misaligned[:] = T
    wide = np.zeros((4, 8))
    wide[:, ::2] = T
    return {
        "list": T.tolist(),
        "columns": np.asfortranarray(T),
        "strides": wide[:, ::2],
        "turned": np.ascontiguousarray(T[::-1])[::-1],
        "bytes": T.astype(">f8"),
        "misaligned": misaligned,
        "subclass": T.view(np.recarray),
        "long": T.astype(np.longdouble),
    }


def test_every_form_of_a_pose_has_the_same_answer() -> None:
    robot, f, _ = made("puma560")
    T = forward(robot, np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    wanted = f._at_once(T)
    for name, form in forms(T).items():
        assert f._at_once(form) is None, name
        assert_same(f(form), wanted)
    frozen = T.copy()
    frozen.flags.writeable = False
    assert_same(f._at_once(frozen), wanted)
    assert_same(f._at_once(T.copy().reshape(1, 4, 4)[0]), wanted)
    near = f(T.astype(np.float32), nearest_rotation=True)
    assert near.status is Status.COMPLETE
    for other in (np.zeros((4, 4), int), np.zeros((2, 4, 4)), np.zeros(16), np.zeros((4, 3)), np.zeros(()), None, "x"):
        assert f._at_once(other) is None
    assert f(np.eye(4, dtype=int)).status is f(np.eye(4)).status


def test_keywords_take_the_long_way() -> None:
    robot, f, _ = made("puma560")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    T = forward(robot, q)
    np.testing.assert_allclose(f(T, nearest=q).q[0], q, atol=1e-12)
    assert f(T, limits=True).valid.sum() <= f(T).valid.sum()
    assert f(T, values={"D3": 9.0}).status is Status.UNREACHABLE
    assert f(np.round(T, 4)).status is Status.INVALID
    assert f(np.round(T, 4), nearest_rotation=True).status is Status.COMPLETE
    assert_same(f(T, nearest_rotation=False, nearest=None, limits=False, values=None), f._at_once(T))


def limited(f: ClosedForm) -> ClosedForm:
    """The solver of the robot with limits."""
    model, *others = f._made_of
    joints = [replace(joint, limits=LIMITS[k % len(LIMITS)]) for k, joint in enumerate(model.robot.joints)]
    return ClosedForm(replace(model, robot=replace(model.robot, joints=tuple(joints))), *others)


def is_inside(f: ClosedForm, q: np.ndarray) -> bool:
    """Whether a branch, or one that is whole turns away, is inside the limits."""
    for joint, x in zip(map(f.robot.joint, f.joints), q, strict=True):
        lower, upper = (limit and float(limit.value) for limit in (joint.limits.lower, joint.limits.upper))
        turned = x + 2 * np.pi * np.arange(-3, 4) * (not joint.prismatic)
        if not ((turned >= (-np.inf if lower is None else lower)) & (turned <= (upper or np.inf))).any():
            return False
    return True


@pytest.mark.parametrize("name", QUICK)
def test_nearest_and_limits_of_one_pose(name: str) -> None:
    f, rng = limited(made(name)[1]), np.random.default_rng(8)
    for T in list(poses(name))[:30]:
        near = rng.uniform(-4, 4, len(f.joints))
        for options in ({"nearest": near}, {"limits": True}, {"nearest": near, "limits": True}):
            one, many = f(T, **options), f(T[None], **options)
            row = Branches(many.q[0], many.valid[0], many.status[0], many.free[0], np.array(many.distance[0]))
            assert_same(one, row, 1e-12)
        every, inside, sorted_ = f(T), f(T, limits=True), f(T, nearest=near)
        if every.status is not Status.CONTINUUM:
            assert inside.valid.sum() == sum(is_inside(f, q) for q in every.q[every.valid])
            assert all(is_inside(f, q) for q in inside.q[inside.valid])
            lengths = [np.linalg.norm(q - near) for q in sorted_.q[sorted_.valid]]
            assert lengths == sorted(lengths)
        assert f(T, nearest=[near, -near]).q.shape == (2, *every.q.shape)


@pytest.mark.parametrize("wrong", ["x", None, [[1, 2], [3]], np.eye(3), 1j * np.eye(4)])
def test_what_is_no_pose_is_refused(wrong: Any) -> None:
    _, f, _ = made("puma560")
    with pytest.raises((InputError, ShapeError)):
        f(wrong)


@pytest.mark.parametrize("x", [np.nan, np.inf])
def test_a_nearest_that_is_not_finite_is_refused(x: float) -> None:
    _, f, _ = made("puma560")
    with raised("positions.not_finite", InputError, name="nearest"):
        f(np.eye(4), nearest=[0, 0, x, 0, 0, 0])


def test_a_parameter_without_a_number_is_named() -> None:
    robot = Robot.from_mdh([{"alpha": 0, "r": "H"}, {"alpha": "pi/2", "d": "A2"}], "symbols")
    f = symoro.inverse_geometry(robot).compile()
    with raised("errors.no_value", MissingParameter):
        f(np.eye(4))
    numbers = {"H": 0.2, "A2": 0.3}
    s = f(forward(robot.with_values(numbers), np.array([0.4, 0.5])), values=numbers)
    np.testing.assert_allclose(s.q[s.valid][0], [0.4, 0.5], atol=1e-12)
