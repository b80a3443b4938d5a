"""Jacobian matrices: counts, choices of frames, columns."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.kinematics import one
from symoro.errors import OptionError


@pytest.mark.parametrize(("name", "most"), [("rx90", 9), ("puma560", 12)])
def test_counts_in_frame_3(name: str, most: int) -> None:
    model = symoro.jacobian(name, 6, 3)
    assert model.ops.total <= most
    calls = [right for _, right in model.equations() if right.startswith(("sin(", "cos("))]
    assert len(calls) == len(set(calls)) == model.ops.trig  # each angle's sine and cosine once


@pytest.mark.long
@pytest.mark.parametrize("frame", [0, 3, 6])
def test_the_cheapest_of_all_frames(frame: int) -> None:
    best = symoro.jacobian("rx90", 6, frame).ops.total
    every = [
        symoro.jacobian("rx90", 6, frame, projection=i, intermediate=j).ops.total for i in (0, 3, 6) for j in (0, 3, 6)
    ]
    assert best <= min(every)


def test_every_choice_gives_the_same_matrix() -> None:
    q = np.random.default_rng(1).normal(size=6)
    wanted = one(symoro.jacobian("puma560", 6), q=q)
    for i, j in ((0, 0), (2, 5), (6, 3), (4, 6)):
        found = one(symoro.jacobian("puma560", 6, projection=i, intermediate=j, optimize=False), q=q)
        assert_close(found, wanted, 1e-13)


def test_columns_off_the_path_are_zero() -> None:
    model = symoro.jacobian("two-arm", 3)
    J = one(model, q=np.random.default_rng(2).normal(size=model.inputs["q"][0]))
    assert J.shape == (6, model.inputs["q"][0])
    assert not J[:, 3:].any()


def test_frames_must_be_on_the_way() -> None:
    with pytest.raises(
        OptionError, match=r"projection=6 is not a frame on the way to the link \(allowed: 0, 1, 2, 3\)"
    ):
        symoro.jacobian("rx90", 3, projection=6)
