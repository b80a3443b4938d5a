"""Three hundred random mechanisms of mixed families against Pinocchio's open trees with Lagrange multipliers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.families import value
from support.free_robots import Array, movable
from support.mechanisms import Mechanism, Tie
from support.platforms import joint_positions
from support.random_mechanisms import REFUSED, Case, family_of, random_mechanism
from support.samples import some
from symoro.errors import CheckError, NotApplicable
from symoro.models.parallel.leg_newton import geometry_of, joints_at_home
from symoro.models.parallel.mechanism import structure
from symoro.models.parallel.platform import home
from symoro.robot.base import BaseKind
from symoro.robot.robot import ClosureKind
from symoro.robot.values import evaluate
from symoro.solve.given import model

EACH = pytest.mark.parametrize("seed", some(2, of=300, long=30))
PLATFORMS = pytest.mark.parametrize(
    "seed", [x for x in some(2, of=300, long=30) if family_of(x.values[0]).endswith("platform")]
)


@dataclass(frozen=True)
class Motion:
    """A mechanism in a random motion. `left` are the places in u of the coordinates v that its ties leave."""

    case: Case
    seed: int

    @property
    def at(self) -> Mechanism:
        return self.case.at

    @property
    def platform(self) -> bool:
        return self.at.T is not None

    @property
    def floats(self) -> bool:
        return self.case.robot.base.kind is BaseKind.FLOATING

    @property
    def moved(self) -> bool:
        return self.case.robot.base.kind is BaseKind.MOVING

    @cached_property
    def motors(self) -> list[int]:
        return [int(k) for k in self.at.motors().argmax(0)]

    @cached_property
    def beside(self) -> list[int]:
        """The motors of a robot with a platform that belong to no leg."""
        return [k for k in self.motors if k >= self.of_legs]

    @cached_property
    def of_legs(self) -> int:
        """The first place behind the joints of legs."""
        return self.at.base + sum(len(movable(leg)) for leg in self.case.robot.legs)

    @cached_property
    def left(self) -> list[int]:
        """What the models take: components of V of a platform, or the motors, and before them those of a base."""
        base, first = range(6 if self.floats else 0), self.at.count - 6
        if self.platform:
            platform = (first + k for k in structure(self.case.robot, self.case.branch).independent)
            return [*base, *self.beside, *platform]
        return [*base, *self.motors]

    @cached_property
    def G(self) -> Array:
        return self.at.G(self.left)

    @cached_property
    def _drawn(self) -> tuple[Array, Array, Array]:
        rng = np.random.default_rng([self.seed, 1])
        return rng.normal(size=len(self.left)), rng.normal(size=len(self.left)), rng.normal(size=len(self.motors))

    @cached_property
    def u(self) -> Array:
        found = self.G @ self._drawn[0]
        if self.moved:
            found[:6] = [evaluate(x, {}) for x in self.case.robot.base.velocity]
        return found

    @cached_property
    def coasting(self) -> Array:
        return self.at.coasting(self.u, self.left)

    @cached_property
    def ud(self) -> Array:
        return self.G @ self._drawn[1] + self.coasting

    @property
    def tau(self) -> Array:
        return self._drawn[2]

    @cached_property
    def state(self) -> dict[str, Any]:
        """The inputs of the models."""
        at, u, ud = self.at, self.u, self.ud
        found: dict[str, Any] = {"tau": self.tau}
        if self.platform:
            found |= {"T": at.T, "V": u[-6:], "VP": ud[-6:], "q": at.q[self.of_legs - at.base :]}
            found |= {"qd": u[self.beside], "qdd": ud[self.beside]}
        else:
            found |= {"q": at.q, "qd": u[self.motors], "qdd": ud[self.motors]}
        if at.wrench is not None:
            found["wrench"] = at.wrench[0] if self.platform else at.wrench
        found |= {"V0": u[:6], "VP0": ud[:6]} if at.base else {}
        return found | ({"quat": at.quat} if self.floats else {})

    def found(self, name: str, **options: Any) -> dict[str, Any]:
        return value(model(name, self.case.robot, **(self.case.options | options)), self.state)

    # references

    @cached_property
    def equations(self) -> tuple[Array, Array]:
        """A and H of the coordinates that are left."""
        M, h = self.at.equations(self.u)
        return self.G.T @ M @ self.G, self.G.T @ (M @ self.coasting + h + self.at.exerted)

    @cached_property
    def inverse(self) -> tuple[Array, Array]:
        """u̇ of the inverse model, with the acceleration of a floating base that nothing pushes, and the torques."""
        ud = self.ud
        if self.floats:
            A, H = self.equations
            v = ud[self.left]
            v[:6] = np.linalg.solve(A[:6, :6], -H[:6] - A[:6, 6:] @ v[6:])
            ud = self.G @ v + self.coasting
        return ud, self.at.torques(self.u, ud)


def motion(seed: int) -> Motion:
    return Motion(random_mechanism(seed), seed)


@EACH
def test_inverse_and_direct_dynamics(seed: int) -> None:
    m = motion(seed)
    ud, GAM = m.inverse
    for params in ("standard", "base"):
        inverse = m.found("inverse_dynamics", params=params)
        assert_close(inverse["GAM"], GAM, 1e-9)
        if m.case.robot.base.free:  # the reference solves for all accelerations at once, and rounds as the largest
            assert_close(inverse["VP0"], ud[:6], 1e-9, 1 + 1e-5 * np.abs(ud).max())
    direct, ud = m.found("direct_dynamics"), m.at.direct(m.u, m.tau)
    if m.platform:
        assert_close(direct["VP"], ud[-6:], 1e-9, m.at.condition)
        assert ("QDP" in direct) == bool(len(ud[m.beside]))
        if "QDP" in direct:
            assert_close(direct["QDP"], ud[m.beside], 1e-9, m.at.condition)
    else:
        assert_close(direct["QDP"], ud[m.motors], 1e-9, m.at.condition)
    if m.case.robot.base.free:
        assert_close(direct["VP0"], ud[:6], 1e-9, m.at.condition)
    if m.case.robot.base.wheels:
        assert_close(direct["V0"], m.u[:6], 1e-9)


@EACH
def test_matrix_bias_parts_and_energies(seed: int) -> None:
    m = motion(seed)
    (A, H), still = m.equations, np.zeros(m.at.count)
    assert_close(m.found("inertia_matrix")["A"], A, 1e-9)
    assert_close(m.found("bias")["H"], H, 1e-9)
    (M, h), (_, weight) = m.at.equations(m.u), m.at.equations(still)
    joints = slice(m.at.base, m.at.base + len(m.at.q))
    friction = np.zeros(m.at.count)
    friction[joints] = m.at.friction(m.u)
    assert_close(m.found("gravity")["Q"], m.G.T @ weight, 1e-9)
    if m.moved:  # in Coriolis torques a base with a given motion stands still
        against = np.r_[still[:6], m.u[6:]]
        coasting, (_, h) = replace(m.at, VP0=still[:6]).coasting(against, m.left), m.at.equations(against)
        assert_close(m.found("coriolis_torques")["CQP"], m.G.T @ (M @ coasting + h - weight - friction), 1e-9)
    else:
        assert_close(m.found("coriolis_torques")["CQP"], m.G.T @ (M @ m.coasting + h - weight - friction), 1e-9)
    energies = {name: x for name, x in m.at.energies(m.u).items() if name != "US" or m.case.springs}
    found = m.found("energies")
    assert found.keys() == energies.keys()
    for name, x in energies.items():
        assert_close(found[name], x, 1e-9)


@EACH
def test_closure_wrenches_carry_the_open_tree(seed: int) -> None:
    """With motors and wrenches in the ties, nothing is missing; no wrench works along what its tie leaves free."""
    m = motion(seed)
    at, (ud, GAM) = m.at, m.inverse
    ties = at.attached if m.platform else at.cut
    C, _ = at.constraints(np.zeros(at.count))
    if m.platform and _overdetermined(m):
        with pytest.raises(NotApplicable, match="not determined by rigid bodies"):
            m.found("cut_wrenches")
        return
    axes = [at.axes(tie) for tie in ties]
    wrenches = at.at_origins(_in_world(m, m.found("cut_wrenches")), ties)
    M, h = at.equations(m.u)
    missing = M @ ud + h + at.exerted - at.motors() @ GAM - at.carried(wrenches, ties)
    rows = sum(tie.across + len(tie.normal) for tie in at.attached) if m.platform else len(at.errors())
    others = C[rows:]  # of loops in legs, or of wheels
    free = missing - np.linalg.pinv(others, rcond=1e-9) @ (others @ missing) if len(others) else missing
    size = 1 + np.abs(wrenches).max()
    assert np.abs(free).max() <= 1e-9 * size * max(1, 1 / at.regular)
    for tie, R, wrench in zip(ties, axes, wrenches, strict=True):
        assert np.abs(_idle(tie, R, wrench)).max(initial=0) <= 1e-9 * size


def _in_world(m: Motion, found: dict[str, Any]) -> Array:
    """The wrenches of `cut_wrenches` on A's side, in the world."""
    if m.platform:
        return np.hstack([x @ m.at.orientation.T for x in np.hsplit(found["FK"], 2)])
    pairs = zip(map(m.at.axes, m.at.cut), found["FC"], strict=True)
    return np.array([-np.r_[R @ x[:3], R @ x[3:]] for R, x in pairs])


