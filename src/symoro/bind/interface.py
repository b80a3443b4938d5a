"""The inputs and parameters of a robot's programs, each with its meaning, unit and default."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from symoro.bind.symbols import PLATFORM_ACCELERATION, PLATFORM_POSE, PLATFORM_VELOCITY, Symbols
from symoro.bind.vocabulary import MOTION_UNITS, PARAMETERS, parameter_text
from symoro.findings import sentence
from symoro.ir.expr import Expr
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Variable
from symoro.robot.base import BaseKind
from symoro.robot.joint import GEOMETRY, Joint
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, Value, evaluate, symbols


def robot_numbers(robot: Robot) -> dict[str, float]:
    """The numbers that the robot gives to its symbols, those defined by others included."""
    return robot.values.numbers()


def units(robot: Robot, quantity: str, joints: Iterable[int] | None = None) -> str:
    """The unit of a quantity of joints, by the kinds of the robot's joints; another text is a unit itself."""
    if quantity not in MOTION_UNITS:
        return quantity
    chosen = robot.joints if joints is None else [robot.joint(j) for j in joints]
    free = joints is None and robot.base.free
    sliding = {joint.prismatic for joint in chosen if joint.movable} | ({False, True} if free else set())
    return MOTION_UNITS[quantity][sliding.pop()] if len(sliding) == 1 else " or ".join(MOTION_UNITS[quantity])


def parameters(s: Symbols) -> tuple[Variable, ...]:
    """Every parameter with its meaning and the robot's number for it."""
    numbers = robot_numbers(s.robot)
    meanings = dict(_parameter_meanings(s.robot))
    return tuple(Variable(n, meanings.get(n, Meaning()), numbers.get(n)) for n in s.parameter_names)


def inputs(s: Symbols, names: Iterable[str], joints: Mapping[str, Sequence[int]] | None = None) -> tuple[Input, ...]:
    """The input arrays of these names; `quat`, `wrench`, `V0` and `VP0` only where the robot declares them.

    `joints` says which joints `qd`, `qdd` or `tau` have, where that is not all movable ones. What must be given of a
    floating base comes first.
    """
    arrays = [_input(s, name, (joints or {}).get(name)) for name in names]
    kept = (array for array in arrays if prod(array.shape) or not array.optional)
    return tuple(sorted(kept, key=lambda array: array.optional or array.name not in ("quat", "V0")))


#: The inputs with an element for each joint: what it is, and its symbols.
_BY_JOINT: Mapping[str, tuple[str, Callable[[Symbols], Mapping[int, Expr]]]] = {
    "q": ("position", lambda s: s.q),
    "qd": ("velocity", lambda s: s.qd),
    "qdd": ("acceleration", lambda s: s.qdd),
    "tau": ("torque", lambda s: s.tau),
    "q_end": ("position", lambda s: s.end.q),
    "qd_end": ("velocity", lambda s: s.end.qd),
}
_VELOCITY = "velocity [v; ω] of the platform's origin in frame 0"  # against the base, where that moves
_OTHERS: Mapping[str, Callable[[Symbols], Input]] = {
    "quat": lambda s: _quaternion_input(s),
    "wrench": lambda s: _wrench_input(s),
    "payload": lambda s: _payload_input(s),
    "T": lambda s: _pose_input(s, "T"),
    "V": lambda s: _platform_input(s, "V", PLATFORM_VELOCITY, _VELOCITY),
    "VP": lambda s: _platform_input(s, "VP", PLATFORM_ACCELERATION, "time derivative of V"),
    "T_end": lambda s: _at_end(_pose_input(s, "T_end", "_end")),
    "V_end": lambda s: _at_end(_platform_input(s, "V_end", [f"{name}_end" for name in PLATFORM_VELOCITY], _VELOCITY)),
    "target": lambda s: _target_input(s),
    "V0": lambda s: _base_input(s, "V0", 0, "velocity"),
    "VP0": lambda s: _base_input(s, "VP0", 1, "acceleration"),
}


def _input(s: Symbols, name: str, joints: Sequence[int] | None) -> Input:
    if name in _OTHERS:
        return _OTHERS[name](s)
    if name not in _BY_JOINT:
        raise ValueError(f"no input array is called {name} (allowed: {', '.join((*_BY_JOINT, *_OTHERS))})")
    what, symbols_of = _BY_JOINT[name]
    array = _joint_input(s, name, symbols_of(s), what, joints)
    return _at_end(array) if name.endswith("_end") else array


