"""Finds which symbol of a joint's position is the joint's variable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from symoro.formats._report import LineOf, Report
from symoro.robot.values import Value, is_zero, symbols, to_text


class Variables:
    """Finds the variables of the movable joints.

    The variable is the symbol of the position that occurs nowhere else and has no number. If the position is 0, it is
    replaced by a variable with the name q<j> (with a _ if that name is taken).
    """

    def __init__(self, positions: Mapping[int, Value], others: Iterable[Value], known: Collection[str] = ()) -> None:
        self.positions = positions
        self.known = frozenset(known)
        self.counts = Counter(name for value in (*positions.values(), *others) for name in symbols(value))
        self.taken = set(self.counts) | self.known

    def candidates(self, index: int) -> list[str]:
        """The symbols that can be the variable of a joint whose position is not 0."""
        names = symbols(self.positions[index]) - self.known
        return sorted(name for name in names if self.counts[name] == 1)

    def fresh(self, index: int) -> str:
        """A new name for the variable of a joint whose position is 0."""
        name = f"q{index}"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def find(self, given: Mapping[int, str], report: Report, line_of: LineOf) -> dict[int, str]:
        """The variable of each joint; `given` are variables that the file names."""
        self.taken.update(given.values())
        found: dict[int, str] = {}
        for index, position in self.positions.items():
            if index in given:
                found[index] = given[index]
            elif is_zero(position):
                found[index] = self.fresh(index)
            elif len(names := self.candidates(index)) == 1:
                found[index] = names[0]
            else:
                reason = f"{len(names)} symbols ({', '.join(names)})" if names else "no symbol"
                report.error(
                    f"its variable cannot be determined: {to_text(position)} has {reason} that occur nowhere else "
                    f"(allowed: 0, or an expression such as q{index} + pi/2 with one such symbol)",
                    line_of("variable", index),
                    index,
                )
        return found
