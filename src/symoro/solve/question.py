"""Questions of positions, the ways to answer them, and the ladder: the first way that applies answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from symoro.errors import NotApplicable, OptionError, RobotError
from symoro.findings import Finding, ModelArgument
from symoro.models.geometric.frames import FrameRef
from symoro.options import Kind
from symoro.robot.robot import Robot

#: What is wanted for what is given: for a pose, joints of an arm or legs of a platform; for motors, the other joints of
#: closed loops or poses of a platform.
JOINTS, LEGS, PASSIVE, POSES = ("pose", "joints"), ("pose", "legs"), ("motors", "joints"), ("motors", "poses")
AUTO = "auto"
_NO_JOINTS: Mapping[int, str] = {}


@dataclass(frozen=True, slots=True)
class RedundantInputs:
    """What a redundant arm is given beside the pose: joints by name, or the name of the arm angle."""

    joints: Mapping[int, str]
    arm: str = ""

    @classmethod
    def of(cls, robot: Robot, redundant: Mapping[int | str, str]) -> RedundantInputs:
        """The arm angle is `arm`, unless a joint has this name."""
        if "arm" in redundant and "arm" not in {joint.name for joint in robot.joints}:
            if len(redundant) > 1:
                raise OptionError(
                    "positions.redundant_arm", option=ModelArgument("redundant"), value=str(dict(redundant))
                )
            return cls({}, redundant["arm"])
        try:
            return cls({robot.joint(joint).index: name for joint, name in redundant.items()})
        except RobotError as error:
            raise OptionError(
                "positions.redundant_joint",
                option=ModelArgument("redundant"),
                value=str(dict(redundant)),
                reason=error.finding,
            ) from None


class GivenJoints(Kind):
    """Joints that are given, each with the name of its input."""

    annotation = "Mapping[int | str, str]"

    def accepts(self, value: Any, about: Any = None) -> bool:
        return isinstance(value, Mapping) and all(_is_name(name) for name in value.values())

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [Finding("positions.names_of_inputs", example="{3: 'q3'}")]

    def field(self) -> dict[str, Any]:
        return {"kind": "given"}


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name.isascii() and name.isidentifier()


@dataclass(frozen=True, slots=True)
class Question:
    """Which positions of a robot are wanted for which given ones.

    `kind` is one of `JOINTS`, `LEGS`, `PASSIVE` and `POSES`. For the joints of an arm, `frame` is the frame that has
    the pose, `task` what of the pose is wanted, and `beside` are joints that are given, too. `method` names a way.
    """

    robot: Robot
    kind: tuple[str, str]
    frame: FrameRef | None = None
    task: str | None = None
    beside: RedundantInputs = RedundantInputs(_NO_JOINTS)
    method: str = AUTO


#: Why a way is not for a question; None where it is.
Reason = Finding | None
#: The reason that is not worth telling.
NOT_TOLD = Finding("ways.not_told")


def by_way(name: str, reason: Finding) -> Finding:
    """A reason with the name of its way."""
    return Finding("ways.reason", way=Finding(f"terms.{name.replace(' ', '_')}"), reason=reason)


def _single(reason: Finding) -> Sequence[Finding]:
    """The reasons of which one consists."""
    return reason.fields["problems"] if reason.code == "errors.problems" else (reason,)


class Way(NamedTuple):
    """A way to answer questions of one kind.

    `applies` says why the way is not for a question, None where it is; `NOT_TOLD` where it is not worth telling.
    `solve` makes the answer: for a pose a model, for motors a function of their positions. It raises `NotApplicable`
    where the way turns out not to be for this robot. `methods` are the names by which users choose it.
    """

    name: str
    kind: tuple[str, str]
    applies: Callable[[Question], Reason]
    solve: Callable[[Question], Any]
    methods: Sequence[str] = ()


class Doubtful(NotApplicable):
    """An answer that lost digits where it was tried: it is given only where no other way has one."""

    def __init__(self, reason: Finding, answer: Any) -> None:
        super().__init__(reason)
        self.answer = answer


class Ladder:
    """The ways that apply to a question in their order, each made when it is asked for.

    `reasons` has the ways that did not apply, with the reason of each.
    """

    def __init__(self, question: Question, ways: Sequence[Way]) -> None:
        self.question, self.reasons = question, list[tuple[str, Finding]]()
        of_kind = [way for way in ways if way.kind == question.kind]
        named = question.method != AUTO
        self._left = [way for way in of_kind if not named or question.method in way.methods]
        self._answers: list[tuple[str, Any]] = []
        self._doubtful: list[tuple[str, Any]] = []

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """The name of each way and what it makes of the question."""
        k = 0
        while k < len(self._answers) or self._climb():
            yield self._answers[k]
            k += 1

    def first(self) -> Any:
        """The answer of the first way; `NotApplicable` with the reasons where there is none."""
        for _, answer in self:
            return answer
        raise NotApplicable("errors.problems", problems=self.refusal())

    def refusal(self) -> list[Finding]:
        """Why no way applies: one reason where it is that of all."""
        of_ways = [(name, one) for name, reason in self.reasons for one in _single(reason)]
        if len(of_ways) > 1 and all(one == of_ways[0][1] for _, one in of_ways):
            return [of_ways[0][1]]
        reasons: list[Finding] = []
        for name, reason in of_ways:
            one = by_way(name, reason) if name else reason
            reasons += [] if one in reasons else [one]
        return reasons

    def _climb(self) -> bool:
        """Make the next answer; whether there is one."""
        while self._left:
            way = self._left.pop(0)
            label = way.name if self.question.method == AUTO else self.question.method
            if (reason := way.applies(self.question)) is not None:
                self.reasons += [] if reason == NOT_TOLD else [("", reason)]
                continue
            try:
                self._answers.append((way.name, way.solve(self.question)))
            except Doubtful as doubt:
                self.reasons.append((label, doubt.finding))
                self._doubtful.append((way.name, doubt.answer))
            except NotApplicable as refused:
                self.reasons.append((label, refused.finding))
            else:
                return True
        if self._doubtful:
            self._answers.append(self._doubtful.pop(0))
            return True
        return False
