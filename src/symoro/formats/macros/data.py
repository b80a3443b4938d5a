"""Reads the YAML files of xacro's `load_yaml`: numbers, texts, lists and mappings, and nothing that is run.

PyYAML parses the text; it is an extra, symoro[xacro]. Aliases are refused: a few of them can stand for any size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from symoro.findings import Finding
from symoro.formats.macros.expressions import CONSTANTS, ExpressionError, evaluate

MAX_BYTES = 500_000
_UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180,
    "!meters": 1.0,
    "!millimeters": 0.001,
    "!foot": 0.3048,
    "!inches": 0.0254,
}
"""The tags of xacro: an expression in one of these units."""


def load(path: Path) -> Any:
    """What a YAML file says."""
    if path.stat().st_size > MAX_BYTES:
        raise ExpressionError("xacro.large_yaml", file=path.name, most=MAX_BYTES)
    try:
        import yaml
    except ImportError:
        raise ExpressionError("xacro.no_pyyaml") from None
    try:
        return yaml.load(path.read_bytes(), _loader(yaml))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ExpressionError("xacro.no_yaml", file=path.name, reason=reason) from error


def _loader(yaml: Any) -> Any:
    """PyYAML's safe loader without aliases, with the units of xacro."""

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError(str(Finding("xacro.aliases")))
            return super().compose_node(parent, index)

    for tag, unit in _UNITS.items():
        Loader.add_constructor(tag, _quantity(unit))
    return Loader


def _quantity(unit: float) -> Callable[[Any, Any], float]:
    def quantity(loader: Any, node: Any) -> float:
        return float(evaluate(str(loader.construct_scalar(node)), _no_names)) * unit

    return quantity


def _no_names(name: str) -> Any:
    if name in CONSTANTS:
        return CONSTANTS[name]
    raise ExpressionError("xacro.not_in_yaml", name=name)
