"""A problem that a rule of `check` has found."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import Problem, Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem, and the field of the description where it is; the reader of a file finds the line by this field.

    In a leg of a parallel robot, `leg` is its number from 1, and `joint` is a joint of that leg.
    """

    message: str
    joint: int | None = None
    where: str = ""
    severity: Severity = "error"
    leg: int = 0

    @property
    def problem(self) -> Problem:
        """What is said: the message of a problem in a leg names the joint itself."""
        return Problem(self.message, joint=None if self.leg else self.joint, severity=self.severity)


def has_control_character(name: str) -> bool:
    """Whether a name has a NUL, a newline or another control character, which neither files nor code can carry."""
    return any(letter < " " or "\x7f" <= letter <= "\x9f" for letter in name)
