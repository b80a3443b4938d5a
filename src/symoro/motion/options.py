"""Options that motions, controllers and simulations share: the kinds of their values, and rows that several have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symoro.errors import InputError
from symoro.findings import Finding
from symoro.motion.profiles import KINDS
from symoro.options import FRAME, NONE, Choice, Kind, Numbers, Option, RealNumber, Value, Whole
from symoro.robot.robot import Robot
from symoro.runtime.outputs import real_array


@dataclass(frozen=True)
class RealArray(Kind):
    """Real numbers as NumPy takes them; the function checks how many. `what` says which ones are meant."""

    what: Finding = Finding("motion.real_numbers")
    annotation = "ArrayLike"

    def accepts(self, value: Any, about: Any = None) -> bool:
        try:
            return value is not None and real_array("", value).dtype.kind == "f"
        except InputError:
            return False

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [self.what]

    def read(self, text: Any) -> Any:
        return Numbers("joint").read(text)

    def field(self) -> dict[str, Any]:
        return {"kind": "numbers"}


REALS = RealArray()
TIME = RealNumber("s", more_than=0)


def each(item: str) -> RealArray:
    """A number for each joint, motor or coordinate, or one for all."""
    return RealArray(Numbers(item).allowed()[0])


def limit(name: str, item: str, en: str, fr: str) -> Option:
    """A limit: one number for all, or one for each; infinite where it holds nothing."""
    return Option(name, each(item) | NONE, None, en, fr, metavar="X or X1,X2,…")


LINK = Option(
    "link",
    FRAME | NONE,
    None,
    "A link, a joint or a named frame; else the only tip.",
    "Un corps, une articulation ou un repère nommé ; sinon la seule extrémité.",
)
PROFILE = Option(
    "profile",
    Choice(tuple(KINDS)),
    "quintic",
    f"One of {', '.join(KINDS)}; quintic if not given.",
    f"L'un de {', '.join(KINDS)} ; sinon quintic.",
    short="-p",
)
DURATION = Option(
    "duration",
    TIME | NONE,
    None,
    "Shortest if not given.",
    "La plus courte si elle n'est pas donnée.",
    metavar="SECONDS",
)
PERIOD = Option("period", TIME, 1e-3, "The time between rows.", "Le temps entre deux lignes.", metavar="SECONDS")
VELOCITY = limit("velocity", "joint", "Limits of velocity.", "Limites de vitesse.")
ACCELERATION = limit("acceleration", "joint", "Limits of acceleration.", "Limites d'accélération.")
EFFORT = limit("effort", "joint", "Limits of torque.", "Limites de couple.")
ROBOT = Option(
    "robot",
    Value("Robot | str | Path", lambda value: isinstance(value, Robot | str | Path), Finding("motion.robot")) | NONE,
    None,
    "A robot that gives names and limits of joints.",
    "Un robot qui donne noms et limites des articulations.",
    flag=False,
)
VALUES = Option(
    "values",
    Value("Mapping[str, float]", lambda value: isinstance(value, Mapping), Finding("motion.values")) | NONE,
    None,
    "Numbers for parameters in the place of those of the robot.",
    "Des nombres pour des paramètres à la place de ceux du robot.",
    flag=False,
)


def frequency(item: str, default: float | None) -> Option:
    """The frequency of the errors of a controller."""
    kind = each(item) if default else each(item) | NONE
    return Option("frequency", kind, default, "Frequency of the errors, in rad/s.", "Pulsation des erreurs, en rad/s.")


def damping(item: str) -> Option:
    """The damping of the errors of a controller."""
    return Option("damping", each(item), 1.0, "Damping of the errors.", "Amortissement des erreurs.")


def gain(name: str, item: str, required: bool = False) -> Option:
    """A gain of a controller."""
    what, quoi = _GAINS[name]
    kind = each(item) if required else each(item) | NONE
    return Option(name, kind, None, f"Gain of {what}.", f"Gain de {quoi}.", required=required)


_GAINS = {
    "KP": ("the position", "la position"),
    "KD": ("the velocity", "la vitesse"),
    "KI": ("the integral", "l'intégrale"),
}
MOTOR_EFFORT = limit("effort", "motor", "Limits of torque.", "Limites de couple.")
TRACKING_TIME = Option(
    "tracking_time",
    TIME | NONE,
    None,
    "The time in which an integral follows limited torques.",
    "Le temps où une intégrale suit des couples limités.",
)


def points(default: int) -> Option:
    """How many points a motion is computed at."""
    en, fr = "At how many points limits are looked at.", "En combien de points les limites sont vérifiées."
    return Option("points", Whole(2), default, en, fr)