@EACH
def test_least_closure_wrenches(seed: int) -> None:
    """Of all wrenches that the ties can carry, those of `least_norm` are the least: NumPy's least squares find them."""
    m = motion(seed)
    at, (ud, GAM) = m.at, m.inverse
    ties = at.attached if m.platform else at.cut
    if not ties:
        return
    M, h = at.equations(m.u)
    expected = at.least_wrenches(M @ ud + h + at.exerted - at.motors() @ GAM, ties)
    assert_close(_in_world(m, m.found("cut_wrenches", least_norm=True)), expected, 1e-9, 1 / at.regular)


def _overdetermined(m: Motion) -> bool:
    """Whether the legs hold the platform in more ways than it has motions to take: their own loops do not count."""
    kinds = structure(m.case.robot, m.case.branch)
    held = sum(6 - tie.kind.freedoms for tie in m.at.attached) - sum(map(len, kinds.chosen))
    return held > 6 - (m.at.motions.shape[1] - (6 if m.floats else 0) - len(m.beside))


def _idle(tie: Tie, R: Array, wrench: Array) -> Array:
    """The components of a wrench along motions that its tie leaves free."""
    f, m = R.T @ wrench[:3], R.T @ wrench[3:]
    return {
        ClosureKind.SPHERICAL: m,
        ClosureKind.UNIVERSAL: m[2:],
        ClosureKind.REVOLUTE: m[2:],
        ClosureKind.PRISMATIC: f[2:],
    }.get(tie.kind, np.zeros(0))


