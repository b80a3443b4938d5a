"""Workspaces and condition numbers against geometry by NumPy: lengths and lines of legs, circles of arms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symoro
from support.close import assert_close
from support.free_robots import Array
from support.platforms import Platform, joint_positions
from support.raised import raised
from symoro.bind.coordinates import Coordinates
from symoro.errors import InputError, NotApplicable, OptionError, SymoroError
from symoro.models.parallel.platform import moved
from symoro.motion.workspace import COORDINATES
from symoro.robot.joint import Limits
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.robot.values import as_value, evaluate
from symoro.solve.given import model


def loaded(name: str) -> Robot:
    robot = symoro.load(name)
    assert robot.platforms
    return robot


def on_platform(robot: Robot) -> Array:
    return np.array([[evaluate(x, {}) for x in a.point] for a in robot.attachments])


def hinges(robot: Robot) -> tuple[Array, Array]:
    """The origin and the axis of the first joint of each leg, which is on a circle in the plane z = 0."""
    first = [leg.joints[0] for leg in robot.legs]
    g, a, d = (np.array([evaluate(getattr(j, n), {}) for j in first]) for n in ("gamma", "alpha", "d"))
    points = np.stack([d * np.cos(g), d * np.sin(g), 0 * g], axis=-1)
    return points, np.stack([np.sin(g) * np.sin(a), -np.cos(g) * np.sin(a), np.cos(a)], axis=-1)


def lines(robot: Robot, T: Array) -> tuple[Array, Array]:
    """P_i = R b_i and the vector along each leg, for one pose or many."""
    P = on_platform(robot) @ np.swapaxes(T[..., :3, :3], -1, -2)
    return P, T[..., None, :3, 3] + P - hinges(robot)[0]


def with_slider_limits(robot: Robot, lower: float, upper: float) -> Robot:
    legs = []
    for leg in robot.legs:
        *others, slider = leg.joints
        held = replace(slider, limits=Limits(as_value(lower), as_value(upper)))
        legs.append(replace(leg, joints=(*others, held)))
    return ParallelRobot(
        robot.platform, legs, robot.attachments, robot.name, home=robot.home, gravity=robot.gravity,
        values=dict(robot.values),
    )  # fmt: skip


def test_the_lengths_of_legs_end_the_workspace_of_a_gough_stewart_platform() -> None:
    robot = with_slider_limits(loaded("gough-stewart"), 1.0, 1.45)
    w = symoro.workspace(robot, x=np.linspace(-0.6, 0.6, 5), z=np.linspace(0.6, 1.6, 6), rz=[-0.4, 0.0, 0.4])
    assert w.T.shape == (5, 6, 3, 4, 4)
    assert_close(w.T[1, 2, 2, :3, 3], [-0.3, 0, 1.0], 1e-12)
    assert_close(w.T[1, 2, 2, :2, 0], [np.cos(0.4), np.sin(0.4)], 1e-12)
    length = np.linalg.norm(lines(robot, w.T)[1], axis=-1)
    outside = (length < 1.0) | (length > 1.45)
    assert (w.reachable == ~outside.any(-1)).all()
    assert 0 < w.reachable.sum() < w.reachable.size
    names = [f"leg {i}: slider outside its limits" for i in range(1, 7)]
    assert (w.ended[..., [w.reasons.index(name) for name in names]] == outside).all()
    assert w.counts == {n: int(k) for n, k in zip(names, outside.reshape(-1, 6).sum(0), strict=True) if k}
    assert (np.isnan(w.conditions.platform) == ~w.reachable).all()
    assert f"{int(w.reachable.sum())} of 90 poses are reached (x 5, z 6, rz 3)" in str(w)


@pytest.mark.long
def test_cranks_and_rods_end_the_workspace_of_a_delta() -> None:
    """The knee turns about the motor on a circle: the rod reaches where the distances from the circle allow it."""
    robot, numbers = loaded("delta"), loaded("delta").values.numbers()
    w = symoro.workspace(robot, x=np.linspace(-0.9, 0.9, 13), y=[0.0, 0.2], z=np.linspace(-1.1, 0, 12))
    L1, L2 = numbers["L1_1"], numbers["L2_1"]
    axes = hinges(robot)[1]
    tip = lines(robot, w.T)[1]
    across = (tip * axes).sum(-1)
    radial = np.linalg.norm(tip - across[..., None] * axes, axis=-1)
    nearest, farthest = np.hypot(across, radial - L1) - L2, np.hypot(across, radial + L1) - L2
    border = np.minimum(abs(nearest), abs(farthest)) < 1e-12  # the grid has triangles of sides 3, 4, 5
    assert border.sum() < 6
    assert (w.ended[..., :3] == ~((nearest <= 0) & (farthest >= 0)))[~border].all()
    assert not w.ended[..., 3:].any()
    assert 0 < w.reachable.sum() < w.reachable.size


def test_what_follows_from_the_constraints_is_in_the_poses() -> None:
    robot = loaded("3rps")
    w = symoro.workspace(robot, z=[0.7, 1.0], rx=[-0.3, 0.0, 0.2], ry=[0.25])
    assert w.reachable.all()
    for T in w.T.reshape(-1, 4, 4):
        assert Platform(robot, T, joint_positions(robot, T)).closure() < 1e-11
    assert_close(w.T[:, 0, 0, 2, 3], [0.7, 1.0], 1e-12)
    assert np.abs(w.T[0, 0, 0, :2, 3]).max() > 1e-3


def test_condition_numbers_are_those_of_numpy() -> None:
    """Of legs with slider: lines u_i, the first axis s_i, and s_i × u_i. Lengths are in units of the radius."""
    robot, radius = loaded("gough-stewart"), 0.6
    T = moved(np.eye(4), np.array([0.1, -0.05, 1.05, 0.2, -0.1, 0.3]))
    found = symoro.singularities(robot).at(T)
    P, legs = lines(robot, T)
    u = legs / np.linalg.norm(legs, axis=-1, keepdims=True)
    axes = hinges(robot)[1]
    for i, (s, leg, along) in enumerate(zip(axes, legs, u, strict=True)):
        other = np.cross(s, along) / np.linalg.norm(np.cross(s, along))
        J = np.column_stack([np.cross(s, leg), np.cross(other, leg), along * radius]) / radius
        assert_close(found.legs[i], np.linalg.cond(J), 1e-10)
    D = np.hstack([u, np.cross(P, u) / radius])
    assert_close(found.platform, np.linalg.cond(D), 1e-10)
    assert found.constraints == 1


def test_condition_numbers_with_constraints_are_those_of_numpy() -> None:
    """Each leg of the 3-RPS holds its end in the plane across its hinge."""
    robot, radius = loaded("3rps"), 0.4
    T = symoro.workspace(robot, z=[0.8], rx=[0.2], ry=[-0.1]).T[0, 0, 0]
    found = symoro.singularities(robot).at(T)
    P, legs = lines(robot, T)
    u = legs / np.linalg.norm(legs, axis=-1, keepdims=True)
    n = hinges(robot)[1]
    C = np.hstack([n * radius, np.cross(P, n)])
    C = C / np.linalg.norm(C, axis=-1, keepdims=True)
    D = np.hstack([u, np.cross(P, u) / radius])
    assert_close(found.constraints, np.linalg.cond(C), 1e-10)
    assert_close(found.platform, np.linalg.cond(np.vstack([D, C])), 1e-10)


def test_a_platform_that_is_singular_says_so() -> None:
    """Hunt's singularity of type 2: turned by a quarter, six lines of a symmetric platform meet one axis alike."""
    robot = loaded("gough-stewart")
    turned = symoro.workspace(robot, rz=[0.0, np.pi / 2])
    assert turned.conditions.platform[0] < 10
    assert turned.conditions.platform[1] > 1e8
    assert turned.worst["platform"] > 1e8


