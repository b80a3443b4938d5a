"""Options of functions as data: one row an option gives signature, check, flag, field of the page, stub and reference.

A `Kind` says what a value may be: whether it is allowed, how a text of the command line becomes a value, how the page
asks for it. Kinds are combined by `|`: `Numbers("joint") | AUTO | NONE`. An `Option` has a name, a kind, a default and
help in each language; a `Schema` is the options of one function, which takes them by `@SCHEMA.function`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from inspect import Parameter, signature
from math import inf, isfinite
from operator import index
from typing import Any, TypeVar

from symoro.errors import OptionError, SymoroError
from symoro.findings import Argument, Finding, Language

R = TypeVar("R")
#: How long a wrong value may be in a message.
_LONGEST = 60


class Kind(ABC):
    """What a value may be."""

    annotation: str
    """Its type, as the stub writes it."""
    repeated: bool = False
    """Whether its flag may be repeated: `read` takes the list of texts."""

    @abstractmethod
    def accepts(self, value: Any, about: Any = None) -> bool:
        """Whether a value is allowed; `about` is the robot, where what is allowed depends on it."""

    @abstractmethod
    def allowed(self, about: Any = None) -> Sequence[Any]:
        """What is allowed: words of code, and findings."""

    def taken(self, value: Any, about: Any = None) -> Any:
        """An allowed value as the function takes it."""
        return value

    def read(self, text: Any) -> Any:
        """The value of a text of the command line; what cannot be read stays a text, which is not allowed."""
        return text

    def field(self) -> dict[str, Any]:
        """How the page asks for it."""
        return {"kind": "text"}

    def __or__(self, other: Kind) -> Kind:
        return Either((*_parts(self), *_parts(other)))


def _parts(kind: Kind) -> tuple[Kind, ...]:
    return kind.kinds if isinstance(kind, Either) else (kind,)


@dataclass(frozen=True)
class Either(Kind):
    """One of several kinds."""

    kinds: tuple[Kind, ...]

    @property
    def repeated(self) -> bool:  # type: ignore[override]
        return any(kind.repeated for kind in self.kinds)

    @property
    def annotation(self) -> str:  # type: ignore[override]
        return " | ".join(dict.fromkeys(part for kind in self.kinds for part in kind.annotation.split(" | ")))

    def accepts(self, value: Any, about: Any = None) -> bool:
        return any(kind.accepts(value, about) for kind in self.kinds)

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [word for kind in self.kinds for word in kind.allowed(about)]

    def taken(self, value: Any, about: Any = None) -> Any:
        return next(kind.taken(value, about) for kind in self.kinds if kind.accepts(value, about))

    def read(self, text: Any) -> Any:
        values = [kind.read(text) for kind in self.kinds]
        allowed = [value for value in values if self.accepts(value)]
        return next((value for value in allowed if not isinstance(value, str)), [*allowed, values[0]][0])

    def field(self) -> dict[str, Any]:
        choices = [choice for kind in self.kinds for choice in kind.field().get("choices", ())]
        main = next((kind.field() for kind in self.kinds if "choices" not in kind.field()), {"kind": "choice"})
        return main | ({"choices": choices} if choices else {})


@dataclass(frozen=True)
class Choice(Kind):
    """One of some words."""

    names: tuple[str, ...]

    @property
    def annotation(self) -> str:  # type: ignore[override]
        words = ", ".join(f'"{name}"' for name in self.names)
        return f"Literal[{words}]"

    def accepts(self, value: Any, about: Any = None) -> bool:
        return isinstance(value, str) and value in self.names

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return self.names

    def read(self, text: Any) -> Any:
        return text.lower() if isinstance(text, str) and text.lower() in self.names else text

    def field(self) -> dict[str, Any]:
        return {"kind": "choice", "choices": list(self.names)}


@dataclass(frozen=True)
class Exactly(Kind):
    """One value of Python, such as None."""

    value: Any

    @property
    def annotation(self) -> str:  # type: ignore[override]
        return repr(self.value)

    def accepts(self, value: Any, about: Any = None) -> bool:
        return value is self.value

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [repr(self.value)]

    def read(self, text: Any) -> Any:
        return self.value if str(text).lower() == repr(self.value).lower() else text

    def field(self) -> dict[str, Any]:
        return {"kind": "choice", "choices": [self.value]}


@dataclass(frozen=True)
class Flag(Kind):
    """True or False."""

    annotation = "bool"

    def accepts(self, value: Any, about: Any = None) -> bool:
        return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return ["True", "False"]

    def taken(self, value: Any, about: Any = None) -> Any:
        return bool(value)

    def read(self, text: Any) -> Any:
        return _FLAGS.get(text.lower(), text)

    def field(self) -> dict[str, Any]:
        return {"kind": "flag"}


_FLAGS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


@dataclass(frozen=True)
class RealNumber(Kind):
    """A number; `unit` says in which unit, `more_than`, `at_least` and `at_most` how small and great it may be.

    It is finite, but for those that may be `infinite`, such as a limit that holds nothing.
    """

    unit: str = ""
    more_than: float = -inf
    at_least: float = -inf
    at_most: float = inf
    infinite: bool = False
    annotation = "float"

    def accepts(self, value: Any, about: Any = None) -> bool:
        if not is_number(value) and not (self.infinite and isinstance(value, float) and value == inf):
            return False
        return bool(value > self.more_than and self.at_least <= value <= self.at_most)

    def allowed(self, about: Any = None) -> Sequence[Any]:
        unit = in_unit(self.unit)
        if self.more_than > -inf and self.at_most < inf:
            return [Finding("options.number_between", least=self.more_than, most=self.at_most, unit=unit)]
        if self.more_than > -inf:
            return [Finding("options.number_more_than", least=self.more_than, unit=unit)]
        if self.at_least > -inf:
            return [Finding("options.number_at_least", least=self.at_least, unit=unit)]
        return [Finding("options.number", unit=unit)]

    def read(self, text: Any) -> Any:
        return _as(float, text)

    def field(self) -> dict[str, Any]:
        return {"kind": "number", "unit": self.unit}


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number from `least` to `most`."""

    least: float = 0
    most: float = inf
    annotation = "int"

    def accepts(self, value: Any, about: Any = None) -> bool:
        try:
            return not Flag().accepts(value) and self.least <= index(value) <= self.most
        except TypeError:  # no whole number
            return False

    def allowed(self, about: Any = None) -> Sequence[Any]:
        if self.most < inf:
            return [Finding("options.whole_to", least=self.least, most=self.most)]
        return [Finding("options.whole", least=self.least)]

    def read(self, text: Any) -> Any:
        return _as(int, text)

    def field(self) -> dict[str, Any]:
        return {"kind": "whole", "least": self.least}


