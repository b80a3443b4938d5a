"""Collects the problems that a reader finds, and makes the result of reading."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from symoro.errors import FormatError, ValueSyntaxError
from symoro.findings import Finding
from symoro.robot.check import check
from symoro.robot.robot import Robot
from symoro.robot.symbolic import snap
from symoro.robot.values import Symbol, Value, is_zero, parse, symbols, to_text

MAX_TEXT = 2_000_000
"""The most characters that a file may have."""
MAX_FRAMES = 2000
"""The most frames that a robot in a file may have."""
_MAX_PROBLEMS = 200


class FileLine(int):
    """The number of a line in a file that may be another one than that which is read: an included file."""

    file: str | None

    def __new__(cls, number: int, file: str | None = None) -> FileLine:
        line = super().__new__(cls, number)
        line.file = file
        return line


LineOf = Callable[[str, int | None], int | None]
"""Gives the line of a file for the name of a field and the index of a joint."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A robot, and the warnings and notes of its reader (`robot.notes` has them as texts)."""

    robot: Robot
    problems: tuple[Finding, ...] = ()


class Report:
    """Collects the problems of one file, so that one error reports all of them."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.problems: list[Finding] = []

    def add(self, finding: Finding, line: int | None = None, joint: int | None = None) -> None:
        file = line.file if isinstance(line, FileLine) else self.file
        self.problems.append(finding.at(file=file, line=line, joint=finding.place.joint if joint is None else joint))

    def value(self, name: str, text: str, line: int | None, joint: int | None = None) -> Value | None:
        """The value of a text; None, with an error in the report, if the text is not a value."""
        try:
            return parse(text)
        except ValueSyntaxError as error:
            self.add(Finding("files.key", key=name, reason=error.finding), line, joint)
            return None

    def raise_errors(self) -> None:
        """Raise `FormatError` with every problem, if one of them is an error."""
        if any(problem.severity == "error" for problem in self.problems):
            problems = [problem for problem in self.problems if problem.severity != "note"]
            raise FormatError(sorted(problems, key=lambda problem: problem.severity != "error")[:_MAX_PROBLEMS])

    def size(self, text: str) -> None:
        """Raise an error if the text is too long."""
        if len(text) > MAX_TEXT:
            self.add(Finding("files.long_text", count=len(text), most=MAX_TEXT))
            self.raise_errors()

    def finish(self, robot: Robot, line_of: LineOf) -> Reading:
        """If there is no error so far: make numbers exact, check the robot, and return it with its problems."""
        self.raise_errors()
        robot, notes = snap(robot)
        for finding in (*notes, *check(robot)):
            self.add(finding, line_of(finding.place.cell, finding.place.joint))
        return self.reading(robot)

    def reading(self, robot: Robot) -> Reading:
        """The robot with its problems, if none is an error."""
        self.raise_errors()
        problems = tuple(self.problems)
        return Reading(replace(robot, notes=tuple(map(str, problems))), problems)


# Finds which symbol of a joint's position is the joint's variable.


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

    def find(self, named: Mapping[int, str], report: Report, line_of: LineOf) -> dict[int, str]:
        """The variable of each joint that has one; `named` are variables that the file names."""
        self.taken = self.taken | set(named.values())
        variables = dict(named)
        waiting = [index for index in self.positions if index not in named]
        for index in [i for i in waiting if is_zero(self.positions[i])]:
            variables[index] = self.fresh(index)
        alone = {index: value.name for index, value in self.positions.items() if isinstance(value, Symbol)}
        for index in waiting:
            if alone.get(index) in self.possible[index] - set(variables.values()):
                variables[index] = alone[index]
        while ready := [i for i in waiting if i not in variables and len(self._left(i, variables)) == 1]:
            (variables[ready[0]],) = self._left(ready[0], variables)
        for index in waiting:
            if index not in variables and (self._left(index, variables) or not self.possible[index]):
                self._refuse(index, sorted(self._left(index, variables)), report, line_of)
        return {index: variables[index] for index in self.positions if index in variables}

    def _left(self, index: int, variables: Mapping[int, str]) -> set[str]:
        """The symbols that can be the variable of a joint and are not that of another."""
        return set(self.possible[index]) - set(variables.values())

    def _refuse(self, index: int, names: list[str], report: Report, line_of: LineOf) -> None:
        reason = Finding("files.symbols", count=len(names), names=names) if names else Finding("files.no_symbol")
        position = to_text(self.positions[index])
        report.add(
            Finding("files.no_variable", position=position, reason=reason, joint=index),
            line_of("variable", index),
            index,
        )
