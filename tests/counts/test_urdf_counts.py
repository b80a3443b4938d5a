"""The models of a robot from a URDF file need at most 2 % more operations than those of a table made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import symoro
from support.robot_files import URDF
from support.written_urdf import IIWA, PUMA
from symoro.formats import urdf
from symoro.models.catalogue import entries, find
from symoro.robot.base import Base
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.symbolic import with_symbols

UR5 = URDF["ur_description/urdf/ur5_robot.urdf"].read_text(encoding="utf-8")
PANDA = URDF["panda_description/urdf/panda.urdf"].read_text(encoding="utf-8").replace("prismatic", "fixed")
FILES = {"ur5": UR5, "panda": PANDA, "kuka-iiwa": IIWA, "puma560": PUMA}
MODELS = ("inverse_dynamics", "inertia_matrix", "bias", "direct_dynamics", "gravity", "jacobian", "forward_geometry")
SMALL = (
    "velocities",
    "accelerations",
    "jdot_qdot",
    "energies",
    "energy_regressor",
    "centre_of_mass",
    "payload_torques",
)
OTHERS = [
    entry.name
    for entry in entries()
    if not entry.name.startswith(("loop", "cut")) and entry.name not in (*MODELS, *SMALL, "transform", "friction")
]
"""All other models that an arm has; `transform` is part of them, and friction has no geometry."""


def symbolic(robot: Robot) -> Robot:
    """Lengths and all inertial parameters as symbols, and a wrench at the tip, as in the tables of the library.

    The base has no mass there, and it has none here.
    """
    n = robot.link_count
    return replace(
        with_symbols(robot, ("geometry",)),
        base=Base(),
        inertias=tuple(Inertia.symbolic(j) for j in range(1, n + 1)),
        drives=(Drive(),) * n,
        wrenches=(*[Wrench()] * (n - 1), Wrench.symbolic(n)),
    )


def cases() -> list[Any]:
    quick = [("ur5", "inverse_dynamics"), ("puma560", "inertia_matrix")]
    long = [(name, model) for name in FILES for model in (*MODELS, *SMALL) if (name, model) not in quick]
    rest = [(name, model) for name in FILES for model in OTHERS]
    marked = [pytest.param(*case, marks=pytest.mark.long) for case in long]
    return [*quick, *marked, *(pytest.param(*case, marks=[pytest.mark.long, pytest.mark.exhaustive]) for case in rest)]


@pytest.mark.parametrize(("name", "model"), cases())
def test_the_table_of_a_file_is_as_cheap_as_one_made_by_hand(name: str, model: str) -> None:
    robot, table = symbolic(urdf.read_text(FILES[name], name).robot), symbolic(symoro.load(name))
    takes_link = any(option.name == "link" for option in find(model).all_options)
    options = {"link": robot.link_count} if takes_link else {}
    found = getattr(symoro, model)(robot, **options).ops.total
    assert found <= 1.02 * getattr(symoro, model)(table, **options).ops.total
