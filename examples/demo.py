"""A robot from its table to tested C code: python examples/demo.py [folder [robot]], by default the PUMA 560."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from inspect import signature
from pathlib import Path

import symoro

ROBOT = "puma560"
EQUATIONS = 30


def main(folder: Path, name: str = ROBOT) -> int:
    """Count operations, print equations, write C code, test it, draw pictures; return the status of the self-test."""
    robot = symoro.load(name)
    print(f"{robot.title}: {len(robot.joints)} joints\n")
    print_counts(robot)
    print_equations(symoro.inverse_dynamics(robot, optimize=False))
    model = symoro.inverse_dynamics(robot)
    paths = model.emit("c", folder, force=True)  # the files of another demonstration are replaced
    print(f"\nC code of the optimised form in {folder}/: {', '.join(path.name for path in paths)}")
    status = self_test(folder, paths)
    pictures(robot, model, folder)
    return status


def print_counts(robot: symoro.Robot) -> None:
    """The operations of every model that exists for the robot, in plain form and optimised."""
    print(f"{'operations':28}{'plain form':>34}{'optimised':>34}")
    for name, options in choices(robot):
        try:
            plain, best = (getattr(symoro, name)(robot, **options, optimize=flag).ops for flag in (False, True))
        except symoro.SymoroError:
            continue  # there is no such model of this robot, or no such option
        title = " ".join([name, *map(str, options.values())])
        print(f"{title:28}{text(plain):>34}{text(best):>34}", flush=True)


def choices(robot: symoro.Robot) -> Iterator[tuple[str, dict[str, object]]]:
    """Name and options of each line; frames that must be given are the base's and the last link's."""
    models = {f.__name__: f for f in (getattr(symoro, n) for n in dir(symoro) if n not in symoro.__all__)}
    for name, function in models.items():  # a model once, not under its aliases
        parameters = signature(function).parameters
        needed = [p.name for p in parameters.values() if p.default is p.empty and p.name != "robot"]
        ends = dict.fromkeys(needed[:-1], 0) | dict.fromkeys(needed[-1:], len(robot.joints))
        yield name, {**ends, "params": "base"} if "params" in parameters else dict(ends)


def text(ops: object) -> str:
    return str(ops).replace(" + ", "  ")


def print_equations(model: symoro.Model) -> None:
    """The first equations; every variable is defined before it is used."""
    once = {name for instruction in model.program.setup for name in instruction.results}
    equations = model.equations()
    print(f"\n{model.title} as in the paper ({model.citation}), the first {EQUATIONS} of {len(equations)} equations.")
    print("  * is computed once for given parameters. C2 is cos(q2), QP a joint velocity, QDP an acceleration,")
    print("  WI12 element 1 of the angular velocity before joint 2. X1, X2 … have no name in the papers.")
    for left, right in equations[:EQUATIONS]:
        print(f"{'*' if left in once else ' '} {left} = {right}")


def pictures(robot: symoro.Robot, model: symoro.Model, folder: Path) -> None:
    """The robot, and the torques of a motion of two seconds in which every joint goes from 0 to 1 rad or 0.1 m."""
    try:
        symoro.draw(robot, to=folder / "robot.svg")
    except symoro.SymoroError as error:
        print(f"No pictures: {error}")
        return
    print(f"Picture of the robot: {folder / 'robot.svg'}")
    if robot.cuts or robot.base.kind.value != "fixed":
        return  # q, qd and qdd of all joints do not fit each other
    import numpy as np

    from symoro.report.curves import plot

    time = np.linspace(0, 2, 201)
    amount = np.where([joint.prismatic for joint in robot.joints if joint.movable], 0.1, 1.0)
    s = time[:, None] / 2
    q, qd, qdd = s**3 * (10 - 15 * s + 6 * s**2), 15 * s**2 * (1 - s) ** 2, 15 * s * (1 - s) * (1 - 2 * s)
    torques = model.compile()(q * amount, qd * amount, qdd * amount)
    names = [joint.name for joint in robot.joints if joint.movable]
    plot(time, torques, names, title=f"{robot.title}: inverse dynamics", unit="N·m or N", to=folder / "torques.svg")
    print(f"Torques of a motion: {folder / 'torques.svg'}")


def self_test(folder: Path, paths: list[Path]) -> int:
    """Build and run the self-test that was written beside the code."""
    compiler = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
    if compiler is None:
        print("Self-test skipped: there is no C compiler here (looked for cc, gcc, clang).")
        return 0
    sources = [str(path) for path in paths if path.suffix == ".c" and path.name != "main.c"]
    program = (folder / "selftest").resolve()
    sys.stdout.flush()
    status = subprocess.run([compiler, "-std=c99", "-O2", "-o", str(program), *sources, "-lm"], check=False).returncode
    if status == 0:
        status = subprocess.run([str(program)], check=False).returncode
    print("Self-test passed." if status == 0 else f"Self-test FAILED with status {status}.")
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"), *sys.argv[2:3]))
