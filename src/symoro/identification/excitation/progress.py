"""What the search for an exciting motion says while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from symoro.models.progress import say

_SECONDS = 3.0
"""Time between two lines."""


@dataclass
class Progress:
    """Counts the steps of a local search, and says now and then how far it is."""

    name: str
    steps: int = 0
    said: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        say(self.name)

    def __call__(self, x: np.ndarray) -> None:
        """A step was done."""
        self.steps += 1
        if monotonic() - self.said >= _SECONDS:
            self.said = monotonic()
            say(f"{self.name}, step {self.steps}")