def two_links(L1: float, L2: float, limits: dict[int, tuple[float, float]] | None = None) -> Robot:
    """The planar 2R arm with these lengths."""
    robot = symoro.load("planar2r").with_values({"L1": L1, "L2": L2})
    for j, (lower, upper) in (limits or {}).items():
        joints = list(robot.joints)
        joints[j - 1] = replace(joints[j - 1], limits=Limits(as_value(lower), as_value(upper)))
        robot = replace(robot, joints=tuple(joints))
    return robot


def test_an_arm_with_two_links_reaches_an_annulus() -> None:
    """|L1 − L2| ≤ r ≤ L1 + L2; the condition number is that of its 2 × 2 Jacobian matrix at either elbow."""
    L1, L2 = 0.7, 0.4
    w = symoro.workspace(two_links(L1, L2), link="tip", x=np.linspace(-1.2, 1.2, 24), y=np.linspace(-1.2, 1.2, 25))
    x, y = np.meshgrid(*w.axes.values(), indexing="ij")
    r = np.hypot(x, y)
    assert (w.reachable == ((r >= L1 - L2) & (r <= L1 + L2))).all()
    assert w.counts == {"the arm does not reach": int((~w.reachable).sum())}
    assert_close(w.T[w.reachable][:, :2, 3], np.stack([x, y], axis=-1)[w.reachable], 1e-12)
    q2 = np.arccos((r**2 - L1**2 - L2**2)[w.reachable] / (2 * L1 * L2))
    s, c = np.sin(q2), np.cos(q2)
    J = np.array([[-L2 * s, -L2 * s], [L1 + L2 * c, L2 * c]]).transpose(2, 0, 1)  # with the first link along x
    assert_close(w.conditions.platform[w.reachable], np.linalg.cond(J), 1e-9)
    assert w.worst == {"Jacobian matrix": pytest.approx(np.linalg.cond(J).max())}
    assert "of 600 poses are reached (x 24, y 25)" in str(w)


