"""All problems at once, each with its joint and what is allowed."""

from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.close import assert_close
from symoro.errors import CheckError
from symoro.formats import load
from symoro.robot import library
from symoro.robot.base import IDENTITY, Base, BaseKind, Frame
from symoro.robot.check import check, require_valid
from symoro.robot.joint import Joint, JointKind, Limits
from symoro.robot.link import Inertia
from symoro.robot.robot import Closure, ClosureKind, FrameRef, Robot, cut_closures
from symoro.robot.values import ONE, ZERO, as_value, parse


def robot(*joints: Joint, **changes) -> Robot:
    return Robot("r", joints or (Joint(1, "a", 0), Joint(2, "b", 1)), **changes)


def said(given: Robot, severity: str = "error") -> str:
    return "\n".join(str(problem) for problem in check(given) if problem.severity == severity)


@pytest.mark.parametrize("name", library.names())
def test_the_library_is_valid(name):
    assert said(load(name)) == ""


def test_a_valid_robot_has_no_problem():
    assert check(robot()) == ()
    assert require_valid(robot()) == robot()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Robot("r", ()), "the robot has no joint"),
        (Robot(" ", (Joint(1, "a", 0),)), "no name"),
        (robot(Joint(2, "a", 0)), "joint 1: index is 2"),
        (robot(Joint(1, "a", 3)), "joint 1: its antecedent is 3 (allowed: 0, the base, to 1, and not itself)"),
        (robot(Joint(1, "a", 1)), "joint 1: its antecedent is 1"),
        (robot(Joint(1, "a", 2), Joint(2, "b", 1)), "joint 2: it does not reach the base"),
        (robot(Joint(1, "a", 0), Joint(2, "a", 1)), "joint 2: its name 'a' is empty or taken"),
        (robot(Joint(1, "a", 0, theta=parse("x"), variable="q1")), "joint 1: its variable q1 is not in theta = x"),
        (robot(Joint(1, "a", 0, d=parse("q1"))), "joint 1: its variable q1 occurs elsewhere too"),
        (robot(values={"q2": 1}), "joint 2: its variable q2 has a value"),
        (robot(Joint(1, "a", 0, JointKind.FIXED, variable="x")), "a fixed joint has no variable"),
        (robot(Joint(1, "a", 0, JointKind.FIXED, elastic=True)), "a fixed joint cannot be"),
        (robot(Joint(1, "a", 0, limits=Limits(as_value(2), as_value(1)))), "lower limit 2 is above its upper limit 1"),
        (robot(inertias=(Inertia(),)), "inertias has 1 entries, not 2"),
        (robot(gravity=(ZERO,)), "gravity has 1 entries, not 3"),
        (robot(base=Base(velocity=(ZERO,))), "V0 has 1 entries, not 6"),
        (robot(base=Base(pose=IDENTITY[:3])), "pose is not 4 rows of 4 values"),
        (robot(base=Base(velocity=(ONE,) + (ZERO,) * 5)), "use the kind moving"),
        (robot(base=Base(pose=((ONE, ONE, ZERO, ZERO), *IDENTITY[1:]))), "not a rotation matrix"),
        (robot(frames=(Frame("t", 3),)), "frame 't' is on link 3 (allowed: 0, the base, to 2)"),
        (robot(frames=(Frame("t", 1), Frame("t", 2))), "a frame's name 't' is empty or taken"),
        (robot(coupling=((ONE,),)), "coupling has 1 row, not 2"),
        (robot(values={"a": "b", "b": "a"}), "defined by each other"),
        (robot(values={"a": "sqrt(-1)"}), "sqrt(-1) cannot be evaluated"),
    ],
)
def test_errors(given, message):
    assert message in said(given)


def loop(**changes) -> Robot:
    joints = [Joint(1, "a", 0), Joint(2, "b", 1), Joint(3, "c", 2, actuated=False), Joint(4, "m", 1, JointKind.FIXED)]
    for index, change in changes.pop("at", {}).items():
        joints[index - 1] = replace(joints[index - 1], **change)
    cuts = changes.pop("cuts", [(3, 4)])
    return Robot("loop", tuple(joints), **({"closures": cut_closures(joints, cuts)} | changes))


