"""Fills the templates of the targets by Jinja."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol

from symoro.emit.target import Target


class Rendered(Protocol):
    """The data of a package, in the language of its target."""

    @property
    def target(self) -> Target: ...


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("symoro.emit"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _quote(text: str) -> str:
    """A string literal, in the notation that most languages share."""
    return json.dumps(text, ensure_ascii=False)


def render(package: Rendered, files: Mapping[str, str]) -> dict[str, str]:
    """Fill the templates {file name: template} with the package; return {file name: text}."""
    context = {"p": package, "number": package.target.number, "comment": package.target.comment, "quote": _quote}
    texts = {file: _environment().get_template(f"{template}.jinja").render(context) for file, template in files.items()}
    return {file: text.rstrip("\n") + "\n" for file, text in texts.items()}
