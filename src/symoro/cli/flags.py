"""Flags of the command line from a schema of options: `@with_flags(SCHEMA)` on a command that takes `**options`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from symoro.errors import OptionError
from symoro.options import Option, Schema


def with_flags(schema: Schema, without: Iterable[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The command with a flag for each option of the schema; its `**options` are those that are given, as values.

    The function of the schema checks them. Options of `without` are flags of the command itself, or have none.
    """
    options = [option for option in schema if option.flag and option.name not in without]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**words: Any) -> None:
            texts = {option.name: words.pop(option.name) for option in options}
            values = {o.name: value_of(o, texts[o.name]) for o in options if texts[o.name] not in (None, [])}
            command(**words, **values)

        declared = [
            p for p in signature(command, eval_str=True).parameters.values() if p.kind is not Parameter.VAR_KEYWORD
        ]
        flags = [parameter(option) for option in options]
        arguments = [p for p in declared if p.default is Parameter.empty]
        others = [p for p in declared if p.default is not Parameter.empty]
        run.__signature__ = signature(command).replace(parameters=[*arguments, *flags, *others])  # type: ignore[attr-defined]
        return run

    return decorated


def parameter(option: Option) -> Parameter:
    """The flag of an option, as typer takes it."""
    name, help_text = option.argument.flag, option.help.get("en", "")
    names = [name, option.short] if option.short else [name]
    if option.is_switch:
        both = names if option.default is not True else [f"{name}/--no-{name[2:]}"]
        kind: Any = Annotated[bool | None, typer.Option(*both, help=help_text)]
    else:
        metavar = option.metavar or option.name.upper()
        text = list[str] if option.kind.repeated else str
        kind = Annotated[text | None, typer.Option(*names, metavar=metavar, help=help_text)]
    return Parameter(option.name, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=kind)


def value_of(option: Option, words: Any) -> Any:
    """The value of the words of a flag; an error says how it is written."""
    value = words if isinstance(words, bool) else option.kind.read(words)
    if option.kind.accepts(value):
        return value
    written = [option.metavar] if option.metavar else [x for x in option.kind.allowed() if x != repr(None)]
    raise OptionError("options.value", option=option.argument, value=repr(words), allowed=written)
