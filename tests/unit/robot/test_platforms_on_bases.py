"""Platforms on bases that move: what is read, checked and refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.raised import raised
from symoro.errors import NotApplicable
from symoro.formats import toml
from symoro.identification.subject.subject import Subject
from symoro.models.parallel.motions import random_states
from symoro.robot.base import Base, BaseKind
from symoro.robot.link import Inertia
from symoro.robot.parallel import ParallelRobot, with_legs
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO, as_value
from symoro.solve.given import model
from symoro.web.document import document_of, toml_of
from symoro.web.requests import Document

FLOATING = Base(BaseKind.FLOATING, inertia=Inertia.symbolic(0))
MOVING = Base(BaseKind.MOVING, velocity=(as_value(1), *(ZERO,) * 5))
HEAVY = Base(BaseKind.FLOATING, inertia=Inertia(**{name: as_value(3) for name in ("XX", "YY", "ZZ", "M")}))


def on(base: Base) -> Robot:
    robot = symoro.load("3rps")
    return ParallelRobot(
        robot.platform, robot.legs, robot.attachments, robot.name, home=robot.home, base=base, gravity=robot.gravity,
        values=robot.values, title=robot.title, source=robot.source,
    )  # fmt: skip


@pytest.mark.parametrize("base", [FLOATING, MOVING], ids=["floating", "moving"])
def test_a_base_is_written_and_read_again(base: Base) -> None:
    robot = on(base)
    assert robot == replace(symoro.load("3rps"), base=base)
    assert with_legs(robot) == robot
    assert toml.read_text(toml.write_text(robot), "x").robot == robot
    page, _ = toml_of(Document(**document_of(robot)))
    assert toml.read_text(page, "x").robot.base == base


def test_problems_of_the_base_are_found() -> None:
    problems = [str(problem) for problem in symoro.check(on(Base(BaseKind.FLOATING)))]
    assert any("the base floats without mass" in problem for problem in problems)
    negative = Base(BaseKind.FLOATING, inertia=Inertia(M=as_value(-1)))
    assert any("of the base is negative" in str(problem) for problem in symoro.check(on(negative)))
    still = Base(BaseKind.FIXED, velocity=MOVING.velocity)
    assert any("the base is fixed, but V0" in str(problem) for problem in symoro.check(on(still)))


def test_a_base_that_can_move_makes_more_parameters_matter() -> None:
    fixed, moving, floating = (
        len(symoro.base_parameters(on(base))) for base in (Base(), Base(BaseKind.MOVING), FLOATING)
    )
    assert fixed < moving < floating


def test_derivatives_by_pose_and_orientation_are_the_torques_against_gravity() -> None:
    robot = on(HEAVY)
    state = {name: x[0] for name, x in random_states(robot, 1).items()}
    Q = model("gravity", robot, optimize=False).compile("numpy")(state["quat"], state["T"])
    energies = model("energies", robot, optimize=False)
    given = {array.name: state[array.name] for array in energies.program.inputs}
    for name, part in (("quat", Q[3:6]), ("T", Q[6:])):
        found = energies.derivative(name).compile("numpy")(**given)
        np.testing.assert_allclose(getattr(found, f"dU_d{name}"), part, rtol=1e-9, atol=1e-9)


def test_the_search_finds_a_cheaper_inverse_model_with_the_same_results() -> None:
    robot = on(HEAVY)
    state = random_states(robot, 4)
    plain, best = (model("inverse_dynamics", robot, optimize=x) for x in (False, True))
    assert best.ops.total < 0.8 * plain.ops.total
    given = {array.name: state[array.name] for array in plain.program.inputs}
    for x, y in zip(plain.compile("numpy")(**given), best.compile("numpy")(**given), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-8)


def test_what_does_not_measure_the_motion_of_the_base_says_so() -> None:
    for use in (symoro.excite, Subject.of):
        with raised("coordinates.moving_platform", NotApplicable, kind="floating"):
            use(on(HEAVY))
