"""What a row of the catalogue is: a model's names, inputs, options, algorithms, and the robots it exists for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from symoro.errors import NotApplicable, OptionError
from symoro.robot import topology
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs

if TYPE_CHECKING:
    from symoro.ir.extract import Result

Algorithm = Callable[..., "list[Result]"]
Applies = Callable[[Robot], str | None]
"""None when a model exists for the robot, else the reason why it does not."""
OptionKind = Literal["choice", "frame", "link", "flag", "effort"]


@dataclass(frozen=True, slots=True)
class Option:
    """A typed option of a model; without a default it must be given."""

    name: str
    kind: OptionKind
    help: str
    choices: tuple[str, ...] = ()
    default: Any = None
    required: bool = False

    def check(self, value: Any, robot: Robot) -> Any:
        """The value, or an error that says what is allowed."""
        if value is None and not self.required:
            return None
        match self.kind:
            case "choice" if value not in self.choices:
                raise OptionError(f"{self.name}={value!r} is not allowed (allowed: {', '.join(self.choices)})")
            case "flag" if not isinstance(value, bool):
                raise OptionError(f"{self.name}={value!r} is not allowed (allowed: True, False)")
            case "effort" if not isinstance(value, bool) and value not in self.choices:
                allowed = ", ".join(("True", "False", *map(repr, self.choices)))
                raise OptionError(f"{self.name}={value!r} is not allowed (allowed: {allowed})")
            case "frame" | "link":
                self._check_frame(value, robot)
        return value

    def _check_frame(self, value: Any, robot: Robot) -> None:
        """A number, or the name of one of the robot's frames."""
        highest = len(robot.joints) if self.kind == "frame" else robot.link_count
        names = [frame.name for frame in robot.frames]
        number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= highest
        if not number and value not in names:
            allowed = ", ".join([f"0 to {highest}", *map(repr, names)])
            raise OptionError(f"{self.name}={value!r} is not a {self.kind} of {robot.name} (allowed: {allowed})")


