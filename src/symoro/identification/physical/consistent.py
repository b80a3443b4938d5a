"""Physically consistent parameters, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from symoro.identification.arrays import Array


@dataclass(frozen=True)
class Consistent:
    """Standard parameters of bodies that can exist, as near to the data as they can be."""

    standard: Array = field(repr=False)
    beta: Array = field(repr=False)
    """The parameters of the regression that follow from them."""
    others: dict[str, float]
    """Parameters of friction and drives."""
    error: float
    """Relative error of the torques."""
    loss: float
    """How much larger the relative error is than without the conditions."""
    smallest: dict[int, float]
    """The smallest eigenvalue of the pseudo-inertia of each link; all are positive."""
    added: dict[tuple[str, int], float] = field(default_factory=dict)
    """Parameters without effect on the torques that the description has as 0, and that a body needs."""
    status: str = "optimal"
    what: str = "error"
    """Words for the error: that of the measured rows, or that of simulated torques."""

    def __str__(self) -> str:
        least = min(self.smallest.values(), default=float("nan"))
        return (
            f"physically consistent: {self.what} {100 * self.error:.4g} %, {100 * self.loss:.2g} points more; "
            f"smallest eigenvalue of a pseudo-inertia {least:.2g}"
        )
