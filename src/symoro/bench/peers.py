"""Other libraries with the same models, as calls that can be timed beside ours. A library is imported at first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from symoro.bench.cases import BenchCase, require_equal
from symoro.bench.timing import Call, call
from symoro.errors import OptionError, TargetError
from symoro.findings import Finding
from symoro.robot.robot import Robot

#: States of a loop over calls, for models of which a library has no call for many states.
_LOOP = 500


Calls = Callable[[BenchCase, Robot], tuple[Call, Call] | Finding]


@dataclass(frozen=True, slots=True)
class Peer:
    """A library: the package that it needs, and its calls for a case, with one state and with many.

    Where it cannot be compared, `calls` gives the reason instead.
    """

    package: str
    calls: Calls
    install: str


def installed(names: Iterable[str]) -> tuple[dict[str, Peer], dict[str, Finding]]:
    """The libraries of these names that are installed, and how each of the others is; an error if none is."""
    chosen = {name: _known(name) for name in names}
    missing = {name: peer for name, peer in chosen.items() if find_spec(peer.package) is None}
    how = {name: Finding("bench.install", library=name, install=peer.install) for name, peer in missing.items()}
    if how and len(how) == len(chosen):
        raise TargetError("bench.not_installed", libraries=list(how.values()))
    return {name: peer for name, peer in chosen.items() if name not in missing}, how


def _known(name: str) -> Peer:
    if name not in PEERS:
        raise OptionError("bench.unknown_library", name=name, allowed=PEERS)
    return PEERS[name]


def _open(calls: Calls) -> Calls:
    """The calls for robots that other libraries have: trees of rigid joints on a fixed base."""

    def checked(case: BenchCase, robot: Robot) -> tuple[Call, Call] | Finding:
        usual = all(j.variable and not j.elastic for j in robot.joints if j.movable)
        if robot.closures or robot.base.kind.value != "fixed" or not usual:
            return Finding("bench.trees_only")
        return calls(case, robot)

    return checked


def _pinocchio(case: BenchCase, robot: Robot) -> tuple[Call, Call] | Finding:
    """Pinocchio's functions from Python; of many states in one thread where it has them, else a loop."""
    import pinocchio as pin

    from symoro.bench.pinocchio_robot import oracle

    peer = oracle(robot, robot.values.numbers())
    m, d = peer.model, peer.data
    turns = (peer.q, peer.v, peer.v)
    states = [np.array([turn(x) for x in xs]) for turn, xs in zip(turns, case.states, strict=False)]
    one = [np.ascontiguousarray(x[0]) for x in states]
    columns = [np.asfortranarray(x.T) for x in states]
    functions: Mapping[str, Callable[..., Any]] = {
        "inverse_dynamics": pin.rnea,
        "direct_dynamics": pin.aba,
        "inertia_matrix": pin.crba,
        "dynamic_regressor": pin.computeJointTorqueRegressor,
        "jacobian": lambda m, d, q: pin.computeJointJacobian(m, d, q, m.njoints - 1),
    }
    if case.name not in functions:
        return Finding("bench.no_model", model=case.name)
    f = functions[case.name]
    if case.name in ("inverse_dynamics", "direct_dynamics"):
        require_equal(case, f(m, d, *one)[peer.velocity_index], "Pinocchio")
    single = call(f, m, d, *one)
    many = {"inverse_dynamics": pin.rneaInParallel, "direct_dynamics": pin.abaInParallel}.get(case.name)
    if many is not None:
        pool = pin.ModelPool(m, 1)
        return single, call(many, 1, pool, *columns, states=len(states[0]))
    few = list(zip(*(x[:_LOOP] for x in states), strict=True))
    return single, call(lambda: [f(m, d, *state) for state in few], states=len(few))


def _casadi(case: BenchCase, robot: Robot) -> tuple[Call, Call] | Finding:
    """The same program in CasADi's own machine; of many states by its map."""
    f: Any = case.model.compile("casadi")
    optional = [np.zeros(f.size_in(k)) for k in range(len(case.states), f.n_in())]
    one = [*(x[0].ravel() for x in case.states), *optional]
    n = min(len(case.states[0]), 10 * _LOOP)
    mapped = f.map(n)
    columns = [x[:n].reshape(n, -1).T.copy() for x in case.states] + [np.tile(x, n) for x in optional]
    if any(len(i.shape) > 1 for i in case.model.program.inputs if not i.optional):
        return Finding("bench.matrix")
    return call(f, *one), call(mapped, *columns, states=n)


def _mujoco(case: BenchCase, robot: Robot) -> tuple[Call, Call] | Finding:
    from symoro.bench.mujoco_peer import calls

    return calls(case, robot)


def _frax(case: BenchCase, robot: Robot) -> tuple[Call, Call] | Finding:
    from symoro.bench.frax_peer import calls

    return calls(case, robot)


PEERS = {
    "pinocchio": Peer("pinocchio", _open(_pinocchio), "pin"),
    "mujoco": Peer("mujoco", _open(_mujoco), "mujoco"),
    "casadi": Peer("casadi", _casadi, "casadi"),
    "frax": Peer("frax", _open(_frax), "frax"),
}
