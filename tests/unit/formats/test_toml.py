"""The native format: defaults, every key, and all problems in one go."""

import pytest

from symoro.errors import FormatError
from symoro.formats import load, par, toml
from symoro.robot import library
from symoro.robot.base import BaseKind
from symoro.robot.joint import JointKind, Limits
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Cut
from symoro.robot.values import ZERO, Symbol, as_value, parse

FULL = """
format = 1
name = "full"
title = "All \\"keys\\""
source = '''
Two
lines'''
gravity = [0, "g", -9.81]
coupling = [[1, 0], ["c", 1]]

[base]
kind = "floating"
pose = [[0, -1, 0, "x"], [1, 0, 0, 0], [0, 0, 1, 0.5], [0, 0, 0, 1]]
V0 = [1, 0, 0, 0, 0, "w"]
VP0 = [0, 0, 0, 0, 0, 1e-3]
inertia = {M = 3}
wrench = "symbolic"

[[joints]]
name = "first"
gamma = "pi/3"
b = 0.1
limits = {lower = -3.1, upper = 3.1, velocity = 2, effort = "T"}
inertia = "symbolic"
drive = "symbolic"
wrench = {FX = "F", CZ = 2}

[[joints]]
parent = 0
kind = "prismatic"
alpha = "-pi/2"
r = "x2 + L"
variable = "x2"
actuated = false
elastic = true
stiffness = "K2"
rest = 0.25
inertia = {XX = 1, YY = 1, ZZ = 1, M = "m"}
drive = {FV = 0.5}
QP = "v2"
QDP = 0
GAM = "T2"

[[joints]]
actuated = false
d = 1

[[joints]]
parent = 1
kind = "fixed"
theta = "beta"

[[cuts]]
joint = 3
mate = 4

[[frames]]
name = "tool"
link = 2
pose = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, "h"], [0, 0, 0, 1]]

[values]
L = 0.5
h = "2*L"
"""


def test_every_key_is_read_and_written():
    robot = toml.read_text(FULL, "other").robot
    assert (robot.name, robot.title, robot.source) == ("full", 'All "keys"', "Two\nlines")
    assert robot.gravity == (ZERO, Symbol("g"), parse("-9.81"))
    assert robot.base.kind is BaseKind.FLOATING
    assert robot.base.inertia == Inertia(M=as_value(3))
    assert robot.base.wrench == Wrench.symbolic(0)
    first, second, third, mate = robot.joints
    assert first.limits == Limits(parse("-3.1"), parse("3.1"), as_value(2), Symbol("T"))
    assert (robot.inertia(1), robot.drive(1)) == (Inertia.symbolic(1), Drive.symbolic(1))
    assert robot.wrench(1) == Wrench(FX=Symbol("F"), CZ=as_value(2))
    assert (second.kind, second.parent, second.variable) == (JointKind.PRISMATIC, 0, "x2")
    assert (second.actuated, second.elastic, second.stiffness, second.rest) == (
        False,
        True,
        Symbol("K2"),
        parse("0.25"),
    )
    assert (second.velocity, second.acceleration, second.effort) == (Symbol("v2"), ZERO, Symbol("T2"))
    assert (third.name, third.parent, third.theta, mate.theta) == ("joint3", 2, Symbol("q3"), Symbol("beta"))
    assert robot.cuts == (Cut(3, 4),)
    assert robot.values.numbers() == {"L": 0.5, "h": 1.0}
    again = toml.read_text(toml.write_text(robot), "other")
    assert again.robot == robot
    assert par.read_text(par.write_text(robot), "other").robot == robot


@pytest.mark.parametrize("name", library.names())
def test_the_library_is_written_and_read_back(name):
    robot = load(name)
    assert toml.read_text(toml.write_text(robot), "other").robot == robot
    assert par.read_text(par.write_text(robot), "other").robot == robot


def test_defaults():
    robot = toml.read_text("[[joints]]\n[[joints]]\nkind = 'prismatic'", "short").robot
    assert robot.name == "short"
    assert [(j.name, j.parent, j.variable) for j in robot.joints] == [("joint1", 0, "q1"), ("joint2", 1, "q2")]
    assert robot.gravity == (ZERO, ZERO, Symbol("G3"))
    assert robot.inertia(2) == Inertia()


@pytest.mark.parametrize(
    ("theta", "variable"), [("q1 + off", "q1"), ("th", "th"), ("-a + th", "th"), ("0", "q1"), ("th + L", "th")]
)
def test_the_variable_where_it_is_not_named(theta, variable):
    text = f"[[joints]]\ntheta = '{theta}'\n[[joints]]\nd = 'a'\n[values]\nL = 1\n"
    assert toml.read_text(text, "r").robot.joint(1).variable == variable


def test_decimals_are_exact():
    robot = toml.read_text("[[joints]]\nd = 0.1\nb = 1_000.5\nr = 1e-20", "r")
    assert robot.robot.joint(1).d == parse("1/10")
    assert robot.robot.joint(1).b == parse("1000.5")


