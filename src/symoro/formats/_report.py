"""What a reader finds on its way, and what comes out at the end."""

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
"""From a field's name and a joint's index to the line where the file says it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A robot, and the warnings and notes that reading it gave (`robot.notes` has them as texts)."""

    robot: Robot
    problems: tuple[Problem, ...] = ()


class Report:
    """Gathers the problems of one file, so that all are told in one go."""

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
        """The value of a text, None with an error where it is none."""
        try:
            return parse(text)
        except ValueSyntaxError as error:
            self.error(f"{name}: {error}", line, joint)
            return None

    def raise_errors(self) -> None:
        """Raise `FormatError` with every problem where one is an error."""
        if any(problem.severity == "error" for problem in self.problems):
            problems = [problem for problem in self.problems if problem.severity != "note"]
            raise FormatError(sorted(problems, key=lambda problem: problem.severity != "error")[:_MAX_PROBLEMS])

    def size(self, text: str) -> None:
        """Refuse a text that is too long to be a robot."""
        if len(text) > MAX_TEXT:
            self.error(f"the file has {len(text)} characters (at most {MAX_TEXT})")
            self.raise_errors()

    def finish(self, robot: Robot, line_of: LineOf) -> Reading:
        """Where nothing was wrong so far: make numbers exact, check the robot, and report."""
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
