"""The columns of identification models: which there are, what they are called, what they mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.signal import lfilter, lsim

import symoro
from support.close import assert_close
from support.raised import raised
from symoro.bind.symbols import Symbols
from symoro.errors import ModelError, NotApplicable, ShapeError
from symoro.ir.graph import Graph
from symoro.models.catalogue import entries
from symoro.models.identification.regressors.energy import energy_difference_regressor
from symoro.models.identification.regressors.filtered import filters
from symoro.models.identification.regressors.selection import Columns, selected
from symoro.robot.base import Base, BaseKind
from symoro.robot.link import Drive
from symoro.robot.values import Bindings, as_value


def test_columns_are_named_by_parameters() -> None:
    base = symoro.base_parameters("rx90")
    assert symoro.dynamic_regressor("rx90", params="base", optimize=False).columns == base.parameters
    assert symoro.dynamic_regressor("rx90", optimize=False).columns == base.standard
    assert symoro.inverse_dynamics("rx90", optimize=False).columns == ()


def test_elements_carry_names_and_meanings() -> None:
    D = symoro.dynamic_regressor("rx90", params="base", optimize=False).program.outputs[0]
    assert D.shape == (6, 40)
    assert D.names[:2] == ("D1_ZZR1", "D1_XXR2")
    assert D.meanings[0].text.startswith("ZZR1: inertia of link 1")
    assert D.meanings[0].equation == "K97:39"
    assert [D.meanings[row * 40].link for row in range(6)] == [1, 2, 3, 4, 5, 6]
    assert D.columns == D.meanings[:40]


@pytest.mark.parametrize("target", ["c", "python"])
def test_code_says_what_each_column_is(target: str, tmp_path: Path) -> None:
    files = symoro.filtered_regressor("planar2r", params="base", optimize=False).emit(target, tmp_path)
    text = "\n".join(file.read_text(encoding="utf-8") for file in files if file.suffix in (".h", ".py"))
    assert text.count("column 0, ZZR1: inertia of link 1 about the origin of its frame, zz, regrouped [kg·m²]\n") == 2
    assert text.count("column 10, FS2: Coulomb friction of joint 2 [N·m or N]\n") == 2


def test_columns_make_a_table() -> None:
    """Rows are samples, and joints within them."""
    model = symoro.dynamic_regressor("planar2r", params="base", optimize=False)
    D = model.compile("numpy")(*np.random.default_rng(1).normal(size=(3, 5, 2)))
    table = model.by_column(D)
    assert tuple(table) == model.columns
    assert all(column.shape == (10,) for column in table.values())
    np.testing.assert_array_equal(table["FV1"], D[..., model.columns.index("FV1")].ravel())


def test_tables_of_several_outputs() -> None:
    model = symoro.energy_regressor("planar2r", params="base", optimize=False)
    found = model.compile("numpy")(*np.random.default_rng(2).normal(size=(2, 5, 2)))
    both = model.by_column(found.h, "h") | model.by_column(found.hf, "hf")
    assert tuple(both) == model.columns
    assert model.by_column(found.hf[0], "hf")["FS2"].shape == (1,)


def test_what_is_no_table_is_refused() -> None:
    model = symoro.energy_regressor("planar2r", optimize=False)
    with raised("regressors.several_outputs", ModelError):
        model.by_column(np.zeros(3))
    with raised("regressors.no_output", ModelError):
        model.by_column(np.zeros(3), "D")
    with raised("regressors.shape", ShapeError):
        model.by_column(np.zeros(3), "hf")
    for other in (symoro.inverse_dynamics("planar2r"), model.derivative("q")):
        with pytest.raises(ModelError, match="have no names"):
            other.by_column(np.zeros(2))


def test_columns_that_are_asked_for() -> None:
    assert "FV1" not in symoro.dynamic_regressor("rx90", optimize=False).columns
    every = {"rotors": True, "friction": True, "offset": True}
    full = symoro.dynamic_regressor("rx90", **every, params="base", optimize=False).columns
    assert len(full) == 40 + 12 + 6
    assert full[-1] == "FO6"
    bare = symoro.dynamic_regressor("scara", rotors=False, friction=False, params="base", optimize=False).columns
    assert bare == symoro.base_parameters("scara").inertial
    arm = symoro.dynamic_regressor("kuka-lwr", rotors=True, params="base", optimize=False).columns
    assert len(arm) == 48


def test_the_rows_of_the_catalogue_say_which_models_have_columns() -> None:
    marked = {entry.name for entry in entries() if entry.columns}
    assert marked == {entry.name for entry in entries() if entry.menu == "Identification"}


def test_the_energy_of_friction_depends_on_the_way() -> None:
    """So the difference of energies has the columns of links and rotors, whatever is asked for."""
    s = Symbols(symoro.load("scara"), Graph())
    [found] = energy_difference_regressor(s, Columns(friction=True, offset=True))
    assert [name.partition("_")[2] for name in found.names] == list(symoro.base_parameters("scara").standard)


def test_the_same_selection_is_made_once() -> None:
    s = Symbols(symoro.load("scara"), Graph())
    assert selected(s, Columns(rotors=True)) is selected(s, Columns(rotors=True))
    assert selected(s, Columns(rotors=True)) is not selected(s, Columns())


FRICTION = {"FV": 0.4, "FS": 0.7, "FA": 0.2, "FO": 0.1, "FST": 1.1, "BST": 5.0}


def test_all_of_friction_is_linear_but_its_shape() -> None:
    """BST, by which static friction fades, stays a parameter of the model."""
    robot = symoro.load("planar2r")
    drives = [Drive(as_value(f"IA{j}"), *map(as_value, FRICTION.values())) for j in (1, 2)]
    robot = replace(robot, drives=tuple(drives), values=Bindings({**robot.values, "IA1": 1, "IA2": 2}))
    model = symoro.dynamic_regressor(robot)
    state = np.random.default_rng(0).normal(size=(3, 2))
    known = robot.values.numbers() | {f"{name}{j}": x for name, x in FRICTION.items() for j in (1, 2)}
    torque = symoro.inverse_dynamics(robot).compile("numpy")(*state)
    K = np.array([known[name] for name in model.columns])
    assert model.columns[-2:] == ("FO1", "FO2")
    np.testing.assert_allclose(model.compile("numpy")(*state) @ K, torque, rtol=1e-12)


def test_energy_needs_a_base_that_stands_still() -> None:
    robot = replace(symoro.load("rx90"), base=Base(BaseKind.MOVING))
    with raised("models.moving_base_works", NotApplicable):
        symoro.energy_regressor(robot)


def test_energy_and_its_loss_are_apart() -> None:
    model = symoro.energy_regressor("scara", params="base")
    assert model.outputs == {"h": (11,), "hf": (8,)}
    assert model.columns == symoro.base_parameters("scara", friction=True).parameters
    assert symoro.energy_regressor("rx90").outputs == {"h": (66,)}


def test_filters() -> None:
    F, derived = filters(10.0)
    assert (F.numerator, F.denominator) == ((100.0,), (1.0, 20.0, 100.0))
    assert derived.numerator == (100.0, 0.0)
    assert filters(2.0, order=3)[0].denominator == (1.0, 6.0, 12.0, 8.0)
    with pytest.raises(ValueError, match="order 2"):
        filters(1.0, order=1)


def test_a_digital_filter_follows_the_analog_one() -> None:
    t = np.linspace(0, 2, 2001)
    u = np.sin(3 * t)
    for f in filters(10.0):
        b, a = f.digital(1000.0)
        expected = lsim((f.numerator, f.denominator), u, t)[1]
        assert_close(lfilter(b, a, u), expected, 5e-3)