def test_snapped_numbers_are_noted_with_their_line():
    reading = toml.read_text("[[joints]]\nd = 1\nalpha = 1.5707963267948966", "r", "r.toml")
    assert reading.robot.joint(1).alpha == parse("pi/2")
    assert reading.robot.notes == ("r.toml:3: joint 1: alpha: 1.5707963267948966 is taken as pi/2",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format = 2\n[[joints]]", "r.toml:1: format = 2 (allowed: 1)"),
        ("colour = 1\n[[joints]]", "r.toml:1: unknown key 'colour' in the document (allowed: format, name, title"),
        ("[[joints]]\nsize = 1", "r.toml:2: joint 1: unknown key 'size' in [joints] (allowed: name, parent, kind"),
        ("[[joints]]\nkind = 'ball'", "joint 1: kind = 'ball' is not known (allowed: revolute, prismatic, fixed)"),
        (
            "[[joints]]\n[[joints]]\nparent = 'a'",
            "r.toml:3: joint 2: parent = 'a' is no joint's name (allowed: a number,",
        ),
        ("[[joints]]\nname='a'\n[[joints]]\nname='a'\nparent='a'", "parent = 'a' is the name of several joints"),
        ("[[joints]]\n[[frames]]\nname='t'\nlink='b'", "r.toml:4: link = 'b' is no joint's name"),
        ("[[joints]]\nparent = 1.0", "parent = '1.0' (allowed: an integer)"),
        ("[[joints]]\nparent = true", "parent = True (allowed: an integer)"),
        ("[[joints]]\nactuated = 1", "actuated = 1 (allowed: true or false)"),
        ("[[joints]]\nname = 1.5", "name = '1.5' (allowed: a text)"),
        ("[[joints]]\nalpha = '2*'", "r.toml:2: joint 1: alpha: '2*', column 3: a value is missing"),
        ("[[joints]]\nalpha = nan", "alpha: nan is not a number that a parameter can have"),
        ("[[joints]]\nalpha = -inf", "alpha: -inf is not a number"),
        ("[[joints]]\nalpha = [1]", "alpha = [1] is not a value"),
        ("[[joints]]\nalpha = 2020-01-01", "is not a value"),
        ("[[joints]]\nlimits = {low = 1}", "unknown key 'low' in limits (allowed: lower, upper, velocity, effort)"),
        (
            "[[joints]]\ninertia = 'all'",
            "inertia = 'all' (allowed: a table of XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M or",
        ),
        ("[[joints]]\nvariable = 'pi'", "variable: 'pi' is not a symbol"),
        ("[[joints]]\nkind = 'fixed'\nvariable = 'x'", "r.toml:3: joint 1: a fixed joint has no variable"),
        ("gravity = [0, 0]\n[[joints]]", "r.toml:1: gravity = [0, 0] (allowed: an array of 3 values)"),
        ("[base]\npose = [[1]]\n[[joints]]", "r.toml:2: pose is not 4 rows of 4 values"),
        ("[base]\nV0 = [1,0,0,0,0,0]\n[[joints]]", "r.toml:1: the base is fixed, but V0 or VP0 is not 0"),
        ("[[joints]]\nparent = 5", "r.toml:2: joint 1: its antecedent is 5 (allowed: 0"),
        ("[[joints]]\n[values]\n'a b' = 1", "'a b' is not a symbol"),
        ("[[joints]]\n[values]\nq1 = 1", "r.toml:2: joint 1: its variable q1 has a value"),
        ("joints = 3", "joints is not an array of tables"),
        ("joints = [3]", "joint 1: joints is not a table"),
        ("base = 3\n[[joints]]", "base is not a table"),
        ("", "the robot has no joint"),
        ("[[joints]\n", "r.toml:1: this is not TOML"),
        ("a = " + "[" * 5000, "this is not TOML"),
        ("[[joints]]\nparent = 0x" + "f" * 9000, "parent is too large an integer"),
        ("[[joints]]\nname = [0x" + "f" * 9000 + "]", "name = a very long number"),
        ("[[joints]]\n" * 2001, "2001 joints (at most 2000)"),
        ("a" + ".a" * 900_000 + " = 1", "a key has more than 50 parts"),
        ("#" * 2_000_001, "at most 2000000"),
        (
            "[[joints]]\n[[joints]]\ninertia='symbolic'\n[[cuts]]\njoint=1\nmate=2",
            "a cut joint or a mate has no link of its own",
        ),
    ],
)
def test_problems_say_where_and_what_is_allowed(text, message):
    with pytest.raises(FormatError) as caught:
        toml.read_text(text, "r", "r.toml")
    assert message in str(caught.value)


def test_joints_have_names_where_they_have_numbers():
    lines = [
        "[[joints]]\nname = 'crank'",
        "[[joints]]\nname = 'rod'\nd = 1\nactuated = false",
        "[[joints]]\nname = 'rocker'\nparent = 0\nd = 2\nactuated = false",
        "[[joints]]\nname = 'pin'\nparent = {rod}\nd = 1\nactuated = false",
        "[[joints]]\nname = 'mate'\nparent = {rocker}\nkind = 'fixed'\nd = 1",
        "[[cuts]]\njoint = {pin}\nmate = {mate}",
        "[[frames]]\nname = 'point'\nlink = {rod}",
    ]
    text = "\n".join(lines)
    numbers = {"rod": 2, "rocker": 3, "pin": 4, "mate": 5}
    named = toml.read_text(text.format(**{name: repr(name) for name in numbers}), "r").robot
    assert named == toml.read_text(text.format(**numbers), "r").robot
    assert named.joints[3].parent == 2


def test_all_problems_come_in_one_go():
    with pytest.raises(FormatError) as caught:
        toml.read_text("x = 1\n[[joints]]\nalpha = '('\nb = true\nkind = 'k'\n[[joints]]\ny = 2", "r", "r.toml")
    assert len(caught.value.problems) == 5


@pytest.mark.parametrize("key", ["joint", "mate"])
def test_a_cut_needs_both_frames(key):
    text = toml.write_text(load("four-bar"))
    cut = text.index("[[cuts]]")
    line = next(line for line in text[cut:].split("\n") if line.startswith(key))
    with pytest.raises(FormatError) as error:
        toml.read_text(text[:cut] + text[cut:].replace(line + "\n", "", 1), "loop")
    assert [(p.code, p.fields["key"]) for p in error.value.problems if p.code == "toml.no_key"] == [
        ("toml.no_key", key)
    ]
