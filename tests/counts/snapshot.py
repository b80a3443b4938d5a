"""Every model of every library robot as counts and evaluated outputs, to compare two revisions.

Beside them are the answers of what finds positions, with status and order of the branches, and every refusal.

python tests/counts/snapshot.py write FILE [ROBOT…]   write counts and outputs of all models (of these robots)
python tests/counts/snapshot.py compare A B           print what differs between two files; status 1 for a difference

A redesign writes one file before and one after, and both must compare equal.
"""

from __future__ import annotations

import json
import sys
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import symoro
from symoro.errors import ModelError, SymoroError
from symoro.formats import load
from symoro.ir.evaluate import evaluate
from symoro.model import Model
from symoro.models.catalogue import entries
from symoro.models.geometric.inverse.chain import tip
from symoro.models.parallel.platform import home, moved
from symoro.robot.library import names
from symoro.robot.robot import Robot
from symoro.solve.given import model
from symoro.solve.ways import METHODS

Options = dict[str, Any]
Outcome = dict[str, Any]
TOLERANCE = 1e-9
#: Values of the options that must be given: the last link, seen from the base.
REQUIRED = {"i": lambda last: 0, "j": lambda last: last, "link": lambda last: last}


def cases(robot: str) -> list[tuple[str, Options]]:
    """The models that exist for a robot: every method in the paper's form, then what the search finds."""
    described = load(robot)
    found: list[tuple[str, Options]] = []
    for entry in entries():
        if entry.reason(described) is not None:
            continue
        own = entry.of(entry.prepared(described))
        required = {o.name: REQUIRED[o.name](described.link_count) for o in entry.all_options if o.required}
        params = ("standard", "base") if any(o.name == "params" for o in own.options) else (None,)
        for method, kind in product(own.choices, params):
            given = required | ({"params": kind} if kind else {}) | ({"method": method} if method else {})
            found.append((entry.name, {**given, "optimize": False}))
        found += [(entry.name, required | ({"params": kind} if kind else {})) for kind in params]
    return found


def outcome(name: str, robot: str, options: Options) -> Outcome:
    """What a model is: operations, inputs, parameters and outputs; or the error that says why it is not there."""
    try:
        built = model(name, robot, **options)
    except ModelError as error:
        return {"error": str(error)}
    ops, setup = built.ops, built.setup_ops
    return {
        "ops": [ops.mul, ops.add, ops.div, ops.trig],
        "setup": [setup.mul, setup.add, setup.div, setup.trig],
        "inputs": {k: list(v) for k, v in built.inputs.items()},
        "parameters": list(built.parameters),
        "formulation": built.formulation,
        "outputs": outputs(built),
    }


def outputs(built: Model) -> dict[str, list[float]]:
    """The outputs in two random states. A parameter without a number gets one that depends only on its name."""
    rng = np.random.default_rng(5)
    given = {name: rng.uniform(-1.0, 1.0, (2, *shape)) for name, shape in built.inputs.items()}
    numbers = {n: x if x is not None else 0.5 + zlib.crc32(n.encode()) / 2**33 for n, x in built.parameters.items()}
    with np.errstate(all="ignore"):
        values = evaluate(built.program, given, numbers)
    return {name: np.asarray(x, dtype=float).ravel().tolist() for name, x in values.items()}


# positions


def refusals(robot: str) -> dict[str, Outcome]:
    """Why models do not exist for a robot."""
    described = load(robot)
    reasons = {entry.name: entry.reason(described) for entry in entries()}
    return {f"{robot} {name} is refused": {"error": str(reason)} for name, reason in reasons.items() if reason}


def answers(robot: str) -> dict[str, Outcome]:
    """Joints for poses, legs for poses, passive joints and poses for the motors: what applies to a robot."""
    described = load(robot)
    if described.platforms:
        return _of_platform(robot, described)
    found = {f"{robot} inverse_geometry {name}": _attempt(lambda n=name: _joints(described, n)) for name in METHODS}
    loops = {f"{robot} loop_geometry": _attempt(lambda: _passive_joints(described))} if described.cuts else {}
    return found | loops


def _attempt(answer: Callable[[], Outcome]) -> Outcome:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return answer()
    except SymoroError as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _joints(robot: Robot, method: str) -> Outcome:
    ik = symoro.inverse_geometry(robot, method)
    end = ik.link if robot.cuts else tip(robot)
    forward = symoro.forward_geometry(robot, link=end)
    q = np.random.default_rng(5).uniform(-1.0, 1.0, (3, *forward.inputs["q"]))
    if robot.cuts:
        close = symoro.loop_geometry(robot).compile("numpy")
        q = np.array([close(0.3 * row[list(close.assembler().active)]) for row in q])
    T = forward.compile("numpy")(q)
    poses = np.array([*T, T[0] + 50 * np.eye(4, k=3), T[0] * np.nan])
    f = ik.compile("numpy")
    near = f(T, nearest=np.zeros(len(ik.joints)), limits=True)
    return {"method": ik.method, "task": ik.task, **_answer(f(poses)), "near": _answer(near)}


