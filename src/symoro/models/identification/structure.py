"""Which linear forms of the inertial parameters the torques of a tree can tell apart, link by link.

The equations are those of GK88 § 5-8, said for any tree and any base. In the frame of link j

S_j   the twists that link j can be given: by gravity or the base's motion, by the joints before j and by joint j,
      in all configurations. Moving joint j turns or shifts a twist, so S_j is closed under joint j.
C_j   the forms of the parameters of link j (and of the links that it carries, as one body) that some torque senses.
      Joint j senses the momentum along its axis of a body that accelerates by a twist of S_j; the joints before j
      sense the forms of C_a(j), seen from frame j in all configurations of joint j.
D_j   those that are sensed without link a(j): what joint j senses, and the parts of the forms of C_a(j) that change
      with q_j. The parts that do not change come together with the parameters of link a(j) and regroup there.

So the number of base parameters is the sum of the dimensions of D_j (docs/theory/base-parameters.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from symoro.models.identification.coefficients import Coefficient, Coefficients
from symoro.models.identification.inertia import Row, sensed, unit
from symoro.models.identification.place import Place, steps_of
from symoro.models.identification.span import Span
from symoro.robot.base import BaseKind
from symoro.robot.joint import Joint
from symoro.symbols import Symbols

#: The columns of a link in the order in which they are kept, and those that are not in the order they are passed on.
KEPT_FIRST = ("XX", "XY", "XZ", "YZ", "ZZ", "MX", "MY", "MZ", "M", "YY", "IA")
INERTIAL = KEPT_FIRST[:-1]
PASSED_FIRST = ("YY", "M", "MZ", "ZZ", "XX", "XY", "XZ", "YZ", "MX", "MY")
TWIST = ("VX", "VY", "VZ", "WX", "WY", "WZ")


@dataclass(frozen=True, slots=True)
class Senses:
    """What is sensed of a link: S, C and D of the module's text, and how the parameters regroup into the antecedent."""

    twists: Span[str]
    forms: Span[str]
    own: Span[str]
    passed: dict[str, Row]
    """For each basis form of C_a(j): what the parameters of link j that are not kept add to it."""


def senses(s: Symbols, field: Coefficients) -> dict[int, Senses]:
    """S, C and D of every link, from the base to the tips."""
    found = {0: _base(s, field)}
    for j in s.outward:
        joint = s.robot.joint(j)
        apart = bool(s.robot.coupling) or (joint.elastic and joint.actuated)
        found[j] = behind(Place(field, steps_of(s, field, joint), joint), found[s.parent[j]], apart)
    return found


def moves(s: Symbols) -> bool:
    """Whether the base can have any motion."""
    return not (s.robot.base.kind is BaseKind.FIXED and s.robot.base.still)


def _base(s: Symbols, field: Coefficients) -> Senses:
    """Link 0: all twists where the base moves, else the acceleration of gravity; kept only where it is free."""
    if s.robot.base.kind is BaseKind.MOBILE:
        return _on_plane(s, field)
    if moves(s):
        everything = [unit(field, name) for name in INERTIAL]
        own = Span(KEPT_FIRST, everything if s.robot.base.free else ())
        twists = Span(TWIST, (unit(field, name) for name in TWIST))
        return Senses(twists, Span(INERTIAL, everything), own, {})
    return Senses(Span(TWIST, (_gravity(s, field),)), Span(INERTIAL), Span(KEPT_FIRST), {})


def _gravity(s: Symbols, field: Coefficients) -> Row:
    found = zip(TWIST, (field.value(value, s.bind(value)) for value in s.robot.gravity), strict=False)
    return {name: x for name, x in found if not x.is_zero}


def _on_plane(s: Symbols, field: Coefficients) -> Senses:
    """Link 0 on wheels: it moves along x0 and y0 and turns about z0, and is sensed along these."""
    twists = Span(TWIST, [*(unit(field, name) for name in ("VX", "VY", "WZ")), _gravity(s, field)])
    sensed_there = [unit(field, name) for name in ("M", "MX", "MY", "ZZ")]
    return Senses(twists, Span(INERTIAL, sensed_there), Span(KEPT_FIRST, sensed_there), {})


def behind(place: Place, before: Senses, apart: bool) -> Senses:
    """What is sensed of the link behind a joint; `apart` where the rotor does not turn with the joint."""
    field, joint = place.field, place.joint
    given = Span(TWIST, (t for twist in before.twists.basis.values() for t in place.twists(twist)))
    pulled = {pivot: place.forms(form) for pivot, form in before.forms.basis.items()}
    rows = [*_sensed_by(field, joint, given, apart)]
    rows += [row for _, changing in pulled.values() for row in changing]
    own = Span(KEPT_FIRST, sorted(rows, key=_is_symbolic), most=_most(joint))
    order = [*own.basis, *(name for name in PASSED_FIRST if name not in own.basis)]
    forms = Span(order, ({n: x for n, x in row.items() if n != "IA"} for row in own.basis.values()))
    for constant, _ in pulled.values():
        forms.include(constant)
    twists = Span(TWIST, given.basis.values())
    if joint.movable:
        twists.include(unit(field, "VZ" if joint.prismatic else "WZ"))
    return Senses(twists, forms, own, {pivot: own.reduced(constant) for pivot, (constant, _) in pulled.items()})


def _is_symbolic(row: Mapping[str, Coefficient]) -> bool:
    return not all(x.is_number for x in row.values())


def _most(joint: Joint) -> int:
    """How many parameters of a link can be kept, its rotor inertia included (GK88 theorems 5, 6)."""
    return 0 if joint.fixed else 5 if joint.prismatic else 8


def _sensed_by(field: Coefficients, joint: Joint, given: Span[str], apart: bool) -> Iterator[Row]:
    """What a joint senses. Its acceleration moves its rotor too, unless a spring or a coupling is between them."""
    if joint.fixed:
        return
    for twist in given.basis.values():
        yield sensed(joint.prismatic, twist)
    axis, rotor = sensed(joint.prismatic, unit(field, "VZ" if joint.prismatic else "WZ")), unit(field, "IA")
    if apart:
        yield axis
        yield rotor
    else:
        yield axis | rotor
