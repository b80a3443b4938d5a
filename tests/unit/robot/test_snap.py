"""Decimals close to exact numbers become exact, and a note says so."""

import pytest

from symoro.robot.arithmetic import cosine, sine
from symoro.robot.base import Base, Frame
from symoro.robot.joint import Joint
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot
from symoro.robot.symbolic import snap
from symoro.robot.values import ONE, ZERO, as_value, parse, to_text


def snapped(**fields) -> Joint:
    values = {name: parse(text) for name, text in fields.items()}
    return snap(Robot("r", (Joint(1, "a", 0, **values),)))[0].joint(1)


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        ("1.5707963267948966", "pi/2"),
        ("-1.5707963267948966", "-pi/2"),
        ("3.141592653589793", "pi"),
        ("0.7853981633974483", "pi/4"),
        ("2.356194490192345", "3*pi/4"),
        ("0.2617993877991494", "pi/12"),
        ("6.1e-17", "0"),
        ("1.5707963", "1.5707963"),
        ("0.9999999999999999", "1"),
        ("1.5", "1.5"),
    ],
)
def test_angles(given, exact):
    assert to_text(snapped(alpha=given).alpha) == exact


def test_terms_snap_and_factors_do_not():
    assert to_text(snapped(theta="q1 + 1.5707963267948966").theta) == "q1 + pi/2"
    assert to_text(snapped(d="L/1e-13").d) == "L/1e-13"


def test_lengths_do_not_become_angles():
    assert to_text(snapped(d="1.5707963267948966").d) == "1.5707963267948966"
    assert to_text(snapped(d="0.30000000000000004").d) == "0.30000000000000004"
    assert snapped(d="0.9999999999999999").d == ONE


def test_every_snap_is_a_note():
    robot = Robot(
        "r",
        (Joint(1, "a", 0, alpha=parse("1.5707963267948966"), d=parse("1e-15")),),
        gravity=(ZERO, parse("1e-16"), parse("-9.81")),
        frames=(Frame("t", 1, ((ONE, parse("6e-17"), ZERO, ZERO), *Base().pose[1:])),),
    )
    better, notes = snap(robot)
    assert [str(note) for note in notes] == [
        "joint 1: alpha: 1.5707963267948966 is taken as pi/2",
        "joint 1: d: 1e-15 is taken as 0",
        "gravity: 1e-16 is taken as 0",
        "frame 't': 6e-17 is taken as 0",
    ]
    assert {note.severity for note in notes} == {"note"}
    assert snap(better) == (better, ())


def test_inertias_snap_relative_to_the_largest_of_their_kind():
    entries = {"XX": 0.01, "XY": 1e-15, "YY": 1e-13, "MX": 1e-9, "MY": 1e-10, "M": 1e-14}
    inertia = Inertia(**{name: as_value(number) for name, number in entries.items()})
    better = snap(Robot("r", (Joint(1, "a", 0),), inertias=(inertia,)))[0].inertia(1)
    assert better.XY == ZERO
    assert [getattr(better, name) for name in ("YY", "MX", "MY", "M")] == [
        getattr(inertia, name) for name in ("YY", "MX", "MY", "M")
    ]


@pytest.mark.parametrize(
    ("angle", "cos", "sin"),
    [
        ("0", "1", "0"),
        ("pi/2", "0", "1"),
        ("-pi/2", "0", "-1"),
        ("3*pi/2", "0", "-1"),
        ("pi*2", "1", "0"),
        ("-pi", "-1", "0"),
        ("pi/3", "cos(pi/3)", "sin(pi/3)"),
        ("x", "cos(x)", "sin(x)"),
        ("a*pi", "cos(a*pi)", "sin(a*pi)"),
    ],
)
def test_exact_sines(angle, cos, sin):
    assert (to_text(cosine(parse(angle))), to_text(sine(parse(angle)))) == (cos, sin)