@dataclass(frozen=True)
class Numbers(Kind):
    """One finite number, or one for each `item`, such as a joint."""

    item: str
    unit: str = ""
    annotation = "float | Sequence[float]"

    def accepts(self, value: Any, about: Any = None) -> bool:
        if is_number(value):
            return True
        values = value.tolist() if hasattr(value, "tolist") and getattr(value, "ndim", 2) == 1 else value
        return isinstance(values, list | tuple) and len(values) > 0 and all(map(is_number, values))

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [Finding("options.numbers", item=Finding(f"options.{self.item}"), unit=in_unit(self.unit))]

    def read(self, text: Any) -> Any:
        values = [_as(float, part) for part in text.split(",")]
        return text if any(isinstance(x, str) for x in values) else values[0] if len(values) == 1 else values

    def field(self) -> dict[str, Any]:
        return {"kind": "numbers", "unit": self.unit}


@dataclass(frozen=True)
class Text(Kind):
    """Any text; `what` says which one is meant."""

    what: Finding
    annotation = "str"

    def accepts(self, value: Any, about: Any = None) -> bool:
        return isinstance(value, str)

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [self.what]


@dataclass(frozen=True)
class Reference(Kind):
    """The number or the name of a link, a joint or a frame of the robot; `what` says of which."""

    what: Finding
    annotation = "int | str"

    def accepts(self, value: Any, about: Any = None) -> bool:
        return isinstance(value, str) or Whole().accepts(value)

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [self.what]

    def read(self, text: Any) -> Any:
        return _as(int, text)


@dataclass(frozen=True)
class Value(Kind):
    """A value of Python that a test accepts; `what` says which one is meant, `reading` how a text becomes one."""

    annotation: str
    test: Callable[[Any], bool] = field(repr=False)
    what: Finding
    reading: Callable[[str], Any] = str

    def accepts(self, value: Any, about: Any = None) -> bool:
        return self.test(value)

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [self.what]

    def read(self, text: Any) -> Any:
        return self.reading(text)


NONE = Exactly(None)
FLAG = Flag()
AUTO = Choice(("auto",))
FRAME = Reference(Finding("options.frame"))


def in_unit(unit: str) -> Finding | str:
    """The words for a unit behind a number; none where it has no unit."""
    return Finding("options.in_unit", unit=unit) if unit else ""


