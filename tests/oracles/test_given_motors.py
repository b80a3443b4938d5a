"""Models whose motors are given, against those whose joints or platform are given at the same configurations."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.packages import run_self_test
from support.platforms import joint_positions
from support.raised import raised
from support.samples import named
from symoro.emit import target
from symoro.errors import CannotClose, InputError, NotApplicable, OptionError, ShapeError
from symoro.ir.evaluate import evaluate
from symoro.ir.graph import Graph
from symoro.model import Model
from symoro.models.identity import as_identifier
from symoro.models.parallel.motions import joints_of_pose, motors_of_motion, random_motions
from symoro.models.parallel.platform import PoseSymbols, home
from symoro.models.sampling import numbers_of
from symoro.solve.given import model as make

Array = np.ndarray[Any, Any]
LOOPS = pytest.mark.parametrize("name", named(["four-bar", "five-bar", "sr400", "orthoglide"], {"sr400", "orthoglide"}))
PLATFORMS = ["five-bar-legs", "3rps", "orthoglide-legs", "delta", "gough-stewart", "delta-parallelogram"]
SPHERES = pytest.mark.parametrize("name", named(["orthoglide-legs", "delta", "delta-parallelogram"], {*PLATFORMS[3:]}))
EVERY = pytest.mark.parametrize("name", named(PLATFORMS, set(PLATFORMS[2:])))


@cache
def motors(name: str, row: str, **options: Any) -> Model:
    return make(row, name, given="motors", optimize=False, **options)


@cache
def motion(name: str) -> dict[str, Array]:
    """T, V, VP of a platform, the motion of its motors, and q of all joints."""
    robot = symoro.load(name)
    known = numbers_of(PoseSymbols(robot, Graph()))
    given = dict(zip(("T", "V", "VP"), random_motions(robot, 3), strict=True))
    moving, joints = motors_of_motion(robot), joints_of_pose(robot)
    found = evaluate(moving, given, {p.name: known[p.name] for p in moving.parameters})
    q = evaluate(joints, {"T": given["T"]}, {p.name: known[p.name] for p in joints.parameters})["QL"]
    return {**given, "qa": found["QA"], "qd": found["QP"], "qdd": found["QDP"], "q": q}


# loops


@LOOPS
def test_a_model_of_loops_is_that_of_from_motors(name: str) -> None:
    """And it agrees with the model of all joints where the loops are closed."""
    of = symoro.inverse_dynamics(name, optimize=False)
    made = motors(name, "inverse_dynamics")
    assert made == symoro.loop_geometry(name).from_motors(of)
    assert made.options["given"] == "motors"
    f, rng = made.compile("numpy"), np.random.default_rng(0)
    qa, qd, qdd = rng.uniform(0.1, 0.2, (3, *made.inputs["qa"]))
    q = f.assembly(qa)
    expected = of.compile("numpy")(q, qd, qdd)
    assert_close(f(qa, qd, qdd), expected, 1e-12)
    assert_close(f(qa=qa, qd=qd, qdd=qdd, guess=q), expected, 1e-12)


@pytest.mark.parametrize("row", ["energy_difference_regressor", "gravity", "forward_geometry"])
def test_the_program_of_loops_closes_the_end_of_a_motion_too(row: str) -> None:
    made = motors("four-bar", row)
    f, one = made.compile("numpy"), replace(made, driver=None).compile("numpy")
    rng = np.random.default_rng(0)
    states = [rng.uniform(0.1, 0.4, shape) for name, shape in made.inputs.items() if name != "guess"]
    expected, found = f(*states), one(*states)
    outputs = [name for name in made.outputs if name != "CLOSED"]
    assert found.CLOSED == 1
    for name in outputs:
        assert_close(getattr(found, name), getattr(expected, name) if len(outputs) > 1 else expected, 1e-10)


def test_the_derivative_by_the_motors_follows_the_loops() -> None:
    made, step = motors("four-bar", "gravity"), 1e-6
    f, slope = made.compile("numpy"), made.derivative("qa").compile("numpy")([0.3])
    assert_close(slope.dQ_dqa[0], (f([0.3 + step]) - f([0.3 - step])) / (2 * step), 1e-6)


# platforms


@EVERY
def test_a_model_of_a_platform_agrees_with_that_of_its_pose(name: str) -> None:
    at = motion(name)
    f = motors(name, "inverse_dynamics").compile("numpy")
    expected = make("inverse_dynamics", name, optimize=False).compile("numpy")(at["T"], at["V"], at["VP"])
    moving = at["qa"], at["qd"], at["qdd"]
    assert_close(f(*moving), expected, 1e-8)  # from home, by Newton's method
    assert_close(f(*moving, guess=at["T"]), expected, 1e-9)


@EVERY
def test_a_model_of_a_platform_agrees_with_that_of_its_joints(name: str) -> None:
    at = motion(name)
    for row in ("inertia_matrix", "forward_geometry"):
        of = make(row, name, optimize=False, given="joints")
        made = motors(name, row)
        assert {n: shape for n, shape in made.outputs.items() if n != "CLOSED"} == of.outputs
        assert_close(made.compile("numpy")(at["qa"], guess=at["T"]), of.compile("numpy")(at["q"]), 1e-8)


@SPHERES
def test_a_platform_on_three_spheres_is_one_program(name: str) -> None:
    at, made, step = motion(name), motors(name, "gravity"), 1e-6
    one = replace(made, driver=None).compile("numpy")
    found = one(at["qa"])
    assert (found.CLOSED == 1).all()
    assert_close(found.Q, make("gravity", name, optimize=False, given="joints").compile("numpy")(at["q"]), 1e-9)
    assert (one(at["qa"] + 10 + np.arange(3)).CLOSED == 0).all()
    qa = at["qa"][0]
    slope = made.derivative("qa").compile("numpy")(qa).dQ_dqa
    for k, way in enumerate(step * np.eye(3)):
        assert_close(slope[:, k], (one(qa + way).Q - one(qa - way).Q) / (2 * step), 1e-5)


def test_the_end_of_a_motion_of_a_platform_is_found_as_its_begin() -> None:
    at = motion("five-bar-legs")
    of = make("energy_difference_regressor", "five-bar-legs", optimize=False, given="joints").compile("numpy")
    f = motors("five-bar-legs", "energy_difference_regressor").compile("numpy")
    qa, q, qd = at["qa"], at["q"], at["qd"]
    assert_close(f(qa[0], qd[0], qa[1], qd[1]), of(q[0], qd[0], q[1], qd[1]), 1e-8)


def test_columns_keep_their_names() -> None:
    of = make("dynamic_regressor", "five-bar-legs", optimize=False)
    assert motors("five-bar-legs", "dynamic_regressor").columns == of.columns


@pytest.mark.long
def test_a_working_mode_is_chosen_by_the_option_or_the_robot() -> None:
    qa, robot = [0.1, 0.2, 0.3], symoro.load("delta").in_branch(0)
    f = make("gravity", "delta", given="motors", branch=0, optimize=False).compile("numpy")
    g = make("gravity", robot, given="motors", optimize=False).compile("numpy")
    of = make("gravity", "delta", given="joints", optimize=False)
    h = symoro.forward_geometry("delta", branch=0).from_motors(of).compile("numpy")
    assert_close(f(qa), g(qa), 1e-12)
    assert_close(h(qa), g(qa), 1e-12)
    assert np.abs(f(qa) - motors("delta", "gravity").compile("numpy")(qa)).max() > 0.1


def test_where_newtons_method_fails_from_home_all_assemblies_are_asked() -> None:
    f, qa = motors("five-bar-legs", "forward_geometry").compile("numpy"), np.array([-1.5, 1.0])
    tracker = f.assembly.tracker
    assert not tracker.tracked(qa, home(tracker.robot), None).valid.any()
    T, every = f(qa), tracker(qa)
    assert tracker.tracked(qa, T, None).valid.all()
    assert np.abs(every.T[every.valid] - T).max((-1, -2)).min() < 1e-9


# refusals


def test_positions_without_a_pose_are_said() -> None:
    f = motors("five-bar-legs", "gravity").compile("numpy")
    with pytest.raises(CannotClose, match=r"no pose of the platform was found in its working mode for .* a guess"):
        f([0.0, 40.0], guess=motion("five-bar-legs")["T"][0])
    with pytest.raises(InputError, match="not finite"):
        f([0.0, np.nan])
    with pytest.raises(InputError, match="qa, the positions of the active joints, is missing"):
        f()


def test_what_iterates_has_no_derivatives() -> None:
    with pytest.raises(NotApplicable, match=r"found by iteration.*allowed: given = 'joints'"):
        motors("five-bar-legs", "gravity").derivative("qa")
    with pytest.raises(NotApplicable, match="found by iteration"):
        motors("five-bar-legs", "gravity").specialize()


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("flexible-arm", OptionError, r"given = 'motors' is not allowed for flexible-arm \(allowed: joints\)"),
        ("flexible-joints", NotApplicable, r"does not follow from its motors \(allowed: given = 'joints'\)"),
        ("cooperating-arms", NotApplicable, "12 motors for 6 freedoms"),
    ],
)
def test_joints_that_do_not_follow_from_the_motors_are_refused(name: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        make("inverse_dynamics", name, given="motors", optimize=False)


def test_a_passive_joint_beside_the_loops_is_refused() -> None:
    robot = symoro.load("sr400")
    passive = tuple(replace(joint, actuated=joint.actuated and joint.index != 6) for joint in robot.joints)
    with pytest.raises(NotApplicable, match=f"joint {robot.joint(6).name} does not follow from its motors"):
        make("gravity", replace(robot, joints=passive), given="motors", optimize=False)


@pytest.mark.parametrize("name", ["five-bar", "five-bar-legs"])
@pytest.mark.parametrize("row", ["loop_closure", "loop_step"])
def test_what_is_for_open_loops_is_refused(name: str, row: str) -> None:
    with raised("models.closed_for_motors", NotApplicable):
        make(row, name, given="motors")


def test_where_all_joints_have_motors_it_is_the_same() -> None:
    made = make("inverse_dynamics", "planar2r", given="motors")
    assert made.program == make("inverse_dynamics", "planar2r", given="joints").program
    assert made.driver is None


# code


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "language"),
    [("delta", "c"), ("delta", "python"), ("five-bar-legs", "c"), ("five-bar-legs", "python"), ("gough-stewart", "c")],
)
def test_the_code_passes_its_self_test(name: str, language: str, tmp_path: Path) -> None:
    made = motors(name, "inverse_dynamics")
    made.emit(language, tmp_path)
    whole = [as_identifier(made.label)] if len(made.sources) > 1 else []
    run_self_test(target(language), tmp_path, tuple(made.sources), *whole)


@pytest.mark.long
def test_models_of_one_package_share_what_finds_the_pose(tmp_path: Path) -> None:
    symoro.generate([motors("five-bar-legs", "gravity"), motors("five-bar-legs", "bias")], "python", tmp_path)
    text = (tmp_path / "five_bar_legs.py").read_text(encoding="utf-8")
    names = ("forward_geometry_optimize_false", "gravity_at_pose_optimize_false", "bias_at_pose_optimize_false")
    assert [text.count(f"def five_bar_legs_{name}(") for name in names] == [1, 1, 1]


@pytest.mark.parametrize("name", ["delta", "3rps"])
def test_a_guess_is_a_pose_or_the_positions_of_all_joints(name: str) -> None:
    robot = symoro.load(name)
    q, T = joint_positions(robot, home(robot)), home(robot)
    forward = symoro.forward_geometry(robot, optimize=False).compile("numpy")
    motors = q[[joint.actuated for joint in robot.joints if joint.variable]]
    found = forward(motors, guess=q)
    assert found.valid.all()
    assert_close(found.T[0], T, 1e-9)
    model = symoro.gravity(robot, given="motors", optimize=False).compile("numpy")
    assert_close(model(motors, guess=q), model(motors, guess=T), 1e-12)
    with raised("positions.guess_of_platform", ShapeError):
        forward(motors, guess=motors)
