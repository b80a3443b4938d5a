"""Closing loops: one configuration, a path on one branch, all branches, and clear answers where nothing closes."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.close import assert_close
from symoro.assembly import Assembly
from symoro.errors import CannotClose, NotApplicable, ShapeError


@pytest.fixture(scope="module")
def five_bar() -> Assembly:
    return symoro.loop_geometry("five-bar").compile()


def test_a_procedure_looks_like_a_model() -> None:
    procedure = symoro.loop_geometry("five-bar")
    assert procedure.inputs == {"qa": (2,)}
    assert procedure.outputs == {"q": (4,)}
    assert (procedure.name, procedure.driver, procedure.citation) == ("loop_geometry", "newton", "K97:2")
    assert {"E1", "E2", "QC5"} <= {name for name, _ in procedure.equations()}
    assert procedure.ops.total > 0
    assert "E" in procedure.latex()


def test_many_positions_at_once(five_bar: Assembly) -> None:
    q = five_bar(np.array([[2.0, 1.0], [1.9, 1.1], [1.8, 1.2]]))
    assert q.shape == (3, 4)
    assert np.abs(five_bar.gap(q)).max() < 1e-12
    assert five_bar.cut(q).shape == (3, 1)


def test_a_path_stays_on_its_branch(five_bar: Assembly) -> None:
    first, second = five_bar.branches([2.0, 1.0])
    way = np.linspace([2.0, 1.0], [1.2, 1.7], 20)
    for start in (first, second):
        path = five_bar.path(start, way)
        assert np.abs(np.diff(path, axis=0)).max() < 0.3
        back = five_bar([2.0, 1.0], guess=path[-1])
        assert_close(back, start, 1e-10)


def test_a_guess_leads_to_its_branch(five_bar: Assembly) -> None:
    for branch in five_bar.branches([2.0, 1.0]):
        near = five_bar([2.1, 0.9], guess=branch)
        assert np.abs(near - branch).max() < 0.5


def test_other_lengths(five_bar: Assembly) -> None:
    values = {"L2": 0.7, "L4": 0.6}
    q = five_bar([2.0, 1.0], values=values)
    assert np.abs(five_bar.gap(q, values=values)).max() < 1e-12
    assert np.abs(five_bar.gap(q)).max() > 1e-3


def test_no_configuration_closes(five_bar: Assembly) -> None:
    short = {"L2": 0.1, "L4": 0.1}
    assert five_bar.branches([3.1, 0.0], values=short).shape == (0, 4)
    with pytest.raises(CannotClose, match=r"cannot be closed for q1 = 3.1, q3 = 0 \(smallest gap found: 0\.\d+\)"):
        five_bar([3.1, 0.0], values=short)


def test_a_branch_ends(five_bar: Assembly) -> None:
    """On the way to a position that cannot be closed the message says how far the branch reaches."""
    tight = {"L2": 0.35, "L4": 0.35}
    start = five_bar([1.6, 1.5], values=tight)
    with pytest.raises(CannotClose, match=r"its branch ends near q1 = "):
        five_bar([3.1, 0.0], guess=start, values=tight)


def test_a_guess_that_does_not_close(five_bar: Assembly) -> None:
    with pytest.raises(CannotClose, match="to start from does not close"):
        five_bar([1.0, 1.0], guess=[3.1, 0, 0, 0], values={"L2": 0.1, "L4": 0.1})


def test_wrong_shapes(five_bar: Assembly) -> None:
    with pytest.raises(ShapeError, match=r"qa must have shape \(2,\) or \(..., 2\), not \(3,\)"):
        five_bar([1.0, 1.0, 1.0])
    with pytest.raises(ShapeError, match=r"guess must have shape \(4,\)"):
        five_bar([1.0, 1.0], guess=[0.0, 0.0])
    with pytest.raises(ShapeError, match=r"qa must have shape \(2,\)"):
        five_bar.branches(1.0)
    with pytest.raises(ShapeError, match=r"start must have shape \(4,\)"):
        five_bar.path([1.0, 1.0], [[1.0, 1.0]])


def test_passive_joints_that_move_by_themselves() -> None:
    assembly = symoro.loop_geometry("test-loop").compile()
    with pytest.raises(CannotClose, match="infinitely many ways"):
        assembly.branches([0.4, 0.4])


def test_open_robots_have_no_loops() -> None:
    with pytest.raises(NotApplicable, match="no closed loops"):
        symoro.loop_geometry("rx90")
