"""The models of parallel robots: functions from a mechanism to named results."""

from __future__ import annotations

from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total
from symoro.models.dynamic.energies import of_springs, potential
from symoro.models.parallel.attachments import attachment_forces
from symoro.models.parallel.dynamics import (
    Motion,
    at_rest,
    coasting,
    drift,
    inertia,
    motor_torques,
    platform_accelerations,
    platform_jacobian,
    projected,
    wrench,
)
from symoro.models.parallel.letters import VP_NAMES
from symoro.models.parallel.mechanism import Mechanism


def inverse_dynamics(m: Mechanism) -> list[Result]:
    """GAM of the motors for a motion of the platform (K10:66)."""
    return [_by_motor(m, "GAM", motor_torques(m, Motion(m, m.of.V, m.of.VP)))]


def direct_dynamics(m: Mechanism) -> list[Result]:
    """VP of the platform for torques of the motors."""
    return [Result("VP", (6,), tuple(platform_accelerations(m, m.of.tau)), VP_NAMES)]


def inertia_matrix(m: Mechanism, space: str) -> list[Result]:
    """A in the space of the platform, or J_pᵀ A J_p on the motors."""
    A = inertia(m)
    if space == "platform":
        return [_matrix(m, "A", A)]
    J = _square_jacobian(m)
    return [_matrix(m, "A", J.T @ (A @ J))]


def bias(m: Mechanism, space: str) -> list[Result]:
    """h in the space of the platform, or J_pᵀ (h + A J̇_p q̇_a) on the motors."""
    h = wrench(m, coasting(m))
    if space == "platform":
        return [_vector(m, "H", h)]
    _square_jacobian(m)
    return [_by_motor(m, "H", projected(m, h + inertia(m) @ drift(m)))]


def gravity(m: Mechanism, space: str) -> list[Result]:
    """The forces that hold the platform and the legs still."""
    motion = at_rest(m)
    if space == "platform":
        return [_vector(m, "Q", wrench(m, motion))]
    return [_by_motor(m, "Q", motor_torques(m, motion))]


def energies(m: Mechanism) -> list[Result]:
    """E = ½ Vᵀ A V of platform, legs and rotors, and U, which is 0 for a mass at the origin of frame 0.

    Where legs have elastic joints, US is the energy of the springs; it is not in U.
    """
    of, V = m.of, m.of.V
    E = m.graph.one / 2 * V.dot(inertia(m) @ V)
    U = -of.g.dot(of.M * of.p + of.R @ of.MS)
    U = U + total(m.graph, (potential(leg.s) for leg in m.legs))  # (K13:7.25b)
    found = {"E": E, "U": U}
    if any(joint.elastic for joint in of.robot.joints):
        found["US"] = total(m.graph, (of_springs(leg.s) for leg in m.legs))
    return [Result(name, (), (energy,), (name,)) for name, energy in found.items()]


def jacobian(m: Mechanism) -> list[Result]:
    """J_p of V = J_p q̇_a (K10:60)."""
    _require_motors(m)
    return [_matrix(m, "J", platform_jacobian(m))]


def jacobian_inverse(m: Mechanism) -> list[Result]:
    """J_p⁻¹: row i is the motor's row of J_i⁺ J_vi (K10:62)."""
    return [_matrix(m, "JINV", m.D)]


def jdot_qdot(m: Mechanism) -> list[Result]:
    """J̇_p q̇_a."""
    _require_motors(m)
    return [_vector(m, "JPQP", drift(m))]


def loop_closure(m: Mechanism) -> list[Result]:
    """What the constraints of the platform leave over: of its pose, of V and of VP.

    Where the platform only translates, or moves in a plane, its other motions are left over, too: legs can be assembled
    with a turned platform, which the models do not cover.
    """
    motion = Motion(m, m.of.V, m.of.VP)
    E = [x for leg in m.legs if leg.free for x in leg.excess(leg.residual)]
    EV = [row.dot(m.of.V) for leg in m.legs for row in leg.constraints]
    if not E:
        raise NotApplicable(f"the legs of {m.of.robot.name} do not constrain its platform: it has six freedoms")
    still = m.structure.still
    away = m.from_home if still else ()
    return [
        _vector(m, "E", [*E, *(away[k] for k in still)]),
        _vector(m, "EV", [*EV, *(m.of.V[k] for k in still)]),
        _vector(m, "EVP", [*motion.excess, *(m.of.VP[k] for k in still)]),
    ]


def attachment_wrenches(m: Mechanism) -> list[Result]:
    """[f; m] of each leg on the platform, at its attachment and in frame 0."""
    rows = attachment_forces(m, Motion(m, m.of.V, m.of.VP))
    names = tuple(f"{letter}{k}_{i + 1}" for i in range(len(rows)) for letter in ("FK", "NK") for k in (1, 2, 3))
    return [Result("FK", (len(rows), 6), tuple(x for row in rows for x in row), names)]


def _require_motors(m: Mechanism) -> None:
    """The motors must determine the velocity of the platform."""
    motors, freedom = len(m.of.robot.motors), m.structure.freedom
    if motors < freedom:
        few = f"{m.of.robot.name} has {motors} motors for {freedom} freedoms"
        raise NotApplicable(f"{few}: they do not determine how its platform moves")


def _square_jacobian(m: Mechanism) -> Matrix:
    motors, freedom = len(m.of.robot.motors), m.structure.freedom
    if motors != freedom:
        raise NotApplicable(
            f"{m.of.robot.name} has {motors} motors for {freedom} freedoms: the motors are no coordinates of it "
            "(space='platform' exists)"
        )
    return platform_jacobian(m)


def _by_motor(m: Mechanism, name: str, elements: list[Expr]) -> Result:
    return Result(name, (len(elements),), tuple(elements), tuple(f"{name}{j}_{i + 1}" for i, j in m.of.robot.motors))


def _vector(m: Mechanism, name: str, elements: Vector | list[Expr]) -> Result:
    found = tuple(elements)
    return Result(name, (len(found),), found, tuple(f"{name}{k}" for k in range(1, len(found) + 1)))


def _matrix(m: Mechanism, name: str, rows: Matrix) -> Result:
    height, width = rows.shape
    names = tuple(f"{name}{i}_{k}" for i in range(1, height + 1) for k in range(1, width + 1))
    return Result(name, (height, width), tuple(x for row in rows for x in row), names)