def is_number(value: Any) -> bool:
    """Whether it is one finite real number."""
    if isinstance(value, bool | str | bytes) or not hasattr(value, "__float__") or getattr(value, "ndim", False):
        return False
    try:
        return isfinite(value) and float(value) == value
    except (OverflowError, TypeError, ValueError):  # a whole number beyond those of floats, a complex one
        return False


def _as(number: Callable[[str], Any], text: str) -> Any:
    try:
        return number(text)
    except ValueError:
        return text


@dataclass(frozen=True)
class Option:
    """One option: everything about it is in this row."""

    name: str
    kind: Kind
    default: Any = None
    en: str = ""
    fr: str = ""
    required: bool = False
    flag: bool = True
    """Whether the command line and the page have it."""
    metavar: str = ""
    """What stands for its value in the help of the command line, such as HZ."""
    short: str = ""
    """A letter for its flag, such as -m."""

    @property
    def is_switch(self) -> bool:
        """Whether its flag has no value: giving it says True."""
        return any(isinstance(kind, Flag) for kind in _parts(self.kind))

    @property
    def argument(self) -> Argument:
        return Argument(self.name)

    @property
    def choices(self) -> list[str]:
        """The words that its value may be."""
        return [word for word in self.kind.field().get("choices", ()) if word is not None]

    @property
    def help(self) -> dict[Language, str]:
        """What it is for, in each language."""
        return {"en": self.en, "fr": self.fr}

    def checked(self, value: Any, about: Any = None, error: type[SymoroError] = OptionError) -> Any:
        """The value as the function takes it, or an error that says what is allowed."""
        if not self.kind.accepts(value, about):
            shown = f"{value!r:.{_LONGEST}}"
            raise error("options.value", option=self.argument, value=shown, allowed=self.kind.allowed(about))
        return self.kind.taken(value, about)

    def field(self) -> dict[str, Any]:
        """The option as the page has it."""
        about = {"name": self.name, "default": self.default, "required": self.required, "help": self.help}
        return about | self.kind.field()


@dataclass(frozen=True)
class Schema:
    """The options of a function."""

    of: str
    """The name of the function."""
    options: tuple[Option, ...]
    error: type[SymoroError] = OptionError
    argument: type[Argument] = Argument
    """How the command line writes an option."""

    def __iter__(self) -> Iterator[Option]:
        return iter(self.options)

    def __getitem__(self, name: str) -> Option:
        return next(option for option in self.options if option.name == name)

    def checked(self, values: Mapping[str, Any], about: Any = None) -> dict[str, Any]:
        """Every option with its value; an error names what is not allowed, not known or missing."""
        known = {option.name: option for option in self.options}
        for name in values:
            if name not in known:
                allowed = [option.argument for option in self.options]
                raise self.error("options.unknown", function=self.of, option=self.argument(name), allowed=allowed)
        if needed := [option for option in self.options if option.required and option.name not in values]:
            missing = [Finding("options.needed", option=o.argument, allowed=o.kind.allowed(about)) for o in needed]
            raise self.error("options.missing", function=self.of, options=missing)
        chosen = {name: known[name].checked(value, about, self.error) for name, value in values.items()}
        return {name: chosen.get(name, option.default) for name, option in known.items()}

    def parameters(self) -> list[Parameter]:
        """The options as parameters of a signature."""
        return [
            Parameter(
                option.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if option.required else option.default,
                annotation=option.kind.annotation,
            )
            for option in self.options
        ]

    def function(self, work: Callable[..., R]) -> Callable[..., R]:
        """The function with these options, which it gets by keyword: all of them, checked.

        Options that the function has before `*` may be given by their place, too.
        """
        rows = {p.name: p for p in self.parameters()}
        first = [p for p in signature(work).parameters.values() if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
        placed = [rows.pop(p.name).replace(kind=p.kind) if p.name in rows else p for p in first]
        public = signature(work).replace(parameters=[*placed, *rows.values()])
        arguments = [p.name for p in first if p.name not in {option.name for option in self.options}]

        @wraps(work)
        def function(*args: Any, **values: Any) -> R:
            if len(args) > len(first):
                names = ", ".join(p.name for p in first)
                raise TypeError(f"{work.__name__}() takes {names} by position, and everything else by name: NAME=…")
            if any(p.name in values for p in first[: len(args)]):
                public.bind(*args, **values)  # which says what is wrong
            values |= {p.name: value for p, value in zip(first, args, strict=False)}
            named = {name: values.pop(name) for name in arguments if name in values}
            return work(**named, **self.checked(values))

        function.__signature__ = public  # type: ignore[attr-defined]
        function.schema = self  # type: ignore[attr-defined]
        return function
