"""Inertia in TOML by mass, centre of mass and tensor; both reference points, and all that can be wrong."""

from __future__ import annotations

import pytest

from symoro.errors import FormatError
from symoro.formats import toml
from symoro.robot.link import Inertia

TENSOR = "[[0.3, 0.01, 0], [0.01, 0.4, 0], [0, 0, 0.5]]"
VALUES = [["0.3", "0.01", 0], ["0.01", "0.4", 0], [0, 0, "0.5"]]


def read(entry: str) -> Inertia:
    return toml.read_text(f"[[joints]]\ninertia = {entry}\n", "arm").robot.inertia(1)


def test_both_reference_points() -> None:
    body = "mass = 2.5, com = [0.1, 0, 'h']"
    assert read(f"{{{body}, tensor_at_com = {TENSOR}}}") == Inertia.from_com("2.5", ["0.1", 0, "h"], VALUES)
    assert read(f"{{{body}, tensor_at_origin = {TENSOR}}}") == Inertia.from_origin("2.5", ["0.1", 0, "h"], VALUES)


def test_a_point_mass_and_the_base() -> None:
    assert read("{mass = 'm', com = ['x', 0, 0]}") == Inertia.from_com("m", ["x", 0, 0], [[0] * 3] * 3)
    text = "[base]\nkind = 'floating'\n[base.inertia]\nmass = 3\n[[joints]]\n"
    assert toml.read_text(text, "arm").robot.base.inertia == Inertia.from_com(3, [0, 0, 0], [[0] * 3] * 3)


def test_the_writer_writes_the_ten_parameters() -> None:
    text = f"[[joints]]\n[joints.inertia]\nmass = 2\ncom = [0.5, 0, 0]\ntensor_at_com = {TENSOR}\n"
    robot = toml.read_text(text, "arm").robot
    written = toml.write_text(robot)
    assert "inertia = {XX = 0.3, XY = 0.01, YY = 0.9, ZZ = 1, MX = 1, M = 2}" in written
    assert toml.read_text(written, "arm").robot == robot


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (("mass = 1", "XX = 2"), 4, "inertia has both XX and mass (allowed: XX … M about the origin"),
        (("mass = 1", "centre = 2"), 4, "inertia has a key 'centre' (allowed: XX … M"),
        (("mass = 1", f"tensor_at_com = {TENSOR}", f"tensor_at_origin = {TENSOR}"), 5, "inertia has two tensors"),
        (("com = [0, 0, 1]",), 3, "inertia has no mass"),
        (("mass = 1", "com = [0, 0]"), 4, "inertia.com is not a point (allowed: three values"),
        (("mass = 1", "tensor_at_com = [1, 2, 3]"), 4, "inertia.tensor_at_com is not a tensor (allowed: three rows"),
        (
            ("mass = 1", "tensor_at_origin = [[1, 0, 0], [0.5, 1, 0], [0, 0, 1]]"),
            4,
            "inertia.tensor_at_origin: tensor is not symmetric: xy is 0 in row 1, 0.5 in row 2",
        ),
        (("mass = true",), 3, "inertia.mass"),
        (("mass = 1", "com = [0, 0, '1+']"), 4, "inertia.com"),
    ],
)
def test_an_error_has_its_line(lines: tuple[str, ...], line: int, message: str) -> None:
    text = "[[joints]]\n[joints.inertia]\n" + "\n".join(lines) + "\n"
    with pytest.raises(FormatError) as error:
        toml.read_text(text, "arm", "arm.toml")
    (problem,) = error.value.problems
    assert message in problem.message
    assert (problem.file, problem.line, problem.joint) == ("arm.toml", line, 1)


def test_the_line_of_the_second_joint() -> None:
    text = "[[joints]]\n[joints.inertia]\nmass = 1\n\n[[joints]]\n[joints.inertia]\nmass = 1\ncom = 3\n"
    with pytest.raises(FormatError) as error:
        toml.read_text(text, "arm")
    assert [(problem.line, problem.joint) for problem in error.value.problems] == [(8, 2)]