def test_limits_of_joints_end_the_workspace_of_an_arm() -> None:
    """With an elbow that turns from 0 to a quarter, r is between the two hypotenuses; the shoulder takes a sector."""
    robot = two_links(0.6, 0.4, {1: (0.0, 1.0), 2: (0.0, np.pi / 2)})
    w = symoro.workspace(robot, link="tip", x=np.linspace(-1.05, 1.05, 16), y=np.linspace(-1.05, 1.05, 17))
    x, y = np.meshgrid(*w.axes.values(), indexing="ij")
    r = np.hypot(x, y)
    with np.errstate(invalid="ignore"):
        q2 = np.arccos((r**2 - 0.6**2 - 0.4**2) / (2 * 0.6 * 0.4))
        q1 = np.arctan2(y, x) - np.arctan2(0.4 * np.sin(q2), 0.6 + 0.4 * np.cos(q2))
        inside = (q2 <= np.pi / 2) & (q1 >= 0) & (q1 <= 1)
    assert (w.reachable == inside).all()
    assert 0 < inside.sum() < (r <= 1.0).sum()
    assert (w.ended[..., 0] == np.isnan(q2)).all()
    assert set(w.counts) == {
        "the arm does not reach", *(f"joint {joint.label} outside its limits" for joint in robot.joints)
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["scara", *(pytest.param(n, marks=pytest.mark.long) for n in ("puma560", "rx90", "ur5", "general6r"))]
)
def test_poses_of_an_arm_are_in_its_workspace(name: str) -> None:
    """Forward geometry at random positions."""
    robot = symoro.load(name)
    pose = model("forward_geometry", robot, link=robot.joints[-1].index).compile()
    rng, home = np.random.default_rng(0), pose(np.zeros(len(robot.joints)))
    lower, upper = Coordinates.of(robot).limits
    for _ in range(3):
        q = rng.uniform(np.maximum(lower, -2.5), np.minimum(upper, 2.5))
        T = pose(q)
        turn = Rotation.from_matrix(T[:3, :3] @ home[:3, :3].T).as_rotvec()
        w = symoro.workspace(robot, **dict(zip(COORDINATES, [*T[:3, 3], *turn], strict=True)))
        assert w.reachable.all()
        assert_close(w.T.reshape(4, 4), T, 1e-9)
        far = symoro.workspace(robot, x=T[0, 3] + 50.0)
        assert not far.reachable.any()
        assert 1 <= w.conditions.platform.item() < np.inf


