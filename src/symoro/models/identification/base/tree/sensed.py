"""What the torques of a tree sense of each link: which linear forms of the inertial parameters have an effect.

The equations are those of GK88 § 5-8, for any tree and any base. In the frame of link j there are three spaces:

S_j   the twists that link j can be given: by gravity or the base's motion, by the joints before j and by joint j,
      in all configurations. Moving joint j turns or shifts a twist, so S_j is closed under joint j.
C_j   the forms of the parameters of link j (and of the links that it carries, as one body) that some torque senses.
      Joint j senses the momentum along its axis of a body that accelerates by a twist of S_j; the joints before j
      sense the forms of C_a(j), seen from frame j in all configurations of joint j.
D_j   the forms of C_j that are sensed separately from link a(j): what joint j senses, and the parts of the forms of
      C_a(j) that vary with q_j. The constant parts always come with parameters of link a(j) and regroup there.

The number of base parameters is the sum of the dimensions of D_j (docs/theory/base-parameters.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from symoro.binding import value_of
from symoro.models.identification.base.tree.coefficients import Coefficient, Coefficients, Span
from symoro.models.identification.base.tree.forms import TWIST, Passage, Row, steps_of, unit
from symoro.models.identification.parameters import INERTIAL
from symoro.robot.base import BaseKind
from symoro.robot.coordinates import variables
from symoro.robot.joint import Joint
from symoro.robot.values import symbols
from symoro.symbols import Symbols

#: The parameters of a link in the order in which they are kept, its rotor inertia last.
KEPT_FIRST = (*INERTIAL, "IA")
#: The parameters that are not kept, in the order in which they are passed to the antecedent.
PASSED_FIRST = ("YY", "M", "MZ", "ZZ", "XX", "XY", "XZ", "YZ", "MX", "MY")


@dataclass(frozen=True, slots=True)
class Sensed:
    """What is sensed of one link, and how its other parameters regroup into the antecedent."""

    twists: Span[str]
    """S_j."""
    forms: Span[str]
    """C_j."""
    own: Span[str]
    """D_j; its pivots are the parameters that are kept."""
    passed: dict[str, Row]
    """For each basis form of C_a(j): what the parameters of link j that are not kept add to it."""


def sensed_links(s: Symbols, field: Coefficients) -> dict[int, Sensed]:
    """What is sensed of every link, from the base to the tips."""
    found = {0: _base(s, field)}
    for j in s.outward:
        joint = s.robot.joint(j)
        found[j] = next_link(
            Passage(field, steps_of(s, field, joint), joint), found[s.parent[j]], _rotor(s, field, joint)
        )
    return found


def _rotor(s: Symbols, field: Coefficients, joint: Joint) -> Coefficient | None:
    """What a unit of IA adds to the inertia at a joint's coordinate; None where the rotor does not turn with the joint.

    With x = a q + c, ½ IA q̇² is ½ (IA/a²) ẋ², whatever else the variable q moves. A spring or a coupling between rotor
    and joint, other variables in x, and functions of q that are not linear keep the rotor apart.
    """
    if s.robot.coupling or (joint.elastic and joint.actuated) or s.slopes.get(joint.index, {}).keys() != {joint.index}:
        return None
    slope = value_of(s.slopes[joint.index][joint.index])
    if symbols(slope) & variables(s.robot).keys():
        return None
    a = field.value(slope, s.bind(slope))
    return field.one / (a * a)


def moves(s: Symbols) -> bool:
    """Whether the base can have any motion."""
    return not (s.robot.base.kind is BaseKind.FIXED and s.robot.base.still)


def _base(s: Symbols, field: Coefficients) -> Sensed:
    """Link 0: all twists if the base moves, else the acceleration of gravity. A floating base keeps all forms."""
    if s.robot.base.kind is BaseKind.MOBILE:
        return _on_plane(s, field)
    if moves(s):
        everything = [unit(field, name) for name in INERTIAL]
        own = Span(KEPT_FIRST, everything if s.robot.base.free else ())
        twists = Span(TWIST, (unit(field, name) for name in TWIST))
        return Sensed(twists, Span(INERTIAL, everything), own, {})
    return Sensed(Span(TWIST, (_gravity(s, field),)), Span(INERTIAL), Span(KEPT_FIRST), {})


def _gravity(s: Symbols, field: Coefficients) -> Row:
    found = zip(TWIST, (field.value(value, s.bind(value)) for value in s.robot.gravity), strict=False)
    return {name: x for name, x in found if not x.is_zero}


def _on_plane(s: Symbols, field: Coefficients) -> Sensed:
    """Link 0 on wheels: it moves along x0 and y0 and turns about z0; forces along these sense it."""
    twists = Span(TWIST, [*(unit(field, name) for name in ("VX", "VY", "WZ")), _gravity(s, field)])
    sensed_there = [unit(field, name) for name in ("M", "MX", "MY", "ZZ")]
    return Sensed(twists, Span(INERTIAL, sensed_there), Span(KEPT_FIRST, sensed_there), {})


def next_link(passage: Passage, before: Sensed, rotor: Coefficient | None) -> Sensed:
    """What is sensed of the link after a joint; `rotor` is None where the rotor does not turn with the joint."""
    field, joint = passage.field, passage.joint
    given = Span(TWIST, (t for twist in before.twists.basis.values() for t in passage.twists(twist)))
    pulled = {pivot: passage.forms(form) for pivot, form in before.forms.basis.items()}
    rows = [*_by_joint(field, joint, given, rotor)]
    rows += [row for _, changing in pulled.values() for row in changing]
    own = Span(KEPT_FIRST, sorted(rows, key=_is_symbolic), most=_most(joint))
    order = [*own.basis, *(name for name in PASSED_FIRST if name not in own.basis)]
    forms = Span(order, ({n: x for n, x in row.items() if n != "IA"} for row in own.basis.values()))
    for constant, _ in pulled.values():
        forms.include(constant)
    twists = Span(TWIST, given.basis.values())
    if joint.movable:
        twists.include(unit(field, "VZ" if joint.prismatic else "WZ"))
    return Sensed(twists, forms, own, {pivot: own.reduced(constant) for pivot, (constant, _) in pulled.items()})


def _is_symbolic(row: Mapping[str, Coefficient]) -> bool:
    return not all(x.is_number for x in row.values())


def _most(joint: Joint) -> int:
    """The largest number of parameters of a link that can be kept, rotor inertia included (GK88 theorems 5, 6)."""
    return 0 if joint.fixed else 5 if joint.prismatic else 8


def _by_joint(field: Coefficients, joint: Joint, given: Span[str], rotor: Coefficient | None) -> Iterator[Row]:
    """The forms that a joint senses. Its acceleration also turns its rotor, unless the rotor is apart."""
    if joint.fixed:
        return
    for twist in given.basis.values():
        yield momentum_form(joint.prismatic, twist)
    axis = momentum_form(joint.prismatic, unit(field, "VZ" if joint.prismatic else "WZ"))
    if rotor is None:
        yield axis
        yield unit(field, "IA")
    else:
        yield axis | {"IA": rotor}


def momentum_form(prismatic: bool, twist: Row) -> Row:
    """The form that the torque of a joint senses when a body accelerates by a twist: momentum along the joint's axis.

    A body that turns about z has the momentum p = z × MS and L = J z, one that shifts along z p = M z and L = MS × z.
    The form is v·p + w·L.
    """
    table = _ALONG_Z if prismatic else _ABOUT_Z
    return {name: twist[v] if sign > 0 else -twist[v] for v, name, sign in table if v in twist}


_ALONG_Z = (("VZ", "M", 1), ("WX", "MY", 1), ("WY", "MX", -1))
_ABOUT_Z = (("VX", "MY", -1), ("VY", "MX", 1), ("WX", "XZ", 1), ("WY", "YZ", 1), ("WZ", "ZZ", 1))
