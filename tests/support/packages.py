"""Packages that every target must get right: all models of small robots, and how their self-tests are run."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from symoro.emit import Source, Target, target
from symoro.emit.package import package
from symoro.errors import ModelError, OptionError
from symoro.formats import valid_robot
from symoro.model import Model
from symoro.models.catalogue import entries
from symoro.solve.given import model

#: Three small robots (revolute, with prismatic joints, elastic), a closed loop and a floating base.
ROBOTS = ("planar2r", "scara", "spring-mass", "four-bar", "satellite")


@cache
def models(robot: str) -> tuple[Source, ...]:
    """Every model of the catalogue that the robot has, the ones that need a link with its last one."""
    found = [made.source for entry in entries() for made in _made(entry.name, robot)]
    assert len(found) > 25
    return tuple(found)


def _made(name: str, robot: str) -> Iterator[Model]:
    last = valid_robot(robot).joints[-1].index
    for options in ({}, {"link": last}, {"i": 0, "j": last}):
        try:
            yield model(name, robot, **options)
            return
        except (ModelError, OptionError):
            continue


def missing_tools(target: Target) -> list[str]:
    """The programs and Python modules that the target's self-test needs and this machine does not have."""
    path = search_path()
    programs = [tool for tool in target.tools if shutil.which(tool, path=path) is None]
    return programs + [name for name in target.modules if importlib.util.find_spec(name) is None]


def _require_tools(target: Target) -> None:
    """Skip the test where the machine cannot run the target; with CI=true that is a failure."""
    if missing := missing_tools(target):
        pytest.skip(f"{target.name} is not executed: there is no {', '.join(missing)}")


def search_path() -> str:
    """Programs that come with Python modules lie beside this Python."""
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))


def run_self_test(
    target: Target, folder: Path, sources: tuple[Source, ...], name: str = "", closed_loop: bool = False
) -> None:
    """Run the command of the README in the folder of a package: every function passes, without a warning.

    Where the package has a closed loop of its functions, that passes, too.
    """
    _require_tools(target)
    written = package(sources[:1], target, name).name
    command = target.check.format(name=written)
    environment = os.environ | {"PATH": search_path(), "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    said = ran.stdout + ran.stderr
    assert ran.returncode == 0, said[-3000:]
    assert "FAILED" not in said, [line for line in said.splitlines() if "FAILED" in line]
    functions = len(sources) + sum(source.method is not None for source in sources)  # a driver is one of its own
    functions += closed_loop
    assert said.count(" cases, ") == functions, said[-3000:]
    assert "arning" not in ran.stderr, ran.stderr[:3000]


def run_check(language: str, folder: Path, name: str = "ik") -> subprocess.CompletedProcess[str]:
    """Run the command of the README in the folder of a package of this name; no language may warn of something."""
    spelling = target(language)
    _require_tools(spelling)
    environment = os.environ | {"PATH": search_path(), "OMP_NUM_THREADS": "1", "RUSTFLAGS": "-D warnings"}
    command = spelling.check.format(name=name)
    ran = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert "arning" not in ran.stderr, ran.stderr
    return ran
