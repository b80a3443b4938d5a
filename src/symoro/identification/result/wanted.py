"""What is asked of a regression: the method, and what it shall give beside the parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.errors import OptionError
from symoro.identification.estimators.methods import METHODS, SIMULATING
from symoro.identification.physical.consistency import way_of
from symoro.identification.physical.semidefinite import Boxes


@dataclass(frozen=True)
class Wanted:
    """The method and the options of `symoro.identify` that belong to the fit; some exclude each other."""

    method: str = "wls"
    essential: str | None = None
    physical: bool | str = False
    prior: float | None = None
    boxes: Boxes | None = None
    payload: int | None = None
    known: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(f"method = {self.method!r} is not allowed (allowed: {', '.join(METHODS)})")
        if self.simulates and (self.essential or self.payload is not None or self.known):
            raise OptionError(f"method={self.method!r} is not allowed with essential, payload or known")
        if self.prior is not None and self.method != "wls":
            raise OptionError("a prior needs method='wls': its weight is that of rows with known deviations")
        if self.payload is not None and (self.physical or self.prior is not None or self.known):
            raise OptionError("payload is identified alone: without physical, prior and known")
        if self.payload is not None and self.method == "irls":
            raise OptionError("method='irls' is not allowed with payload (allowed: ols, wls, tls)")
        if self.boxes and not self.physical:
            raise OptionError("boxes are conditions of physical=True")
        way_of(self.physical, nonlinear=False)

    @property
    def simulates(self) -> bool:
        """Whether the method simulates the robot under its controller."""
        return self.method in SIMULATING