def _joint_input(s: Symbols, name: str, exprs: Mapping[int, Expr], what: str, joints: Sequence[int] | None) -> Input:
    chosen = s.variables if joints is None else joints
    variables = tuple(
        Variable(_name(exprs[j]), _joint_meaning(s.robot.joint(j), what), label=s.graph.labels.get(exprs[j].node))
        for j in chosen
    )
    text = sentence(f"symbols.{what}_of_joints")
    nothing = not chosen and (name in ("qdd", "tau") or bool(s.variables))  # no motor, or no joint is left to move
    return Input(
        name, (len(variables),), variables, optional=nothing, meaning=Meaning(text, units(s.robot, what, chosen))
    )


def _at_end(array: Input) -> Input:
    """The input of the state in which a motion ends."""

    def later(meaning: Meaning) -> Meaning:
        return replace(meaning, text=meaning.text and sentence("symbols.at_end", what=meaning.text))

    variables = tuple(replace(variable, meaning=later(variable.meaning)) for variable in array.variables)
    return replace(array, variables=variables, meaning=later(array.meaning))


def _joint_meaning(joint: Joint, what: str) -> Meaning:
    noun = "force" if what == "torque" and joint.prismatic else what
    text = sentence(f"symbols.{noun}_of_joint", j=joint.index, name=joint.name)
    return Meaning(text, MOTION_UNITS[what][joint.prismatic], joint.index)


def _pose_input(s: Symbols, array: str, ending: str = "") -> Input:
    """The pose of a platform."""
    names = (s._unused(f"{name}{ending}") for row in PLATFORM_POSE for name in row)
    return Input(array, (4, 4), tuple(map(Variable, names)), meaning=Meaning("pose of the platform in frame 0"))


def _platform_input(s: Symbols, name: str, names: Sequence[str], text: str) -> Input:
    variables = tuple(Variable(s._unused(element)) for element in names)
    return Input(name, (6,), variables, meaning=Meaning(text))


def _target_input(s: Symbols) -> Input:
    """Wanted positions of the motors of legs."""
    variables = tuple(Variable(s._unused(f"QA{s.label[j]}")) for j in s.active if j not in s.beside_legs)
    return Input("q", (len(variables),), variables, meaning=Meaning("wanted positions of the motors"))


def _wrench_input(s: Symbols) -> Input:
    numbers = robot_numbers(s.robot)
    if s.free and s.wrench_links == s.free:  # a platform alone has one wrench, not a table of them
        text = sentence("symbols.wrench_of_platform")
        entries = zip(s.robot.wrench(s.free[0]).items(), s.state.wrench[s.free[0]], strict=True)
        units_of = ("N", "N", "N", "N·m", "N·m", "N·m")
        elements = [
            Variable(_name(x), Meaning(text, unit), _known(value, numbers))
            for ((_, value), x), unit in zip(entries, units_of, strict=True)
        ]
        return Input("wrench", (6,), tuple(elements), optional=True, meaning=Meaning(text))
    variables = tuple(
        Variable(_name(x), _table_meaning(s.robot, letters, j), _default(value, numbers))
        for j in s.wrench_links
        for (letters, value), x in zip(s.robot.wrench(j).items(), s.state.wrench[j], strict=True)
    )
    links = ", ".join(map(str, s.wrench_links))
    meaning = Meaning(f"wrench [f; m] on the environment of link {links}")
    return Input("wrench", (len(s.wrench_links), 6), variables, optional=True, meaning=meaning)


def _quaternion_input(s: Symbols) -> Input:
    """The orientation of a floating base; an empty input for other bases."""
    if s.robot.base.kind is not BaseKind.FLOATING:
        return Input("quat", (0,), (), optional=True)
    parts = zip(s.quat, "xyzw", strict=True)
    variables = tuple(
        Variable(_name(x), Meaning(sentence("symbols.orientation", part=part), "1", 0)) for x, part in parts
    )
    return Input("quat", (4,), variables, meaning=Meaning("orientation of the base: a unit quaternion x y z w"))


