"""The shapes of requests. What does not fit is answered by status 422, before anything is done with it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from symoro.findings import Language

MAX_JOINTS = 200
MAX_LEGS = 20
Text = Annotated[str, StringConstraints(max_length=400)]
Source = Annotated[str, StringConstraints(max_length=20_000)]
Name = Annotated[str, StringConstraints(max_length=200)]
Index = Annotated[int, Field(ge=-1, le=10_000)]
Table = Annotated[dict[Name, Text], Field(max_length=40)]
Row = Annotated[list[Text], Field(max_length=MAX_JOINTS)]
Rows = Annotated[list[Row], Field(max_length=MAX_JOINTS)]
Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e6, le=1e6)]
OptionValue = bool | int | Text | None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class JointRow(_Strict):
    """A row of the tables; every value is a text as it is typed into a cell."""

    name: Name
    parent: Index
    kind: Literal["revolute", "prismatic", "fixed"] = "revolute"
    actuated: bool = True
    elastic: bool = False
    gamma: Text = "0"
    b: Text = "0"
    alpha: Text = "0"
    d: Text = "0"
    theta: Text = "0"
    r: Text = "0"
    variable: Text | None = None
    stiffness: Text = "0"
    rest: Text = "0"
    limits: Table = {}
    inertia: Table = {}
    drive: Table = {}
    wrench: Table = {}
    motion: Table = {}


class WheelRow(_Strict):
    joint: Index
    radius: Text


class BaseRow(_Strict):
    kind: Literal["fixed", "moving", "floating", "mobile"] = "fixed"
    pose: Rows | None = None
    V0: Row | None = None
    VP0: Row | None = None
    inertia: Table = {}
    wrench: Table = {}
    wheels: Annotated[list[WheelRow], Field(max_length=MAX_JOINTS)] = []


class CutRow(_Strict):
    joint: Index
    mate: Index


class FrameRow(_Strict):
    name: Name
    link: Index
    pose: Rows | None = None


class LegRow(_Strict):
    """A leg: how many rows of joints are its own, those that close its loops, and its attachment on the platform.

    `end` is the frame of the leg that is attached, by its number or its name; None is that of its last link.
    """

    name: Name = "leg"
    title: Name = ""
    source: Source = ""
    kind: Literal["spherical", "universal", "revolute", "prismatic", "fixed"] = "spherical"
    pose: Rows
    end: Index | Name | None = None
    joints: Annotated[int, Field(ge=1, le=MAX_JOINTS)]
    closing: Annotated[list[JointRow], Field(max_length=MAX_JOINTS)] = []


class Parallel(_Strict):
    """What makes a robot parallel: a platform, and legs, whose joints are the first rows of the document, in order.

    The platform is the link behind the last row: rows behind those of the legs may have it as their antecedent.
    """

    home: Rows
    branch: Annotated[list[Index], Field(max_length=MAX_LEGS)] | None = None
    inertia: Table = {}
    wrench: Table = {}
    legs: Annotated[list[LegRow], Field(max_length=MAX_LEGS)]


class Document(_Strict):
    """A robot as the page edits it."""

    name: Name
    title: Name = ""
    source: Source = ""
    gravity: Row = ["0", "0", "G3"]
    given: Literal["joints", "platform", "motors"] | None = None
    home: Annotated[dict[Name, Text], Field(max_length=MAX_JOINTS)] = {}
    base: BaseRow = BaseRow()
    joints: Annotated[list[JointRow], Field(max_length=MAX_JOINTS)]
    cuts: Annotated[list[CutRow], Field(max_length=MAX_JOINTS)] = []
    frames: Annotated[list[FrameRow], Field(max_length=MAX_JOINTS)] = []
    coupling: Rows = []
    values: Annotated[dict[Name, Text], Field(max_length=10_000)] = {}
    parallel: Parallel | None = None

    @property
    def legs(self) -> list[LegRow]:
        return self.parallel.legs if self.parallel else []

    @property
    def in_legs(self) -> int:
        """The number of joints in legs: of so many rows that are first."""
        return sum(leg.joints for leg in self.legs)

    @model_validator(mode="after")
    def _legs_have_their_rows(self) -> Self:
        if self.parallel is None:
            return self
        if self.in_legs > len(self.joints):
            raise ValueError("the legs have more joints than the table has rows")
        if any(len(leg.closing) % 2 for leg in self.parallel.legs):
            raise ValueError("closing: each cut joint of a leg has a mate")
        if self.cuts or self.coupling:
            raise ValueError("a parallel robot has neither cuts nor a coupling beside its legs")
        return self


class ReadFile(_Strict):
    """A file that was dropped on the page; its suffix says the format."""

    name: Name
    text: Annotated[str, StringConstraints(max_length=2_000_000)]


class OfRobot(_Strict):
    robot: Document


class WriteFile(OfRobot):
    suffix: Literal[".toml", ".par", ".csv", ".urdf", ".xml", ".sdf"]


class Wanted(OfRobot):
    """A model of a robot: a name of the catalogue, or `inverse_geometry`."""

    model: Name
    options: Annotated[dict[Name, OptionValue], Field(max_length=20)] = {}


class KnownModel(Wanted):
    """A model, and the job that has made it already: it need not be made again then."""

    job: Name = ""


Numbers = Annotated[dict[Name, Number], Field(max_length=MAX_JOINTS)]
Pose = Annotated[list[Number], Field(min_length=12, max_length=12)]
JointNumber = Annotated[int, Field(ge=1, le=MAX_JOINTS)]


class BranchesAtPose(OfRobot):
    """A pose whose branches the general method shall find: three rows of four numbers.

    Of an arm with more than six joints, `given` are joints and their positions.
    """

    pose: Pose
    given: Annotated[dict[JointNumber, Number], Field(max_length=MAX_JOINTS)] = {}


class Chosen(_Strict):
    """A model of a report, and the job that made it."""

    model: Name
    options: Annotated[dict[Name, OptionValue], Field(max_length=20)] = {}
    job: Name = ""


class WantedReport(OfRobot):
    """A report of the work: the robot, models, and the state of its joints by the names of their variables."""

    kind: Literal["html", "pdf", "ipynb"]
    models: Annotated[list[Chosen], Field(max_length=20)] = []
    q: Numbers = {}
    qd: Numbers = {}
    qdd: Numbers = {}
    language: Language = "en"


class Code(KnownModel):
    """A model as code."""

    target: Name


class Play(OfRobot):
    """A motion of the motors from one configuration to another, followed exactly or under a controller.

    That of a platform goes between two poses, `poses`, each three rows of four numbers; `start` and `end` are then of
    joints that belong to no leg. `offset` is how far from the start of the motion each motor of the simulated robot
    begins.
    """

    start: Numbers = {}
    end: Numbers = {}
    poses: Annotated[list[Pose], Field(min_length=2, max_length=2)] | None = None
    profile: Literal["cubic", "quintic", "septic", "bang-bang", "trapezoid"] = "quintic"
    duration: Annotated[float, Field(allow_inf_nan=False, ge=0.05, le=20)] = 1.2
    law: Literal["exact", "computed_torque", "pd_gravity", "pid"] = "exact"
    frequency: Annotated[float, Field(allow_inf_nan=False, ge=0.1, le=500)] = 20.0
    offset: Annotated[float, Field(allow_inf_nan=False, ge=-1, le=1)] = 0.0
