"""`.par` files: both dialects, every trap, and all problems in one go."""

from pathlib import Path

import pytest

from support.symoro_plus import AKR3000, ORTHOGLIDE, RX90, SR400, symoro_plus
from symoro.errors import FormatError
from symoro.formats import load, par, read
from symoro.robot.base import Base, BaseKind
from symoro.robot.joint import JointKind
from symoro.robot.link import Inertia, Wrench
from symoro.robot.robot import Cut
from symoro.robot.topology import active, path
from symoro.robot.values import ZERO, Symbol, parse, to_text

DATA = Path(__file__).parents[2] / "data" / "opensymoro"
FILES = sorted(DATA.glob("*.par"))

TABLES = {
    "AKR3000": symoro_plus("AKR3000", AKR3000, (6, 6, 6, 0), links=6),
    "SR400": symoro_plus("Acma_SR400", SR400, (6, 6, 6, 0), links=6),
    "RX90num": symoro_plus("RX90", RX90, (6, 6, 6, 0), links=6),
    "RX90geom": symoro_plus("RX90", RX90, (6, 6, 6, 0)),
    "orthoglide": symoro_plus("Orthoglide", ORTHOGLIDE, (15, 15, 15, 1), links=15, gravity="0,g2,0"),
}

TWO = """NL = 2
NJ = 2
NF = 2
Type = 0
ant = {0,1}
sigma = {0,1}
b = {0,0}
d = {0,D2}
r = {0,r2}
gamma = {0,0}
alpha = {0,pi/2}
mu = {1,1}
theta = {th1,0}
"""


def two(**changes: str):
    """The robot of TWO with other lists, or more lists."""
    return par.read_text(changed(**changes), "two", "two.par").robot


def changed(**changes: str) -> str:
    lines = dict(line.split(" = ", 1) for line in TWO.splitlines())
    return "".join(f"{key} = {text}\n" for key, text in (lines | changes).items())


def problems(text: str) -> list[str]:
    with pytest.raises(FormatError) as caught:
        par.read_text(text, "two", "two.par")
    return [str(problem) for problem in caught.value.problems]


def table(tmp_path: Path, name: str):
    file = tmp_path / f"{name}.par"
    file.write_bytes(TABLES[name])
    return read(file)