#: The symbols of a payload: the axis of what each is, its mass or its centre of mass.
_PAYLOAD = {"MP": "", "XP": "x", "YP": "y", "ZP": "z"}


def payload(s: Symbols) -> tuple[Expr, ...]:
    """The mass and the centre of mass of a payload; a parameter of the same name gets none of its symbols."""
    taken = {*s.parameter_names, *(_name(x) for x in s.q.values())}
    return tuple(s.graph.symbol(name + "_" * (name in taken)) for name in _PAYLOAD)


def _payload_input(s: Symbols) -> Input:
    parts = zip(payload(s), _PAYLOAD.values(), strict=True)
    mass = Meaning(sentence("symbols.payload_mass"), "kg")
    variables = tuple(
        Variable(_name(x), Meaning(sentence("symbols.payload_centre", axis=axis), "m") if axis else mass)
        for x, axis in parts
    )
    meaning = Meaning("the mass of the payload and its centre of mass in the link's frame")
    return Input("payload", (4,), variables, meaning=meaning)


def _base_input(s: Symbols, name: str, order: int, what: str) -> Input:
    numbers = robot_numbers(s.robot)
    values = (s.robot.base.velocity, s.robot.base.acceleration)[order]
    angular, linear = MOTION_UNITS[what]
    gravity = "; gravity is not added to it" if order else ""
    meaning = Meaning(f"{what} of the base [of its origin; angular] in frame 0{gravity}")
    motion = (s.state.V0, s.state.VP0)[order]
    if motion.is_zero:
        return Input(name, (0,), (), optional=True, meaning=meaning)
    variables = tuple(
        Variable(
            _name(x), Meaning(sentence(f"symbols.base_{kind}_{what}", axis=axis), unit, 0), _default(value, numbers)
        )
        for x, value, (kind, unit, axis) in zip(
            motion,
            values,
            [(k, u, a) for k, u in (("linear", linear), ("angular", angular)) for a in "xyz"],
            strict=True,
        )
    )
    unknown = order == 0 and s.robot.base.kind is BaseKind.FLOATING
    return Input(name, (6,), variables, optional=not unknown, meaning=meaning)


def _name(expr: Expr) -> str:
    return str(expr.node.value)


def _known(value: Value, numbers: Mapping[str, float]) -> float | None:
    """The robot's number for a value; None if it has none."""
    return evaluate(value, numbers) if symbols(value) <= numbers.keys() else None


def _default(value: Value, numbers: Mapping[str, float]) -> float:
    """The robot's number for an input; 0 if it has none."""
    return _known(value, numbers) or 0.0


def _parameter_meanings(robot: Robot) -> Iterator[tuple[str, Meaning]]:
    """The meaning of each symbol that is a whole entry of a table; the first such entry counts."""
    meanings: dict[str, Meaning] = {}
    for value, letters, j, axis in _table_entries(robot):
        if isinstance(value, Symbol):
            meanings.setdefault(value.name, _table_meaning(robot, letters, j, axis))
    return iter(meanings.items())


def _table_entries(robot: Robot) -> Iterator[tuple[Value, str, int | None, str]]:
    for joint in robot.joints:
        for name in (*GEOMETRY, "stiffness", "rest"):
            yield getattr(joint, name), name, joint.index, ""
    for j in range(robot.link_count + 1):
        for table in (robot.inertia(j), robot.drive(j)) if j else (robot.inertia(0),):
            for name, value in table.items():
                yield value, name, j, ""
    for value, axis in zip(robot.gravity, "xyz", strict=True):
        yield value, "G", None, axis


def _table_meaning(robot: Robot, letters: str, j: int | None, axis: str = "") -> Meaning:
    """The meaning of an entry; of a link of a leg it begins with the leg, and the platform has no number."""
    unit = PARAMETERS[letters]
    n, group = next(((n, group) for n, group in enumerate(robot.groups) if j in group.joints), (0, None))
    if group is None or j is None:
        return Meaning(parameter_text(letters, j, axis), unit, j)
    if not group.numbered:
        return Meaning(parameter_text(letters, j, axis, sentence("symbols.of_platform")), unit)
    number = group.joints.index(j) + 1
    return Meaning(sentence("symbols.of_leg", leg=n, what=parameter_text(letters, number, axis)), unit, number)
