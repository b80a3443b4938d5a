"""A result as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symoro.identification.result.parameter import Parameter

if TYPE_CHECKING:
    from symoro.identification.result.result import Identification


def summary(r: Identification) -> Iterator[tuple[str, str]]:
    """What was done and how well it fits: a name and a text for each line."""
    yield "method", r.method
    yield "data", r.processing
    yield "friction", r.friction
    yield "relative error", str(r.error)
    if r.validation.blocks:
        yield f"cross-validation over {len(r.validation.blocks)} blocks of time", str(r.validation)
    if r.dropped:
        yield "taken out as not essential", ", ".join(map(str, r.dropped))
    if r.delays:
        listed = ", ".join(f"{name} {1e3 * d.value:.3g} ± {1e3 * d.sigma:.2g} ms" for name, d in r.delays.items())
        yield "torques earlier than motion by", listed
    yield "condition number", f"{r.estimate.condition:.4g} (columns of length 1)"
    if r.consistent is not None:
        yield "standard parameters", str(r.consistent)


COLUMNS = ("name", "value", "σ", "%σ", "unit", "regroups")
"""The columns of the table of parameters."""


def cells(p: Parameter) -> tuple[str, ...]:
    """The texts of a parameter in these columns; the last one is empty where nothing is regrouped."""
    more = "" if p.regroups == p.name else p.regroups
    return p.name, f"{p.value:.6g}", f"{p.sigma:.3g}", f"{p.percent:.3g}", p.unit, more


def lines(r: Identification) -> Iterator[str]:
    """The summary, the table of parameters, and the warnings."""
    yield f"{len(r)} parameters of {r.subject.robot.title or r.subject.robot.name}"
    yield from (f"{name}: {text}" for name, text in summary(r))
    width = max((len(p.name) for p in r.parameters), default=4)
    for name, value, sigma, percent, unit, more in ((*COLUMNS[:-1], ""), *map(cells, r.parameters)):
        yield f"{name:<{width}}  {value:>12}  {sigma:>10}  {percent:>8}  {unit}{more and '  = '}{more}"
    yield from (f"warning: {text}" for text in r.warnings)
