"""Other descriptions of a robot: flipped and shifted frames, renamed symbols, renumbered links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symoro.robot.joint import Joint
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot, parameters
from symoro.robot.symbolic import substituted
from symoro.robot.values import ZERO, Apply, Number, Symbol, Value, as_value, is_zero

PI_VALUE = as_value("pi")


def plus(a: Value, b: Value) -> Value:
    return b if is_zero(a) else a if is_zero(b) else Apply("+", (a, b))


def minus(a: Value) -> Value:
    if isinstance(a, Number):
        return Number(-a.value)
    if isinstance(a, Apply) and a.function == "neg":
        return a.arguments[0]
    return Apply("neg", (a,))


def flipped(robot: Robot, j: int) -> Robot:
    """Frame j turned by π about its x axis: its z axis, and with it its joint's axis, points the other way.

    R' = R Rx(π), so that θ and r of joint j enter with the other sign after α + π; the children's γ and b likewise.
    """
    joint = robot.joint(j)
    one = replace(joint, alpha=plus(joint.alpha, PI_VALUE), theta=_turned(joint.theta), r=_turned(joint.r))
    joints = tuple(one if k.index == j else _after(k) if k.parent == j else k for k in robot.joints)
    return _with_links(replace(robot, joints=joints), j, _SIGN_OF_FLIP)


def _turned(value: Value) -> Value:
    """θ → −θ; the variable q keeps its name and changes its sign."""
    if isinstance(value, Apply) and value.function in "+-":
        other = "-" if value.function == "+" else "+"
        return Apply(other, value.arguments)
    return value if isinstance(value, Symbol) and value.name.startswith("q") else minus(value)


def _after(joint: Joint) -> Joint:
    """Rx(π) Rz(γ) Tz(b) Rx(α) = Rz(−γ) Tz(−b) Rx(π + α)."""
    gamma, b = (ZERO if is_zero(x) else minus(x) for x in (joint.gamma, joint.b))
    return replace(joint, gamma=gamma, b=b, alpha=plus(joint.alpha, PI_VALUE))


_SIGN_OF_FLIP = {"XY", "XZ", "MY", "MZ"}
_SIGN_OF_SHIFT = {"XZ", "YZ", "MX", "MY"}


def shifted(robot: Robot, j: int) -> Robot:
    """Frame j turned by π about its z axis: θ_j + π, and the children's γ + π."""
    joint = robot.joint(j)
    one = replace(joint, theta=plus(joint.theta, PI_VALUE))
    joints = tuple(
        one if k.index == j else replace(k, gamma=plus(k.gamma, PI_VALUE)) if k.parent == j else k for k in robot.joints
    )
    return _with_links(replace(robot, joints=joints), j, _SIGN_OF_SHIFT)


def _with_links(robot: Robot, j: int, signs: set[str]) -> Robot:
    """Link j's tables seen from the turned frame."""
    old = robot.inertia(j)
    new = replace(old, **{name: minus(value) for name, value in old.items() if name in signs and not is_zero(value)})
    return replace(robot, inertias=tuple(new if k == j else one for k, one in enumerate(robot.inertias, 1)))


def renamed(robot: Robot, rename: Callable[[str], str]) -> Robot:
    """Every symbol but the joints' variables under another name."""
    kept = {joint.variable for joint in robot.joints}
    kept |= {f"{letters}{j}" for letters in ("QP", "QDP", "GAM") for j in range(len(robot.joints) + 1)}
    names = {x.name for value in parameters(robot) for x in _symbols(value)} | set(robot.values)
    given: dict[str, Value] = {name: Symbol(rename(name)) for name in names if name not in kept}
    values = {rename(n) if n in given else n: v for n, v in robot.values.items()}
    return replace(substituted(robot, given), values=values)  # type: ignore[arg-type]


def _symbols(value: Value) -> list[Symbol]:
    if isinstance(value, Symbol):
        return [value]
    return [s for a in value.arguments for s in _symbols(a)] if isinstance(value, Apply) else []


def renumbered(robot: Robot, order: list[int]) -> Robot:
    """Links in another order, parents before children: `order` lists the old indices."""
    place = {0: 0} | {old: new for new, old in enumerate(order, 1)}
    joints = tuple(replace(robot.joint(old), index=place[old], parent=place[robot.joint(old).parent]) for old in order)

    def moved(table: tuple[Inertia, ...] | tuple[Drive, ...] | tuple[Wrench, ...]) -> tuple[object, ...]:
        return tuple(table[old - 1] for old in order)

    return replace(
        robot,
        joints=joints,
        inertias=moved(robot.inertias),  # type: ignore[arg-type]
        drives=moved(robot.drives),  # type: ignore[arg-type]
        wrenches=moved(robot.wrenches),  # type: ignore[arg-type]
    )