def test_loops():
    assert said(loop()) == ""
    assert "a cut pairs 2 with 4 (allowed, once each: 3 with 4)" in said(loop(cuts=[(2, 4)]))
    assert "joint 3: a loop is cut at it, so it must be passive" in said(loop(at={3: {"actuated": True}}))
    assert "joint 3: a loop is cut at it, so it must be revolute or prismatic" in said(
        loop(at={3: {"kind": JointKind.FIXED, "variable": None}})
    )
    assert "joint 3: a loop is cut at it, so it has no spring" in said(loop(at={3: {"elastic": True}}))
    assert "joint 4: it is the mate of cut joint 3" in said(loop(at={4: {"kind": JointKind.REVOLUTE}}))
    sliding = Closure(ClosureKind.PRISMATIC, FrameRef(3), FrameRef(4))
    text = "joint 3: a loop is cut at it, and the closure is prismatic (allowed: the kind of the joint, revolute)"
    assert text in said(loop(closures=(sliding,)))
    assert "joint 2: its antecedent is 4 (allowed: 0, the base, to 2" in said(loop(at={2: {"parent": 4}}))
    assert "3 cuts need two frames each" in said(loop(cuts=[(3, 4), (1, 2), (2, 3)]))


def test_all_errors_come_at_once():
    with pytest.raises(CheckError) as caught:
        require_valid(robot(Joint(1, "a", 9), Joint(2, "a", 9)))
    assert len(caught.value.problems) == 4


def inertia(**entries) -> Inertia:
    return Inertia(**{name: as_value(entry) for name, entry in entries.items()})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (inertia(M=-1), "the mass of its link is negative: -1"),
        (inertia(MX=1), "the mass of its link is 0, but its first moments"),
        (inertia(XX=1, YY=1, ZZ=-1, M=1), "ZZ of its link is negative: -1"),
        (inertia(XX="unknown", ZZ=-1, M="unknown"), "ZZ of its link is negative: -1"),
        (inertia(XX=1, YY=1, ZZ="unknown", M=-1), "the mass of its link is negative: -1"),
        (inertia(XX=1, YY=1, ZZ=1, XY=2, M=1), "not positive definite"),
        (inertia(XX=1, YY=1, ZZ=1, MX=2, M=1), "not positive definite"),
        (inertia(XX=1, YY=1, ZZ=3, M=1), "triangle rule"),
    ],
)
def test_what_no_body_can_have_is_a_warning(given, message):
    one = robot(Joint(1, "a", 0), inertias=(given,))
    assert message in said(one, "warning")
    assert said(one) == ""


@pytest.mark.parametrize(
    ("moments", "message"),
    [
        ({"ZZ": 0.1, "MX": 0.2, "M": 1}, ""),
        ({"ZZ": 0.1, "MX": 0.2, "MY": 0.24, "M": 1}, ""),
        ({"ZZ": 0.1, "MX": 0.4, "M": 1}, "the moment of inertia ZZ of its link about its centre of mass is negative"),
        ({"ZZ": 0.1, "MX": 0.2, "MZ": 0.1, "M": 1}, "not positive definite"),
    ],
)
def test_a_robot_in_a_plane_needs_no_moments_about_other_axes(moments, message):
    flat = robot(Joint(1, "a", 0), Joint(2, "b", 1, alpha=as_value("pi")), inertias=(inertia(), inertia(**moments)))
    heard = said(flat, "warning")
    assert message in heard if message else heard == ""


def test_links_that_leave_the_plane_need_all_moments():
    turned = robot(
        Joint(1, "a", 0),
        Joint(2, "b", 1, alpha=as_value("pi/2")),
        inertias=(inertia(), inertia(ZZ=0.1, MX=0.2, M=1)),
    )
    assert "not positive definite" in said(turned, "warning")


