"""How recordings become rows of the regression: cut-off frequency, decimation, delay, dead zone, borders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symoro.errors import OptionError
from symoro.identification.processing.filtering import ORDER, stages

MODELS = ("dynamic", "filtered", "energy")


@dataclass(frozen=True)
class Processing:
    """Numbers of the processing; a figure of merit is stated together with them.

    `cutoff` (Hz) is that of the filter of positions, None for none. `delay` is read off the positions: they are taken
    that many seconds later, because a torque that is held from one sample to the next belongs to the time between.
    """

    cutoff: float | None = None
    decimation: int | None = None
    delay: float = 0.0
    dead_zone: tuple[float, ...] = ()
    """Rows of a joint that is slower are left out: friction at rest is not in the model. One number for each row."""
    border: int = 5 * ORDER
    """Samples that are left out at both ends of a run."""
    lags: tuple[float, ...] = ()
    """Delays of single rows beside that of all: the torque is taken that many seconds earlier. One for each row."""
    model: str = "dynamic"
    """Which identification model gives the rows: dynamic, filtered or energy."""
    notes: tuple[str, ...] = ()
    """What is to be said about the choice of these numbers."""

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise OptionError(f"model = {self.model!r} is not allowed (allowed: {', '.join(MODELS)})")
        if self.decimation is not None:
            if isinstance(self.decimation, bool) or not isinstance(self.decimation, int):
                raise OptionError(f"decimation = {self.decimation!r} is not a whole number")
            stages(self.decimation)
        if not np.isfinite([self.delay, *self.lags]).all() or not np.isfinite(self.dead_zone).all():
            raise OptionError("delay and dead_zone: a number is not finite (allowed: seconds and speeds)")

    def dead_zone_of(self, joint: int, count: int) -> float:
        """The slowest speed of a row that is kept."""
        if not self.dead_zone:
            return 0.0
        return self.dead_zone[joint] if len(self.dead_zone) == count else self.dead_zone[0]

    def delay_of(self, joint: int) -> float:
        """The delay between the torque of a row and the motion."""
        return self.delay + (self.lags[joint] if self.lags else 0.0)

    def describe(self, rate: float, names: Sequence[str]) -> str:
        """One line: rate, cut-off, decimation, delay and which rows were left out."""
        factor = self.decimation or 1
        parts = [f"{rate:.6g} Hz", f"cut-off {self.cutoff:.4g} Hz" if self.cutoff else "positions not filtered"]
        if self.model == "energy":
            parts.append(f"energy over intervals of {1e3 * factor / rate:.4g} ms")
        else:
            parts += [f"decimated by {factor} to {rate / factor:.6g} Hz"] if factor > 1 else []
            parts += ["filtered model"] if self.model == "filtered" else []
        parts += [f"positions read {1e3 * self.delay:.3g} ms later"] if self.delay else []
        if any(self.lags):
            parts.append(f"torques read {', '.join(f'{1e3 * x:.3g}' for x in self.lags)} ms earlier")
        if any(self.dead_zone):
            limits = ", ".join(f"{self.dead_zone_of(k, len(names)):.3g}" for k in range(len(names)))
            parts.append(f"rows slower than {limits} left out")
        return ", ".join(parts)