@EACH
def test_regressors_give_the_torques(seed: int) -> None:
    m = motion(seed)
    M, h = m.at.equations(m.u)
    needed = M @ m.ud + h  # of links and drives alone
    base = 6 if m.floats else 0
    projected, B = m.G.T @ needed, m.G.T[base:] @ m.at.motors()
    expected = np.r_[projected[:base], np.linalg.pinv(B, rcond=1e-10) @ projected[base:]]
    regressor = model("dynamic_regressor", m.case.robot, **m.case.options)
    numbers = m.case.robot.values.numbers()
    K = np.array([numbers[name] for name in regressor.columns])
    assert_close(value(regressor, m.state)["D"] @ K, expected, 1e-9)


@EACH
def test_centre_of_mass_and_momentum(seed: int) -> None:
    m = motion(seed)
    C, A = m.at.centroidal()
    mass = sum(body.mass for body in m.at.o.model.inertias)
    assert_close(m.found("centre_of_mass")["COM"], C, 1e-9)
    assert_close(m.found("centre_of_mass_jacobian")["JCOM"], A[:3] @ m.G / mass, 1e-9)
    assert_close(m.found("centroidal_momentum")["HG"], A @ m.u, 1e-9)
    assert_close(m.found("centroidal_momentum_matrix")["AG"], A @ m.G, 1e-9)


