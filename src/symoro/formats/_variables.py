"""Finds which symbol of a joint's position is the joint's variable."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from symoro.formats._report import LineOf, Report
from symoro.robot.values import Symbol, Value, is_zero, symbols, to_text


class Variables:
    """Finds the variables of the movable joints.

    A variable is a symbol without a number that occurs in positions of joints only. It belongs to the joint whose
    position is that symbol alone, else to the first joint whose position has no other symbol that could be its own.
    A joint whose position has variables of other joints only follows them and has none of its own. A position that is 0
    is replaced by a variable with the name q<j> (with a _ if that name is taken).
    """

    def __init__(self, positions: Mapping[int, Value], others: Iterable[Value], known: Collection[str] = ()) -> None:
        self.positions = positions
        elsewhere = {name for value in others for name in symbols(value)} | set(known)
        self.possible = {index: symbols(value) - elsewhere for index, value in positions.items()}
        self.taken = elsewhere

    def fresh(self, index: int) -> str:
        """The variable of a joint whose position is 0: q<j>, which positions of other joints may have, too."""
        name = f"q{index}"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def find(self, given: Mapping[int, str], report: Report, line_of: LineOf) -> dict[int, str]:
        """The variable of each joint that has one; `given` are variables that the file names."""
        self.taken = self.taken | set(given.values())
        found = dict(given)
        waiting = [index for index in self.positions if index not in given]
        for index in [i for i in waiting if is_zero(self.positions[i])]:
            found[index] = self.fresh(index)
        alone = {index: value.name for index, value in self.positions.items() if isinstance(value, Symbol)}
        for index in waiting:
            if alone.get(index) in self.possible[index] - set(found.values()):
                found[index] = alone[index]
        while ready := [i for i in waiting if i not in found and len(self._left(i, found)) == 1]:
            (found[ready[0]],) = self._left(ready[0], found)
        for index in waiting:
            if index not in found and (self._left(index, found) or not self.possible[index]):
                self._refuse(index, sorted(self._left(index, found)), report, line_of)
        return {index: found[index] for index in self.positions if index in found}

    def _left(self, index: int, found: Mapping[int, str]) -> set[str]:
        """The symbols that can be the variable of a joint and are not that of another."""
        return set(self.possible[index]) - set(found.values())

    def _refuse(self, index: int, names: list[str], report: Report, line_of: LineOf) -> None:
        reason = f"{len(names)} symbols ({', '.join(names)})" if names else "no symbol"
        report.error(
            f"its variable cannot be determined: {to_text(self.positions[index])} has {reason} that could be it "
            f"(allowed: 0, or an expression such as q{index} + pi/2 with one symbol that has no number and occurs only "
            "in the positions of joints)",
            line_of("variable", index),
            index,
        )
