"""Closed forms of arms by LLVM and by NumPy, and how their answers are compared."""

from __future__ import annotations

from functools import cache

import numpy as np

import symoro
from support.arms import ARMS
from symoro.robot.robot import Robot
from symoro.solve.branches import Branches
from symoro.solve.closed import ClosedForm


@cache
def made(name: str) -> tuple[Robot, ClosedForm, ClosedForm]:
    """A robot, and its closed form by LLVM and by NumPy."""
    robot = ARMS[name] if name in ARMS else symoro.load(name)
    ik = symoro.inverse_geometry(robot)
    found = ik.compile(), ik.compile("numpy")
    assert all(isinstance(f, ClosedForm) for f in found)
    return robot, *found


def with_entry(T: np.ndarray, place: tuple[int, int], x: float) -> np.ndarray:
    changed = T.copy()
    changed[place] = x
    return changed


def assert_same(found: Branches, wanted: Branches, atol: float = 0.0) -> None:
    assert type(found) is Branches
    assert found.status is wanted.status
    assert type(found.distance) is np.ndarray
    for name in ("q", "valid", "free", "distance"):
        ours, theirs = getattr(found, name), getattr(wanted, name)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=atol, err_msg=name)