def test_an_arm_with_more_joints_is_tried_at_positions_of_some() -> None:
    """With joint 3 at rest the outer links of a planar arm are one: it reaches an annulus for each of its positions."""
    at, x, y = [0.0, 2.0, -2.6], np.linspace(0.0, 1.6, 33), np.array([0.05])
    w = symoro.workspace("planar3r", link="tip", task="position", x=x, y=y, redundant={3: at})
    far = np.hypot(x, y)
    outer = np.hypot(0.5 + 0.5 * np.cos(at), 0.5 * np.sin(at))[:, None]
    inside = ((np.abs(outer - 0.5) < far) & (far < outer + 0.5)).any(0)
    assert inside.any()
    assert not inside.all()
    assert_close(w.reachable[:, 0], inside, 0)
    assert_close(w.T[inside, 0, :2, 3], np.stack([x, np.full_like(x, y[0])], -1)[inside], 1e-9)


def test_a_pose_of_an_arm_with_seven_joints_is_in_its_workspace() -> None:
    q = np.array([0.1, 0.3, 0.2, -1.2, 0.1, 1.0, 0.4])
    pose = model("forward_geometry", "panda", link=7).compile("numpy")
    lower, upper = Coordinates.of(symoro.load("panda")).limits
    T, home = pose(q), pose(np.clip(np.zeros(7), lower, upper))
    turn = Rotation.from_matrix(T[:3, :3] @ home[:3, :3].T).as_rotvec()
    grid = dict(zip(COORDINATES, [*T[:3, 3], *turn], strict=True))
    w = symoro.workspace("panda", link=7, redundant={7: [-1.0, 0.4]}, **grid)
    assert w.reachable.all()
    assert_close(w.T.reshape(4, 4), T, 1e-9)


def test_poses_of_closed_loops_are_in_their_workspace() -> None:
    """A dyad of the five-bar is closed by circles about the two motors."""
    robot = symoro.load("five-bar")
    closed = symoro.loop_geometry(robot).compile()([2.0, 1.0])
    T = model("forward_geometry", robot, link=5).compile()(closed)
    w = symoro.workspace(robot, link=5, x=[T[0, 3], T[0, 3] + 20.0], y=T[1, 3])
    assert w.reachable[:, 0].tolist() == [True, False]
    assert_close(w.T[0, 0, :3, 3], T[:3, 3], 1e-9)


@pytest.mark.parametrize(
    ("robot", "given", "error", "code"),
    [
        ("gough-stewart", {}, OptionError, "workspace.coordinates"),
        ("gough-stewart", {"q": [0.0]}, OptionError, "options.unknown"),
        ("3rps", {"x": [0.0]}, OptionError, "workspace.coordinates"),
        ("gough-stewart", {"x": [np.nan]}, OptionError, "options.value"),
        ("gough-stewart", {"x": []}, OptionError, "options.value"),
        ("gough-stewart", {"x": [[1.0]]}, OptionError, "options.value"),
        ("gough-stewart", {"x": "far"}, OptionError, "options.value"),
        ("gough-stewart", {"x": np.zeros(1001), "y": np.zeros(1000)}, InputError, "workspace.too_many"),
        ("3rps", {"z": [1.0], "link": 3}, OptionError, "workspace.of_arms"),
        ("3rps", {"z": [1.0], "redundant": {2: [0.5]}}, OptionError, "workspace.of_arms"),
        ("panda", {"x": [0.0], "redundant": {}}, OptionError, "options.value"),
        ("panda", {"x": np.zeros(1001), "redundant": {7: np.zeros(1000)}}, InputError, "workspace.too_many"),
        ("satellite", {"x": [0.0]}, NotApplicable, "workspace.base_moves"),
        ("puma560", {"task": "reach"}, OptionError, "options.value"),
        ("planar2r", {"rz": [0.0], "link": "tip", "task": "position"}, OptionError, "workspace.coordinates"),
    ],
)
def test_what_is_refused(robot: str, given: dict[str, Array], error: type[SymoroError], code: str) -> None:
    with raised(code, error):
        symoro.workspace(robot, **given)
