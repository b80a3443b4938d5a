"""The answers that code makes for one pose are objects like others, in any thread and while memory is collected."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

import symoro
from support.arms import ARMS, configuration, forward
from support.one_pose import assert_same, made, with_entry
from symoro.runtime import direct
from symoro.solve.branches import Branches

Status = symoro.Status


def test_an_answer_is_an_object_like_others() -> None:
    robot, f, _ = made("puma560")
    T = forward(robot, np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    s = f._at_once(T)
    assert gc.is_tracked(s)
    assert "status=<Status.COMPLETE" in repr(s)
    with pytest.raises(FrozenInstanceError):
        s.q = None
    for other in (copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s)), replace(s)):
        assert_same(other, s)
    for array in (s.q, s.valid, s.free, s.distance):
        assert array.flags.owndata
        assert array.flags.writeable
    s.q[:], s.valid[:], s.free[:], s.distance[...] = 0.0, False, True, 7.0  # it is the caller's own
    assert f(T).valid.any()
    assert not f(T).free.any()


def test_a_solver_can_be_copied_and_sent() -> None:
    robot, f, _ = made("puma560")
    T = forward(robot, np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    for other in (copy.copy(f), pickle.loads(pickle.dumps(f))):
        assert_same(other(T), f(T))
        assert other._at_once is not f._at_once
    other.own = [other]  # the garbage collector frees what is in a circle
    del other
    alone = pickle.loads(pickle.dumps(f))._at_once
    gc.collect()
    assert_same(alone(T), f(T))  # the function holds all that its code reads


def test_references_and_memory_are_given_back() -> None:
    robot, f, _ = made("puma560")
    T = forward(robot, np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    far, bent = with_entry(T, (0, 3), 9.0), with_entry(T, (0, 0), 2.0)
    kept = f._at_once(T)
    watched = [T, np.ndarray, T.dtype, Branches, Status.COMPLETE, Status.UNREACHABLE, None, f._at_once]
    gc.collect()
    before = [sys.getrefcount(x) for x in watched]
    objects = len(gc.get_objects())
    for argument in (T, far, bent, T.tolist(), T[None], T[:3]):
        for _ in range(300):
            f._at_once(argument)
    gc.collect()
    assert max(abs(sys.getrefcount(x) - b) for x, b in zip(watched, before, strict=True)) < 50
    assert abs(len(gc.get_objects()) - objects) < 50
    assert [sys.getrefcount(getattr(kept, name)) for name in ("q", "valid", "free", "distance")] == [2] * 4


def test_threads_do_not_meet() -> None:
    robot, f, _ = made("puma560")
    rng, start = np.random.default_rng(6), threading.Barrier(8)
    T = forward(robot, np.array([configuration(robot, rng) for _ in range(8)]))
    wanted = [f(pose) for pose in T]

    def work(k: int) -> None:
        start.wait()
        for _ in range(500):
            assert_same(f(T[k]), wanted[k])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_a_call_inside_a_call() -> None:
    """The garbage collector may run while an answer is made, and what it runs may ask for other answers."""
    robot, f, _ = made("puma560")
    T, other = forward(robot, np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [-0.4, 0.3, 0.2, 0.1, 0.9, -0.6]]))
    wanted, inner = f(T), f(other)
    found: list[Branches] = []

    def collected(*_: Any) -> None:
        found.append(f(other))

    thresholds = gc.get_threshold()
    gc.callbacks.append(collected)
    try:
        gc.set_threshold(1)
        outer = [f(T) for _ in range(200)]
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(collected)
    assert found
    for s in outer:
        assert_same(s, wanted)
    for s in found:
        assert_same(s, inner)


@pytest.mark.parametrize("change", ["switch", "surprise", "slots"])
def test_behind_a_shut_door_the_long_way_stays(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if change == "switch":
        monkeypatch.setenv(direct.VARIABLE, "0")
    elif change == "surprise":
        monkeypatch.setattr(direct, "answers_are_right", lambda: False)
    else:
        monkeypatch.setattr("symoro.runtime.direct.call.slot_offsets", lambda *_: None)
    robot = ARMS["two-joints"]
    f = symoro.inverse_geometry(robot).compile()
    assert f._at_once is None
    T = forward(robot, np.array([0.3, 0.4]))
    assert_same(f(T), made("two-joints")[1](T))
