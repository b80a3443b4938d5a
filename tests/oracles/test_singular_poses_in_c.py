"""The emitted C of closed forms at singular poses: none is empty, and each branch has the pose, by NumPy products."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.arms import ARMS, apart, forward
from support.tools import needs_compiler
from symoro.robot.robot import Robot
from symoro.runtime.shared_library import shared_library

Array = np.ndarray[Any, Any]
pytestmark = needs_compiler
POSES = 400
MANY = """
#include "{name}.h"
void many(int poses, const double *T, double *q, double *valid, double *freed)
{{
    double error[{branches}], state[4];
    {name}_setup setup;
    {name}_set_up(&{name}_default_parameters, &setup);
    for (int i = 0; i < poses; i++)
        {name}(&setup, T + 16 * i, 0, q + {size} * i, valid + {branches} * i, freed + {size} * i, error, state);
}}
"""


def in_c(ik: symoro.Model, T: Array, folder: Path) -> tuple[Array, Array, Array]:
    """q, valid and free of poses by the package that `emit` writes."""
    files = [path for path in ik.emit("c", folder) if path.name.startswith(ik.robot.name)]
    name, branches, n = files[0].stem, ik.branches, len(ik.joints)
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in files]
    texts.append(("many.c", MANY.format(name=name, branches=branches, size=branches * n)))
    wanted = np.ascontiguousarray(T)
    found = [np.empty(shape) for shape in ((len(T), branches, n), (len(T), branches), (len(T), branches, n))]
    shared_library(tuple(texts)).many(len(T), *(ctypes.c_void_p(x.ctypes.data) for x in (wanted, *found)))
    return found[0], found[1] > 0.5, found[2] > 0.5


def arms() -> list[Any]:
    quick = ("ur5", "PRP-middle")
    every = (*quick, "puma560", "rx90", "parallel-last")
    return [pytest.param(name, marks=() if name in quick else pytest.mark.long) for name in every]


@pytest.mark.parametrize("name", arms())
def test_singular_poses_have_branches(name: str, tmp_path: Path) -> None:
    """Joints at multiples of 45°; the slides go as far."""
    robot: Robot = ARMS[name] if name in ARMS else symoro.load(name)
    ik = symoro.inverse_geometry(robot)
    wanted = np.random.default_rng(3).integers(0, 8, (POSES, 6)) * np.pi / 4
    T = forward(robot, wanted)
    q, valid, free = in_c(ik, T, tmp_path)
    assert valid.any(-1).all()
    away = np.abs(forward(robot, q[valid]) - np.repeat(T, valid.sum(-1), axis=0)).max((-1, -2))
    size = np.maximum(1, np.abs(T[:, :3, 3]).max(-1))
    assert (away / np.repeat(size, valid.sum(-1))).max() < 1e-9
    alone = ~(free & valid[..., None]).any((-1, -2))
    assert alone.sum() > POSES // 2
    assert np.where(valid, apart(robot, q, wanted[:, None]), np.inf).min(-1)[alone].max() < 1e-5


@pytest.mark.parametrize("name", ["ur5", pytest.param("parallel-last", marks=pytest.mark.long)])
def test_poses_near_two_singularities_have_branches(name: str, tmp_path: Path) -> None:
    """Distances of 1e-9 to 1e-5 rad from the multiples of 45°, where two roots are nearly one in two steps at once."""
    robot = ARMS[name] if name in ARMS else symoro.load(name)
    rng = np.random.default_rng(3)
    tiny = 10.0 ** np.repeat(np.arange(-9, -4), 2000)[:, None]
    T = forward(robot, rng.integers(0, 8, (10000, 6)) * np.pi / 4 + tiny * rng.uniform(-1, 1, (10000, 6)))
    q, valid, _ = in_c(symoro.inverse_geometry(robot), T, tmp_path)
    assert valid.any(-1).all()
    assert np.abs(forward(robot, q[valid]) - np.repeat(T, valid.sum(-1), axis=0)).max() < 1e-9