@dataclass(frozen=True, slots=True)
class Variant:
    """The same model for robots of another family: its algorithms and inputs there."""

    methods: Mapping[str, tuple[str, ...]]
    inputs: tuple[str, ...]
    citation: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One model.

    `methods` maps the name of a method to its algorithms as `module:function`. The first method is the default. The
    first algorithm of a method is the paper's own form; the others compute the same with fewer operations for some
    robots, and a search by counted operations picks among them. `variants` are the same for robots of other families
    (see `family`); where there is none, `applies` says why. `columns` marks identification models: their outputs have a
    column for each parameter, and their algorithms take the options `rotors`, `friction`, `offset` as one `Columns`.
    """

    name: str
    title: str
    menu: str
    methods: Mapping[str, tuple[str, ...]]
    inputs: tuple[str, ...]
    citation: str
    oracle: str
    aliases: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    applies: Applies = field(default=lambda robot: None)
    variants: Mapping[str, Variant] = field(default_factory=dict)
    columns: bool = False

    def of(self, robot: Robot) -> Entry:
        """The model as it is for this robot's family."""
        own = self.variants.get(family(robot), Variant(self.methods, self.inputs, self.citation))
        return replace(self, methods=own.methods, inputs=own.inputs, citation=own.citation, variants={})

    def prepared(self, robot: Robot) -> Robot:
        """The robot as the model takes it: where forces matter, with motor and spring of a joint as two joints."""
        return motor_spring_pairs(robot) if self.variants.keys() - {"loops"} else robot

    def reason(self, robot: Robot) -> str | None:
        """Why the model does not exist for the robot; None where it does."""
        return None if family(robot) in self.variants else self.applies(robot)

    @property
    def all_options(self) -> tuple[Option, ...]:
        """The model's own options, then its method where there is a choice, then `optimize`."""
        everywhere = (self.methods, *(variant.methods for variant in self.variants.values()))
        names = tuple(dict.fromkeys(name for methods in everywhere for name in methods))
        method = Option("method", "choice", "algorithm", names, names[0])
        return (*self.options, *((method,) if names != ("",) else ()), OPTIMIZE)

    def algorithms(self, method: str) -> dict[str, Algorithm]:
        """The functions from symbols to results under names for people, the plain one first."""
        return {self.formulation(path): _import(path) for path in self.methods[method]}

    def formulation(self, path: str) -> str:
        """An algorithm's name for people: its method, then what tells it from the paper's own form of that."""
        method, paths = next(item for item in self.methods.items() if item[0] != "auto" and path in item[1])
        plain, own = paths[0].partition(":"), path.partition(":")
        if path == paths[0]:
            variant = "plain"
        elif ".lean." in own[0]:
            variant = "lean"
        elif own[0] == plain[0]:
            variant = own[2]
        else:
            variant = own[0].rpartition(".")[2]
        return f"{method}, {variant}" if method else variant

    def checked(self, robot: Robot, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options with their values; errors name what is allowed."""
        known = {option.name: option for option in self.all_options}
        for name in given:
            if name not in known:
                raise OptionError(f"{self.name} has no option {name!r} (allowed: {', '.join(known)})")
        missing = [f"{o.name} ({o.help})" for o in known.values() if o.required and o.name not in given]
        if missing:
            raise OptionError(f"{self.name} needs {', '.join(missing)}")
        return {name: option.check(given.get(name, option.default), robot) for name, option in known.items()}

    def require(self, robot: Robot) -> None:
        """Raise where the model does not exist for the robot."""
        reason = self.reason(robot)
        if reason is not None:
            raise NotApplicable(f"{self.name} of {robot.name}: {reason}")


def _import(path: str) -> Algorithm:
    module, _, function = path.partition(":")
    found: Algorithm = getattr(import_module(module), function)
    return found


def with_auto(
    methods: Mapping[str, tuple[str, ...]], on_request: Mapping[str, tuple[str, ...]] = MappingProxyType({})
) -> dict[str, tuple[str, ...]]:
    """The methods with "auto" before them, the default: of all their algorithms the one that counts least."""
    return {"auto": tuple(path for paths in methods.values() for path in paths), **methods, **on_request}


OPTIMIZE = Option(
    "optimize",
    "effort",
    "lower the number of operations: fast (as True) or with a long search; False gives the paper's own form",
    ("fast", "best"),
    default=True,
)
PARAMS = Option(
    "params", "choice", "inertial parameters: as given, or regrouped to the fewest", ("standard", "base"), "standard"
)
COLUMNS = (
    PARAMS,
    Option("rotors", "flag", "columns of rotor inertias: all or none; those that the robot has where not said"),
    Option("friction", "flag", "columns of friction: all or none; those that the robot has where not said"),
    Option("offset", "flag", "columns of torque offsets: all or none; those that the robot has where not said"),
)


def family(robot: Robot) -> str:
    """Which equations a robot's dynamics has: those of a tree, or of one that is closed, rolls, or moves freely."""
    if robot.cuts:
        return {BaseKind.FLOATING: "floating loops", BaseKind.MOBILE: "mobile loops"}.get(robot.base.kind, "loops")
    if robot.base.kind is BaseKind.MOBILE:
        return "rolling" if robot.base.wheels else "mobile"
    joints = topology.tree_joints(robot)
    passive = any(joint.movable and not joint.actuated for joint in joints)
    return "floating" if robot.base.kind is BaseKind.FLOATING else "passive" if passive else "tree"


def tree_with_fixed_base(robot: Robot) -> str | None:
    """Models of trees on a base that stands still."""
    if robot.base.kind is not BaseKind.FIXED or not robot.base.still:
        return "the base moves, and so does work; this model is for a fixed base"
    return open_structure(robot)


def rigid_tree_with_fixed_base(robot: Robot) -> str | None:
    """Models of rigid trees on a base that stands still."""
    return rigid(robot) or tree_with_fixed_base(robot)


def rigid_tree_with_known_base(robot: Robot) -> str | None:
    """Models of rigid trees whose base is fixed or moves in a given way."""
    return rigid(robot) or tree_with_known_base(robot)


def rigid(robot: Robot) -> str | None:
    """Models whose rotors turn with their joints."""
    springs = [str(joint.index) for joint in robot.joints if joint.elastic and joint.actuated]
    if not springs:
        return None
    return f"there are springs between the motors and the links of joints {', '.join(springs)}"


def closed_structure(robot: Robot) -> str | None:
    """Models of loops."""
    return None if robot.cuts else "the robot has no closed loops; this model is for robots with cuts"


def loops_on_known_base(robot: Robot) -> str | None:
    """Models of loops whose base is fixed or moves in a given way."""
    return closed_structure(robot) or _known_base(robot)


def open_structure(robot: Robot) -> str | None:
    """Models of trees."""
    return "the robot has closed loops; this model is for serial and tree robots" if robot.cuts else None


def tree_with_known_base(robot: Robot) -> str | None:
    """Models of trees whose base is fixed or moves in a given way."""
    return _known_base(robot) or open_structure(robot)


def _known_base(robot: Robot) -> str | None:
    if not robot.base.free:
        return None
    how = "freely" if robot.base.kind is BaseKind.FLOATING else "on wheels"
    return f"the base moves {how}; this model is for a base that is fixed or whose motion is given"