def warnings(reading):
    return [str(problem) for problem in reading.problems if problem.severity == "warning"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_files_load_and_write_then_read_is_identity(file):
    robot = read(file).robot
    again = par.read_text(par.write_text(robot), "other")
    assert again.robot == robot
    assert again.problems == ()


@pytest.mark.parametrize("name", TABLES)
def test_tables_load_and_write_then_read_is_identity(tmp_path, name):
    robot = table(tmp_path, name).robot
    again = par.read_text(par.write_text(robot), "other")
    assert again.robot == robot
    assert again.problems == ()


def test_comments_anywhere():
    text = TWO.replace("NL = 2", "(* first *) NL = 2 (* behind *)").replace(
        "{0,D2}", "{0, (* inside\nand over lines *) D2}"
    )
    assert par.read_text(text, "two").robot == par.read_text(TWO, "two").robot


def test_an_open_comment_is_an_error_with_its_line():
    assert "two.par:3: a comment (* is not closed (allowed: (* … *))" in problems(TWO.replace("NF = 2", "(* NF = 2"))


def test_latin_1_and_crlf(tmp_path):
    assert b"\xe9" in TABLES["RX90num"]
    assert b"\r\n" in TABLES["RX90num"]
    assert table(tmp_path, "RX90num").robot.frame_count == 6


def test_the_name_is_in_a_comment_or_else_the_files():
    assert par.read_text(TWO + "(* Robotname = 'Scara 2' *)", "two").robot.name == "Scara 2"
    assert par.read_text(TWO, "two").robot.name == "two"


@pytest.mark.parametrize(("name", "counts"), [("AKR3000", (14, 12, 10)), ("SR400", (10, 9, 8))])
def test_wrong_headers_are_fixed_from_the_geometric_lists_with_a_warning(tmp_path, name, counts):
    reading = table(tmp_path, name)
    robot, told = reading.robot, " ".join(warnings(reading))
    frames, joints, links = counts
    assert (robot.frame_count, robot.joint_count, robot.link_count) == counts
    assert robot.cuts == tuple(Cut(k, k + frames - joints) for k in range(links + 1, joints + 1))
    assert robot.inertia(6) == Inertia.symbolic(6)
    assert robot.inertia(7).is_zero
    assert robot.joint(7).velocity == Symbol("QP7")
    assert f"NF = 6, NJ = 6, NL = 6) does not agree with the geometric lists: taken as NF = {frames}" in told
    assert "lists too short: QP, QDP, XX" in told
    assert "Type = 0, but the robot is of type 2, closed loop" in told


def test_a_fixed_end_is_no_cut_where_the_header_is_right():
    robot = two(sigma="{0,2}", r="{0,R2}")
    assert robot.cuts == ()
    assert robot.joint(2).kind is JointKind.FIXED


def test_absent_counts_are_told_by_the_lists():
    text = TWO.replace("NF = 2\n", "")
    assert "NF = absent" in warnings(par.read_text(text, "two"))[0]


def test_all_joints_of_an_open_robot_are_active():
    reading = read(DATA / "Stanford.par")
    assert len(active(reading.robot)) == 6
    assert (
        "mu = 0 in an open robot is ignored, because all its joints are active: joints 1, 2, 3, 4, 5, 6"
        in warnings(reading)[0]
    )


def test_a_frame_on_a_cut_frame():
    robot = load(DATA / "TwoLoops.par")
    assert robot.joint(12).parent == 11
    assert [joint.index for joint in path(robot, 12)] == [1, 2, 3, 8, 11, 12]
    assert robot.cuts == (Cut(9, 11), Cut(10, 12))


def test_no_dynamics_and_no_gravity(tmp_path):
    reading = table(tmp_path, "RX90geom")
    assert all(inertia.is_zero for inertia in reading.robot.inertias)
    assert reading.robot.gravity == (ZERO, ZERO, Symbol("G3"))
    notes = [problem.message for problem in reading.problems if problem.severity == "note"]
    assert notes == ["no dynamic parameters: taken as 0", "no list of G: gravity is taken as 0, 0, G3"]


def test_the_variable_is_the_symbol_that_occurs_nowhere_else(tmp_path):
    robot = table(tmp_path, "orthoglide").robot
    assert [joint.variable for joint in robot.joints] == [f"q{j}" for j in range(1, 16)]
    assert to_text(robot.joint(2).r) == "-a + q2"
    assert robot.cuts == ()


def test_a_variable_that_is_not_to_be_found_is_an_error():
    assert problems(changed(theta="{th1 + off,0}")) == [
        "two.par:13: joint 1: its variable cannot be determined: th1 + off has 2 symbols (off, th1) that could be it "
        "(allowed: 0, or an expression such as q1 + pi/2 with one symbol that has no number and occurs only in the "
        "positions of joints)"
    ]
    assert "has no symbol that could be it" in problems(changed(theta="{pi/2,0}"))[0]
    assert "has no symbol that could be it" in problems(changed(theta="{D2,0}"))[0]


def test_keys_differ_in_case():
    text = TWO.replace("ant =", "Ant =").replace("theta =", "THETA =").replace("b =", "B =").replace("r =", "R =")
    assert par.read_text(text, "two").robot == par.read_text(TWO, "two").robot


def test_a_position_of_0_means_the_variable():
    robot = two(theta="{0,0}", r="{0,0}")
    assert (robot.joint(1).variable, robot.joint(1).theta) == ("q1", Symbol("q1"))
    assert (robot.joint(2).variable, robot.joint(2).r) == ("q2", Symbol("q2"))
    assert two(theta="{0,0}", d="{0,q1}").joint(1).variable == "q1_"


def test_cut_joints_pair_with_the_frames_behind():
    assert load(DATA / "AKR3000.par").cuts == (Cut(11, 13), Cut(12, 14))


def test_elastic_joints():
    robot = two(eta="{0,1}", k="{0,K2}")
    assert (robot.joint(1).elastic, robot.joint(2).elastic) == (False, True)
    assert robot.joint(2).stiffness == Symbol("K2")


@pytest.mark.parametrize(("key", "kind"), [("is_floating", BaseKind.FLOATING), ("is_mobile", BaseKind.MOBILE)])
def test_lists_start_at_link_0_where_the_base_is_free(key, kind):
    robot = two(**{key: "True"}, M="{M0,M1,M2}", FX="{FX0,0,0}")
    assert robot.base == Base(kind, inertia=Inertia(M=Symbol("M0")), wrench=Wrench(FX=Symbol("FX0")))
    assert [inertia.M for inertia in robot.inertias] == [Symbol("M1"), Symbol("M2")]
    assert "M has 2 items, not 3" in problems(changed(**{key: "1"}, M="{M1,M2}"))[0]


def test_the_base_has_no_drive():
    reading = par.read_text(changed(is_floating="1", IA="{IA0,0,0}"), "two")
    assert "the base has no drive" in warnings(reading)[0]


def test_a_base_with_given_motion():
    base = two(V0="{0,0,vz}", W0="{w,0,0}", VP0="{0,0,0}", Z="{0,-1,0,x,1,0,0,0,0,0,1,0,0,0,0,1}").base
    assert base.kind is BaseKind.MOVING
    assert base.velocity == (ZERO, ZERO, Symbol("vz"), Symbol("w"), ZERO, ZERO)
    assert base.pose[0] == (ZERO, parse("-1"), ZERO, Symbol("x"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed(foo="{1}"), "two.par:14: unknown key 'foo' (allowed: NF, NL, NJ, Type, is_floating"),
        (
            changed(sigma="{0,3}"),
            "two.par:6: joint 2: sigma = 3 is not a joint kind (0 revolute, 1 prismatic, 2 fixed)",
        ),
        (changed(sigma="{0,x}"), "two.par:6: joint 2: sigma = x is not a joint kind"),
        (changed(d="{0,D2,1}"), "two.par:8: d has 3 items, not 2"),
        (changed(XX="{1}"), "two.par:14: XX has 1 items, not 2"),
        (changed(Z="{1,0}"), "two.par:14: Z has 2 items, not 16"),
        (changed(mu="{1,2}"), "two.par:12: joint 2: mu = 2 is not allowed (allowed: 0 to 1)"),
        (changed(ant="{0,7}"), "two.par:5: joint 2: ant = 7 is not allowed (allowed: 0 to 2)"),
        (changed(ant="{0,2}"), "two.par:5: joint 2: its antecedent is 2"),
        (changed(alpha="{0,\n\npi/}"), "two.par:13: joint 2: alpha: 'pi/', column 4: a value is missing (allowed"),
        (changed(d="{0,}"), "two.par:8: joint 2: d: '', column 1: there is no value"),
        (changed(d="{0,D2"), "two.par:8: d: the list is not closed by }"),
        (TWO + "what is this", "two.par:14: 'what is this' is not understood (allowed: key = value"),
        (TWO + "NL = 2", "two.par:14: NL is given twice, first in line 1"),
        (changed(NL="{2}"), "two.par:1: NL is a list (allowed: NL = value)"),
        (changed(d="0"), "two.par:8: d is not a list (allowed: d = { … })"),
        (changed(Type="x"), "two.par:4: Type = x is not an integer"),
        (changed(is_mobile="maybe"), "two.par:14: is_mobile = maybe (allowed: True, False, 1, 0)"),
        (changed(is_mobile="1", is_floating="1"), "is_floating and is_mobile are both true"),
        ("", "no geometric list (needed: ant"),
        (TWO.replace("ant =", "(*").replace("{0,1}\nsigma", "*) sigma"), "no list of ant"),
        (changed(NF="90000", NL="90000", NJ="90000", ant="{0}"), "90000 frames (at most 2000)"),
    ],
)
def test_problems_say_where_and_what_is_allowed(text, message):
    assert any(message in problem for problem in problems(text)), problems(text)


def test_all_problems_come_in_one_go():
    found = problems(changed(sigma="{0,3}", d="{0}", mu="{1,5}", foo="1", alpha="{0,pi//2}", Z="{1}"))
    assert len(found) == 6


def test_a_list_may_hold_functions_with_commas():
    assert two(d="{0,atan2(a,max(b,c))}").joint(2).d == parse("atan2(a, max(b, c))")


def test_an_absent_list_is_0_with_a_warning():
    reading = par.read_text(TWO.replace("gamma = {0,0}\n", ""), "two")
    assert "no list of gamma: taken as 0" in warnings(reading)[0]
