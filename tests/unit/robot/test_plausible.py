"""What `check` says of descriptions that are possible but look wrong."""

from __future__ import annotations

import pytest

import symoro
from support.written_urdf import joint, link, robot
from symoro.formats import urdf

UP = "0 0 0.4"
BODY = (
    '<link name="{}"><inertial><origin xyz="{}"/><mass value="{}"/>'
    '<inertia ixx="{J}" ixy="0" ixz="0" iyy="{J}" iyz="0" izz="{J}"/></inertial></link>'
)


def body(name: str, centre: str = "0 0 0.1", mass: str = "2", J: str = "0.01") -> str:
    return BODY.format(name, centre, mass, J=J)


def arm(*parts: str, xyz: str = "0 0 0.4") -> list[str]:
    two = (link("base", 0), joint("left_hip", "base", "a", xyz), joint("right_hip", "base", "b", "0.3 0 0.4"))
    return [f"{p.severity}: {p}" for p in symoro.check(urdf.read_text(robot(*two, *parts), "arm").robot)]


def test_a_plausible_robot_has_no_problem() -> None:
    assert arm(body("a"), body("b")) == []


@pytest.mark.parametrize(
    ("parts", "xyz", "message"),
    [
        ((body("a"), body("b")), "400 0 0", "joint 1: d = 400 m looks like millimetres (lengths are in metres: 0.4)"),
        ((body("a", mass="2500", J="9"), body("b")), UP, "2500 kg, looks like grams (masses are in kilograms: 2.5)"),
        ((body("a", centre="0 0 100"), body("b")), UP, "the centre of mass of its link is 100.4 m from its frame"),
        ((body("a", J="5e4"), body("b")), UP, "look at the unit of the inertia: kg m²"),
        ((body("a"), link("b", 0)), UP, "joint 2: it moves no mass: direct dynamics does not exist"),
        ((body("a"), body("b", mass="2.1")), UP, "that of joint 2 (right_hip) 2.1 kg: are they meant to be equal?"),
    ],
)
def test_what_looks_wrong(parts: tuple[str, ...], xyz: str, message: str) -> None:
    (found,) = arm(*parts, xyz=xyz)
    assert message in found
    assert not found.startswith("error")
