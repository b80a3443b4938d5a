"""Reductions of the transmissions of URDF files: the torques of the motors are those of the joints divided by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import symoro
from support.close import assert_close
from support.raised import raised
from support.robot_files import URDF
from support.written_urdf import joint, link, robot
from symoro import formats
from symoro.errors import CheckError
from symoro.formats import mjcf, urdf
from symoro.robot.link import Drive
from symoro.robot.values import ONE, ZERO, as_value, evaluate, to_text

NEW = """<transmission name="t1"><type>transmission_interface/SimpleTransmission</type><joint name="one"/>
<actuator name="m1"><mechanicalReduction>{}</mechanicalReduction></actuator></transmission>"""
OLD = """<transmission name="t2" type="SimpleTransmission"><joint name="two"/><actuator name="m2"/>
<mechanicalReduction>-80</mechanicalReduction></transmission>"""
BOTH = """<transmission name="t3"><joint name="one"/><joint name="two"/><actuator name="a"/><actuator name="b"/>
</transmission>"""


def arm(*parts: str) -> str:
    moving = joint("one", "a", "b", dynamics='damping="0.4" friction="0.2"'), joint("two", "b", "c", "0.2 0 0.1")
    return robot(link("a"), link("b"), link("c"), *moving, *parts)


def test_the_torques_of_the_motors() -> None:
    plain, geared = (urdf.read_text(text, "arm").robot for text in (arm(), arm(NEW.format(50), OLD)))
    assert [to_text(drive.N) for drive in geared.drives] == ["50", "-80"]
    q, qd, qdd = (np.random.default_rng(k).uniform(-1, 1, 2) for k in range(3))
    torques = symoro.inverse_dynamics(plain).compile()(q, qd, qdd)
    assert_close(symoro.inverse_dynamics(geared).compile()(q, qd, qdd), torques, 1e-15)
    assert_close(symoro.motor_torques(geared).compile()(q, qd, qdd), torques / [50, -80], 1e-14)


def test_a_written_file_keeps_them() -> None:
    geared = urdf.read_text(arm(NEW.format(50), OLD), "arm").robot
    again = urdf.read_text(urdf.write_text(geared), "arm").robot
    assert [drive.N for drive in again.drives] == [drive.N for drive in geared.drives]
    assert "reductions of transmissions" in mjcf.not_written(geared)
    assert symoro.compare(geared, urdf.read_text(arm(NEW.format(40), OLD), "arm").robot).differences[0].text == (
        "one: reduction N 50 / 40"
    )


def test_what_is_not_carried_over_is_listed() -> None:
    read = urdf.read_text(arm(BOTH), "arm")
    assert any("not carried over: transmission 't3' of one, two" in str(problem) for problem in read.problems)
    for reduction, why in ((0, "its reduction is 0"), ("many", "<mechanicalReduction> = 'many'")):
        (problem,) = urdf.read_text(arm(NEW.format(reduction)), "arm").problems
        text = f"transmission 't1' cannot be read, and its reduction is taken as 1: {why}"
        assert problem.severity == "warning"
        assert text in problem.message


def test_reductions_of_files() -> None:
    """xarm7 says 100 for each joint; of tiago's transmissions the wrist has two motors."""
    arm7 = formats.read(URDF["xarm_description/urdf/xarm7.urdf"]).robot
    assert [evaluate(drive.N, {}) for drive in arm7.drives] == [100.0] * 7
    tiago = formats.read(URDF["tiago_description/robots/tiago_dual.urdf"])
    assert sum("not carried over: transmission" in str(problem) for problem in tiago.problems) == 2


def test_reductions_are_in_the_coupling_if_there_is_one() -> None:
    given = urdf.read_text(arm(), "arm").robot
    coupled = replace(given, coupling=((ONE, ZERO), (ZERO, as_value(0.5))), drives=(Drive(N=as_value(2)), Drive()))
    with raised("descriptions.two_reductions", CheckError):
        symoro.motor_torques(coupled)