@pytest.mark.parametrize(
    "given",
    [
        inertia(M=1),
        inertia(XX=1, YY=1, ZZ=2, M=1),
        inertia(XX=1, YY=1, M=1),
        inertia(YY=4, ZZ=4, MX=2, M=1),
        inertia(XX=1, YY=3, ZZ="unknown", M=1),
    ],
)
def test_what_a_body_can_have_is_no_warning(given):
    assert check(robot(Joint(1, "a", 0), inertias=(given,))) == ()


def test_numbers_may_come_from_values():
    one = robot(
        Joint(1, "a", 0), inertias=(Inertia.symbolic(1),), values=dict.fromkeys(map("{}1".format, Inertia.names()), -1)
    )
    assert "the mass of its link is negative" in said(one, "warning")


def test_warnings():
    assert "values that nothing uses: D9" in said(robot(values={"D9": 1}), "warning")
    assert "passive joints in an open robot: 1" in said(robot(Joint(1, "a", 0, actuated=False)), "warning")
    assert BaseKind.MOVING.value == "moving"


@pytest.mark.parametrize(
    ("stiffness", "values", "message"),
    [
        ("0", {}, "joint 1: it is elastic, but its stiffness is missing or 0"),
        ("K1", {"K1": 0}, "joint 1: it is elastic, but its stiffness is missing or 0"),
        ("-20", {}, "joint 1: its stiffness -20 is negative: that of a spring is positive"),
        ("2*K1", {"K1": -3}, "joint 1: its stiffness -6 is negative"),
        ("K1", {"K1": 3}, ""),
        ("K1", {}, ""),
    ],
)
def test_springs(stiffness, values, message):
    given = Joint(1, "a", 0, elastic=True, stiffness=parse(stiffness))
    found = said(robot(given, values=values), "warning")
    assert message in found if message else not found


def test_a_floating_base_without_mass():
    floating = robot(base=Base(BaseKind.FLOATING))
    assert "the base floats without mass" in said(floating, "warning")
    heavy = Base(BaseKind.FLOATING, inertia=Inertia(M=ONE))
    assert "floats" not in said(robot(base=heavy), "warning")
    unknown = Base(BaseKind.FLOATING, inertia=Inertia(M=parse("M0")))
    assert "floats" not in said(robot(base=unknown), "warning")
    assert "floats" not in said(robot(), "warning")


def test_tables_in_python_warn_of_degrees_as_check_does() -> None:
    with pytest.warns(UserWarning, match=r"row 2 \(joint2\): alpha = -90 is -90 rad, which looks like degrees .*-pi/2"):
        symoro.Robot.from_mdh([{}, {"alpha": -90}], "arm")
    with pytest.warns(UserWarning, match=r"row 2 \(joint2\): alpha = 90 is 90 rad"):
        symoro.Robot.from_dh([(0, 0, 0.1, 90), (0, 0, 0.1, 0)])


def test_gravity_may_be_floats_and_texts() -> None:
    tip = {"d": 0.3, "inertia": {"M": 2, "MX": 1}}
    numbers = symoro.Robot.from_mdh([{"alpha": "pi/2"}, tip], gravity=(0, 0.0, -9.81))
    texts = symoro.Robot.from_mdh([{"alpha": "pi/2"}, tip], gravity=(0, 0, "-g"), values={"g": 9.81})
    expected = symoro.gravity(texts).compile()([0.3, 0.4])
    assert_close(symoro.gravity(numbers).compile()([0.3, 0.4]), expected, 1e-14)
    assert np.abs(expected).max() > 1


def test_a_row_of_a_coupling_with_too_few_columns_is_named_once() -> None:
    two = symoro.Robot.from_mdh([{}, {"d": 1}], "two", coupling=((ONE, ZERO), (ONE,)))
    found = [(f.code, f.fields["row"], f.fields["entries"]) for f in check(two)]
    assert found == [("descriptions.entries_of_row", 2, 1)]
