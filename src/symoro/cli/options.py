"""Options of models on the command line, such as `-o link=6 -o params=base`; the catalogue says the kind of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from symoro.errors import OptionError
from symoro.ir.expr import OpCount
from symoro.models.entry import FRAME, Entry
from symoro.robot.robot import Robot


def pairs(words: Sequence[str], option: str = "--option") -> dict[str, str]:
    """The words name=value as a dictionary; each name may be given once."""
    values: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (equals and name and value):
            raise OptionError("commands.name_value", option=option, word=word)
        if name in values:
            raise OptionError("commands.twice", option=option, name=name)
        values[name] = value
    return values


def frame(text: str) -> int | str:
    """A frame as users type it: its number, or the name of a joint or frame."""
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def of_xacro(packages: dict[str, str], arg: Sequence[str] | None) -> dict[str, dict[str, str]]:
    """The options of a xacro file that are given: folders of packages, and the words of --arg."""
    words = {"packages": packages, "arguments": pairs(arg or [], "--arg")}
    return {name: option for name, option in words.items() if option}


def read(entry: Entry, texts: dict[str, str]) -> dict[str, Any]:
    """The texts converted to the kinds of the model's options; the catalogue checks the values."""
    known = {option.name: option for option in entry.all_options}
    return {name: known[name].kind.read(text) if name in known else text for name, text in texts.items()}


def applicable(entry: Entry, robot: Robot, texts: dict[str, str]) -> dict[str, Any]:
    """The given options that the model has. A required frame that is not given is the base or the last link."""
    entry = entry.of(robot)
    names = {option.name for option in entry.all_options}
    frames = [o.name for o in entry.options if o.required and o.kind == FRAME]
    ends = dict.fromkeys(frames[:-1], 0) | dict.fromkeys(frames[-1:], robot.link_count)
    return {**ends, **read(entry, {name: text for name, text in texts.items() if name in names})}


def described(options: dict[str, Any]) -> str:
    """Options as a user types them."""
    return " ".join(f"{name}={value}" for name, value in options.items())


def counts(ops: OpCount) -> dict[str, int]:
    """Numbers of operations as data for JSON."""
    return {**asdict(ops), "total": ops.total}
