"""Inverse geometry of known and random arms: symoro beside other packages, on the same poses, timed in one run.

python benchmarks/inverse_geometry.py [--prepare] [arm ...]

The other packages are no dependencies of symoro: EAIK, ssik, py-opw-kinematics and ur-analytic-ik are measured where
they are installed and where they take the arm, and the first lines say which are there. With --prepare, ssik also takes
arms for which it prepares for a minute or more. Each is called from Python with one pose at a time, in the form of pose
that it takes. `in C` is the compiled code alone, and `in batches` a call for thousands of poses.

`us` is the time of the processor for one pose, the best of several rounds that are taken in turn. `branches` is the
mean number of different branches that have the pose to 1e-6, and `lost` counts the poses whose generating configuration
is not among them; where a package has joint angles of its own, its branches are only counted. `worst` is the largest
error.
"""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import symoro
from symoro.solve.general.code import GeneralInverse

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from support.arms import arm as described
from support.serial_arms import KR6, OFFSET_WRIST, PUMA, UR5, WRIST_60, Arm, Peer, arm_mdh, disturbed, random_arm

Array = np.ndarray[Any, Any]
POSES, ROUNDS, BATCH = 50, 5, 5000
PACKAGES = ("eaik", "ssik", "py_opw_kinematics", "ur_analytic_ik")

ARMS = {
    "kr6": KR6,
    "ur5": UR5,
    "puma": PUMA,
    "puma-calibrated": disturbed(PUMA, 1e-3, np.random.default_rng(0)),
    "offset-wrist": OFFSET_WRIST,
    "60-degree": WRIST_60,
    "general-6r": random_arm("RRRRRR", np.random.default_rng(1)),
    "general-rrprrr": random_arm("RRPRRR", np.random.default_rng(1)),
    "youbot": arm_mdh([0, -90, 0, 0, -90], [0, 0.033, 0.155, 0.135, 0], [0.147, 0, 0, 0, 0.2], "RRRRR"),
}
#: The arms that have a closed form, as robots.
_PUMA = ((0, -90, 0, 90, -90, 90), (0, 0, 0.4318, -0.0203, 0, 0), (0, 0, 0.1501, 0.4331, 0, 0))
CLOSED = {"kr6": "kr6", "ur5": "ur5", "puma": described("puma", *_PUMA), "youbot": "youbot"}
#: C code that calls a generated model for many poses.
MANY = """
#include "{name}.h"
#include <stddef.h>
void many(const double *T, double *q, double *valid, int n)
{{
    {name}_setup setup;
    double unused[3][{elements}];
    {name}_set_up(&{name}_default_parameters, &setup);
    for (int k = 0; k < n; k++)
        {name}(&setup, T + 16 * k, NULL, q + {elements} * k, valid + {count} * k, unused[0], unused[1], unused[2]);
}}
"""


@dataclass(frozen=True)
class Row:
    """A solver of an arm: `convert` makes its own form of a pose, and `prepared` is the time to make it, in seconds.

    `comparable` says whether its joint angles are those of the arm. `batch` takes many poses: it is timed instead.
    """

    name: str
    solve: Callable[[Any], Sequence[Array]]
    comparable: bool = True
    convert: Callable[[Array], Any] = np.ascontiguousarray
    prepared: float = 0.0
    batch: Callable[[Array], Any] | None = None


def ours(name: str, arm: Arm) -> Iterator[Row]:
    """The methods of symoro that take the arm; `us` of the batch is for one of its poses."""
    if name in CLOSED:
        ik = symoro.inverse_geometry(CLOSED[name])
        f = ik.compile()
        yield Row("symoro closed form", lambda pose: f(pose).q)
        yield Row("  the same, in batches", lambda pose: f(pose).q, batch=f)
        if shutil.which("cc"):
            yield Row("  the same, in C", lambda pose: f(pose).q, batch=_in_c(ik))
    compiled = GeneralInverse(*arm).compile("c")
    yield Row("symoro general, C", lambda pose: compiled(pose).q)
    yield Row("  the same, in C", _bare(compiled))
    reference = GeneralInverse(*arm).compile("numpy")
    yield Row("symoro general, NumPy", lambda pose: reference(pose).q)


def _in_c(ik: Any) -> Callable[[Array], Array]:
    """The generated C code for many poses (n, 4, 4), in a loop that is compiled with it."""
    folder = Path(tempfile.mkdtemp())
    ik.emit("c", folder)
    name = next(folder.glob("*.h")).stem
    count, joints = ik.outputs["q"]
    (folder / "many.c").write_text(MANY.format(name=name, count=count, elements=count * joints), encoding="utf-8")
    files = [str(folder / f"{name}.c"), str(folder / "many.c")]
    subprocess.run(["cc", "-O3", "-shared", "-fPIC", "-o", str(folder / "many.so"), *files, "-lm"], check=True)
    run = ctypes.CDLL(str(folder / "many.so")).many

    def solve(poses: Array) -> Array:
        q, valid = np.empty((len(poses), count, joints)), np.empty((len(poses), count))
        run(*(ctypes.c_void_p(x.ctypes.data) for x in (poses, q, valid)), len(poses))
        return q

    return solve


def _bare(compiled: Any) -> Callable[[Array], Array]:
    """The call of the C function alone; its result is overwritten by the next call."""
    run, arm = compiled._run, ctypes.byref(compiled._arm)
    result = (ctypes.c_char * 16384)()
    view = np.frombuffer(result, dtype=float, offset=8, count=64 * 6).reshape(64, 6)
    joints = compiled._arm.joints

    def solve(pose: Array) -> Array:
        return view[: run(arm, ctypes.c_void_p(pose.ctypes.data), result), :joints]

    return solve