def _passive_joints(robot: Robot) -> Outcome:
    loops = symoro.loop_geometry(robot)
    f, qa = loops.compile("numpy"), np.random.default_rng(5).uniform(-0.4, 0.4, loops.inputs["qa"])
    numbers = {"q": _listed(f(qa)), "branches": _listed(f.branches(qa, limits=False))}
    return {"method": f.method, "completeness": f.completeness, "outputs": numbers}


def _of_platform(name: str, robot: Any) -> dict[str, Outcome]:
    at = home(robot)
    T = np.array([at, moved(at, 0.03 * np.random.default_rng(5).uniform(-1, 1, 6))])
    legs, poses = (make(robot).compile("numpy") for make in (symoro.inverse_geometry, symoro.forward_geometry))
    q = legs(at, search=False).q[0]
    return {
        f"{name} inverse_geometry": _attempt(lambda: _answer(legs(T, search=False))),
        f"{name} forward_geometry": _attempt(lambda: _answer(poses(np.array([q, q + 30, q * np.nan])))),
        f"{name} forward_geometry from a guess": _attempt(lambda: _answer(poses(q, guess=T[0]))),
    }


def _answer(found: Any) -> Outcome:
    parts = {"q": found.q, "valid": found.valid, "free": found.free, "distance": found.distance, "poses": found.poses}
    outputs = {name: _listed(x) for name, x in parts.items() if x is not None}
    return {"status": [str(x) for x in np.ravel(found.status)], "outputs": outputs}


def _listed(x: Any) -> list[float]:
    return [float(value) for value in np.ravel(x)]


def of_robot(robot: str) -> dict[str, Outcome]:
    """All models of a robot, by a text that names robot, model and options; then its answers and refusals."""
    found = {f"{robot} {name} {json.dumps(options)}": outcome(name, robot, options) for name, options in cases(robot)}
    found |= answers(robot) | refusals(robot)
    print(f"{robot}: {len(found)} models", file=sys.stderr, flush=True)
    return found


def write(file: Path, robots: Sequence[str]) -> int:
    """Write the models of the robots to a file, two robots at a time."""
    if len(robots) == 1:
        found = of_robot(robots[0])
    else:
        with ProcessPoolExecutor(2) as pool:
            found = {key: value for part in pool.map(of_robot, robots) for key, value in part.items()}
    file.write_text(json.dumps(found, indent=0), encoding="utf-8")
    print(f"{len(found)} models written to {file}")
    return 0


def different(a: Outcome, b: Outcome) -> list[str]:
    """What two outcomes of one model differ in; the name of the formulation is not compared."""
    if a.keys() != b.keys():
        return [f"{sorted(a)} -> {sorted(b)}"]
    told = [key for key in a if key not in ("outputs", "formulation", "near")]
    found = [f"{key}: {a[key]} -> {b[key]}" for key in told if a[key] != b[key]]
    found += _different_outputs(a.get("outputs", {}), b.get("outputs", {}))
    return found + [f"near: {line}" for line in (different(a["near"], b["near"]) if "near" in a else [])]


def _different_outputs(a: Mapping[str, list[float]], b: Mapping[str, list[float]]) -> list[str]:
    """NaN where a model has no value must be NaN in both: random states need not close a loop."""
    found = []
    for name in sorted(a.keys() | b.keys()):
        x, y = np.array(a.get(name, [])), np.array(b.get(name, []))
        if x.shape != y.shape or not np.array_equal(np.isfinite(x), np.isfinite(y)):
            found.append(f"{name}: another shape, or other elements that are not finite")
            continue
        finite = np.isfinite(x)
        off = np.abs(x[finite] - y[finite]).max(initial=0.0)
        if off > TOLERANCE * (1 + np.abs(x[finite]).max(initial=0.0)):
            found.append(f"{name}: differs by {off:.1e}")
    return found


def compare(first: Path, second: Path) -> int:
    """Print what differs between two files; 0 where nothing does."""
    a, b = (json.loads(file.read_text(encoding="utf-8")) for file in (first, second))
    changed = {key: different(a[key], b[key]) for key in sorted(a.keys() & b.keys())}
    lines = [f"{key}\n    {line}" for key in changed for line in changed[key]]
    lines += [f"only in {first}: {key}" for key in sorted(a.keys() - b.keys())]
    lines += [f"only in {second}: {key}" for key in sorted(b.keys() - a.keys())]
    print("\n".join([*lines, f"{len(changed)} models compared, {sum(map(bool, changed.values()))} differ"]))
    return 1 if lines else 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", file, *robots]:
            sys.exit(write(Path(file), robots or names()))
        case ["compare", first, second]:
            sys.exit(compare(Path(first), Path(second)))
    sys.exit(__doc__)
