"""Arms with more than six joints on the page: which of them are given, or the arm angle in their place."""

from __future__ import annotations

from typing import Any

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable, OptionError
from symoro.findings import Argument, Finding
from symoro.ir.graph import Graph
from symoro.models.geometric.inverse.chain import ScrewChain, chain
from symoro.models.geometric.inverse.steps import elbow
from symoro.robot.robot import Robot

ARM, _ARM_ANGLE = "arm", "psi"
_DETERMINED = 6
"""How many joints a pose determines."""


def given_of(robot: Robot, option: Any = None) -> dict[int | str, str]:
    """`redundant=` of `symoro.inverse_geometry` for an option of the page: "arm", or numbers of joints as 3 or "1,2".

    Without an option it is the arm angle where there is one, else the last of seven joints, or the first of more.
    """
    arm = _arm(robot)
    extra = len(arm.axes) - _DETERMINED if arm is not None else 0
    if option is None or option == "":
        if arm is None or extra <= 0:
            return {}
        if has_arm_angle(arm):
            return {ARM: _ARM_ANGLE}
        joints = sorted(axis.joint for axis in arm.axes)
        option = ",".join(map(str, joints[-1:] if extra == 1 else joints[:extra]))
    if option == ARM:
        return {ARM: _ARM_ANGLE}
    try:
        numbers = [int(text) for text in str(option).split(",")]
    except ValueError:
        allowed = Finding("page.redundant")
        raise OptionError("options.value", option=Argument("redundant"), value=repr(option), allowed=allowed) from None
    return {j: str(robot.joint(j).variable) for j in dict.fromkeys(numbers)}


def redundancy(robot: Robot, redundant: dict[int | str, str]) -> dict[str, Any]:
    """What the page says about it: the joints that are given, and those that can be."""
    arm = _arm(robot)
    joints = [] if arm is None else sorted(axis.joint for axis in arm.axes)
    names = [{"joint": None if j == ARM else j, "name": name} for j, name in redundant.items()]
    needed = max(0, len(joints) - _DETERMINED)
    return {"given": names, "needed": needed, "arm_angle": needed == 1 and arm is not None and has_arm_angle(arm)}


def _arm(robot: Robot) -> ScrewChain | None:
    """The chain to the only tip of a robot; None where it is no arm."""
    if robot.cuts:
        return None
    try:
        return chain(Symbols(robot, Graph()), None)
    except NotApplicable:
        return None


def has_arm_angle(arm: ScrewChain) -> bool:
    try:
        elbow(arm)
    except NotApplicable:
        return False
    return True