def others(name: str, arm: Arm, prepare: bool) -> Iterator[Row]:
    """The other packages that are installed and take the arm."""
    if _there("eaik") and set(arm.kinds) == {"R"}:
        yield from _eaik(arm)
    if _there("ssik") and arm.kinds == "RRRRRR":
        yield from _ssik(arm, prepare)
    if _there("py_opw_kinematics") and name == "kr6":
        yield from _opw()
    if _there("ur_analytic_ik") and name == "ur5":
        import ur_analytic_ik

        yield Row("ur-analytic-ik", ur_analytic_ik.ur5.inverse_kinematics)


def _there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _eaik(arm: Arm) -> Iterator[Row]:
    from eaik.IK_Homogeneous import HomogeneousRobot

    at_zero = [arm.links[0]]
    for link in arm.links[1:]:
        at_zero.append(at_zero[-1] @ link)
    robot = HomogeneousRobot(np.stack(at_zero))
    if robot.hasKnownDecomposition():
        row = Row("EAIK", lambda pose: robot.IK(pose).Q)
        yield row
        yield replace(row, name="  the same, in batches", batch=lambda poses: robot.IK_batched(poses, 1))


def _ssik(arm: Arm, prepare: bool) -> Iterator[Row]:
    import ssik

    robot = ssik.Manipulator.from_transforms(arm.links)
    if prepare or "general" not in robot.solver_name:
        robot.prepare()
        yield Row("ssik", lambda pose: [solution.q for solution in robot.solve(pose, respect_limits=False)])


def _opw() -> Iterator[Row]:
    from py_opw_kinematics import KinematicModel, Robot
    from scipy.spatial.transform import RigidTransform

    robot = Robot(KinematicModel(a1=0.025, a2=-0.035, c1=0.4, c2=0.455, c3=0.42, c4=0.08), degrees=False)
    yield Row("py-opw-kinematics", robot.inverse, False, RigidTransform.from_matrix)


def rows(name: str, arm: Arm, prepare: bool) -> Iterator[Row]:
    """All solvers of an arm, each with the time of its preparation."""
    for make in (ours(name, arm), others(name, arm, prepare)):
        while True:
            start = time.perf_counter()
            made = next(make, None)
            if made is None:
                break
            yield replace(made, prepared=time.perf_counter() - start)


def microseconds(row: Row, poses: Sequence[Array]) -> float:
    """The time of the processor for one pose, without the conversion of its form."""
    if row.batch is not None:
        many = np.tile(np.stack(poses), (BATCH // len(poses), 1, 1))
        start = time.process_time()
        row.batch(many)
        return (time.process_time() - start) / len(many) * 1e6
    converted = [row.convert(pose) for pose in poses]
    start = time.process_time()
    for pose in converted:
        row.solve(pose)
    return (time.process_time() - start) / len(poses) * 1e6


def quality(row: Row, peer: Peer, configurations: Sequence[Array], poses: Sequence[Array]) -> tuple[float, int, float]:
    """The mean number of different branches, poses without their generating configuration, and the largest error."""
    count, lost, worst = 0, 0, 0.0
    for q, pose in zip(configurations, poses, strict=True):
        found: list[Array] = []
        for branch in map(np.asarray, row.solve(row.convert(pose))):
            if np.isnan(branch).any():  # symoro marks a branch that does not exist so
                continue
            error = float(np.abs(peer.pose(branch) - pose).max()) if row.comparable else 0.0
            if error < 1e-6 and all(peer.apart(branch, other) > 1e-6 for other in found):
                found.append(np.array(branch))
                worst = max(worst, error)
        count += len(found)
        lost += row.comparable and min((peer.apart(q, branch) for branch in found), default=9.0) > 1e-5
    return count / len(poses), lost, worst


def compare(name: str, arm: Arm, prepare: bool) -> None:
    """Print a line for each solver of an arm."""
    rng, peer = np.random.default_rng(2), Peer(arm)
    configurations = [rng.uniform(-np.pi, np.pi, len(arm.kinds)) for _ in range(POSES)]
    poses = [peer.pose(q) for q in configurations]
    solvers = list(rows(name, arm, prepare))
    times = np.array([[microseconds(row, poses) for row in solvers] for _ in range(ROUNDS)]).min(axis=0)
    print(f"\n{name} ({arm.kinds})")
    print(f"  {'':24}{'us':>10}{'to symoro':>11}{'prepared s':>12}{'branches':>10}{'lost':>6}{'worst':>10}")
    for row, us in zip(solvers, times, strict=True):
        branches, lost, worst = quality(row, peer, configurations, poses)
        cells = f"{lost:6d}{worst:10.0e}" if row.comparable else f"{'-':>6}{'-':>10}"
        print(f"  {row.name:24}{us:10.1f}{us / times[0]:11.2f}{row.prepared:12.2f}{branches:10.2f}{cells}", flush=True)


def main(arguments: list[str]) -> None:
    """Compare on the named arms, or on all."""
    for module in PACKAGES:
        print(f"{module}: {'measured' if _there(module) else 'not installed'}")
    names = [argument for argument in arguments if argument != "--prepare"]
    for name in names or ARMS:
        compare(name, ARMS[name], "--prepare" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
