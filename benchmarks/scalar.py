"""One state in the machine, without Python: symoro's code, CasADi's generated C, and Pinocchio's C++ core.

python benchmarks/scalar.py [--eigen FOLDER] [robot ...]

Nanoseconds of thread time for a state, the best of many rounds; above 1, symoro is faster. CasADi writes the same
program as C, which the C compiler makes as fast as it can. Pinocchio's core is compiled against the headers of the
package `pin` and those of Eigen (`apt install libeigen3-dev`, or the folder of the package `cmeel-eigen`).
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from symoro.bench.cases import MODELS, BenchCase, cases, plain
from symoro.bench.pinocchio_robot import oracle, pin
from symoro.formats import load
from symoro.robot.robot import Robot
from symoro.runtime.kernel import Array
from symoro.runtime.llvm_machine import LlvmKernel
from symoro.runtime.shared_library import compiler
from symoro.runtime.threads import _job

HERE = Path(__file__).resolve().parent
STATES, ROUNDS = 200, 200
PREFIX = Path(pin.__file__).parents[4]
DEFINES = ("BOOST_FUSION_INVOKE_MAX_ARITY=10", "BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS")


def count(case: BenchCase) -> int:
    """How many states are computed in turn: the results stay in the cache, as they do for the other libraries."""
    return max(8, min(STATES, 2**19 // (8 * sum(len(o.elements) for o in case.model.program.outputs))))


def best(call: Callable[[], object], states: int) -> float:
    """Nanoseconds for a state of a call that computes some states."""
    times = []
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        call()
        times.append(time.thread_time_ns() - start)
    return min(times) / states


def by_symoro(case: BenchCase) -> float:
    """The code for one state in a loop."""
    f = case.model.compile()
    made, n = LlvmKernel(f._main), count(case)
    inputs, outputs = _inputs(case, n), [np.empty((n, len(o.elements))) for o in f._main.outputs]
    counter, constants = ctypes.c_int64(0), f.parameters.constants({})
    job = _job(n, ctypes.addressof(counter), constants, inputs, outputs)
    code = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(made.one.address("states"))
    place = ctypes.addressof(job)
    return best(lambda: code(place), n)


def _inputs(case: BenchCase, n: int) -> list[Array]:
    required = iter(case.states)
    return [
        np.zeros(len(i.variables)) if i.optional else next(required)[:n].reshape(n, -1)
        for i in case.model.program.inputs
    ]


def by_casadi(case: BenchCase, folder: Path) -> float:
    """CasADi's C in a loop that is written in C, too."""
    f: Any = case.model.compile("casadi")
    required = [i for i in case.model.program.inputs if not i.optional]
    before = os.getcwd()
    os.chdir(folder)
    try:
        f.generate("casadi_code.c")
    finally:
        os.chdir(before)
    optional = sum(len(i.variables) for i in case.model.program.inputs if i.optional)
    sets = [f"arg[{k}] = in{k} + i * {len(i.variables)};" for k, i in enumerate(required)]
    sets += [f"arg[{k}] = zeros;" for k in range(len(required), f.n_in())]
    pointers = ", ".join(f"const double *in{k}" for k in range(len(required)))
    loop = f"""
#include "casadi_code.c"
static const double zeros[{optional + 1}];
void loop(long n, {pointers}, double *out)
{{
    const double *arg[{f.sz_arg()}];
    double *res[{f.sz_res()}], w[{f.sz_w() + 1}];
    casadi_int iw[{f.sz_iw() + 1}];
    res[0] = out;
    for (long i = 0; i < n; i++) {{ {" ".join(sets)} f(arg, res, iw, w, 0); }}
}}
"""
    (folder / "loop.c").write_text(loop)
    options = ("-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC")
    subprocess.run([*compiler(), *options, "loop.c", "-o", "loop.so", "-lm"], cwd=folder, check=True)
    code = ctypes.CDLL(str(folder / "loop.so")).loop
    arrays = [np.ascontiguousarray(x[:STATES]) for x in case.states]
    out = np.empty(sum(len(o.elements) for o in case.model.program.outputs))
    given = [ctypes.c_long(STATES), *(ctypes.c_void_p(a.ctypes.data) for a in (*arrays, out))]
    return best(lambda: code(*given), STATES)


def core(folder: Path, eigen: str) -> Path | None:
    """The program that measures Pinocchio's core, if Eigen is there; compiling takes some minutes."""
    if not Path(eigen, "Eigen", "Core").exists():
        return None
    words = ["g++", "-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", *(f"-D{d}" for d in DEFINES), f"-I{eigen}"]
    words += [f"-I{PREFIX}/include", str(HERE / "pinocchio_core.cpp"), f"-L{PREFIX}/lib", "-lpinocchio_default"]
    subprocess.run([*words, f"-Wl,-rpath,{PREFIX}/lib", "-o", str(folder / "core")], check=True)
    return folder / "core"


def by_pinocchio(program: Path, robot: Robot, folder: Path) -> dict[str, float]:
    model = oracle(robot, robot.values.numbers()).model
    lines = [str(model.njoints - 1)]
    for j in range(1, model.njoints):
        kind = "R" if "RZ" in model.joints[j].shortname() else "P"
        at, body = model.jointPlacements[j], model.inertias[j]
        rows = np.column_stack([at.rotation, at.translation]).ravel()
        I = body.inertia[np.array([0, 0, 1, 0, 1, 2]), np.array([0, 1, 1, 2, 2, 2])]
        lines.append(" ".join(map(str, [model.parents[j], kind, *rows, body.mass, *body.lever, *I])))
    lines.append(" ".join(map(str, model.gravity.linear)))
    (folder / "model.txt").write_text("\n".join(lines))
    text = subprocess.check_output([str(program), str(folder / "model.txt")], text=True)
    return {name: float(ns) for name, ns in (line.split() for line in text.splitlines())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=["puma560", "panda", "humanoid"])
    parser.add_argument("--eigen", default="/usr/include/eigen3", help="folder of Eigen's headers")
    parser.add_argument("--core", help="the compiled pinocchio_core.cpp, if it exists")
    given = parser.parse_args()
    print(f"{'robot':10}{'model':20}{'symoro':>10}{'CasADi C':>10}{'ratio':>7}{'Pinocchio':>11}{'ratio':>7}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = Path(given.core) if given.core else core(folder, given.eigen)
        if program is None:
            print(f"without Pinocchio: there is no Eigen in {given.eigen}", file=sys.stderr)
        for robot in map(plain, map(load, given.robots)):
            theirs = by_pinocchio(program, robot, folder) if program else {}
            for case in cases(robot, list(MODELS), STATES):
                ours, casadi = by_symoro(case), by_casadi(case, Path(tempfile.mkdtemp(dir=folder)))
                cells = f"{ours:10.0f}{casadi:10.0f}{casadi / ours:7.1f}"
                if case.name in theirs:
                    cells += f"{theirs[case.name]:11.0f}{theirs[case.name] / ours:7.1f}"
                print(f"{robot.name:10}{case.name:20}{cells}", flush=True)


if __name__ == "__main__":
    main()
