"""Fills the templates of the targets by Jinja."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol

from symoro.emit.listing import wrap
from symoro.emit.target import Target


class Rendered(Protocol):
    """The data of a package, in the language of its target."""

    @property
    def name(self) -> str: ...

    @property
    def target(self) -> Target: ...


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("symoro.emit"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["wrapped"] = wrap
    return environment


def _quote(text: str) -> str:
    """A string literal, in the notation that most languages share."""
    return json.dumps(text, ensure_ascii=False)


def render(package: Rendered, files: Mapping[str, str], **more: Any) -> dict[str, str]:
    """Fill the templates {file name: template} with the package and what else they need; return {file name: text}."""
    target = package.target
    context: dict[str, Any] = {
        "p": package,
        "number": target.number,
        "comment": target.comment,
        "quote": _quote,
        **more,
    }
    context["unknown"] = target.number(math.nan)  # the default of a parameter without a number
    context["check"] = target.check.format(name=package.name)
    texts = {file: _environment().get_template(f"{template}.jinja").render(context) for file, template in files.items()}
    return {file: text.rstrip("\n") + "\n" for file, text in texts.items()}
