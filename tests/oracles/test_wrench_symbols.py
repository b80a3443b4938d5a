"""Every element of the input `wrench` acts alone, whatever symbols the description of the wrench shares with others."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.pinocchio_robot import oracle

SHARED = {
    "one symbol in a wrench": ({}, {"FX": "F", "FY": "F", "CZ": "F"}),
    "one symbol on two links": ({"FX": "F"}, {"FX": "F", "CZ": "F"}),
    "the symbol of a length": ({}, {"FX": "L"}),
    "the name of a velocity": ({}, {"FX": "QP1"}),
    "the name of another element": ({}, {"FX": "FY2", "FY": 2}),
    "expressions": ({}, {"FX": "2*F", "FZ": "-F"}),
}


@pytest.mark.parametrize("kind", SHARED)
def test_each_element_of_a_wrench_has_its_own_input(kind: str) -> None:
    first, second = SHARED[kind]
    rows = [{"wrench": first, "d": 0.2}, {"wrench": second, "alpha": "pi/3", "d": 0.4, "r": "L"}]
    robot = symoro.Robot.from_mdh(rows, values={"L": 0.3})
    torques = symoro.inverse_dynamics(robot).compile("numpy")
    q, still = np.array([0.3, 0.5]), np.zeros(2)
    o = oracle(robot, {"L": 0.3, "G3": 0.0})
    links = [link for link, wrench in ((1, first), (2, second)) if wrench]
    for row, link in enumerate(links):
        J = pin.computeJointJacobian(o.model, o.data, o.q(q), o.joint_of[link])
        for column in range(6):
            wrench = np.zeros((len(links), 6))
            wrench[row, column] = 1
            found = torques(q, still, still, wrench=wrench) - torques(q, still, still, wrench=0 * wrench)
            assert_close(found, J[column], 1e-12)


def test_numbers_of_shared_symbols_are_the_default() -> None:
    rows = [{"wrench": {"CZ": "F"}}, {"wrench": {"CZ": "2*F"}}]
    torques = symoro.inverse_dynamics(symoro.Robot.from_mdh(rows, values={"F": 3.0})).compile("numpy")
    assert_close(torques([0, 0], [0, 0], [0, 0]), [9.0, 6.0], 1e-15)