@PLATFORMS
def test_links_of_platforms(seed: int) -> None:
    """How links move in the world, what a platform feels like in operational space, and what carries a payload."""
    m = motion(seed)
    at, u, ud, n = m.at, m.u, m.ud, m.case.robot.link_count
    frames = [at.link(j, u) for j in range(1, n + 1)]
    state = m.state | {"qd": u[m.of_legs : -6], "qdd": ud[m.of_legs : -6]}  # those of wheels without motors, too
    V, VP = (model(name, m.case.robot, **m.case.options) for name in ("velocities", "accelerations"))
    assert_close(value(V, state)["VL"], [np.r_[x.R.T @ x.v, x.R.T @ x.w] for x in frames], 1e-9)
    expected = [np.r_[x.R.T @ (x.a + x.Jv @ ud), x.R.T @ (x.turning + x.Jw @ ud)] for x in frames]
    assert_close(value(VP, state)["VPL"], expected, 1e-9)
    platform, (A, _) = frames[-1], m.equations
    J = np.vstack([platform.Jv, platform.Jw])
    LAMBDA, Jc = m.found("operational_inertia", link=n)["LAMBDA"], J @ m.G
    mobility = Jc @ np.linalg.solve(A, Jc.T)
    assert_close(LAMBDA, np.linalg.pinv(mobility, rcond=1e-9), 1e-8, np.linalg.cond(A))
    payload = np.array([1.7, 0.1, -0.2, 0.3])
    arm = platform.R @ payload[1:]
    needed = -payload[0] * (platform.Jv + np.cross(platform.Jw, arm, axisa=0, axisc=0)).T @ at.gravity
    carried = value(model("payload_torques", m.case.robot, link=n, **m.case.options), m.state | {"payload": payload})
    assert_close(carried["Q"], m.G.T @ needed, 1e-9)


@PLATFORMS
def test_reactions_of_platforms(seed: int) -> None:
    """Along the joints they are the torques, and nothing holds the platform but the legs."""
    m = motion(seed)
    at, (ud, GAM) = m.at, m.inverse
    if m.case.robot.base.wheels:
        with pytest.raises(NotApplicable, match="how the ground's forces are shared among the wheels"):
            m.found("reactions")
        return
    if _overdetermined(m):
        return
    R, joints = m.found("reactions")["R"], slice(at.base, at.base + len(at.q))
    scale = 1 + np.abs(R).max()
    assert np.abs(R[-1]).max() < 1e-8 * scale
    springs = replace(at, wrench=None if at.wrench is None else 0 * at.wrench).exerted
    needed = (at.motors() @ GAM - springs)[joints] - at.drive("IA") * ud[joints] - at.friction(m.u)
    movable = [joint for joint in m.case.robot.joints[: m.case.robot.link_count] if joint.movable]
    axial = [R[joint.index - 1][2 if joint.prismatic else 5] for joint in movable]
    assert np.abs(axial - needed).max() < 1e-8 * scale
    again = value(model("direct_reactions", m.case.robot, **m.case.options), m.state | {"tau": GAM})
    assert np.abs(again["R"] - R).max() < 1e-7 * scale * at.condition


@PLATFORMS
def test_platforms_at_their_motors(seed: int) -> None:
    """The matrix, the bias and the weight where the motors are the coordinates, after those of a floating base."""
    m = motion(seed)
    at, base = m.at, [*range(6 if m.floats else 0)]
    left, still = [*base, *m.motors], np.zeros(m.at.count)
    if len(left) != len(m.left):
        with pytest.raises(NotApplicable, match="the motors are no coordinates of it"):
            m.found("inertia_matrix", space="motors")
        return
    (M, h), G, coasting = at.equations(m.u), at.G(left), at.coasting(m.u, left)
    assert_close(m.found("inertia_matrix", space="motors")["A"], G.T @ M @ G, 1e-8)
    assert_close(m.found("bias", space="motors")["H"], G.T @ (M @ coasting + h + at.exerted), 1e-8)
    assert_close(m.found("gravity", space="motors")["Q"], G.T @ at.equations(still)[1], 1e-8)


