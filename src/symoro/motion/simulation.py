"""The result of a simulation: rows of time, positions, velocities and torques, with what follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from symoro.bind.interface import units
from symoro.errors import NotThere, SymoroError
from symoro.figures import curves
from symoro.findings import Finding
from symoro.lazy import lazy
from symoro.motion.plant import Plant
from symoro.motion.profiles import Array
from symoro.motion.trajectory import Motion
from symoro.robot.robot import Robot
from symoro.runtime.outputs import real_array
from symoro.saving import write_table
from symoro.solve.given import model

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Energy(NamedTuple):
    """Kinetic energy, potential energy of the masses, and that of the springs of elastic joints, of each row."""

    kinetic: Array
    potential: Array
    springs: Array


@dataclass(frozen=True)
class Simulation:
    """A motion of a robot under control: `t`, and rows of `q`, `qd` and `tau` for each time.

    `q` has all variables, `qd` the velocities of the coordinates that constraints leave, `tau` the torques of the
    motors from that time on. Of a batch, arrays are (runs, times, elements); a run that diverges has no numbers (NaN)
    from there on. `ended` is why a run ended early, and `stopped` says it.
    """

    plant: Plant = field(repr=False)
    t: Array = field(repr=False)
    states: Array = field(repr=False)
    """The states of the robot; `part` names their parts."""
    tau: Array = field(repr=False)
    reference: Motion | None = field(default=None, repr=False)
    """The wanted motion of the motors, where there is one."""
    values: Mapping[str, float] = field(default_factory=dict, repr=False)
    """The parameters that differ from those of the robot."""
    ended: Finding | None = field(default=None, repr=False)
    """Why the run ended early: the finding has the tag `failed` where it diverged or the solver gave up."""

    def __repr__(self) -> str:
        runs = f"{self.states.shape[0]} runs of " if self.states.ndim > 2 else ""
        ended = "" if self.ended is None else f", ended early: {self.ended.code}"
        return f"<Simulation of {self.robot.name}: {runs}{self.t[-1]:.4g} s in {len(self.t)} rows{ended}>"

    @property
    def stopped(self) -> str:
        """Why the run ended early, in words; nothing where it did not."""
        return "" if self.ended is None else str(self.ended)

    @property
    def robot(self) -> Robot:
        """The robot as dynamic models take it: a motor and its spring are two joints."""
        return self.plant.robot

    def part(self, name: str) -> Array:
        """A part of the state: q, qd; of a free base position, quat and V0; platform_position, platform_quat and V."""
        if name not in self.plant.places:
            raise SymoroError("simulation.no_part", name=name, allowed=self.plant.places)
        return np.asarray(self.states[..., self.plant.places[name]])

    @property
    def q(self) -> Array:
        return self.part("q")

    @property
    def qd(self) -> Array:
        return self.part("qd")

    @property
    def T(self) -> Array:
        """The pose of the platform of a parallel robot in frame 0, or of a free base in the world: (..., 4, 4)."""
        if not self.plant.coordinates.bodies:
            raise NotThere("simulation.no_free_body", robot=self.robot.name)
        return self.plant.poses(self.states)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables q."""
        return tuple(str(joint.variable) for joint in self.plant.variables)

    @property
    def motors(self) -> tuple[str, ...]:
        """The names of the motors' joints."""
        return tuple(joint.label for joint in self.plant.motor_joints)

    @property
    def motor_q(self) -> Array:
        """The positions of the motors."""
        return np.asarray(self.q[..., self.plant.motor_places("q")])

    @property
    def error(self) -> Array:
        """The wanted positions of the motors less the reached ones."""
        if self.reference is None:
            raise NotThere("simulation.no_reference")
        return np.asarray(self.reference.q - self.motor_q)

    @lazy
    def energy(self) -> Energy:
        """Kinetic and potential energy, and that of springs."""
        energies = model("energies", self.robot).compile()
        outputs = self.plant.called(energies, self.states, self.values)
        return Energy(outputs.E, outputs.U, getattr(outputs, "US", np.zeros_like(outputs.E)))

    def crossings(self, event: Callable[[Array, Array, Array], Any]) -> Array:
        """The times at which event(t, q, qd) changes its sign in one run, between rows by splines through the states.

        `event` takes rows of times, q and qd, and gives a number for each.
        """
        if self.states.ndim != 2:
            raise SymoroError("simulation.events_of_batch")
        if not callable(event):
            raise SymoroError("simulation.event", event=f"{event!r:.60}")
        between = CubicSpline(self.t, self.states)

        def value(t: Any) -> Array:
            time = np.atleast_1d(np.asarray(t, dtype=float))
            y = between(time)
            numbers = event(time, *(y[:, self.plant.places[name]] for name in ("q", "qd")))
            numbers = real_array("what an event gives", numbers)
            if numbers.shape != time.shape:
                raise SymoroError("simulation.event_shape", expected=str(time.shape), shape=str(numbers.shape))
            return np.asarray(numbers)

        x = value(self.t)
        changes = np.flatnonzero((x[:-1] < 0) != (x[1:] < 0))
        return np.array([brentq(lambda t: value(t)[0], self.t[k], self.t[k + 1], xtol=1e-14) for k in changes])

    # tables and pictures

    def columns(self) -> dict[str, Array]:
        """Every column of one run by name: t, the state, the torques, the wanted motion."""
        if self.states.ndim != 2:
            raise SymoroError("simulation.table_of_batch")
        columns = {"t": self.t}
        for name, place in self.plant.places.items():
            size = place.stop - place.start
            labels: Sequence[Any] = self.names if name == "q" else [f"{name}_{k}" for k in range(1, size + 1)]
            columns |= dict(zip(labels, self.states[:, place].T, strict=True))
        columns |= {f"tau_{name}": x for name, x in zip(self.motors, self.tau.T, strict=True)}
        if self.reference is not None:
            columns |= {f"wanted_{name}": x for name, x in zip(self.motors, self.reference.q.T, strict=True)}
        return columns

    def to_csv(self, path: str | Path) -> Path:
        """Write every column into a file with a line of names; its path."""
        return write_table(path, self.columns())

    def to_frame(self) -> Any:
        """Every column as a data frame of polars."""
        try:
            import polars
        except ImportError:
            raise SymoroError("simulation.no_polars") from None
        return polars.DataFrame(self.columns())

    def plot(self, to: str | Path | None = None) -> Figure:
        """Positions of the motors, errors and torques over time, as a matplotlib figure; `to` is a file to write."""
        if self.states.ndim != 2:
            raise SymoroError("simulation.plot_of_batch")
        if not self.motors:
            return curves(self.t, {f"position ({units(self.robot, 'position')})": self.q}, self.names, to=to)
        motors = [joint.index for joint in self.plant.coordinates.motors]
        length, torque = (units(self.robot, quantity, motors) for quantity in ("position", "torque"))
        panels = {f"position ({length})": self.motor_q}
        if self.reference is not None:
            panels[f"error ({length})"] = self.error
        return curves(self.t, {**panels, f"torque ({torque})": self.tau}, self.motors, to=to)
