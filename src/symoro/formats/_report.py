"""Collects the problems that a reader finds, and makes the result of reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from symoro.errors import FormatError, Problem, Severity, ValueSyntaxError
from symoro.robot.check import findings
from symoro.robot.robot import Robot
from symoro.robot.snap import snap
from symoro.robot.values import Value, parse

MAX_TEXT = 2_000_000
"""The most characters that a file may have."""
MAX_FRAMES = 2000
"""The most frames that a robot in a file may have."""
_MAX_PROBLEMS = 200

LineOf = Callable[[str, int | None], int | None]
"""Gives the line of a file for the name of a field and the index of a joint."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A robot, and the warnings and notes of its reader (`robot.notes` has them as texts)."""

    robot: Robot
    problems: tuple[Problem, ...] = ()


class Report:
    """Collects the problems of one file, so that one error reports all of them."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def add(self, severity: Severity, message: str, line: int | None = None, joint: int | None = None) -> None:
        self.problems.append(Problem(message, self.file, line, joint, severity))

    def error(self, message: str, line: int | None = None, joint: int | None = None) -> None:
        self.add("error", message, line, joint)

    def warning(self, message: str, line: int | None = None, joint: int | None = None) -> None:
        self.add("warning", message, line, joint)

    def note(self, message: str, line: int | None = None, joint: int | None = None) -> None:
        self.add("note", message, line, joint)

    def value(self, name: str, text: str, line: int | None, joint: int | None = None) -> Value | None:
        """The value of a text; None, with an error in the report, if the text is not a value."""
        try:
            return parse(text)
        except ValueSyntaxError as error:
            self.error(f"{name}: {error}", line, joint)
            return None

    def raise_errors(self) -> None:
        """Raise `FormatError` with every problem, if one of them is an error."""
        if any(problem.severity == "error" for problem in self.problems):
            problems = [problem for problem in self.problems if problem.severity != "note"]
            raise FormatError(sorted(problems, key=lambda problem: problem.severity != "error")[:_MAX_PROBLEMS])

    def size(self, text: str) -> None:
        """Raise an error if the text is too long."""
        if len(text) > MAX_TEXT:
            self.error(f"the file has {len(text)} characters (at most {MAX_TEXT})")
            self.raise_errors()

    def finish(self, robot: Robot, line_of: LineOf) -> Reading:
        """If there is no error so far: make numbers exact, check the robot, and return it with its problems."""
        self.raise_errors()
        robot, notes = snap(robot)
        for note in notes:
            name = note.message.partition(":")[0]
            self.note(note.message, line_of(name, note.joint), note.joint)
        for finding in findings(robot):
            line = line_of(finding.where, finding.joint)
            self.add(finding.severity, finding.message, line, finding.joint)
        self.raise_errors()
        problems = tuple(self.problems)
        return Reading(replace(robot, notes=tuple(map(str, problems))), problems)