@PLATFORMS
def test_platforms_by_their_joints_and_motors(seed: int) -> None:
    """The same motion where the joints of the legs are given, or the motors alone."""
    m = motion(seed)
    at, robot, left = m.at, m.case.robot, [*range(6 if m.floats else 0), *m.motors]
    robot = robot if m.case.branch is None else robot.in_branch(*m.case.branch)
    if len(left) != len(m.left):
        with pytest.raises(
            NotApplicable, match=r"the motors are no coordinates of it|do not determine the orientation"
        ):
            model("inverse_dynamics", robot, given="joints")
        return
    _, GAM = m.inverse
    moving = {"qd": m.u[m.motors], "qdd": m.ud[m.motors]}
    state = {name: x for name, x in m.state.items() if name not in ("T", "V", "VP")} | {"q": at.q} | moving
    scale = at.condition / at.regular

    def found(name: str) -> dict[str, Any]:
        return value(model(name, robot, given="joints"), state)

    try:
        inverse = found("inverse_dynamics")
    except NotApplicable as error:
        if "do not determine the orientation of its platform" not in str(error):
            raise
        return
    assert_close(inverse["GAM"], GAM, 1e-9, scale)
    assert_close(found("direct_dynamics")["QDP"], at.direct(m.u, m.tau)[m.motors], 1e-9, scale)
    (M, h), G, coasting = at.equations(m.u), at.G(left), at.coasting(m.u, left)
    assert_close(found("inertia_matrix")["A"], G.T @ M @ G, 1e-8)
    assert_close(found("bias")["H"], G.T @ (M @ coasting + h + at.exerted), 1e-8)
    if not (m.floats or m.case.robot.base.wheels):  # wheels without motors do not follow from the motors' positions
        made = model("inverse_dynamics", robot, given="motors", optimize=False)
        taken = {name: x for name, x in state.items() if name in made.inputs}
        again = made.compile()(at.q[[k - at.base for k in m.motors]], **taken, guess=at.T)
        assert_close(getattr(again, "GAM", again), GAM, 1e-8, scale)


@pytest.mark.parametrize("seed", [x for x in some(0, of=300, long=30) if family_of(x.values[0]).endswith("platform")])
def test_there_are_as_many_base_parameters_of_platforms_as_the_rank(seed: int) -> None:
    m = motion(seed)
    count = len(symoro.base_parameters(m.case.robot, friction=True))
    rows = _regressor_rows(m.at, np.random.default_rng([seed, 2]))
    length = np.linalg.norm(rows, axis=0)
    used = length > 1e-9 * length.max()
    values = np.linalg.svd(rows[:, used] / length[used], compute_uv=False)
    assert values[count - 1] > 1e-10 * values[0]
    assert values[count:].max(initial=0) < 1e-12 * values[0]


@pytest.mark.long
def test_the_end_of_a_leg_lies_as_the_platform_asks_in_every_branch() -> None:
    """Axes of a prismatic attachment may be at a right angle where its equations hold: that is no branch."""
    at = replace(random_mechanism(34).at, T=home(random_mechanism(34).robot))
    first = joint_positions(at.robot, at.T, (0, 1))[:3]
    branches = joints_at_home(geometry_of(at.robot), 1)
    assert len(branches) >= 4
    assert max(replace(at, q=np.r_[first, q]).closure() for q in branches) < 1e-9


def _regressor_rows(at: Mechanism, rng: np.random.Generator) -> Array:
    """Regressors of random motions at configurations around one."""
    N, rows = at.motions, []
    needed = 3 * at.regressor(np.zeros(at.count), np.zeros(at.count)).shape[1] // N.shape[1]
    for trial in range(20 * needed):
        there = at.near(N @ rng.uniform(-0.4, 0.4, N.shape[1]) * 0.9 ** (trial % 20))
        if there.closure() < 1e-11 and there.motions.shape == N.shape:
            u = there.motions @ rng.normal(size=N.shape[1])
            if at.VP0 is not None:  # the motion that the base is given is arbitrary, too
                u[:6], there = rng.normal(size=6), replace(there, VP0=rng.normal(size=6))
            ud = there.coasting(u) + there.motions @ rng.normal(size=N.shape[1])
            rows.append(there.motions.T @ there.regressor(u, ud))
        if len(rows) == needed:
            return np.vstack(rows)
    raise AssertionError(f"{at.robot.name}: few closed configurations are found")


@pytest.mark.parametrize("family", REFUSED)
def test_families_without_models_are_refused_in_words(family: str) -> None:
    robot, reason = REFUSED[family]()
    for name in ("inverse_dynamics", "direct_dynamics", "inertia_matrix", "dynamic_regressor"):
        with pytest.raises((CheckError, NotApplicable), match=reason):
            model(name, robot)
