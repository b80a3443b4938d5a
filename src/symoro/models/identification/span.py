"""Subspaces of rows in reduced echelon form: each basis row has a 1 where the others have nothing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from symoro.models.identification.coefficients import Coefficient
from symoro.models.identification.inertia import accumulate

K = TypeVar("K", bound=Hashable)


class Span(Generic[K]):
    """A subspace that grows by rows. `order` says which columns are pivots first; `most` is its largest dimension."""

    def __init__(
        self, order: Sequence[K], rows: Iterable[Mapping[K, Coefficient]] = (), most: int | None = None
    ) -> None:
        self.order = order
        self.most = len(order) if most is None else most
        self._basis: dict[K, dict[K, Coefficient]] = {}
        for row in rows:
            self.include(row)

    @property
    def basis(self) -> Mapping[K, dict[K, Coefficient]]:
        """Pivot and row, in the order of the columns."""
        return {name: self._basis[name] for name in self.order if name in self._basis}

    @property
    def full(self) -> bool:
        return len(self._basis) >= self.most

    def include(self, row: Mapping[K, Coefficient]) -> None:
        """Grow by a row."""
        if self.full:
            return
        rest = self.reduced(row)
        pivot = self._pivot(rest)
        if pivot is None:
            return
        lead = rest[pivot]
        new = rest if lead.is_one else {name: x / lead for name, x in rest.items()}
        for other in self._basis.values():
            if pivot in other:
                accumulate(other, -other[pivot], new)
        self._basis[pivot] = new

    def _pivot(self, row: Mapping[K, Coefficient]) -> K | None:
        """The first column with a number, so that nothing is divided by a symbol that may be 0; else the first."""
        columns = [name for name in self.order if name in row]
        return next((name for name in columns if row[name].is_number), next(iter(columns), None))

    def reduced(self, row: Mapping[K, Coefficient]) -> dict[K, Coefficient]:
        """The row less what the subspace has of it: nothing is left at the pivots."""
        rest = dict(row)
        for pivot, own in self._basis.items():
            if pivot in row:
                accumulate(rest, -row[pivot], own)
        return rest
