"""Controllers as code with their states: self-tests in closed loop, by compilers and interpreters."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.packages import run_self_test
from support.raised import raised
from support.samples import named
from symoro.emit import target, targets
from symoro.emit.package import loop_test
from symoro.motion.controller import Controller, package_of

PERIOD = 1e-3
LAWS: dict[str, Callable[[], Controller]] = {
    "pid": lambda: symoro.pid("planar2r", 5.0, effort=20.0),
    "computed torque": lambda: symoro.computed_torque("planar2r"),
    "gravity in a loop": lambda: symoro.pd_gravity("five-bar", 10.0, 1.0),
    "floating": lambda: symoro.computed_torque("satellite"),
    "wheels": lambda: symoro.computed_torque("diff-drive-2r"),
    "springs": lambda: symoro.computed_torque("flexible-joints", 30.0),
    "task": lambda: symoro.task_pid("planar3r", 40.0, 4.0, 10.0, task="position", damping=2.0, effort=30.0),
    "filtered": lambda: symoro.pid("planar2r", 5.0, form="prefilter", effort=20.0),
    "platform": lambda: symoro.computed_torque("planar-3rrr"),
    "task computed torque": lambda: symoro.task_computed_torque("rx90"),
}
LANGUAGES = [name for name in targets() if target(name).iterates and name != "julia"]


def pairs() -> list[Any]:
    quick = {("c", "pid"), ("python", "pid"), ("javascript", "gravity in a loop")}
    long = {*((language, law) for language in LANGUAGES for law in ("pid", "floating")), *(("c", law) for law in LAWS)}
    every = [(language, law) for language in LANGUAGES for law in LAWS]
    marks = [pytest.mark.long, pytest.mark.exhaustive]
    return [pytest.param(*x, marks=() if x in quick else marks[:1] if x in long else marks) for x in every]


@pytest.mark.parametrize(("language", "name"), pairs())
def test_a_law_passes_its_self_test_in_closed_loop(language: str, name: str, tmp_path: Path) -> None:
    control = LAWS[name]()
    control.emit(language, tmp_path)
    sources, _ = package_of(control.model, PERIOD, control.start)
    run_self_test(target(language), tmp_path, sources, sources[0].name, closed_loop=True)


@pytest.mark.parametrize(
    "name",
    named(
        ["pid", "filtered", "floating", "gravity in a loop", "springs", "platform"], ("floating", "springs", "platform")
    ),
)
def test_the_closed_loop_is_that_of_a_simulation(name: str) -> None:
    """The self-test comes from the reference interpreter, a simulation from compiled steps."""
    control = LAWS[name]()
    sources, loop = package_of(control.model, PERIOD, control.start)
    assert loop is not None
    found = loop_test(loop, sources, "double")
    assert found is not None
    wanted = np.asarray(loop.rows["qr"])

    def reference(time: Any) -> symoro.motion.trajectory.Motion:
        row = np.rint(np.asarray(time) / PERIOD).astype(int).clip(0, len(wanted) - 1)
        return symoro.motion.trajectory.Motion(*(np.asarray(loop.rows[x])[row] for x in ("qr", "qrd", "qrdd")))

    still = symoro.trajectory(wanted[0], wanted[-1], duration=1.0)
    moving = symoro.motion.trajectory.Trajectory(still.joints, 1.0, still.path, reference)
    s = symoro.simulate(control.robot, control, moving, duration=found.periods * PERIOD, q0=loop.start["q"])
    for part in s.plant.parts:
        assert_close(s.part(part)[-1], found.last[part], 1e-9)
    assert np.abs(s.part("q")[-1] - s.part("q")[0]).max() > 1e-3


def test_a_language_that_is_read_gets_the_law_alone(tmp_path: Path) -> None:
    (path, *_) = symoro.pid("planar2r", 5.0).emit("latex", tmp_path)
    assert "next" in path.read_text(encoding="utf-8")


def test_a_law_in_a_loop_of_c_with_its_state(tmp_path: Path) -> None:
    """A program as a user writes it: z is handed from call to call, and the integral grows by T K_I e in each."""
    control = symoro.pid("planar2r", KP=10.0, KD=1.0, KI=4.0)
    control.emit("c", tmp_path, period=0.01)
    (tmp_path / "user.c").write_text(
        """
        #include "planar2r_pid.h"
        #include <stdio.h>
        int main(void)
        {
            planar2r_pid_setup setup;
            double q[2] = {0}, qd[2] = {0}, qr[2] = {0.5, -0.25}, z[2] = {0}, next_z[2], GAM[2];
            planar2r_pid_set_up(&planar2r_pid_default_parameters, &setup);
            for (int k = 0; k < 100; k++) {
                planar2r_pid(&setup, q, qd, qr, qd, qd, z, GAM, next_z);
                z[0] = next_z[0];
                z[1] = next_z[1];
            }
            printf("%.15g %.15g %.15g\\n", z[0], z[1], GAM[0]);
            return 0;
        }
        """
    )
    command = "cc -std=c99 -Wall -Werror user.c planar2r_pid.c -lm -o user && ./user"
    said = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert_close([float(x) for x in said.split()], [2.0, -1.0, 10 * 0.5 + 99 * 0.01 * 4 * 0.5], 1e-12)


@pytest.mark.parametrize("period", [0.0, -1.0, float("nan"), float("inf")])
def test_periods_that_are_refused(period: float, tmp_path: Path) -> None:
    with raised("options.value"):
        symoro.pid("planar2r", 5.0).emit("c", tmp_path, period=period)
    assert not list(tmp_path.iterdir())
