"""The exception tree.

SymoroError
├── RobotError               a robot's description is wrong
│   ├── ValueSyntaxError     a value such as "2*L1 +" cannot be read
│   ├── FormatError          a file cannot be read (carries every problem found)
│   ├── CheckError           a description is inconsistent (carries every problem found)
│   ├── UnknownRobot         no such robot in the library and no such file
├── ModelError               a model cannot be made
│   ├── UnknownModel         no such model in the catalogue
│   ├── NotApplicable        the model does not exist for this robot, with the reason
│   └── OptionError          an option has a value that is not allowed
├── NotThere                 what an object does not have is asked of it
├── CannotClose              no configuration closes the loops, or the branch that was followed ends
├── ProgramError             a program breaks the rules of `ir.spec`
├── ParameterError           parameter values are wrong
│   └── MissingParameter     parameters without a value, named
├── ShapeError               an array has the wrong shape
├── InputError               an array has numbers that are not allowed, such as NaN
├── MotionError              a motion is described wrongly, or no motion keeps its limits
├── DataError                measurements cannot be read, or cannot be what they are said to be
└── TargetError              a target or a backend does not exist, or cannot do the request

LoopWarning (a UserWarning)  a result with closed loops that is probably not what was meant
SamplingWarning (a UserWarning)  a controller whose period is long beside its frequency
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symoro.findings import Finding


class _WithFinding:
    """What errors and warnings have: the finding that they say."""

    args: tuple[Any, ...]

    @property
    def finding(self) -> Finding:
        content = self.args[0] if self.args else ""
        return content if isinstance(content, Finding) else Finding(str(content))

    def __str__(self) -> str:
        return str(self.finding)


class SymoroError(_WithFinding, Exception):
    """The base class of all errors that symoro raises itself: a code with its fields, or a finding."""

    def __init__(self, code: str | Finding = "", /, **fields: Any) -> None:
        super().__init__(code if isinstance(code, Finding) else Finding(code, **fields))


class RobotError(SymoroError, ValueError):
    """A robot's description is wrong."""


class ValueSyntaxError(RobotError):
    """The text of a value cannot be read."""


class _WithProblems(RobotError):
    """An error that carries every problem that was found."""

    def __init__(self, problems: Iterable[Finding]) -> None:
        self.problems = tuple(problems)
        super().__init__("errors.problems", problems=self.problems)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,)


class FormatError(_WithProblems):
    """A file cannot be read."""


class CheckError(_WithProblems):
    """A description is inconsistent."""


class UnknownRobot(RobotError):
    """No such robot in the library and no such file."""


class NotThere(SymoroError, AttributeError):
    """What an object does not have is asked of it: for `hasattr`, it is not there."""


class ModelError(SymoroError):
    """A model cannot be made."""


class UnknownModel(ModelError):
    """No such model in the catalogue."""


class NotApplicable(ModelError):
    """The model does not exist for this robot."""


class OptionError(ModelError, ValueError):
    """An option has a value that is not allowed."""


class CannotClose(SymoroError):
    """No configuration closes the loops of a robot."""


class ProgramError(SymoroError):
    """A program breaks the rules of `ir.spec`."""


class ParameterError(SymoroError, ValueError):
    """Parameter values are wrong."""


GIVE_VALUES = Finding("errors.give_values")


class MissingParameter(ParameterError):
    """Parameters without a value."""

    def __init__(self, names: Iterable[str], how: str | Finding = GIVE_VALUES) -> None:
        self.names = tuple(names)
        super().__init__("errors.no_value", names=self.names, how=how)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.names, self.finding.fields["how"])


class ShapeError(SymoroError, ValueError):
    """An array has the wrong shape."""


class InputError(SymoroError, ValueError):
    """An array has numbers that are not allowed."""


class MotionError(SymoroError, ValueError):
    """A motion is described wrongly, or no motion keeps its limits."""


class DataError(SymoroError, ValueError):
    """Measurements cannot be read, or cannot be what they are said to be."""


class TargetError(SymoroError):
    """A target or a backend does not exist, or cannot do the request."""


class LoopWarning(_WithFinding, UserWarning):
    """Loops that are open or at a dead point in a model, or a batch that does not stay on one branch."""


class SamplingWarning(_WithFinding, UserWarning):
    """A controller acts so seldom that its loop is not what its gains say: it may be unstable."""
