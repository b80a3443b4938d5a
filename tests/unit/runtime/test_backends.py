"""Every backend computes what the reference does, on models of robots and on random programs."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import casadi
import jax
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import symoro
from support.close import assert_close
from support.one_operation import compiled, operation
from support.program_strategies import points, programs
from support.raised import raised
from symoro.errors import InputError, MissingParameter, ParameterError, ShapeError, TargetError
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Op
from symoro.ir.program import Program
from symoro.runtime import compile_program, shared_library

MODELS = [("puma560", "inverse_dynamics"), ("planar3r", "direct_dynamics"), ("five-bar", "inertia_matrix")]


@pytest.fixture(autouse=True)
def doubles() -> Any:
    """Let JAX compute in float64."""
    with jax.enable_x64(True):
        yield


def model_and_state(robot: str, name: str) -> tuple[Any, dict[str, np.ndarray]]:
    model = getattr(symoro, name)(robot)
    rng = np.random.default_rng(0)
    return model, {i.name: rng.uniform(0.2, 1, i.shape) for i in model.program.inputs if not i.optional}


@pytest.mark.parametrize("backend", ["c", "jax", "casadi"])
@pytest.mark.parametrize(("robot", "name"), MODELS)
def test_models_are_the_same(robot: str, name: str, backend: str) -> None:
    model, state = model_and_state(robot, name)
    wanted = model.compile("numpy", check=False)(**state)
    found = model.compile(backend, check=False)(**state)
    found = found[model.program.outputs[0].name] if backend == "casadi" else found
    assert_close(np.asarray(found).reshape(wanted.shape), wanted, 1e-11)


@pytest.mark.parametrize("backend", ["c", "jax", "casadi"])
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(program=programs(most=10), point=points)
def test_random_programs_are_the_same(backend: str, program: Program, point: Any) -> None:
    inputs, values = point
    wanted = evaluate(program, inputs, values)
    found = compile_program(program, backend, values)(inputs["q"], inputs["x"])
    for array, name in zip(found, wanted, strict=True):
        assert_close(np.asarray(array, float).reshape(wanted[name].shape), wanted[name], 1e-9)


def test_c_computes_batches_in_threads_and_floats() -> None:
    model, _ = model_and_state("puma560", "inverse_dynamics")
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 5000, 6))
    wanted = model.compile("numpy")(q, qd, qdd)
    f = model.compile("c")
    assert_close(f(q, qd[0], qdd, threads=3), model.compile("numpy")(q, qd[0], qdd), 1e-12)
    assert_close(f(q, qd, qdd, threads=2), wanted, 1e-12)
    single = model.compile("c", dtype="float32")(q, qd, qdd)
    assert single.dtype == np.float32
    assert_close(single, wanted, 1e-5)


def test_c_needs_a_compiler_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    for command, message in {"/nowhere/cc": "cannot be run", "false": "failed"}.items():
        monkeypatch.setenv("CC", command)
        with pytest.raises(TargetError, match=message):
            compile_program(operation(Op.SIN), "c")
    monkeypatch.delenv("CC")
    with monkeypatch.context() as patched:
        patched.setattr(shared_library.tempfile, "tempdir", "/nowhere")
        with raised("backends.not_loaded", TargetError):
            compile_program(operation(Op.SIN), "c")
    monkeypatch.setattr(shared_library.shutil, "which", lambda name: None)
    assert shared_library.compiler()[1:] == ["-m", "ziglang", "cc"]
    monkeypatch.setattr(shared_library, "find_spec", lambda name: None)
    with raised("backends.no_compiler", TargetError):
        shared_library.compiler()


@pytest.mark.long
def test_zig_is_a_compiler_of_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes its libraries at the first use, which takes seconds."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shared_library.shutil, "which", lambda name: None)
    assert float(compile_program(operation(Op.SIN), "c")(0.5)) == pytest.approx(np.sin(0.5), rel=1e-15)


def test_casadi_asks_for_the_numbers_of_a_robot_with_symbols() -> None:
    described = replace(symoro.load("planar2r"), values={})
    with raised("errors.no_value", MissingParameter):
        symoro.inverse_dynamics(described).compile("casadi")


def test_jax_functions_are_jitted_mapped_and_differentiated() -> None:
    model, state = model_and_state("planar3r", "inverse_dynamics")
    f, exact = model.compile("jax"), model.compile("numpy")
    q, qd, qdd = state.values()
    many = np.random.default_rng(2).uniform(-1, 1, (20, 3))
    assert_close(np.asarray(jax.jit(f)(q, qd, qdd)), exact(q, qd, qdd), 1e-12)
    assert_close(np.asarray(jax.vmap(f, in_axes=(0, None, None))(many, qd, qdd)), exact(many, qd, qdd), 1e-12)
    assert_close(np.asarray(f(many, qd, qdd)), exact(many, qd, qdd), 1e-12)
    slope = model.derivative("q").compile("numpy")(q, qd, qdd)
    assert_close(np.asarray(jax.jacobian(f)(q, qd, qdd)), slope, 1e-11)
    by_mass = jax.jacobian(lambda m: f(q, qd, qdd, values={"M3": m}))(2.0)
    assert_close(
        np.asarray(by_mass), exact(q, qd, qdd, values={"M3": 3.0}) - exact(q, qd, qdd, values={"M3": 2.0}), 1e-11
    )
    again = pickle.loads(pickle.dumps(f))
    assert_close(np.asarray(again(q, qd, qdd)), exact(q, qd, qdd), 1e-12)


def test_jax_functions_say_what_is_wrong() -> None:
    f = symoro.inverse_dynamics("planar3r").compile("jax")
    q = np.zeros(3)
    with raised("runtime.missing_input", ShapeError):
        f(q, q)
    with raised("runtime.shape", ShapeError):
        f(np.zeros(4), q, q)
    with raised("runtime.no_parameter", ParameterError):
        f(q, q, q, values={"M9": 1.0})
    with raised("errors.no_value", MissingParameter):
        compile_program(_with_parameter(), "jax")(1.0)
    for wrong in (None, "q", ["joint"] * 3, q + 1j, jax.numpy.zeros(3, complex), np.ma.masked_array(q, [1, 0, 0])):
        with raised("runtime.not_real", InputError):
            f(wrong, q, q)
    for wrong in (None, "5", 1j, 10**400):
        with raised("runtime.value_not_real", ParameterError):
            f(q, q, q, values={"M3": wrong})
    with raised("runtime.values", ParameterError):
        f(q, q, q, values=[])
    with raised("runtime.broadcast", ShapeError):
        f(np.zeros((4, 3)), np.zeros((2, 3)), q)
    assert f(q, q, q, values={"M3": np.ones((4, 1)), "M1": np.ones(2)}).shape == (4, 2, 3)  # also if it has no effect


def test_casadi_functions_have_names_and_derivatives() -> None:
    model, state = model_and_state("planar3r", "inverse_dynamics")
    f = model.compile("casadi")
    assert isinstance(f, casadi.Function)
    assert [f.name_in(k) for k in range(3)] == ["q", "qd", "qdd"]
    wanted = model.compile("numpy", check=False)(**state)
    assert_close(np.asarray(f(**state)["GAM"]).ravel(), wanted, 1e-12)
    q = casadi.SX.sym("q", 3)
    slope = casadi.Function("slope", [q], [casadi.jacobian(f(**state | {"q": q})["GAM"], q)])
    expected = model.derivative("q").compile("numpy", check=False)(**state)
    assert_close(np.asarray(slope(state["q"])), expected.reshape(3, 3), 1e-11)
    with raised("errors.no_value", MissingParameter):
        compile_program(_with_parameter(), "casadi")
    with raised("backends.casadi_type", TargetError):
        model.compile("casadi", dtype="float32")


def test_backends_and_types_are_named() -> None:
    for wrong in ("fortran", None, ["llvm"]):
        with raised("backends.unknown", TargetError):
            compile_program(operation(Op.SIN), wrong)  # type: ignore[arg-type]
    for wrong in ("float16", int, "no type"):
        with raised("backends.type", TargetError):
            compiled(Op.SIN, dtype=wrong)


def _with_parameter() -> Program:
    from support.small_programs import angles, program_of
    from symoro.ir.graph import Graph

    g = Graph()
    (q,) = angles(g, 1)
    return program_of(g, [g.symbol("a") * g.sin(q)], n=1)
