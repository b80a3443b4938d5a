"""frax as a library to compare with: the robot written as URDF, its functions compiled by JAX for the CPU."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from symoro.bench.cases import BenchCase, require_equal
from symoro.bench.timing import Call, call
from symoro.findings import Finding
from symoro.formats import urdf
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate

#: The gravity that frax's direct dynamics has.
_GRAVITY = (0.0, 0.0, -9.81)
#: frax wants an inertia of every link, also of the base.
_NOTHING = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'


def calls(case: BenchCase, robot: Robot) -> tuple[Call, Call] | Finding:
    """A function under jax.jit, and the same under jax.vmap for many states; both wait for the result."""
    jax: Any = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    gravity = tuple(evaluate(g, robot.values.numbers()) for g in robot.gravity)
    if case.name == "direct_dynamics" and gravity != _GRAVITY:
        return Finding("bench.gravity", theirs=_GRAVITY, ours=gravity)
    try:
        theirs = _loaded(robot)
    except Exception as error:  # whatever its reader of URDF says
        return Finding("bench.unread", reason=f"{type(error).__name__}: {error}".partition("\n")[0])
    functions = _functions(theirs, np.array([*(-g for g in gravity), 0, 0, 0]))
    if case.name not in functions:
        return Finding("bench.no_model", model=case.name)
    f, many = jax.jit(functions[case.name]), jax.jit(jax.vmap(functions[case.name]))
    states = [jax.numpy.asarray(x) for x in case.states]
    one = [x[0] for x in states]
    require_equal(case, np.asarray(f(*one)), "frax")
    return (
        call(lambda *state: f(*state).block_until_ready(), *one),
        call(lambda *all_states: many(*all_states).block_until_ready(), *states, states=len(states[0])),
    )


def _loaded(robot: Robot) -> Any:
    with warnings.catch_warnings():  # at its import, frax names settings of JAX that it would like
        warnings.simplefilter("ignore", UserWarning)
        from frax.core.robot import Robot as Theirs

    text = re.sub(r'<link name="([^"]*)"/>', rf'<link name="\1">{_NOTHING}</link>', urdf.write_text(robot))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "robot.urdf")
        path.write_text(text, encoding="utf-8")
        return Theirs(str(path), joint_ordering=[j.name for j in robot.joints if j.movable])


def _functions(theirs: Any, lifting: Any) -> Mapping[str, Callable[..., Any]]:
    """`lifting` is the acceleration that stands for gravity."""
    return {
        "inverse_dynamics": lambda q, v, a: theirs.rnea(q, v, a, lifting, None),
        "direct_dynamics": lambda q, v, tau: theirs.forward_dynamics(q, v, tau, None),
        "inertia_matrix": theirs.mass_matrix,
    }
