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
EQUATIONS = 20


def main(folder: Path, name: str = ROBOT) -> int:
    """Count operations, print equations, write C code and test it; return the status of the self-test."""
    robot = symoro.load(name)
    print(f"{robot.title}: {len(robot.joints)} joints\n")
    print_counts(robot)
    model = symoro.inverse_dynamics(robot)
    print_equations(model)
    paths = model.emit("c", folder, force=True)  # the files of another demonstration are replaced
    print(f"\nC code in {folder}/: {', '.join(path.name for path in paths)}")
    return self_test(folder, paths)


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
    for name in (n for n in dir(symoro) if n not in symoro.__all__):
        parameters = signature(getattr(symoro, name)).parameters
        needed = [p.name for p in parameters.values() if p.default is p.empty and p.name != "robot"]
        ends = dict.fromkeys(needed[:-1], 0) | dict.fromkeys(needed[-1:], len(robot.joints))
        yield name, {**ends, "params": "base"} if "params" in parameters else dict(ends)


def text(ops: object) -> str:
    return str(ops).replace(" + ", "  ")


def print_equations(model: symoro.Model) -> None:
    """The first equations, without those that depend on parameters only and are computed once."""
    once = {name for instruction in model.program.setup for name in instruction.results}
    equations = [(left, right) for left, right in model.equations() if left not in once]
    print(f"\n{model.title} ({model.citation}), the first {EQUATIONS} of {len(equations)} equations:")
    for left, right in equations[:EQUATIONS]:
        print(f"  {left} = {right}")


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
